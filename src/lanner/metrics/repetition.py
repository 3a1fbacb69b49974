"""Term repetition, for every language: how much of a document's vocabulary comes back in a later sentence.

The share of terms in a document that an earlier sentence of it holds already. Terms are words that are not common in
the whole collection (in at most a tenth of a system's sentences), or pairs of characters where no spaces are written.
No tagger, no reference; compare it with a reference's own value (references can be rated as systems).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lanner.metrics._rating import Languages, Metric, Translation
from lanner.metrics._words import grammars, words
from lanner.stats.resample import Array

TITLE = "Term repetition: the share of terms that an earlier sentence holds (every language, no reference)"
OPTIONS: dict[str, str] = {}


@dataclass(slots=True)
class Repetition:
    """Counts terms, and those that come back."""

    language: str
    name: str = "TermRepetition"
    reference: bool = False
    top: float = 1.0
    whole: bool = False
    signature: str = "lanner|terms:0.1|by document"

    def counts(self, translations: Sequence[Translation]) -> list[Array]:
        lines = [[words(text, self.language) for text in part.outputs] for part in translations]
        common = grammars(translations, lines)
        made = []
        for part, sentences in zip(translations, lines, strict=True):
            words_before: set[str] = set()
            rows = np.zeros((len(sentences), 2))
            for at, sentence in enumerate(sentences):
                terms = [word for word in sentence if word not in common[part.system]]
                if part.counted[at]:
                    rows[at] = sum(word in words_before for word in terms), len(terms)
                words_before.update(terms)
            made.append(rows)
        return made

    def score(self, sums: Array, *, single: bool) -> float:
        del single
        return float(sums[0] / sums[1]) if sums[1] else float("nan")


def make(languages: Languages) -> Metric:
    """It has no options."""
    return Repetition(languages.target)
