"""Agreement, all in one place: every coefficient by its name, and the set of them that suits a question.

Each coefficient takes a table (tidy frame, Polars or pandas), a question, and the same options for choosing answers
(`judges`, `stage`, `row`, `system`, `labels`, `roles`) and for the interval (`resampling`); see the modules `ratings`
and `resample`.

`reading` says what a number means, in words for people who did not compute it, and on which published scale.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from lanner import registry
from lanner.errors import StatisticError
from lanner.model import Result
from lanner.model.messages import plural
from lanner.stats import coefficients
from lanner.stats import spans as span_coefficients
from lanner.stats.coefficients import (
    SCALES,
    accuracy,
    alpha,
    band,
    band_of,
    bands_of_ends,
    brennan_prediger,
    conger,
    documents_too_few,
    fleiss,
    gwet,
    jaccard,
    kappa,
    macro_f1,
    micro_f1,
    pairwise,
    percent,
    scale_of,
    scott,
    wmt,
)
from lanner.stats.diagnosis import prevalence, self_agreement
from lanner.stats.estimate import Statistic
from lanner.stats.frame import groups, tidy
from lanner.stats.icc import icc
from lanner.stats.ratings import Ratings, ratings
from lanner.stats.resample import FEW, Resampling, labelled
from lanner.stats.spans import gamma, spans

__all__ = [
    "COEFFICIENTS",
    "accuracy",
    "all_coefficients",
    "alpha",
    "band",
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
    "scale_of",
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


# What a number means in words


def meaning(result: Result) -> str:
    """What the statistic measures and what would change it, without the number's own reading."""
    words = SCALES["meaning"].get(result.name, {})
    title = words.get("title", result.name)
    return " ".join(filter(None, (f"{title} is {words['says']}" if "says" in words else "", words.get("changes", ""))))


def reading(result: Result, *, scale: str | None = None, brief: bool = False) -> str:
    """What a Result says: the number and its meaning, the bands it and its interval fall in, what would change it. A
    `brief` one has the number and its bands alone, for readers who have just read the rest of another number."""
    words = SCALES
    meaning = words["meaning"].get(result.name, {})
    title = meaning.get("title", result.name)
    if result.value is None:
        return f"{title}: no value. {' '.join(result.notes[:1])}".strip()
    number = (f"{result.value:.0%}" if meaning.get("share") else f"{result.value:.2f}").replace("-", "−")
    says = "says" in meaning and not brief
    sentences = [f"{title} {number}: {meaning['says']}" if says else f"{title} {number}."]
    scale = scale or scale_of(result.name)
    if scale:
        sentences.append(_on_scale(result, scale, cited=not brief))
    elif result.interval:
        sentences.append(
            f"With {result.interval.level:.0%} confidence between {_ends(result, bool(meaning.get('share')))}."
        )
    if brief:
        return " ".join(sentences)
    sentences += [meaning["changes"]] if "changes" in meaning else []
    documents = result.counts.get("documents")
    if documents is not None and documents < FEW:
        sentences.append(
            f"It rests on {documents} document{'s' if documents != 1 else ''}; more documents would narrow the "
            "interval, more sentences of the same ones hardly."
        )
    return " ".join(sentences)


def _ends(result: Result, share: bool) -> str:
    assert result.interval is not None
    ends = (result.interval.low, result.interval.high)
    return " and ".join(f"{end:.0%}" if share else f"{end:.2f}" for end in ends).replace("-", "−")


def _on_scale(result: Result, scale: str, *, cited: bool = True) -> str:
    assert result.value is not None
    if (documents := documents_too_few(result)) is not None:
        few = plural(documents, "document")
        if result.interval is None:
            return f"No interval says how far off it may be on {few}, so whether that is high or low is not said."
        between = f"{result.interval.level:.0%} confidence between {_ends(result, share=False)}"
        return f"With {between}, but {few} are too few to say whether that is high or low."
    here = band_of(result, scale)
    on_scale = f"On the scale of {SCALES['scale'][scale]['citation']}: {here}" if cited else here[:1].upper() + here[1:]
    if result.interval is None:
        return f"{on_scale}."
    ends = (result.interval.low, result.interval.high)
    low, high = bands_of_ends(result, scale)
    between = f"{result.interval.level:.0%} confidence between {_ends(result, share=False)}"
    if SCALES["scale"][scale].get("either_sign") and ends[0] < 0 < ends[1]:
        return f"{on_scale}. With {between}: no relation at all is possible, too."
    if low == high:
        return f"{on_scale}. With {between}, all of it {here}."
    # the band of the number alone may not hold, so it is no sentence; nor is the reason behind a band, after its colon
    on_scale = on_scale.removesuffix(here[len(here.partition(":")[0]) :])
    return f"{on_scale} as it stands, but with {between}: from {low} to {high}."
