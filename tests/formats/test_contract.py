"""What holds for every format, also for one that another package brings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from data_sets import data_dir
from lanner import formats, registry
from lanner.errors import InputError, LannerError

NAMES = registry.names("formats")


@pytest.mark.parametrize("name", NAMES)
def test_every_format_says_what_it_is(name: str) -> None:
    each = formats.load(name)
    assert each.name == name
    assert each.title
    assert each.description
    assert (each.recognise is None) == (each.read is None)
    assert each.read is not None or each.write is not None
    assert all(isinstance(meaning, str) and meaning for meaning in formats.options(name).values())


def test_an_unknown_option_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("source\nx\n")
    with pytest.raises(InputError, match="no option 'colums'") as caught:
        formats.read(path, colums="source=x")
    assert "columns" in caught.value.next_step


def test_an_unknown_format_is_named(tmp_path: Path) -> None:
    with pytest.raises(LannerError, match="no format called 'natif'") as caught:
        formats.write("natif", tmp_path / "x", [])
    assert "native" in caught.value.next_step


def test_a_format_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(LannerError, match="read but not written"):
        formats.write("h-falcon", tmp_path / "x", [])


def test_a_folder_is_recognised_without_walking_a_whole_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path.joinpath(*"abcdef")
    deep.mkdir(parents=True)
    (tmp_path / "other").mkdir()  # a folder with one entry only is opened, as archives are packed
    (deep / "notes.txt").write_text('<seg id="1">\tOne.\n', encoding="utf-8")
    listed: list[Path] = []
    scan = os.scandir

    def noting(path: str = ".") -> object:
        listed.append(Path(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", noting)
    with pytest.raises(InputError):
        formats.read(tmp_path)
    assert tmp_path in listed
    assert all(len(path.relative_to(tmp_path).parts) <= 2 for path in listed)


def test_a_missing_path_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        formats.read(tmp_path / "none")


@pytest.mark.data
@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("esa-appraise", "appraise"),
        ("h-falcon", "h_falcon"),
        ("mqm", "folder"),
        ("mtme", "mtme"),
        ("parity", "parity"),
        ("wmt24", "mtme"),
    ],
)
def test_released_folders_are_recognised_without_a_flag(folder: str, name: str) -> None:
    assert formats.recognise(data_dir(folder)) == name
