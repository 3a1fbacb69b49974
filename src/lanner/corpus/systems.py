"""Choose which systems' outputs go on: all, named ones, or the best by some score.

The score may be an automatic metric's (sacreBLEU's): of the whole set, over the segments that have a reference and that
every system translated, so that systems are compared on the same texts. Its interval comes from drawing whole documents
again: sentences of one document are not independent. It is a way to choose what to judge, not a verdict on the systems.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

import numpy as np

from lanner.errors import LannerError, MissingExtraError, check_known
from lanner.model import Document, Json, Segment, all_systems


def only(document: Document, systems: Collection[str]) -> Document:
    """The document with the outputs of these systems only; everything else stays as it is."""
    segments = tuple(
        replace(segment, outputs={name: text for name, text in segment.outputs.items() if name in systems})
        for segment in document.segments
    )
    return replace(document, segments=segments)


def check_names(names: Iterable[str], available: Iterable[str]) -> tuple[str, ...]:
    """The wanted names, checked against those there are."""
    choices = tuple(available)
    unique_names = tuple(dict.fromkeys(names))
    for name in unique_names:
        check_known(name, choices, f"No document has an output of {name!r}.")
    return unique_names


def best(scores: Mapping[str, float], count: int, *, higher_is_better: bool = True) -> tuple[str, ...]:
    """The `count` systems with the best scores, best first; equal scores in order of name."""
    if len(scores) < count:
        have = ", ".join(sorted(scores)) or "none"
        raise LannerError(
            f"{count} systems are asked for and {len(scores)} have scores.",
            next_step=f"Ask for fewer, or give scores for more systems (scored now: {have}).",
        )
    sign = -1.0 if higher_is_better else 1.0
    return tuple(sorted(scores, key=lambda name: (sign * scores[name], name))[:count])


def mean_scores(documents: Iterable[Document], column: str) -> dict[str, float]:
    """Each system's mean of a score that the segments carry in `meta[column]`, an object from system to number, over
    the judged segments that have a score of every system: others may be easier."""
    every = [numbers_by_system(segment, column) for document in documents for segment in document if segment.judged]
    systems = list(dict.fromkeys(name for numbers in every for name in numbers))
    if not systems:
        raise LannerError(
            f"No segment has scores under {column!r}.",
            next_step="Give the scores as a file or name the column that holds an object from system to score.",
        )
    complete = [numbers for numbers in every if len(numbers) == len(systems)]
    if not complete:
        raise LannerError(
            f"No segment has a score of every system ({', '.join(systems)}) under {column!r}.",
            next_step="Choose systems by name first, or give the scores that are missing.",
        )
    return {name: fmean(numbers[name] for numbers in complete) for name in systems}


def numbers_by_system(segment: Segment, column: str) -> dict[str, float]:
    """The scores that a segment carries."""
    cells = segment.meta.get(column)
    numbers = {name: _number(cell) for name, cell in cells.items()} if isinstance(cells, Mapping) else {}
    return {name: number for name, number in numbers.items() if number is not None}


def _number(cell: object) -> float | None:
    """A score as files hold it: a number, or a number in a cell of text."""
    if isinstance(cell, bool) or not isinstance(cell, int | float | str):
        return None
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


METRICS = {"chrf": True, "chrf++": True, "bleu": True, "ter": False}
"""The metrics, and whether a higher score is better."""
DRAWS = 500
_TOKENS = {"zh": "zh", "yue": "zh", **dict.fromkeys(("ja", "ko", "th", "lo", "my", "km", "bo"), "char")}
"""How BLEU takes texts apart that have no spaces between words; others as 13a does."""


@dataclass(frozen=True, slots=True)
class SystemScore:
    """A system's score with a 95 % interval over documents, and on how much it rests."""

    system: str
    value: float
    low: float | None
    high: float | None
    documents: int
    segments: int
    signature: str

    def row(self) -> dict[str, Json]:
        """The score as a row of the manifest."""
        return {
            "system": self.system,
            "score": round(self.value, 2),
            "low": None if self.low is None else round(self.low, 2),
            "high": None if self.high is None else round(self.high, 2),
            "documents": self.documents,
            "segments": self.segments,
            "signature": self.signature,
        }


def scores(documents: Sequence[Document], metric: str, *, reference: str = "", seed: int = 0) -> list[SystemScore]:
    """Every system's score, best first."""
    check_known(metric, METRICS, f"There is no metric {metric!r}.")
    name = _reference(documents, reference)
    systems = all_systems(documents)
    if not systems:
        raise LannerError("There are no outputs to choose from.", next_step="Give texts with translations.")
    segments = [[segment for segment in document if _counts(segment, name, systems)] for document in documents]
    segments = [segments for segments in segments if segments]
    if not segments:
        raise LannerError(
            f"No segment has the reference {name!r} and an output of every system ({', '.join(systems)}).",
            next_step="Choose systems by name first, or name another reference.",
        )
    scorer = _scorer(metric, documents[0].target_language)
    scores = [_score(scorer, system, name, segments, seed) for system in systems]
    return sorted(scores, key=lambda score: (-score.value if METRICS[metric] else score.value, score.system))


def _reference(documents: Iterable[Document], name: str) -> str:
    references = dict.fromkeys(name for document in documents for segment in document for name in segment.references)
    if not references:
        raise LannerError(
            "The texts have no reference, which the metric needs.",
            next_step="Give one, or choose systems by name or by scores.",
        )
    if name:
        check_known(name, references, f"There is no reference {name!r}.")
    return name or next(iter(references))


def _counts(segment: Segment, reference: str, systems: Iterable[str]) -> bool:
    complete = all(system in segment.outputs for system in systems)
    return segment.judged and bool(segment.references.get(reference, "").strip()) and complete


def _scorer(metric: str, language: str) -> Any:
    try:
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF
        from sacrebleu.metrics.ter import TER
    except ImportError as error:
        raise MissingExtraError("Choosing systems by an automatic metric", "metrics") from error
    match metric:
        case "bleu":
            return BLEU(tokenize=_TOKENS.get(language.partition("-")[0], "13a"))
        case "ter":
            return TER(asian_support=language.partition("-")[0] in _TOKENS)
        case _:
            return CHRF(word_order=2 if metric == "chrf++" else 0)


def _score(scorer: Any, system: str, reference: str, segments: Sequence[Sequence[Segment]], seed: int) -> SystemScore:
    """Score one system. The counts that the metric rests on add up, so resampling a document adds its counts again."""
    counts = np.array(
        [
            np.sum(
                scorer._extract_corpus_statistics(
                    [segment.outputs[system] for segment in segments],
                    [[segment.references[reference] for segment in segments]],
                ),
                axis=0,
            )
            for segments in segments
        ]
    )
    value = float(scorer._compute_score_from_stats(counts.sum(axis=0).tolist()).score)
    low = high = None
    if len(counts) > 1:
        rng = random.Random(f"{seed} {len(counts)}")  # the same draws for every system
        draws = [rng.choices(range(len(counts)), k=len(counts)) for _ in range(DRAWS)]
        resamples = sorted(
            float(scorer._compute_score_from_stats(counts[draw].sum(axis=0).tolist()).score) for draw in draws
        )
        low, high = resamples[round(0.025 * (DRAWS - 1))], resamples[round(0.975 * (DRAWS - 1))]
    signature = f"{scorer.get_signature()}|documents drawn:{DRAWS}|seed:{seed}"
    return SystemScore(system, value, low, high, len(segments), sum(map(len, segments)), signature)
