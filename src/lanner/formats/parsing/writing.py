"""Writing so that a file is either the old one or the new one, never half of the new one."""

from __future__ import annotations

import gzip
import io
import os
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


@contextmanager
def text_file(path: Path) -> Iterator[TextIO]:
    """A UTF-8 file to write text to, compressed if its name ends in .gz or .zst; line ends are written as given."""
    with replacing(path) as temporary, temporary.open("wb") as file:
        stream = _packed(path, file)
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


def _packed(path: Path, file: IO[bytes]) -> IO[bytes]:
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
