"""From texts to judgements: how any metric rates any system's documents.

A metric gives numbers for each segment that can be added up (counts of matches, say, or a score and a one), and a
function that makes a score of such sums. So the same counts give segments, documents, systems, and every resample of
documents, and a system's score has an interval whatever the metric."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from lanner import protocols, registry
from lanner.errors import InputError, LannerError, did_you_mean
from lanner.model import Document, Interval, Judge, JudgeKind, Judgement, Protocol, Result, all_systems
from lanner.stats.resample import Array, Resampling, outcome, replicate_sums, sign

QUESTION = "score"


@dataclass(frozen=True, slots=True)
class Languages:
    """The language pair that a metric is made for."""

    source: str = "und"
    target: str = "und"


@dataclass(frozen=True, slots=True)
class Translation:
    """One system's output of one document beside its source and references; line by line, "" where there is none.
    `counted` says which lines are rated: the others are context only, or have no output or no reference."""

    system: str
    document: str
    segments: tuple[str, ...]
    sources: tuple[str, ...]
    outputs: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    counted: tuple[bool, ...]


class Metric(typing.Protocol):
    """What a metric is. `whole` metrics rate a document as one text and have no scores for segments. A metric whose
    scores lie between 0 and a highest value may name that as `top`, so that intervals stay within."""

    @property
    def name(self) -> str: ...

    @property
    def reference(self) -> bool: ...

    @property
    def whole(self) -> bool: ...

    @property
    def signature(self) -> str: ...

    def counts(self, translations: Sequence[Translation]) -> Sequence[Array]:
        """For each translation lines × k numbers that add up; one line if `whole`."""
        ...

    def score(self, sums: Array, *, single: bool) -> float:
        """The score of such sums, higher is better, NaN if undefined; `single` is True for one line alone."""
        ...


class Ratio:
    """What is counted is a part and a whole, and the score is the one over the other."""

    __slots__ = ()

    def score(self, sums: Array, *, single: bool) -> float:  # noqa: ARG002 - one line or many, the mean is the mean
        return float(sums[0] / sums[1]) if sums[1] else float("nan")


@dataclass(frozen=True, slots=True)
class MetricEntry:
    """A metric as it is listed: what it is in a sentence, what each option means, and how it is made for a language
    pair. A module with these three names does as well."""

    TITLE: str
    OPTIONS: Mapping[str, str]
    make: Callable[..., Metric]


@dataclass(frozen=True, slots=True)
class MetricRating:
    """What one metric says: its judge, a judgement for each segment, document and system, and the systems' scores."""

    judge: Judge
    judgements: tuple[Judgement, ...]
    result: Result


def rate(
    documents: Sequence[Document],
    metric: Metric,
    *,
    systems: Sequence[str] = (),
    references: Sequence[str] = (),
    resampling: Resampling | None = None,
) -> MetricRating:
    """Rate systems (all, if none are named) against references (all that there are, together). A reference is not
    rated against itself: it is left out, or refused where it was named."""
    resampling = resampling or Resampling()
    names = _references(documents, metric, references)
    every = list(all_systems(documents))
    selection = _apart(list(systems), names) or [name for name in every if name not in names]
    translations = [_translation(document, name, names) for name in selection for document in documents]
    parts = [part for part in translations if any(part.counted)]
    if not parts:
        what = "output with a reference" if metric.reference else "output"
        raise InputError(f"There is no {what} to rate.", next_step="Name a file that holds translations.")
    counts = dict(zip(((t.system, t.document) for t in parts), metric.counts(parts), strict=True))
    judge = Judge(
        f"{metric.name}-{'.'.join(names) if metric.reference else 'src'}",
        JudgeKind.METRIC,
        attributes={"metric": metric.name, "reference": ".".join(names), "signature": metric.signature},
    )
    judgements: list[Judgement] = []
    rows = []
    for name in selection:
        mine = [(part, counts.get((name, part.document))) for part in translations if part.system == name]
        judgements += _judgements(judge.id, metric, mine)
        row = _system(metric, name, [counts for _, counts in mine if counts is not None], resampling)
        judgements.append(Judgement(judge.id, "system", QUESTION, "", "", (name,), _number_or_none(row["score"])))
        rows.append(row)
    rows.sort(key=lambda row: -np.inf if np.isnan(row["score"]) else -row["score"])
    notes = tuple(dict.fromkeys(note for row in rows for note in row.pop("notes")))
    if not systems and (own := [name for name in every if name in names]):
        notes += (f"Not rated against themselves: {', '.join(own)}. Name other references to rate them.",)
    interval: Interval | None = next((row["interval"] for row in rows if row["interval"]), None)
    for row in rows:
        del row["interval"]
    signature = sign(metric.name, resampling, interval, by=metric.signature)
    return MetricRating(
        judge, tuple(judgements), Result(metric.name, None, rows=rows, notes=notes, signature=signature)
    )


def _apart(systems: list[str], references: Sequence[str]) -> list[str]:
    for name in systems:
        if name in references:
            others = "Rate it against others only, with references (--references)."
            raise InputError(f"{name} is one of the references and would be rated against itself.", next_step=others)
    return systems


