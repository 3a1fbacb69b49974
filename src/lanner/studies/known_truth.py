"""Judges whose agreement is known before they answer, and what every coefficient must then come to.

An item has a true answer, drawn from `shares`. A judge gives it with probability `reliability` and otherwise any of the
answers, all alike. So the chance that two judges give answers a and b is Σₜ πₜ m(a|t) m(b|t), with m(a|t) = r·[a = t] +
(1 − r)/k, and every coefficient follows from that table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from random import Random

import numpy as np

from lanner.errors import LannerError
from lanner.stats.resample import Array


@dataclass(frozen=True)
class Answering:
    """How answers to one question come about: the true ones by `shares`, found with `reliability`."""

    labels: tuple[str, ...]
    shares: tuple[float, ...]
    reliability: float

    def __post_init__(self) -> None:
        if len(self.labels) != len(self.shares) or abs(sum(self.shares) - 1) > 1e-9:
            raise LannerError(f"The shares of {', '.join(self.labels)} do not add up to 1, one for each.")

    def truth(self, rng: Random) -> str:
        return rng.choices(self.labels, self.shares)[0]

    def answer(self, truth: str, rng: Random) -> str:
        return truth if rng.random() < self.reliability else rng.choice(self.labels)

    @property
    def given(self) -> Array:
        """true answer × answer given: how often."""
        k = len(self.labels)
        return self.reliability * np.eye(k) + (1 - self.reliability) / k

    @property
    def joint(self) -> Array:
        """How often two judges give each pair of answers to one item."""
        return np.asarray(np.einsum("t,ta,tb->ab", np.array(self.shares), self.given, self.given))


def together(tables: Sequence[Array]) -> Array:
    """The joint table of items of several kinds, as many of each."""
    return np.asarray(reduce(np.add, tables) / len(tables))


def collapsed(joint: Array, groups: Sequence[Sequence[int]]) -> Array:
    """The joint table after answers are taken together."""
    marks = np.array([[float(k in group) for k in range(len(joint))] for group in groups])
    return np.asarray(marks @ joint @ marks.T)


def coefficient(joint: Array, statistic: str, *, weights: str = "", level: str = "nominal") -> float:
    """What a coefficient comes to with so many items that chance plays no part."""
    shares = joint.sum(axis=1)
    if statistic == "percent":
        return float(np.trace(joint))
    distance = _distance(shares, weights, level)
    apart, by_chance = float((joint * distance).sum()), float((np.outer(shares, shares) * distance).sum())
    return 1 - apart / by_chance


def _distance(shares: Array, weights: str, level: str) -> Array:
    """How far apart two answers are: in weighted κ by their places, in ordinal α by how many answers lie between."""
    k = len(shares)
    place = np.arange(k)
    if weights:
        return np.asarray(np.abs(place[:, None] - place[None, :]) ** {"linear": 1.0, "quadratic": 2.0}[weights])
    if level == "ordinal":
        middle = np.cumsum(shares) - shares / 2
        return np.asarray((middle[:, None] - middle[None, :]) ** 2)
    return 1 - np.eye(k)
