"""Agreement per question while a campaign runs, now with its interval and with that to expect when all is in.

Where people disagree: every shared unit with how far apart its answers are, and one unit with all its answers. Who
answers unlike the others, and on which labels: pairs of judges, label shares, odd ones out, swaps, mergers.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import combinations, pairwise

import numpy as np
import polars as pl
from scipy import sparse
from scipy.special import bdtrc

from lanner.analysis.agreement import (
    UNIT,
    QuestionAgreement,
    agreements,
    distances,
    is_fine,
    kinds,
    leaving_out,
    pairs,
    question_ratings,
)
from lanner.analysis.measures import (
    FEWEST_ITEMS,
    AnswerPart,
    CountedRows,
    QuestionPlan,
    Selection,
    plan_question,
    signed,
)
from lanner.analysis.measures import Measure as PlannedMeasure
from lanner.errors import StatisticError
from lanner.model import Grid, Json, JudgeKind, Number, Protocol, Question, Result, Role, Scale
from lanner.model.alarms import SWAP_LEVEL
from lanner.monitor.snapshot import (
    AgreementMeasure,
    AnswerSplits,
    Disagreement,
    DisagreementFilter,
    DisagreementList,
    Divergence,
    ExclusionPreview,
    JudgeSeverity,
    PairAgreement,
    Spread,
    Swap,
    UnitAnswers,
)
from lanner.protocols.answers import in_order
from lanner.protocols.kinds import kind_of
from lanner.stats.diagnosis import severity
from lanner.stats.frame import SYSTEMS, distinct
from lanner.stats.power import documents_needed
from lanner.stats.ratings import Ratings, label_counts
from lanner.stats.resample import Resampling

HALF_WIDTH = 0.1
"""Half the width of an interval that tells enough."""
_PARTS = {
    AnswerPart.ROW: "row",
    AnswerPart.LABEL: "label",
    AnswerPart.MARKED: "marked",
    AnswerPart.MEAN_OF_ROWS: "mean",
}


def measures(rows: CountedRows, protocol: Protocol, documents: int) -> list[AgreementMeasure]:
    """Agreement on every question that two people can agree on; its parts after it, the most agreed first.

    `rows` are the answers that count, `documents` is how many there will be in the end.
    """
    measures: list[AgreementMeasure] = []
    for agreement in agreements(rows, protocol):
        if agreement.plan.question is None:  # a score that the protocol computes: it is in reports
            continue
        measures.append(headline_measure(agreement, documents))
        parts = [
            _measure(part.measure, part.result, documents, _group(agreement, part.measure.row))
            for part in agreement.parts
        ]
        measures += sorted(parts, key=lambda row: -(row.value if row.value is not None else -2))
    return measures


def headline_measure(agreement: QuestionAgreement, documents: int) -> AgreementMeasure:
    """The number that stands for a question, with the weakest row of a grid."""
    weakest = agreement.weakest
    measure = _measure(agreement.plan.headline, agreement.headline, documents, "")
    if (alone := agreement.unaided) is not None:
        items = alone.counts.get("items", 0)
        unaided = None if alone.value is None else (alone.value, alone.low, alone.high, items)
        measure = replace(measure, is_aided=True, unaided=unaided)
    if weakest is None:
        return measure
    return replace(measure, weakest=weakest.measure.row, weakest_value=weakest.result.value)


def price_of_leaving_out(rows: CountedRows, entry: QuestionPlan, judge: str, documents: int) -> ExclusionPreview:
    """What leaving a judge out would change on one question."""
    price = leaving_out(rows, entry, judge)
    now, without = (headline_measure(agreement, documents) for agreement in (price.now, price.without))
    return ExclusionPreview(judge, now, without, price.answers, price.answers_without)


def _group(agreement: QuestionAgreement, row: str) -> str:
    question = agreement.plan.question
    options = (*getattr(question, "rows", ()), *getattr(question, "options", ()))
    return next((option.group or "" for option in options if option.id == row), "")


def _measure(coefficient: PlannedMeasure, result: Result, documents: int, group: str) -> AgreementMeasure:
    now = result.counts.get("documents", 0)
    low, high = expected(result, now, documents)
    return AgreementMeasure(
        question=coefficient.question,
        row=coefficient.row,
        part=_PARTS.get(coefficient.part, ""),
        group=group,
        value=result.value,
        low=result.low,
        high=result.high,
        expected_low=low,
        expected_high=high,
        items=result.counts.get("items", 0),
        documents=now,
        judges=result.counts.get("judges", 0),
        notes=result.notes,
        signature=result.signature,
        needed=_documents_still_needed(result, documents) if result.value is not None else None,
    )


def _documents_still_needed(result: Result, documents: int) -> int | None:
    """Documents judged by several until the interval is narrow enough, where the planned ones will not do."""
    enough = documents_needed(result, 2 * HALF_WIDTH).value
    return int(enough) if enough is not None and enough > documents else None


def expected(result: Result, now: int, documents: int) -> tuple[float | None, float | None]:
    """The interval to expect with all documents: half-widths shrink with the root of their number."""
    if result.value is None or result.low is None or result.high is None or not now:
        return None, None
    shrink = math.sqrt(now / max(now, documents))
    return result.value - (result.value - result.low) * shrink, result.value + (result.high - result.value) * shrink


# Where people disagree

_MOST = 400


def list_disagreements(
    rows: pl.DataFrame, settled_units: Set[tuple[str, str, str]], protocol: Protocol, selection: DisagreementFilter
) -> DisagreementList:
    """Disagreements among the answers that count. If the selection names a question, distances are those of the answers
    to it."""
    if selection.judges:
        rows = rows.filter(pl.col("judge").is_in(list(selection.judges)))
    apart = distances(rows, protocol)
    question_id = selection.question
    own_distance = pl.col("distance").filter(pl.col("question") == question_id) if question_id else pl.col("distance")
    units = apart.group_by(UNIT, maintain_order=True).agg(
        own_distance.mean().alias("apart"), pl.col("distance").mean().alias("mean"), "question", "distance"
    )
    units = units.drop_nulls("apart")
    domains = rows.select("document", "domain").unique(maintain_order=True)
    units = units.join(domains, on="document", how="left", maintain_order="left")
    for name in ("domain", "document"):
        if value := getattr(selection, name):
            units = units.filter(pl.col(name) == value)
    unit_count = len(units)
    units = units.filter(pl.col("apart") > 0)
    shown_answers = _short_answers(rows, question_id) if question_id else {}
    if len(selection.labels) == 2 and question_id:
        keep = [
            set(selection.labels) <= {label for _, label in shown_answers.get(key, ())}
            for key in units.select(UNIT).iter_rows()
        ]
        units = units.filter(pl.Series(keep, dtype=pl.Boolean))
    is_done = [key in settled_units for key in units.select(UNIT).iter_rows()]
    disagreement_count, settled_count = len(units), sum(is_done)
    if selection.show in ("open", "settled"):
        units = units.filter(pl.Series([mark is (selection.show == "settled") for mark in is_done], dtype=pl.Boolean))
    units = units.sort("apart", "mean", descending=True, maintain_order=True).head(_MOST)
    entries = [
        Disagreement(
            document=document,
            segment=segment,
            system=system,
            domain=domain or "",
            distance=distance,
            parts=dict(zip(questions, parts, strict=True)),
            given=shown_answers.get((document, segment, system), ()),
            settled=(document, segment, system) in settled_units,
        )
        for document, segment, system, distance, questions, parts, domain in units.select(
            *UNIT, "apart", "question", "distance", "domain"
        ).iter_rows()
    ]
    return DisagreementList(tuple(entries), disagreement_count, settled_count, unit_count)


def _short_answers(table: pl.DataFrame, question: str) -> dict[tuple[str, str, str], tuple[tuple[str, str], ...]]:
    """Short answers to one question by unit, in the order of the judges' names."""
    rows = table.filter((pl.col("question") == question) & (pl.col("row") == ""))
    short = pl.coalesce(pl.col("label"), pl.col("score").map_elements(lambda x: f"{x:.12g}", return_dtype=pl.String))
    answers = rows.with_columns(short.alias("said")).filter(pl.col("said").is_not_null()).sort("judge")
    by_unit: dict[tuple[str, str, str], list[tuple[str, str]]] = {}
    for document, segment, system, judge, words in answers.select(*UNIT, "judge", "said").iter_rows():
        by_unit.setdefault((document, segment, system), []).append((judge, words))
    return {key: tuple(shown_answers) for key, shown_answers in by_unit.items()}


