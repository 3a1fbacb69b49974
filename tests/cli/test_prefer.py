from pathlib import Path

import pytest

from cli.command import Command
from released import data_dir
from test_material import falcon_folder


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
    assert lanner(*asked, "--by", "domain", "--json").envelope["rows"]
