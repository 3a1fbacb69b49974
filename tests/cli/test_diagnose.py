from pathlib import Path

import pytest

from cli.command import Command
from data_sets import data_dir


@pytest.mark.data
def test_the_released_ratings_are_diagnosed_and_written(lanner: Command, tmp_path: Path) -> None:
    ran = lanner("diagnose", data_dir("h-falcon"), "--out", tmp_path / "page")
    assert "target: improve reference consistency in social" in ran.out
    assert "There is one system" in ran.out + ran.err
    page = (tmp_path / "page" / "report.html").read_text(encoding="utf-8")
    assert "Reference consistency" in page
    assert (tmp_path / "page" / "tables" / "diagnosis-cells.tex").exists()
    rows = lanner("diagnose", data_dir("h-falcon"), "--json").envelope["rows"]
    assert len(rows) == 9 * 4
    first = [row for row in rows if row["priority"] == 1]
    assert [(row["aspect"], row["domain"]) for row in first] == [("reference_consistency", "social")]


@pytest.mark.data
def test_the_sentences_behind_a_cell_and_names_that_are_not_there(lanner: Command) -> None:
    asked = ("diagnose", data_dir("h-falcon"), "--cell")
    rows = lanner(*asked, "target/idea_development/social", "--json").envelope["rows"]
    assert [row["why"] for row in rows] == ["worst", "best", "most disputed"]
    assert all(row["output"] for row in rows)
    assert "reference_consistency" in lanner(*asked, "target/reference_consistancy").err
    assert "'social'" in lanner("diagnose", data_dir("h-falcon"), "--domain", "sozial").err
    wrong = lanner("diagnose", data_dir("parity"))
    assert wrong.code == 2
    assert "asks nothing about single skills or errors" in wrong.err