def unit_answers(
    table: pl.DataFrame, protocol: Protocol, unit: tuple[str, str, str], people: Sequence[str]
) -> UnitAnswers:
    """Everything said about one unit, also by models. Of outputs that were compared it holds what was answered about
    them in whichever order; answers are in the order of the unit."""
    systems = unit[2].split("|")
    place = (pl.col("document") == unit[0]) & (pl.col("segment") == unit[1])
    is_asked = pl.col("role").is_in([str(Role.MAIN), str(Role.CALIBRATION)])
    rows = table.filter(place & is_asked)
    rows = rows.filter("|".join(sorted(systems)) == SYSTEMS)
    answers: dict[str, dict[str, Json]] = {}
    orders: dict[tuple[str, str], list[str]] = {}
    """By question and judge ("" for what is agreed): the order in which the outputs stood."""
    agreed_answers: dict[str, Json] = {}
    seconds: dict[str, float] = {}
    kinds = {question.id: question for _, question in protocol.questions}
    columns = rows.select(
        "judge", "judge_kind", "question", "row", "system",
        "label", "score", "labels", "spans", "text", "ranks", "active",
    )  # fmt: skip
    for judge, kind, question, row, shown, *values, active in columns.iter_rows():
        value = _value(kinds.get(question), *values)
        if kind == str(JudgeKind.ADJUDICATED):
            _put(agreed_answers, question, row, value)
            orders[question, ""] = shown.split("|")
        else:
            _put(answers.setdefault(question, {}), judge, row, value)
            orders[question, judge] = shown.split("|")
            if active is not None:
                seconds[judge] = max(seconds.get(judge, 0.0), active)
    by_people = pl.col("judge").is_in(list(people)) & is_asked
    apart = distances(rows.filter(by_people), protocol, among=table.filter(by_people))
    parts = dict(apart.select("question", "distance").iter_rows())
    for question, by_judge in answers.items():
        for judge, value in by_judge.items():
            by_judge[judge] = in_order(protocol, question, value, orders[question, judge], systems)
    for question, value in agreed_answers.items():
        agreed_answers[question] = in_order(protocol, question, value, orders[question, ""], systems)
    return UnitAnswers(answers, seconds, parts, agreed_answers)


