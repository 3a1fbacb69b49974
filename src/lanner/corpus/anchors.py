"""Words that survive translation: numbers, links, tags, emoji and names, also across scripts."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from functools import lru_cache

from lanner.corpus.segmenters.rules import EMOJI

_TOKEN = re.compile(rf"https?://\S+|www\.\S+|[@#]\w+|\d[\d.,:]*\d|\d|{EMOJI}+|[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_SOUNDS = str.maketrans(
    {
        **dict.fromkeys("aeiouyhw-'’", None),
        **dict.fromkeys("bpfv", "p"),
        **dict.fromkeys("gkcqx", "k"),
        **dict.fromkeys("dt", "t"),
        **dict.fromkeys("jzs", "s"),
        **dict.fromkeys("lr", "l"),
    }
)
_NAMED_SOUND = re.compile(r"(?:SYLLABLE|LETTER(?: SMALL)?) (\S+)$")
_ACROPHONIC = ("ARABIC", "HEBREW", "GREEK")  # scripts whose letters are named by words that begin with their sound
_SHORTEST_NAME = 3


@lru_cache(maxsize=65536)
def skeleton(word: str) -> str:
    """The consonants of a word in a few classes, whatever its script: Johnson and 존슨 are both "snsn".

    Unicode's own character names carry the sound of Hangul, kana, Cyrillic, Greek and many other letters.
    """
    return "".join(_sound(letter) for letter in unicodedata.normalize("NFKC", word)).lower().translate(_SOUNDS)


def _sound(letter: str) -> str:
    base = letter if "가" <= letter <= "힣" else unicodedata.normalize("NFD", letter)[0]
    if base.isascii():
        return base
    name = unicodedata.name(base, "")
    sound = _NAMED_SOUND.search(name)
    if not sound:
        return ""
    return sound[1][0] if name.startswith(_ACROPHONIC) else sound[1]


def anchors(source: str, target: str) -> list[tuple[int, int, float]]:
    """Pairs of offsets where the same thing is written on both sides, with how sure that is (a name in another script
    counts half). What occurs more often on one side than on the other is left out."""
    ours, theirs = _tokens(source), _tokens(target)
    anchors = [
        (a, b, 1.0)
        for key in ours  # in the order of the text: sums of floats depend on order, and the bytes must not
        if key in theirs and len(ours[key]) == len(theirs[key])
        for a, b in zip(ours[key], theirs[key], strict=True)
    ]
    return anchors + _names(ours, theirs)


def _tokens(text: str) -> dict[str, list[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for match in _TOKEN.finditer(text):
        word = match[0]
        if word[0].isdigit():
            word = re.sub(r"[.,]", "", word)
        elif word[0].isalpha() and not (word[0].isupper() and len(word) > 1) and len(word) < 5 and word.isascii():
            continue  # short words in lower case mean different things in different languages
        places[word].append(match.start())
    return places


def _names(ours: dict[str, list[int]], theirs: dict[str, list[int]]) -> list[tuple[int, int, float]]:
    """Names written in another script: the skeleton of one begins the skeleton of the other (particles may follow)."""
    pairs = []
    for left, right, flip in ((ours, theirs, False), (theirs, ours, True)):
        latin = [(skeleton(word), at[0]) for word, at in left.items() if len(at) == 1 and word[0].isupper()]
        latin = [(bones, at) for bones, at in latin if len(bones) >= _SHORTEST_NAME]
        if not latin:
            continue
        other = [(skeleton(w), at[0]) for w, at in right.items() if len(at) == 1 and w[0].isalpha() and not w.isascii()]
        for bones, at in latin:
            hits = [place for sound, place in other if sound.startswith(bones)]
            if len(hits) == 1:
                pairs.append((hits[0], at, 0.5) if flip else (at, hits[0], 0.5))
    return pairs
