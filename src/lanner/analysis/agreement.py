"""How far judges agree: every number of agreement that is shown anywhere is computed here, by the plan and on the rows
that count.

Answers are brought into the form in which judges can be compared: marked passages by what was marked, rankings by which
of two was preferred, everything else as it is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import polars as pl

from lanner.analysis.measures import (
    FEWEST_ITEMS,
    AnswerPart,
    CountedRows,
    Measure,
    QuestionPlan,
    mean_alpha,
    plan,
    row_ratings,
)
from lanner.errors import StatisticError
from lanner.model import (
    EQUAL,
    MARKED,
    NOTHING,
    Choice,
    Grid,
    Item,
    Json,
    Labels,
    Number,
    Protocol,
    Question,
    Rank,
    Result,
    Role,
    Scale,
    Spans,
    Text,
)
from lanner.model.messages import leading
from lanner.protocols.prefilled import Help
from lanner.stats.coefficients import alpha, jaccard_distance, pairwise
from lanner.stats.estimate import StatisticPlan
from lanner.stats.preference import comparisons
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Array, Resampling
from lanner.stats.spans import mark_shares, spans

# Answers in the form in which judges can be compared


MOST_POINTS = 12
"""Points up to which a scale's answers are looked at one by one; beyond, as a distribution."""
ROLES = tuple(str(role) for role in Role)
"""Which rows count has been decided before statistics see them, so that none is left out for its role again."""
_NEEDED = (
    *("judge", "judge_kind", "stage", "question", "row", "document", "segment", "system", "role", "answered_at"),
    *("label", "labels", "score", "spans", "ranks"),
)
"""What agreement looks at: a million rows with everything else take three times as long."""


def question_ratings(rows: pl.DataFrame, question: Question) -> Ratings:
    """The answers to one question as its headline coefficient reads them. `rows` are those that count."""
    own = rows.filter(pl.col("question") == question.id)
    table = comparable(own.select(name for name in _NEEDED if name in own.columns), question)
    return alpha.ratings(table, question.id, labels=scale_of(question), judges=_judges(table), roles=ROLES)


def _judges(table: pl.DataFrame) -> list[str]:
    """Everyone who is in the rows: which of them count has been decided already."""
    return sorted(table["judge"].unique().to_list())


def is_fine(question: Question) -> bool:
    """Whether answers are numbers too finely graded for two judges to give the same one often."""
    if isinstance(question, Number):
        return True
    return isinstance(question, Scale) and (
        not question.step or (question.max - question.min) / question.step >= MOST_POINTS
    )


def scale_of(question: Question) -> list[str | float] | None:
    """All answers a question allows, in order, so that unused ones count too; None where they are not few."""
    if isinstance(question, Choice | Grid):
        return [option.id for option in question.options]
    if isinstance(question, Scale) and not is_fine(question):
        return [float(x) for x in np.arange(question.min, question.max + question.step / 2, question.step)]
    return None


def kinds(question: Question) -> tuple[str, ...]:
    """The labels a set can hold, in order; empty where answers are no sets."""
    if isinstance(question, Labels):
        return tuple(option.id for option in question.options)
    if isinstance(question, Spans):
        categories = [option.id for option in question.categories if not option.parent]
        return (*(categories or [option.id for option in question.severities] or [MARKED]), NOTHING)
    return ()


def comparable(table: pl.DataFrame, question: Question) -> pl.DataFrame:
    """The answers to this question in a form that agreement can be computed on."""
    if isinstance(question, Spans):
        own = table.filter((pl.col("question") == question.id) & pl.col("spans").is_not_null())
        sets = {text: _read(question)(text) for text in own["spans"].unique()}
        mark_kinds = pl.col("spans").replace_strict(sets, return_dtype=pl.List(pl.String))
        return own.with_columns(mark_kinds.alias("labels"), _none("label", pl.String()), _none("score", pl.Float64()))
    if isinstance(question, Rank):
        own = table.filter((pl.col("question") == question.id) & pl.col("ranks").is_not_null())
        if own.is_empty():
            return own
        pairs, _ = comparisons(own, question.id, roles=ROLES)
        winner = pl.when(pl.col("won") > 0).then("one").when(pl.col("won") < 0).then("two").otherwise(pl.lit(EQUAL))
        return pairs.with_columns(
            winner.alias("label"),
            pl.concat_str("one", "two", separator="|").alias("system"),
            _none("ranks", pl.List(pl.Int64())),
        ).select(own.columns)
    return table


