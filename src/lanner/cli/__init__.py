"""The command line: `lanner` itself, the options that commands share, and the way from a declaration to what does it.

A command reads its options, calls the library and prints; no more. Commands are declared in `commands`; the other
modules do what they say, and are imported when a command runs: what is imported here is light, so that help, and a
mistake in an option or the name of a file, are answered at once.
"""

from __future__ import annotations

import functools
import io
import os
import re
import sys
import textwrap
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from math import isfinite
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from lanner import __version__, registry
from lanner.cli.early_checks import (
    DEFAULT_STORE,
    campaign_names,
    check_public_url,
    names,
    refuse_missing,
    refuse_missing_store,
    refuse_unknown_campaign,
    refuse_unknown_judge,
    refuse_unknown_question,
)
from lanner.errors import (
    ExitCode,
    InputError,
    LannerError,
    Where,
    check_known,
    did_you_mean,
    exit_code_of,
    missing_file,
)

if TYPE_CHECKING:
    from lanner.analysis.material import Material
    from lanner.formats import Reading
    from lanner.model import Json


Command = Callable[..., None]


def implementation(name: str) -> ModuleType:
    """The module that does what a command was asked to do: statistics and readers, which take seconds to load."""
    return import_module(f"lanner.cli.{name}")


def answer(task: str, options: Mapping[str, Any]) -> None:
    """Let a function of `lanner.cli` do a task, such as `campaign.archive`: it gets an Output to print on, and the
    options by their names. What it returns is the exit code, if anything."""
    module, _, function = task.partition(".")
    arguments = dict(options)
    output = implementation("output").Output(_command_name(), arguments.pop("as_json", False))
    code = getattr(implementation(module), function)(output, **arguments)
    output.end()
    if code:
        sys.exit(code)


def answer_from_store(task: str, options: Mapping[str, Any]) -> None:
    """The same for what needs the store that is there, which is given open."""
    arguments = dict(options)
    place = arguments.pop("store_place")
    refuse_missing_store(place)
    with import_module("lanner.store").Store.open(place, create=False) as store:
        answer(task, {"store": store, **arguments})


def refuse_unused(beside: str, *options: str) -> None:
    """The error where one of these options was typed: with what was typed `beside` it, it would change nothing."""
    context = click.get_current_context()
    for parameter in context.command.params:
        is_typed = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if parameter.opts[0] in options and is_typed:
            raise LannerError(f"{parameter.opts[0]} does nothing {beside}.", next_step="Leave it out.")


def refuse_reading(source: str) -> None:
    """The error where an option says how a file is read and the source is a campaign, which is read already."""
    if not Path(source).exists():
        words = "with a campaign, whose judgements are stored as they were read"
        refuse_unused(words, "--from", "--columns", "--encoding", "--missing", "--protocol")


def _command_name() -> str:
    """What the running command is called after `lanner`."""
    context, words = click.get_current_context(), deque[str]()
    while context.parent is not None:
        words.appendleft(context.info_name or "")
        context = context.parent
    return " ".join(words)


# How files are to be read, and what was noticed on reading them, in the context of the command that runs.

_READING = "lanner.reading"
"""Where a command's options for reading files lie in click's context."""
_PENDING = "lanner.notes"


def reading_options() -> dict[str, str]:
    """How files are to be read: the running command's --columns, --languages, --encoding and --missing."""
    context = click.get_current_context(silent=True)
    return dict(context.meta.get(_READING, {})) if context is not None else {}


def chosen_pair() -> str | None:
    """The language pair of --languages, for a command that picks texts by it: nothing is relabelled then."""
    context = click.get_current_context(silent=True)
    pair: str | None = context.meta.get(_READING, {}).pop("languages", None) if context is not None else None
    return pair


def pending_notes() -> list[str]:
    """What was noticed on reading the files that the running command was given."""
    context = click.get_current_context(silent=True)
    notes: list[str] = context.meta.setdefault(_PENDING, []) if context is not None else []
    return notes


