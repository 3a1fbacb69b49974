from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from lanner.reports.parts import Figure
from lanner.reports.sections.effort import BETWEEN, OWN, section, times
from reports.test_view import view


def test_items_a_minute_by_judge_and_domain() -> None:
    made = section(view("h_falcon"))
    assert made is not None
    [figure] = made.blocks
    assert isinstance(figure, Figure)
    assert {(row["judge"], row["domain"]) for row in figure.data} >= {("j0", "all"), ("j0", "news"), ("j2", "social")}


def test_many_judges_have_a_row_each() -> None:
    made = section(view("da", judges=8))
    assert made is not None
    [figure] = made.blocks
    assert isinstance(figure, Figure)
    assert figure.svg.count("<circle") == 8
    assert "items a minute" in made.findings[0]


def test_no_times_were_kept() -> None:
    made = view("h_falcon")
    bare = tuple(replace(judgement, active_seconds=None) for judgement in made.material.judgements)
    assert section(replace(made, material=replace(made.material, judgements=bare))) is None


START = datetime(2026, 1, 5, tzinfo=UTC)


def answers(seconds: list[float | None], stamps: list[int | None]) -> pl.DataFrame:
    """One judge's answers with their own seconds, given so many seconds after the start."""
    number = len(seconds)
    return pl.DataFrame(
        {
            "judge": ["j"] * number, "document": ["d"] * number, "segment": [str(n) for n in range(number)],
            "question": ["q"] * number, "score": [1.0] * number, "active": seconds,
            "answered_at": [None if at is None else START + timedelta(seconds=at) for at in stamps],
        },
        schema_overrides={"active": pl.Float64, "answered_at": pl.Datetime("us", "UTC")},
    )  # fmt: skip


def test_items_with_a_time_of_their_own() -> None:
    work, way = times(answers([10.0, 20.0, 30.0], [10, 30, 60]))
    assert (work.table["seconds"].to_list(), way) == ([10.0, 20.0, 30.0], OWN)


def test_a_page_that_stamps_all_at_once_is_read_by_the_gaps() -> None:
    work, way = times(answers([0.0, 0.1, 0.0, 40.0], [0, 25, 60, 5000]))
    assert (work.table["seconds"].to_list(), way) == ([pytest.approx(25.0), pytest.approx(35.0)], BETWEEN)


def test_no_time_at_all() -> None:
    work, way = times(answers([None, None], [None, None]))
    assert (len(work.table), way) == (0, "")
