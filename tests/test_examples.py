"""Examples are programs, and programs run."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_it_runs_and_is_cut_into_cells(example: Path, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    known = runpy.run_path(str(example))
    assert example.read_text(encoding="utf-8").count("\n# %%") >= 5
    assert capsys.readouterr().out
    pairs = known["pairwise"](known["table"], "skills")
    careless = [result.value for result in pairs if "cleo" in result.labels.values()]
    others = [result.value for result in pairs if "cleo" not in result.labels.values()]
    assert max(careless) < min(others)  # what its comment says
