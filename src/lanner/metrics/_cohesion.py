"""What the metrics of cohesion share: content words of each sentence, and averages over documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from lanner.metrics._rating import Translation
from lanner.metrics.taggers import Tagger
from lanner.stats.resample import Array

CONTENT = frozenset({"noun", "name", "verb", "adjective", "adverb"})
ENTITIES = frozenset({"noun", "name"})
_LIGHT = frozenset({"be", "been", "being", "am", "is", "are", "was", "were", "do", "does", "did", "have", "has", "had"})
Sentences = Sequence[Sequence[str]]


@dataclass(slots=True)
class OfDocuments:
    """A score of a whole document, from the content words of its sentences (and of its reference's); a system's score
    is the sum of the numerators over the sum of the denominators of its documents."""

    name: str
    tagger: Tagger
    tagged_by: str
    parts: Callable[[Sentences, Sequence[Sentences]], tuple[float, float]]
    kinds: frozenset[str] = CONTENT
    reference: bool = False
    whole: bool = True
    top: float = 1.0
    _known: dict[str, list[str]] = field(default_factory=dict)

    @property
    def signature(self) -> str:
        return f"lanner|tagger:{self.tagged_by}|documents"

    def counts(self, translations: Sequence[Translation]) -> list[Array]:
        rows = []
        for part in translations:
            own, *others = (self._sentences(texts, part.counted) for texts in (part.outputs, *part.references))
            rows.append(np.array([self.parts(own, others)], float))
        return rows

    def score(self, sums: Array, *, single: bool) -> float:
        del single
        return float(sums[0] / sums[1]) if sums[1] else float("nan")

    def _sentences(self, texts: Sequence[str], counted: Sequence[bool]) -> list[list[str]]:
        return [self._words(text) for text, counts in zip(texts, counted, strict=True) if counts]

    def _words(self, text: str) -> list[str]:
        if text not in self._known:
            self._known[text] = [
                token.lemma.casefold()
                for token in self.tagger(text)
                if token.kind in self.kinds and token.lemma.casefold() not in _LIGHT
            ]
        return self._known[text]
