"""Systems scored by an automatic metric (sacreBLEU's), to choose the best of many before people judge them.

A score is of the whole set, over the segments that have a reference and that every system translated, so that systems
are compared on the same texts. Its interval comes from drawing whole documents again: sentences of one document are not
independent. It is a way to choose what to judge, not a verdict on the systems.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanner.errors import LannerError, MissingExtraError, did_you_mean
from lanner.model import Document, Json, Segment

METRICS = {"chrf": True, "chrf++": True, "bleu": True, "ter": False}
"""The metrics, and whether a higher score is better."""
DRAWS = 500
_TOKENS = {"zh": "zh", "yue": "zh", **dict.fromkeys(("ja", "ko", "th", "lo", "my", "km", "bo"), "char")}
"""How BLEU takes texts apart that have no spaces between words; others as 13a does."""


@dataclass(frozen=True, slots=True)
class Score:
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


def scores(documents: Sequence[Document], metric: str, *, reference: str = "", seed: int = 0) -> list[Score]:
    """Every system's score, best first."""
    if metric not in METRICS:
        raise LannerError(f"There is no metric {metric!r}.", next_step=did_you_mean(metric, METRICS))
    name = _reference(documents, reference)
    systems = tuple(dict.fromkeys(system for document in documents for system in document.systems))
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
    if name and name not in references:
        raise LannerError(f"There is no reference {name!r}.", next_step=did_you_mean(name, references))
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


def _score(scorer: Any, system: str, reference: str, segments: Sequence[Sequence[Segment]], seed: int) -> Score:
    """The counts that the metric rests on add up, so a document drawn again is its counts added again."""
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
    return Score(system, value, low, high, len(segments), sum(map(len, segments)), signature)
