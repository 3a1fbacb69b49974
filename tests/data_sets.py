"""Where released data sets lie for tests that read them; they are never part of the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


def data_dir(name: str) -> Path:
    """The folder of a released data set, or a skip that says how to provide it."""
    roots = [Path(os.environ["LANNER_DATA"])] if "LANNER_DATA" in os.environ else []
    roots.append(REPOSITORY.parent / "shared" / "data")
    for root in roots:
        if (root / name).exists():
            return root / name
    pytest.skip(f"released data {name!r} not found: set LANNER_DATA to the folder that holds it")
