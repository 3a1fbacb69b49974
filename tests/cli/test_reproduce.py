from pathlib import Path

import pytest

from cli.command import Command
from data_sets import data_dir

STUDY = """
name = "mine"
title = "Mine"
citation = "Mine 2026"
data = "a folder"
[[table]]
where = "Table 1"
compute = "not_computable"
expected = "unknown"
note = "nothing was released"
[table.columns]
number = {}
[table.rows]
all = { paper = [4] }
"""


@pytest.mark.data
def test_paper_and_recomputed_side_by_side(lanner: Command) -> None:
    envelope = lanner("reproduce", "laubli2018", "--data", data_dir("parity"), "--json").envelope
    assert {row["verdict"] for row in envelope["rows"]} == {"agrees"}
    ran = lanner("reproduce", "laubli2018", "--data", data_dir("parity"), "--only", "sign")
    assert "86" in ran.out
    assert "12 of 12 agree" in ran.out


def test_unknown_study(lanner: Command) -> None:
    ran = lanner("reproduce", "kim2026", "--data", ".")
    assert ran.code == 2
    assert "kim2025" in ran.err


def test_rows_are_the_agreed_ones_and_reasons_are_notes(lanner: Command, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(STUDY)
    (tmp_path / "segments.csv").write_text("")
    envelope = lanner("reproduce", file, "--json").envelope
    [row] = envelope["rows"]
    assert list(row) == ["where", "row", "column", "paper", "value", "difference", "verdict", "proviso"]
    assert row["verdict"] == "not computable"
    assert "Table 1, all, number: nothing was released" in envelope["notes"]


def test_the_list_names_every_study_and_its_data(lanner: Command) -> None:
    rows = lanner("reproduce", "--list", "--json").envelope["rows"]
    assert {row["study"] for row in rows} >= {"kim2025", "laubli2018", "wmt23", "ted2021", "esa2024"}
    assert all(row["data"] for row in rows)


def test_no_study_wrong_folder_and_unknown_table(lanner: Command, tmp_path: Path) -> None:
    assert "kim2025" in lanner("reproduce").err
    wrong = lanner("reproduce", "kim2025", "--data", tmp_path)
    assert wrong.code == 2
    assert "data/evalset.csv is missing" in wrong.err
    assert "H-FALCON release" in wrong.err
    assert "It has: " in lanner("reproduce", "kim2025", "--only", "Table 99").err


def test_a_page_is_written_where_asked(lanner: Command, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(STUDY)
    ran = lanner("reproduce", file, "--report", "--out", tmp_path / "page")
    assert "1 of 1 cannot be computed." in ran.out
    assert "Nothing was released." in (tmp_path / "page" / "report.html").read_text(encoding="utf-8")
