from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cli.command import Command
from data_sets import is_released
from lanner.analysis import material
from lanner.analysis.material import Material
from lanner.cli import lanner as commands


@pytest.fixture(scope="session")
def read_once() -> Callable[..., list[Material]]:
    """`material.from_file`, which reads a released data set once however many commands are tried on it. Files that a
    test writes are read each time."""
    from_file = material.from_file
    known: dict[tuple[Any, ...], list[Material]] = {}

    def read(path: Any, *arguments: Any, **options: Any) -> list[Material]:
        if not is_released(path):
            return from_file(path, *arguments, **options)
        key = (str(path), arguments, tuple(sorted(options.items())))
        if key not in known:
            known[key] = from_file(path, *arguments, **options)
        return known[key]

    return read


@pytest.fixture
def lanner(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    read_once: Callable[..., list[Material]],
) -> Command:
    """The command line, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LANNER_STORE", raising=False)
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setattr(material, "from_file", read_once)
    return Command(monkeypatch, capsys)


@pytest.fixture(scope="session")
def pilot_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with texts and a campaign of two documents with one judge, made once."""
    folder = tmp_path_factory.mktemp("pilot")
    texts = folder / "t.csv"
    texts.write_text("document,segment,source,target\nd,1,One.,Eins.\ne,1,Two.,Zwei.\n", encoding="utf-8")
    options = ["--protocol", "h_falcon", "--judges", "Ana", "--store", str(folder / "lanner.sqlite")]
    ran = CliRunner().invoke(commands, ["new", "pilot", "--texts", str(texts), *options])
    assert ran.exit_code == 0, ran.output
    return folder


@pytest.fixture
def pilot(lanner: Command, tmp_path: Path, pilot_folder: Path) -> str:
    """The campaign of that folder, a copy for each test."""
    shutil.copytree(pilot_folder, tmp_path, dirs_exist_ok=True)
    return "pilot"
