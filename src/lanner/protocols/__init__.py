"""What is asked. One protocol is one TOML file, here or anywhere: `load("h_falcon")`, `load("./mine.toml")`.

Names are loaded when they are first used: a list of the protocols needs none of what validates them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lanner.protocols.reading import compose, definition_of, load, mistakes, names, parse_toml

__all__ = ["compose", "definition_of", "load", "mistakes", "names", "parse_toml"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'lanner.protocols' has no attribute {name!r}")
    return getattr(import_module("lanner.protocols.reading"), name)
