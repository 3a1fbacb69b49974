"""Small tables of ratings for tests, the golden values of other libraries, and definitions written out plainly."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import polars as pl
from hypothesis import strategies as st

GOLDEN = json.loads((Path(__file__).parent / "golden" / "agreement.json").read_text(encoding="utf-8"))
Column = Sequence[Any]


def table(judges: Sequence[Column], kind: str = "label", documents: Sequence[str] | None = None) -> pl.DataFrame:
    """judges × items as a plain table; None is missing."""
    rows = [(j, i, v) for j, column in enumerate(judges) for i, v in enumerate(column)]
    read: Callable[[Any], Any] = {"label": str, "score": float, "labels": sorted}[kind]
    types = {"label": pl.String, "score": pl.Float64, "labels": pl.List(pl.String)}
    values = pl.Series(kind, [None if v is None else read(v) for *_, v in rows], dtype=types[kind])
    made = pl.DataFrame({"judge": [f"j{j}" for j, *_ in rows], "segment": [f"{i:03}" for _, i, _ in rows]})
    names = [f"d{i:03}" for i in range(len(judges[0]))] if documents is None else documents
    return made.with_columns(values, document=pl.Series([names[i] for _, i, _ in rows], dtype=pl.String))


def golden(library: str) -> list[tuple[str, list[Column], dict[str, float]]]:
    return [
        (name, case["ratings"], case["values"][library]) for name, case in GOLDEN.items() if case["values"][library]
    ]


@st.composite
def ratings(
    draw: st.DrawFn, *, judges: tuple[int, int] = (2, 4), labels: int = 4, complete: bool = False
) -> list[list[int | None]]:
    n_judges = draw(st.integers(*judges))
    n_items = draw(st.integers(2, 9))
    cell = st.integers(1, labels) if complete else st.one_of(st.none(), st.integers(1, labels), st.integers(1, labels))
    return draw(st.lists(st.lists(cell, min_size=n_items, max_size=n_items), min_size=n_judges, max_size=n_judges))


def items(judges: Sequence[Column]) -> list[list[Any]]:
    """The answers to each item that has any."""
    given = ([v for v in item if v is not None] for item in zip(*judges, strict=True))
    return [item for item in given if item]


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def chance_corrected(observed: float, expected: float) -> float:
    return math.nan if math.isnan(observed) or 1 - expected < 1e-12 else (observed - expected) / (1 - expected)


def observed(judges: Sequence[Column], weight: Callable[[Any, Any], float]) -> float:
    pairs = [[weight(a, b) for a, b in permutations(item, 2)] for item in items(judges) if len(item) > 1]
    return mean([mean(one) for one in pairs])


def shares(judges: Sequence[Column], labels: Sequence[Any]) -> dict[Any, float]:
    return {k: mean([item.count(k) / len(item) for item in items(judges)]) for k in labels}


def plain_cohen(a: Column, b: Column, labels: Sequence[Any], weight: Callable[[Any, Any], float]) -> float:
    both = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    if not both:
        return math.nan
    n = len(both)
    first, second = [x for x, _ in both], [y for _, y in both]
    expected = sum(weight(k, m) * first.count(k) * second.count(m) / n**2 for k in labels for m in labels)
    return chance_corrected(sum(weight(x, y) for x, y in both) / n, expected)


def plain_pairs(judges: Sequence[Column], one: Callable[[Column, Column], float]) -> float:
    found = [one(a, b) for a, b in combinations(judges, 2)]
    return mean([value for value in found if not math.isnan(value)])


def plain_alpha(judges: Sequence[Column], distance: Callable[[Any, Any, dict[Any, int]], float]) -> float:
    shared = [item for item in items(judges) if len(item) > 1]
    answers = [v for item in shared for v in item]
    count = {v: answers.count(v) for v in answers}
    n = len(answers)
    seen = sum(distance(a, b, count) / (len(item) - 1) for item in shared for a, b in permutations(item, 2))
    chance = sum(distance(a, b, count) * count[a] * count[b] for a in count for b in count) / (n - 1) if n > 1 else 0
    return 1 - seen / chance if chance > 1e-9 else math.nan


def same(found: float | None, expected: float, tolerance: float = 1e-9) -> bool:
    """Equal, or both undefined."""
    if found is None or math.isnan(expected):
        return (found is None or math.isnan(found)) and math.isnan(expected)
    return math.isclose(found, expected, rel_tol=tolerance, abs_tol=tolerance)
