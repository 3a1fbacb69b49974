"""Which rows of the tidy table count for what, and which statistic suits which question: decided once, for page,
command line, report, exports, API and library.

There is one rule of counting for each purpose:

- Agreement, scores, effort, verdicts and findings look at main items. Tutorial, calibration, control and repeated
  items count only in figures about them.
- Questionnaires, whose unit is the judge, count in nothing but the account of the questionnaire.
- Settled (adjudicated) answers are nobody's judgement: never in agreement, never a judge, in scores only on request.
- People, models and metrics are never pooled with each other.
- A judge who is left out is left out everywhere.

A protocol's own `[[analysis]]` is obeyed: what it plans comes first, and the level it names for α is the level of α
wherever that question appears. Every question has one headline, the number that stands for it wherever one number
does: Krippendorff's α of all judges of a group. The headline of a grid is the mean of its rows' α.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np
import polars as pl

from lanner.errors import InputError, check_known, did_you_mean
from lanner.model import (
    JUDGE_GROUPS,
    Choice,
    Grid,
    Judge,
    JudgeKind,
    Judgement,
    Labels,
    Number,
    Option,
    Protocol,
    Question,
    Result,
    Role,
    Scale,
    Signature,
    Spans,
    Text,
    Unit,
    alarms,
)
from lanner.model.messages import in_number
from lanner.protocols.derived import chosen_rows
from lanner.protocols.kinds import kind_of
from lanner.protocols.kinds.scale import MOST_ORDINAL_STEPS
from lanner.stats.agreement import all_coefficients, alpha, gwet, icc, jaccard, kappa, micro_f1, percent, spans
from lanner.stats.coefficients import Level
from lanner.stats.estimate import RowCounts, Statistic, StatisticPlan
from lanner.stats.frame import tidy
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Array, Resampling

# Which rows count.


GROUPS = JUDGE_GROUPS
PEOPLE = GROUPS["people"]


class Purpose(StrEnum):
    """What rows are counted for."""

    AGREEMENT = "agreement"
    SCORES = "scores"
    EFFORT = "effort"
    REPEATS = "repeats"
    CONTROLS = "controls"
    CALIBRATION = "calibration"
    QUESTIONNAIRE = "questionnaire"


class Reason(StrEnum):
    """Why a row does not count."""

    LEFT_OUT = "judge left out"
    QUESTIONNAIRE = "questionnaire"
    NO_QUESTIONNAIRE = "no questionnaire"
    MAIN = "main item"
    REPEAT = "repeated item"
    CONTROL = "control item"
    TUTORIAL = "tutorial item"
    CALIBRATION = "calibration item"
    SETTLED = "settled answer"
    OTHER_JUDGES = "other judges"


_ROLES: dict[Purpose, tuple[Role, ...]] = {
    Purpose.AGREEMENT: (Role.MAIN,),
    Purpose.SCORES: (Role.MAIN,),
    Purpose.EFFORT: (Role.MAIN,),
    Purpose.REPEATS: (Role.MAIN, Role.REPEAT),  # a repeat is compared with the first answer
    Purpose.CONTROLS: (Role.CONTROL,),
    Purpose.CALIBRATION: (Role.CALIBRATION,),
    Purpose.QUESTIONNAIRE: tuple(Role),
}
_REASONS = {
    Role.MAIN: Reason.MAIN,
    Role.REPEAT: Reason.REPEAT,
    Role.CONTROL: Reason.CONTROL,
    Role.TUTORIAL: Reason.TUTORIAL,
    Role.CALIBRATION: Reason.CALIBRATION,
}


@dataclass(frozen=True, slots=True)
class Selection:
    """Which rows count. `groups` are the judges looked at; `settled` lets agreed answers into scores; `left_out` are
    judges who count nowhere."""

    purpose: Purpose = Purpose.AGREEMENT
    groups: tuple[str, ...] = ("people",)
    left_out: frozenset[str] = frozenset()
    settled: bool = False

    @property
    def kinds(self) -> tuple[JudgeKind, ...]:
        """The kinds of judges that count."""
        kinds = tuple(kind for group in self.groups for kind in GROUPS[group])
        return (*kinds, JudgeKind.ADJUDICATED) if self.settled and self.purpose is Purpose.SCORES else kinds

    def __str__(self) -> str:
        roles = " and ".join(str(role) for role in _ROLES[self.purpose])
        what = "questionnaires" if self.purpose is Purpose.QUESTIONNAIRE else f"{roles} items"
        parts = [f"{what} by {' and '.join(self.groups)}"]
        if self.left_out:
            parts.append(f"{len(self.left_out)} {'judge' if len(self.left_out) == 1 else 'judges'} left out")
        if JudgeKind.ADJUDICATED in self.kinds:
            parts.append("settled answers included")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class CountedRows:
    """The rows that count, by which selection, and how many rows do not for which reason."""

    table: pl.DataFrame
    selection: Selection
    excluded: Mapping[Reason, int]

    def without(self, judge: str) -> CountedRows:
        """The rows that count when one judge more is left out."""
        selection = replace(self.selection, left_out=self.selection.left_out | {judge})
        return replace(self, table=self.table.filter(pl.col("judge") != judge), selection=selection)

    def sign(self, result: Result) -> Result:
        """The same result with a signature that names the selection, and so those of its rows that have their own."""
        signature = result.signature
        if signature is None:
            return result
        rows = [
            {**row, "signature": _sign_text(str(row["signature"]), signature.protocol, self.selection)}
            if row.get("signature")
            else row
            for row in result.rows
        ]
        return replace(result, signature=signed(signature, self.selection), rows=rows)


def _sign_text(signature: str, protocol: str, selection: Selection) -> str:
    """The line of a signature with the rows in it, where `signed` puts them."""
    fields = [field for field in signature.split(" · ") if not field.startswith("rows ")]
    place = 2 if protocol and fields[1:2] == [protocol] else 1
    return " · ".join([*fields[:place], f"rows {selection}", *fields[place:]])


def signed(signature: Signature, selection: Selection) -> Signature:
    """A signature that names the rows a number rests on."""
    others = tuple(part for part in signature.parts if part[0] != "rows")
    return replace(signature, parts=(("rows", str(selection)), *others))


def counted(
    data: Any,
    purpose: Purpose | str = Purpose.AGREEMENT,
    *,
    of: Iterable[str] | str | None = None,
    left_out: Collection[str] = (),
    settled: bool = False,
) -> CountedRows:
    """The rows of a tidy table that count for a purpose.

    `of` names the groups of judges looked at (people, models, metrics); without it the first of these that has any
    rows. Several groups may be looked at together to compare them, never to pool them. `left_out` are judges who count
    nowhere; `settled` lets the answers agreed in a meeting into scores.
    """
    table, _ = tidy(data)
    purpose_code = Purpose(purpose)
    settled = settled and str(JudgeKind.ADJUDICATED) in table["judge_kind"]  # a signature names what is there
    selection = Selection(purpose_code, _groups(table, purpose_code, of, left_out), frozenset(left_out), settled)
    reasons = reasons_not_counted(table, selection)
    row_counts = {Reason(name): count for name, count in reasons.drop_nulls().value_counts().iter_rows()}
    order = {reason: row_counts[reason] for reason in Reason if reason in row_counts}
    return CountedRows(table.filter(reasons.is_null()), selection, order)


def counts(judgement: Judgement, purpose: Purpose, left_out: Collection[str]) -> bool:
    """Whether one answer about a text counts for a purpose by the same rule, whichever group its judge is of."""
    return bool(judgement.document) and judgement.role in _ROLES[purpose] and judgement.judge not in left_out


def reasons_not_counted(table: pl.DataFrame, selection: Selection) -> pl.Series:
    """Why each row does not count, by the value of a `Reason`; null where it counts."""

    def because(condition: pl.Expr, reason: Reason) -> pl.Expr:
        return pl.when(condition).then(pl.lit(str(reason)))

    asked_of_judge = (pl.col("document") == "") & (pl.col("segment") == "") & (pl.col("system") == "")
    if selection.purpose is Purpose.QUESTIONNAIRE:
        unit = because(~asked_of_judge, Reason.NO_QUESTIONNAIRE)
    else:
        unit = because(asked_of_judge, Reason.QUESTIONNAIRE)
    roles = _ROLES[selection.purpose]
    wrong_role = [
        because(pl.col("role") == str(role), reason) for role, reason in _REASONS.items() if role not in roles
    ]
    kinds = [str(kind) for kind in selection.kinds]
    is_adjudicated = (pl.col("judge_kind") == str(JudgeKind.ADJUDICATED)) & (str(JudgeKind.ADJUDICATED) not in kinds)
    reason = pl.coalesce(
        because(pl.col("judge").is_in(list(selection.left_out)), Reason.LEFT_OUT),
        because(is_adjudicated, Reason.SETTLED),
        unit,
        *wrong_role,
        because(~pl.col("judge_kind").is_in(kinds), Reason.OTHER_JUDGES),
    )
    return table.select(reason.alias("not_counted")).to_series()


def groups_in(table: pl.DataFrame) -> list[str]:
    """The groups of judges that have rows here, people first."""
    kinds = set(table["judge_kind"].unique())
    return [name for name, members in GROUPS.items() if any(str(kind) in kinds for kind in members)]


JUDGES_ON_ONE_SCALE = ("people", "models")
"""Groups whose judges answer on the scale of the question, so that agreement can be measured: a metric has its own."""
METRICS_APART = (
    "Metrics have scales of their own, so nothing is said of how far they agree with judges or with each other: "
    "lanner metaeval or lanner associate compares them."
)


def group_of(judge: Judge) -> str | None:
    """The group a judge belongs to; None for settled answers, which are nobody's."""
    return next((name for name, kinds in GROUPS.items() if judge.kind in kinds), None)


