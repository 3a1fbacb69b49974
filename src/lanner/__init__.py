"""Lanner: document-level evaluation of machine translation by people, models and metrics.

Names are loaded when they are first used, so that `import lanner` is quick and pulls in no server and no database.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from lanner.analysis.material import Material, from_file
    from lanner.formats import read, write
    from lanner.library import agreement, compare, diagnose, load, metaeval, plot, report, scores
    from lanner.model import Document, Judge, Judgement, Protocol, Result, Segment
    from lanner.protocols import load as load_protocol
    from lanner.stats.frame import frame

_LIBRARY = ("agreement", "compare", "diagnose", "load", "metaeval", "plot", "report", "scores")
_HOMES = {
    **{name: ("lanner.library", name) for name in _LIBRARY},
    "Document": ("lanner.model", "Document"),
    "Judge": ("lanner.model", "Judge"),
    "Judgement": ("lanner.model", "Judgement"),
    "Material": ("lanner.analysis.material", "Material"),
    "Protocol": ("lanner.model", "Protocol"),
    "Result": ("lanner.model", "Result"),
    "Segment": ("lanner.model", "Segment"),
    "frame": ("lanner.stats.frame", "frame"),
    "from_file": ("lanner.analysis.material", "from_file"),
    "load_protocol": ("lanner.protocols", "load"),
    "read": ("lanner.formats", "read"),
    "write": ("lanner.formats", "write"),
}

_MOVED = {
    "lanner.designs.promotion": "lanner.designs.prepare",
    "lanner.judges.audit": "lanner.judges.comparison",
    "lanner.figures.matrices": "lanner.figures.charts",
    "lanner.figures.typeset": "lanner.model.messages",
    "lanner.metrics.taggers": "lanner.metrics._taggers",
    "lanner.protocols.wording": "lanner.model.protocol",
    "lanner.reports.files": "lanner.reports.rendering",
    "lanner.reports.html": "lanner.reports.rendering",
    "lanner.reports.latex": "lanner.reports.rendering",
    "lanner.stats.bradley_terry": "lanner.stats.preference",
    "lanner.stats.outcome": "lanner.stats.resample",
    "lanner.stats.prediction_powered": "lanner.stats.models",
    "lanner.stats.reading": "lanner.stats.agreement",
    "lanner.stats.replacement": "lanner.stats.models",
}
"""Modules that earlier documentation names, and those that hold their contents now."""


class _MovedModules(MetaPathFinder, Loader):
    """Imports a module that has moved under its earlier name."""

    def find_spec(self, name: str, _path: object = None, _target: object = None, /) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name in _MOVED else None

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = import_module(_MOVED[module.__name__])


sys.meta_path.insert(0, _MovedModules())  # before the folders that an earlier version may have left behind

__all__ = [
    "Document",
    "Judge",
    "Judgement",
    "Material",
    "Protocol",
    "Result",
    "Segment",
    "agreement",
    "compare",
    "diagnose",
    "frame",
    "from_file",
    "load",
    "load_protocol",
    "metaeval",
    "plot",
    "read",
    "report",
    "scores",
    "write",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'lanner' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
