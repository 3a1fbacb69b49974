"""System scores as functions of document weights, so that they can be resampled by document.

Four ways from segments to a system. Each is a mean over strata of Σ numerators / Σ denominators, summed over documents:

=================  ======================================================================================
micro              Σ scores / number of segments
document           Σ document means / number of documents
macro              the mean over domains of their micro means (as WMT24)
document-macro     the mean over domains of their document means
=================  ======================================================================================

Per so many words (a scorecard), numerators are points times that many, denominators the words of the source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import polars as pl

from lanner.errors import StatisticError, did_you_mean
from lanner.stats.resample import Array, Indices, Replicates, Resampling, replicate_sums
from lanner.stats.scores import Items

Average = Literal["micro", "document", "macro", "document-macro"]
Words = Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class Averaging:
    """Items laid out for averaging: cells (segments of one system) with their system, document and stratum."""

    systems: tuple[str, ...]
    documents: int
    strata: int
    numerators: Array
    denominators: Array
    system: Indices
    document: Indices
    stratum: Indices

    @classmethod
    def of(
        cls, found: Items, systems: Sequence[str], average: Average, *, words: Words | None = None, per_words: float = 0
    ) -> Averaging:
        check(average)
        table = found.table
        domain = _codes(table["domain"]) if average.endswith("macro") else np.zeros(len(table), np.intp)
        document = _codes(table["domain"] + "\t" + table["document"])
        system = table["system"].cast(pl.Enum(systems)).to_physical().to_numpy().astype(np.intp)
        scores = table["score"].to_numpy().astype(float)
        sizes = np.ones(len(table))
        if per_words:
            sizes = _lengths(table, words or {})
            scores = scores * per_words
        if average.startswith("document"):
            both = document * len(systems) + system
            total = np.bincount(both, weights=sizes, minlength=0)[both]
            scores, sizes = scores / total, sizes / total
        n_documents = int(document.max(initial=-1)) + 1
        n_strata = int(domain.max(initial=-1)) + 1
        return cls(tuple(systems), n_documents, n_strata, scores, sizes, system, document, domain)

    def sums(self) -> Array:
        """documents × (systems · strata · 2): what each document adds to every numerator and denominator."""
        width = len(self.systems) * self.strata
        column = self.system * self.strata + self.stratum
        flat = self.document * width + column
        parts = [
            np.bincount(flat, weights=values, minlength=self.documents * width).reshape(self.documents, width)
            for values in (self.numerators, self.denominators)
        ]
        return np.concatenate(parts, axis=1)

    def finish(self, sums: Array) -> Array:
        """System scores (resamples × systems) from sums; a stratum without answers of a system is left out of it."""
        above, below = np.split(sums, 2, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.where(below > 1e-12, above / below, np.nan).reshape(len(sums), len(self.systems), self.strata)
        known = ~np.isnan(means)
        count = known.sum(axis=2)
        total = np.where(known, means, 0.0).sum(axis=2)
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)

    def replicate(self, resampling: Resampling) -> Replicates:
        return replicate_sums(self.sums(), self.finish, resampling)

    def values(self) -> Array:
        return np.asarray(self.finish(self.sums().sum(axis=0)[None, :])[0])


def check(average: str) -> None:
    """An error that helps for an average that does not exist."""
    if average not in get_args(Average):
        raise StatisticError(f"There is no average {average!r}.", next_step=did_you_mean(average, get_args(Average)))


def _codes(values: pl.Series) -> Indices:
    return values.rank("dense").to_numpy().astype(np.intp) - 1


def _lengths(table: pl.DataFrame, words: Words) -> Array:
    keys = list(zip(table["document"], table["segment"], strict=True))
    unknown = [key for key in keys if key not in words]
    if unknown:
        raise StatisticError(
            f"The number of words of {len(set(unknown))} segments is not known, so no rate can be given.",
            next_step="Give the texts with the judgements, or rank by the plain score (per_words=0).",
        )
    return np.array([max(1, words[key]) for key in keys], float)
