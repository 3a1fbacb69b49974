"""From a statistic to a Result: the value, its interval, what it rests on, or why there is none.

A `StatisticPlan` is a statistic that has met its data: contributions of rows (distinct patterns of answers, or items)
that are summed over documents, and a function from the sums to the value. The same plan serves the document bootstrap,
the item bootstrap, the jackknife, and differences between two statistics. `Statistic` makes the public function of a
planner. `SparseTable` holds contributions one by one (row, column, value) and sums them on demand.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from lanner.errors import StatisticError
from lanner.model import Result
from lanner.stats.ratings import Patterns, Ratings, Value, ratings
from lanner.stats.resample import (
    OTHER_JUDGES,
    THESE_JUDGES,
    Array,
    Outcome,
    Replicates,
    Resampling,
    Scale,
    crossed_outcome,
    jackknife_variance,
    outcome,
    replicate,
    replicate_sums,
    sign,
    t_outcome,
)
from lanner.stats.resample import Statistic as OfWeights

Whole = npt.NDArray[np.integer]
Entry = tuple[Whole, Whole | int, Array | float]
"""Rows, columns and values of some contributions; a single column or value serves them all."""
_HELD = 20_000_000  # sums above this stay sparse


@dataclass(frozen=True)
class SparseTable:
    """A sparse table of rows × columns as lists of entries. Equal places add up."""

    entries: tuple[Entry, ...]
    rows: int
    columns: int

    def total(self) -> Array:
        """The sum over all rows."""
        return np.asarray(self.grouped(np.zeros(self.rows, np.int64), 1)[0])

    def touched(self) -> npt.NDArray[np.bool_]:
        """Which rows have an entry."""
        has_entry = np.zeros(self.rows, bool)
        for row, _, _ in self.entries:
            has_entry[row] = True
        return has_entry

    def grouped(self, group: Whole, n_groups: int) -> Array:
        """Sums over the rows of each group (documents): n_groups × columns."""
        sums = np.zeros(n_groups * self.columns)
        for row, column, value in self.entries:
            place = group[row].astype(np.int64) * self.columns + column
            if isinstance(value, float):
                sums += value * np.bincount(place, minlength=len(sums))
            else:
                sums += np.bincount(place, weights=value, minlength=len(sums))
        return sums.reshape(n_groups, self.columns)

    def by_group(self, group: Whole, n_groups: int) -> Array | sparse.csr_array:
        """The same, kept sparse where a full table would be too large."""
        if n_groups * self.columns <= _HELD:
            return self.grouped(group, n_groups)
        return SparseTable(tuple((group[r], c, v) for r, c, v in self.entries), n_groups, self.columns).tocsr()

    def tocsr(self) -> sparse.csr_array:
        """As a sparse array, for resampling single items."""
        values = [np.broadcast_to(np.asarray(v, dtype=float), r.shape) for r, _, v in self.entries]
        columns = [np.broadcast_to(np.asarray(c), r.shape) for r, c, _ in self.entries]
        places = (np.concatenate([r for r, _, _ in self.entries]), np.concatenate(columns))
        return sparse.coo_array((np.concatenate(values), places), shape=(self.rows, self.columns)).tocsr()


GROUPS = 1000
"""Where documents are many and a statistic has many sums, documents are resampled in so many groups."""
_WIDE = 1000  # sums that are many


@dataclass(frozen=True)
class RowCounts:
    """What contributions belong to: `count` rows of each kind, and how many of each in each document."""

    count: Array
    document: Whole
    """For rows that are items, the document of each."""
    patterns: Patterns | None = None

    @classmethod
    def of(cls, patterns: Patterns) -> RowCounts:
        return cls(patterns.count, np.zeros(0, np.int32), patterns)

    @classmethod
    def of_items(cls, answers: Ratings, items: Whole) -> RowCounts:
        """One row for each of these items."""
        return cls(np.ones(len(items)), answers.document[items])

    @functools.cached_property
    def by_document(self) -> sparse.csr_array:
        """documents × rows: how many of each row a document has."""
        if self.patterns is not None:
            return self.patterns.by_document
        shape = (int(self.document.max(initial=-1)) + 1, len(self.count))
        return sparse.coo_array((self.count, (self.document, np.arange(len(self.count)))), shape=shape).tocsr()


@dataclass(frozen=True)
class StatisticPlan:
    """A statistic on its data. `finish` takes sums over rows (resamples × k), or the rows' weights where `parts` is
    None, and gives one column per outcome; `outcomes` are the labels of the columns. `uses` marks the rows that count
    (items with two answers, say), `reasons` say why a value may be undefined, in the order of the columns."""

    name: str
    rated: Ratings
    rows: RowCounts
    finish: OfWeights
    parts: Array | sparse.csr_array | SparseTable | None = None
    uses: npt.NDArray[np.bool_] | None = None
    outcomes: tuple[Mapping[str, str], ...] = ({},)
    counts: tuple[Mapping[str, int], ...] = ()
    reasons: tuple[str, ...] = ()
    scale: Scale = "fisher"
    notes: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    no_interval: str = ""
    """Why no interval is made, where it would not be worth what it costs."""

    @functools.cached_property
    def contributing(self) -> npt.NDArray[np.bool_]:
        """Which rows say anything to this statistic."""
        if isinstance(self.parts, SparseTable):
            return self.parts.touched()
        if self.parts is None:
            return np.ones(len(self.rows.count), bool) if self.uses is None else self.uses
        return np.asarray(abs(self.parts).sum(axis=1)).ravel() > 0

    @functools.cached_property
    def documents(self) -> npt.NDArray[np.intp]:
        """Indices of the documents that hold something this statistic uses: the ones that are resampled."""
        if self.rows.patterns is None:
            return np.unique(self.rows.document[self.contributing]).astype(np.intp)
        return np.flatnonzero(self.rows.by_document @ self.contributing.astype(float))

    def by_document(self) -> tuple[OfWeights, Array | sparse.csr_array | None]:
        """The statistic as a function of document weights, and its sums by document where it has some."""
        if isinstance(self.parts, SparseTable):
            place = np.zeros(len(self.rated.documents), np.int64)
            place[self.documents] = np.arange(len(self.documents))
            sums = self.parts.by_group(place[self.rows.document], len(self.documents))
        else:
            table = self.rows.by_document[self.documents]
            if self.parts is None:
                return (lambda weights: self.finish(np.asarray((table.T @ weights.T).T))), None
            sums = table @ self.parts
            if not isinstance(sums, np.ndarray):
                sums = sums.toarray()
        return (lambda weights: self.finish(weights @ sums)), sums

    @property
    def grouped(self) -> bool:
        """Whether documents are resampled in groups: the spread is the same, the work a fraction."""
        parts = self.parts
        wide = parts is not None and not isinstance(parts, SparseTable) and parts.shape[1] > _WIDE
        return wide and len(self.documents) > 2 * GROUPS

    def replicate(self, resampling: Resampling) -> Replicates:
        """Value, resamples and jackknife over documents or items."""
        if resampling.unit == "item":
            return self._replicate_items(resampling)
        if self.grouped:
            n = len(self.documents)
            group = sparse.coo_array((np.ones(n), (np.arange(n) % GROUPS, np.arange(n))), shape=(GROUPS, n)).tocsr()
            group_parts = (group @ self.rows.by_document[self.documents]) @ self.parts
            return replicate_sums(
                group_parts if isinstance(group_parts, np.ndarray) else group_parts.toarray(), self.finish, resampling
            )
        statistic, sums = self.by_document()
        if sums is None:
            return replicate(statistic, len(self.documents), resampling)
        return replicate_sums(sums, self.finish, resampling)

    def _replicate_items(self, resampling: Resampling) -> Replicates:
        rows = np.flatnonzero(self.contributing)
        count = self.rows.count[rows].astype(np.intp)
        multiplicity: Array | None = count.astype(float)
        if 2 * len(rows) > count.sum():  # hardly any pattern repeats: drawing items themselves is faster
            rows, multiplicity = np.repeat(rows, count), None
        if self.parts is not None:
            parts = self.parts.tocsr() if isinstance(self.parts, SparseTable) else self.parts
            return replicate_sums(parts[rows], self.finish, resampling, multiplicity=multiplicity)
        shape = (len(rows), len(self.rows.count))
        places = sparse.coo_array((np.ones(len(rows)), (np.arange(len(rows)), rows)), shape=shape).tocsr()
        return replicate(
            lambda weights: self.finish(np.asarray(weights @ places)), len(rows), resampling, multiplicity=multiplicity
        )

    def value(self) -> Array:
        """The values alone, without resampling."""
        if isinstance(self.parts, SparseTable):
            sums = self.parts.total()
        else:
            sums = self.rows.count if self.parts is None else self.rows.count @ self.parts
        return np.asarray(self.finish(sums[None, :])[0])


def estimate(
    plan: StatisticPlan,
    resampling: Resampling,
    again: Callable[[Ratings], StatisticPlan] | None = None,
    replicates: Replicates | None = None,
) -> list[Result]:
    """One Result per outcome of the plan. `again` makes the plan anew for fewer judges, where judges are resampled;
    `replicates` saves the work where they are there already."""
    if plan.no_interval:
        resampling = replace(resampling, unit="document", method="none")
        replicates = Replicates(plan.value(), np.empty((0, 0)), np.empty((0, 0)), 0)
    by_judge = resampling.unit in ("judge", "two-way")
    if replicates is None:
        replicates = plan.replicate(replace(resampling, unit="document", method="t") if by_judge else resampling)
    left_out = _without_each_judge(plan, again) if by_judge and again is not None else None
    counted_plan = replace(plan, counts=plan.counts or (usage(plan),) * len(plan.outcomes))
    return [_result(counted_plan, column, replicates, resampling, left_out) for column in range(len(plan.outcomes))]


def _without_each_judge(plan: StatisticPlan, again: Callable[[Ratings], StatisticPlan]) -> Array:
    return np.array([again(plan.rated.without(judge)).value()[:1] for judge in plan.rated.judges])


def _result(
    plan: StatisticPlan, column: int, replicates: Replicates, resampling: Resampling, left_out: Array | None
) -> Result:
    value = float(replicates.value[column])
    counts, labels = plan.counts[column], plan.outcomes[column]
    notes = plan.rated.notes + plan.notes
    if plan.grouped and resampling.unit == "document" and resampling.method != "none":
        notes += (f"Many documents: they are resampled in {GROUPS} groups.",)
    if not np.isfinite(value):
        reason = plan.reasons[column] if column < len(plan.reasons) else ""
        notes = (f"Undefined: {reason or why_undefined(plan.rated)}", *notes)
        signature = sign(plan.name, resampling, None, rows=plan.rated.rows, **plan.settings)
        return Result(plan.name, None, None, None, counts, plan.rated.missing, labels, (), notes, signature)
    units = counts.get("documents", replicates.units) if resampling.unit == "document" else replicates.units
    if resampling.unit in ("judge", "two-way"):
        estimate = _judge_outcome(plan, value, replicates, resampling, left_out)
    else:
        estimate = outcome(replicates, resampling, column=column, scale=plan.scale, units=units)
    notes += estimate.notes + ((plan.no_interval,) if plan.no_interval else ())
    how = {"rows": plan.rated.rows, "holds_for": _holds_for(estimate), **plan.settings}
    signature = sign(plan.name, resampling, estimate.interval, **how)
    return Result(plan.name, value, estimate.interval, None, counts, plan.rated.missing, labels, (), notes, signature)


def _holds_for(estimate: Outcome) -> str:
    """Whom an interval speaks of: the judges who answered, or any like them."""
    unit = estimate.interval.unit if estimate.interval else ""
    return {"": "", "judge": OTHER_JUDGES, "two-way": OTHER_JUDGES}.get(unit, THESE_JUDGES)


def _judge_outcome(
    plan: StatisticPlan, value: float, replicates: Replicates, resampling: Resampling, left_out: Array | None
) -> Outcome:
    judges = len(plan.rated.judges)
    if left_out is None or judges < 3 or len(plan.outcomes) > 1:
        return Outcome(None, None, ("No interval over judges: leaving one out must leave at least two.",))
    variance = float(jackknife_variance(left_out)[0])
    if resampling.unit == "judge":
        return t_outcome(value, variance, judges - 1, resampling, scale=plan.scale)
    variances = (float(replicates.variance()[0]), variance, 0.0)
    return crossed_outcome(value, variances, (replicates.units, judges), resampling, scale=plan.scale)


def usage(plan: StatisticPlan) -> dict[str, int]:
    """What a number rests on: items that count, judges, documents, answers."""
    rows = plan.contributing if plan.uses is None else plan.uses
    return {
        "items": int(plan.rows.count @ rows),
        "judges": plan.rated.active_judges,
        "documents": len(plan.documents),
        "answers": len(plan.rated.item),
    }


def why_undefined(answers: Ratings) -> str:
    """The reason in words, for the cases every coefficient shares."""
    if not len(answers.item):
        return "there are no answers."
    if answers.active_judges < 2:
        return "only one judge answered; agreement needs two."
    if answers.per_item.max() < 2:
        return "no item was answered by two judges."
    codes = np.unique(answers.code)
    if len(codes) == 1:
        return f"every answer is {answers.labels[codes[0]]!r}; without variation chance cannot be told from agreement."
    return "there is no variation to correct for."


Planner = Callable[..., StatisticPlan]


class Statistic:
    """The public face of a planner: data and question in, Result out. `plan` stops before the interval is made."""

    def __init__(self, planner: Planner, reads: Sequence[Value]) -> None:
        functools.update_wrapper(self, planner)
        self.name: str = getattr(planner, "__name__", "statistic")
        self._planner = planner
        self.by_pair = "each" in inspect.signature(planner).parameters
        self.reads = tuple(reads)

    def __repr__(self) -> str:
        return f"<statistic {self.name}>"

    def ratings(self, data: Any, question: str = "", **select: Any) -> Ratings:
        """The answers as this statistic reads them."""
        return ratings(data, question, **{"value": self.reads, **select})

    def plan(self, data: Any, question: str = "", **options: Any) -> StatisticPlan:
        """The statistic on its data. Options that select answers go to `ratings`, the others to the statistic."""
        answers, rest = self.read(data, question, options)
        try:
            return self._planner(answers, **rest)
        except TypeError as error:
            if "unexpected keyword" in str(error):
                raise StatisticError(f"{self.name}: {error}.") from error
            raise

    def read(self, data: Any, question: str, options: Mapping[str, Any]) -> tuple[Ratings, dict[str, Any]]:
        """The answers that options select, and the options that are left for the statistic."""
        select = {name: value for name, value in options.items() if name in _SELECT}
        rest = {name: value for name, value in options.items() if name not in _SELECT}
        if rest.get("level") in _DISTANCES or rest.get("weights") in ("linear", "quadratic"):
            # distances are between numbers: of labels that are counted, how many there are
            select.setdefault("value", sorted(self.reads, key=lambda name: name == "labels"))
        return self.ratings(data, question, **select), rest

    def each(
        self, data: Any, question: str = "", *, resampling: Resampling | None = None, **options: Any
    ) -> list[Result]:
        """All outcomes of a statistic that has several."""
        plan = self.plan(data, question, **options)
        rest = {name: option for name, option in options.items() if name not in _SELECT}
        return estimate(plan, resampling or Resampling(), lambda answers: self._planner(answers, **rest))

    def __call__(
        self, data: Any, question: str = "", *, resampling: Resampling | None = None, **options: Any
    ) -> Result:
        return self.each(data, question, resampling=resampling, **options)[0]


_DISTANCES = ("ordinal", "interval", "ratio")
_SELECT = ("value", "stage", "row", "system", "judges", "kinds", "labels", "roles", "sides")


def statistic(*reads: Value) -> Callable[[Planner], Statistic]:
    """Make a statistic of a planner; `reads` are the columns it reads, in order of preference."""
    return lambda planner: Statistic(planner, reads or ("label", "labels", "score"))