def holding(ratings: Ratings, label: str) -> Ratings:
    """Of sets: whether each holds a label."""
    holds = np.array([label in members for members in ratings.sets], dtype=np.int32)
    return replace(
        ratings,
        code=holds[ratings.code] if len(ratings.code) else ratings.code,
        labels=("no", "yes"),
        points=np.arange(2, dtype=float),
        sets=(),
        ordered=False,
        explicit=False,
    )


def _none(name: str, dtype: pl.DataType) -> pl.Expr:
    return pl.lit(None, dtype).alias(name)


def _read(question: Spans) -> Callable[[str], list[str]]:
    """What was marked in a sentence: each kind once, the widest categories only."""
    parents = {option.id: option.parent for option in question.categories}
    kind_names = kinds(question)[:-1]
    default_kind = kind_names[0] if len(kind_names) == 1 else MARKED

    def widest(name: str) -> str:
        while parent := parents.get(name):
            name = parent
        return name

    def read(text: str) -> list[str]:
        mark_kinds = {
            widest(str(span["category"])) if span.get("category") else str(span.get("severity") or default_kind)
            for span in json.loads(text)
        }
        return sorted(mark_kinds) or [NOTHING]

    return read


# How far apart the answers to one item are, question by question.
#
# Distance is the mean over all pairs of judges: 0 or 1 for a choice or a preference, Jaccard for a set of labels, the
# share of the scale's length for a number, the mean over rows for a grid. Of marked passages it is one less the share
# of marked characters that both marked, the mean of two: where they lie, and where, of which category and how severe.

UNIT = ["document", "segment", "system"]
_ATTRIBUTES = ("category", "severity")


def distances(table: pl.DataFrame, protocol: Protocol, *, among: pl.DataFrame | None = None) -> pl.DataFrame:
    """Mean distance over pairs of judges, for each unit and question that two have answered. Which rows count has been
    decided before. A number without an end of its own goes as far as it does `among` all rows that units are compared
    by, where the table holds some of them only."""
    parts = [_distance(table, question, table if among is None else among) for _, question in protocol.questions]
    empty = {**dict.fromkeys(UNIT, pl.String()), "question": pl.String(), "distance": pl.Float64()}
    return pl.concat([pl.DataFrame(schema=empty), *(part for part in parts if part is not None)])


def _distance(table: pl.DataFrame, question: Question, among: pl.DataFrame) -> pl.DataFrame | None:
    if isinstance(question, Text):
        return None
    try:
        own = table.filter(pl.col("question") == question.id)
        judges = sorted(own["judge"].unique().to_list())
        statistic = spans if isinstance(question, Spans) else alpha
        ratings = statistic.ratings(own, question.id, judges=judges, roles=ROLES)
    except StatisticError:
        return None
    pairs = ratings.pairs
    if not len(pairs.item):
        return None
    if isinstance(question, Spans):
        by_pair = 1 - (mark_shares(ratings) + mark_shares(ratings, _ATTRIBUTES)) / 2
    else:
        by_pair = _between(ratings, question, pairs.first, pairs.second, among)
    total = np.bincount(pairs.item, weights=by_pair, minlength=ratings.n_items)
    count = np.bincount(pairs.item, minlength=ratings.n_items)
    shared = count > 0
    items = ratings.items.filter(pl.Series(shared)).select(*UNIT)
    items = items.with_columns(
        pl.Series("distance", total[shared] / count[shared]), pl.lit(question.id).alias("question")
    )
    return items.group_by(*UNIT, "question", maintain_order=True).agg(pl.col("distance").mean())


