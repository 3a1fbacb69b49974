from pathlib import Path

import pytest

from cli.command import Command


@pytest.fixture
def lanner(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Command:
    """The command line, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LANNER_STORE", raising=False)
    monkeypatch.setenv("COLUMNS", "160")
    return Command(monkeypatch, capsys)


@pytest.fixture
def pilot(lanner: Command, tmp_path: Path) -> str:
    """A campaign of two documents with one judge."""
    (tmp_path / "t.csv").write_text(
        "document,segment,source,target\nd,1,One.,Eins.\ne,1,Two.,Zwei.\n", encoding="utf-8"
    )
    lanner("new", "pilot", "--texts", "t.csv", "--protocol", "h_falcon", "--judges", "Ana")
    return "pilot"
