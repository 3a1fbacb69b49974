"""A folder of files that each have a format of their own. What is not recognised is named in a note."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from lanner import registry
from lanner.formats import _textfile as textfile
from lanner.formats._reading import Reading
from lanner.model import Document

TITLE = "a folder of files in any of the other formats"
FOLDER = True
GENERIC = True
OPTIONS: dict[str, str] = {}


def recognise(path: Path) -> bool:
    """A folder with at least one file that is recognised."""
    return path.is_dir() and any(_format(file) is not None for file in _files(path))


def read(path: Path) -> list[Reading]:
    """The readings of all files that are recognised; an error in one of them is an error of all."""
    readings: list[Reading] = []
    unread: list[str] = []
    for file in _files(path):
        module = _format(file)
        if module is None:
            unread.append(file.name)
        else:
            readings += module.read(file)
    if not readings:
        textfile.failed(path, "No file in this folder is recognised.")
    note = (f"Not read: {', '.join(unread)}.",) if unread else ()
    return [replace(readings[0], notes=readings[0].notes + note), *readings[1:]]


def read_documents(path: Path) -> Iterator[Document]:
    """The documents of all files that are recognised."""
    for file in _files(path):
        module = _format(file)
        if module is not None:
            yield from module.read_documents(file)


def _files(path: Path) -> list[Path]:
    return sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))


def _format(file: Path) -> ModuleType | None:
    """The one format that fits a file, particular ones before general ones."""
    modules = [registry.module("formats", name) for name in registry.names("formats")]
    readable = [module for module in modules if hasattr(module, "recognise") and hasattr(module, "read_documents")]
    for generic in (False, True):
        fitting = [m for m in readable if bool(getattr(m, "GENERIC", False)) is generic and m.recognise(file)]
        if len(fitting) == 1:
            return fitting[0]
    return None
