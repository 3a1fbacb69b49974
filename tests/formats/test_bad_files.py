"""Files that are wrong on purpose, or far too large: a clear error, within bounded time."""

from __future__ import annotations

import os
import time
import tomllib
import zipfile
from pathlib import Path
from shutil import copy, copytree
from zlib import crc32

import openpyxl
import pytest

from formats.strategies import SAMPLES
from lanner import formats
from lanner.errors import LannerError

EVERYTHING = bool(os.environ.get("LANNER_FUZZ"))
LONG = 100_000 if EVERYTHING else 40_000
HEADS = {
    "csv": b"source,target\n",
    "xliff": b'<?xml version="1.0"?><xliff version="1.2"><file original="',
    "comments": b"<?xml version='1.0'?>",
    "doctype": b"<!DOCTYPE x [",
    "tmx": b'<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>',
    "dela": b'<doc\tsysid="x" ',
    "jsonl": b'{"source": "',
    "tsv": b'"source"\t"target"\n"',
    "po": b'msgid ""\nmsgstr ""\n"Language: de\\n"\n\nmsgid "a"\nmsgstr "',
    "batches": b'[{"items": [{"sourceText": "',
    "judgements": b"judge,judge_kind,stage,question,row,document,segment,system,role\n",
    "score": b"user,sys,1,TGT,eng,deu,80,",
}
PIECES = (b"a", b'"', b"<!--", b"<a ", b"[", b"\xff", b" ", b"\n", b",", b"\t", b"9", b"</", b"{", b"\\", b"&", b"#")
CPU_SECONDS = LONG / 10_000
"""For one file: what is quadratic takes several times as long."""
DESCRIBED = tomllib.loads((Path(__file__).parents[2] / "docs" / "formats.toml").read_text(encoding="utf-8"))
SAMPLED = {formats.recognise(path) for path in SAMPLES.iterdir()}
EXAMPLES = sorted(
    (name, file) for name in formats.titles().keys() - SAMPLED for file in DESCRIBED[name].get("files", ())
)
"""The examples in the docs of formats that have no samples here."""
SAMPLE_FILES = sorted(path.relative_to(SAMPLES) for path in SAMPLES.rglob("*") if path.is_file())


def some(name: str, number: int = 2) -> list[bytes]:
    """A few of the pieces, a different few for each name; all of them with LANNER_FUZZ=1."""
    start = crc32(name.encode())
    return list(PIECES) if EVERYTHING else [PIECES[(start + 7 * at) % len(PIECES)] for at in range(number)]


def seconds_to_read(path: Path, name: str | None = None) -> float:
    began = time.process_time()
    try:
        formats.read(path, name)
    except LannerError as error:
        assert error.what
    return time.process_time() - began


@pytest.mark.parametrize("head", HEADS)
def test_repeated_characters_are_read_or_refused_quickly(tmp_path: Path, head: str) -> None:
    path = tmp_path / "x"
    for piece in some(head, 3):
        path.write_bytes(HEADS[head] + piece * (LONG // len(piece)))
        assert seconds_to_read(path) < CPU_SECONDS, piece


def test_there_is_a_file_of_every_format_to_spoil() -> None:
    made_of_others = {"huggingface"}
    assert set(formats.titles()) - made_of_others <= SAMPLED | {name for name, _ in EXAMPLES}


def spoil(file: Path, root: Path, name: str, label: str) -> None:
    """Thousands of characters inside a sound file, read as its format."""
    content = file.read_bytes()
    for number, piece in enumerate(some(label), 1):
        at = len(content) * (1 + number % 3) // 3
        file.write_bytes(content[:at] + piece * (LONG // len(piece)) + content[at:])
        assert seconds_to_read(root, name) < CPU_SECONDS, (piece, at)


@pytest.mark.parametrize("file", SAMPLE_FILES, ids=str)
def test_repeated_characters_in_the_middle_of_every_kind_of_file(tmp_path: Path, file: Path) -> None:
    top = SAMPLES / file.parts[0]
    root = tmp_path / top.name
    if top.is_dir():
        copytree(top, root)
    else:
        copy(top, root)
    spoil(root.joinpath(*file.parts[1:]), root, formats.recognise(top), str(file))


@pytest.mark.parametrize(("name", "file"), EXAMPLES)
def test_repeated_characters_in_the_middle_of_the_example_of_a_format(tmp_path: Path, name: str, file: str) -> None:
    for each, text in DESCRIBED[name]["files"].items():
        (tmp_path / each).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / each).write_text(text.strip() + "\n", encoding="utf-8")
    spoil(tmp_path / file, tmp_path / DESCRIBED[name]["path"], name, f"{name} {file}")


def test_a_name_twice_in_an_archive_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("a.csv", "source,target\nOne.,Eins.\n")
        archive.writestr("A.csv", "source,target\nTwo.,Zwei.\n")
    with pytest.raises(LannerError, match=r"two files called 'A\.csv'"):
        formats.read(tmp_path / "x.zip")


def test_a_large_spreadsheet_comes_row_by_row(tmp_path: Path) -> None:
    book = openpyxl.Workbook(write_only=True)
    page = book.create_sheet("segments")
    page.append(["document", "segment", "source", "target"])
    for number in range(2_000):
        page.append([f"d{number // 50}", number, f"Sentence {number}.", f"Satz {number}."])
    book.save(tmp_path / "x.xlsx")
    documents = formats.read_documents(tmp_path / "x.xlsx")
    assert next(documents).id == "d0"
    assert sum(1 for _ in documents) == 39
