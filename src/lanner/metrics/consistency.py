"""Lexical consistency, for every language: is a term that comes back in the source translated alike?

For each source term that two sentences or more of a document hold (n of them), its translation is taken to be the
target word that most of these sentences' translations share and that is no grammar; m of them hold it. A consistent
translation has m = n. The score is Σ(m − 1)/Σ(n − 1) over terms, which for one term is 1 if it is always the same and 0
if never. Target words that the rest of the document holds as often (m/n ≤ their share elsewhere) do not count, since
sharing them says nothing about the term. Terms are words in at most a tenth of the collection's sentences, or pairs of
characters where no spaces are written; target words are alike if equal, or if their first two thirds (four letters at
least) are, so that inflected forms count. No tagger, no alignment, no reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lanner.metrics._rating import Languages, Metric, Translation
from lanner.metrics._words import grammar, grammars, words
from lanner.stats.resample import Array

TITLE = "Lexical consistency: terms of the source that come back are translated alike (every language, no reference)"
OPTIONS: dict[str, str] = {}


def stem(word: str) -> str:
    """The part of a word that inflected forms share, as a rule."""
    return word[: max(4, -(-2 * len(word) // 3))]


@dataclass(slots=True)
class Consistency:
    """Terms that come back, and how often they are translated alike."""

    languages: Languages
    name: str = "Consistency"
    reference: bool = False
    top: float = 1.0
    whole: bool = True
    signature: str = "lanner|terms:0.1|documents"

    def counts(self, translations: Sequence[Translation]) -> list[Array]:
        tokens: dict[tuple[str, str], list[str]] = {}

        def split(text: str, language: str) -> list[str]:
            if (text, language) not in tokens:
                tokens[text, language] = words(text, language)
            return tokens[text, language]

        source, target = self.languages.source, self.languages.target
        sides = [
            (
                [split(text, source) for text in part.sources],
                [[stem(w) for w in split(t, target)] for t in part.outputs],
            )
            for part in translations
        ]
        one_system = {part.document: lines for part, (lines, _) in zip(translations, sides, strict=True)}
        common = grammar(line for lines in one_system.values() for line in lines)
        of_systems = grammars(translations, [outputs for _, outputs in sides])
        return [
            np.array([_matches(lines, made, part.counted, common, of_systems[part.system])], float)
            for part, (lines, made) in zip(translations, sides, strict=True)
        ]

    def score(self, sums: Array, *, single: bool) -> float:
        del single
        return float(sums[0] / sums[1]) if sums[1] else float("nan")


def _matches(
    source: Sequence[Sequence[str]],
    target: Sequence[Sequence[str]],
    counted: Sequence[bool],
    common: frozenset[str],
    grammar_of_target: frozenset[str],
) -> tuple[float, float]:
    """Σ(m − 1) and Σ(n − 1) over the terms of one document."""
    segments = [at for at, counts in enumerate(counted) if counts]
    places: dict[str, list[int]] = {}
    for at in segments:
        for word in set(source[at]) - common:
            places.setdefault(word, []).append(at)
    frequency = Counter(word for at in segments for word in set(target[at]))
    alike = possible = 0
    for occurrences in places.values():
        n = len(occurrences)
        if n < 2:
            continue
        shared = Counter(word for at in occurrences for word in set(target[at]) - grammar_of_target)
        elsewhere = len(segments) - n
        good = [m for word, m in shared.items() if not elsewhere or m / n > (frequency[word] - m) / elsewhere]
        alike += max(good, default=1) - 1
        possible += n - 1
    return alike, possible


def make(languages: Languages) -> Metric:
    """It has no options."""
    return Consistency(languages)
