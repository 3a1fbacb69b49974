"""The computations that study files name. Each takes the data and options, and gives a number, words, or nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from lanner.model import Result
from lanner.stats import association, diagnosis, preference
from lanner.stats.agreement import COEFFICIENTS
from lanner.stats.association import Coefficient
from lanner.stats.ratings import EVERY_KIND
from lanner.stats.resample import Resampling
from lanner.studies import claims, error_spans, scenario_world, scorers, sentences, survey_world
from lanner.studies.data import Data, Found

Computation = Callable[..., Found | float | str | None]
_QUICK = Resampling(n=1)
"""Only the estimate is compared with print, so no resamples are drawn for intervals nobody looks at."""


def _only(results: Sequence[Result], **labels: str) -> float | None:
    fitting = [r for r in results if all(r.labels.get(name) == value for name, value in labels.items())]
    return fitting[0].value if fitting else None


def agreement(
    data: Data,
    *,
    part: str,
    statistic: str,
    question: str,
    judges: Sequence[str] = (),
    documents: str = "",
    same: str = "",
    scale: float = 1.0,
    **options: Any,
) -> float | None:
    """A coefficient on one question. `same` is a pattern that finds what makes two documents one item."""
    table = data.table(part, judges, documents, question=question)
    who = {"kinds": EVERY_KIND} if judges else {}  # a study names whom it compares: people and models, as a rule
    arguments = {**data.labels(part, question), **who, **options}
    value = COEFFICIENTS[statistic](_as_items(table, same), question, resampling=_QUICK, **arguments).value
    return None if value is None else scale * value


def _as_items(table: pl.DataFrame, pattern: str) -> pl.DataFrame:
    if not pattern:
        return table
    return table.with_columns(pl.col("document").str.extract(pattern, 1).fill_null(pl.col("document")))


def _diagnosed(
    data: Data,
    diagnose: Callable[..., Sequence[Result]],
    part: str,
    question: str,
    judges: Sequence[str],
    *,
    documents: str = "",
    same: str = "",
) -> Sequence[Result]:
    """What two judges see differently on one question; many cells of a table read it."""
    key = (diagnose.__name__, part, question, tuple(judges), documents, same)
    if key not in data.kept:
        table = _as_items(data.table(part, judges, documents, question=question), same)
        data.kept[key] = diagnose(table, question, resampling=_QUICK, **data.labels(part, question))
    results: Sequence[Result] = data.kept[key]
    return results


def merged(data: Data, *, part: str, question: str, judges: Sequence[str], labels: Sequence[str]) -> float | None:
    """κ of two judges after two labels are taken as one."""
    results = _diagnosed(data, diagnosis.merging, part, question, judges)
    return next((r.value for r in results if set(r.labels["merged"].split(" + ")) == set(labels)), None)


def disagreement(
    data: Data, *, part: str, question: str, judges: Sequence[str], label: str, side: str = "both"
) -> float | None:
    """The share of a label among the items on which two judges differ, in percent."""
    results = _diagnosed(data, diagnosis.disagreements, part, question, judges)
    value = _only(results, side=side, label=label)
    return None if value is None else 100 * value


def confusion_count(
    data: Data,
    *,
    part: str,
    question: str,
    judges: Sequence[str],
    one: str,
    other: str,
    documents: str = "",
    same: str = "",
) -> float | None:
    """How often the first judge gave one label where the second gave the other."""
    results = _diagnosed(data, diagnosis.confusion, part, question, judges, documents=documents, same=same)
    if not results:
        return None
    rows, (first, _) = results[0].rows, (results[0].labels["judge"], results[0].labels["other"])
    pick, across = (one, other) if first == judges[0] else (other, one)
    row = next((row for row in rows if pick in row.values()), None)
    return None if row is None else float(row.get(across, 0))


def label_share(
    data: Data, *, part: str, question: str, judge: str, label: str, domain: str = "", among: str = "items"
) -> float | None:
    """In percent, how many of a judge's items have the label, or its share among all labels the judge gave."""
    answers = sentences.given(data, part, question, judge, domain)
    if not answers:
        return None
    if among == "items":
        return 100 * sum(label in labels for labels in answers) / len(answers)
    return 100 * sum(labels.count(label) for labels in answers) / sum(map(len, answers))


def correlation(data: Data, *, part: str, of: str, method: Coefficient, judges: Sequence[str] = ()) -> float | None:
    """Correlation of a measure between two judges."""
    return association.correlations(data.table(part, judges), of, methods=[method], resampling=_QUICK).value


