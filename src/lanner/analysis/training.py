"""Judges who agree: which sentences to talk about, and whether agreement was higher afterwards.

Sentences for a calibration are those on which the judges are furthest apart. Agreement on these same sentences would
rise by itself when they are judged again, since chance put some of them among the furthest apart (regression to the
mean); so what training achieved is measured on other sentences: those answered before a moment against those answered
after it. The two have no sentence in common, so the interval of their difference is recovered from the two intervals
(Zou and Donner 2008, MOVER).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import polars as pl

from lanner.analysis.agreement import UNIT, distances, question_agreement
from lanner.analysis.measures import FEWEST_ITEMS, plan
from lanner.analysis.rows import PEOPLE, CountedRows
from lanner.model import Choice, Item, Json, Judge, Protocol, Result, Role, Task
from lanner.stats.coefficients import alpha
from lanner.stats.resample import Resampling


@dataclass(frozen=True, slots=True)
class DisputedUnit:
    """A unit that judges see differently: their mean distance over all questions, from 0 to 1."""

    document: str
    segment: str
    system: str
    distance: float
    questions: tuple[str, ...]


def most_disputed(
    rows: CountedRows, protocol: Protocol, number: int, *, per_document: int | None = None
) -> list[DisputedUnit]:
    """The units that judges are furthest apart on, at most so many of one document; none on which all agree."""
    apart = distances(rows.table, protocol).filter(pl.col("distance") > 0)
    units = apart.group_by(UNIT).agg(
        pl.col("distance").mean(), pl.col("question").sort_by("distance", descending=True).alias("questions")
    )
    selection: list[DisputedUnit] = []
    counts: dict[str, int] = {}
    for row in units.sort(["distance", *UNIT], descending=[True, False, False, False]).iter_rows(named=True):
        if len(selection) == number:
            break
        if per_document is not None and counts.get(row["document"], 0) >= per_document:
            continue
        counts[row["document"]] = counts.get(row["document"], 0) + 1
        unit = {key: row[key] for key in UNIT}
        selection.append(DisputedUnit(**unit, distance=row["distance"], questions=tuple(row["questions"])))
    return selection


def calibration_tasks(protocol: Protocol, judges: Iterable[Judge], units: Sequence[DisputedUnit]) -> list[Task]:
    """The units once more for every person, a task for each page that their disputed questions stand on."""
    by_page: dict[str, list[Item]] = {}
    for unit in units:
        place = protocol.find(unit.questions[0])
        assert place is not None
        systems = tuple(unit.system.split("|")) if unit.system else ()
        item = Item(unit.document, unit.segment, systems, Role.CALIBRATION)
        by_page.setdefault(place[0].page_id, []).append(item)
    people = [judge.id for judge in judges if judge.kind in PEOPLE]
    return [Task(0, judge, page, tuple(items)) for judge in people for page, items in by_page.items()]


@dataclass(frozen=True, slots=True)
class Change:
    """Agreement on a question, or on one label or skill of it (`part`), before and after; the difference has an
    interval where both have one."""

    question: str
    part: str
    before: Result
    after: Result
    difference: float | None
    low: float | None
    high: float | None

    @property
    def enough(self) -> bool:
        """Whether both sides rest on enough shared items to say anything."""
        return min(result.counts.get("items", 0) for result in (self.before, self.after)) >= FEWEST_ITEMS

    def to_row(self) -> dict[str, Json]:
        return {
            "question": self.question,
            "part": self.part,
            "before": self.before.value,
            "before_low": self.before.low,
            "before_high": self.before.high,
            "before_items": self.before.counts.get("items", 0),
            "after": self.after.value,
            "after_low": self.after.low,
            "after_high": self.after.high,
            "after_items": self.after.counts.get("items", 0),
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "enough": self.enough,
        }


def split_at(rows: CountedRows, at: datetime) -> tuple[CountedRows, CountedRows, int]:
    """The rows of units that were answered wholly before a moment, those answered wholly from it on, and how many units
    lie on both sides and belong to neither."""
    table = rows.table.filter(pl.col("answered_at").is_not_null())
    units = table.group_by(UNIT).agg(
        pl.col("answered_at").min().alias("first"), pl.col("answered_at").max().alias("last")
    )
    early = units.filter(pl.col("last") < at).select(UNIT)
    late = units.filter(pl.col("first") >= at).select(UNIT)
    before, after = (replace(rows, table=table.join(part, on=UNIT, how="semi")) for part in (early, late))
    return before, after, units.height - early.height - late.height


def before_and_after(
    before: CountedRows, after: CountedRows, protocol: Protocol, *, resampling: Resampling | None = None
) -> list[Change]:
    """How agreement changed, for every question and each of its labels or skills."""
    return list(_changes(before, after, protocol, resampling or Resampling()))


def documents_of(changes: Sequence[Change]) -> tuple[int, int]:
    """On how many documents the numbers before and after rest."""
    before, after = (
        max((int(result.counts.get("documents", 0)) for result in results), default=0)
        for results in ([change.before for change in changes], [change.after for change in changes])
    )
    return before, after


def describe_method(changes: Sequence[Change]) -> str:
    """How the numbers were made, in a line."""
    names = ", ".join(dict.fromkeys(f"{c.before.name} ({c.question})" for c in changes if not c.part))
    before, after = documents_of(changes)
    return (
        f"{names} · labels and skills by alpha each · main items by people · {before} documents "
        f"before, {after} after · jackknife-t over documents · difference by MOVER"
    )


def _changes(before: CountedRows, after: CountedRows, protocol: Protocol, how: Resampling) -> Iterator[Change]:
    for entry in plan(protocol):
        first, second = (question_agreement(rows, entry, resampling=how) for rows in (before, after))
        if first.headline.value is None and second.headline.value is None:
            continue
        yield _change(entry.id, "", first.headline, second.headline)
        later = {part.measure.row: part.result for part in second.parts}
        for part in first.parts:
            if part.measure.row in later:
                yield _change(entry.id, part.measure.row, part.result, later[part.measure.row])
        if isinstance(entry.question, Choice):
            for option in entry.question.options:
                yield _change(
                    entry.id, option.id, *(_on_label(rows, entry.id, option.id, how) for rows in (before, after))
                )


def _on_label(rows: CountedRows, question: str, label: str, how: Resampling) -> Result:
    """α on whether an answer is this label or another: how far judges tell it from the rest."""
    same = pl.when(pl.col("label") == label).then(pl.lit(label)).otherwise(pl.lit(f"not {label}"))
    own = rows.table.filter(pl.col("question") == question).with_columns(same.alias("label"))
    return rows.sign(alpha(own, question, level="nominal", kinds=rows.selection.kinds, resampling=how))


def _change(question: str, part: str, before: Result, after: Result) -> Change:
    if before.value is None or after.value is None:
        return Change(question, part, before, after, None, None, None)
    difference = after.value - before.value
    if None in (before.low, before.high, after.low, after.high):
        return Change(question, part, before, after, difference, None, None)
    assert before.low is not None and before.high is not None and after.low is not None and after.high is not None
    low = difference - math.hypot(after.value - after.low, before.high - before.value)
    high = difference + math.hypot(after.high - after.value, before.value - before.low)
    return Change(question, part, before, after, difference, low, high)