def _groups(
    table: pl.DataFrame, purpose: Purpose, of: Iterable[str] | str | None, left_out: Collection[str]
) -> tuple[str, ...]:
    if of is None:
        everyone = Selection(purpose, tuple(GROUPS), frozenset(left_out))
        present = groups_in(table.filter(reasons_not_counted(table, everyone).is_null()))
        return (present[0],) if present else ("people",)
    names = (of,) if isinstance(of, str) else tuple(of)
    for name in names:
        check_known(name, GROUPS, f"There is no group of judges {name!r}.", InputError)
    everyone = Selection(purpose, tuple(GROUPS), frozenset(left_out))
    present = groups_in(table.filter(reasons_not_counted(table, everyone).is_null()))
    return tuple(name for name in names if name in present) or names


# Agreement on a grid: the mean of its rows' α.
#
# One α over all cells mixes how often rows are used at all with how well judges agree within a row: where most cells
# say "not relevant" it is high even if judges agree on no single row. So each row has its own α, and the mean stands
# for the grid; its interval comes from resampling the same documents (or items) for all rows at once.


def row_ratings(ratings: Ratings, row: str) -> Ratings:
    """The answers to one row of a grid."""
    mine = (ratings.items["row"] == row).to_numpy()
    place = np.cumsum(mine, dtype=np.int32) - 1
    cells = mine[ratings.item]
    return replace(
        ratings,
        item=place[ratings.item[cells]].astype(np.int32),
        judge=ratings.judge[cells],
        code=ratings.code[cells],
        document=ratings.document[mine],
        items=ratings.items.filter(pl.Series(mine)),
    )


