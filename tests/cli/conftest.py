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
