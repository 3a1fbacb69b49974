"""Edits on disk, a line each as they are made; what was undone stays in the log and does not count.

A lost machine loses no work, and the log says who did what and when. A manifest's edits are read in the same way.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from lanner.corpus import edits
from lanner.corpus.edits import Edit
from lanner.errors import InputError, Where


def append(path: Path, edits: Sequence[Edit]) -> None:
    """Add edits to a log. They are on the disk when this returns."""
    _write(path, [{key: value for key, value in asdict(edit).items() if value} for edit in edits])


def undo(path: Path, count: int, by: str = "", when: str = "") -> None:
    """Note in a log that the last so many edits were taken back."""
    who = {key: value for key, value in (("by", by), ("when", when)) if value}
    _write(path, [{"undo": count, **who}])


def load(path: Path) -> list[Edit]:
    """The edits that count: of a log, or of a manifest."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The edits cannot be read: {error}.", where=Where(path)) from error
    entries: list[Mapping[str, Any]] = []
    for number, entry in _entries(path, text):
        if not isinstance(entry, dict):
            raise InputError("This is not an edit.", where=Where(path, number))
        if "undo" in entry:
            count = entry["undo"]
            if not isinstance(count, int) or not 0 < count <= len(entries):
                raise InputError("There are not that many edits to undo.", where=Where(path, number))
            del entries[-count:]
        else:
            entries.append(entry)
    try:
        return edits.read(entries)
    except InputError as error:
        raise InputError(error.what, where=Where(path, item=error.where.item), next_step=error.next_step) from error


def _entries(path: Path, text: str) -> list[tuple[int, Any]]:
    try:
        whole = json.loads(text)
    except ValueError:
        whole = None
    if isinstance(whole, dict) and isinstance(whole.get("edits"), list):
        return list(enumerate(whole["edits"], 1))
    rows = []
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            rows.append((number, json.loads(line)))
        except ValueError as error:
            if number == len(lines) and not text.endswith("\n"):
                break  # the machine stopped while it wrote this line: the edit was never confirmed
            raise InputError(f"This is not JSON: {error}.", where=Where(path, number)) from error
    return rows


def _write(path: Path, entries: Sequence[Mapping[str, Any]]) -> None:
    if not entries:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        file.truncate(_whole_lines(file))
        for entry in entries:
            file.write(json.dumps(entry, ensure_ascii=False).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _whole_lines(file: BinaryIO) -> int:
    """How many bytes of a log are whole lines; a half line is one whose writing was cut short."""
    end = file.seek(0, os.SEEK_END)
    start = max(0, end - 65536)
    file.seek(start)
    tail = file.read()
    return end if not tail or tail.endswith(b"\n") else start + tail.rfind(b"\n") + 1