def _mean_alpha(ratings: Ratings, *, level: Level | None = None, unit: str = "document") -> StatisticPlan:
    """The mean of Krippendorff's α over the rows of a grid; rows without any variation have none and are passed over.

    With `unit` "item" the units that are resampled are items with all their rows, otherwise documents.
    """
    ratings = _by_item(ratings) if unit == "item" else ratings
    rows = ratings.items["row"].unique(maintain_order=True).to_list()
    plans = [
        plan for row in rows if np.isfinite((plan := alpha.plan(row_ratings(ratings, row), level=level)).value()[0])
    ]
    if not plans:
        return _no_alpha(ratings, level)
    parts = [(plan.by_document()[0], plan.documents) for plan in plans]
    uses = np.zeros(len(ratings.documents), bool)
    for _, documents in parts:
        uses[documents] = True

    def finish(weights: Array) -> Array:
        values = np.column_stack([statistic(weights[:, documents])[:, 0] for statistic, documents in parts])
        finite = np.isfinite(values)
        total = np.where(finite, values, 0.0).sum(axis=1)
        empty = np.full(len(total), np.nan)
        return np.asarray(np.divide(total, finite.sum(axis=1), out=empty, where=finite.any(axis=1))[:, None])

    units = RowCounts(np.ones(len(ratings.documents)), np.arange(len(ratings.documents), dtype=np.int32))
    constant_rows = len(rows) - len(plans)
    notes = (
        (
            in_number(
                constant_rows,
                "{n} of {rows} rows has no α: every answer to it is the same.",
                "{n} of {rows} rows have no α: every answer to them is the same.",
                rows=len(rows),
            ),
        )
        if constant_rows
        else ()
    )
    settings = {"level": plans[0].settings["level"], "of": f"mean of {len(plans)} rows"}
    counts = _counts(ratings, plans, int(uses.sum()))
    return StatisticPlan("alpha", ratings, units, finish, uses=uses, counts=(counts,), notes=notes, settings=settings)


