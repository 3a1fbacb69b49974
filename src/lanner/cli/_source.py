"""What a command works on: a file or folder on disk, or a campaign in the store, by the same argument."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from lanner import formats, registry
from lanner.analysis import material
from lanner.analysis.material import Material
from lanner.cli._early_checks import DEFAULT_STORE, has_store, refuse_missing
from lanner.cli._output import EXPLAIN, json_option, pending_notes
from lanner.errors import InputError, LannerError, StatisticError, did_you_mean
from lanner.model import Document
from lanner.store import Store

Command = Callable[..., None]

store_option = click.option(
    "--store",
    "store_place",
    metavar="PATH_OR_URL",
    default=lambda: os.environ.get("LANNER_STORE", DEFAULT_STORE),
    show_default=f"$LANNER_STORE or {DEFAULT_STORE}",
    help="The database: a SQLite file or a postgresql:// URL.",
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


@contextmanager
def new_store(place: str) -> Iterator[Store]:
    """An open store. One that did not exist before is deleted again where the command fails."""
    path = Path(place)
    existed = "://" in place or path.exists()
    try:
        with Store.open(place) as store:
            yield store
    except LannerError:
        if not existed:
            for suffix in ("", "-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
        raise


def complete_protocol(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Protocols for the shell, by the beginning of their names."""
    return [name for name in registry.names("protocols", ".toml") if name.startswith(incomplete)]


def complete_format(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Formats for the shell."""
    return [name for name in registry.names("formats") if name.startswith(incomplete)]


def complete_source(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Campaigns of the store for the shell, then files."""
    place = os.environ.get("LANNER_STORE", DEFAULT_STORE)
    names: list[str] = []
    if has_store(place):
        try:
            with Store.open(place, create=False) as store, store.reading() as transaction:
                names = [campaign.name for campaign in transaction.campaigns.all()]
        except LannerError:
            names = []  # a shell that completes says nothing about a broken store
    return [
        *(CompletionItem(name) for name in names if name.startswith(incomplete)),
        CompletionItem(incomplete, type="file"),
    ]


_READING = "lanner.reading"
"""Where a command's options for reading files lie in click's context."""


def _remember(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value:
        context.meta.setdefault(_READING, {})[str(parameter.name)] = value


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


def documents_of(path: formats.PathOrPaths, format_name: str | None, **options: str) -> Iterator[Document]:
    """The documents of a file, read as the command's options say."""
    return formats.read_documents(path, _format_of(format_name), **{**reading_options(), **options})


def _format_of(name: str | None) -> str | None:
    """A format by name; `ratings` was the name of tables with ratings."""
    return "table" if name == "ratings" else name


protocol_option = click.option(
    "--protocol",
    metavar="NAME_OR_FILE",
    shell_complete=complete_protocol,
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


@dataclass(frozen=True, slots=True)
class Source:
    """What an analysis command was pointed at, with the options all of them share."""

    place: str
    store: str
    format: str | None = None
    protocol: str | None = None
    judges: str | None = None

    def read(self, *, unjudged: bool = False) -> list[Material]:
        """All parts, with all their judges. A campaign that nobody has answered yet is refused, unless `unjudged`:
        there is nothing to compute, and an empty table says less."""
        parts = materials(self.place, self.store, self.format, self.protocol)
        if parts and not unjudged and not any(part.judgements for part in parts):
            name = parts[0].name
            raise StatisticError(
                f"{name} has no judgements yet.",
                next_step=f"Judges answer while `lanner serve` runs; `lanner campaign show {name}` says how far.",
            )
        return parts

    def parts(self, *, unjudged: bool = False) -> list[Material]:
        """All parts that the chosen judges judged, with these judges only; with `unjudged` also where nobody has."""
        parts = self.read(unjudged=unjudged)
        judge_names = names(self.judges)
        judge_ids = list(dict.fromkeys(judge.id for part in parts for judge in part.judges))
        for name in judge_names:
            if name not in judge_ids:
                raise InputError(
                    f"There is no judge {name!r} in {self.place}.", next_step=did_you_mean(name, judge_ids)
                )
        if not judge_names:
            return parts
        own = [[judge.id for judge in part.judges if judge.id in judge_names] for part in parts]
        return [part.only(mine) for part, mine in zip(parts, own, strict=True) if mine]

    def part_that_asks(self, question: str) -> Material:
        """The part that asks this question or computes this score, with the chosen judges only."""
        return chosen_judges(material.with_question(self.read(), question), self.judges)


def _with_source(*, required: bool) -> Callable[[Command], Command]:
    """The argument and the options of every analysis command; the function gets them as one `Source`."""

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def told(
            source: str | None,
            store_place: str,
            format_name: str | None,
            protocol: str | None,
            judges: str | None,
            **rest: Any,
        ) -> None:
            command(Source(source or "", store_place, format_name, protocol, judges), **rest)

        decorated_command: Command = told
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


def shares(part: Material, by: str | None) -> list[tuple[str, Material]]:
    """The whole, or with `by` the documents of each domain, with the domain's name."""
    if not by:
        return [("", part)]
    check_domains(part)
    domains = sorted({document.domain for document in part.documents})
    return [(domain, part.in_domain(domain)) for domain in domains]


def check_domains(part: Material) -> None:
    """An error that helps where a part is to be split by domains and has none."""
    if not any(document.domain for document in part.documents):
        raise InputError(
            f"{part.name} says nothing about domains.",
            next_step="Leave out --by domain, or give documents that have a domain (a column of that name).",
        )


def materials(source: str, store_place: str, format_name: str | None, protocol: str | None = None) -> list[Material]:
    """The judgements of a file, a folder or a campaign. A path that exists wins over a campaign of that name."""
    if Path(source).exists():
        parts = material.from_file(source, _format_of(format_name), protocol, **reading_options())
        pending_notes().extend(f"{part.name}: {note}" for part in parts for note in part.notes)
        return parts
    refuse_missing(source, store_place)
    with Store.open(store_place, create=False) as store:
        with store.reading() as tx:
            names = [campaign.name for campaign in tx.campaigns.all()]
        if source not in names:
            raise InputError(
                f"There is no file and no campaign called {source!r}.", next_step=did_you_mean(source, names)
            )
        return [material.from_campaign(store, source)]


def chosen_judges(part: Material, judges: str | None) -> Material:
    """Only these judges, given with commas between; all if none are given."""
    return part.only(name.strip() for name in judges.split(",")) if judges else part
