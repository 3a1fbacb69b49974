"""Scales on which an interval may be symmetric without leaving the range that its statistic can have."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

Scale = Literal["plain", "fisher", "logit", "log", "difference"]
"""As it is; arctanh for coefficients up to 1; for shares; for rates; for the distance between two coefficients."""


def _bounded(x: float) -> float:
    return min(max(x, -1 + 1e-12), 1 - 1e-12)


SCALES: dict[Scale, tuple[Callable[[float], float], Callable[[float], float], Callable[[float], float]]] = {
    "plain": (lambda x: x, lambda x: x, lambda _: 1.0),
    "fisher": (lambda x: math.atanh(_bounded(x)), math.tanh, lambda x: 1 / (1 - _bounded(x) ** 2)),
    "logit": (
        lambda x: math.atanh(_bounded(2 * x - 1)),
        lambda z: (math.tanh(z) + 1) / 2,
        lambda x: 2 / (1 - _bounded(2 * x - 1) ** 2),
    ),
    "log": (lambda x: math.log(max(x, 1e-300)), math.exp, lambda x: 1 / max(x, 1e-300)),
    "difference": (
        lambda x: math.atanh(_bounded(x / 2)),
        lambda z: 2 * math.tanh(z),
        lambda x: 0.5 / (1 - _bounded(x / 2) ** 2),
    ),
}
"""Each scale's way there and back, and its slope, by which a standard error is carried over (delta method)."""
