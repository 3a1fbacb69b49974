"""Distances and overlaps between sets of labels. Two empty sets are the same set, so they agree fully."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lanner.stats.resample import Array

Sets = Sequence[frozenset[str]]


def incidence(sets: Sets) -> tuple[Array, tuple[str, ...]]:
    """sets × labels, 1 where the label is in the set; and the labels."""
    labels = tuple(sorted({label for one in sets for label in one}))
    at = {label: column for column, label in enumerate(labels)}
    table = np.zeros((len(sets), len(labels)))
    for row, one in enumerate(sets):
        table[row, [at[label] for label in one]] = 1
    return table, labels


def overlaps(sets: Sets) -> tuple[Array, Array]:
    """|A∩B| for every two sets, and |A| for each."""
    table, _ = incidence(sets)
    return table @ table.T, table.sum(axis=1)


def jaccard_similarity(sets: Sets) -> Array:
    """|A∩B| / |A∪B|; 1 for two empty sets (Jaccard 1912)."""
    shared, size = overlaps(sets)
    union = size[:, None] + size[None, :] - shared
    return np.asarray(np.divide(shared, union, out=np.ones_like(union), where=union > 0))


def jaccard_distance(sets: Sets) -> Array:
    """1 − |A∩B| / |A∪B|."""
    return 1 - jaccard_similarity(sets)


def masi_distance(sets: Sets) -> Array:
    """1 − M·Jaccard; M is 1 for equal sets, 2/3 where one holds the other, 1/3 where they overlap, else 0.

    Passonneau 2006, Measuring Agreement on Set-valued Items, LREC.
    """
    shared, size = overlaps(sets)
    smaller = np.minimum(size[:, None], size[None, :])
    larger = np.maximum(size[:, None], size[None, :])
    monotone = np.select([shared == larger, shared == smaller, shared > 0], [1.0, 2 / 3, 1 / 3], 0.0)
    return np.asarray(1 - monotone * jaccard_similarity(sets))
