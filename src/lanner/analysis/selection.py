"""Scores corrected for how documents were chosen (`lanner prepare`, step "difficult").

Each document counts one over the probability it was chosen with (Hájek's estimate), so that means and differences are
those of all the texts it was drawn from; intervals are by document, with these weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl
from scipy import special

from lanner.corpus.difficulty import META
from lanner.errors import InputError
from lanner.model import Document, Json


@dataclass(frozen=True, slots=True)
class Corrected:
    """A system's mean, or the difference of two: for all texts, with a 95 % interval, and that of the chosen ones."""

    system: str
    other: str
    value: float
    low: float | None
    high: float | None
    chosen: float
    documents: int

    def to_row(self) -> dict[str, Json]:
        return {
            "kind": "corrected",
            "system": self.system,
            "other": self.other,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "chosen": self.chosen,
            "documents": self.documents,
        }


def probabilities(documents: Sequence[Document]) -> dict[str, float]:
    """With which probability each document was chosen; empty where none says so."""
    result = {}
    for document in documents:
        about = document.meta.get(META)
        chance = about.get("probability") if isinstance(about, Mapping) else None
        if isinstance(chance, int | float) and not isinstance(chance, bool) and 0 < chance <= 1:
            result[document.id] = float(chance)
    return result


def corrected_scores(table: pl.DataFrame, of: str, chances: Mapping[str, float]) -> list[Corrected]:
    """Every system's mean, then every pair's difference over the documents that both have."""
    rows = table.filter((pl.col("question") == of) & (pl.col("role") == "main") & pl.col("score").is_finite())
    unknown = sorted(set(rows["document"]) - chances.keys())
    if not chances or unknown:
        raise InputError(
            f"The document {unknown[0]!r} does not say with which probability it was chosen."
            if chances and unknown
            else "No document says with which probability it was chosen.",
            code="no_selection",
            next_step='Choose documents with lanner prepare and a recipe step do = "difficult".',
        )
    items = rows.group_by("document", "segment", "system").agg(pl.col("score").mean())
    sums = items.group_by("document", "system").agg(pl.col("score").sum(), pl.len().alias("n"))
    totals: dict[str, dict[str, tuple[float, int]]] = {}
    for document, system, total, n in sums.sort("document").rows():
        totals.setdefault(system, {})[document] = (total, n)
    systems = sorted(totals)
    result = [
        _estimate(name, "", [(total, n, chances[d]) for d, (total, n) in totals[name].items()]) for name in systems
    ]
    for first, second in combinations(systems, 2):
        shared = [d for d in totals[first] if d in totals[second] and totals[first][d][1] == totals[second][d][1]]
        gaps = [(totals[first][d][0] - totals[second][d][0], totals[first][d][1], chances[d]) for d in shared]
        if gaps:
            result.append(_estimate(first, second, gaps))
    return result


def _estimate(system: str, other: str, rows: Sequence[tuple[float, int, float]]) -> Corrected:
    total, n, chance = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    size = float((n / chance).sum())
    value = float((total / chance).sum() / size)
    residual = (total - value * n) / chance
    documents = len(total)
    low = high = None
    if documents > 1:
        error = float(np.sqrt((residual**2).sum() * documents / (documents - 1))) / size
        reach = float(special.stdtrit(documents - 1, 0.975)) * error
        low, high = value - reach, value + reach
    return Corrected(system, other, value, low, high, float(total.sum() / n.sum()), documents)
