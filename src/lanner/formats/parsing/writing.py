"""Files written whole or not at all: a file is either the old one or the new one, never half of the new one. And cells
that no spreadsheet program runs as formulas."""

from __future__ import annotations

import gzip
import io
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, TextIO, cast

import zstandard

from lanner.errors import InputError, Where
from lanner.model import Judge, Judgement


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path beside the wanted one to write a file or folder to; it takes its place when all went well."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        holder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    except OSError as error:
        raise InputError(f"Nothing can be written here: {error.strerror}.", where=Where(path)) from error
    temporary = holder / path.name
    try:
        yield temporary
        if temporary.is_dir() and path.is_dir():
            if any(path.iterdir()):
                raise InputError(
                    "This folder is not empty.", where=Where(path), next_step="Choose another, or empty it."
                )
            path.rmdir()
        temporary.replace(path)
    except InputError as error:
        if isinstance(error.where.file, Path) and error.where.file.is_relative_to(temporary):
            error.where = replace(error.where, file=path / error.where.file.relative_to(temporary))
        raise
    except OSError as error:
        raise InputError(f"It cannot be written: {error.strerror or error}.", where=Where(path)) from error
    finally:
        shutil.rmtree(holder, ignore_errors=True)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that it appears whole or not at all; text as UTF-8."""
    with replacing(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def text_file(path: Path) -> Iterator[TextIO]:
    """A UTF-8 file to write text to, compressed if its name ends in .gz or .zst; line ends are written as given."""
    with replacing(path) as temporary, temporary.open("wb") as file:
        stream = _open_packed(path, file)
        text = io.TextIOWrapper(stream, "utf-8", newline="", write_through=False)
        try:
            yield text
        except UnicodeEncodeError as error:
            raise InputError("A text holds half of a surrogate pair.", where=Where(path)) from error
        text.flush()
        if stream is not file:
            stream.close()
        file.flush()
        os.fsync(file.fileno())


def _open_packed(path: Path, file: IO[bytes]) -> IO[bytes]:
    match path.suffix:
        case ".gz":
            # no time stamp and no name, so that the same text gives the same bytes
            return cast(IO[bytes], gzip.GzipFile("", "wb", fileobj=file, mtime=0))
        case ".zst":
            return cast(IO[bytes], zstandard.ZstdCompressor().stream_writer(file, closefd=False))
        case _:
            return file


def refuse_answers(path: Path, what: str, judgements: Iterable[Judgement], judges: Iterable[Judge]) -> None:
    """For a format that holds texts alone: nothing is dropped silently."""
    if any(True for _ in judgements) or any(True for _ in judges):
        step = "Write the texts alone (lanner export … --texts), or all of it as native."
        raise InputError(what, where=Where(path), next_step=step)


def some_judgements(path: Path, judgements: Iterable[Judgement]) -> list[Judgement]:
    """What a format of judgements alone is asked to write, which must not be nothing."""
    if answers := list(judgements):
        return answers
    raise InputError(
        "This format holds judgements alone, and there are none to write.",
        where=Where(path),
        next_step="For the texts choose another format, such as --to native or --to table.",
    )


# Cells of tables that people open in spreadsheet programs, which run some texts as formulas.
# Such a text is given an apostrophe in front, and so is a text that already has apostrophes there. Taking one off again
# therefore gives exactly the text that was there.


_RUNS = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_KEPT = re.compile(r"'+[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


def guarded(text: str) -> str:
    """The text as a spreadsheet does not run it. Numbers stay numbers."""
    return f"'{text}" if _RUNS.match(text) and not _NUMBER.fullmatch(text) else text


def bare(text: str) -> str:
    """The text that was guarded."""
    return text[1:] if _KEPT.match(text) else text
