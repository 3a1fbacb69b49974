"""Numbers recomputed from raw rows with pandas and numpy alone: nothing of Lanner's statistics."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd

from lanner.model import Judgement


def raw_rows(judgements: Iterable[Judgement]) -> pd.DataFrame:
    """One row per answer as it lies in the store."""
    return pd.DataFrame(
        [
            {
                "judge": entry.judge,
                "question": entry.question,
                "unit": (entry.document, entry.segment, entry.systems),
                "document": entry.document,
                "role": str(entry.role),
                "value": entry.value,
                "active": entry.active_seconds,
            }
            for entry in judgements
        ]
    )


def answers_by_unit(rows: pd.DataFrame) -> list[np.ndarray]:
    """The answers to each unit that several judges have judged, as numbers."""
    units: dict[Any, list[float]] = {}
    for unit, value in zip(rows["unit"], rows["value"], strict=True):
        units.setdefault(unit, []).append(float(value))
    return [np.array(answers) for answers in units.values() if len(answers) > 1]


def alpha(rows: pd.DataFrame, level: str) -> float | None:
    """Krippendorff's α for numbers ("interval") or names ("nominal"): one less observed over expected distance. None
    where everybody always said the same."""
    by_unit = answers_by_unit(rows)

    def apart(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.asarray((one - other) ** 2 if level == "interval" else one != other, dtype=float)

    everything = np.concatenate(by_unit)
    n = len(everything)
    observed = sum(apart(unit[:, None], unit[None, :]).sum() / (len(unit) - 1) for unit in by_unit) / n
    expected = apart(everything[:, None], everything[None, :]).sum() / (n * (n - 1))
    return float(1 - observed / expected) if expected else None


def ordinal_alpha(rows: pd.DataFrame) -> float:
    """Krippendorff's α for an order, from the table of units by judges (Krippendorff 2011, section C)."""
    by_unit = answers_by_unit(rows)
    values = np.unique(np.concatenate(by_unit))
    together = np.zeros((len(values), len(values)))
    for answers in by_unit:  # every ordered pair of two judges
        number = (answers[:, None] == values).sum(axis=0)
        together += (np.outer(number, number) - np.diag(number)) / (len(answers) - 1)
    counts = together.sum(axis=1)
    steps = np.zeros_like(together)
    for one in range(len(values)):
        for other in range(len(values)):
            low, high = min(one, other), max(one, other)
            steps[one, other] = (counts[low : high + 1].sum() - (counts[one] + counts[other]) / 2) ** 2
    expected = (np.outer(counts, counts) - np.diag(counts)) / (counts.sum() - 1)
    return float(1 - (together * steps).sum() / (expected * steps).sum())


def grid_alpha(rows: pd.DataFrame, points: dict[str, float]) -> dict[str, float]:
    """α of each row of a grid."""
    cells = rows.assign(cell=rows["value"].map(lambda answer: list(answer.items()))).explode("cell")
    cells = cells.assign(row=cells["cell"].str[0], value=cells["cell"].str[1].map(points))
    return {str(row): ordinal_alpha(group) for row, group in cells.groupby("row")}


def set_alpha(rows: pd.DataFrame) -> float:
    """Krippendorff's α for sets of labels, two of which are as far apart as they have no label in common (Jaccard)."""
    by_unit = [[frozenset(value) for value in group["value"]] for _, group in rows.groupby("unit") if len(group) > 1]

    def apart(one: frozenset[str], other: frozenset[str]) -> float:
        return 1 - len(one & other) / len(one | other) if one | other else 0.0

    everything = [answer for unit in by_unit for answer in unit]
    n = len(everything)
    observed = sum(sum(apart(a, b) for a in unit for b in unit) / (len(unit) - 1) for unit in by_unit) / n
    expected = sum(apart(a, b) for a in everything for b in everything) / (n * (n - 1))
    return 1 - observed / expected


def by_system(rows: pd.DataFrame) -> pd.DataFrame:
    """Scores with the segment and the system they are about."""
    return rows.assign(
        segment=rows["unit"].map(lambda unit: unit[1]),
        system=rows["unit"].map(lambda unit: unit[2] if isinstance(unit[2], str) else unit[2][0]),
        value=rows["value"].astype(float),
    )


def means(rows: pd.DataFrame) -> dict[str, float]:
    """By system: the mean over its segments of the mean over judges."""
    scores = by_system(rows)
    segments = scores.groupby(["system", "unit"])["value"].mean()
    return {str(system): float(value) for system, value in segments.groupby(level="system").mean().items()}


def decided_pairs(rows: pd.DataFrame, level: float = 0.05) -> tuple[int, set[tuple[str, str]]]:
    """How many pairs of systems there are, and which are told apart, the higher score first: every swap of whole
    documents counted out, then Holm's steps. `rows` have judge, document, segment, system and value."""
    means = rows.groupby(["document", "segment", "system"])["value"].mean().unstack("system")
    pairs = list(combinations(sorted(means.columns), 2))
    ps, order = [], []
    for one, other in pairs:
        gaps = (means[one] - means[other]).dropna().groupby(level="document").sum().to_numpy()
        swapped = np.array(list(product((1, -1), repeat=len(gaps)))) @ gaps
        ps.append(float(np.mean(np.abs(swapped) >= abs(gaps.sum()) - 1e-9)))
        order.append((one, other) if gaps.sum() > 0 else (other, one))
    decided: set[tuple[str, str]] = set()
    for step, at in enumerate(np.argsort(ps, kind="stable")):
        if ps[at] * (len(pairs) - step) >= level:
            break
        decided.add(order[at])
    return len(pairs), decided
