"""Agreement on a grid: the mean of its rows' α.

One α over all cells mixes how often rows are used at all with how well judges agree within a row: where most cells say
"not relevant" it is high even if judges agree on no single row. So each row has its own α, and the mean stands for the
grid; its interval comes from resampling the same documents (or items) for all rows at once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from lanner.model import Result
from lanner.stats.alpha import Level, alpha
from lanner.stats.estimate import Plan, Rows, Statistic
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Array, Resampling


def row_ratings(ratings: Ratings, row: str) -> Ratings:
    """The answers to one row of a grid."""
    mine = (ratings.items["row"] == row).to_numpy()
    place = np.cumsum(mine, dtype=np.int32) - 1
    cells = mine[ratings.item]
    return replace(
        ratings,
        item=place[ratings.item[cells]].astype(np.int32),
        judge=ratings.judge[cells],
        code=ratings.code[cells],
        document=ratings.document[mine],
        items=ratings.items.filter(pl.Series(mine)),
    )


def _mean_alpha(ratings: Ratings, *, level: Level | None = None, unit: str = "document") -> Plan:
    """The mean of Krippendorff's α over the rows of a grid; rows without any variation have none and are passed over.

    With `unit` "item" the units that are resampled are items with all their rows, otherwise documents.
    """
    ratings = _by_item(ratings) if unit == "item" else ratings
    rows = ratings.items["row"].unique(maintain_order=True).to_list()
    plans = [
        plan for row in rows if np.isfinite((plan := alpha.plan(row_ratings(ratings, row), level=level)).value()[0])
    ]
    if not plans:
        return replace(alpha.plan(ratings, level=level), settings={"level": level or "nominal", "of": "rows"})
    parts = [(plan.by_document()[0], plan.documents) for plan in plans]
    used = np.zeros(len(ratings.documents), bool)
    for _, documents in parts:
        used[documents] = True

    def finish(weights: Array) -> Array:
        values = np.column_stack([statistic(weights[:, documents])[:, 0] for statistic, documents in parts])
        finite = np.isfinite(values)
        total = np.where(finite, values, 0.0).sum(axis=1)
        empty = np.full(len(total), np.nan)
        return np.asarray(np.divide(total, finite.sum(axis=1), out=empty, where=finite.any(axis=1))[:, None])

    units = Rows(np.ones(len(ratings.documents)), np.arange(len(ratings.documents), dtype=np.int32))
    undefined = len(rows) - len(plans)
    notes = (f"{undefined} of {len(rows)} rows have no α: every answer to them is the same.",) if undefined else ()
    settings = {"level": plans[0].settings["level"], "of": f"mean of {len(plans)} rows"}
    counts = _counts(ratings, plans, int(used.sum()))
    return Plan("alpha", ratings, units, finish, uses=used, counts=(counts,), notes=notes, settings=settings)


def _counts(ratings: Ratings, plans: list[Plan], documents: int) -> dict[str, int]:
    """Items are counted once, however many rows they have."""
    whole = ["stage", "document", "segment", "system"]
    shared = ratings.items.filter(pl.Series(ratings.per_item >= 2)).select(whole).unique()
    return {
        "items": len(shared),
        "judges": ratings.active_judges,
        "documents": documents,
        "answers": len(ratings.item),
        "rows": len(plans),
    }


def _by_item(ratings: Ratings) -> Ratings:
    """Items in the place of documents, so that they are what is resampled."""
    whole = ratings.items.select("stage", "document", "segment", "system")
    names = whole.select(pl.concat_str(pl.all(), separator="\x1f")).to_series()
    distinct = names.unique(maintain_order=True)
    places = names.replace_strict(distinct, pl.Series(range(len(distinct)), dtype=pl.Int32), return_dtype=pl.Int32)
    return replace(ratings, document=places.to_numpy().astype(np.int32), documents=tuple(distinct))


class _MeanOfRows(Statistic):
    """Knows whether documents or items are resampled before it meets its data."""

    def each(
        self, data: Any, question: str = "", *, resampling: Resampling | None = None, **options: Any
    ) -> list[Result]:
        how = resampling or Resampling()
        unit = "item" if how.unit == "item" else "document"
        return super().each(data, question, resampling=how, unit=unit, **options)


mean_alpha = _MeanOfRows(_mean_alpha, ("label", "score"))
mean_alpha.name = "alpha"
