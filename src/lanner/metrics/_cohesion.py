"""Metrics of cohesion, parts of DiscoScore that need no model: what ties the sentences of a document together."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress
from typing import Any

import numpy as np

from lanner.metrics._rating import Languages, Metric, MetricEntry, Ratio, Translation
from lanner.metrics._taggers import find
from lanner.model import languages
from lanner.stats.resample import Array

# What the metrics of cohesion share: content words of each sentence, and averages over documents.

CONTENT = frozenset({"noun", "name", "verb", "adjective", "adverb"})
ENTITIES = frozenset({"noun", "name"})
_LIGHT = frozenset({"be", "been", "being", "am", "is", "are", "was", "were", "do", "does", "did", "have", "has", "had"})
Sentences = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Cohesion(Ratio):
    """A part of the text that is tied to the rest over all that could be; `counts` says how much that is."""

    name: str
    signature: str
    counts: Callable[[Sequence[Translation]], list[Array]]
    reference: bool = False
    whole: bool = True
    top: float = 1.0


def of_documents(
    name: str,
    parts: Callable[[Sentences, Sequence[Sentences]], tuple[float, float]],
    language: str,
    kinds: frozenset[str] = CONTENT,
    **more: Any,
) -> Cohesion:
    """A metric of whole documents, from the content words of its sentences (and of its references'), by dictionary
    form; a system's score is the sum of what `parts` counts in its documents."""
    tagger, tagged_by = find(language)

    @cache
    def content_words(text: str) -> list[str]:
        lemmas = (token.lemma.casefold() for token in tagger(text) if token.kind in kinds)
        return [lemma for lemma in lemmas if lemma not in _LIGHT]

    def counts(translations: Sequence[Translation]) -> list[Array]:
        rows = []
        for part in translations:
            own, *references = (
                [content_words(text) for text in compress(texts, part.counted)]
                for texts in (part.outputs, *part.references)
            )
            rows.append(np.array([parts(own, references)], float))
        return rows

    return Cohesion(name, f"lanner|tagger:{tagged_by}|documents", counts, **more)


# Lexical cohesion (Wong and Kit 2012), one of DiscoScore's parts that need no model: how much of a text is tied.
#
# The share of content words that occur again in another sentence of the document, by dictionary form. No reference.


def cohesion_parts(own: Sentences, _: Sequence[Sentences] = ()) -> tuple[float, float]:
    """Content words with a second sentence that holds them, and all content words."""
    sentences = Counter(word for sentence in own for word in set(sentence))
    words = [word for sentence in own for word in sentence]
    return sum(sentences[word] > 1 for word in words), len(words)


def make_cohesion(languages: Languages) -> Metric:
    return of_documents("LexicalCohesion", cohesion_parts, languages.target)


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
    return of_documents("LexicalChains", chain_parts, languages.target, reference=True)


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
    return of_documents("EntityGraph", entity_parts, languages.target, ENTITIES, top=0.0)


ENTITY_GRAPH = MetricEntry(
    "Entity graph: entities that sentences share, nearer ones more (needs a tagger, no reference)",
    {},
    make_entity_graph,
)


# Terms of a document, in every language and without a tagger: do they come back, and are they translated alike?

# Words of any language, without a tagger: what stands between spaces, or pairs of characters where there are none.


COMMON = 0.1
"""A word in more than this share of the sentences is grammar, not a term."""


_TERMS = f"terms:{COMMON:g}|words:2"


@cache
def _word() -> re.Pattern[str]:
    """Letters with the marks that belong to them: vowels of Hindi, Thai or pointed Arabic are marks, no letters."""
    marks = "".join(char for char in map(chr, range(0x300, 0x1F000)) if unicodedata.category(char).startswith("M"))
    run = rf"(?:[^\W\d_][{marks}\u200c\u200d]*)+"
    return re.compile(rf"{run}(?:[-'’]{run})*")


def words(text: str, language: str) -> list[str]:
    """The words of a text, case folded."""
    runs = [match.casefold() for match in _word().findall(text)]
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


def make_repetition(languages: Languages) -> Metric:
    """Counts terms, and those that come back."""

    def counts(translations: Sequence[Translation]) -> list[Array]:
        lines = [[words(text, languages.target) for text in part.outputs] for part in translations]
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

    return Cohesion("TermRepetition", f"lanner|{_TERMS}|by document", counts, whole=False)


REPETITION = MetricEntry(
    "Term repetition: the share of terms that an earlier sentence holds (every language, no reference)",
    {},
    make_repetition,
)


# Lexical consistency, for every language: is a term that comes back in the source translated alike?


def stem(word: str) -> str:
    """The part of a word that inflected forms share, as a rule."""
    return word[: max(4, -(-2 * len(word) // 3))]


def make_consistency(languages: Languages) -> Metric:
    """Counts terms that come back, and how often they are translated alike."""
    split = cache(words)  # systems share their sources

    def counts(translations: Sequence[Translation]) -> list[Array]:
        sources = [[split(text, languages.source) for text in part.sources] for part in translations]
        outputs = [[[stem(w) for w in split(text, languages.target)] for text in part.outputs] for part in translations]
        by_document = {part.document: lines for part, lines in zip(translations, sources, strict=True)}
        common = grammar(line for lines in by_document.values() for line in lines)
        of_systems = grammars(translations, outputs)
        return [
            np.array([_matches(source, output, part.counted, common, of_systems[part.system])], float)
            for part, source, output in zip(translations, sources, outputs, strict=True)
        ]

    return Cohesion("Consistency", f"lanner|{_TERMS}|documents", counts)


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


CONSISTENCY = MetricEntry(
    "Lexical consistency: terms of the source that come back are translated alike (every language, no reference)",
    {},
    make_consistency,
)
