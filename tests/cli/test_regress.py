import pytest

from cli.command import Command
from released import data_dir


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
