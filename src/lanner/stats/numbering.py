"""Equal names to equal whole numbers: what lets a million answers be grouped without comparing text again and again."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

Numbers = npt.NDArray[np.int64]
_ROOM = 2**62  # numbers that fit
_TABLE = 1 << 22  # places of a table that stands in for sorting
_SHORT = (
    1000  # texts up to which a dictionary is faster than asking Polars, which takes a quarter of a millisecond a time
)


def codes(column: pl.Series) -> Numbers:
    """A number for each distinct text, in no particular order and with gaps; missing text counts as one of them."""
    if len(column) < _SHORT:
        known: dict[str | None, int] = {}
        return np.array([known.setdefault(text, len(known)) for text in column.to_list()], dtype=np.int64)
    short, run = _runs(column)
    numbers = short.cast(pl.Categorical).to_physical().cast(pl.Int64).fill_null(-1).to_numpy() + 1
    return numbers if run is None else numbers[run]


def positions(column: pl.Series, names: Sequence[str] | pl.Series) -> npt.NDArray[np.int32]:
    """The place of each text among these names."""
    if len(column) < _SHORT:
        known = {name: place for place, name in enumerate(names)}
        with suppress(KeyError):  # Polars says which text is none of the names
            return np.array([known[text] for text in column.to_list()], dtype=np.int32)
    short, run = _runs(column)
    places = short.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int32)
    return places if run is None else places[run]


def texts(column: pl.Series) -> list[str]:
    """The distinct texts of a column, in order."""
    if len(column) < _SHORT and not column.null_count():
        return sorted(set(column.to_list()))
    return _runs(column)[0].unique().sort().to_list()


def _runs(column: pl.Series) -> tuple[pl.Series, npt.NDArray[np.uint32] | None]:
    """The text that each run of equal ones repeats, and the run of each place: tables are mostly in some order, and
    then few texts need looking at. None where runs are short."""
    if len(column) < _SHORT:
        return column, None
    run = column.rle_id().to_numpy()
    if 3 * int(run[-1]) > len(run):
        return column, None
    return column.gather(np.flatnonzero(np.diff(run, prepend=run[0] + 1))), run


def joined(columns: Sequence[Numbers]) -> Numbers:
    """One number for each distinct combination; renumbered only where the numbers would grow too large."""
    row, room = columns[0], int(columns[0].max(initial=0)) + 1
    for column in columns[1:]:
        width = int(column.max(initial=0)) + 1
        if room > _ROOM // width:
            row = np.unique(row, return_inverse=True)[1].astype(np.int64).reshape(-1)
            room = int(row.max(initial=0)) + 1
        row, room = row * width + column, room * width
    return row


def of_rows(table: pl.DataFrame, names: Sequence[str]) -> Numbers:
    """One number for each distinct combination of these columns, in no particular order."""
    return joined([codes(table[name]) for name in names])


def in_order(numbers: Numbers) -> tuple[Numbers, Numbers]:
    """Renumbered from 0 in the order in which they first appear, and where that is."""
    first, index = _number_distinct(numbers)
    if len(first) < 2 or bool((np.diff(first) > 0).all()):
        return index, first
    order = np.argsort(first)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return place[index], first[order]


def _number_distinct(numbers: Numbers) -> tuple[Numbers, Numbers]:
    """Where each distinct number is first, from the smallest on, and the place of each number among them."""
    step = np.diff(numbers)
    if bool((step >= 0).all()):  # in order already
        new = np.concatenate([np.ones(min(1, len(numbers)), bool), step > 0])
        return np.flatnonzero(new), np.cumsum(new) - 1
    _, first, index = np.unique(numbers, return_index=True, return_inverse=True)
    return first, index.reshape(-1)


def by_name(table: pl.DataFrame, names: Sequence[str]) -> tuple[Numbers, Numbers]:
    """Rows equal in these columns to equal numbers from 0, in the order of their names; where each is first."""
    total = np.zeros(len(table), np.int64)
    room = 1
    for name in names:
        names_here = texts(table[name])
        if len(names_here) > 1:
            if room > _ROOM // len(names_here):
                total = np.unique(total, return_inverse=True)[1].reshape(-1).astype(np.int64)
                room = int(total.max()) + 1
            total = total * len(names_here) + positions(table[name], names_here)
            room *= len(names_here)
    first, index = _number_distinct(total)
    return index, first


def distinct(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp]]:
    """The distinct values in order, and the place of each value among them: `np.unique`, without sorting where the
    values are whole numbers of a small range, as scores and codes are."""
    if len(values) > 1000:
        low, high = values.min(), values.max()
        if np.isfinite(low) and np.isfinite(high) and high - low < min(_TABLE, 8 * len(values)):
            whole = values.astype(np.int64)
            if values.dtype.kind in "iu" or np.array_equal(whole, values):
                whole -= int(low)
                present = np.flatnonzero(np.bincount(whole))
                place = np.zeros(int(high - low) + 1, np.intp)
                place[present] = np.arange(len(present))
                return (present + int(low)).astype(values.dtype), place[whole]
    values_here, index = np.unique(values, return_inverse=True)
    return values_here, index.reshape(-1)


def shared_ranks(values: Sequence[float]) -> list[int]:
    """The rank of each of these scores, which come best first: equal scores share the first rank they span."""
    smallest_gap = 1e-9 * max(map(abs, values), default=0.0)
    ranks: list[int] = []
    for at, value in enumerate(values):
        equal = at > 0 and abs(value - values[at - 1]) <= smallest_gap
        ranks.append(ranks[-1] if equal else at + 1)
    return ranks


def groups_apart(judge: npt.NDArray[Any], item: npt.NDArray[Any], judges: int) -> npt.NDArray[np.intp]:
    """By judge, the number of the group that shared items connect; judges without answers are of the first. Each answer
    is of `judge` about `item`, both by number."""
    first = np.arange(judges)
    while True:  # everybody takes the first judge that any of their items has, until nobody finds an earlier one
        of_item = np.full(int(item.max(initial=-1)) + 1, judges)
        np.minimum.at(of_item, item, first[judge])
        earlier = first.copy()
        np.minimum.at(earlier, judge, of_item[item])
        if np.array_equal(earlier, first):
            break
        first = earlier
    active = np.bincount(judge, minlength=judges) > 0
    groups = np.zeros(judges, np.intp)
    groups[active] = np.unique(first[active], return_inverse=True)[1]
    return groups
