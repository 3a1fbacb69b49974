"""Lexical cohesion (Wong and Kit 2012), one of DiscoScore's parts that need no model: how much of a text is tied.

The share of content words that occur again in another sentence of the document, by dictionary form. No reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lanner.metrics._cohesion import OfDocuments, Sentences
from lanner.metrics._rating import Languages, Metric
from lanner.metrics.taggers import find

TITLE = "Lexical cohesion: the share of content words repeated in another sentence (needs a tagger, no reference)"
OPTIONS: dict[str, str] = {}


def parts(own: Sentences, _: Sequence[Sentences] = ()) -> tuple[float, float]:
    """Content words with a second sentence that holds them, and all content words."""
    sentences = Counter(word for sentence in own for word in set(sentence))
    words = [word for sentence in own for word in sentence]
    return sum(sentences[word] > 1 for word in words), len(words)


def make(languages: Languages) -> Metric:
    """It has no options."""
    return OfDocuments("LexicalCohesion", *find(languages.target), parts)
