"""Statistics of two judges at a time: one plan for all pairs at once, then each pair's value or their mean.

Contributions are sums over the items that both judges of a pair answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from lanner.stats.estimate import Plan, Rows
from lanner.stats.numbering import distinct
from lanner.stats.ratings import Codes, Ratings
from lanner.stats.resample import Array
from lanner.stats.scatter import Scattered
from lanner.stats.transforms import Scale

Entry = tuple[npt.NDArray[np.int64] | int, Array | float]
"""Where in the columns of its pair an entry is counted, and with which value: one for all, or one for each entry."""
FEW_SHARED = 10
"""Where half of the pairs share fewer items than this, a mean over pairs is a mean of noise, and a note says so."""
_MOST = 60_000  # sums per document for which intervals are still made


def pair_plan(
    name: str,
    rated: Ratings,
    width: int,
    entries: Sequence[Entry],
    finish: Callable[[Array], Array],
    *,
    each: bool = False,
    scale: Scale = "fisher",
    notes: tuple[str, ...] = (),
    settings: Mapping[str, str] | None = None,
    reason: Callable[[Codes, Codes], str] | None = None,
) -> Plan:
    """A plan over all pairs of judges that share an item. `finish` takes (resamples × pairs × width).

    With `each` there is one outcome per pair, otherwise their mean; pairs where the statistic is undefined are left out
    of the mean, and a note says so.
    """
    pairs = rated.pairs
    n_pairs = len(pairs.who)
    base = pairs.pair.astype(np.int64) * width
    answered = np.flatnonzero(rated.per_item)
    row = np.searchsorted(answered, pairs.item)
    placed = tuple((row, base + column, value) for column, value in entries)
    parts = Scattered(placed, len(answered), n_pairs * width)

    def of_pairs(sums: Array) -> Array:
        return finish(sums.reshape(len(sums), n_pairs, width))

    def of_mean(sums: Array) -> Array:
        found = of_pairs(sums)
        defined = np.isfinite(found)
        total = np.where(defined, found, 0).sum(axis=1, keepdims=True)
        n = defined.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0))

    no_interval = ""
    if n_pairs * width > _MOST:
        no_interval = f"No interval: {n_pairs} pairs of judges are too many; choose judges, or take alpha or fleiss."
    rows = Rows.of_items(rated, answered)
    uses = np.bincount(row, minlength=len(answered)) > 0
    made = dict(settings or {})
    if each:
        judges = [(rated.judges[a], rated.judges[b]) for a, b in pairs.who]
        outcomes = tuple({"judge": a, "other": b} for a, b in judges)
        counts, reasons = _facts(rated, reason)
        return Plan(
            name, rated, rows, of_pairs, parts, uses=uses, outcomes=outcomes, counts=counts, reasons=reasons,
            scale=scale, notes=notes, settings=made, no_interval=no_interval,
        )  # fmt: skip
    if n_pairs > 1:
        made["mean_over"] = f"{n_pairs} pairs"
        notes += _notes_on_the_mean(rated, of_pairs(parts.total()[None, :]))
    reasons = _facts(rated, reason)[1][:1] if n_pairs == 1 else ()
    return Plan(
        name, rated, rows, of_mean, parts, uses=uses, reasons=reasons, scale=scale, notes=notes, settings=made,
        no_interval=no_interval,
    )  # fmt: skip


def _notes_on_the_mean(rated: Ratings, values: Array) -> tuple[str, ...]:
    """What a reader of the mean over pairs should know: pairs that share little, pairs without a value."""
    n_pairs, notes = len(rated.pairs.who), []
    undefined = int(np.isnan(values).sum())
    shared = int(np.median(np.bincount(rated.pairs.pair, minlength=n_pairs)))
    if shared < FEW_SHARED:
        notes.append(
            f"Half of the pairs of judges share {shared} items or fewer; alpha or fleiss would use all at once."
        )
    if undefined:
        notes.append(f"The mean leaves out {undefined} of {n_pairs} pairs of judges, where the value is undefined.")
    return tuple(notes)


def _facts(
    rated: Ratings, reason: Callable[[Codes, Codes], str] | None
) -> tuple[tuple[dict[str, int], ...], tuple[str, ...]]:
    """For each pair: the items and documents it shares, and why its value may be undefined."""
    pairs = rated.pairs
    n_pairs = len(pairs.who)
    items = np.bincount(pairs.pair, minlength=n_pairs)
    seen, _ = distinct(pairs.pair.astype(np.int64) * max(1, len(rated.documents)) + rated.document[pairs.item])
    documents = np.bincount(seen // max(1, len(rated.documents)), minlength=n_pairs)
    counts = tuple({"items": int(n), "judges": 2, "documents": int(d)} for n, d in zip(items, documents, strict=True))
    reasons = []
    order = np.argsort(pairs.pair, kind="stable")
    bounds = np.searchsorted(pairs.pair[order], np.arange(n_pairs + 1))
    for p in range(n_pairs):
        mine = order[bounds[p] : bounds[p + 1]]
        reasons.append(reason(pairs.first[mine], pairs.second[mine]) if reason else "")
    return counts, tuple(reasons)
