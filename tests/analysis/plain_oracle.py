"""Agreement written out from raw rows with pandas and scikit-learn alone: nothing of the statistics under test."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import cohen_kappa_score

from lanner.model import Judgement

ITEM = ["document", "segment", "systems"]


def raw(judgements: list[Judgement] | tuple[Judgement, ...]) -> pd.DataFrame:
    """One row a judgement, as it was saved."""
    return pd.DataFrame(
        [
            {
                "judge": j.judge,
                "question": j.question,
                "document": j.document,
                "segment": j.segment,
                "systems": "|".join(j.systems),
                "role": str(j.role),
                "value": j.value,
                "seconds": j.active_seconds,
            }
            for j in judgements
        ]
    )


def alpha(answers: pd.DataFrame, level: str) -> float:
    """Krippendorff's α of a table with ITEM, judge and a `value` that is a number (or, nominal, anything)."""
    units = [group["value"].tolist() for _, group in answers.groupby(ITEM) if len(group) > 1]
    values = [value for unit in units for value in unit]
    n = len(values)
    counts = pd.Series(values).value_counts()
    ordered = sorted(counts.index) if level != "nominal" else []
    middle = {}
    below = 0.0
    for value in ordered:
        middle[value] = below + counts[value] / 2
        below += counts[value]

    def apart(one: Any, other: Any) -> float:
        if level == "nominal":
            return float(one != other)
        if level == "ordinal":
            return float((middle[one] - middle[other]) ** 2)
        return float((one - other) ** 2)

    observed = sum(apart(a, b) / (len(unit) - 1) for unit in units for a, b in permutations(unit, 2)) / n
    expected = sum(counts[a] * counts[b] * apart(a, b) for a in counts.index for b in counts.index) / (n * (n - 1))
    return 1 - observed / expected


def light_kappa(answers: pd.DataFrame) -> float:
    """The mean of scikit-learn's κ over all pairs of judges."""
    wide = answers.pivot_table(index=ITEM, columns="judge", values="value", aggfunc="last")
    pairs = []
    for one, other in combinations(wide.columns, 2):
        both = wide[[one, other]].dropna()
        pairs.append(cohen_kappa_score(both[one], both[other]))
    return float(np.mean(pairs))


def grid_alpha(rows: pd.DataFrame, order: list[str]) -> tuple[float, dict[str, float]]:
    """The mean of the rows' ordinal α, and each row's; `value` is an object from row to option."""
    cells = rows.assign(cell=rows["value"].map(lambda value: list(value.items()))).explode("cell")
    cells = cells.assign(row=cells["cell"].str[0], value=cells["cell"].str[1].map(order.index))
    by_row = {str(row): alpha(group, "ordinal") for row, group in cells.groupby("row")}
    return float(np.mean(list(by_row.values()))), by_row
