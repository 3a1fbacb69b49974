from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from lanner.cli import lanner
from lanner.formats.parsing.durations import Heading, are_durations, duration, heading

SECONDS = [12.0, 30.0, 18.0, 45.0, 21.0, 60.0]


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("seconds", "seconds"),
        ("time", ""),
        ("time taken", ""),
        ("Duration", ""),
        ("time_ms", "milliseconds"),
        ("Answer time [ms]", "milliseconds"),
        ("milliseconds", "milliseconds"),
        ("Duration (min)", "minutes"),
        ("minutes", "minutes"),
        ("Time (s)", "seconds"),
        ("duration_seconds", "seconds"),
        ("WorkTimeInSeconds", "seconds"),
        ("소요 시간(초)", "seconds"),
        ("소요 시간(분)", "minutes"),
        ("所要時間（秒）", "seconds"),
        ("Dauer (Min.)", "minutes"),
    ],
)
def test_the_unit_is_what_the_heading_says(name: str, unit: str) -> None:
    assert heading(name) == Heading(unit)


@pytest.mark.parametrize(
    "name",
    [
        "start time",
        "time stamp",
        "words per minute",
        "min",
        "second judge",
        "score",
        "h",
        "timeline",
        "time of end",
        "ms min",
    ],
)
def test_other_headings_name_no_duration(name: str) -> None:
    assert heading(name) is None


def test_active_time_is_told_apart() -> None:
    assert heading("active time (s)") == Heading("seconds", active=True)


def test_cells_with_units_of_their_own() -> None:
    assert duration("12.5") == 12.5
    assert duration("12,5", 60.0) == 750.0
    assert duration("1:23") == 83.0
    assert duration("01:02:03.5", 60.0) == 3723.5
    assert duration("2 min 5 s", 1.0) == 125.0
    assert duration("850 ms") == pytest.approx(0.85)
    assert duration("1h 3m") == 3780.0
    assert [duration(text) for text in ("", "soon", "2 apples", "-3", "2026-01-01")] == [None] * 5
    assert not are_durations(["1794909576", "1794909600"])  # moments since 1970


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("time", [f"{value}" for value in SECONDS]),
        ("time_ms", [f"{1000 * value:.0f}" for value in SECONDS]),
        ("Duration (min)", [f"{value / 60:.6f}" for value in SECONDS]),
        ("Dauer (Min.)", [f"{value / 60:.6f}".replace(".", ",") for value in SECONDS]),
        ("elapsed", [f"0:{value:02.0f}" if value < 60 else "1:00" for value in SECONDS]),
        ("time spent", [f"{value / 60:.6f} min" for value in SECONDS]),
        ("소요 시간(초)", [f"{value}" for value in SECONDS]),
    ],
)
def test_a_table_has_the_same_pace_in_every_unit(name: str, cells: list[str], tmp_path: Path) -> None:
    """And what took long is no answer: nothing ranks systems by it."""
    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["judge", "document", "segment", "system", "score", name, "Started", "Session"])
        for judge in ("ann", "ben"):
            for number, cell in enumerate(cells):
                start, code = f"2026-01-01 10:0{number}:{ord(judge[0]) % 60}", f"3XY{judge}{number}ZQ"
                rows.writerow([judge, f"d{number}", 1, "oak", 1 + number % 5, cell, start, code])
    result = CliRunner().invoke(lanner, ["effort", str(tmp_path / "t.csv"), "--json"])
    rates = {
        row["judge"]: row["value"] for row in json.loads(result.stdout)["rows"] if row.get("judge") in ("ann", "ben")
    }
    pace = 60 / (sum(SECONDS) / len(SECONDS))
    assert rates == {"ann": pytest.approx(pace, rel=1e-4), "ben": pytest.approx(pace, rel=1e-4)}
    result = CliRunner().invoke(lanner, ["agreement", str(tmp_path / "t.csv"), "--json"])
    assert {row["question"] for row in json.loads(result.stdout)["rows"]} == {"score"}
