"""What is asked. One protocol is one TOML file, here or anywhere: `load("h_falcon")`, `load("./mine.toml")`."""

from __future__ import annotations

from lanner.protocols.composing import compose
from lanner.protocols.reading import load, mistakes, names, parse_toml

__all__ = ["compose", "load", "mistakes", "names", "parse_toml"]
