"""Krippendorff's α: any number of judges, missing answers, any measurement level, also sets of labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Literal

import numpy as np
from scipy import sparse

from lanner.errors import StatisticError, did_you_mean
from lanner.stats.coefficients import check_order
from lanner.stats.estimate import GROUPS, Plan, Rows, statistic
from lanner.stats.ratings import Codes, Patterns, Ratings, jaccard_distance, masi_distance
from lanner.stats.resample import Array, Indices

Level = Literal["nominal", "ordinal", "interval", "ratio", "jaccard", "masi"]
LEVELS = ("nominal", "ordinal", "interval", "ratio", "jaccard", "masi")
_MOST = 4000  # distinct values with a distance of their own; a table of them is held
_CELLS = 4_000_000
_TABLES = 60_000_000  # labels × labels × documents: beyond, the tables of all documents take half a gigabyte


@statistic("label", "labels", "score")
def alpha(answers: Ratings, *, level: Level | None = None) -> Plan:
    """Krippendorff's α = 1 − Dₒ/Dₑ: observed over expected disagreement, 1 is perfect, 0 is what chance gives.

    Dₒ = (1/n) Σᵢ Σ_{j≠k} δ²(xᵢⱼ, xᵢₖ)/(mᵢ − 1) and Dₑ = Σ_c Σ_k n_c n_k δ²(c, k)/(n(n − 1)) over the n answers to
    items with mᵢ ≥ 2 answers. δ² by level: "nominal" 0 or 1; "ordinal" (Σ_{c≤g≤k} n_g − (n_c + n_k)/2)²; "interval"
    (c − k)²; "ratio" ((c − k)/(c + k))²; for label sets "jaccard" 1 − |A∩B|/|A∪B| or "masi" 1 − M·|A∩B|/|A∪B|. Two
    empty sets agree fully. The default level is nominal for labels, interval for scores, jaccard for sets. α is
    undefined when every answer is the same. Krippendorff 2011, Computing Krippendorff's Alpha-Reliability;
    Passonneau 2006, LREC (MASI).
    """
    level_name: str = level or ("jaccard" if answers.sets else "nominal")
    if level is None and not answers.sets and answers.scored:
        level_name = "interval"
    if level_name not in LEVELS:
        raise StatisticError(f"There is no level {level_name!r}.", next_step=did_you_mean(level_name, LEVELS))
    if len(answers.item) and (level_name in ("jaccard", "masi")) != bool(answers.sets) and level_name != "nominal":
        kind = "sets of labels" if answers.sets else "single answers"
        raise StatisticError(f"The level {level_name!r} does not fit: the answers are {kind}.")
    if level_name in ("ordinal", "interval", "ratio"):
        check_order(answers, level_name)
    builder = {"nominal": _nominal, "interval": _interval, "ordinal": _ordinal}.get(level_name)
    plan = builder(answers) if builder else _distances(answers, level_name)
    return replace(plan, settings={"level": level_name})


def _plan(answers: Ratings, finish: object, parts: Array | sparse.csr_array | None) -> Plan:
    patterns = answers.patterns
    return Plan("alpha", answers, Rows.of(patterns), finish, parts, uses=patterns.size >= 2)  # type: ignore[arg-type]


def _share(observed_disagreement: Array, expected_disagreement: Array, tiny: float) -> Array:
    """1 − Dₒ/Dₑ as a column, undefined where nothing can disagree."""
    out = np.full(observed_disagreement.shape, np.nan)
    share = np.divide(observed_disagreement, expected_disagreement, out=out, where=expected_disagreement > tiny)
    return np.asarray(1 - share)[:, None]


def _pairable(patterns: Patterns) -> tuple[Array, Array]:
    """Answers per pattern, and 1/(m − 1), both 0 where an answer stands alone."""
    size = np.where(patterns.size >= 2, patterns.size, 0.0)
    return size, np.divide(1.0, size - 1, out=np.zeros_like(size), where=size > 0)


def _label_columns(answers: Ratings) -> Array | sparse.csr_array:
    patterns, q = answers.patterns, len(answers.labels)
    if len(patterns.codes) * q <= _CELLS:
        counts = patterns.label_counts(q)
        counts[patterns.size < 2] = 0
        return counts
    row, slot = np.nonzero((patterns.codes >= 0) & (patterns.size >= 2)[:, None])
    entries = (np.ones(len(row)), (row, patterns.codes[row, slot]))
    return sparse.coo_array(entries, shape=(len(patterns.codes), q)).tocsr()


def _with_disagreement(disagreement: Array, labels: Array | sparse.csr_array) -> Array | sparse.csr_array:
    if isinstance(labels, np.ndarray):
        return np.column_stack([disagreement, labels])
    return sparse.hstack([sparse.csr_array(disagreement[:, None]), labels]).tocsr()


def _nominal(answers: Ratings) -> Plan:
    size, by = _pairable(answers.patterns)
    codes = answers.patterns.codes
    same, before = np.zeros(len(codes)), np.zeros(len(codes))  # equal answers of a pattern stand side by side
    for a in range(1, codes.shape[1]):
        before = np.where((codes[:, a] == codes[:, a - 1]) & (codes[:, a] >= 0), before + 1, 0)
        same += 2 * before
    parts = _with_disagreement((size * (size - 1) - same) * by * (size > 0), _label_columns(answers))

    def finish(sums: Array) -> Array:
        n = sums[:, 1:].sum(axis=1)
        expected_disagreement = (n**2 - (sums[:, 1:] ** 2).sum(axis=1)) / np.maximum(n - 1, 1)
        return _share(sums[:, 0], expected_disagreement, 1e-9)

    return _plan(answers, finish, parts)


def _interval(answers: Ratings) -> Plan:
    """Σ_{j≠k}(xⱼ − xₖ)² = 2(m Σx² − (Σx)²): four sums, however fine the scale."""
    patterns = answers.patterns
    size, by = _pairable(patterns)
    centre = answers.points[len(answers.points) // 2] if len(answers.points) else 0.0
    points = np.append(answers.points - centre, 0.0)  # code −1 finds the zero
    x = points[patterns.codes] * (size > 0)[:, None]
    first, second = x.sum(axis=1), (x * x).sum(axis=1)
    parts = np.column_stack([2 * (size * second - first**2) * by, size, first, second])
    tiny = 1e-12 * (float(np.ptp(answers.points)) ** 2 if len(answers.points) else 0.0)

    def finish(sums: Array) -> Array:
        n = sums[:, 1]
        expected_disagreement = 2 * (n * sums[:, 3] - sums[:, 2] ** 2) / np.maximum(n - 1, 1)
        return _share(sums[:, 0], expected_disagreement, tiny)

    return _plan(answers, finish, parts)


def _ordinal(answers: Ratings) -> Plan:
    """The distance is between middle ranks, which move with the resample: interval α on ranks made anew each time."""
    patterns = answers.patterns
    size, by = _pairable(patterns)
    labels = _label_columns(answers)
    codes, q = patterns.codes, len(answers.labels)
    if q * q <= codes.size and min(len(answers.documents), 2 * GROUPS) * q * q <= _TABLES:
        pairs, parts = _coincidences(codes, by, q, labels)
        return _plan(answers, _of_coincidences(*pairs), parts)
    step = max(1, _CELLS // max(1, codes.size))

    def some(weights: Array) -> Array:
        counts = np.asarray(weights @ labels)
        n = counts.sum(axis=1)
        middle = np.cumsum(counts, axis=1) - counts / 2 - n[:, None] / 2
        x = np.concatenate([middle, np.zeros((len(weights), 1))], axis=1)[:, codes]
        spread = size * (x * x).sum(axis=2) - x.sum(axis=2) ** 2
        observed_disagreement = 2 * (weights * spread * by).sum(axis=1)
        moments = (counts * middle).sum(axis=1), (counts * middle**2).sum(axis=1)
        expected_disagreement = 2 * (n * moments[1] - moments[0] ** 2) / np.maximum(n - 1, 1)
        return _share(observed_disagreement, expected_disagreement, 1e-9)

    def finish(weights: Array) -> Array:
        if q == 0:
            return np.full((len(weights), 1), np.nan)
        return np.concatenate([some(weights[at : at + step]) for at in range(0, len(weights), step)])

    return _plan(answers, finish, None)


def _coincidences(
    codes: Codes, by: Array, q: int, labels: Array | sparse.csr_array
) -> tuple[tuple[Indices, Indices], sparse.csr_array]:
    """For each pattern how often two labels meet, weighted by 2/(m − 1), one column for each two that ever meet; then
    label counts. The two labels of each column come first."""
    meetings = (
        _met_labels(labels, q) if codes.shape[1] > q and isinstance(labels, np.ndarray) else _met_answers(codes, q)
    )
    row, cell, times = (np.concatenate(parts) for parts in zip(*meetings, strict=True))
    cells, column = np.unique(cell, return_inverse=True)
    weight = 2 * by[row] * times
    pairs = sparse.coo_array((weight, (row, column)), shape=(len(codes), len(cells)))
    parts = sparse.hstack([pairs, sparse.csr_array(labels)]).tocsr()
    return (cells // max(1, q), cells % max(1, q)), parts


def _met_answers(codes: Codes, q: int) -> Iterator[tuple[Indices, Indices, Indices]]:
    """Patterns, the two labels as one number, how often they meet: answer by answer, for items judged by few."""
    yield (np.zeros(0, np.int64),) * 3
    for a in range(codes.shape[1]):
        for b in range(a + 1, codes.shape[1]):
            one, two = codes[:, a], codes[:, b]
            rows = np.flatnonzero((two >= 0) & (one != two))
            low, high = np.minimum(one[rows], two[rows]), np.maximum(one[rows], two[rows])
            yield rows, low.astype(np.int64) * q + high, np.ones(len(rows), np.int64)


def _met_labels(counts: Array, q: int) -> Iterator[tuple[Indices, Indices, Indices]]:
    """The same label by label, for items that more judges have answered than there are labels."""
    yield (np.zeros(0, np.int64),) * 3
    for low in range(q):
        for high in range(low + 1, q):
            times = counts[:, low] * counts[:, high]
            rows = np.flatnonzero(times)
            yield rows, np.full(len(rows), low * q + high), times[rows].astype(np.int64)


def _of_coincidences(first: Indices, second: Indices) -> Callable[[Array], Array]:
    """Ordinal α from sums of coincidences of these labels and label counts."""
    step = max(1, _CELLS // max(1, len(first)))

    def some(sums: Array) -> Array:
        meetings, counts = sums[:, : len(first)], sums[:, len(first) :]
        n = counts.sum(axis=1)
        middle = np.cumsum(counts, axis=1) - counts / 2 - n[:, None] / 2
        observed_disagreement = np.einsum("bc,bc->b", meetings, (middle[:, first] - middle[:, second]) ** 2)
        moments = (counts * middle).sum(axis=1), (counts * middle**2).sum(axis=1)
        expected_disagreement = 2 * (n * moments[1] - moments[0] ** 2) / np.maximum(n - 1, 1)
        return _share(observed_disagreement, expected_disagreement, 1e-9)

    def finish(sums: Array) -> Array:
        blocks = [some(sums[at : at + step]) for at in range(0, len(sums), step)]
        return np.concatenate([np.empty((0, 1)), *blocks])

    return finish


def _distances(answers: Ratings, level: str) -> Plan:
    """A table of distances between the distinct values; Dₑ is a quadratic form in their counts."""
    q = len(answers.labels)
    if q > _MOST:
        reason = f"{q} distinct values are too many for the level {level!r}; round them, or use interval."
        plan = _plan(answers, lambda sums: np.full((len(sums), 1), np.nan), np.ones((len(answers.patterns.codes), 1)))
        return replace(plan, reasons=(reason,))
    if level == "ratio":
        points = answers.points
        if len(points) and points.min() < 0:
            raise StatisticError("The level 'ratio' needs values of zero or more.")
        total = points[:, None] + points[None, :]
        apart = points[:, None] - points[None, :]
        table = np.divide(apart, total, out=np.zeros_like(total), where=total != 0) ** 2
    else:
        table = (jaccard_distance if level == "jaccard" else masi_distance)(answers.sets)
    _, by = _pairable(answers.patterns)
    parts = _with_disagreement(answers.patterns.pair_total(table) * by, _label_columns(answers))

    def finish(sums: Array) -> Array:
        counts = sums[:, 1:]
        n = counts.sum(axis=1)
        return _share(sums[:, 0], ((counts @ table) * counts).sum(axis=1) / np.maximum(n - 1, 1), 1e-9)

    return _plan(answers, finish, parts)
