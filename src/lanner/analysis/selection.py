"""Documents that were not drawn evenly: what that does to plain scores, and scores corrected for it.

Texts chosen for difficulty (`lanner prepare`, step "difficult") keep the probability they were chosen with. Each
document counts one over it (Hájek's estimate), so that means and differences are those of all the texts it was drawn
from. Intervals are by document: linearised standard errors with t quantiles, with as many degrees of freedom as the
weights leave documents (Kish), kept on the scale of the score.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from scipy import special

from lanner import __version__
from lanner.analysis.scores import ON_SCALE, Bounds, on_scale
from lanner.corpus.difficulty import META
from lanner.designs.adaptive import NAME as ADAPTIVE
from lanner.errors import InputError
from lanner.model import Document, Json, Result, Signature
from lanner.model.messages import Message, message
from lanner.stats.resample import FEW

FEWEST_DOCUMENTS = 10
"""Documents below which a corrected score has no interval: simulated ones held the truth in 85 to 93 % of cases."""


def choice_bias(documents: Sequence[Document], settings: Mapping[str, Any]) -> Message | None:
    """How plain scores lean because documents were not drawn evenly, and where the corrected ones are; None where they
    were."""
    if settings.get("design") == ADAPTIVE:
        return message(
            "Documents were drawn adaptively: those expected to tell more came more often, and judging stops when it "
            "is enough, so plain means and differences lean; those corrected for the draws are under “What is decided” "
            "(lanner campaign decided)."
        )
    if any(chance < 1 for chance in probabilities(documents).values()):
        return message(
            "Documents were chosen for difficulty: plain scores are those of hard texts and lie below those of the "
            "texts they were drawn from; lanner scores --selection corrects for the choice."
        )
    return None


def probabilities(documents: Sequence[Document]) -> dict[str, float]:
    """With which probability each document was chosen; empty where none says so."""
    result = {}
    for document in documents:
        about = document.meta.get(META)
        chance = about.get("probability") if isinstance(about, Mapping) else None
        if isinstance(chance, int | float) and not isinstance(chance, bool) and 0 < chance <= 1:
            result[document.id] = float(chance)
    return result


def corrected_scores(
    table: pl.DataFrame, of: str, chances: Mapping[str, float], bounds: Bounds | None = None
) -> Result:
    """Every system's mean, then every pair's difference over the documents that both have, one row each: `value` with
    its 95 % interval for all texts, `chosen` for those that were chosen. `bounds` are the ends of the score's scale."""
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
        _estimate(name, "", [(total, n, chances[d]) for d, (total, n) in totals[name].items()], bounds)
        for name in systems
    ]
    apart = (bounds[0] - bounds[1], bounds[1] - bounds[0]) if bounds and math.isfinite(bounds[1]) else None
    for first, second in combinations(systems, 2):
        in_common = [d for d in totals[first] if d in totals[second] and totals[first][d][1] == totals[second][d][1]]
        gaps = [(totals[first][d][0] - totals[second][d][0], totals[first][d][1], chances[d]) for d in in_common]
        if gaps:
            result.append(_estimate(first, second, gaps, apart))
    return Result(
        name="corrected scores",
        value=None,
        counts={"items": items.height, "documents": items["document"].n_unique()},
        rows=result,
        notes=_notes(result),
        signature=_signature(of, bounds),
    )


def _estimate(
    system: str, other: str, rows: Sequence[tuple[float, int, float]], bounds: Bounds | None
) -> dict[str, Json]:
    total, n, chance = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    weights = n / chance
    size = float(weights.sum())
    value = float((total / chance).sum() / size)
    residual = (total - value * n) / chance
    documents = len(total)
    low: float | None = None
    high: float | None = None
    if documents >= FEWEST_DOCUMENTS:
        error = float(np.sqrt((residual**2).sum() * documents / (documents - 1))) / size
        freedom = size**2 / float((weights**2).sum()) - 1
        reach = float(special.stdtrit(max(1.0, freedom), 0.975)) * error
        low, high = on_scale(value, value - reach, value + reach, bounds)
    return {
        "kind": "corrected",
        "system": system,
        "other": other,
        "value": value,
        "low": low,
        "high": high,
        "chosen": float(total.sum() / n.sum()),
        "documents": documents,
    }


def _notes(rows: Sequence[Mapping[str, Json]]) -> tuple[str, ...]:
    fewest = min((int(row["documents"]) for row in rows), default=FEW)
    if fewest < FEWEST_DOCUMENTS:
        return (
            f"No interval for corrected scores of fewer than {FEWEST_DOCUMENTS} documents ({fewest}): with unequal "
            "weights it would hold the truth too rarely.",
        )
    if fewest < FEW:
        return (
            f"Corrected scores rest on fewer than {FEW} documents ({fewest}): their intervals hold a little less "
            "often than they say.",
        )
    return ()


def _signature(of: str, bounds: Bounds | None) -> Signature:
    parts = [
        ("of", of),
        ("weights", "1 / probability of the document (Hájek)"),
        ("interval", f"linearised t 95%, Kish degrees of freedom, from {FEWEST_DOCUMENTS} documents"),
    ]
    if bounds is not None:
        parts.append(("scale", f"{bounds[0]:g} to {bounds[1]:g}, {ON_SCALE}"))
    return Signature("corrected_scores", parts=tuple(parts), version=__version__)
