from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from lanner import formats
from lanner.cli import output
from lanner.cli.output import Output, minute, print_error, result_rows
from lanner.errors import ExitCode, InputError, Where
from lanner.model import Document, Interval, Result, Segment


def test_the_envelope_is_valid_json_without_nan(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output("x", as_json=True)
    output.say("people would read this")
    output.table([{"a": float("nan"), "b": [float("inf"), 1]}])
    output.note("a note")
    output.end()
    made = json.loads(capsys.readouterr().out)
    assert made["rows"] == [{"a": None, "b": [None, 1]}]
    assert made["notes"] == ["a note"]


def test_text_from_files_is_never_read_as_markup(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output("x")
    output.say("[bold]not bold[/bold]")
    output.table([{"name": "[red]x[/red]"}], title="[b]t[/b]")
    output.end()
    text = capsys.readouterr().out
    assert "[bold]not bold[/bold]" in text
    assert "[red]x[/red]" in text


def test_no_p_is_printed_as_nought(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output("x")
    output.table([{"system": "oak", "p": 1e-9, "p_holm": 0.0123, "score": 0.0}])
    output.end()
    assert "< .001 .012" in " ".join(capsys.readouterr().out.split())


def test_a_small_cost_is_not_printed_as_nought(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output("x")
    output.table([{"cost": cost} for cost in (0.00014, 0.0178, 0.0, 1234.5, None)])
    output.end()
    assert capsys.readouterr().out.split()[1:6] == ["0.00014", "0.0178", "0", "1,234.50", "—"]


def test_an_error_is_what_where_and_next(capsys: pytest.CaptureFixture[str]) -> None:
    error = InputError("It ends early.", where=Where("a.jsonl", 3), next_step="Copy it again.")
    print_error(error, as_json=False)
    text = capsys.readouterr().err
    assert "a.jsonl:3: It ends early." in text
    assert "Copy it again." in text
    print_error(error, as_json=True)
    assert json.loads(capsys.readouterr().err)["where"] == "a.jsonl:3"


def test_results_have_a_readable_estimate() -> None:
    [row] = result_rows([Result("kappa", 0.5004, Interval(0.448, 0.5521))])
    assert row["estimate"] == ".500 [.448, .552]"


def test_people_are_told_what_is_empty_and_programs_see_no_rows(capsys: pytest.CaptureFixture[str]) -> None:
    Output("x").table([], empty="Nothing yet. Make one: lanner new")
    assert capsys.readouterr().out == "Nothing yet. Make one: lanner new\n"
    output = Output("x", as_json=True)
    output.table([], empty="Nothing yet.")
    output.end()
    assert json.loads(capsys.readouterr().out)["rows"] == []


def test_a_moment_is_told_to_the_minute() -> None:
    assert minute(datetime(2026, 11, 16, 5, 30, 59, tzinfo=UTC)) == "2026-11-16T05:30+00:00"
    assert minute(None) == ""


def test_notes_that_differ_in_a_count_alone_stand_once(capsys: pytest.CaptureFixture[str]) -> None:
    notes = [
        "Fewer than 20 documents (6): so.",
        "Other.",
        "Fewer than 20 documents (2): so.",
        "Once (3): so.",
        "Other.",
    ]
    Output("x", notes=notes).end()
    assert capsys.readouterr().out.split("\n") == [
        "  Fewer than 20 documents (2 to 6): so.", "  Other.", "  Once (3): so.", "",
    ]  # fmt: skip
    Output("x", as_json=True, notes=notes).end()
    assert json.loads(capsys.readouterr().out)["notes"] == notes


def _lines(rows: list[dict[str, Any]], width: int) -> list[str]:
    stream = io.StringIO()
    output = Output("x", console=Console(file=stream, width=width, highlight=False))
    output.table(rows)
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def test_a_table_that_is_wrapped_loses_no_word_and_breaks_none() -> None:
    rows = [
        {"name": "adequacy_fluency_ds", "title": "Multidimensional Quality Metrics", "unit": "sentence in context",
         "languages": "ko de es pt zh ja ar en", "summary": "Rate nine context-dependent skills, the sentence too."},
        {"name": "da", "title": "Direct assessment", "unit": "document", "languages": "en", "summary": "0 to 100."},
    ]  # fmt: skip
    words = sorted(word for row in rows for text in row.values() for word in text.split())
    for width in (60, 80, 81, 90, 120, 200):
        lines = _lines(rows, width)
        assert max(map(len, lines)) <= width
        headings = {*rows[0]}
        assert sorted(w for line in lines for w in line.split() if w not in headings) == words, width


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "c.jsonl.gz"
    formats.write("native", path, [Document(f"d{n}", (Segment("1", f"Text {n}."),)) for n in range(50)])
    return path


def watched(monkeypatch: pytest.MonkeyPatch, *, terminal: bool) -> io.StringIO:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=terminal, width=100)
    monkeypatch.setattr(output, "_progress_console", lambda: console)
    return screen


def test_a_bar_where_somebody_watches(monkeypatch: pytest.MonkeyPatch, corpus: Path) -> None:
    screen = watched(monkeypatch, terminal=True)
    with output.reading(Output("x"), corpus, formats.watched) as told:
        for number, _ in enumerate(formats.read_documents(corpus), 1):
            told("documents", number)
    assert "Reading: documents 50" in screen.getvalue()
    assert "100%" in screen.getvalue()
    with output.counting(Output("x"), "Storing", 3) as one:
        for _ in range(3):
            one()
    assert "3/3" in screen.getvalue()


@pytest.mark.parametrize(("terminal", "as_json"), [(False, False), (True, True)])
def test_silence_for_files_and_machines(
    monkeypatch: pytest.MonkeyPatch, corpus: Path, terminal: bool, as_json: bool
) -> None:
    screen = watched(monkeypatch, terminal=terminal)
    with output.reading(Output("x", as_json), corpus, formats.watched) as told:
        told("documents", len(list(formats.read_documents(corpus))))
    with output.counting(Output("x", as_json), "Storing", 3) as one:
        one()
    assert screen.getvalue() == ""


@pytest.mark.parametrize("printed_by", [["--version"], ["protocols"]], ids=["click", "rich"])
def test_who_stops_reading_is_no_bug(printed_by: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        line = [sys.executable, "-m", "lanner", *printed_by]
        ran = subprocess.run(line, stdout=writer, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writer)
    assert (ran.returncode, ran.stderr) == (ExitCode.UNREAD, b"")
