"""The computations that study files name. Each takes the parts of the released data and options, and gives a number."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from lanner.errors import InputError, did_you_mean
from lanner.material import Material
from lanner.model import Choice, Result
from lanner.stats import association, diagnosis, effort, preference, regression
from lanner.stats.agreement import COEFFICIENTS
from lanner.stats.concordance import Coefficient
from lanner.stats.resample import Resampling

Parts = Mapping[str, Material]
Computation = Callable[..., float | None]
_QUICK = Resampling(n=1)
"""Only the estimate is compared with print, so no resamples are drawn for intervals nobody looks at."""


def _part(parts: Parts, name: str, judges: Sequence[str] = (), documents: str = "") -> Material:
    if name not in parts:
        raise InputError(f"The data has no part {name!r}.", next_step=did_you_mean(name, parts))
    found = parts[name].only(judges) if judges else parts[name]
    return found.matching(documents) if documents else found


def _labels(part: Material, question: str) -> dict[str, Any]:
    found = part.protocol.find(question) if part.protocol else None
    return {"labels": [o.id for o in found[1].options]} if found and isinstance(found[1], Choice) else {}


def _only(results: Sequence[Result], **labels: str) -> float | None:
    fitting = [r for r in results if all(r.labels.get(name) == value for name, value in labels.items())]
    return fitting[0].value if fitting else None


def agreement(
    parts: Parts,
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
    found = _part(parts, part, judges, documents)
    table = _as_items(found.table, same) if same else found.table
    chosen = {**_labels(found, question), **options}
    value = COEFFICIENTS[statistic](table, question, resampling=_QUICK, **chosen).value
    return None if value is None else scale * value


def _as_items(table: pl.DataFrame, pattern: str) -> pl.DataFrame:
    return table.with_columns(pl.col("document").str.extract(pattern, 1).fill_null(pl.col("document")))


def merged(parts: Parts, *, part: str, question: str, judges: Sequence[str], labels: Sequence[str]) -> float | None:
    """κ of two judges after two labels are taken as one."""
    found = _part(parts, part, judges)
    results = diagnosis.merging(found.table, question, resampling=_QUICK, **_labels(found, question))
    return next((r.value for r in results if set(r.labels["merged"].split(" + ")) == set(labels)), None)


def disagreement(
    parts: Parts, *, part: str, question: str, judges: Sequence[str], label: str, side: str = "both"
) -> float | None:
    """The share of a label among the items on which two judges differ, in percent."""
    found = _part(parts, part, judges)
    results = diagnosis.disagreements(found.table, question, resampling=_QUICK, **_labels(found, question))
    value = _only(results, side=side, label=label)
    return None if value is None else 100 * value


def label_share(
    parts: Parts, *, part: str, question: str, judge: str, label: str, domain: str = "", among: str = "items"
) -> float | None:
    """In percent, how many of a judge's items have the label, or its share among all labels the judge gave."""
    found = _part(parts, part, [judge])
    found = found.in_domain(domain) if domain else found
    values = [j.value for j in found.judgements if j.question == question and j.value is not None]
    given = [value if isinstance(value, list) else [value] for value in values]
    if not given:
        return None
    if among == "items":
        return 100 * sum(label in labels for labels in given) / len(given)
    return 100 * sum(labels.count(label) for labels in given) / sum(map(len, given))


def correlation(parts: Parts, *, part: str, of: str, method: Coefficient, judges: Sequence[str] = ()) -> float | None:
    """Correlation of a measure between two judges."""
    table = _part(parts, part, judges).table
    return association.correlations(table, of, methods=[method], resampling=_QUICK).value


def regress(
    parts: Parts,
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
    table = _part(parts, part, [judge]).table
    found = regression.regress(table, outcome, predictors, errors="classical", fill=fill, resampling=_QUICK)
    if give == "r2":
        return found.value
    wanted = "intercept" if give == "intercept" else term
    row = next((row for row in found.rows if row["term"] == wanted), None)
    return None if row is None else row[{"intercept": "value", "coefficient": "value"}.get(give, give)]


def throughput(
    parts: Parts, *, part: str, judge: str, of: str, domain: str = "all", pooled: bool = False, without: str = ""
) -> float | None:
    """Sentences a minute, by the time of a question; answers that carry the flag `without` are left out."""
    table = _part(parts, part, [judge]).table.filter(pl.col("question") == of)
    if without:
        table = table.filter(~pl.col("flags").list.contains(without).fill_null(False))
    found = effort.throughput(table, pooled=pooled, resampling=_QUICK)
    return next((row["value"] for row in found.rows if row["domain"] == domain), None)


def texts(parts: Parts, *, part: str, count: str, domain: str = "") -> float:
    """How many documents or segments, in all or in a domain."""
    documents = [d for d in _part(parts, part).documents if not domain or d.domain == domain]
    return float(len(documents) if count == "documents" else sum(len(d.segments) for d in documents))


def chosen_number(parts: Parts, *, part: str, question: str, judge: str, number: int) -> float | None:
    """In percent, on how many items a judge chose exactly so many labels."""
    sizes = _part(parts, part, [judge]).table.filter(pl.col("question") == question)["labels"].list.len().drop_nulls()
    return 100 * float((sizes == number).mean()) if len(sizes) else None  # type: ignore[arg-type]


def preferred(
    parts: Parts, *, part: str, question: str, favour: str, give: str, documents: str = "", judge: str = "all"
) -> float | None:
    """From the sign test: wins, ties, losses, x, n, or a p-value (p_drop, p_split)."""
    table = _part(parts, part, (), documents).table
    found = preference.sign_test(table, question, favour=favour, resampling=_QUICK)
    return next((float(row[give]) for row in found.rows if row["judge"] == judge), None)


def majority(parts: Parts, *, part: str, question: str, give: str, documents: str = "", same: str = "") -> float | None:
    """From the majority vote on each item: percent_one, percent_tie, percent_two."""
    table = _part(parts, part, (), documents).table
    found = preference.majority(_as_items(table, same) if same else table, question, resampling=_QUICK)
    return float(found.rows[0][give]) if found.rows else None


def control_misses(parts: Parts, *, part: str, questions: str, give: str) -> float | None:
    """Control items and how many of them were missed, over the questions whose id fits a pattern."""
    found = _part(parts, part)
    answered = [j for j in found.judgements if j.role == "control" and re.search(questions, j.question)]
    if give == "items":
        return float(len(answered))
    spoiled = {document.id: document.meta.get("spam") for document in found.documents}
    return float(sum(not _won(j.systems, j.value, str(spoiled.get(j.document))) for j in answered))


def _won(systems: Sequence[str], ranks: Sequence[int], spoiled: str) -> bool:
    """Whether the output that was not made nonsense is strictly preferred."""
    sound = next(place for place, system in enumerate(systems) if system != spoiled)
    return ranks[sound] < ranks[1 - sound]


COMPUTATIONS: dict[str, Computation] = {
    made.__name__: made
    for made in (
        agreement, merged, disagreement, label_share, correlation, regress, throughput, texts, chosen_number,
        preferred, majority, control_misses,
    )
}  # fmt: skip
