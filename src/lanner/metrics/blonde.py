"""BlonDe's categories (Jiang et al. 2022), written afresh: does a translation choose what the reference chooses?

For each category (entities: names; tense: the tenses of verbs; pronouns: their gender, number and person; markers: the
senses of discourse markers) the occurrences in an output are matched with those in the reference, sentence by sentence
and clipped. A category's score is F1 of the matches summed over a document or system. With m, h, r the matched, given
and expected occurrences, F = 2m/(h + r); where h + r = 0 the category says nothing and is left out.

    dBlonDe = geometric mean of the categories' F        BlonDe = √(dBlonDe · F of word n-grams)

F is smoothed with (2m + 1)/(h + r + 1), so that one empty match does not make a product zero. A language needs a tagger
(see `_taggers`); other taggers give other numbers, so the tagger is part of the signature. The numbers are
not those of the package of that name, which uses its own tagger and weights.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanner.errors import check_known
from lanner.metrics._rating import Languages, Metric, Translation
from lanner.metrics._taggers import Tagger, Token, find
from lanner.stats.resample import Array

TITLE = "BlonDe re-implemented: entities, tense, pronouns, discourse markers, n-grams (needs a tagger)"
OPTIONS = {
    "category": "one of entity, tense, pronoun, marker, ngram alone; discourse for dBlonDe; all (all)",
}
CATEGORIES = ("entity", "tense", "pronoun", "marker", "ngram")
_LONGEST = 4


@dataclass(slots=True)
class Blonde:
    """Matches of one output with one reference, by category."""

    tagger: Tagger
    tagged_by: str
    category: str = "all"
    reference: bool = True
    whole: bool = False
    top: float = 100.0
    _known: dict[str, dict[str, Counter[Any]]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        names = {"all": "BlonDe", "discourse": "dBlonDe"}
        return f"{names.get(self.category, f'BlonDe.{self.category}')} (re-implemented)"

    @property
    def signature(self) -> str:
        return f"lanner|category:{self.category}|tagger:{self.tagged_by}|ngrams:{_LONGEST}|smooth:1"

    def counts(self, translations: Sequence[Translation]) -> list[Array]:
        parts = []
        for part in translations:
            rows = np.zeros((len(part.segments), 3 * len(CATEGORIES)))
            for at in np.flatnonzero(part.counted):
                rows[at] = self._best(part.outputs[at], [column[at] for column in part.references])
            parts.append(rows)
        return parts

    def _best(self, output: str, references: Sequence[str]) -> list[float]:
        """The reference that matches most in all, where there are several."""
        own = self._occurrences(output)
        counts = []
        for text in references:
            reference_occurrences = self._occurrences(text)
            row: list[float] = []
            for category in CATEGORIES:
                row += [
                    (own[category] & reference_occurrences[category]).total(),
                    own[category].total(),
                    reference_occurrences[category].total(),
                ]
            counts.append(row)
        return max(counts, key=lambda row: sum(row[::3]))

    def _occurrences(self, text: str) -> dict[str, Counter[Any]]:
        if text not in self._known:
            self._known[text] = _occurrences(self.tagger(text))
        return self._known[text]

    def score(self, sums: Array, *, single: bool) -> float:
        del single
        f = {name: _f(*sums[3 * at : 3 * at + 3]) for at, name in enumerate(CATEGORIES)}
        if self.category in f:
            return 100 * f[self.category]
        choices = [f[name] for name in CATEGORIES[:-1] if not np.isnan(f[name])]
        discourse = float(np.exp(np.mean(np.log(choices)))) if choices else float("nan")
        if self.category == "discourse":
            return 100 * discourse
        return 100 * f["ngram"] if np.isnan(discourse) else 100 * float(np.sqrt(discourse * f["ngram"]))


def _f(overlap: float, output_count: float, reference_count: float) -> float:
    return (2 * overlap + 1) / (output_count + reference_count + 1) if output_count + reference_count else float("nan")


def _occurrences(tokens: Sequence[Token]) -> dict[str, Counter[Any]]:
    words = [token.form.casefold() for token in tokens]
    runs = Counter(
        tuple(words[at : at + size]) for size in range(1, _LONGEST + 1) for at in range(len(words) - size + 1)
    )
    return {
        "entity": Counter(token.lemma for token in tokens if token.kind == "name"),
        "tense": Counter(token.group for token in tokens if token.kind == "verb" and token.group),
        "pronoun": Counter(token.group for token in tokens if token.kind == "pronoun"),
        "marker": Counter(token.group for token in tokens if token.kind == "marker"),
        "ngram": runs,
    }


def make(languages: Languages, category: str = "all") -> Metric:
    """See `OPTIONS`."""
    choices = ("all", "discourse", *CATEGORIES)
    check_known(category, choices, f"BlonDe has no category {category!r}.")
    return Blonde(*find(languages.target), category)
