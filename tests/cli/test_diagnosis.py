"""`lanner facets` on a table of ratings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cli.command import Command
from data_sets import data_dir

# `lanner facets` on a table of ratings.


def ratings(folder: Path, judges: int = 3) -> Path:
    rng = np.random.default_rng(3)
    rows = [
        (
            f"d{d}",
            str(s),
            f"j{j}",
            system,
            f"text {d} {s}",
            f"{system} {d} {s}",
            round(60 + q - 8 * j + rng.normal() * 5, 1),
        )
        for d in range(8)
        for s in range(2)
        for j in range(judges)
        for system, q in (("oak", 6), ("elm", 0))
    ]
    columns = ["document", "segment", "judge", "system", "source", "target", "score"]
    path = folder / "ratings.csv"
    pl.DataFrame(rows, schema=columns, orient="row").write_csv(path)
    return path


def test_scores_severity_and_designs(lanner: Command, tmp_path: Path) -> None:
    path = ratings(tmp_path, judges=6)
    picture = tmp_path / "judges.svg"
    ran = lanner(
        "facets", path, "--question", "score", "--plan-judges", "2,4", "--plan-documents", "20,40", "--picture", picture
    )
    assert ran.code == 0, ran.out
    assert "Clearly more severe than average: j5; more lenient: j0." in ran.out
    assert (
        "judgements, judges and documents give: 2 on 40" in ran.out or "judges and documents give: 4 on 20" in ran.out
    )
    assert "judges in general" in ran.out
    assert picture.read_text(encoding="utf-8").startswith("<svg")
    rows = lanner("facets", path, "--question", "score", "--json").envelope["rows"]
    assert {row["kind"] for row in rows} == {"system", "pair", "judge", "variance", "decision"}
    assert next(row for row in rows if row["kind"] == "system")["system"] == "oak"


def test_few_judges_who_plainly_differ_are_not_called_alike(lanner: Command, tmp_path: Path) -> None:
    """Two judges eight points apart on every text: what is not known is where judges in general lie."""
    ran = lanner("facets", ratings(tmp_path, judges=2), "--question", "score")
    assert "than judges in general are. Whether they differ from each other is another question" in ran.out
    assert "in the eyes of other judges cannot be told from 2 judges and 8 documents" in ran.out
    assert "This holds for judges in general" not in ran.out and "p =" not in ran.out and "p <" not in ran.out


def test_judges_whom_scores_hardly_tell_apart(lanner: Command, tmp_path: Path) -> None:
    path = ratings(tmp_path)
    rows = pl.read_csv(path).with_columns(score=pl.col("score") + 8 * pl.col("judge").str.slice(1).cast(pl.Int64))
    rows.write_csv(path)
    ran = lanner("facets", path, "--question", "score")
    assert "No judge is clearly more severe or more lenient than the others." in ran.out


def test_reasons_and_mistakes(lanner: Command, tmp_path: Path) -> None:
    path = ratings(tmp_path, judges=1)
    assert "it takes 2 judges or more" in lanner("facets", path, "--question", "score").out
    ran = lanner("facets", path, "--question", "score", "--plan-judges", "two")
    assert ran.code != 0 and "whole numbers" in ran.err


def test_rankings_and_agreement_for_other_judges(lanner: Command, tmp_path: Path) -> None:
    path = ratings(tmp_path)
    these, others = (
        lanner("scores", path, "--question", "score", *more, "--json") for more in ((), ("--other-judges",))
    )
    assert "holds for these judges" in these.envelope["signature"]
    assert "holds for judges in general" in others.envelope["signature"]
    width = [ran.envelope["rows"][0]["high"] - ran.envelope["rows"][0]["low"] for ran in (these, others)]
    assert width[1] > width[0]
    ran = lanner("agreement", path, "--other-judges", "--json")
    assert any(row["unit"] == "two-way" for row in ran.envelope["rows"])


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