def _no_alpha(ratings: Ratings, level: Level | None) -> StatisticPlan:
    """Of a grid no row of which has an α. All cells together may have one: it is 1 where only the rows differ."""
    whole = alpha.plan(ratings, level=level)
    shared = ratings.items.filter(pl.Series(ratings.per_item >= 2))
    varies = not shared.is_empty() and len(np.unique(ratings.code)) > 1
    reason = "every answer to a row is the same; without variation chance cannot be told from agreement."
    return replace(
        whole,
        finish=lambda sums: np.full((len(sums), 1), np.nan),
        counts=(_counts(ratings, [], shared["document"].n_unique()),),
        reasons=(reason,) if varies else (),
        settings={"level": level or "nominal", "of": "rows"},
    )


def _counts(ratings: Ratings, plans: list[StatisticPlan], documents: int) -> dict[str, int]:
    """Items are counted once, however many rows they have."""
    whole = ["stage", "document", "segment", "system"]
    shared_items = ratings.items.filter(pl.Series(ratings.per_item >= 2)).select(whole).unique()
    return {
        "items": len(shared_items),
        "judges": ratings.active_judges,
        "documents": documents,
        "answers": len(ratings.item),
        "rows": len(plans),
    }


def _by_item(ratings: Ratings) -> Ratings:
    """Items in the place of documents, so that they are what is resampled."""
    whole = ratings.items.select("stage", "document", "segment", "system")
    names = whole.select(pl.concat_str(pl.all(), separator="\x1f")).to_series()
    distinct = names.unique(maintain_order=True)
    places = names.replace_strict(distinct, pl.Series(range(len(distinct)), dtype=pl.Int32), return_dtype=pl.Int32)
    return replace(ratings, document=places.to_numpy().astype(np.int32), documents=tuple(distinct))


class _MeanOfRows(Statistic):
    """Knows whether documents or items are resampled before it meets its data."""

    def each(
        self, data: Any, question: str = "", *, resampling: Resampling | None = None, **options: Any
    ) -> list[Result]:
        how = resampling or Resampling()
        unit = "item" if how.unit == "item" else "document"
        return super().each(data, question, resampling=how, unit=unit, **options)


mean_alpha = _MeanOfRows(_mean_alpha, ("label", "score"))
mean_alpha.name = "alpha"


# Which statistic suits.


FEWEST_ITEMS = alarms.FEWEST_ITEMS


