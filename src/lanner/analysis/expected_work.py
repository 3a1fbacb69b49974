"""How long a campaign that is being planned would go on, fixed and adaptive: what is known beforehand, as a `World`.

A pilot gives variances and how far apart its systems are. Without one both come from released ratings; metrics of the
texts then say which systems are close to each other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from lanner.errors import StatisticError
from lanner.model import Document, JudgeKind, Protocol
from lanner.stats.power import Components, Design, defaults
from lanner.stats.resample import Array
from lanner.stats.savings import World, scaled_means, shrunk_means

_SAME_SCALE = {"esa_preannotated": "esa", "da": "da_sqm"}
"""Protocols without released ratings of their own, and those that ask for the same kind of score."""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def released_components(protocol: Protocol) -> Components | None:
    """Variances of released ratings of this protocol, or of the one it was derived from; None without any."""
    for name in (protocol.name, protocol.name.removesuffix("_own"), _SAME_SCALE.get(protocol.name, "")):
        try:
            components = defaults(name)
        except StatisticError:
            continue
        return components if components.spread else None
    return None


def world_like(parts: Components, design: Design, difference: float | None = None) -> World | None:
    """Systems as released campaigns had them; or, with a `difference`, each so far from the next. None where neither is
    known."""
    names = tuple(_LETTERS[at] if at < len(_LETTERS) else f"S{at + 1}" for at in range(design.systems))
    means = None if difference is None else difference * np.arange(design.systems, dtype=float)
    if means is None and not parts.spread:
        return None
    return World(_sizes(design), names, parts, design.judges, design.overlap, means, parts.spread)


def world_of_pilot(table: pl.DataFrame, question: str, parts: Components, design: Design, sign: float = 1.0) -> World:
    """The systems of a pilot, drawn together by what chance has spread them; with its metrics where it has some."""
    people = table.filter(
        (pl.col("question") == question)
        & (pl.col("role") == "main")
        & ~pl.col("judge_kind").is_in([JudgeKind.MODEL, JudgeKind.METRIC])
        & pl.col("score").is_finite()
    )
    means = people.group_by("system").agg(pl.col("score").mean()).sort("system")
    pilot_documents = max(1, people["document"].n_unique())
    pilot_sentences = max(1.0, people.select("document", "segment").n_unique() / pilot_documents)
    error = (parts.system_document + (parts.system_item + parts.residual) / pilot_sentences) / pilot_documents
    values = sign * means["score"].to_numpy()
    return World(
        _sizes(design),
        tuple(means["system"].to_list()),
        parts,
        design.judges,
        design.overlap,
        shrunk_means(values, error),
        has_metrics=bool(metric_scores(table)),
    )


def world_of_metrics(table: pl.DataFrame, parts: Components, design: Design) -> World | None:
    """Nothing judged yet: the systems that metrics or models have rated, as far apart as systems usually are. None
    where the table has no such ratings, or usual distances are not known."""
    ratings = metric_scores(table)
    if not ratings or not parts.spread:
        return None
    systems = sorted(set.intersection(*(set(rating) for rating in ratings)))
    if len(systems) < 2:
        return None
    standard = [np.array([rating[name] for name in systems]) for rating in ratings]
    usual = np.mean([(one - one.mean()) / (one.std() or 1.0) for one in standard], axis=0)
    means = scaled_means(usual[None, :], parts.spread)
    return World(_sizes(design), tuple(systems), parts, design.judges, design.overlap, means, has_metrics=True)


def world_of_texts(
    documents: Sequence[Document],
    sizes: Array,
    protocol: Protocol,
    systems: Sequence[str],
    *,
    judges: int,
    overlap: int,
    metric: dict[str, float] | None = None,
) -> World | None:
    """A campaign on these texts, before anything is judged. `metric` is a score of each system, higher is better. None
    where released ratings say nothing about the protocol."""
    parts = released_components(protocol)
    if parts is None or len(documents) < 3 or len(systems) < 2:
        return None
    means = None
    if metric is not None and all(name in metric for name in systems):
        means = scaled_means(np.array([[metric[name] for name in systems]]), parts.spread)
    return World(
        sizes,
        tuple(systems),
        parts,
        max(1, judges),
        min(overlap, max(1, judges)),
        means,
        parts.spread,
        means is not None,
    )


def metric_scores(table: pl.DataFrame) -> list[dict[str, float]]:
    """The mean score of each system by every metric and model that has rated more than one."""
    rows = table.filter(
        pl.col("judge_kind").is_in([JudgeKind.MODEL, JudgeKind.METRIC])
        & (pl.col("role") == "main")
        & (pl.col("document") != "")
        & pl.col("score").is_finite()
    )
    means = rows.group_by("judge", "question", "system", maintain_order=True).agg(pl.col("score").mean())
    ratings: dict[tuple[str, str], dict[str, float]] = {}
    for judge, question, system, score in means.rows():
        ratings.setdefault((judge, question), {})[system] = score
    return [rating for rating in ratings.values() if len(rating) > 1]


def _sizes(design: Design) -> Array:
    return np.full(design.documents, float(design.sentences))
