"""What a command works on: a file or folder on disk, or a campaign in the store, by the same argument. The modules that
read these are loaded when they are used."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lanner.cli import notes_of, pending_notes, reading_options
from lanner.cli.early_checks import campaign_names, has_store, names, refuse_missing, refuse_unknown_judges
from lanner.errors import CampaignError, InputError, StatisticError, check_known

if TYPE_CHECKING:
    from lanner.analysis.material import Material
    from lanner.formats import PathOrPaths
    from lanner.model import Document
    from lanner.store import Store


@contextmanager
def new_store(place: str) -> Iterator[Store]:
    """An open store. One that did not exist before is deleted where the command fails and leaves nothing in it."""
    from lanner.store import Store

    path, existed = Path(place), has_store(place)
    try:
        with Store.open(place) as store:
            yield store
    except BaseException:
        if not existed and campaign_names(place) == []:  # replies that came before it failed are paid
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
            raise CampaignError(
                f"{name} has no judgements yet.",
                code="nothing_judged",
                next_step="Judges answer while `lanner serve` runs; "
                f"`lanner campaign show {shlex.quote(name)}` says how far.",
            )
        return parts

    def parts(self, *, unjudged: bool = False) -> list[Material]:
        """All parts that the chosen judges judged, with these judges only; with `unjudged` also where nobody has."""
        parts = self.read(unjudged=unjudged)
        judge_names = names(self.judges)
        judge_ids = list(dict.fromkeys(judge.id for part in parts for judge in part.judges))
        refuse_unknown_judges(judge_names, judge_ids, self.place)
        if judge_names:
            own = [[judge.id for judge in part.judges if judge.id in judge_names] for part in parts]
            parts = [part.only(mine) for part, mine in zip(parts, own, strict=True) if mine]
        if sum(len(part.judgements) for part in parts):
            refuse_left_out(*parts)
        return parts

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
    else:
        refuse_missing(source, store_place)
        with Store.open(store_place, create=False) as store:
            with store.reading() as tx:
                campaigns = [campaign.name for campaign in tx.campaigns.all()]
            check_known(source, campaigns, f"There is no file and no campaign called {source!r}.", InputError)
            part = material.from_campaign(store, source)
        pair = reading_options().get("languages")
        parts = [part.in_pair(pair) if pair else part]
    pending_notes().extend(notes_of(*parts))
    return parts


def chosen_judges(part: Material, judges: str | None) -> Material:
    """Only these judges, given with commas between; all if none are given."""
    judge_names = names(judges)
    own = part.only(judge_names) if judge_names else part
    refuse_left_out(own)
    return own


def refuse_left_out(*parts: Material) -> None:
    """An error where no answer counts: nobody has answered, or those who have are left out."""
    if all(entry.judge in part.left_out for part in parts for entry in part.judgements):
        why = "; ".join(sentence for part in parts for sentence in part.who_is_left_out())
        raise InputError(
            f"{parts[0].name} has no answers that count{why and f': {why}'}.",
            next_step="Name judges whose answers count.",
        )
