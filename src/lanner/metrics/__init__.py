"""Automatic scores as one more kind of rater.

A metric is a module with `TITLE`, `OPTIONS` (what each option means) and `make(languages, **options)`, which gives a
`Metric`, or a `MetricEntry` with the same three; `lanner.metrics._rating` says what they are. A file of this folder is
found by its name; entries, ours and other packages', by the entry-point group `lanner.metrics`.

Names are loaded when they are first used: reading a checkpoint needs torch, and nothing else of Lanner.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lanner.metrics._rating import (
        Languages,
        Metric,
        MetricEntry,
        MetricRating,
        Translation,
        answers,
        make,
        names,
        protocol,
        rate,
        titles,
    )
    from lanner.metrics._taggers import Token

__all__ = [
    "Languages",
    "Metric",
    "MetricEntry",
    "MetricRating",
    "Token",
    "Translation",
    "answers",
    "make",
    "names",
    "protocol",
    "rate",
    "titles",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'lanner.metrics' has no attribute {name!r}")
    module = "_taggers" if name == "Token" else "_rating"
    return getattr(import_module(f"lanner.metrics.{module}"), name)
