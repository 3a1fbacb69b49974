from pathlib import Path

import pytest

from analysis.test_material import falcon_folder
from cli.command import Command
from data_sets import data_dir


@pytest.mark.data
def test_the_published_sign_test(lanner: Command) -> None:
    rows = lanner("prefer", data_dir("parity"), "--favour", "human", "-q", "adequacy_of_document", "--json").envelope[
        "rows"
    ]
    pooled = next(row for row in rows if row["judge"] == "all")
    assert (pooled["wins"], pooled["ties"], pooled["losses"]) == (104, 22, 74)
    assert round(pooled["p_drop"], 3) == 0.029


def test_nothing_was_compared(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    ran = lanner("prefer", falcon_folder(tmp_path / "s"))
    assert ran.code == 2
    assert "asks for no preference" in ran.err


@pytest.mark.data
def test_a_preference_in_words_by_judge_and_as_strengths(lanner: Command) -> None:
    asked = ("prefer", data_dir("parity"), "-q", "adequacy_of_document")
    text = lanner(*asked, "--favour", "human").out
    assert "human was preferred over mt in 104 of 178 decided comparisons (58 %; 22 of 200 were ties)" in text
    assert "Chance alone would hardly give that" in text
    rows = lanner(*asked, "--ranking", "--json").envelope["rows"]
    assert [row["system"] for row in rows if row["kind"] == "system"] == ["human", "mt"]
    one = lanner(*asked, "--judges", "E").out
    assert "no preference is shown" in one
    assert "parity says nothing about domains" in lanner(*asked, "--by", "domain").err


def votes(path: Path, answers: dict[str, str], systems: bool = True) -> Path:
    """Three judges on two sentences of each of six documents; what `answers` calls a, b and tie."""
    rows = ["judge,document,segment" + (",system" if systems else "") + ",better"]
    for at in range(36):
        document, judge = at // 6, at % 3
        given = answers["tie" if at % 9 == 0 else "b" if at % 4 == 0 else "a"]
        rows.append(f"j{judge},d{document},{at // 3}" + (",human|mt" if systems else "") + f",{given}")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_a_plain_table_of_preferences_by_side_and_by_name(lanner: Command, tmp_path: Path) -> None:
    named = {"a": "human", "b": "mt", "tie": "tie"}
    files = [
        votes(tmp_path / "sides.csv", {"a": "a", "b": "b", "tie": "tie"}),
        votes(tmp_path / "named.csv", named),
        votes(tmp_path / "alone.csv", named, systems=False),
    ]
    said = [lanner("prefer", file, "--favour", "human").out for file in files]
    assert "human was preferred over mt in 24 of 32 decided comparisons" in said[0]
    results = [
        [line for line in text.splitlines() if not line.strip().startswith(path.stem)]  # notes on the file
        for text, path in zip(said, files, strict=True)
    ]
    assert results[0] == results[1] == results[2]


def test_majorities_are_said_in_words(lanner: Command, tmp_path: Path) -> None:
    text = lanner("prefer", votes(tmp_path / "v.csv", {"a": "a", "b": "b", "tie": "tie"}), "--votes").out
    assert "items, most judges preferred human on" in text


def test_scores_are_no_preference_and_the_way_out_is_said(lanner: Command, tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("judge,item,score\na,1,3\nb,1,4\n", encoding="utf-8")
    ran = lanner("prefer", file)
    assert ran.code == 2 and "a column system (human|mt)" in ran.err
