"""Subtitles (SubRip): numbered captions with their times. Two languages stand one below the other in each caption."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lanner.errors import InputError, Where
from lanner.formats import Format, Reading
from lanner.formats.parsing import textfile
from lanner.model import Document, Segment

_TIME = re.compile(r"\d{2}:\d{2}:\d{2},\d{3} --> \d{2}:\d{2}:\d{2},\d{3}")


def recognise(path: Path) -> bool:
    """A number, and a pair of times below it."""
    lines = textfile.head(path).splitlines()
    return len(lines) > 1 and lines[0].strip().isdigit() and _TIME.match(lines[1]) is not None


def read(path: Path, *, system: str = "target") -> list[Reading]:
    """The captions as one document."""
    return [Reading(path.stem, (Document(path.stem, tuple(_segments(path, system))),))]


def _segments(path: Path, system: str) -> Iterator[Segment]:
    for block in textfile.whole(path).split("\n\n"):
        if not block.strip():
            continue
        number, _, *texts = block.strip().splitlines()
        if len(texts) != 2:
            raise InputError("A caption needs two lines.", where=Where(path, item=f"caption {number}"))
        yield Segment(number, texts[0], {system: texts[1]})


FORMAT = Format(
    name="subtitles",
    title="bilingual SubRip subtitles",
    description=__doc__ or "",
    recognise=recognise,
    read=read,
    options={"system": "the name of the system whose output the second lines are (target)"},
    signs={},
)
