"""Texts made worse on purpose, for control items: shuffled words, and stretches taken from another text.

Works on words where the script writes spaces, and on characters (with their combining marks; numbers and Latin words
stay whole) where it does not. Spaces and line breaks keep their places, so that a spoiled document still looks like
one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from numpy.random import Generator

UNSPACED = {"zh", "ja", "th", "lo", "km", "my"}
KEPT = 0.1
"""The share of words that stays in place at either end (Läubli, Sennrich and Volk 2018)."""
_WORDS = re.compile(r"\S+")
_SIGNS = re.compile(r"[A-Za-z0-9]+|\S[\u0300-\u036f\u0e30-\u0e3a\u0e47-\u0e4e\u3099\u309a\ufe00-\ufe0f\u200d]*")
_REPLACED = ((3, 1), (5, 2), (8, 3), (15, 4), (20, 5))  # so many words of a text up to so long


def pieces(text: str, language: str = "") -> list[re.Match[str]]:
    """What is moved as one: words, or signs in scripts without spaces. A text in an unknown language with hardly any
    space is taken as one without."""
    words = list(_WORDS.finditer(text))
    code = language.partition("-")[0]
    if code in UNSPACED or (code in ("", "und") and len(words) < len(text) / 15):
        return list(_SIGNS.finditer(text))
    return words


def shuffled_words(text: str, rng: Generator, language: str = "") -> str:
    """The text with its words in chance order, except for a tenth at either end. A text too short to be shuffled
    stays as it is: ask `can_be_shuffled` first."""
    words = pieces(text, language)
    margin = _kept(len(words))
    middle = [match.group() for match in words[margin : len(words) - margin]]
    order = middle
    while len(set(middle)) > 1 and order == middle:
        order = [middle[int(at)] for at in rng.permutation(len(middle))]
    return _put(text, words[margin : len(words) - margin], order)


def can_be_shuffled(text: str, language: str = "", least: int = 4) -> bool:
    """Whether enough different words lie between the ends for the text to become nonsense."""
    words = pieces(text, language)
    margin = _kept(len(words))
    return len({match.group() for match in words[margin : len(words) - margin]}) >= least


def with_stretch_of(text: str, donor: str, rng: Generator, language: str = "") -> str:
    """The text with a stretch of words replaced by words of another text: one for three words, two for five, and so on
    to a quarter of a long text, as in direct assessment's degraded items. A stretch at the end where the donor has
    fewer words."""
    words, others = pieces(text, language), [match.group() for match in pieces(donor, language)]
    if not words or not others:
        return text
    number_replaced = next((number for most, number in _REPLACED if len(words) <= most), len(words) // 4)
    length = min(number_replaced, len(words), len(others))
    start = int(rng.integers(len(words) - length + 1))
    first = int(rng.integers(len(others) - length + 1))
    return _put(text, words[start : start + length], others[first : first + length])


def _kept(count: int) -> int:
    return max(1, round(KEPT * count)) if count > 2 else 0


def _put(text: str, places: Sequence[re.Match[str]], words: Sequence[str]) -> str:
    """The text with these words in these places."""
    parts, end = [], 0
    for match, word in zip(places, words, strict=True):
        parts += [text[end : match.start()], word]
        end = match.end()
    return "".join([*parts, text[end:]])
