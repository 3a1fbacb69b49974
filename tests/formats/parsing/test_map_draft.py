from __future__ import annotations

import shlex

import pytest

from lanner.formats.parsing.columns import parse
from lanner.formats.parsing.map_draft import MapDraft, as_option, each_as

HEADER = ["who", "text", "source", "label", "when", "score"]
ROWS = [
    [judge, f"t{at}", f"The ferry was late {at} times.", label, f"2026-03-0{at}", str(at + len(label))]
    for judge in ("ann", "ben")
    for at, label in enumerate(("Poor", "Fair", "Good"), 1)
]


@pytest.mark.parametrize("columns", [{"source": "src"}, {"answer:score about GPT, 4": "a=b"}, {"judge:Kim Lee": "x y"}])
def test_an_option_that_is_advised_is_read_back(columns: dict[str, str]) -> None:
    _, value = shlex.split(as_option(columns))
    assert parse(value) == columns
    assert parse(shlex.split(each_as("answer", ["F", "A"]))[1]) == {"answer:F": "F", "answer:A": "A"}


def test_what_stands_below_a_heading_tells_what_it_may_be() -> None:
    table = MapDraft(HEADER, ROWS, "")
    assert [name for name in HEADER if table.are_numbers(name)] == ["score"]
    assert [name for name in HEADER if table.are_ratings(name)] == ["label", "score"]
    assert [name for name in HEADER if table.are_moments(name)] == ["when"]
    assert table.text_columns() == ["source"]


def test_a_column_that_differs_between_rows_about_one_text_may_name_judges() -> None:
    table = MapDraft(HEADER, ROWS, "")
    table.assign("source", "source", 1.0)
    assert table.judge_candidates(table.free) == ("who",)
    table.assign("judge", "who", 1.0)
    assert table.judge_candidates(table.free) is None
    assert table.varies("score") is False, "both judges gave the same scores"


def test_rows_that_are_short_hold_nothing_in_the_last_columns() -> None:
    table = MapDraft(["a", "b"], [["1"], ["2", "x"]], "")
    assert (table.values("a"), table.values("b")) == (["1", "2"], ["x"])
