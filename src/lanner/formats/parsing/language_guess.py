"""Which language texts are in, guessed from their script and from frequent function words.

For a preview in which somebody confirms or changes it. A script that one language uses tells it alone; among languages
that share a script, the one whose function words are found most often is taken.
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import NamedTuple

_SCRIPTS = {
    "HANGUL": "ko", "HIRAGANA": "ja", "KATAKANA": "ja", "GREEK": "el", "HEBREW": "he", "THAI": "th", "ARMENIAN": "hy",
    "GEORGIAN": "ka", "ETHIOPIC": "am", "BENGALI": "bn", "TAMIL": "ta", "TELUGU": "te", "KANNADA": "kn",
    "MALAYALAM": "ml", "GUJARATI": "gu", "GURMUKHI": "pa", "SINHALA": "si", "MYANMAR": "my", "KHMER": "km",
    "LAO": "lo", "CJK": "zh",
}  # fmt: skip
"""The first word of a letter's Unicode name, and the language whose script that is."""
_ONE_LANGUAGE = 0.99
_FEWEST_WORDS, _LEAST_SHARE = 5, 0.08
"""So few words, or so few of them known, tell nothing."""


class LanguageGuess(NamedTuple):
    """A language code, "" where nothing can be told, and how sure that is, from 0 to 1."""

    code: str = ""
    sure: float = 0.0


def guess_language(texts: Iterable[str]) -> LanguageGuess:
    """The language most of these texts are in."""
    text = " ".join(texts)
    scripts = Counter(script for letter in text if letter.isalpha() and (script := _script(letter)))
    total = sum(scripts.values())
    own = {script: number for script, number in scripts.items() if script in _SCRIPTS}
    if own and sum(own.values()) * 3 >= total:
        if own.keys() & {"HIRAGANA", "KATAKANA"} and scripts["CJK"]:
            return LanguageGuess("ja", _ONE_LANGUAGE)
        return LanguageGuess(_SCRIPTS[max(own, key=lambda script: own[script])], _ONE_LANGUAGE)
    return _by_words(text)


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def _by_words(text: str) -> LanguageGuess:
    words = ["".join(c for c in word if c.isalpha()) for word in text.casefold().split()]
    counts = Counter(word for word in words if word)
    total = sum(counts.values())
    if total < _FEWEST_WORDS:
        return LanguageGuess()
    hits = {code: sum(counts[word] for word in vocabulary) for code, vocabulary in _function_words().items()}
    first, second = sorted(hits, key=lambda code: -hits[code])[:2]
    if hits[first] < _LEAST_SHARE * total or hits[first] == hits[second]:
        return LanguageGuess()
    return LanguageGuess(first, min(_ONE_LANGUAGE, hits[first] / (hits[first] + hits[second])))


@cache
def _function_words() -> Mapping[str, frozenset[str]]:
    path = resources.files("lanner.formats.parsing").joinpath("function_words.toml")
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return {code: frozenset(words.split()) for code, words in table.items()}