def _put(into: dict[str, Json], name: str, row: str, value: Json) -> None:
    if row:
        into.setdefault(name, {})[row] = value
    else:
        into[name] = value


def _value(question: Question | None, *cells: Json) -> Json:
    label, score, labels, spans, text, ranks = cells
    if spans is not None:
        return json.loads(spans)
    if labels is not None:
        return list(labels)
    if ranks is not None:
        return list(ranks)
    if label is not None and not isinstance(question, Scale | Number):
        return label
    return score if score is not None else text


# Who answers unlike the others

_MOST_INTERVALS = 12
_MOST_MERGES = 6
_MOST_COMPARED = 40
"""Judges compared each with each: pairs grow with the square, and nobody reads half a million of them."""


def divergence(
    rows: CountedRows,
    question: Question,
    people: Sequence[str],
    models: Sequence[str],
    protocol: Protocol | None = None,
) -> Divergence | None:
    """The panels' numbers; None where nobody has answered this question yet. `rows` are the answers that count."""
    entry = plan_question(question, protocol)
    if entry is None:
        return None
    try:
        ratings = question_ratings(rows.table, question)
    except StatisticError:
        return None
    there = set(ratings.judges)
    present = [name for name in (*people, *models) if name in there]
    if not present:
        return None
    ratings = ratings.only(present)
    persons = [name for name in people if name in there]
    own = ratings.only(persons) if persons else ratings
    everyone = ratings if len(present) > 1 else own
    several = len(persons) > 1
    busiest = _busiest(ratings)
    cells = _pairs(replace(rows, table=rows.table.filter(pl.col("judge").is_in(busiest.judges))), entry, busiest)
    divergence = partial(
        Divergence,
        question=question.id,
        people=tuple(persons),
        coefficient=_sign(entry.pairs),
        pairs=cells,
        not_compared=max(0, len(present) - _MOST_COMPARED),
    )
    if is_fine(question):
        units, bounds, spreads = spreading(everyone, question)
        leanings = leaning(own, replace(rows.selection, groups=("people",))) if several else ()
        return divergence(shared=units, bounds=bounds, spreads=spreads, leanings=leanings)
    units, shares = _shares(everyone, question)
    now, merges = _merges(own, _is_ordered(question)) if several and not own.sets else (None, ())
    return divergence(
        shared=units,
        labels=_names(ratings, question),
        shares=shares,
        odd=_odd_ones(own) if several else None,
        now=now,
        merges=merges,
        swaps=_swaps(own) if several and not own.sets else (),
        pooled=isinstance(question, Grid),
    )


