"""A metric: how near the length of a translation is to that of its source, from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lanner.metrics import Languages, Metric, Translation

TITLE = "nearness of lengths: the shorter text's characters over the longer's"
OPTIONS: dict[str, str] = {}


@dataclass(frozen=True)
class _Length:
    name: str = "length"
    reference: bool = False
    whole: bool = False
    signature: str = "length · characters"

    def counts(self, translations: Sequence[Translation]) -> list[np.ndarray]:
        return [
            np.array([_line(*texts) for texts in zip(t.sources, t.outputs, t.counted, strict=True)])
            for t in translations
        ]

    def score(self, sums: np.ndarray, *, single: bool) -> float:  # noqa: ARG002 - one line or many, the mean is the mean
        return float(sums[0] / sums[1]) if sums[1] else float("nan")


def _line(source: str, output: str, counted: bool) -> tuple[float, float]:
    longer = max(len(source), len(output))
    return (min(len(source), len(output)) / longer, 1.0) if counted and longer else (0.0, 0.0)


def make(languages: Languages) -> Metric:  # noqa: ARG001
    """The metric; it is the same for every language pair."""
    return _Length()
