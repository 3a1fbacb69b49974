"""Texts made worse on purpose, for control items: shuffled words, and stretches taken from another text.

Works on words where the script writes spaces, and on characters (with their combining marks; numbers and Latin words
stay whole) where it does not. Spaces and line breaks keep their places, so that a spoiled document still looks like
one.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from lanner.designs import expected
from lanner.designs._placing import Key, key_of
from lanner.model import Document, Item, Role, Stage, Unit

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


# The texts of a page's items, and their spoiled forms: one per item, the same for every judge.

KINDS = ("shuffled", "swapped", "degraded")


class Spoiled:
    """Spoils items of one page in one way. Which of several outputs is spoiled, and how, depends on the item and the
    seed alone, not on who sees it first."""

    def __init__(self, documents: Sequence[Document], stages: Sequence[Stage], kind: str, rng: Generator) -> None:
        self._documents = {document.id: document for document in documents}
        self._order = list(self._documents)
        self._whole = all(stage.unit is Unit.DOCUMENT for stage in stages)
        self._stages, self._kind = stages, kind
        self._seed = int(rng.integers(2**32))
        self._made: dict[tuple[Key, str], str] = {}

    def possible(self, key: Key) -> bool:
        """Whether the texts are long enough to become worse."""
        texts = [self._text(key, name) for name in key[2:]]
        if self._kind == "shuffled":
            return all(can_be_shuffled(text, self._language(key)) for text in texts)
        return all(text.strip() for text in texts) and self._donor(key) is not None

    def item(self, item: Item) -> Item:
        """The item as a control: one output spoiled, and what is expected of a judge who reads it."""
        key, names = key_of(item), sorted(item.systems)
        dice = np.random.default_rng([self._seed, zlib.crc32("\x1f".join(key).encode())])
        system = names[int(dice.integers(len(names)))]
        if (key, system) not in self._made:
            self._made[key, system] = self._worse(key, system, dice)
        rules = expected.of_worse(self._stages) if self._kind == "degraded" and len(names) == 1 else {}
        rules = rules or expected.of_nonsense(self._stages, item.systems.index(system))
        texts = {**item.texts, system: self._made[key, system]}
        return replace(item, role=Role.CONTROL, texts=texts, expected=rules)

    def _worse(self, key: Key, system: str, dice: Generator) -> str:
        text, language = self._text(key, system), self._language(key)
        if self._kind == "shuffled":
            return shuffled_words(text, dice, language)
        donor = self._donor(key)
        other = self._text(donor, system) if donor else ""
        return other if self._kind == "swapped" else with_stretch_of(text, other, dice, language)

    def _text(self, key: Key, system: str) -> str:
        segments = [s for s in self._documents[key[0]].segments if key[1] in ("", s.id)]
        return "\n".join(s.text(system) or "" for s in segments)

    def _language(self, key: Key) -> str:
        return self._documents[key[0]].target_language

    def _donor(self, key: Key) -> Key | None:
        """A text of the same kind from elsewhere in the corpus: it fits the corpus, but not this place."""
        here = self._documents[key[0]]
        ids = [s.id for s in here.segments if s.judged]
        if not self._whole and len(ids) > 1:
            at = ids.index(key[1]) if key[1] in ids else 0
            return key[0], ids[(at + len(ids) // 2) % len(ids)]
        other = self._documents[self._order[(self._order.index(key[0]) + 1) % len(self._order)]]
        if other is here:
            return None
        return other.id, "" if self._whole else next((s.id for s in other.segments if s.judged), "")
