from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.command import Command
from lanner import protocols
from lanner.cli import protocols as module
from lanner.cli.protocols import catalogue


def test_every_protocol_is_listed(lanner: Command) -> None:
    rows = lanner("protocols", "--json").envelope["rows"]
    assert {"falcon", "h_falcon"} <= {row["name"] for row in rows}
    assert all(row["summary"] for row in rows)
    ran = lanner("protocols")
    assert ran.code == 0
    assert "h_falcon" in ran.out


def test_an_unknown_command_names_the_nearest(lanner: Command) -> None:
    ran = lanner("protocls")
    assert ran.code == 2
    assert "Did you mean 'protocols'" in ran.err


def test_a_protocol_reads_like_a_page(lanner: Command) -> None:
    ran = lanner("protocol", "show", "h_falcon", "--language", "ko")
    assert ran.code == 0
    assert "정보 밀도" in ran.out


def test_a_sound_file(lanner: Command, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\nversion = "1"\nextends = "h_falcon"\n')
    ran = lanner("protocol", "check", path)
    assert ran.code == 0
    assert "mine@1 is sound" in ran.out
    stage = '[[stage]]\nid = "s"\nunit = "sentence_in_context"\nobject = "output"\n'
    question = '[[stage.question]]\nid = "q"\nkind = "text"\nkey = "c"\n'
    texts = '[text.en]\ntitle = "Mine"\n[text.en.stages.s]\ntitle = "S"\n[text.en.questions.q]\nlabel = "Why?"\n'
    path.write_text(f'name = "mine"\nversion = "1"\n{stage}{question}{texts}')
    assert "1 question in 1 stage, hash" in lanner("protocol", "check", path).out


def test_a_mistake_is_named_by_file_and_line(lanner: Command, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\nversion = "1"\n\n[[stage]]\nid = "s"\nunit = "documnt"\nobject = "output"\n')
    ran = lanner("protocol", "check", path)
    assert ran.code == 2
    assert f"{path}:6" in ran.err


def test_a_missing_file(lanner: Command) -> None:
    ran = lanner("protocol", "check", "none.toml")
    assert ran.code == 2
    assert "There is no such file" in ran.err


# The list of protocols, quickly


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "lanner"


def test_the_list_says_what_the_protocols_say_and_is_the_same_from_the_cache(cache: Path) -> None:
    rows = catalogue()
    assert [row["name"] for row in rows] == list(protocols.names())
    assert all(row["hash"] == protocols.load(row["name"]).hash for row in rows)
    assert len(list(cache.iterdir())) == 1
    assert catalogue() == rows


def test_a_changed_file_makes_another_list(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = module._cache_file()
    mine = cache.parent / "mine.toml"
    mine.write_text("name = 'mine'")
    monkeypatch.setattr(module.registry, "additions", lambda _group: {"mine": mine})
    with_mine = module._cache_file()
    mine.write_text("name = 'mine' # changed")
    assert len({before, with_mine, module._cache_file()}) == 3
    monkeypatch.setattr(module.protocols, "__file__", str(cache.parent / "__init__.py"))  # as if it were one of ours
    ours = module._cache_file()
    (cache.parent / "ours.toml").write_text("name = 'ours'")
    assert module._cache_file() != ours


def test_a_damaged_cache_and_no_place_for_one_are_no_error(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = catalogue()
    module._cache_file().write_text("{", encoding="utf-8")
    assert catalogue() == rows
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/nowhere")
    assert catalogue() == rows


@pytest.mark.parametrize("arguments", [["protocols"], ["--help"], ["nonsense"]])
def test_lists_and_errors_load_nothing_heavy(cache: Path, arguments: list[str]) -> None:
    catalogue()
    script = (
        "import sys, lanner.cli as cli\nsys.argv = ['lanner', *sys.argv[1:]]\n"
        "try:\n    cli.main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'pydantic', 'polars', 'numpy', 'sqlalchemy', 'scipy'} & set(sys.modules)\nassert not heavy, heavy"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache.parent)}
    ran = subprocess.run(
        [sys.executable, "-c", script, *arguments], env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
