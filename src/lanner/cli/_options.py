"""The options that commands share. What is imported here is light, so that a mistake in an option or the name of a
file is answered at once; a command's own module imports as little, and what it does is in the module of the same name
with an underscore, which is imported when it runs."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import click
from click.shell_completion import CompletionItem

from lanner import registry
from lanner.cli._early_checks import DEFAULT_STORE, campaign_names, refuse_missing, refuse_unknown_question
from lanner.cli._output import EXPLAIN, json_option, pending_notes

Command = Callable[..., None]


def implementation(name: str) -> ModuleType:
    """The module that does what a command was asked to do: statistics and readers, which take seconds to load."""
    return registry.module("cli", name, names=(name,))


store_option = click.option(
    "--store",
    "store_place",
    metavar="PATH_OR_URL",
    default=lambda: os.environ.get("LANNER_STORE", DEFAULT_STORE),
    show_default=f"$LANNER_STORE or {DEFAULT_STORE}",
    help="The database: a SQLite file or a postgresql:// URL.",
)

contexts_option = click.option(
    "--contexts",
    default="",
    help="Context as a factor, counterbalanced over judges: none; source±2; own±2; reference±2; whole, …",
)

SEED = click.IntRange(0, 2**63 - 1)
RESAMPLES = click.IntRange(0, 1_000_000)
PORT = click.IntRange(1, 65535)


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
            parsed = parser._long_opt[name]
            parser._long_opt[name] = _Noted(parsed, f"{name} is called {self.current} now.")


class _Noted:
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


def complete_source(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Campaigns of the store for the shell, then files."""
    place = os.environ.get("LANNER_STORE", DEFAULT_STORE)
    return [
        *(CompletionItem(name) for name in campaign_names(place) or () if name.startswith(incomplete)),
        CompletionItem(incomplete, type="file"),
    ]


_READING = "lanner.reading"
"""Where a command's options for reading files lie in click's context."""


def _remember(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value:
        context.meta.setdefault(_READING, {})[str(parameter.name)] = value


def _known_format(_context: click.Context, _parameter: click.Parameter, name: str | None) -> str | None:
    """A format by name; `ratings` was the name of tables with ratings."""
    name = "table" if name == "ratings" else name
    if name and name.replace("-", "_") not in registry.names("formats"):
        raise registry.unknown("formats", name, registry.names("formats"))
    return name


def _known_protocol(_context: click.Context, _parameter: click.Parameter, name: str | None) -> str | None:
    """A protocol's name or file, if there is one."""
    installed = registry.names("protocols", ".toml")
    if name and name not in installed and not Path(name).suffix and not Path(name).exists():
        raise registry.unknown("protocols", name, installed)
    return name


def from_option(command: Command) -> Command:
    """How a file is to be read, where its content does not tell: the same four options on every command."""
    for option, metavar, words in (
        ("--encoding", "NAME", "Text encoding, if the detected one is wrong: cp949, windows-1252, …"),
        ("--languages", "PAIR", "Language pair, such as en-ko."),
        ("--columns", "ROLE=NAME,…", "Column roles: source=src,document=talk,system:GPT-4=mt,judge=who."),
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
        callback=_known_format,
        help="File format, if it is not detected (see `lanner formats`).",
    )(command)
    return with_format


def reading_options() -> dict[str, str]:
    """How files are to be read: what the running command was told by --columns, --languages and --encoding."""
    context = click.get_current_context(silent=True)
    return dict(context.meta.get(_READING, {})) if context is not None else {}


def chosen_pair() -> str | None:
    """The language pair of --languages, for a command that picks texts by it: nothing is relabelled then."""
    context = click.get_current_context(silent=True)
    pair: str | None = context.meta.get(_READING, {}).pop("languages", None) if context is not None else None
    return pair


protocol_option = click.option(
    "--protocol",
    metavar="NAME_OR_FILE",
    shell_complete=complete_protocol,
    callback=_known_protocol,
    help="Protocol of a file's judgements.",
)
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
            if source and rest.get("question"):
                refuse_unknown_question(source, store_place, rest["question"])
            chosen = implementation("_source").Source(source or "", store_place, format_name, protocol, judges)
            command(chosen, **rest)

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


def names(text: str | None) -> list[str]:
    """A list given with commas between."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]
