from pathlib import Path

import pytest

from cli.command import Command
from data_sets import data_dir


@pytest.mark.data
def test_the_published_model_of_judge_three(lanner: Command) -> None:
    arguments = (
        "regress",
        data_dir("h-falcon"),
        "--outcome",
        "holistic",
        "--blocks",
        "skills,sentence",
        "--judges",
        "judge3",
    )
    skills, both = lanner(*arguments, "--json").envelope["rows"]
    assert (round(skills["value"], 4), round(both["value"], 3)) == (0.0841, 0.608)
    assert both["low"] < both["value"] < both["high"]
    rows = lanner(*arguments, "--coefficients", "--errors", "classical", "--json").envelope["rows"]
    sentence = next(row for row in rows if row["term"] == "sentence")
    assert [round(sentence[key], 2) for key in ("value", "low", "high")] == [1.65, 1.49, 1.82]


@pytest.mark.data
def test_an_unknown_predictor(lanner: Command) -> None:
    ran = lanner("regress", data_dir("h-falcon"), "--outcome", "holistic", "--blocks", "skils")
    assert ran.code == 2
    assert "There is no measure 'skils'" in ran.err


@pytest.mark.data
def test_what_is_explained_is_said_in_words(lanner: Command) -> None:
    asked = ("regress", data_dir("h-falcon"), "--outcome", "holistic", "--blocks", "skills,sentence")
    text = lanner(*asked).out
    assert "judge3: skills + sentence explain 61 % of how holistic varies" in text
    assert "a large effect (Cohen 1988), p < .001" in text
    assert "one more of sentence goes with holistic" in lanner(*asked, "--coefficients", "--by", "-").out


def test_a_group_is_named_beside_the_one_it_is_compared_with(lanner: Command, tmp_path: Path) -> None:
    rows = [f"j,d{at // 4},{at},{'human' if at % 2 else 'mt'},{at % 5 + 3 * (at % 2)}" for at in range(40)]
    file = tmp_path / "ratings.csv"
    file.write_text("\n".join(["judge,document,segment,system,score", *rows]) + "\n", encoding="utf-8")
    asked = ("regress", file, "--outcome", "score", "--blocks", "system", "--by", "-")
    assert "system mt rather than human goes with score" in lanner(*asked, "--coefficients").out
    assert "system explains" in lanner(*asked).out


def test_a_metric_in_the_table_can_explain_the_scores(lanner: Command, tmp_path: Path) -> None:
    rows = ["judge,document,segment,system,score,comet"]
    for at in range(12):
        rows += [f"{judge},d{at % 4},{at},X,{3 * at + 1},{at}" for judge in ("ana", "ben")]
        rows[-1] = f"ben,d{at % 4},{at},X,{3 * at + 1 + at % 2},{at}"
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    found = lanner("regress", path, "--outcome", "score", "--blocks", "comet", "--coefficients", "--json").envelope
    slopes = {row["judge"]: row["value"] for row in found["rows"] if row["term"] == "comet"}
    assert slopes["ana"] == pytest.approx(3)
    assert slopes["ben"] == pytest.approx(3, abs=0.1)