def _sign(measure: PlannedMeasure) -> str:
    """What the coefficient is called: a grid's is the mean over its rows, as everywhere."""
    return f"{measure.sign}, mean of rows" if measure.part is AnswerPart.MEAN_OF_ROWS else measure.sign


def _busiest(ratings: Ratings) -> Ratings:
    """The ratings of the judges with the most answers, where there are too many to compare each with each."""
    if len(ratings.judges) <= _MOST_COMPARED:
        return ratings
    answers = np.bincount(ratings.judge, minlength=len(ratings.judges))
    busiest = np.sort(np.argsort(-answers, kind="stable")[:_MOST_COMPARED])
    return ratings.only([ratings.judges[at] for at in busiest])


def _pairs(rows: CountedRows, entry: QuestionPlan, ratings: Ratings) -> dict[tuple[str, str], PairAgreement]:
    """The coefficient of each two judges who share enough, as the report prints it, with the share of equal answers.
    Where judges are many, a pair's interval is left out: nobody reads hundreds of them."""
    how = Resampling() if len(ratings.judges) <= _MOST_INTERVALS else Resampling(method="none")
    cells: dict[tuple[str, str], PairAgreement] = {}
    codes = ratings.matrix()
    place = {name: at for at, name in enumerate(ratings.judges)}
    for result in pairs(rows, entry.pairs, entry, resampling=how):
        one, other = result.labels["judge"], result.labels["other"]
        n = result.counts.get("items", 0)
        mine, theirs = codes[:, place[one]], codes[:, place[other]]
        both = (mine >= 0) & (theirs >= 0)
        same = float((mine[both] == theirs[both]).mean()) if both.any() else None
        enough = n >= FEWEST_ITEMS
        cells[one, other] = PairAgreement(
            result.value if enough else None, n, result.low if enough else None, result.high if enough else None, same
        )
    return cells


def _names(ratings: Ratings, question: Question) -> tuple[str, ...]:
    return kinds(question) or ratings.labels


def _shares(ratings: Ratings, question: Question) -> tuple[int, dict[str, tuple[float, ...]]]:
    """On how many sentences (or documents) all judges have answered, and how often each gave each label there. The rows
    of a grid are answers about one sentence."""
    everyone = np.flatnonzero(ratings.per_item == len(ratings.judges))
    if len(everyone) == 0:
        return 0, {}
    codes = ratings.code[np.isin(ratings.item, everyone)].reshape(len(everyone), -1)  # in order of item and judge
    shares: dict[str, tuple[float, ...]] = {}
    for at, judge in enumerate(ratings.judges):
        if ratings.sets:
            names = _names(ratings, question)
            label_counts = Counter(label for code in codes[:, at] for label in ratings.sets[code])
            total = sum(label_counts.values()) or 1
            shares[judge] = tuple(label_counts[name] / total for name in names)
        else:
            counts = np.bincount(codes[:, at], minlength=len(ratings.labels))
            shares[judge] = tuple(float(count) / len(everyone) for count in counts)
    return len(np.unique(ratings.units[everyone])), shares


