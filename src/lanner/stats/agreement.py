"""Agreement, all in one place: every coefficient by its name, and the set of them that suits a question.

Each coefficient takes a table (tidy frame, Polars or pandas), a question, and the same options for choosing answers
(`judges`, `stage`, `row`, `system`, `labels`, `roles`) and for the interval (`resampling`); see the modules
`selection` and `resample`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from lanner import registry
from lanner.errors import StatisticError
from lanner.model import Result
from lanner.stats import coefficients
from lanner.stats import spans as span_coefficients
from lanner.stats.alpha import alpha
from lanner.stats.coefficients import brennan_prediger, conger, fleiss, gwet, kappa, pairwise, percent, scott, wmt
from lanner.stats.diagnosis import prevalence, self_agreement
from lanner.stats.estimate import Statistic
from lanner.stats.frame import tidy
from lanner.stats.gamma import gamma
from lanner.stats.icc import icc
from lanner.stats.ratings import Ratings, ratings
from lanner.stats.resample import Resampling
from lanner.stats.spans import accuracy, jaccard, macro_f1, micro_f1, spans
from lanner.stats.wide import groups, labelled

__all__ = [
    "COEFFICIENTS",
    "accuracy",
    "all_coefficients",
    "alpha",
    "brennan_prediger",
    "conger",
    "fleiss",
    "gamma",
    "grouped",
    "gwet",
    "icc",
    "jaccard",
    "kappa",
    "macro_f1",
    "micro_f1",
    "overview",
    "pairwise",
    "percent",
    "scott",
    "self_agreement",
    "spans",
    "wmt",
]

COEFFICIENTS: dict[str, Statistic] = {
    statistic.name: statistic
    for statistic in (*vars(coefficients).values(), alpha, icc, *vars(span_coefficients).values(), gamma)
    if isinstance(statistic, Statistic)
}
"""Every coefficient by name, for command lines and analysis plans: whatever these modules define is among them."""


@cache
def all_coefficients() -> dict[str, Statistic]:
    """Every coefficient by name: ours, and those that other packages name under the entry point `lanner.statistics`."""
    additions = registry.additions("statistics")
    for name, entry in additions.items():
        if not isinstance(entry, Statistic):
            raise StatisticError(
                f"The plug-in {name!r} is no statistic.",
                next_step="Its entry point must name a `lanner.stats` statistic.",
            )
    return {**COEFFICIENTS, **{name: entry for name, entry in additions.items() if isinstance(entry, Statistic)}}


def overview(data: Any, question: str = "", *, resampling: Resampling | None = None, **select: Any) -> list[Result]:
    """The coefficients that suit the answers: labels, ordered labels, scores, label sets or spans."""
    how = resampling or Resampling()
    answers = ratings(data, question, **{"value": ("spans", "label", "labels", "score"), **select})
    labels = {"question": answers.question} if answers.question else {}
    return [labelled(result, labels) for result in _suitable_results(answers, how)]


def _suitable_results(answers: Ratings, how: Resampling) -> list[Result]:
    if answers.marked:
        severe = [spans(answers, severities="mqm", resampling=how)] if answers.graded else []
        return [spans(answers, resampling=how), spans(answers, match="touching", resampling=how), *severe]
    if answers.sets:
        levels = [alpha(answers, level=level, resampling=how) for level in ("jaccard", "masi")]
        return [*(f(answers, resampling=how) for f in (jaccard, micro_f1, macro_f1, accuracy)), *levels]
    if answers.scored:
        return [
            alpha(answers, level="interval", resampling=how),
            alpha(answers, level="ordinal", resampling=how),
            kappa(answers, weights="quadratic", resampling=how),
            icc(answers, form="2,1", resampling=how),
            icc(answers, form="3,1", resampling=how),
        ]
    agreement, chance_corrected, ac1, common = prevalence(answers, resampling=how)
    more = [kappa(answers, resampling=how)] if chance_corrected.name != "kappa" else []
    results = [agreement, *more, chance_corrected, ac1, alpha(answers, level="nominal", resampling=how), common]
    if answers.ordered:
        results += [kappa(answers, weights=w, resampling=how) for w in ("linear", "quadratic")]
        results.append(alpha(answers, level="ordinal", resampling=how))
    return results


def grouped(
    of: Statistic | Sequence[Statistic], data: Any, question: str = "", *, by: str | Iterable[str], **options: Any
) -> list[Result]:
    """A statistic within each group of rows, for instance `by="domain"`; `labels` say which group a Result is about."""
    table, notes = tidy(data)
    columns = [by] if isinstance(by, str) else list(by)
    statistics = [of] if isinstance(of, Statistic) else list(of)
    if question:
        table = table.filter(table["question"] == question)
    return [
        labelled(replace(result, notes=(*notes, *result.notes)), group)
        for group, part in groups(table, columns)
        for statistic in statistics
        for result in [statistic(part, question, **options)]
    ]
