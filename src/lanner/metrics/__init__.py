"""Automatic scores as one more kind of rater. One metric is one file of this folder, or an entry point.

A metric's module has `TITLE`, `OPTIONS` (what each option means) and `make(languages, **options)`, which gives a
`Metric`; `lanner.metrics._rating` says what that is. Outsiders use the entry-point group `lanner.metrics`.

Names are loaded when they are first used: reading a checkpoint needs torch, and nothing else of Lanner.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lanner.metrics._finding import make, names, titles
    from lanner.metrics._protocol import answers, protocol
    from lanner.metrics._rating import Languages, Metric, Rating, Translation, rate

_HOMES = {"_finding": ("make", "names", "titles"), "_protocol": ("answers", "protocol")}
__all__ = ["Languages", "Metric", "Rating", "Translation", "answers", "make", "names", "protocol", "rate", "titles"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'lanner.metrics' has no attribute {name!r}")
    home = next((module for module, names in _HOMES.items() if name in names), "_rating")
    return getattr(import_module(f"lanner.metrics.{home}"), name)
