"""Lexical chains (Gong, Zhang and Zhou 2015), one of DiscoScore's parts that need no model: are the reference's kept?

A chain is a content word, by dictionary form, with all sentences that hold it, if there are two or more. Its links are
(word, sentence). The score is F1 of the output's links against the reference's; of several references the best.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lanner.metrics._cohesion import OfDocuments, Sentences
from lanner.metrics._rating import Languages, Metric
from lanner.metrics.taggers import find

TITLE = "Lexical chains: links of repeated words against the reference's (needs a tagger)"
OPTIONS: dict[str, str] = {}


def links(sentences: Sentences) -> set[tuple[str, int]]:
    """Every word that two sentences or more hold, with each of these sentences."""
    number = Counter(word for sentence in sentences for word in set(sentence))
    return {(word, at) for at, sentence in enumerate(sentences) for word in sentence if number[word] > 1}


def parts(own: Sentences, references: Sequence[Sentences]) -> tuple[float, float]:
    """Twice the shared links, and the links of both: their ratio is F1."""
    mine = links(own)
    candidates = [(2 * len(mine & theirs), len(mine) + len(theirs)) for theirs in map(links, references)]
    return max(candidates, key=lambda pair: pair[0] / pair[1] if pair[1] else 0)


def make(languages: Languages) -> Metric:
    """It has no options."""
    return OfDocuments("LexicalChains", *find(languages.target), parts, reference=True)
