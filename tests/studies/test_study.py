from pathlib import Path

import pytest

from lanner.errors import LannerError
from lanner.studies.computations import COMPUTATIONS
from lanner.studies.study import load, names

FILE = """
name = "x"
title = "X"
citation = "X 2020"
data = "x"
[[table]]
where = "Table 1"
compute = "texts"
part = "p"
digits = 0
[table.columns]
documents = { count = "documents" }
segments = { count = "segments", digits = 1 }
[table.rows]
news = { domain = "news", paper = [3, ""] }
all = { paper = [4, 5], differs = ["segments"], note = "why" }
"""


def test_a_cell_has_the_options_of_table_column_and_row(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(FILE)
    first, second, third = load(tmp_path / "x.toml").cells
    assert first.options == {"part": "p", "count": "documents", "domain": "news"}
    assert (first.paper, first.digits, first.expected) == (3, 0, "agrees")
    assert (second.row, second.column, second.expected) == ("all", "documents", "agrees")
    assert (third.digits, third.expected, third.note) == (1, "differs", "why")


@pytest.mark.parametrize(("old", "new"), [('[3, ""]', "[3]"), ('name = "x"', ""), ("[[table]]", "[[table")])
def test_a_broken_file_is_named(tmp_path: Path, old: str, new: str) -> None:
    (tmp_path / "x.toml").write_text(FILE.replace(old, new))
    with pytest.raises(LannerError, match="not a study"):
        load(tmp_path / "x.toml")


def test_unknown_study() -> None:
    with pytest.raises(LannerError, match="Did you mean 'kim2025'"):
        load("kim2024")


@pytest.mark.parametrize("name", names())
def test_every_study_names_known_computations(name: str) -> None:
    study = load(name)
    assert study.cells
    assert {cell.compute for cell in study.cells} <= {*COMPUTATIONS, "not_computable"}
