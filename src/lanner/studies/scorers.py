"""Metrics against gold scores: one meta-evaluation for all cells that ask for one."""

from __future__ import annotations

from collections.abc import Callable

from lanner.errors import InputError, did_you_mean
from lanner.model import Result
from lanner.stats.metaeval import metaeval
from lanner.studies.data import Data, Found


def evaluated(data: Data) -> Result:
    """Every scorer against gold, human references left out as systems."""
    if data.scores is None:
        raise InputError("The data has no metric scores.")
    if "metaeval" not in data.kept:
        tables = data.scores
        # soft pairwise accuracy is the slow one, and no cell asks for it
        data.kept["metaeval"] = metaeval(
            tables.gold, tables.scorers, without=tables.references, documents=tables.documents, swaps_of_segments=1
        )
    result: Result = data.kept["metaeval"]
    return result


def metric(data: Data, *, name: str, give: str) -> Found:
    """One number of one metric: acc_eq, sys_pairwise_accuracy, segment_pearson, or another column of the result."""
    rows = {str(row["metric"]): row for row in evaluated(data).rows}
    if name not in rows:
        raise InputError(f"There is no metric {name!r}.", next_step=did_you_mean(name, rows))
    return Found(rows[name][give])


def scored(data: Data, *, give: str) -> float:
    """How many systems, or segments of one system, the gold scores cover."""
    counts = evaluated(data).counts
    return float(counts[give])


COMPUTATIONS: tuple[Callable[..., Found | float], ...] = (metric, scored)
