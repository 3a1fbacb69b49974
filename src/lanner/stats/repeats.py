"""How far judges agree with themselves, on items that were put before them twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from lanner.model import Result
from lanner.stats.estimate import Statistic
from lanner.stats.frame import tidy
from lanner.stats.kappa import kappa
from lanner.stats.tables import labelled

_FIRST, _AGAIN = "first", "again"


def repeated(data: Any) -> pl.DataFrame:
    """The items that a judge met twice, as a table where "judge" is the occasion: first or again.

    The judge's name goes into the item, so that any statistic of two judges becomes one of a judge with himself.
    """
    table, _ = tidy(data)
    key = ["judge", "question", "stage", "document", "segment", "system", "row"]
    again = table.filter(pl.col("role") == "repeat")
    first = table.filter(pl.col("role") == "main").join(again.select(key).unique(), on=key, how="semi")
    occasion = pl.when(pl.col("role") == "repeat").then(pl.lit(_AGAIN)).otherwise(pl.lit(_FIRST))
    both = pl.concat([first, again])
    return both.with_columns(
        segment=pl.concat_str("segment", "judge", separator="\x1f"), by=pl.col("judge"), judge=occasion
    )


def self_agreement(
    data: Any, question: str = "", *, of: Statistic | Sequence[Statistic] = kappa, **options: Any
) -> list[Result]:
    """A statistic between the first and the second time, for all judges together and for each.

    For labels κ or percent, for scores the ICC or α, for label sets Jaccard: any statistic of two judges. An item
    counts once per judge who met it twice. WMT reports the same as intra-annotator agreement (Bojar et al. 2016).
    """
    table = repeated(data)
    statistics = [of] if isinstance(of, Statistic) else list(of)
    found = []
    for statistic in statistics:
        if question and not len(table.filter(pl.col("question") == question)):
            name = statistic.name
            found.append(Result(name, None, labels={"judge": "all"}, notes=("Undefined: no item was put twice.",)))
            continue
        found.append(_one(statistic, table, question, "all", options))
        for judge in table["by"].unique().sort():
            found.append(_one(statistic, table.filter(pl.col("by") == judge), question, judge, options))
    return found


def _one(statistic: Statistic, table: pl.DataFrame, question: str, judge: str, options: dict[str, Any]) -> Result:
    result = statistic(table, question, roles=("main", "repeat"), **options)
    judges = table["by"].n_unique()
    return labelled(replace(result, counts={**result.counts, "judges": judges}), {"judge": judge})