def notes_of(*parts: Material | Reading) -> list[str]:
    """What was noticed on reading these parts, each named."""
    return [f"{part.name}: {note}" for part in parts for note in part.notes]


json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output, for machines.")

EXPLAIN = "lanner.explain"
"""Where click's context says whether a command that has --explain was given it."""


def wants_explanation() -> bool:
    """Whether to explain: with --explain, and where a command has no such option."""
    context = click.get_current_context(silent=True)
    return bool(context.meta.get(EXPLAIN, True)) if context is not None else True


store_option = click.option(
    "--store",
    "store_place",
    metavar="PATH_OR_URL",
    default=lambda: os.environ.get("LANNER_STORE", DEFAULT_STORE),
    show_default=f"$LANNER_STORE or {DEFAULT_STORE}",
    help="The database: a SQLite file or a postgresql:// URL.",
)

PATH = click.Path(path_type=Path)


class Seed(click.IntRange):
    """A number that a random generator starts from. Its range, that of a database, is left out of help."""

    name = "integer"

    def _describe_range(self) -> str:
        return ""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return click.IntRange(self.min, self.max).convert(value, param, ctx)


class Number(click.types.FloatParamType):
    """A number, and not `nan` or `inf`, which click takes for one: no limit holds for them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return _finite(super().convert(value, param, ctx), param)


class NumberRange(click.FloatRange):
    """The same within limits."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return _finite(super().convert(value, param, ctx), param)


def _finite(number: float, param: click.Parameter | None) -> float:
    if not isfinite(number):
        raise click.BadParameter(f"{number} is not a number that can be counted with.", param=param)
    return number


NUMBER = Number()
SEED = Seed(0, 2**63 - 1)
RESAMPLES = click.IntRange(0, 1_000_000)
PORT = click.IntRange(1, 65535)

seed_option = click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
resamples_option = click.option(
    "--resamples", type=RESAMPLES, default=2000, show_default=True, help="Number of bootstrap resamples."
)
svg_option = click.option("--svg-only", is_flag=True, help="Skip the PDF and PNG versions of figures (faster).")
base_url_option = click.option(
    "--base-url",
    default="http://127.0.0.1:8000",
    show_default=True,
    callback=lambda _context, _parameter, url: check_public_url(url, "--base-url"),
    help="Address of the server, for the links.",
)
systems_option = click.option("--systems", help="Only these systems, comma-separated.")
contexts_option = click.option(
    "--contexts",
    default="",
    help="Context as a factor, counterbalanced over judges: none; source±2; own±2; reference±2; whole, …",
)

settings_option = click.option(
    "--settings",
    "settings_file",
    type=PATH,
    help="A TOML file of settings: controls, tutorial, calibration, practice_agreement …",
)
before_option = click.option("--before", default="", help="Questionnaires before the tasks, comma-separated.")
after_option = click.option("--after", default="", help="Questionnaires after the tasks, comma-separated.")


class Group(click.Group):
    """Says which commands there are where one is not known."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args and not args[0].startswith("-") and args[0] not in known:
            path = ["lanner"] if ctx.parent is None else ["lanner", ctx.info_name or ""]
            raise LannerError(
                f"There is no command {' '.join([*path[1:], args[0]])!r}.",
                next_step=f"{did_you_mean(args[0], known)} `{' '.join(path)} --help` lists all.",
            )
        return super().resolve_command(ctx, args)


class RenamedOption(click.Option):
    """An option with names it had before, as in `click.option("--question", cls=RenamedOption, old=["--of"])`. The old
    names work, are not in the help, and leave a note."""

    def __init__(self, names: Sequence[str], *, old: Sequence[str], **attributes: Any) -> None:
        super().__init__([*names, *old], **attributes)
        self.old = tuple(old)
        self.current = next(name for name in names if name.startswith("--"))

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        every = self.opts
        self.opts = [name for name in every if name not in self.old]
        try:
            return super().get_help_record(ctx)
        finally:
            self.opts = every

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        super().add_to_parser(parser, ctx)
        for name in self.old:
            option = parser._long_opt[name]
            parser._long_opt[name] = _NotedOption(option, f"{name} is called {self.current} now.")


class _NotedOption:
    """An option of click's parser that leaves a note when it is used."""

    def __init__(self, option: Any, note: str) -> None:
        self._option, self._note = option, note

    def __getattr__(self, name: str) -> Any:
        return getattr(self._option, name)

    def process(self, value: Any, state: Any) -> None:
        if self._note not in pending_notes():
            pending_notes().append(self._note)
        self._option.process(value, state)