def _between(ratings: Ratings, question: Question, first: np.ndarray, second: np.ndarray, among: pl.DataFrame) -> Array:
    if ratings.sets:
        return np.asarray(jaccard_distance(ratings.sets)[first, second])
    if isinstance(question, Choice) or not _graded(question):
        return np.asarray(first != second, dtype=float)
    low, high = _ends(question, among)
    apart = np.abs(ratings.points[first] - ratings.points[second]) / max(high - low, 1e-9)
    return np.asarray(apart.clip(0, 1))


def _graded(question: Question) -> bool:
    return isinstance(question, Scale | Number) or (
        isinstance(question, Grid) and all(option.value is not None for option in question.options)
    )


def _ends(question: Question, among: pl.DataFrame) -> tuple[float, float]:
    if isinstance(question, Grid):
        values = [option.value for option in question.options if option.value is not None]
        return min(values), max(values)
    low, high = (question.min, question.max) if isinstance(question, Scale | Number) else (None, None)
    given = among.filter((pl.col("question") == question.id) & pl.col("score").is_finite())["score"].to_list()
    return min([0.0, *given]) if low is None else low, max([1.0, *given]) if high is None else high


@dataclass(frozen=True, slots=True)
class PartAgreement:
    """Agreement on a row of a grid or on one label of a set."""

    measure: Measure
    result: Result


@dataclass(frozen=True, slots=True)
class QuestionAgreement:
    """How far the judges of one group agree on one question: one number for it, and the parts it is made of."""

    plan: QuestionPlan
    headline: Result
    parts: tuple[PartAgreement, ...] = ()
    unaided: Result | None = None
    """The headline on the items that were judged without a model's marks, where others started from them."""

    @property
    def weakest(self) -> PartAgreement | None:
        """The row of a grid on which judges agree least; None for other questions, and where none stands out."""
        rows = [part for part in self.parts if part.measure.part is AnswerPart.ROW and part.result.value is not None]
        weakest = leading(rows, lambda part: -(part.result.value or 0.0))
        return weakest[0] if len(weakest) == 1 else None

    @property
    def enough(self) -> bool:
        """Whether enough items were shared for a sentence to be said about it."""
        return self.headline.value is not None and self.headline.counts.get("items", 0) >= FEWEST_ITEMS


def agreements(
    rows: CountedRows, protocol: Protocol, *, resampling: Resampling | None = None
) -> list[QuestionAgreement]:
    """Agreement of one group of judges on every question of a protocol. `rows` are those that count."""
    return [question_agreement(rows, entry, resampling=resampling) for entry in plan(protocol)]


def question_agreement(
    rows: CountedRows, entry: QuestionPlan, *, resampling: Resampling | None = None
) -> QuestionAgreement:
    """Agreement on one question, with its parts. Where there is nothing to compute, the result says why."""
    how = resampling or Resampling()
    try:
        ratings = ratings_of(rows.table, entry)
    except StatisticError as error:
        return QuestionAgreement(entry, _undefined_result(entry.headline, error))
    parts = tuple(PartAgreement(part, rows.sign(_of_part(ratings, part, how))) for part in entry.parts)
    headline = _add_labels(rows.sign(_of_part(ratings, entry.headline, how)), entry.headline)
    if entry.headline.part is AnswerPart.MEAN_OF_ROWS:
        table = tuple({"row": part.measure.row, **part.result.row()} for part in parts)
        headline = replace(headline, rows=table)
    unassisted_rows = unaided_rows(rows, entry)
    if unassisted_rows is not None:
        headline = _add_inflation_note(headline)
    return QuestionAgreement(
        entry,
        headline,
        parts,
        question_agreement(unassisted_rows, entry, resampling=how).headline if unassisted_rows else None,
    )


INFLATED = (
    "Judges started from the same marks of a model, which makes them agree more than they would on their own; "
    "the items judged without these marks show how far they agree unaided."
)


