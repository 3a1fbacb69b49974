"""Where released data sets lie for tests that read them; they are never part of the repository."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from lanner.analysis.material import Material, from_file

REPOSITORY = Path(__file__).resolve().parent.parent


def data_dir(name: str) -> Path:
    """The folder of a released data set, or a skip that says how to provide it."""
    for root in _roots():
        if (root / name).exists():
            return root / name
    pytest.skip(f"released data {name!r} not found: set LANNER_DATA to the folder that holds it")


@cache
def released(name: str) -> dict[str, Material]:
    """The parts of a released data set by name. Tests that look at them share their tables."""
    return {part.name: part for part in from_file(data_dir(name))}


def is_released(path: object) -> bool:
    """Whether a path leads to released data, which no test changes."""
    return isinstance(path, str | Path) and any(Path(path).resolve().is_relative_to(root) for root in _roots())


def _roots() -> list[Path]:
    folder = os.environ.get("LANNER_DATA")  # set to nothing it is not set, and not the folder one is in
    roots = [Path(folder)] if folder else []
    return [root.resolve() for root in (*roots, REPOSITORY.parent / "shared" / "data")]