def _odd_ones(ratings: Ratings) -> AnswerSplits | None:
    """Count how the judges split on each unit with three answers or more, or two where there are only two judges."""
    every, who, items = ratings.slots
    enough = ratings.per_item[items] >= min(3, len(ratings.judges))
    codes, judges = every[enough], who[enough]
    if len(codes) == 0:
        return None
    given = codes >= 0
    n = given.sum(axis=1)
    row, slot = np.nonzero(given)
    _, place = distinct(row * len(ratings.labels) + codes[row, slot])
    alike = np.zeros(codes.shape, np.int32)  # how many others gave the same answer
    alike[row, slot] = np.bincount(place)[place] - 1
    all_agree = (np.where(given, alike, n[:, None] - 1) == n[:, None] - 1).all(axis=1)
    none_alike = ~all_agree & (np.where(given, alike, 0) == 0).all(axis=1)
    lone = given & (alike == 0)
    rest_agree = (np.where(given & ~lone, alike, n[:, None] - 2) == n[:, None] - 2).all(axis=1)
    alone = ~all_agree & ~none_alike & (lone.sum(axis=1) == 1) & rest_agree
    place = lone[alone].argmax(axis=1)
    row = np.arange(int(alone.sum()))
    own = codes[alone][row, place]
    theirs = codes[alone][row, np.where(place == 0, 1, 0)]
    names = judges[alone][row, place]
    by_count = [(ratings.judges[judge], times) for judge, times in Counter(names.tolist()).most_common()]
    first = names == ratings.judges.index(by_count[0][0]) if by_count else names == -1
    on_what = Counter(zip(own[first].tolist(), theirs[first].tolist(), strict=True)).most_common(3)
    return AnswerSplits(
        units=len(np.unique(ratings.units[items[enough]])),
        all_agree=int(all_agree.sum()),
        alone=tuple(by_count),
        none_alike=int(none_alike.sum()),
        divided=int((~all_agree & ~none_alike & ~alone).sum()),
        on_what=tuple((ratings.labels[mine], ratings.labels[other], times) for (mine, other), times in on_what),
    )


def _is_ordered(question: Question) -> bool:
    return kind_of(question).level(question) in ("ordinal", "interval")


def _merges(ratings: Ratings, ordered: bool) -> tuple[float | None, tuple[tuple[str, str, float], ...]]:
    """α (nominal) now, and how it changes when two labels count as one: largest gain first. Of labels in an order only
    neighbours among those given can be one.

    Merging two labels turns their disagreements into agreements and adds up their counts, so every merger follows from
    how often each two labels meet; the answers are gone through once.
    """
    if ratings.shown is not None:  # two systems are never one
        return None, ()
    patterns, size = ratings.patterns, len(ratings.labels)
    counts = label_counts(patterns.codes, size)
    several = patterns.size >= 2
    weight = patterns.count[several] / (patterns.size[several] - 1)
    counts = counts[several]
    together = (counts * weight[:, None]).T @ counts
    total = patterns.count[several] @ counts
    now = _nominal(together, total)
    answers = np.flatnonzero(total)
    if now is None or not 3 <= len(answers) <= 12:
        return now, ()
    changes = []
    places = answers[np.argsort(ratings.points[answers], kind="stable")]
    for one, other in pairwise(places) if ordered else combinations(answers, 2):
        keep = np.delete(np.arange(size), other)
        merger = np.eye(size)
        merger[other, one] = 1
        after = _nominal((merger.T @ together @ merger)[np.ix_(keep, keep)], (total @ merger)[keep])
        if after is not None:
            changes.append((ratings.labels[one], ratings.labels[other], after - now))
    changes.sort(key=lambda change: -change[2])
    return now, tuple(changes[:_MOST_MERGES])


def _nominal(together: np.ndarray, total: np.ndarray) -> float | None:
    """Nominal α from how often labels meet in an item, each with each, and how often each is given."""
    n = total.sum()
    expected_pairs = n**2 - (total**2).sum()
    if n < 2 or expected_pairs <= 0:
        return None
    return float(1 - (together.sum() - np.trace(together)) * (n - 1) / expected_pairs)