def unaided_rows(rows: CountedRows, entry: QuestionPlan) -> CountedRows | None:
    """The answers to a question that were given without a model's marks; None where nobody started from any."""
    if "help" not in rows.table.columns:
        return None
    own = rows.table.filter(pl.col("question") == entry.id)
    if not (own["help"] == str(Help.OFFERED)).any():
        return None
    return replace(rows, table=rows.table.filter(pl.col("help") == str(Help.WITHHELD)))


def _add_inflation_note(result: Result) -> Result:
    return result if result.value is None else replace(result, notes=(INFLATED, *result.notes))


def measure(
    rows: CountedRows, coefficient: Measure, entry: QuestionPlan, *, resampling: Resampling | None = None
) -> Result:
    """One coefficient of all judges of a group together."""
    _check_one_group(rows)
    how = resampling or Resampling()
    data, options = answers_for(rows.table, coefficient, entry)
    result = _add_labels(
        rows.sign(coefficient.statistic(data, coefficient.question, resampling=how, **options)), coefficient
    )
    return result if unaided_rows(rows, entry) is None else _add_inflation_note(result)


def statistic_plan(rows: CountedRows, coefficient: Measure, entry: QuestionPlan) -> StatisticPlan:
    """The same coefficient before its interval is made, so that it can be set against another."""
    data, options = answers_for(rows.table, coefficient, entry)
    return coefficient.statistic.plan(data, coefficient.question, **options)


def answers_for(table: pl.DataFrame, coefficient: Measure, entry: QuestionPlan) -> tuple[Any, dict[str, Any]]:
    """The answers that a coefficient is computed on, and its options for them."""
    if _reads_ratings(coefficient, entry):
        return _part_ratings(ratings_of(table, entry), coefficient), _own_options(coefficient.options)
    return table, {**coefficient.options, "roles": ROLES, **({"row": coefficient.row} if coefficient.row else {})}


def pairs(
    rows: CountedRows, coefficient: Measure, entry: QuestionPlan, *, resampling: Resampling | None = None
) -> list[Result]:
    """`compared_pairs`, and none where nobody answered in a form that can be compared."""
    try:
        return compared_pairs(rows, coefficient, entry, resampling=resampling)
    except StatisticError:
        return []


def compared_pairs(
    rows: CountedRows, coefficient: Measure, entry: QuestionPlan, *, resampling: Resampling | None = None
) -> list[Result]:
    """One coefficient for each two judges who share items. Judges of several groups may be compared here: a pair pools
    nothing."""
    how = resampling or Resampling()
    options = dict(coefficient.options)
    if coefficient.statistic is mean_alpha and how.unit == "item":
        options["unit"] = "item"
    results = _pairwise(rows.table, coefficient, entry, options, how)
    return [rows.sign(result) for result in results if result.counts.get("items")]


def _pairwise(
    table: pl.DataFrame, coefficient: Measure, entry: QuestionPlan, options: Mapping[str, Any], how: Resampling
) -> list[Result]:
    if _reads_ratings(coefficient, entry):
        return pairwise(ratings_of(table, entry), of=coefficient.statistic, resampling=how, **_own_options(options))
    judges = sorted(table.filter(pl.col("question") == coefficient.question)["judge"].unique().to_list())
    return pairwise(
        table, coefficient.question, of=coefficient.statistic, resampling=how, judges=judges, roles=ROLES, **options
    )


def without_each_judge(rows: CountedRows, entry: QuestionPlan, *, resampling: Resampling | None = None) -> list[Result]:
    """The headline without each judge in turn: `labels` say who is missing, `rows` how far it changes."""
    ratings = ratings_of(rows.table, entry)
    if ratings.active_judges < 3:
        return []
    how = resampling or Resampling(method="none")
    whole = _of_part(ratings, entry.headline, Resampling(method="none")).value
    results = []
    for judge in ratings.judges:
        result = rows.sign(_of_part(ratings.without(judge), entry.headline, how))
        change = None if whole is None or result.value is None else result.value - whole
        labels = {**result.labels, "question": entry.id, "without": judge}
        results.append(replace(result, labels=labels, rows=({"without": judge, "change": change},)))
    return results


