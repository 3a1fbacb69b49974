from __future__ import annotations

import importlib.util
import shutil
import sqlite3
import stat
import tomllib
import webbrowser
from collections import namedtuple
from pathlib import Path

import pytest

from campaign_parts import opened
from cli.command import Command
from lanner.cli import doctor
from lanner.cli.doctor import EXTRAS, FINE, MISSING, look
from lanner.store import Store

Usage = namedtuple("Usage", "total used free")


def test_what_is_here_and_how_to_get_the_rest(lanner: Command, tmp_path: Path) -> None:
    ran = lanner("doctor")
    assert ran.code == 0
    for word in ("Lanner", "Python", "SQLite", "GB free", "Extra postgres", "Nothing is wrong"):
        assert word in ran.out
    assert list(tmp_path.iterdir()) == []  # looking makes no store
    rows = lanner("doctor", "--json").envelope["rows"]
    assert {row["check"] for row in rows} >= {"Lanner", "Python", "System", "Database", "Disk", "Browser"}
    assert all(row["next"] for row in rows if row["state"] != "fine")


def test_a_store_that_is_not_ours_and_a_full_disk_are_wrong(
    lanner: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sqlite3.connect(tmp_path / "other.sqlite") as other:
        other.execute("CREATE TABLE cakes (name TEXT)")
    other.close()
    ran = lanner("doctor", "--store", "other.sqlite")
    assert ran.code == 2
    assert "some other program" in ran.out
    assert "Database" in ran.err
    monkeypatch.setattr(shutil, "disk_usage", lambda _place: Usage(10, 10, 0))
    assert "Make room" in lanner("doctor").err


def test_a_store_and_a_server_that_does_not_answer(lanner: Command, tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store)
    rows = {row["check"]: row for row in lanner("doctor", "--json").envelope["rows"]}
    assert "lanner.sqlite" in rows["Database"]["found"]
    ran = lanner("doctor", "--store", "postgresql://nobody@127.0.0.1:1/none?connect_timeout=2")
    assert ran.code == 2
    assert "✗ Database" in ran.out


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
    has, lacks = doctor._fonts()
    assert (has.found, has.state) == ("for Korean", FINE)
    assert lacks.state == MISSING
    assert "Arabic" in lacks.found
    assert lacks.next_step.endswith("apt install fonts-noto-cjk fonts-noto-core")


def test_without_a_browser_links_can_be_opened_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise webbrowser.Error("no")

    monkeypatch.setattr(webbrowser, "get", none)
    for programs, words in ((set(), "none found"), ({"chromium"}, "chromium, but there is no screen here")):
        monkeypatch.setattr(doctor.shutil, "which", lambda name, programs=programs: name if name in programs else None)
        found = doctor._browser()
        assert found.state == MISSING
        assert words in found.found
        assert "another machine" in found.next_step


def test_an_empty_folder_says_how_to_begin(lanner: Command) -> None:
    ran = lanner()
    assert ran.code == 0
    assert "lanner demo" in ran.out


def test_a_folder_with_a_campaign_says_how_to_go_on(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("document,segment,source,target\nd,1,One.,Eins.\n", encoding="utf-8")
    lanner("new", "pilot", "--texts", "t.csv", "--protocol", "h_falcon", "--judges", "Ana")
    ran = lanner()
    assert "pilot" in ran.out
    assert "0 of 1" in ran.out
    assert "lanner serve" in ran.out


def test_texts_that_lie_here_are_offered_first(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("document,segment,source,target\nd,1,One.,Eins.\n", encoding="utf-8")
    (tmp_path / "other.jsonl").write_text("no texts\n", encoding="utf-8")
    lanner("import", "t.csv")
    assert "lanner new --texts t.jsonl" in lanner().out