def _references(documents: Sequence[Document], metric: Metric, names: Sequence[str]) -> list[str]:
    choices = list(dict.fromkeys(name for d in documents for segment in d for name in segment.references))
    if not metric.reference:
        return []
    for name in names:
        if name not in choices:
            raise InputError(
                f"There is no reference {name!r}.", next_step=f"There are: {', '.join(choices) or 'none'}."
            )
    if not choices:
        raise InputError(f"{metric.name} needs a reference, and these texts have none.")
    return list(names) or choices


def _translation(document: Document, system: str, references: Sequence[str]) -> Translation:
    outputs = [segment.text(system) for segment in document]
    texts = [[segment.references.get(name) for segment in document] for name in references]
    has_reference = tuple(
        segment.judged and output is not None and all(column[at] is not None for column in texts)
        for at, (segment, output) in enumerate(zip(document, outputs, strict=True))
    )
    return Translation(
        system,
        document.id,
        tuple(segment.id for segment in document),
        tuple(segment.source for segment in document),
        tuple(output or "" for output in outputs),
        tuple(tuple(text or "" for text in column) for column in texts),
        has_reference,
    )


def _number_or_none(score: float) -> float | None:
    return None if np.isnan(score) else float(score)


def _judgements(
    judge: str, metric: Metric, parts: Sequence[tuple[Translation, npt.NDArray[np.float64] | None]]
) -> list[Judgement]:
    rows = []
    for part, counts in parts:
        of: Mapping[str, Any] = {"judge": judge, "question": QUESTION, "systems": (part.system,)}
        whole = np.nan if counts is None else metric.score(counts.sum(axis=0), single=metric.whole)
        rows.append(Judgement(stage="document", document=part.document, segment="", value=_number_or_none(whole), **of))
        if metric.whole:
            continue
        for at, segment in enumerate(part.segments):
            rated = counts is not None and part.counted[at]
            value = metric.score(counts[at], single=True) if counts is not None and rated else np.nan
            flags = () if rated else ("missing",)
            rows.append(
                Judgement(
                    stage="segment",
                    document=part.document,
                    segment=segment,
                    value=_number_or_none(value),
                    flags=flags,
                    **of,
                )
            )
    return rows


def _system(metric: Metric, name: str, counts: Sequence[Array], resampling: Resampling) -> dict[str, Any]:
    if not counts:
        return {"system": name, "score": np.nan, "low": None, "high": None, "n": 0, "notes": (), "interval": None}
    sums = np.stack([part.sum(axis=0) for part in counts])
    bound = float(getattr(metric, "top", 0))
    negated = float(getattr(metric, "better", 1.0)) < 0  # such scores end at 0 above: the interval is of their size
    top = -1.0 if negated else bound or 1.0
    replicates = replicate_sums(
        sums, lambda resamples: np.array([[metric.score(row, single=False) / top] for row in resamples]), resampling
    )
    estimate = outcome(replicates, resampling, scale="logit" if bound else "log" if negated else "plain")
    low, high = None, None
    if estimate.interval:
        low, high = sorted((estimate.interval.low * top, estimate.interval.high * top))
    return {
        "system": name,
        "score": metric.score(sums.sum(axis=0), single=False),
        "low": low,
        "high": high,
        "n": len(counts),
        "notes": estimate.notes,
        "interval": estimate.interval,
    }


# Metrics by name: a file of this folder, an entry in one of them, or another package's entry point.


GROUP = "metrics"


def names() -> tuple[str, ...]:
    """Every metric there is, as it is written on the command line."""
    return tuple(name.replace("_", "-") for name in registry.names(GROUP))


def titles() -> dict[str, str]:
    """What each metric is, in a sentence."""
    return {name: _entry(name).TITLE for name in names()}


def make(name: str, languages: Languages, **options: Any) -> Metric:
    """The metric of that name for a language pair; an option it does not have is an error."""
    if name.replace("-", "_") not in (choice.replace("-", "_") for choice in names()):
        raise LannerError(f"There is no metric {name!r}.", next_step=did_you_mean(name, names()))
    entry = _entry(name)
    for option in options:
        if option not in entry.OPTIONS:
            known = ", ".join(entry.OPTIONS) or "none"
            hint = did_you_mean(option, entry.OPTIONS) or f"It has: {known}."
            raise LannerError(f"{name} has no option {option!r}.", next_step=hint)
    return entry.make(languages, **options)


def _entry(name: str) -> MetricEntry:
    return cast(MetricEntry, registry.plugin(GROUP, name))


# What a metric is asked, as a protocol: `scores.toml`.

DOCUMENT_QUESTION = "document_score"


@cache
def protocol() -> Protocol:
    """Two numbers: one for a segment, one for a document."""
    return protocols.load(Path(__file__).with_name("scores.toml"))


def answers(judgements: Iterable[Judgement]) -> list[Judgement]:
    """Those of the judgements that the protocol asks for: numbers for one system's segments and documents."""
    parts = []
    for judgement in judgements:
        number = isinstance(judgement.value, int | float) and not isinstance(judgement.value, bool)
        if judgement.question != QUESTION or not number or len(judgement.systems) != 1 or not judgement.document:
            continue
        parts.append(judgement if judgement.segment else replace(judgement, question=DOCUMENT_QUESTION))
    return parts
