"""What a command works on: a file or folder on disk, or a campaign in the store, by the same argument.

What can be said of it before statistics and readers are loaded is said first: loading them takes seconds, and who has
mistyped the name of a file or campaign should not wait for them. Likewise of where a server can listen, and how it is
reached from outside. So this module is light, and imports what reads files and stores when that is used.
"""

from __future__ import annotations

import json
import socket
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, LiteralString
from urllib.parse import urlsplit

import click

from lanner.errors import (
    CampaignError,
    InputError,
    LannerError,
    StatisticError,
    check_known,
    did_you_mean,
    missing_store,
)

if TYPE_CHECKING:
    from lanner.analysis.material import Material
    from lanner.formats import PathOrPaths, Reading
    from lanner.model import Document
    from lanner.store import Store

# How files are to be read, and what was noticed on reading them, in the context of the command that runs.

READING = "lanner.reading"
"""Where a command's options for reading files lie in click's context."""
_PENDING = "lanner.notes"


def reading_options() -> dict[str, str]:
    """How files are to be read: the running command's --columns, --languages, --encoding and --missing."""
    context = click.get_current_context(silent=True)
    return dict(context.meta.get(READING, {})) if context is not None else {}


def chosen_pair() -> str | None:
    """The language pair of --languages, for a command that picks texts by it: nothing is relabelled then."""
    context = click.get_current_context(silent=True)
    pair: str | None = context.meta.get(READING, {}).pop("languages", None) if context is not None else None
    return pair


def pending_notes() -> list[str]:
    """What was noticed on reading the files that the running command was given."""
    context = click.get_current_context(silent=True)
    notes: list[str] = context.meta.setdefault(_PENDING, []) if context is not None else []
    return notes


def names(text: str | None) -> list[str]:
    """A list given with commas between."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


# What can be said before anything is loaded.

DEFAULT_STORE = "lanner.sqlite"
_CAMPAIGNS: LiteralString = "SELECT name, protocol FROM campaign ORDER BY id"
_JUDGES: LiteralString = (
    "SELECT campaign.name, judge.key FROM judge JOIN campaign ON campaign.id = judge.campaign ORDER BY judge.position"
)
_ACCOUNTS: LiteralString = "SELECT name FROM account ORDER BY id"
_NUMBERS: dict[str, LiteralString] = {
    "token": "SELECT id FROM token WHERE revoked_at IS NULL",
    "webhook": "SELECT id FROM webhook WHERE removed_at IS NULL",
}


def refuse_missing(source: str, store_place: str) -> None:
    """The error where there is no file and no campaign of this name; nothing where that cannot be told cheaply."""
    if Path(source).exists():
        return
    if not has_store(store_place):
        raise InputError(
            f"There is no file {source!r}, and no campaigns here ({store_place} does not exist).",
            next_step="Give the path of a file, or name the database with --store.",
        )
    names = campaign_names(store_place)
    if names is not None and source not in names:
        raise InputError(f"There is no file and no campaign called {source!r}.", next_step=did_you_mean(source, names))


def refuse_missing_store(store_place: str) -> None:
    """The error where there is no database."""
    if not has_store(store_place):
        raise missing_store(store_place)


def refuse_unknown_campaign(name: str, store_place: str) -> None:
    """The error where there is no campaign of this name; nothing where that cannot be told cheaply."""
    refuse_missing_store(store_place)
    names = campaign_names(store_place)
    if names is not None and name not in names and not name.isdecimal():
        hint = did_you_mean(name, names) or "There are no campaigns yet. Make one with: lanner new"
        raise CampaignError(f"There is no campaign {name!r}.", code="unknown_campaign", next_step=hint)


def refuse_unknown_judge(campaign: str, store_place: str, judge: str) -> None:
    """The error where a campaign has no such judge; nothing where that cannot be told cheaply."""
    rows = _rows(store_place, _JUDGES)
    judges = [key for name, key in rows or () if name == campaign]
    if judges and judge not in judges:
        hint = did_you_mean(judge, judges)
        raise CampaignError(f"{campaign} has no judge {judge!r}.", code="unknown_judge", next_step=hint)


def refuse_unknown_judges(names: Sequence[str], judge_ids: Sequence[str], place: str | Path) -> None:
    """The error where one of these judges is not there."""
    for name in names:
        if name not in judge_ids:
            hint = did_you_mean(name, dict.fromkeys(judge_ids))
            raise InputError(f"There is no judge {name!r} in {place}.", next_step=hint)


def refuse_unknown_account(name: str, store_place: str) -> None:
    """The error where nobody signs in by this name; nothing where that cannot be told cheaply."""
    refuse_missing_store(store_place)
    rows = _rows(store_place, _ACCOUNTS)
    if rows is not None and (name,) not in rows:
        raise unknown_account(name, [account for (account,) in rows])


def unknown_account(name: str, accounts: Sequence[str]) -> LannerError:
    """The error for an account that nobody has."""
    hint = did_you_mean(name, accounts) or "`lanner accounts list` shows them."
    return LannerError(f"There is no account {name!r}.", next_step=hint)


def refuse_unknown_number(number: int, store_place: str, kind: Literal["token", "webhook"]) -> None:
    """The error where no token or webhook of this number works; nothing where that cannot be told cheaply."""
    refuse_missing_store(store_place)
    rows = _rows(store_place, _NUMBERS[kind])
    if rows is not None and (number,) not in rows:
        raise unknown_number(number, kind)


def unknown_number(number: int, kind: Literal["token", "webhook"]) -> LannerError:
    """The error for a token or webhook that is not there or works no more."""
    words = f"There is no token {number} that works." if kind == "token" else f"There is no webhook {number}."
    return LannerError(words, next_step=f"`lanner {kind}s list` shows them.")


def has_store(place: str) -> bool:
    """Whether there is a database at this place."""
    return "://" in place or Path(place).exists()


def refuse_unknown_question(campaign: str, store_place: str, question: str) -> None:
    """The error where a campaign's protocol has nothing of this name; nothing of files, which have to be read first."""
    if Path(campaign).exists():
        return
    protocol = (_campaigns(store_place) or {}).get(campaign, "")
    if protocol and json.dumps(question, ensure_ascii=False).strip('"') not in protocol:
        raise unasked(question, question_ids(json.loads(protocol)))


