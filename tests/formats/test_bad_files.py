"""Files that are wrong on purpose, or far too large: a clear error, within bounded time."""

from __future__ import annotations

import time
import zipfile
from pathlib import Path

import openpyxl
import pytest

from lanner import formats
from lanner.errors import LannerError

LONG = 100_000
HEADS = {
    "csv": b"source,target\n",
    "xliff": b'<?xml version="1.0"?><xliff version="1.2"><file original="',
    "comments": b"<?xml version='1.0'?>",
    "doctype": b"<!DOCTYPE x [",
    "tmx": b'<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>',
    "dela": b'<doc\tsysid="x" ',
    "jsonl": b'{"source": "',
    "tsv": b'"source"\t"target"\n"',
    "score": b"user,sys,1,TGT,eng,deu,80,",
}
PIECES = [b"a", b'"', b"<!--", b"<a ", b"[", b"\xff"]


@pytest.mark.parametrize("head", HEADS)
def test_repeated_characters_are_read_or_refused_quickly(tmp_path: Path, head: str) -> None:
    """A quadratic pattern takes minutes on such a line; twenty seconds for all of them are far more than needed."""
    path = tmp_path / "x"
    began = time.process_time()
    for piece in PIECES:
        path.write_bytes(HEADS[head] + piece * (LONG // len(piece)))
        try:
            formats.read(path)
        except LannerError as error:
            assert error.what
    assert time.process_time() - began < 20


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
    for number in range(20_000):
        page.append([f"d{number // 50}", number, f"Sentence {number}.", f"Satz {number}."])
    book.save(tmp_path / "x.xlsx")
    documents = formats.read_documents(tmp_path / "x.xlsx")
    assert next(documents).id == "d0"
    assert sum(1 for _ in documents) == 399
