"""Planning from a pilot where the outcome is no score: how wide the interval of an agreement coefficient will be with
more documents, and how likely a preference is to be seen; and what design a pilot itself had."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from lanner import __version__
from lanner.errors import DesignError
from lanner.model import Json, Result, Signature
from lanner.stats.comparisons import comparisons
from lanner.stats.estimate import Plan
from lanner.stats.frame import tidy
from lanner.stats.outcome import outcome
from lanner.stats.power import Design, preference_power
from lanner.stats.resample import Resampling, generator, replicate_sums


def as_run(data: Any, of: str) -> Design:
    """The design that a pilot had: documents, sentences in each, judges, and how many of them judged one output."""
    table, _ = tidy(data)
    main = table.filter((pl.col("question") == of) & (pl.col("role") == "main")) if of else table
    items = main.select("document", "segment").n_unique()
    documents, judges = main["document"].n_unique(), main["judge"].n_unique()
    if not items:
        raise DesignError(f"The pilot has no answers to {of!r}.")
    seats = main.select("document", "segment", "system", "judge").n_unique()
    outputs = main.select("document", "segment", "system").n_unique()
    return Design(documents, max(1, round(items / documents)), judges, min(judges, max(1, round(seats / outputs))))


def expected_width(plan: Plan, documents: Sequence[int], *, n: int = 400, seed: int = 0, level: float = 0.95) -> Result:
    """How wide the interval of a coefficient will be with so many documents like those of the pilot.

    For each number, n studies are drawn from the pilot's documents with replacement and analysed as Lanner analyses
    them (jackknife over documents with t quantiles). Rows: documents, mean width of the interval, the middle half of
    the estimates. The Result's value is the first width.
    """
    sums = plan.by_document()[1]
    table = plan.rows.by_document[plan.documents].toarray() if sums is None else np.asarray(sums)
    name = f"expected width of {plan.name}"
    if len(table) < 2:
        return Result(name, None, notes=("Undefined: the pilot has fewer than two documents to learn from.",))
    how = Resampling(method="t", level=level)
    rng = generator(seed, 9)
    rows: list[dict[str, Json]] = []
    for wanted in documents:
        if wanted < 2:
            raise DesignError("One document says nothing about how documents differ.", next_step="Plan two or more.")
        found, values = [], []
        for _ in range(n):
            study = replicate_sums(table[rng.integers(0, len(table), wanted)], plan.finish, how)
            made = outcome(study, how, scale=plan.scale).interval
            if made is not None:
                found.append(made.high - made.low)
                values.append(float(study.value[0]))
        usual = np.quantile(values, [0.25, 0.75]).tolist() if values else [None, None]
        width = float(np.mean(found)) if found else None
        rows.append({"documents": wanted, "width": width, "usual_low": usual[0], "usual_high": usual[1]})
    parts = (("drawn from", f"{len(table)} documents"), ("simulated", str(n)), ("seed", str(seed)))
    signature = Signature(name, parts=(*parts, ("level", f"{level:.0%}")), version=__version__)
    return Result(name, rows[0]["width"], counts={"documents": len(table)}, rows=rows, signature=signature)


def preference_pilot(data: Any, question: str) -> dict[str, float]:
    """What a pilot says about preferences: share of wins, of ties, comparisons a document, and how alike they are.

    `alike` is the intraclass correlation of decided comparisons within documents, from the one-way analysis of variance
    (Fleiss 1981, ch. 13): (MSB − MSW)/(MSB + (m₀ − 1)·MSW), not below 0.
    """
    table, _ = comparisons(data, question)
    if not len(table):
        raise DesignError(f"The pilot has no comparisons for {question!r}.")
    won = table["won"].to_numpy()
    decided = table.filter(pl.col("won") != 0)
    wins = (decided["won"] == 1).cast(pl.Float64).to_numpy()
    share = float(np.clip(wins.mean(), 0.01, 0.99)) if len(wins) else 0.5
    _, place, sizes = np.unique(decided["document"].to_numpy(), return_inverse=True, return_counts=True)
    alike = 0.0
    if len(sizes) > 1 and len(wins) > len(sizes):
        means = np.bincount(place, weights=wins) / sizes
        between = float((sizes * (means - wins.mean()) ** 2).sum() / (len(sizes) - 1))
        within = float(((wins - means[place]) ** 2).sum() / (len(wins) - len(sizes)))
        usual = (len(wins) - (sizes**2).sum() / len(wins)) / (len(sizes) - 1)
        spread = between + (usual - 1) * within
        alike = float(np.clip((between - within) / spread, 0, 0.95)) if spread > 0 else 0.0
    ties = float(min((won == 0).mean(), 0.99))
    return {"share": share, "ties": ties, "items": round(len(won) / table["document"].n_unique()), "alike": alike}


def preference_outlook(
    pilot: dict[str, float], documents: Sequence[int], *, share: float | None = None, n: int = 500, seed: int = 0
) -> Result:
    """The chance to see a preference with so many documents like the pilot's. Rows: documents and power by document."""
    rows: list[dict[str, Json]] = []
    for wanted in documents:
        seen = preference_power(
            share or pilot["share"],
            wanted,
            items=max(1, int(pilot["items"])),
            ties=pilot["ties"],
            alike=pilot["alike"],
            n=n,
            seed=seed,
        )
        rows.append({"documents": wanted, "comparisons": wanted * int(pilot["items"]), "power": seen.value})
        rows[-1]["error_of_sign_test"] = seen.rows[1]["error_rate"]
    signature = seen.signature if rows else None
    return Result("power", rows[0]["power"] if rows else None, rows=rows, signature=signature)