def question_ids(protocol: Mapping[str, Any]) -> list[str]:
    """The questions of a protocol that was read as TOML or JSON and not checked."""
    stages = protocol.get("stage", [])
    return [question["id"] for stage in stages for question in stage.get("question", []) if "id" in question]


def unasked(question: str, ids: Iterable[str]) -> InputError:
    """The error where nothing is called so: no question, row or score."""
    return InputError(f"No part of this asks {question!r}.", next_step=did_you_mean(question, dict.fromkeys(ids)))


def campaign_names(place: str) -> list[str] | None:
    """The campaigns of a store; None where it cannot be said cheaply."""
    campaigns = _campaigns(place)
    return None if campaigns is None else list(campaigns)


def _campaigns(place: str) -> dict[str, str] | None:
    """The campaigns of a store with their protocols as JSON."""
    rows = _rows(place, _CAMPAIGNS)
    return None if rows is None else dict(rows)


def _rows(place: str, query: LiteralString) -> list[tuple[Any, ...]] | None:
    """What a query finds, without the store's own modules. None for whatever is damaged, locked, out of reach or no
    store at all: the store itself says so better."""
    if "://" in place:
        return _from_postgresql(place, query)
    if not Path(place).is_file():
        return None
    try:
        with closing(sqlite3.connect(f"{Path(place).resolve().as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute(query).fetchall()
    except sqlite3.Error:
        return None


def _from_postgresql(url: str, query: LiteralString) -> list[tuple[Any, ...]] | None:
    try:
        import psycopg
    except ImportError:
        return None
    scheme, _, rest = url.partition("://")
    try:
        with psycopg.connect(f"{scheme.partition('+')[0]}://{rest}", connect_timeout=2) as connection:
            return connection.execute(query).fetchall()
    except psycopg.Error:
        return None


def refuse_shared_name(files: Sequence[Path], judge_name: str) -> None:
    """Files of several models cannot be the answers of one judge."""
    if judge_name and len(files) > 1:
        raise LannerError("One name for several files.", next_step="Leave out --as: judges are named like their files.")


# The source itself.


@contextmanager
def new_store(place: str) -> Iterator[Store]:
    """An open store. One that did not exist before is deleted again where the command fails."""
    from lanner.store import Store

    path, existed = Path(place), has_store(place)
    try:
        with Store.open(place) as store:
            yield store
    except LannerError:
        if not existed:
            for suffix in ("", "-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
        raise


def documents_of(path: PathOrPaths, format_name: str | None) -> Iterator[Document]:
    """The documents of a file, read as the command's options say."""
    from lanner.formats import read_documents

    return read_documents(path, format_name, **reading_options())


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
        refuse_unknown_judges(judge_names, judge_ids, self.place)
        if not judge_names:
            return parts
        own = [[judge.id for judge in part.judges if judge.id in judge_names] for part in parts]
        return [part.only(mine) for part, mine in zip(parts, own, strict=True) if mine]

    def part_that_asks(self, question: str) -> Material:
        """The part that asks this question or computes this score, with the chosen judges only."""
        from lanner.analysis import material

        return chosen_judges(material.with_question(self.read(), question), self.judges)

    def part_with(self, measures: Sequence[str]) -> Material:
        """The part that has the first of these measures, with the chosen judges only. A column of a table that is no
        answer, such as a metric's score, is read as a measure where it is named."""
        from lanner.analysis import material
        from lanner.formats.parsing.columns import parse

        earlier_notes = list(pending_notes())
        parts = self.read()
        columns = parse(reading_options().get("columns", ""))
        for name in [name for name in measures if not any(_has(part, name) for part in parts)]:
            with suppress(InputError):  # no such column, or no table: the command says that there is no such measure
                more = {**columns, f"measure:{name}": name}
                options = {**reading_options(), "columns": json.dumps(more)}
                parts = material.from_file(self.place, self.format, self.protocol, **options)
                columns = more
                pending_notes()[:] = [*earlier_notes, *notes_of(*parts)]
        return chosen_judges(material.with_question(parts, measures[0]), self.judges)


def _has(part: Material, measure: str) -> bool:
    """Whether a part has a measure of this name, or needs no protocol to say so."""
    from lanner.stats.frame import wide

    if part.asks(measure):
        return True
    try:
        wide(part.table).expand([measure])
    except StatisticError:
        return False
    return True


def notes_of(*parts: Material | Reading) -> list[str]:
    """What was noticed on reading these parts, each named."""
    return [f"{part.name}: {note}" for part in parts for note in part.notes]


WITHOUT_DOMAIN = "(no domain)"
"""What documents without a domain are called beside others; without a name they would look like all together."""


def shares(part: Material, by: str | None) -> list[tuple[str, Material]]:
    """The whole, or with `by` the documents of each domain, with the domain's name."""
    if not by:
        return [("", part)]
    check_domains(part)
    domains = sorted({document.domain for document in part.documents})
    return [(domain or WITHOUT_DOMAIN, part.in_domain(domain)) for domain in domains]


def check_domains(part: Material) -> None:
    """An error that helps where a part is to be split by domains and has none."""
    if not any(document.domain for document in part.documents):
        raise InputError(
            f"{part.name} says nothing about domains.",
            next_step="Leave out --by domain, or give documents that have a domain (a column of that name).",
        )


def materials(source: str, store_place: str, format_name: str | None, protocol: str | None = None) -> list[Material]:
    """The judgements of a file, a folder or a campaign. A path that exists wins over a campaign of that name."""
    from lanner.analysis import material
    from lanner.store import Store

    if Path(source).exists():
        parts = material.from_file(source, format_name, protocol, **reading_options())
        pending_notes().extend(notes_of(*parts))
        return parts
    refuse_missing(source, store_place)
    with Store.open(store_place, create=False) as store:
        with store.reading() as tx:
            campaigns = [campaign.name for campaign in tx.campaigns.all()]
        check_known(source, campaigns, f"There is no file and no campaign called {source!r}.", InputError)
        part = material.from_campaign(store, source)
        pair = reading_options().get("languages")
        return [part.in_pair(pair) if pair else part]


def chosen_judges(part: Material, judges: str | None) -> Material:
    """Only these judges, given with commas between; all if none are given."""
    judge_names = names(judges)
    return part.only(judge_names) if judge_names else part


# Where a server listens.


def check_public_url(url: str) -> str:
    """The address that judges' links begin with, without a slash at its end."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise LannerError(
            f"{url[:200]!r} is not the address of a server.",
            next_step="Write it as --public-url https://judge.example.org",
        )
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{name}{f':{port}' if port else ''}{parts.path.rstrip('/')}"


def is_own(host: str) -> bool:
    """Whether a name or number is one of this machine's, so that a server can listen there."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as trial:
            trial.bind(address)
    except (OSError, UnicodeError, TypeError, ValueError):
        return False
    return bool(host)


def is_free(host: str, port: int) -> bool:
    """Whether nobody listens there yet and we may."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host, port))
        except OSError:
            return False
    return True


def free_port(host: str, first_port: int) -> int:
    """The wanted port, or the next free one after it."""
    ports = range(first_port, min(first_port + 50, 65536))
    return next((port for port in ports if is_free(host, port)), first_port)