class AnswerPart(StrEnum):
    """What of a question's answers a measure looks at."""

    WHOLE = "whole"
    MEAN_OF_ROWS = "mean of rows"
    POOLED_ROWS = "pooled rows"
    ROW = "row"
    LABEL = "label"
    MARKED = "marked"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Measure:
    """A statistic with its options, and its sign in print. `question` is where its answers are found; `row` is the row
    of a grid or the label of a set that it is about."""

    name: str
    sign: str
    statistic: Statistic
    question: str
    row: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    pairwise: bool = False
    part: AnswerPart = AnswerPart.WHOLE


@dataclass(frozen=True, slots=True)
class QuestionPlan:
    """How agreement on one question is told: its headline, the parts it is made of, and further coefficients, the
    protocol's own first. `question` is None for a score that the protocol computes."""

    id: str
    question: Question | None
    headline: Measure
    parts: tuple[Measure, ...] = ()
    others: tuple[Measure, ...] = ()

    @property
    def pairs(self) -> Measure:
        """The coefficient that two judges are compared by."""
        if self.headline.pairwise:
            return self.headline
        return next((measure for measure in self.others if measure.pairwise), self.headline)

    @property
    def same(self) -> Measure | None:
        """The plain share of agreement that stands next to it."""
        return next((measure for measure in self.others if measure.name in ("percent", "jaccard")), None)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Everything, the headline first."""
        return (self.headline, *self.parts, *self.others)


def plan(protocol: Protocol) -> list[QuestionPlan]:
    """How agreement is told for every question that two judges can agree on, in the protocol's order, then for the
    scores that its own analysis names. Questionnaires are asked of judges about themselves and have no place here."""
    about_texts = [question for stage, question in protocol.questions if stage.unit is not Unit.JUDGE]
    plans = [entry for question in about_texts if (entry := plan_question(question, protocol)) is not None]
    scores = {score.id for score in protocol.scores}
    score_names = dict.fromkeys(
        of for name, of, _ in _planned_coefficients(protocol) if of in scores and name in all_coefficients()
    )
    return [*plans, *(plan_score(name, protocol) for name in score_names)]


def plan_question(question: Question, protocol: Protocol | None = None) -> QuestionPlan | None:
    """How agreement on one question is told; None for free text."""
    if isinstance(question, Text):
        return None
    headline, parts, others = _coefficients_for(question, _level(question, protocol))
    own_measures = list(_planned_measures(question.id, protocol, headline))
    names = {(measure.name, measure.question) for measure in own_measures}
    rest = [measure for measure in others if (measure.name, measure.question) not in names]
    return QuestionPlan(question.id, question, headline, tuple(parts), (*own_measures, *rest))


def shared_measures(plans: Sequence[QuestionPlan]) -> tuple[Measure, ...] | None:
    """The coefficient that several questions can be compared by, one measure for each: their headline where it is the
    same, else the first of the first question's coefficients that all of them have; None where they share none."""
    first, *others = plans
    for candidate in (first.headline, *(measure for measure in first.others if measure.name != "percent")):
        matches = [next((one for one in plan.measures if _is_same(one, candidate)), None) for plan in others]
        if all(matches):
            return (candidate, *(one for one in matches if one is not None))
    return None


def _is_same(one: Measure, other: Measure) -> bool:
    first, second = ((each.name, each.sign, each.part, each.options.get("level")) for each in (one, other))
    return first == second


def main_question(protocol: Protocol, question_id: str = "") -> Question | None:
    """The question that a verdict is about: the one named, else the first that two judges can agree on. Marks, ranks
    and counts stand in only where nothing is asked outright."""
    questions = [
        entry.question for entry in plan(protocol) if entry.question is not None and not entry.question.for_each
    ]
    outright = [question for question in questions if isinstance(question, Choice | Labels | Grid | Scale)]
    first = next(iter(outright or questions), None)
    return next((question for question in questions if question.id == question_id), first)


def plan_table(table: pl.DataFrame, question: str | None = None) -> list[QuestionPlan]:
    """The same for answers without a protocol: what suits is told by what the answers are."""
    question_ids = table["question"].unique(maintain_order=True).to_list()
    if question:
        check_known(question, question_ids, f"There are no answers to {question!r}.", InputError)
    names = [question] if question else question_ids
    return [
        entry for name in names if (entry := _plan_answers(name, table.filter(pl.col("question") == name))) is not None
    ]


