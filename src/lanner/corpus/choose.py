"""Choose which systems' outputs go on: all, named ones, or the best by some score."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from lanner.errors import LannerError, did_you_mean
from lanner.model import Document


def only(document: Document, systems: Collection[str]) -> Document:
    """The document with the outputs of these systems only; everything else stays as it is."""
    segments = tuple(
        replace(segment, outputs={name: text for name, text in segment.outputs.items() if name in systems})
        for segment in document.segments
    )
    return replace(document, segments=segments)


def named(names: Iterable[str], available: Iterable[str]) -> tuple[str, ...]:
    """The wanted names, checked against those there are."""
    choices = tuple(available)
    unique_names = tuple(dict.fromkeys(names))
    for name in unique_names:
        if name not in choices:
            raise LannerError(f"No document has an output of {name!r}.", next_step=did_you_mean(name, choices))
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
    """Each system's mean of a score that the segments carry in `meta[column]`, an object from system to number."""
    totals: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for document in documents:
        for segment in document.segments:
            scores = segment.meta.get(column)
            if not isinstance(scores, Mapping):
                continue
            for name, cell in scores.items():
                if (value := number_of(cell)) is not None:
                    totals[name][0] += value
                    totals[name][1] += 1
    if not totals:
        raise LannerError(
            f"No segment has scores under {column!r}.",
            next_step="Give the scores as a file or name the column that holds an object from system to score.",
        )
    return {name: total / count for name, (total, count) in totals.items()}


def number_of(cell: object) -> float | None:
    """A score as files hold it: a number, or a number in a cell of text."""
    if isinstance(cell, bool) or not isinstance(cell, int | float | str):
        return None
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
