"""Adaptive: documents are drawn as judges ask for work, where an answer is expected to tell most.

The probability of every draw is known and kept, so that estimates stay unbiased (`lanner.stats.sampling`). Documents
are drawn whole. The probability mixes a tilt with equal chances: `FLOOR` of it is always spread evenly, so no document
is ever neglected and a bad tilt costs little.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

FLOOR = 0.4
"""The share of the probability that is spread evenly over the documents not drawn yet."""
LARGEST = 3.0
"""How many times the usual weight a document can have at most, and the inverse at least."""
PRIOR = 8.0
"""The prior belief that all documents tell equally much for their length weighs as much as so many documents."""


def probabilities(weights: Array, available: npt.NDArray[np.bool_], floor: float = FLOOR) -> Array:
    """The chance of each document to be drawn next; 0 for those that are not available."""
    tilt = np.where(available, weights, 0.0)
    total = tilt.sum()
    even = available / max(1, int(available.sum()))
    return np.asarray((1 - floor) * tilt / total + floor * even if total > 0 else even)


def draw(chances: Array, number: float) -> int:
    """The document that a number between 0 and 1 stands for."""
    edges = np.cumsum(chances)
    place = int(np.searchsorted(edges, number * edges[-1], side="right"))
    return min(place, int(np.flatnonzero(chances)[-1]))


def tilt(sizes: Array, features: Array, order: Indices, squares: Array) -> Array:
    """The weight of every document: the root of how much its answers are expected to tell for each judgement.

    `squares` holds for each drawn document how far its answers were from what was expected (squared, mean 1). Their
    logarithm is regressed on the logarithm of length and on `features` (documents × features), with a prior under
    which they grow with length alone; cost grows with length, so that the prior gives every document the same weight.
    """
    length = np.log(sizes / np.exp(np.log(sizes).mean()))
    columns = np.column_stack([np.ones(len(sizes)), length, _standard(features)])
    prior = np.zeros(columns.shape[1])
    prior[1] = 1.0
    if len(order) > columns.shape[1] + 2:
        known = columns[order]
        target = np.log(squares + 0.1 * squares.mean() + 1e-12)
        target = target - target.mean()
        penalty = PRIOR * np.eye(columns.shape[1]) * float(np.var(target))
        penalty[0, 0] = 1e-9
        prior = np.linalg.solve(known.T @ known + penalty, known.T @ target + penalty @ prior)
    logarithm = 0.5 * (columns[:, 1:] @ prior[1:] - length)
    logarithm -= logarithm.mean()
    return np.asarray(np.exp(np.clip(logarithm, -np.log(LARGEST), np.log(LARGEST))))


def features_of(predictions: Array | None, sizes: Array, systems: Indices) -> Array:
    """What predictions say about each document for these systems: how bad the outputs are, how far they differ."""
    if predictions is None or len(systems) == 0:
        return np.zeros((len(sizes), 0))
    means = predictions[:, systems] / sizes[:, None]
    return np.column_stack([-means.mean(1), means.std(1)])


def _standard(features: Array) -> Array:
    spread = features.std(0)
    return np.asarray((features - features.mean(0)) / np.where(spread > 0, spread, 1.0))
