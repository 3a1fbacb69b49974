"""Words of any language, without a tagger: what stands between spaces, or pairs of characters where there are none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from lanner.metrics._rating import Translation
from lanner.model import languages

_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
UNSPACED = frozenset({"zh", "ja", "th", "lo", "km", "my", "bo"})
COMMON = 0.1
"""A word in more than this share of the sentences is grammar, not a term."""


def words(text: str, language: str) -> list[str]:
    """The words of a text, case folded."""
    runs = [match.casefold() for match in _WORD.findall(text)]
    if languages.normal(language).split("-")[0] not in UNSPACED:
        return runs
    return [run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1))]


def grammar(sentences: Iterable[Iterable[str]]) -> frozenset[str]:
    """Words too common to be terms; below 30 sentences only words in a third of them, since shares are rough then."""
    number, frequency = 0, Counter[str]()
    for sentence in sentences:
        number += 1
        frequency.update(set(sentence))
    most = number * COMMON if number >= 30 else max(2.0, number / 3)
    return frozenset(word for word, count in frequency.items() if count > most or len(word) < 2)


def grammars(
    translations: Sequence[Translation], sentences: Sequence[Sequence[Sequence[str]]]
) -> dict[str, frozenset[str]]:
    """Each system's own grammar, from all its documents; `sentences` are the words of each translation."""
    by_system: dict[str, list[Sequence[str]]] = {}
    for part, lines in zip(translations, sentences, strict=True):
        by_system.setdefault(part.system, []).extend(lines)
    return {system: grammar(lines) for system, lines in by_system.items()}
