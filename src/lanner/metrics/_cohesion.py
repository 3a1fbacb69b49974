"""Metrics of cohesion, parts of DiscoScore that need no model: what ties the sentences of a document together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from lanner.metrics._rating import Languages, Metric, MetricEntry, Translation
from lanner.metrics.taggers import Tagger, find
from lanner.stats.resample import Array

# What the metrics of cohesion share: content words of each sentence, and averages over documents.


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


# Lexical cohesion (Wong and Kit 2012), one of DiscoScore's parts that need no model: how much of a text is tied.
#
# The share of content words that occur again in another sentence of the document, by dictionary form. No reference.


def cohesion_parts(own: Sentences, _: Sequence[Sentences] = ()) -> tuple[float, float]:
    """Content words with a second sentence that holds them, and all content words."""
    sentences = Counter(word for sentence in own for word in set(sentence))
    words = [word for sentence in own for word in sentence]
    return sum(sentences[word] > 1 for word in words), len(words)


def make_cohesion(languages: Languages) -> Metric:
    return OfDocuments("LexicalCohesion", *find(languages.target), cohesion_parts)


COHESION = MetricEntry(
    "Lexical cohesion: the share of content words repeated in another sentence (needs a tagger, no reference)",
    {},
    make_cohesion,
)


# Lexical chains (Gong, Zhang and Zhou 2015), one of DiscoScore's parts that need no model: are the reference's kept?
#
# A chain is a content word, by dictionary form, with all sentences that hold it, if there are two or more. Its links
# are (word, sentence). The score is F1 of the output's links against the reference's; of several references the best.


def chain_links(sentences: Sentences) -> set[tuple[str, int]]:
    """Every word that two sentences or more hold, with each of these sentences."""
    number = Counter(word for sentence in sentences for word in set(sentence))
    return {(word, at) for at, sentence in enumerate(sentences) for word in sentence if number[word] > 1}


def chain_parts(own: Sentences, references: Sequence[Sentences]) -> tuple[float, float]:
    """Twice the shared links, and the links of both: their ratio is F1."""
    mine = chain_links(own)
    candidates = [(2 * len(mine & theirs), len(mine) + len(theirs)) for theirs in map(chain_links, references)]
    return max(candidates, key=lambda pair: pair[0] / pair[1] if pair[1] else 0)


def make_chains(languages: Languages) -> Metric:
    return OfDocuments("LexicalChains", *find(languages.target), chain_parts, reference=True)


CHAINS = MetricEntry(
    "Lexical chains: links of repeated words against the reference's (needs a tagger)", {}, make_chains
)


# Entity graph (Guinaudeau and Strube 2013), one of DiscoScore's parts that need no model: do sentences share entities?


def entity_parts(own: Sentences, _: Sequence[Sentences] = ()) -> tuple[float, float]:
    """The weights that leave all sentences, and how many sentences there are."""
    entities = [set(sentence) for sentence in own]
    pairs = ((i, k) for i in range(len(entities)) for k in range(i + 1, len(entities)))
    return sum(len(entities[i] & entities[k]) / (k - i) for i, k in pairs), len(entities)


def make_entity_graph(languages: Languages) -> Metric:
    return OfDocuments("EntityGraph", *find(languages.target), entity_parts, ENTITIES, top=0.0)


ENTITY_GRAPH = MetricEntry(
    "Entity graph: entities that sentences share, nearer ones more (needs a tagger, no reference)",
    {},
    make_entity_graph,
)
