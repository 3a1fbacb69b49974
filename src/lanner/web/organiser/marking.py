"""A text cut where people marked it, with who marked each piece. Spans may overlap; offsets are code points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from lanner.model import Json


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text and the names of those who marked it."""

    text: str
    who: tuple[str, ...] = ()


def marked(text: str, spans: Mapping[str, Json], side: str) -> tuple[Piece, ...]:
    """The text in pieces. `spans` are lists of spans by name; those of the other side are left out."""
    places: list[tuple[int, int, str]] = []
    for name, given in spans.items():
        for span in given:
            start, end = span.get("start"), span.get("end")
            if span.get("side", "target") == side and isinstance(start, int) and isinstance(end, int):
                places.append((max(0, start), min(len(text), end), name))
    cuts = sorted({0, len(text), *(start for start, _, _ in places), *(end for _, end, _ in places)})
    pieces: list[Piece] = []
    for start, end in pairwise(cuts):
        who = tuple(dict.fromkeys(name for first, last, name in places if first <= start and end <= last))
        if pieces and pieces[-1].who == who:
            pieces[-1] = Piece(pieces[-1].text + text[start:end], who)
        else:
            pieces.append(Piece(text[start:end], who))
    return tuple(pieces)
