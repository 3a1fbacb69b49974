"""Which of two outputs an answer prefers, however it is worded: `A better`, `Translation 2`, `A>B`, `equal`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Literal

from lanner.formats.parsing.values import without_accents
from lanner.model import SIDES, TIES

Side = Literal["a", "b", "tie"]

_TOKEN = re.compile(r"\d+(?:st|nd)\b|\d+|[^\W\d_\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+", re.I)
"""Numbers and words. Korean, Japanese and Chinese characters end a word: in `A가` the word is `A`."""
_SIGNS = re.compile(r"(\w{0,12}?) ?([<>=]{1,3}|≈|~) ?(\w{0,12})")
_FEWEST, _MOST = 2, 12
"""How many different answers a column of preferences has; in words, a scale from `A much better` to `B much better`."""


@cache
def _words() -> dict[str, list[str]]:
    words = tomllib.loads((Path(__file__).parent / "preferences.toml").read_text(encoding="utf-8"))
    for kind, own in (("first", (one for one, _ in SIDES)), ("second", (two for _, two in SIDES)), ("tie", TIES)):
        words[kind] += own
    return {kind: [_folded(word) for word in entries] for kind, entries in words.items()}


def sides(texts: Collection[str], heading: str = "") -> dict[str, Side] | None:
    """What each of the different answers to one question means; None unless all of them are certain.

    Numbers are sides only where the heading asks for a preference: 1 and 2, with 0 for a tie.
    """
    if not _FEWEST <= len(texts) <= _MOST:
        return None
    if all(text.strip().lstrip("+-").isdigit() for text in texts):
        return _numbered(texts, heading)
    meanings: dict[str, Side] = {}
    for text in texts:
        meaning = side(text)
        if meaning is None:
            return None
        meanings[text] = meaning
    return meanings if {"a", "b"} & set(meanings.values()) else None


def asks(heading: str) -> bool:
    """Whether a heading asks for a preference: `Better one`, `Bevorzugt`, `선호`."""
    plain = _folded(heading)
    return _says(plain, _TOKEN.findall(plain), "headings")


def side(text: str) -> Side | None:
    """What one answer means; None where it is not certain."""
    plain = _folded(text)
    if signs := _SIGNS.fullmatch(plain.strip()):
        return _compared(*signs.groups())
    tokens = _TOKEN.findall(plain)
    capitals: list[Side] = ["a" if letter == "A" else "b" for letter in re.findall(r"(?<!\w)[AB](?![a-z])", text)]
    # a small letter beside capitals or in `a tie` is an article
    named = set(capitals) or _named(plain, tokens)
    if _says(plain, tokens, "tie") or any(phrase in plain for phrase in _words()["tie_phrases"]):
        is_article = not capitals and "a" in tokens and len(tokens) > 1
        return "tie" if len(named - {"a"} if is_article else named) != 1 else None
    if _says(plain, tokens, "doubtful"):
        return None
    if len(named) == 1:
        return named.pop()
    than = set(_words()["than"]).intersection(tokens)
    return capitals[0] if len(capitals) == 2 and than else None


def _numbered(texts: Collection[str], heading: str) -> dict[str, Side] | None:
    numbers = {text: int(text) for text in texts}
    if not asks(heading) or not {1, 2} <= set(numbers.values()) <= {0, 1, 2}:
        return None
    meanings: dict[int, Side] = {0: "tie", 1: "a", 2: "b"}
    return {text: meanings[number] for text, number in numbers.items()}


def _compared(left: str, sign: str, right: str) -> Side | None:
    """`A>B`, `B>A`, `A=B`, and a sign alone, which stands between the first and the second."""
    first: set[Side] = _named(left, [left]) if left else {"a"}
    second: set[Side] = _named(right, [right]) if right else {"b"}
    if len(first | second) != 2 or len(first) != 1 or len(second) != 1 or len(set(sign)) > 1:
        return None
    if sign[0] in "=≈~":
        return "tie"
    return (first if sign[0] == ">" else second).pop()


def _named(plain: str, tokens: Collection[str]) -> set[Side]:
    named: set[Side] = {"a"} if _says(plain, tokens, "first") else set()
    return named | ({"b"} if _says(plain, tokens, "second") else set())


def _says(plain: str, tokens: Collection[str], kind: str) -> bool:
    inside = _words().get(f"{kind}_inside", [])
    return not set(_words()[kind]).isdisjoint(tokens) or any(part in plain for part in inside)


def _folded(text: str) -> str:
    return without_accents(text).replace("أ", "ا").replace("إ", "ا")