@dataclass(frozen=True, slots=True)
class ExclusionEffect:
    """What leaving a judge out of all results would change: agreement on a question with and without them, and the
    answers that count."""

    judge: str
    now: QuestionAgreement
    without: QuestionAgreement
    answers: int
    answers_without: int


def leaving_out(
    rows: CountedRows, entry: QuestionPlan, judge: str, *, resampling: Resampling | None = None
) -> ExclusionEffect:
    """The price of leaving a judge out, before it is done; computed as it will be afterwards."""
    rest = rows.without(judge)
    now, without = (question_agreement(part, entry, resampling=resampling) for part in (rows, rest))
    answers, answers_without = (_count_answers(part.table, entry) for part in (rows, rest))
    return ExclusionEffect(judge, now, without, answers, answers_without)


def _count_answers(rows: pl.DataFrame, entry: QuestionPlan) -> int:
    """Answers to a question, each once however many rows or labels it has."""
    own = rows.filter(pl.col("question") == entry.id)
    return own.select("judge", "stage", "document", "segment", "system").unique().height


def ratings_of(rows: pl.DataFrame, entry: QuestionPlan) -> Ratings:
    """The answers that the headline of a question is computed on."""
    if entry.question is not None:
        return question_ratings(rows, entry.question)
    own = rows.filter(pl.col("question") == entry.id)
    judges = sorted(own["judge"].unique().to_list())
    value = ("spans",) if entry.headline.part is AnswerPart.MARKED else entry.headline.statistic.reads
    ratings = entry.headline.statistic.ratings(own, entry.id, judges=judges, value=value, roles=ROLES)
    return _marked_or_not(ratings) if ratings.marked else ratings


def _of_part(ratings: Ratings, coefficient: Measure, how: Resampling) -> Result:
    return coefficient.statistic(
        _part_ratings(ratings, coefficient), resampling=how, **_own_options(coefficient.options)
    )


def _part_ratings(ratings: Ratings, coefficient: Measure) -> Ratings:
    match coefficient.part:
        case AnswerPart.ROW:
            return row_ratings(ratings, coefficient.row)
        case AnswerPart.LABEL:
            return holding(ratings, coefficient.row)
        case AnswerPart.MARKED if ratings.sets:
            return replace(holding(ratings, NOTHING), labels=_MARKED_OR_NOT)
        case _:
            return ratings


_MARKED_OR_NOT = ("something marked", "nothing marked")