def _plan_answers(name: str, answers: pl.DataFrame) -> QuestionPlan | None:
    if answers["spans"].is_not_null().any():
        return QuestionPlan(name, None, _any_marked(name), (), (_span_f1(name),))
    if answers["labels"].is_not_null().any():
        headline, *others = _sets(name)
    elif answers["label"].is_not_null().any():
        headline, *others = _nominal(name)
    elif answers["score"].is_not_null().any():
        few = answers["score"].drop_nulls().n_unique() <= MOST_ORDINAL_STEPS
        headline = _alpha(name, "ordinal" if few else "interval", pairwise=True)
        others = [Measure("icc", "ICC(2,1)", icc, name, options={"form": "2,1"})]
        if few:
            others.append(Measure("kappa", "κ quadratic", kappa, name, options={"weights": "quadratic"}))
            others.append(Measure("percent", "% same", percent, name, pairwise=True))
    else:
        return None
    return QuestionPlan(name, None, headline, (), tuple(others))


def _coefficients_for(question: Question, level: str) -> tuple[Measure, list[Measure], list[Measure]]:
    """The headline of a question, its parts, and further coefficients."""
    name = question.id
    if question.for_each or isinstance(question, Scale | Number):
        return _alpha(name, level, pairwise=True), [], [Measure("percent", "% same", percent, name, pairwise=True)]
    match question:
        case Choice():
            labels = _ids(question.options)
            headline, *others = _nominal(name, labels, level)
            if question.ordered and level == "nominal":
                options = {"level": "ordinal", "labels": labels}
                others.append(Measure("alpha_ordinal", "α ordinal", alpha, name, options=options))
            return headline, [], others
        case Grid():
            return _grid(question, level)
        case Labels():
            headline, *others = _sets(name)
            if question.counts:
                options = {"level": "interval", "value": ("score",)}
                others.append(
                    Measure("count", "α of their number", alpha, name, options=options, part=AnswerPart.COUNT)
                )
            each = [_alpha(name, "nominal", option.id, part=AnswerPart.LABEL) for option in question.options]
            return headline, each, others
        case Spans():
            return _any_marked(name), [], [_span_f1(name)]
        case _:  # a ranking, told by which of two was preferred
            headline, *others = _nominal(name)
            return headline, [], others


def _grid(question: Grid, level: str) -> tuple[Measure, list[Measure], list[Measure]]:
    labels = _ids(question.options)
    rows = [_alpha(question.id, level, row.id, part=AnswerPart.ROW, labels=labels) for row in question.rows]
    pooled_alpha = _alpha(question.id, level, part=AnswerPart.POOLED_ROWS, labels=labels)
    rows_of_labels = chosen_rows(question)
    sets = list(_sets(rows_of_labels)) if rows_of_labels else []
    headline = _alpha(question.id, level, pairwise=True, part=AnswerPart.MEAN_OF_ROWS, labels=labels)
    return headline, rows, [*sets, pooled_alpha]


def _ids(options: tuple[Option, ...]) -> list[str]:
    return [option.id for option in options]


def _alpha(
    question: str,
    level: str,
    row: str = "",
    *,
    pairwise: bool = False,
    part: AnswerPart = AnswerPart.WHOLE,
    **options: Any,
) -> Measure:
    sign = {"nominal": "α", "jaccard": "α Jaccard"}.get(level, f"α {level}")
    if part is AnswerPart.POOLED_ROWS:
        sign = f"{sign}, all cells pooled"
    statistic = mean_alpha if part is AnswerPart.MEAN_OF_ROWS else alpha
    return Measure("alpha", sign, statistic, question, row, {"level": level, **options}, pairwise, part)


