"""Places where a text may be cut, each with how likely a sentence border is there.

A segmenter says yes or no. For alignment that is not enough: a headline without a full stop ends somewhere, and the
other language often shows where. So every place between words is a candidate, with the log-odds of a border given
what stands before and after it. The odds are rounded relative frequencies counted on the 298 sentences of the
H-FALCON subset (English, Korean), which share no document with the evaluation set of the benchmarks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lanner.corpus.segmenters.rules import CLOSERS, EMOJI, OPENERS, Language, language

Floats = NDArray[np.float64]

ENDS = ("word", "stop", "question", "exclamation", "ellipsis", "emoji", "colon", "comma", "dash", "close", "line")
_MARKS = {
    **dict.fromkeys(".。．｡।॥።။។៕։۔", "stop"),
    **dict.fromkeys("?？؟፧⁇⁈;", "question"),
    **dict.fromkeys("!！‼⁉‽", "exclamation"),
    **dict.fromkeys(":：", "colon"),
    **dict.fromkeys(",，、;；،؛", "comma"),
    **dict.fromkeys("-–—―~", "dash"),
    "…": "ellipsis",
}
_CUT = {"stop": 2.0, "question": 0.7, "exclamation": 0.6, "ellipsis": 0.7, "emoji": 2.5, "line": 6.0}
_UNCUT = {
    "stop": -2,
    "question": -2,
    "exclamation": -2,
    "ellipsis": -1.5,
    "emoji": -1.5,
    "colon": -3,
    "comma": -5,
    "dash": -4,
}
_BEFORE_CAPITAL = {"close": 0.0, "colon": -1.0, "comma": -4.2}
_CAPITAL, _IN_QUOTES = 0.6, -2.0
_QUOTES = re.compile(r"[\"“”„«»「」『』]")
_CLOSING_QUOTES = frozenset('"”»」』')
_LAST_EMOJI = re.compile(EMOJI + r"\s*$")
_FIRST_EMOJI = re.compile(EMOJI)
_PLACES = re.compile(
    r"(?<=\S)\s+(?=\S)|(?<=[。！？｡।॥。，、；：…」』”）!?])(?=[^\s。！？｡।॥，、；：…」』”’）!?.,;:)\]\"'])"
)


@dataclass(frozen=True, slots=True)
class Candidates:
    """A text's possible borders in order, its two ends included: offset, characters before it (spaces not counted),
    log-odds of a border, and what stands before it (an index into `ENDS`)."""

    text: str
    offsets: NDArray[np.int64]
    lengths: Floats
    strengths: Floats
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets)

    def at_least(self, odds: float) -> Candidates:
        """Only the candidates that are this likely, and the two ends."""
        return self.select([0, *(np.flatnonzero(self.strengths[1:-1] >= odds) + 1), len(self) - 1])

    def select(self, indices: Sequence[int]) -> Candidates:
        """Only these of the candidates."""
        rows = np.array(indices)
        return Candidates(self.text, self.offsets[rows], self.lengths[rows], self.strengths[rows], self.ends[rows])


def candidates(text: str, code: str, cuts: Sequence[int]) -> Candidates:
    """The candidates of `text` given where its segmenter cuts."""
    certain = set(cuts)
    data = language(code)
    places = sorted({m.end() for m in _PLACES.finditer(text)} | certain)
    inside_quotes = _quoted(text, places)
    strengths = [(place, *_strength(text, place, place in certain, place in inside_quotes, data)) for place in places]
    offsets = [0, *(place for place, _, _ in strengths), len(text)]
    solid = np.cumsum([0, *(not c.isspace() for c in text)])
    return Candidates(
        text,
        np.array(offsets),
        solid[offsets].astype(np.float64),
        np.array([0.0, *(strength for _, strength, _ in strengths), 0.0]),
        np.array([0, *(ENDS.index(end) for _, _, end in strengths), 0]),
    )


def _strength(text: str, place: int, cut: bool, quoted: bool, data: Language) -> tuple[float, str]:
    before, after = text[max(0, place - 24) : place], text[place : place + 24]
    end = ending(before)
    following = after.lstrip(OPENERS)[:1]
    if cut or end == "line":
        odds = 4.0 if after[0] == "@" and end != "line" else _CUT.get(end, 1.0)
        odds += _CAPITAL if following.isupper() and end == "stop" else 0.0
    else:
        odds = _UNCUT.get(end, -6.5 if end == "word" else -4.0)
        if _FIRST_EMOJI.match(after):
            odds = min(odds, -4.0)
        elif after[0] == "@":
            odds = max(odds, 0.5)
        elif following.isupper():
            odds = _before_capital(before, after, data) if end == "word" else _BEFORE_CAPITAL.get(end, odds)
        elif end == "word" and not following.islower():
            odds = -3.3 if data.weak and data.weak.search(before) else -5.0
    return (odds + _IN_QUOTES if quoted else odds), end


def _before_capital(before: str, after: str, data: Language) -> float:
    """A capital after a word without punctuation: a name most often, a new sentence if a small word begins with it."""
    last = before.rsplit(maxsplit=1)[-1].lstrip(OPENERS)
    first, *rest = after.lstrip(OPENERS).split()[:2]
    if last[:1] in "@#" or last.casefold() in data.nonfinal:
        return -6.0
    if first.rstrip(",") in data.starters:
        return -0.5
    names = last[:1].isupper() + bool(rest and rest[0][:1].isupper())
    return (-2.7, -3.2, -3.8)[names]


def _quoted(text: str, places: Sequence[int]) -> set[int]:
    """The places inside a quotation or just after one: what somebody says often stays one row with who says it."""
    inside, is_open, marks = set(), False, iter([*_QUOTES.finditer(text), None])
    mark = next(marks)
    for place in places:
        while mark and mark.start() < place:
            is_open = not is_open if mark[0] == '"' else mark[0] in "“«「『„"
            mark = next(marks)
        if is_open or text[:place].rstrip()[-1:] in _CLOSING_QUOTES:
            inside.add(place)
    return inside


def ending(before: str) -> str:
    """What kind of mark a stretch of text ends with, closing quotes and brackets aside."""
    bare = before.rstrip()
    if "\n" in before[len(bare) :]:
        return "line"
    if _LAST_EMOJI.search(bare):
        return "emoji"
    inner = bare.rstrip(CLOSERS)
    if inner.endswith(".."):
        return "ellipsis"
    return _MARKS.get(inner[-1:], "word" if inner == bare else "close")