def complete_protocol(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Protocols for the shell, by the beginning of their names."""
    return [name for name in registry.names("protocols", ".toml") if name.startswith(incomplete)]


def complete_format(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Formats for the shell."""
    return [name for name in registry.names("formats") if name.startswith(incomplete)]


def complete_campaign(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Campaigns for the shell: of the store that the line, `lanner.toml` or the environment names."""
    place = context.params.get("store_place") or os.environ.get("LANNER_STORE", DEFAULT_STORE)
    return [name for name in campaign_names(place) or () if name.startswith(incomplete)]


def complete_source(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Campaigns of the store for the shell, then files."""
    names = complete_campaign(context, parameter, incomplete)
    return [*(CompletionItem(name) for name in names), CompletionItem(incomplete, type="file")]


def campaign_argument(command: Command) -> Command:
    """The campaign that a command is about; that there is one is checked before anything is loaded."""

    @functools.wraps(command)
    def checked(name: str, store_place: str, **options: Any) -> None:
        refuse_unknown_campaign(name, store_place)
        command(name=name, store_place=store_place, **options)

    return click.argument("name", metavar="CAMPAIGN", shell_complete=complete_campaign)(checked)


def about_campaign(name: str, short_help: str, group: click.Group | None = None) -> Callable[[Command], click.Command]:
    """A command about one campaign, whose name comes first; the store and --json are its last options."""

    def decorate(declaration: Command) -> click.Command:
        declare = click.command if group is None else group.command
        command = declare(name, short_help=short_help)(campaign_argument(declaration))
        return json_option(store_option(command))

    return decorate


def judge_argument(parameter: str) -> Callable[[Command], Command]:
    """One of the campaign's judges; that there is one is checked before anything is loaded."""

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def checked(name: str, store_place: str, **options: Any) -> None:
            refuse_unknown_judge(name, store_place, options[parameter])
            command(name=name, store_place=store_place, **options)

        return click.argument(parameter)(checked)

    return decorate


def _remember(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value:
        context.meta.setdefault(_READING, {})[str(parameter.name)] = value


def known_format(_context: click.Context, _parameter: click.Parameter, name: str | None) -> str | None:
    """A format by name; `ratings` was the name of tables with ratings."""
    name = "table" if name == "ratings" else name
    if name and name.replace("-", "_") not in registry.names("formats"):
        raise registry.unknown("formats", name, registry.names("formats"))
    return name


def known_protocol(_context: click.Context, _parameter: click.Parameter, name: str | None) -> str | None:
    """A protocol's name, if there is one, or a path."""
    protocol_names = registry.names("protocols", ".toml")
    if name and name.replace("-", "_") not in protocol_names and not _is_path(name) and not Path(name).exists():
        hint = f"{did_you_mean(name, protocol_names)} `lanner protocols` lists all."
        raise LannerError(f"There is no protocol called {name!r}.", next_step=hint)
    return name


def _is_path(name: str) -> bool:
    """Whether what may be a name or a path is one of a TOML file, there or not."""
    return name.endswith(".toml") or "/" in name or "\\" in name


def known_name(group: str, suffix: str = ".py") -> Callable[[click.Context, click.Parameter, str], str]:
    """A check of an option that names one of a group's members: a design, a provider."""

    def check(_context: click.Context, _parameter: click.Parameter, name: str) -> str:
        if name.replace("-", "_") not in registry.names(group, suffix):
            raise registry.unknown(group, name, registry.names(group, suffix))
        return name

    return check


def known_prompt(_context: click.Context, _parameter: click.Parameter, name: str) -> str:
    """A prompt's name, if there is one, or the path of a TOML file."""
    if name and not name.endswith(".toml") and registry.data_file("judges.prompts", name, ".toml") is None:
        hint = did_you_mean(name, registry.names("judges.prompts", ".toml"))
        raise LannerError(
            f"There is no prompt called {name!r}.", next_step=f"{hint} A file of your own ends in .toml.".strip()
        )
    return name


def known_recipe(context: click.Context, parameter: click.Parameter, name: str) -> str:
    """A recipe's name, if there is one, or a path."""
    if _is_path(name) or Path(name).is_file():
        return name
    return known_name("corpus.recipes", ".toml")(context, parameter, name)


def reads_files(*names: str) -> Callable[[Command], Command]:
    """A command that reads what these of its arguments name: a path to nothing is said before anything is loaded.
    Of a protocol and a recipe, which may be names, only what is a path is looked for."""

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def checked(**options: Any) -> None:
            for name in names:
                value = options.get(name)
                for each in value if isinstance(value, tuple) else (value,):
                    if each and (isinstance(each, Path) or _is_path(each)) and not Path(each).exists():
                        raise missing_file(each)
            command(**options)

        return checked

    return decorate


def from_option(command: Command) -> Command:
    """How a file is to be read, where its content does not tell: the same four options on every command."""
    for option, metavar, words in (
        ("--encoding", "NAME", "Text encoding, if the detected one is wrong: cp949, windows-1252, …"),
        ("--languages", "PAIR", "Language pair, such as en-ko."),
        ("--columns", "ROLE=NAME,…", "What columns hold: source=src,system:A=mt,judge=who."),
        ("--missing", "VALUES", "Numbers in tables that mean no answer, such as 999,-1; none: all are answers."),
    ):
        command = click.option(
            option,
            metavar=metavar,
            expose_value=False,
            callback=_remember,
            help=words,
            cls=RenamedOption,
            old=["--lp"] if option == "--languages" else [],
        )(command)
    with_format: Command = click.option(
        "--from",
        "format_name",
        metavar="FORMAT",
        shell_complete=complete_format,
        callback=known_format,
        help="File format, if it is not detected (see `lanner formats`).",
    )(command)
    return with_format


def named_protocol(words: str, **attributes: Any) -> Callable[[Command], Command]:
    """A protocol by name or as a file."""
    return click.option(
        "--protocol",
        metavar="NAME_OR_FILE",
        shell_complete=complete_protocol,
        callback=known_protocol,
        help=words,
        **attributes,
    )


protocol_option = named_protocol("Protocol of a file's judgements.")
explain_option = click.option(
    "--explain",
    is_flag=True,
    expose_value=False,
    callback=lambda context, _parameter, value: context.meta.update({EXPLAIN: value}),
    help="Explain the numbers, and show all notes.",
)
judges_option = click.option("--judges", metavar="NAMES", help="Only these judges, comma-separated.")


def _with_source(*, required: bool) -> Callable[[Command], Command]:
    """The argument and the options of every analysis command; the function gets them as one `Source`."""

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_source(
            source: str | None,
            store_place: str,
            format_name: str | None,
            protocol: str | None,
            judges: str | None,
            **rest: Any,
        ) -> None:
            if source:
                refuse_missing(source, store_place)
                refuse_reading(source)
            if source and rest.get("question"):
                refuse_unknown_question(source, store_place, rest["question"])
            # a plan after released ratings needs texts alone
            if source and Path(source).is_file() and not rest.get("like"):
                check = implementation("file_check").check_judgements
                check(source, format_name, protocol, rest.get("question"), names(judges))
            command(
                source=implementation("source").Source(source or "", store_place, format_name, protocol, judges), **rest
            )

        decorated_command: Command = with_source
        for option in (json_option, explain_option, store_option, protocol_option, from_option, judges_option):
            decorated_command = option(decorated_command)
        return click.argument("source", metavar="FILE_OR_CAMPAIGN", required=required, shell_complete=complete_source)(
            decorated_command
        )

    return decorate


source_options = _with_source(required=True)
optional_source_options = _with_source(required=False)
"""The same for a command that can do without a source; its `place` is then empty."""


def parse_options(options: tuple[str, ...]) -> dict[str, str]:
    """Options given as NAME=VALUE."""
    pairs = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise LannerError(f"{option!r} is not NAME=VALUE.", next_step="Write for instance --option quotes=no.")
        pairs[name.strip()] = value.strip()
    return pairs


def value_of(text: str) -> Json:
    """A number as a number, true and false as such, all else as the text that it is: `007` and `nan` are texts."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if re.search(r"\d", text) and not re.match(r"[-+]?0\d|.*_", text):
        for read in (int, float):
            with suppress(ValueError):
                return read(text)
    return text


def typed(options: Mapping[str, str]) -> dict[str, Json]:
    """Numbers as numbers, so that a design can count with them, and yes and no as such."""
    return {name: value_of(text) for name, text in options.items()}


def slug(text: str) -> str:
    """A name that is easy to type: small letters, digits, dashes."""
    return re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-") or "corpus"


# `--set NAME=VALUE`: one option for what is seldom changed about a command. Before, each was an option of its own;
# those still work, are not in the help, and leave a note.


@dataclass(frozen=True, slots=True)
class Detail:
    """What can be set: its type as click knows it, what it means, its default."""

    type: Any
    help: str
    default: Any = None


def set_option(details: Mapping[str, Detail]) -> Callable[[Command], Command]:
    """Give a command `--set`; its function gets a parameter for each of these."""

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_details(*arguments: Any, assignments: tuple[str, ...], **options: Any) -> None:
            values = {name: options.pop(name) for name in details}
            for name, value in values.items():
                if value is not None:
                    text = str(value).lower() if isinstance(value, bool) else value
                    note = f"--{name} still works; now it is --set {name}={text}."
                    pending_notes().append(note)
            values |= dict(_parse_assignment(details, assignment) for assignment in assignments)
            details_by_name = {n: details[n].default if value is None else value for n, value in values.items()}
            command(*arguments, **options, **details_by_name)

        wrapper: Command = with_details
        for name, detail in details.items():
            kind = {"is_flag": True} if detail.type is bool else {"type": detail.type}
            wrapper = click.option(f"--{name}", default=None, hidden=True, help=detail.help, **kind)(wrapper)
        lines = "\n".join(line for name, detail in details.items() for line in _help_lines(name, detail))
        words = f"Change a setting; repeatable:\n\n\b\n{lines}"
        return click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help=words)(wrapper)

    return decorate


def _help_lines(name: str, detail: Detail) -> list[str]:
    """What a setting means, broken to fit beside the names of options on a terminal of 80 columns."""
    choices = f" [{'|'.join(detail.type.choices)}]" if isinstance(detail.type, click.Choice) else ""
    return textwrap.wrap(f"{name}: {detail.help}{choices}", 46, subsequent_indent="  ", break_on_hyphens=False)


def _parse_assignment(details: Mapping[str, Detail], assignment: str) -> tuple[str, Any]:
    name, equals, text = assignment.partition("=")
    check_known(name, details, f"There is no setting {name!r}.")
    if not equals:
        raise LannerError(f"--set {assignment} has no value.", next_step=f"Write --set {name}=… ({details[name].help})")
    try:
        return name, click.types.convert_type(details[name].type).convert(text, None, None)
    except click.BadParameter as error:
        raise LannerError(f"--set {assignment}: {error.message}") from error


# `lanner.toml`: what a folder's commands take where an option is not given.
#
# Its keys are the names of options, without the dashes in front: `store`, `protocol`, `languages`, `base-url`. A table
# with the name of a command holds for that command alone. The file is searched for in the folder and in those above
# it.


SETTINGS_FILE = "lanner.toml"


def find_settings(folder: Path) -> Path | None:
    """The settings of a folder: its own or those of the nearest folder above."""
    return next(
        (place / SETTINGS_FILE for place in (folder, *folder.parents) if (place / SETTINGS_FILE).is_file()), None
    )


def read_settings(path: Path) -> dict[str, Any]:
    """The settings in a file."""
    settings = registry.toml_table(registry.read_text(path, "settings"), path)
    for table in (key for key, value in settings.items() if isinstance(value, dict)):
        what = f"There is no command {table!r}, so the table [{table}] holds for none."
        check_known(table, command_names(), what, InputError, where=Where(path))
    return settings


def settings_for(settings: Mapping[str, Any], name: str, command: click.Command, path: Path) -> dict[str, Any]:
    """The defaults of one command, or of each command of a group: the settings that are options of it. A path to a
    store is meant from the file."""
    common = {key: value for key, value in settings.items() if not isinstance(value, dict)}
    own = settings.get(name.rpartition(" ")[2], {})
    own = own if isinstance(own, dict) else {}
    options = _options_of(command)
    for key, value in own.items():
        if key.replace("-", "_") not in options and not (isinstance(command, click.Group) and isinstance(value, dict)):
            hint = did_you_mean(key, sorted(options))
            raise LannerError(f"`lanner {name}` has no option {key!r}.", where=Where(path), next_step=hint)
    values = {**common, **own}
    if isinstance(command, click.Group):
        return {part: settings_for(values, f"{name} {part}", each, path) for part, each in command.commands.items()}
    defaults: dict[str, Any] = {}
    for key, value in values.items():
        parameter = options.get(key.replace("-", "_"))
        if parameter is None or (key == "store" and os.environ.get("LANNER_STORE")):
            continue
        is_path = key == "store" and "://" not in str(value)
        default = str(path.parent / str(value)) if is_path else value
        defaults[str(parameter.name)] = _as_typed(default, key, parameter, path)
    return defaults


def _as_typed(value: Any, key: str, parameter: click.Parameter, path: Path) -> Any:
    """A setting as the command line gives it to the option: words, and a list of them where it can be repeated."""
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(each, str | int | float) for each in values) or (value is values and not parameter.multiple):
        what = f"{key} = {value!r} is no value of this option."
        raise InputError(what, where=Where(path), next_step="Write a text, a number, or true or false.")
    words = [str(each).lower() if isinstance(each, bool) else str(each) for each in values]
    return words if parameter.multiple else words[0]


def _options_of(command: click.Command) -> dict[str, click.Parameter]:
    """The options of a command, and of all commands of a group, by their names as settings have them."""
    commands = command.commands.values() if isinstance(command, click.Group) else [command]
    return {
        option.lstrip("-").replace("-", "_"): parameter
        for each in commands
        for parameter in each.params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
    }


# `lanner` itself: which commands there are, and how it ends.


HEADINGS: dict[str, dict[str, tuple[str, ...]]] = {
    "Start": {"start": ("demo", "doctor", "protocols", "protocol")},
    "Prepare texts": {"start": ("import", "formats", "prepare")},
    "Run a campaign": {
        "campaign": ("design", "plan", "new", "links", "serve", "promote", "guidelines", "export", "campaign"),
        "judges": ("judge", "prompt", "replay", "ledger", "metric"),
    },
    "Analyse": {
        "analysis": (
            "report",
            "scores",
            "facets",
            "diagnose",
            "agreement",
            "prefer",
            "effort",
            "associate",
            "regress",
        )
    },
    "Compare": {"analysis": ("compare", "audit", "replace", "metaeval", "reproduce")},
    "Operate": {"operation": ("accounts", "backup", "restore", "verify")},
    "Integrate": {"operation": ("tokens", "webhooks")},
}
"""What one wants to do, the module that declares the commands for it, and their names."""
OTHERS = "More"

_MODULES = {name: module for modules in HEADINGS.values() for module, names in modules.items() for name in names}


@cache
def command_names() -> list[str]:
    """Every command: ours, and what other packages add."""
    return sorted({*_MODULES, *(name.replace("_", "-") for name in registry.added_names("cli"))})


def load(name: str) -> click.Command:
    """A command by its name. Another package's is the `command` of the module that its entry point names."""
    module = _MODULES.get(name)
    if module is None:
        added: click.Command = registry.module("cli", name, registry.added_names("cli")).command
        return added
    attribute = "import_" if name == "import" else name
    command: click.Command = getattr(import_module(f"lanner.cli.commands.{module}"), attribute)
    return command


def grouped(every: list[str]) -> dict[str, list[str]]:
    """The commands under their headings; what other packages bring comes last."""
    groups = {
        heading: [name for row in modules.values() for name in row if name in every]
        for heading, modules in HEADINGS.items()
    }
    groups[OTHERS] = [name for name in every if name not in _MODULES]
    return {heading: row for heading, row in groups.items() if row}


class Commands(Group):
    """Imports only the command that is run, so that `lanner` answers at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return command_names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in command_names():
            return None
        command = load(cmd_name)
        path = find_settings(Path.cwd())
        if path is not None:
            settings = settings_for(read_settings(path), cmd_name, command, path)
            ctx.default_map = {**(ctx.default_map or {}), cmd_name: settings}
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        every = command_names()
        width = max(map(len, every))
        for heading, row in grouped(every).items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), load(name).short_help or "") for name in row])


@click.group(cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="lanner", message="%(prog)s %(version)s")
@click.pass_context
def lanner(context: click.Context) -> None:
    """Document-level evaluation of machine translation by people, models and metrics.

    Without a command, suggests what to do next.
    """
    if context.invoked_subcommand is None:
        context.invoke(implementation("doctor").next_steps)


def _end_with(error: LannerError, code: ExitCode | None = None) -> NoReturn:
    implementation("output").print_error(error, as_json="--json" in sys.argv)
    sys.exit(code or error.exit_code)


def _unusable(error: OSError) -> str:
    place = " and ".join(repr(str(name)[:200]) for name in (error.filename, error.filename2) if name is not None)
    reason = error.strerror or str(error) or type(error).__name__
    return f"{place} cannot be used: {reason}." if place else f"The system refused: {reason}."


def _gave_several_files(error: click.ClickException) -> bool:
    context = error.ctx if isinstance(error, click.UsageError) else None
    sources = [each for each in context.command.params if each.name == "source"] if context else []
    return any(each.nargs == 1 for each in sources) and "unexpected extra argument" in error.message


def main() -> None:
    """Run `lanner`; what goes wrong ends with a sentence and an `ExitCode`, never with a traceback."""
    output = sys.stdout
    for stream in (output, sys.stderr):  # names of files may hold bytes that are no text
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        lanner.main(standalone_mode=False)
    except LannerError as error:
        _end_with(error)
    except click.ClickException as error:
        if _gave_several_files(error):
            what = f"This command reads one file, folder or campaign. {error.format_message().rstrip('.')}."
            step = "Files that belong together are read from a folder: put them into one, and give its name."
            _end_with(LannerError(what, next_step=step))
        if "--json" in sys.argv:
            _end_with(LannerError(error.format_message(), next_step="See --help."))
        error.show()
        sys.exit(ExitCode.MISTAKE)
    except (click.Abort, KeyboardInterrupt):
        sys.stderr.write("\nStopped. What was finished by then is kept.\n")
        sys.exit(ExitCode.STOPPED)
    except SystemExit as end:
        # Where nobody reads any more, click replaces the output and ends with 1, and rich ends with 1: a bug, here.
        is_unread = sys.stdout is not output or isinstance(end.__context__, BrokenPipeError)
        sys.exit(ExitCode.UNREAD if is_unread else end.code)
    except OSError as error:  # of a path that was named: too long, a folder where a file belongs, not ours to read
        step = "Check the name, what is there, and who may read it."
        _end_with(LannerError(_unusable(error), next_step=step), exit_code_of(error))
    except UnicodeEncodeError as error:
        _end_with(LannerError(f"{error.object!a} is not text that can be written: {error.reason}."))
