"""A folder of files that each have a format of their own, or those in its `data`, where a dataset of Hugging Face has
them beside a card. What is not recognised is named in a note."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from lanner import formats
from lanner.formats.parsing import textfile
from lanner.formats.parsing.readings import Format, Reading, read_each
from lanner.formats.parsing.textfile import content
from lanner.model import Document


def recognise(path: Path) -> bool:
    """A folder with at least one file that is recognised."""
    return path.is_dir() and any(_format_of(file) is not None for file in _files(path))


def read(path: Path) -> list[Reading]:
    """The readings of all files that are recognised; an error in one of them is an error of all."""
    readers = {file: _format_of(file) for file in _files(path)}
    unread = [file.name for file, reader in readers.items() if reader is None or reader.read is None]

    def read_file(file: Path, judge: str) -> list[Reading]:
        reader = readers[file]
        assert reader is not None
        assert reader.read is not None
        return list(reader.read(file, **({"judge": judge} if judge and "judge" in reader.options else {})))

    readings = read_each([file for file in readers if file.name not in unread], read_file)
    if not readings:
        textfile.failed(path, "No file in this folder is recognised.")
    note = (f"Not read: {', '.join(unread)}.",) if unread else ()
    return [replace(readings[0], notes=readings[0].notes + note), *readings[1:]]


def read_documents(path: Path) -> Iterator[Document]:
    """The documents of all files that are recognised."""
    for file in _files(path):
        reader = _format_of(file)
        if reader is not None and reader.read_documents is not None:
            yield from reader.read_documents(file)
        elif reader is not None and reader.read is not None:
            yield from (document for part in reader.read(file) for document in part.documents)


def _files(path: Path) -> list[Path]:
    folders = [path, *(entry for entry in content(path) if entry.name == "data" and entry.is_dir())]
    return sorted(file for folder in folders for file in content(folder) if file.is_file())


def _format_of(file: Path) -> Format | None:
    """The one format that fits a file."""
    readers = {name: each for name, each in formats.all_formats().items() if each.read and not each.folder}
    names = formats.fitting(file, readers.values())
    return readers[names[0]] if len(names) == 1 else None


FORMAT = Format(
    name="folder",
    title="a folder of files in any of the other formats",
    description=__doc__ or "",
    recognise=recognise,
    read=read,
    read_documents=read_documents,
    generic=True,
    folder=True,
)
