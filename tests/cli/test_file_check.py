from __future__ import annotations

from pathlib import Path

import click
import pytest

from lanner.cli._file_check import check_file, refuse_unknown_judges
from lanner.cli._source import Source
from lanner.errors import InputError


@pytest.fixture(scope="module")
def ratings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ratings") / "ratings.csv"
    rows = [f"{judge},d,{at},X,{at % 3 + 1}" for judge in ("ana", "ben") for at in range(1, 5)]
    path.write_text("\n".join(["judge,document,segment,system,score", *rows]), encoding="utf-8")
    return path


def test_what_is_right_passes(ratings: Path) -> None:
    check_file(ratings, None, None, None, [])
    check_file(ratings, None, None, "score", ["ana", "ben"])
    check_file(ratings, "table", "da", "score", ["ben"])


def test_it_says_what_the_command_says(ratings: Path) -> None:
    late = Source(str(ratings), "nowhere.sqlite", judges="ana,bne")
    with pytest.raises(InputError) as early_error:
        check_file(ratings, None, None, None, ["ana", "bne"])
    with pytest.raises(InputError) as late_error:
        late.parts()
    assert str(early_error.value) == str(late_error.value)
    with pytest.raises(InputError) as early_error:
        check_file(ratings, None, None, "scroe", [])
    with pytest.raises(InputError) as late_error:
        late.part_that_asks("scroe")
    assert str(early_error.value) == str(late_error.value)


def test_columns_are_looked_for_in_the_file(ratings: Path) -> None:
    context = click.Context(click.Command("agreement"))
    context.meta["lanner.reading"] = {"columns": "judge=whom"}
    with context, pytest.raises(InputError, match="There is no column 'whom'"):
        check_file(ratings, None, None, None, [])


def test_texts_are_left_to_the_command(tmp_path: Path) -> None:
    """A table without judges is read later as one judge's; texts have no judges at all."""
    path = tmp_path / "texts.csv"
    path.write_text("document,segment,source,target\nd,1,One.,Eins.\n", encoding="utf-8")
    check_file(path, None, None, "anything", ["nobody"])


def test_a_judge_who_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="There is no judge 'c' in x"):
        refuse_unknown_judges(["a", "c"], ["a", "b"], "x")
    refuse_unknown_judges([], [], "x")
