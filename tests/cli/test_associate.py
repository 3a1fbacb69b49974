from pathlib import Path

import polars as pl
import pytest

from cli.command import Command
from data_sets import data_dir


@pytest.mark.data
def test_the_published_correlations(lanner: Command) -> None:
    source = data_dir("h-falcon")
    rows = lanner("associate", source, "--of", "sentence,skill_sum", "--json").envelope["rows"]
    values = [round(row["value"], 3) for row in rows]
    assert values == [0.494, 0.441, 0.413, 0.499, 0.483, 0.378]
    assert all(row["low"] < row["value"] < row["high"] for row in rows)


@pytest.mark.data
def test_two_measures_within_each_judge(lanner: Command) -> None:
    ran = lanner("associate", data_dir("h-falcon"), "--x", "sentence", "--y", "holistic", "--by", "judge", "--json")
    assert {row["judge"] for row in ran.envelope["rows"]} == {"judge2", "judge3"}


def test_nothing_to_correlate(lanner: Command) -> None:
    Path("x.csv").write_text("judge,item,score\na,1,3\nb,1,4\n", encoding="utf-8")
    ran = lanner("associate", "x.csv", "--x", "a")
    assert ran.code == 2
    assert "--question MEASURE" in ran.err
    assert "no file 'y'" in lanner("associate", "y").err
    assert "no judge 'c'" in lanner("associate", "x.csv", "--judges", "a,c").err


def test_the_measures_of_a_plain_table_are_named(lanner: Command, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text("judge,item,score,label\na,1,3,good\nb,1,4,bad\n", encoding="utf-8")
    assert "Measures here: score, label." in lanner("associate", file).err
    assert "score" in lanner("associate", file, "--x", "score", "--y", "scoer").err


@pytest.mark.data
def test_correlations_are_read_on_a_published_scale(lanner: Command) -> None:
    text = lanner("associate", data_dir("h-falcon"), "--of", "holistic").out
    assert "r 0.65: how close the two come to a straight line" in text
    assert "Schober, Boer & Schwarte 2018" in text


@pytest.mark.data
def test_judging_time_is_a_measure(lanner: Command) -> None:
    asked = ("associate", data_dir("h-falcon"), "--x", "seconds", "--y", "holistic", "--resamples", 100, "--json")
    rows = lanner(*asked).envelope["rows"]
    assert {row["x"] for row in rows} == {"seconds"}
    assert all(row["low"] < row["value"] < row["high"] for row in rows)


def test_without_times_it_is_said(lanner: Command, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text("judge,item,score\na,1,3\nb,1,4\n", encoding="utf-8")
    assert "No times were kept here." in lanner("associate", file, "--x", "score", "--y", "seconds").err


@pytest.fixture
def table_with_metric(tmp_path: Path) -> Path:
    """Two judges who differ, and a metric's score, which is the same on the rows of both."""
    rows = ["judge,document,segment,system,score,comet"]
    for at in range(12):
        for judge, shift in (("ana", 0), ("ben", at % 3)):
            rows.append(f"{judge},d{at % 4},{at},X,{7 * at % 11 + shift},{7 * at % 11 / 20 + 0.01 * (at % 2)}")
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(("first", "second"), [("score", "comet"), ("comet", "score")])
def test_a_number_that_no_judge_disputes_is_a_measure_where_it_is_named(
    lanner: Command, table_with_metric: Path, first: str, second: str
) -> None:
    ran = lanner("associate", table_with_metric, "--x", first, "--y", second, "--resamples", 20, "--json")
    table = pl.read_csv(table_with_metric)
    expected = table.select(pl.corr("score", "comet")).item()
    assert ran.envelope["rows"][0]["value"] == pytest.approx(expected)
    assert [note for note in ran.envelope["notes"] if "Columns:" in note and "measure" not in note]
    assert not any("kept as they are: comet" in note for note in ran.envelope["notes"])


def test_judges_do_not_agree_on_what_they_were_not_asked(lanner: Command, table_with_metric: Path) -> None:
    assert "asks 'comet'" in lanner("associate", table_with_metric, "--question", "comet").err
    assert "no measure 'comte'" in lanner("associate", table_with_metric, "--x", "score", "--y", "comte").err


def test_what_a_file_does_not_have_is_missed_as_before(lanner: Command, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text("judge,item,score\na,1,3\nb,1,4\n", encoding="utf-8")
    assert "No part of this asks 'comet'" in lanner("associate", file, "--x", "comet", "--y", "score").err
