"""Cut a text into sentences: at every line break first, then by the segmenter of its language.

No tool that was measured respects line breaks by itself, and they are the only border that headlines and posts have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise

from lanner.corpus import segmenters
from lanner.model import languages

_LINE_BREAK = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
NO_CHOICE: Mapping[str, str] = {}


def line_spans(text: str) -> list[tuple[int, int]]:
    """The lines of a text that hold anything, without the white space around them."""
    if len(text.splitlines()) < 2:  # knows the same line breaks, and is much faster
        span = _trim(text, 0, len(text))
        return [span] if span else []
    breaks = [match.span() for match in _LINE_BREAK.finditer(text)]
    starts, ends = [0, *(end for _, end in breaks)], [*(start for start, _ in breaks), len(text)]
    return [span for start, end in zip(starts, ends, strict=True) if (span := _trim(text, start, end))]


def cuts(text: str, language: str, choice: Mapping[str, str] = NO_CHOICE) -> list[int]:
    """Where sentences begin, the first excepted. `choice` maps a language to a segmenter other than the default."""
    name = choice.get(language) or choice.get(segmenters.base(language)) or segmenters.default(language)
    segmenter = segmenters.find(name)
    places: list[int] = []
    for start, end in line_spans(text):
        places += [start, *(start + cut for cut in segmenter(text[start:end], language))]
    return places[1:]


def spans(text: str, language: str, segmenters: Mapping[str, str] = NO_CHOICE) -> list[tuple[int, int]]:
    """The sentences of a text as (start, end); between them is white space only."""
    return at_cuts(text, cuts(text, language, segmenters))


def sentences(text: str, language: str, segmenters: Mapping[str, str] = NO_CHOICE) -> list[str]:
    """The sentences of a text."""
    return [text[start:end] for start, end in spans(text, language, segmenters)]


def at_cuts(text: str, offsets: Sequence[int]) -> list[tuple[int, int]]:
    """The pieces of a text between given offsets, without the white space around them; empty ones are left out."""
    edges = [0, *offsets, len(text)]
    pieces = (_trim(text, start, end) for start, end in pairwise(edges))
    return [piece for piece in pieces if piece]


def joiner(language: str) -> str:
    """What stands between two sentences of a language unless something else is recorded."""
    return "" if languages.is_unspaced(language) else " "


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None


# Borders are counted by the characters before them, white space aside, so that it does not matter how rows are joined.


def borders(pieces: Sequence[str]) -> list[int]:
    """Where a text is cut, in characters that are not white space; its two ends are not among them."""
    return list(accumulate(map(solid, pieces[:-1])))


def solid(text: str) -> int:
    """How many characters are not white space."""
    return sum(not letter.isspace() for letter in text)
