"""Looking at a campaign while it runs: how certain a look must be so that all looks together err rarely.

Group-sequential boundaries (Lan & DeMets 1983, Biometrika 70) with the power family of error spending (Kim & DeMets
1987): when the share t of the documents is judged, α·t² may have been spent. They are chosen over confidence sequences
because a campaign ends at a known number of documents and is looked at after whole documents: a confidence sequence
stays valid for ever and pays for that with intervals about a third wider.

The joint distribution of the looks is computed for documents with equal chances. There are two questions. What holds
for documents of this kind is known as well as the share t of the documents allows. What the complete campaign would say
is known as well as t/(1 − t) allows: everything, at the end. Predictions and better-chosen documents bring knowledge
earlier than that; the looks are then more alike than assumed, and the boundaries err on the safe side.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import special

from lanner.stats.resample import Array

LOOKS = 20
"""A campaign is looked at whenever another twentieth of its documents has been judged."""
SPENDING = 2.0
"""The power of the share of documents by which error is spent."""
_NODES = 121
_GRID = np.geomspace(1e-7, 0.9, 32)


def nominal_levels(level: float | Array, look: int, looks: int = LOOKS, *, of_complete: bool = False) -> Array:
    """The two-sided p below which a look (1 … looks) decides, so that all looks err with probability `level`.

    `of_complete`: the question is what the complete campaign would say, which the last look knows for certain.
    """
    if of_complete and look >= looks:
        return np.asarray(level, dtype=float)
    return np.asarray(np.exp(np.interp(np.log(level), np.log(_GRID), np.log(_table(looks, of_complete)[look - 1]))))


@lru_cache(maxsize=16)
def _table(looks: int, of_complete: bool) -> Array:
    shares = np.arange(1, looks + 1) / looks
    if of_complete:
        return boundary(_GRID, shares[:-1], shares[:-1] / (1 - shares[:-1]))
    return boundary(_GRID, shares, shares)


def boundary(levels: Array, shares: Array, information: Array) -> Array:
    """The nominal two-sided level of each look (looks × levels), looks at these shares of the documents."""
    points, density = np.zeros((len(levels), 1)), np.ones((len(levels), 1))  # paths that no look has stopped
    nominal = np.empty((len(shares), len(levels)))
    previous, spent = 0.0, 0.0
    for at, (share, time) in enumerate(zip(shares.tolist(), information.tolist(), strict=True)):
        step, scale = float(np.sqrt(time - previous)), float(np.sqrt(time))
        edge = _edge(points, density, step, levels * (share**SPENDING - spent), scale)
        nominal[at] = 2 * special.ndtr(-edge / scale)
        ends = np.linspace(-1, 1, _NODES) * edge[:, None]
        distance = (ends[:, :, None] - points[:, None, :]) / step
        density = np.einsum("lij,lj->li", np.exp(-0.5 * distance**2), density) / (step * np.sqrt(2 * np.pi))
        density[:, [0, -1]] *= 0.5
        density *= (ends[:, 1] - ends[:, 0])[:, None]
        points, previous, spent = ends, time, share**SPENDING
    return nominal


def _edge(points: Array, density: Array, step: float, target: Array, scale: float) -> Array:
    """Where the paths leave with probability `target` in this step, by bisection."""
    low, high = np.zeros(len(target)), np.full(len(target), 12.0 * scale)
    for _ in range(45):
        middle = (low + high) / 2
        outside = special.ndtr((points - middle[:, None]) / step) + special.ndtr(-(points + middle[:, None]) / step)
        more = (outside * density).sum(1) > target
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    return high