def _nominal(question: str, labels: list[str] | None = None, level: str = "nominal") -> Iterator[Measure]:
    """A label that nobody used still is one that could have been chosen: the labels are the protocol's."""
    options: dict[str, Any] = {"labels": labels} if labels else {}
    yield _alpha(question, level, **options)
    yield Measure("kappa", "κ", kappa, question, options=options, pairwise=True)
    yield Measure("percent", "% same", percent, question, options=options, pairwise=True)
    yield Measure("gwet", "AC1", gwet, question, options=options)


def _sets(question: str) -> Iterator[Measure]:
    yield _alpha(question, "jaccard", pairwise=True)
    yield Measure("jaccard", "mean Jaccard", jaccard, question, pairwise=True)
    yield Measure("micro_f1", "micro-F1", micro_f1, question, pairwise=True)


def _any_marked(question: str) -> Measure:
    return Measure("alpha", "α any marked", alpha, question, options={"level": "nominal"}, part=AnswerPart.MARKED)


def _span_f1(question: str) -> Measure:
    return Measure("spans", "span F1", spans, question, pairwise=True)


def plan_score(name: str, protocol: Protocol) -> QuestionPlan:
    """How agreement on a score that the protocol computes is told."""
    headline = _alpha(name, _planned_level(name, protocol) or "interval", pairwise=True)
    return QuestionPlan(name, None, headline, (), tuple(_planned_measures(name, protocol, headline)))


def _planned_coefficients(protocol: Protocol | None) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """The coefficients of agreement that a protocol's own analysis names: name, question, options."""
    for analysis in protocol.analyses if protocol else ():
        package, _, name = analysis.statistic.partition(".")
        if package == "agreement" and name in all_coefficients():
            yield name, analysis.of, analysis.options


def _planned_level(question: str, protocol: Protocol | None) -> str | None:
    levels = (
        options.get("level")
        for name, of, options in _planned_coefficients(protocol)
        if name == "alpha" and of == question
    )
    return next((str(level) for level in levels if level), None)


def _planned_measures(question: str, protocol: Protocol | None, headline: Measure) -> Iterator[Measure]:
    """What the protocol plans besides α, whose level is the headline's."""
    match = protocol.find(question) if protocol else None
    for name, of, options in _planned_coefficients(protocol):
        if of == question and name != headline.name:
            yield named_measure(name, question, match[1] if match else None, options)


def named_measure(
    name: str, question_id: str, question: Question | None = None, options: Mapping[str, Any] | None = None
) -> Measure:
    """A coefficient by its name, of one question."""
    coefficients = all_coefficients()
    if name not in coefficients:
        what = f"There is no coefficient {name!r}."
        raise InputError(what, next_step=did_you_mean(name, coefficients))
    statistic, settings = coefficients[name], dict(options or {})
    labels = {"labels": _ids(question.options)} if isinstance(question, Choice) else {}
    sets = chosen_rows(question) if question is not None else None
    source = sets if sets and statistic.reads[0] == "labels" else question_id
    pairwise = name in ("kappa", "percent", "jaccard", "micro_f1", "spans", "scott")
    sign = _SIGNS.get(name, name) + (f" {settings['weights']}" if "weights" in settings else "")
    return Measure(name, sign, statistic, source, options={**labels, **settings}, pairwise=pairwise)


_SIGNS = {
    "kappa": "κ",
    "percent": "% same",
    "gwet": "AC1",
    "jaccard": "mean Jaccard",
    "micro_f1": "micro-F1",
    "macro_f1": "macro-F1",
    "spans": "span F1",
    "gamma": "γ",
    "scott": "π",
    "icc": "ICC(2,1)",
    "fleiss": "Fleiss' κ",
    "conger": "Conger's κ",
    "brennan_prediger": "Brennan–Prediger",
    "wmt": "κ (WMT)",
}


def _level(question: Question, protocol: Protocol | None) -> str:
    """The level of α: as the protocol's own analysis says; else what the kind of answer allows."""
    if stated_level := _planned_level(question.id, protocol):
        return stated_level
    if question.for_each:
        return "ordinal"
    if isinstance(question, Choice):  # the order of ordered labels has a coefficient of its own
        return "nominal"
    level = kind_of(question).level(question)
    return level if level in ("ordinal", "interval") else "nominal"
