"""How likely words are in a language, by the pairs of letters in them: this tells apart encodings that all make letters
of the same bytes, as of a Croatian `kuće`, which is `kuæe` in Windows-1252."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SIGNS = frozenset("“”„‘’‚«»‹›–—…°€£§©®·•¿¡×½¼¾²³ºª\u00a0")
"""Signs beyond ASCII that people write between words."""
_OPENING, _CLOSING, _RAISED = frozenset("„‚«‹¿¡£€§©"), frozenset("…»›"), frozenset("°×½¼¾²³·•–—")
_NUMBERS = frozenset("½¼¾²³ºª")
_RARE_PAIR, _FOREIGN_LETTER = math.log(1e-4), math.log(2e-6)
"""A pair of letters of the language that is not among its usual ones; a letter that the language does not write."""
_SIGN, _NO_LETTER, _CAPITAL_INSIDE, _CAPITAL_ALONE = -6.0, -16.0, -8.0, -4.0
_APOSTROPHE, _LETTER_AT_NUMBER = -2.0, -4.0
_SIGN_INSIDE, _SIGN_ON_WRONG_SIDE, _SIGN_OF_NUMBERS, _SPACE_ALONE = -12.0, -6.0, -3.0, -4.0
_BOUNDARY = "_"


@dataclass(frozen=True, slots=True)
class Alphabet:
    """How a language with Latin letters is written."""

    language: str
    letters: frozenset[str]
    encodings: tuple[str, ...]
    pairs: dict[str, float]
    """The logarithm of how probable the second letter of a pair is after the first."""

    def word_score(self, word: str) -> float:
        """The logarithm of how probable a word is, with the signs around and in it."""
        score, before = _CAPITAL_ALONE * (len(word) == 1 and not word.isascii() and word.isupper()), _BOUNDARY
        for position, character in enumerate(word):
            if character.isalpha():
                letter = character.lower()[0]
                score += self._pair(before, letter)
                score += _CAPITAL_INSIDE * (position > 0 and character.isupper() and word[position - 1].islower())
                if character > "\x7f" and any(map(str.isdigit, word[max(0, position - 1) : position + 2])):
                    score += _LETTER_AT_NUMBER
                before = letter
                continue
            if before != _BOUNDARY:
                score += self._pair(before, _BOUNDARY)
            if character > "\x7f":
                score += _sign_score(word, position)
            before = _BOUNDARY
        return score + (self._pair(before, _BOUNDARY) if before != _BOUNDARY else 0.0)

    def _pair(self, first: str, second: str) -> float:
        """A pair that is not listed is rare; where its second letter is none of the language it is foreign."""
        is_own = second.isascii() or second in self.letters
        return self.pairs.get(first + second, _RARE_PAIR if is_own else _FOREIGN_LETTER)


def _sign_score(word: str, position: int) -> float:
    """How probable a sign is in its place: wrong decoding puts signs where nobody writes them."""
    character = word[position]
    if character not in SIGNS:
        return _NO_LETTER
    follows = position > 0 and word[position - 1].isalpha()
    precedes = position + 1 < len(word) and word[position + 1].isalpha()
    if follows and precedes:
        return _APOSTROPHE if character == "’" else _SIGN + _SIGN_INSIDE
    if (follows and character in _OPENING) or (precedes and character in _CLOSING):
        return _SIGN + _SIGN_ON_WRONG_SIDE
    if (follows and character in _RAISED) or (precedes and character in _NUMBERS):
        return _SIGN + _SIGN_OF_NUMBERS
    is_alone = character == "\u00a0" and not (position > 0 and word[position - 1].isalnum())
    return _SIGN + (_SPACE_ALONE if is_alone else 0.0)


@cache
def alphabets() -> tuple[Alphabet, ...]:
    """The Latin alphabets that are known."""
    tables = tomllib.loads((Path(__file__).parent / "letter_pairs.toml").read_text(encoding="utf-8"))
    return tuple(
        Alphabet(
            language,
            frozenset(table["letters"]),
            tuple(table["encodings"]),
            {pair: -n * math.log(2) for n, pairs in enumerate(table["pairs"]) for pair in pairs.split()},
        )
        for language, table in tables.items()
    )