def regress(
    data: Data,
    *,
    part: str,
    judge: str,
    outcome: str,
    predictors: Sequence[str],
    give: str = "r2",
    term: str = "",
    fill: float | None = None,
) -> float | None:
    """From a least-squares model of one judge: R², the intercept, or a coefficient with its classical interval."""
    result = claims.model(data, part, judge, outcome, predictors, fill=fill)
    if give == "r2":
        return result.value
    term_name = "intercept" if give == "intercept" else term
    row = next((row for row in result.rows if row["term"] == term_name), None)
    return None if row is None else row[{"intercept": "value", "coefficient": "value"}.get(give, give)]


def throughput(
    data: Data, *, part: str, judge: str, of: str, domain: str = "all", pooled: bool = False, without: str = ""
) -> float | None:
    """Sentences a minute, by the time of a question; answers that carry the flag `without` are left out."""
    return sentences.rates(data, part, judge, of, pooled=pooled, without=without).get(domain)


def chosen_number(data: Data, *, part: str, question: str, judge: str, number: int) -> float | None:
    """In percent, on how many items a judge chose exactly so many labels."""
    sizes = sentences.numbers_chosen(data, part, question, judge)
    return 100 * sizes.count(number) / len(sizes) if sizes else None


def preferred(
    data: Data, *, part: str, question: str, favour: str, give: str, documents: str = "", judge: str = "all"
) -> float | None:
    """From the sign test: wins, ties, losses, x, n, a p-value (p_drop, p_split), or percent_ of wins, ties, losses."""
    key = ("sign test", part, question, favour, documents)
    if key not in data.kept:
        table = data.table(part, (), documents)
        data.kept[key] = preference.sign_test(table, question, favour=favour, resampling=_QUICK).rows
    rows: Sequence[dict[str, Any]] = data.kept[key]
    row = next((row for row in rows if row["judge"] == judge), None)
    if row is None:
        return None
    if give.startswith("percent_"):
        total = row["wins"] + row["ties"] + row["losses"]
        return 100 * float(row[give.removeprefix("percent_")]) / total if total else None
    return float(row[give])


def majority(data: Data, *, part: str, question: str, give: str, documents: str = "", same: str = "") -> float | None:
    """From the majority vote on each item: percent_one, percent_tie, percent_two."""
    table = _as_items(data.table(part, (), documents), same)
    result = preference.majority(table, question, resampling=_QUICK)
    return float(result.rows[0][give]) if result.rows else None


def control_misses(data: Data, *, part: str, questions: str, give: str) -> float | None:
    """Control items, how many of them were missed, and how many of those by a tie, over questions that fit."""
    material = data.part(part)
    answers = [j for j in material.judgements if j.role == "control" and re.search(questions, j.question)]
    if give == "items":
        return float(len(answers))
    spoiled_output = {document.id: str(document.meta.get("spam")) for document in material.documents}
    misses = [j for j in answers if not _won(j.systems, j.value, spoiled_output.get(j.document, ""))]
    if give == "raters without a miss":
        return float(len({j.judge for j in answers} - {j.judge for j in misses}))
    if give == "ties":
        return float(sum(j.value[0] == j.value[1] for j in misses))
    return float(len(misses))


def _won(systems: Sequence[str], ranks: Sequence[int], spoiled: str) -> bool:
    """Whether the output that was not made nonsense is strictly preferred."""
    sound = next(place for place, system in enumerate(systems) if system != spoiled)
    return ranks[sound] < ranks[1 - sound]


def of_printed(data: Data, *, numbers: Sequence[float]) -> float:  # noqa: ARG001 - every computation takes the data
    """The plain mean of numbers that the paper itself prints: whether its own rows give its own summary."""
    return sum(numbers) / len(numbers)


_ALL: tuple[Computation, ...] = (
    agreement,
    merged,
    disagreement,
    confusion_count,
    label_share,
    correlation,
    regress,
    throughput,
    chosen_number,
    preferred,
    majority,
    control_misses,
    of_printed,
    *sentences.COMPUTATIONS,
    *claims.COMPUTATIONS,
    *error_spans.COMPUTATIONS,
    *scorers.COMPUTATIONS,
    *scenario_world.COMPUTATIONS,
    *survey_world.COMPUTATIONS,
)
COMPUTATIONS: dict[str, Computation] = {made.__name__: made for made in _ALL}
