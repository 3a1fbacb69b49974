"""The scripts of the pages: unit tests in node, types by JSDoc, and the budget for their size."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
STATIC = HERE.parents[1] / "src" / "lanner" / "web" / "static"
LONGEST = 300


def needed(program: str | None, reason: str) -> str:
    """The program, or a loud skip; in CI its absence is a failure."""
    if program is None:
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return program


def test_pure_modules_in_node() -> None:
    node = needed(shutil.which("node"), "NO NODE: install node to run the unit tests of the scripts")
    tests = sorted(str(path) for path in HERE.glob("*.test.js"))
    ran = subprocess.run([node, "--test", *tests], capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stdout[-4000:]
    assert "# fail 0" in ran.stdout and "# pass 0" not in ran.stdout


@pytest.mark.parametrize("project", ["tsconfig.json", "tsconfig.page.json"])
def test_types(project: str) -> None:
    local = Path(sys.prefix) / "node" / "node_modules" / ".bin" / "tsc"
    tsc = needed(shutil.which("tsc") or (str(local) if local.exists() else None), "NO TSC: run tests/js/install-tsc.sh")
    ran = subprocess.run([tsc, "-p", str(HERE / project)], capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stdout


def test_no_file_is_long() -> None:
    files = [path for path in STATIC.rglob("*") if path.suffix in (".js", ".css", ".svg")]
    lengths = {path.name: path.read_text(encoding="utf-8").count("\n") for path in files}
    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}
