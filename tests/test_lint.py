"""The source passes the linter and the strict type checker: beside the other tests, since each keeps one core busy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("command", [("ruff", "check", "."), ("mypy",)], ids=lambda command: command[0])
def test_it_finds_nothing(command: tuple[str, ...]) -> None:
    root = Path(__file__).parents[1]
    run = subprocess.run([sys.executable, "-m", *command], cwd=root, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
