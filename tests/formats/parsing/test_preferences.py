from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from lanner.cli import lanner
from lanner.formats.parsing.preferences import side, sides

WORDINGS = [
    ("A", "B", "="),
    ("a", "b", "tie"),
    ("A better", "B better", "Equal"),
    ("A is a bit better", "B is a bit better", "a tie"),
    ("System A", "System B", "No preference"),
    ("Translation 1", "Translation 2", "Both bad"),
    ("Left", "Right", "about the same"),
    ("1st", "2nd", "draw"),
    ("A>B", "B>A", "A=B"),
    (">", "<", "="),
    ("Prefer A over B", "Prefer B over A", "Neither"),
    ("Übersetzung A ist besser", "Übersetzung B ist besser", "gleich gut"),
    ("premier", "deuxième", "égal"),
    ("первый", "второй", "одинаково"),
    ("A가 더 좋음", "B가 더 좋음", "비슷함"),
    ("첫 번째", "두 번째", "동일"),
    ("译文A更好", "译文B更好", "一样好"),
    ("左の方が良い", "右の方が良い", "同じ"),
    ("الأول", "الثاني", "متساويان"),
]


@pytest.mark.parametrize(("first", "second", "tie"), WORDINGS)
def test_sides_in_the_words_of_many_languages(first: str, second: str, tie: str) -> None:
    assert sides([first, second, tie]) == {first: "a", second: "b", tie: "tie"}


@pytest.mark.parametrize(
    "text", ["A is worse", "Not B", "B schlechter", "A and B", "GPT-4", "yes", "3", "", "not sure", "the same as A"]
)
def test_what_is_not_certain_is_not_read(text: str) -> None:
    assert side(text) is None
    assert sides(["A", "B", text]) is None


def test_numbers_are_sides_only_where_a_preference_was_asked_for() -> None:
    assert sides(["1", "2"], "Preferred") == {"1": "a", "2": "b"}
    assert sides(["2", "0", "1"], "better") == {"1": "a", "2": "b", "0": "tie"}
    assert sides(["1", "2"], "confidence") is None
    assert sides(["1", "2", "3"], "preference") is None  # 3 may be a tie, or a step of a scale
    assert sides(["-1", "0", "1"], "preference") is None


def written(path: Path, wording: tuple[str, str, str]) -> None:
    """Oak wins 2 of 3 in each of eight documents, wherever it is shown; one comparison in four is a tie."""
    lines = ["annotator,doc_id,seg_id,MT1,MT2,better"]
    for document in range(8):
        for segment, winner in enumerate(("oak", "oak", "elm", "")):
            first, second = ("oak", "elm") if (document + segment) % 2 else ("elm", "oak")
            answer = wording[2] if not winner else wording[0] if winner == first else wording[1]
            lines.append(f'ann,d{document},{segment},{first},{second},"{answer}"')
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize("wording", [*WORDINGS, ("1", "2", "0")])
def test_a_table_of_preferences_is_counted_however_it_is_worded(wording: tuple[str, str, str], tmp_path: Path) -> None:
    written(tmp_path / "t.csv", wording)
    result = CliRunner().invoke(lanner, ["prefer", str(tmp_path / "t.csv"), "--favour", "oak", "--json"])
    [row] = [row for row in json.loads(result.stdout)["rows"] if row["judge"] == "all"]
    assert (row["for"], row["wins"], row["ties"], row["losses"]) == ("oak", 16, 8, 8)


def test_an_answer_that_names_no_side_is_quoted_as_it_stands(tmp_path: Path) -> None:
    written(tmp_path / "t.csv", ("A", "B", "모름"))
    result = CliRunner().invoke(lanner, ["prefer", str(tmp_path / "t.csv")])
    assert "'모름' to 'better'" in str(result.exception)
    written(tmp_path / "t.csv", ("-1", "1", "0"))
    result = CliRunner().invoke(lanner, ["prefer", str(tmp_path / "t.csv")])
    assert "numbers (-1, 0, 1)" in str(result.exception)