def _own_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the statistic itself: what selects answers has been done."""
    return {name: value for name, value in options.items() if name not in ("labels", "value", "row")}


def _marked_or_not(ratings: Ratings) -> Ratings:
    """Spans without a protocol: whether anything was marked."""
    texts = replace(ratings, sets=tuple(frozenset([text]) for text in ratings.labels))
    return replace(holding(texts, "[]"), labels=_MARKED_OR_NOT, marked=False)


def _reads_ratings(coefficient: Measure, entry: QuestionPlan) -> bool:
    """Whether the answers in the form of the headline serve: they must where a question is put into another form."""
    if coefficient.part is AnswerPart.COUNT or coefficient.statistic.reads == ("spans",):
        return False
    if coefficient.part in (
        AnswerPart.MEAN_OF_ROWS,
        AnswerPart.POOLED_ROWS,
        AnswerPart.ROW,
        AnswerPart.LABEL,
        AnswerPart.MARKED,
    ):
        return True
    return coefficient.question == entry.id and (
        isinstance(entry.question, Rank | Spans) or coefficient is entry.headline
    )


def _check_one_group(rows: CountedRows) -> None:
    if len(rows.selection.groups) > 1:
        raise StatisticError(
            f"Answers of {' and '.join(rows.selection.groups)} are not pooled.",
            next_step="Count one group of judges at a time, or compare them in pairs.",
        )


def _add_labels(result: Result, coefficient: Measure) -> Result:
    labels = {"question": coefficient.question, **({"row": coefficient.row} if coefficient.row else {})}
    return replace(result, labels={**labels, **result.labels})


def _undefined_result(coefficient: Measure, error: StatisticError) -> Result:
    return Result(coefficient.name, None, labels={"question": coefficient.question}, notes=(error.what,))


# What judges should talk about, and whether agreement was higher afterwards.
#
# Sentences for a calibration are those on which the judges are furthest apart. Agreement on these same sentences would
# rise by itself when they are judged again, since chance put some of them among the furthest apart (regression to the
# mean); so what training achieved is measured on other sentences: those answered before a moment against those answered
# after it. The two have no sentence in common, so the interval of their difference is recovered from the two intervals
# (Zou and Donner 2008, MOVER).


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


def calibration_items(protocol: Protocol, units: Sequence[DisputedUnit]) -> dict[str, list[Item]]:
    """The units as items of the pages that their disputed questions stand on."""
    by_page: dict[str, list[Item]] = {}
    for unit in units:
        place = protocol.find(unit.questions[0])
        assert place is not None
        systems = tuple(unit.system.split("|")) if unit.system else ()
        by_page.setdefault(place[0].page_id, []).append(Item(unit.document, unit.segment, systems, Role.CALIBRATION))
    return by_page


@dataclass(frozen=True, slots=True)
class AgreementDifference:
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
            **_in_columns("before", self.before),
            **_in_columns("after", self.after),
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "enough": self.enough,
        }


def _in_columns(name: str, result: Result) -> dict[str, Json]:
    ends = {f"{name}_low": result.low, f"{name}_high": result.high}
    return {name: result.value, **ends, f"{name}_items": result.counts.get("items", 0)}


def split_at(rows: CountedRows, at: datetime) -> tuple[CountedRows, CountedRows, int]:
    """The rows of units that were answered wholly before a moment, those answered wholly from it on, and how many units
    lie on both sides and belong to neither."""
    at = at.astimezone(UTC)
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
) -> list[AgreementDifference]:
    """How agreement changed, for every question and each of its labels or skills."""
    return list(_changes(before, after, protocol, resampling or Resampling()))


def documents_of(changes: Sequence[AgreementDifference]) -> tuple[int, int]:
    """On how many documents the numbers before and after rest."""
    before, after = (
        max((int(result.counts.get("documents", 0)) for result in results), default=0)
        for results in ([change.before for change in changes], [change.after for change in changes])
    )
    return before, after


def describe_method(changes: Sequence[AgreementDifference]) -> str:
    """How the numbers were made, in a line, from their signatures."""
    names = ", ".join(dict.fromkeys(f"{c.before.name} ({c.question})" for c in changes if not c.part))
    before, after = documents_of(changes)
    signatures = [result.signature for change in changes for result in (change.before, change.after)]
    parts = [part for signature in signatures if signature for part in signature.parts]
    rows, interval = (dict.fromkeys(value for name, value in parts if name == of) for of in ("rows", "interval"))
    ways = [*rows, f"{before} documents before, {after} after", *interval, "difference by MOVER"]
    return " · ".join([names, "labels and skills by alpha each", *ways])


def _changes(
    before: CountedRows, after: CountedRows, protocol: Protocol, how: Resampling
) -> Iterator[AgreementDifference]:
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


def _change(question: str, part: str, before: Result, after: Result) -> AgreementDifference:
    if before.value is None or after.value is None:
        return AgreementDifference(question, part, before, after, None, None, None)
    difference = after.value - before.value
    if None in (before.low, before.high, after.low, after.high):
        return AgreementDifference(question, part, before, after, difference, None, None)
    assert before.low is not None and before.high is not None and after.low is not None and after.high is not None
    low = difference - math.hypot(after.value - after.low, before.high - before.value)
    high = difference + math.hypot(after.high - after.value, before.value - before.low)
    return AgreementDifference(question, part, before, after, difference, low, high)