def _swaps(ratings: Ratings) -> tuple[Swap, ...]:
    """Judges for whom two labels are crossed more often than straight, beyond chance (p < .01); names of systems, where
    both were shown."""
    ratings, _ = ratings.by_shown
    size, answers = len(ratings.labels), len(ratings.item)
    incidence = sparse.csr_array((np.ones(answers), (ratings.item, ratings.code)), shape=(ratings.n_items, size))
    own = ratings.judge.astype(np.int64) * size + ratings.code
    whose = sparse.csr_array(
        (np.ones(answers), (own, ratings.item)), shape=(len(ratings.judges) * size, ratings.n_items)
    )
    together = (
        whose @ incidence
    ).toarray()  # judge and own label, by labels given to the same unit: their own once each
    together[np.arange(len(together)), np.arange(len(together)) % size] -= np.bincount(own, minlength=len(together))
    swaps = []
    for at, (judge, table) in enumerate(zip(ratings.judges, together.reshape(-1, size, size), strict=True)):
        for one, two in combinations(range(size), 2):
            # Both labels must be crossed: a judge who merely avoids one of them does not swap.
            crossings, straight = min(table[one, two], table[two, one]) * 2, table[one, one] + table[two, two]
            is_more = crossings >= 6 and crossings > straight
            if is_more and _crosses(ratings, incidence, at, (one, two)) < SWAP_LEVEL:
                total = int(table[one, two] + table[two, one])
                swaps.append(Swap(judge, (ratings.labels[one], ratings.labels[two]), total, int(straight)))
    return tuple(sorted(swaps, key=lambda swap: -swap.crossed))


def _crosses(ratings: Ratings, incidence: sparse.csr_array, judge: int, labels: tuple[int, int]) -> float:
    """p of the sign test over sentences: does a judge cross two labels in more of them than match? What the others
    answer to one sentence, and the rows of a grid about it, hang together."""
    own = (ratings.judge == judge) & np.isin(ratings.code, labels)
    items, is_first = ratings.item[own], ratings.code[own] == labels[0]
    others = incidence[items][:, list(labels)].toarray() - np.column_stack([is_first, ~is_first])
    crossed = np.where(is_first, others[:, 1] - others[:, 0], others[:, 0] - others[:, 1])
    by_sentence = np.bincount(ratings.units[items], crossed)
    more, decided = int((by_sentence > 0).sum()), int((by_sentence != 0).sum())
    return float(bdtrc(more - 1, decided, 0.5)) if decided else 1.0


BANDS = 20
_QUICK = Resampling(n=400, seed=1)


def spreading(ratings: Ratings, question: Question) -> tuple[int, tuple[float, float] | None, dict[str, Spread]]:
    """On the items that all have judged: how many, the ends of the scale, and each judge's spread."""
    everyone = np.flatnonzero(ratings.per_item == len(ratings.judges))
    if len(everyone) == 0:
        return 0, None, {}
    codes = ratings.code[np.isin(ratings.item, everyone)].reshape(len(everyone), -1)  # in order of item and judge
    values = ratings.points[codes]
    low, high = _ends(question, values)
    spreads = {}
    for at, judge in enumerate(ratings.judges):
        own = values[:, at]
        counts, _ = np.histogram(own, bins=BANDS, range=(low, high))
        quarter, middle, three_quarters = (float(x) for x in np.quantile(own, (0.25, 0.5, 0.75)))
        spreads[judge] = Spread(middle, quarter, three_quarters, tuple(float(n) / len(own) for n in counts))
    return len(everyone), (low, high), spreads


def _ends(question: Question, values: np.ndarray) -> tuple[float, float]:
    ends = (float(values.min()), float(values.max()))
    if isinstance(question, Scale):
        return float(question.min), float(question.max)
    low = question.min if isinstance(question, Number) and question.min is not None else ends[0]
    high = question.max if isinstance(question, Number) and question.max is not None else ends[1]
    return float(low), float(max(high, low + 1))


def leaning(ratings: Ratings, selection: Selection) -> tuple[JudgeSeverity, ...]:
    """Every judge against the mean of the others on the same items, the furthest first."""
    leanings = [
        JudgeSeverity(
            judge=result.labels["judge"],
            value=result.value,
            low=result.low,
            high=result.high,
            items=result.counts.get("items", 0),
            signature=str(signed(result.signature, selection)) if result.signature else "",
        )
        for result in severity(ratings, resampling=_QUICK)
        if result.value is not None
    ]
    return tuple(sorted(leanings, key=lambda entry: -abs(entry.value)))
