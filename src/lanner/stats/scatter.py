"""Contributions written down one by one: which row, which column, how much. Summed on demand, never held as a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from lanner.stats.resample import Array

Whole = npt.NDArray[np.integer]
Entry = tuple[Whole, Whole | int, Array | float]
"""Rows, columns and values of some contributions; a single column or value serves them all."""
_HELD = 20_000_000  # sums above this stay sparse


@dataclass(frozen=True)
class Scattered:
    """A sparse table of rows × columns as lists of entries. Equal places add up."""

    entries: tuple[Entry, ...]
    rows: int
    columns: int

    def total(self) -> Array:
        """The sum over all rows."""
        return np.asarray(self.grouped(np.zeros(self.rows, np.int64), 1)[0])

    def touched(self) -> npt.NDArray[np.bool_]:
        """Which rows have an entry."""
        found = np.zeros(self.rows, bool)
        for row, _, _ in self.entries:
            found[row] = True
        return found

    def grouped(self, group: Whole, n_groups: int) -> Array:
        """Sums over the rows of each group (documents): n_groups × columns."""
        sums = np.zeros(n_groups * self.columns)
        for row, column, value in self.entries:
            place = group[row].astype(np.int64) * self.columns + column
            if isinstance(value, float):
                sums += value * np.bincount(place, minlength=len(sums))
            else:
                sums += np.bincount(place, weights=value, minlength=len(sums))
        return sums.reshape(n_groups, self.columns)

    def by_group(self, group: Whole, n_groups: int) -> Array | sparse.csr_array:
        """The same, kept sparse where a full table would be too large."""
        if n_groups * self.columns <= _HELD:
            return self.grouped(group, n_groups)
        return Scattered(tuple((group[r], c, v) for r, c, v in self.entries), n_groups, self.columns).tocsr()

    def tocsr(self) -> sparse.csr_array:
        """As a sparse array, for resampling single items."""
        values = [np.broadcast_to(np.asarray(v, dtype=float), r.shape) for r, _, v in self.entries]
        columns = [np.broadcast_to(np.asarray(c), r.shape) for r, c, _ in self.entries]
        places = (np.concatenate([r for r, _, _ in self.entries]), np.concatenate(columns))
        return sparse.coo_array((np.concatenate(values), places), shape=(self.rows, self.columns)).tocsr()
