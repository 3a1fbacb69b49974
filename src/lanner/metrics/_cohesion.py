"""Metrics of cohesion, parts of DiscoScore that need no model: what ties the sentences of a document together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from lanner.metrics._rating import Languages, Metric, MetricEntry, Translation
from lanner.metrics._taggers import Tagger, find
from lanner.model import languages
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


# Terms of a document, in every language and without a tagger: do they come back, and are they translated alike?

# Words of any language, without a tagger: what stands between spaces, or pairs of characters where there are none.


_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
COMMON = 0.1
"""A word in more than this share of the sentences is grammar, not a term."""


def words(text: str, language: str) -> list[str]:
    """The words of a text, case folded."""
    runs = [match.casefold() for match in _WORD.findall(text)]
    if not languages.is_unspaced(language):
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


# Term repetition, for every language: how much of a document's vocabulary comes back in a later sentence.


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
        parts = []
        for part, sentences in zip(translations, lines, strict=True):
            words_before: set[str] = set()
            rows = np.zeros((len(sentences), 2))
            for at, sentence in enumerate(sentences):
                terms = [word for word in sentence if word not in common[part.system]]
                if part.counted[at]:
                    rows[at] = sum(word in words_before for word in terms), len(terms)
                words_before.update(terms)
            parts.append(rows)
        return parts

    def score(self, sums: Array, *, single: bool) -> float:
        del single
        return float(sums[0] / sums[1]) if sums[1] else float("nan")


def make_repetition(languages: Languages) -> Metric:
    return Repetition(languages.target)


REPETITION = MetricEntry(
    "Term repetition: the share of terms that an earlier sentence holds (every language, no reference)",
    {},
    make_repetition,
)


# Lexical consistency, for every language: is a term that comes back in the source translated alike?


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
            np.array([_matches(lines, vectors, part.counted, common, of_systems[part.system])], float)
            for part, (lines, vectors) in zip(translations, sides, strict=True)
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
        target_counts = Counter(word for at in occurrences for word in set(target[at]) - grammar_of_target)
        elsewhere = len(segments) - n
        good = [m for word, m in target_counts.items() if not elsewhere or m / n > (frequency[word] - m) / elsewhere]
        alike += max(good, default=1) - 1
        possible += n - 1
    return alike, possible


def make_consistency(languages: Languages) -> Metric:
    return Consistency(languages)


CONSISTENCY = MetricEntry(
    "Lexical consistency: terms of the source that come back are translated alike (every language, no reference)",
    {},
    make_consistency,
)
