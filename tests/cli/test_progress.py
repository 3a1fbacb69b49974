import io
from pathlib import Path

import pytest
from rich.console import Console

from lanner import formats
from lanner.cli import _progress
from lanner.cli._output import Output
from lanner.model import Document, Segment


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "c.jsonl.gz"
    formats.write("native", path, [Document(f"d{n}", (Segment("1", f"Text {n}."),)) for n in range(50)])
    return path


def watched(monkeypatch: pytest.MonkeyPatch, *, terminal: bool) -> io.StringIO:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=terminal, width=100)
    monkeypatch.setattr(_progress, "_console", lambda: console)
    return screen


def test_a_bar_where_somebody_watches(monkeypatch: pytest.MonkeyPatch, corpus: Path) -> None:
    screen = watched(monkeypatch, terminal=True)
    with _progress.reading(Output("x"), corpus) as told:
        for number, _ in enumerate(formats.read_documents(corpus), 1):
            told("documents", number)
    assert "Reading: documents 50" in screen.getvalue()
    assert "100%" in screen.getvalue()
    with _progress.counting(Output("x"), "Storing", 3) as one:
        for _ in range(3):
            one()
    assert "3/3" in screen.getvalue()


@pytest.mark.parametrize(("terminal", "as_json"), [(False, False), (True, True)])
def test_silence_for_files_and_machines(
    monkeypatch: pytest.MonkeyPatch, corpus: Path, terminal: bool, as_json: bool
) -> None:
    screen = watched(monkeypatch, terminal=terminal)
    with _progress.reading(Output("x", as_json), corpus) as told:
        told("documents", len(list(formats.read_documents(corpus))))
    with _progress.counting(Output("x", as_json), "Storing", 3) as one:
        one()
    assert screen.getvalue() == ""
