from __future__ import annotations

import importlib.util
import shutil
import stat
import tomllib
import webbrowser
from pathlib import Path

import pytest

from lanner.cli import _checkup
from lanner.cli._checkup import EXTRAS, FINE, MISSING, look

ROOT = Path(__file__).resolve().parents[2]


def test_every_extra_is_looked_at_by_a_package_that_it_brings() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert set(EXTRAS) == set(declared) - {"dev", "xlsx"}  # a name that keeps working
    for extra, (package, _) in EXTRAS.items():
        names = [requirement.replace("-", "_") for requirement in declared[extra]]
        assert any(name.startswith(package) for name in names), extra


def test_a_missing_extra_names_the_line_that_brings_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    found = {each.about: each for each in look("lanner.sqlite", tmp_path)}
    for extra in EXTRAS:
        assert found[f"Extra {extra}"].state == MISSING
        assert found[f"Extra {extra}"].next_step == f'pip install "lanner[{extra}]"'


def test_fonts_are_asked_for_by_language(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "fc-list"
    program.write_text('#!/bin/sh\n[ "$1" = ":lang=ko" ] && echo "Noto Sans KR"\nexit 0\n')
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setattr(shutil, "which", lambda _name: str(program))
    has, lacks = _checkup._fonts()
    assert (has.found, has.state) == ("for Korean", FINE)
    assert lacks.state == MISSING
    assert "Arabic" in lacks.found
    assert lacks.next_step.endswith("apt install fonts-noto-cjk fonts-noto-core")


def test_without_a_browser_links_can_be_opened_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise webbrowser.Error("no")

    monkeypatch.setattr(webbrowser, "get", none)
    for programs, words in ((set(), "none found"), ({"chromium"}, "chromium, but there is no screen here")):
        monkeypatch.setattr(
            _checkup.shutil, "which", lambda name, programs=programs: name if name in programs else None
        )
        found = _checkup._browser()
        assert found.state == MISSING
        assert words in found.found
        assert "elsewhere" in found.next_step
