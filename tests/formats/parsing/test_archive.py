from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest

from lanner import formats
from lanner.errors import InputError
from lanner.formats.parsing import archive, textfile

LINE = '{"id": "a", "segments": [{"id": "1", "source": "x"}]}\n'


def pack(path: Path, **files: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_a_single_file_in_a_zip_is_read(tmp_path: Path) -> None:
    path = pack(tmp_path / "set.zip", **{"deep/er/set.jsonl": LINE, "__MACOSX/x": "litter"})
    assert formats.recognise(path) == "native"
    assert [document.id for document in formats.read_documents(path)] == ["a"]


def test_an_error_names_archive_and_member(tmp_path: Path) -> None:
    path = pack(tmp_path / "set.zip", **{"d/set.jsonl": LINE + "{\n"})
    with pytest.raises(InputError) as caught:
        formats.read(path)
    assert str(caught.value).startswith(f"{path}/d/set.jsonl:2: ")


def test_a_zip_bomb_is_refused(tmp_path: Path) -> None:
    path = pack(tmp_path / "bomb.zip", **{"a.jsonl": "\n" * (textfile.EXPANSION_FREE + 1)})
    with pytest.raises(InputError, match="unpacks to more than"):
        formats.read(path)


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MEMBER_LIMIT", 2)
    with pytest.raises(InputError, match="more than 2 files"):
        formats.read(pack(tmp_path / "many.zip", a="", b="", c=""))


@pytest.mark.parametrize("name", ["../out.jsonl", "/etc/out.jsonl", "a/../../out.jsonl", "C:\\out.jsonl"])
def test_nothing_lands_outside(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="outside its folder"):
        formats.read(pack(tmp_path / "evil.zip", **{name: LINE, "ok.jsonl": LINE}))


def test_damaged_and_empty_archives_are_refused(tmp_path: Path) -> None:
    path = pack(tmp_path / "set.zip", **{"set.jsonl": LINE * 100})
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(InputError, match="cannot be unpacked"):
        formats.read(path)
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(InputError, match="cannot be unpacked"):
        formats.read(path)


def test_a_folder_in_a_folder_is_the_inner_one(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "outer" / ".DS_Store").write_text("")
    (inner / "src.txt").write_text("a\n")
    (inner / "hyp.oak.txt").write_text("b\n")
    assert formats.recognise(tmp_path / "outer") == "parallel"
    assert [d.systems for d in formats.read_documents(tmp_path / "outer")] == [("oak",)]
    (tmp_path / "outer" / "note.md").write_text("x")
    with pytest.raises(InputError, match="none of the formats"):
        formats.recognise(tmp_path / "outer")


@pytest.mark.parametrize("zipped", [False, True])
def test_a_codebook_beside_an_export_is_not_in_the_way(tmp_path: Path, zipped: bool) -> None:
    outer = tmp_path / "outer"
    inner = outer / "judgements"
    inner.mkdir(parents=True)
    (inner / "src.txt").write_text("a\n")
    (inner / "hyp.oak.txt").write_text("b\n")
    (outer / "judgements.codebook.csv").write_text("kind,id,meaning\n")
    place = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", outer)) if zipped else outer
    assert formats.recognise(place) == "parallel"
    assert [d.systems for d in formats.read_documents(place)] == [("oak",)]
