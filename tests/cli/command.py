"""Running `lanner` as a person types it, and reading what it prints."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from lanner.cli import main


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def envelope(self) -> dict[str, Any]:
        made: dict[str, Any] = json.loads(self.out)
        assert set(made) == {"command", "version", "signature", "rows", "notes"}
        return made


class Command:
    """`lanner(...)` runs one command line in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, *arguments: object) -> Ran:
        self._capsys.readouterr()
        self._monkeypatch.setattr(sys, "argv", ["lanner", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        out, err = self._capsys.readouterr()
        return Ran(code, out, err)
