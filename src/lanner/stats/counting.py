"""Coefficients for any number of judges that look at how many gave which label, not at who: percent agreement, Fleiss,
Brennan–Prediger, Gwet, the pooled κ of WMT; and Conger's, which does ask who.

All follow Gwet (2014, Handbook of Inter-Rater Reliability, 4th ed.) where judges are missing: agreement is averaged
over items with two or more answers, label shares over items with any.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from lanner.errors import StatisticError
from lanner.stats.estimate import Plan, Rows, statistic
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Array
from lanner.stats.scatter import Scattered
from lanner.stats.weighting import Weights, agreement_weights, describe

Over = Literal["items", "pairs", "unanimous"]


def _agreement(rated: Ratings, weights: Array) -> tuple[Array, Array, Array]:
    """For each pattern: Σ of weights over its pairs of answers, how many ordered pairs, and how many answers."""
    size = rated.patterns.size
    return rated.patterns.pair_total(weights), size * (size - 1), size


@statistic("label", "labels", "score")
def percent(rated: Ratings, *, over: Over = "items", weights: Weights = None) -> Plan:
    """Share of agreement, not corrected for chance.

    Over "items" (default): mean over items of the share of agreeing pairs of answers, Pₐ = (1/n) Σᵢ Σₖ rᵢₖ(rᵢₖ − 1) /
    (rᵢ(rᵢ − 1)). Over "pairs": all pairs of answers pooled, so that items with more judges weigh more. Over
    "unanimous": share of items on which all judges gave the same label. With two judges the three are the same.
    """
    total, pairs, _ = _agreement(rated, agreement_weights(rated, weights))
    two = pairs > 0
    share = np.divide(total, pairs, out=np.zeros_like(total), where=two)
    columns = {
        "items": (share, two),
        "pairs": (total / 2, pairs / 2),
        "unanimous": (two & (share >= 1 - 1e-12), two),
    }
    if over not in columns:
        raise StatisticError(f"Percent agreement is over items, pairs or unanimous, not {over!r}.")
    parts = np.stack(columns[over], axis=1).astype(float)

    def finish(sums: Array) -> Array:
        return ratio(sums[:, [0]], sums[:, [1]])

    settings = {"over": "" if over == "items" else over, "weights": describe(weights)}
    rows = Rows.of(rated.patterns)
    return Plan("percent", rated, rows, finish, parts, uses=two, scale="logit", settings=settings)


def ratio(top: Array, bottom: Array) -> Array:
    """top / bottom, NaN where there is nothing to divide by."""
    return np.asarray(np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0))


def corrected(observed: Array, expected: Array) -> Array:
    """(Pₐ − Pₑ) / (1 − Pₑ), undefined where chance alone explains everything."""
    left = 1 - expected
    return np.asarray(np.divide(observed - expected, left, out=np.full(observed.shape, np.nan), where=left > 1e-12))


def _chance_plan(name: str, rated: Ratings, weights: Weights, expected: Callable[[Array, Array], Array]) -> Plan:
    """A coefficient whose chance agreement depends on label shares: `expected(shares, weights)`."""
    table = agreement_weights(rated, weights)
    total, pairs, size = _agreement(rated, table)
    two = pairs > 0
    share = np.divide(total, pairs, out=np.zeros_like(total), where=two)
    labels = rated.patterns.label_counts(len(rated.labels)) / np.maximum(size, 1)[:, None]
    parts = np.column_stack([share, two, size > 0, labels]).astype(float)

    def finish(sums: Array) -> Array:
        observed = ratio(sums[:, 0], sums[:, 1])
        shares = ratio(sums[:, 3:], np.broadcast_to(sums[:, [2]], sums[:, 3:].shape))
        return corrected(observed, expected(shares, table))[:, None]

    return Plan(name, rated, Rows.of(rated.patterns), finish, parts, uses=two, settings={"weights": describe(weights)})


@statistic("label", "labels", "score")
def fleiss(rated: Ratings, *, weights: Weights = None) -> Plan:
    """Fleiss' κ for any number of judges, also different numbers per item.

    κ = (Pₐ − Pₑ)/(1 − Pₑ) with Pₑ = Σ wₖₗ πₖ πₗ and πₖ the mean over items of the share of answers k. Judges are
    taken to be interchangeable. Fleiss 1971, Psychological Bulletin 76; unequal numbers after Gwet 2014.
    """
    return _chance_plan("fleiss", rated, weights, lambda shares, table: ((shares @ table) * shares).sum(axis=1))


@statistic("label", "labels", "score")
def brennan_prediger(rated: Ratings, *, weights: Weights = None) -> Plan:
    """Brennan and Prediger's coefficient: chance is a blind pick among the q labels, Pₑ = Σ wₖₗ / q².

    q counts every label of the scale, used or not; give the scale with `labels`. Brennan & Prediger 1981, Educational
    and Psychological Measurement 41.
    """
    q = len(rated.labels)
    plan = _chance_plan(
        "brennan_prediger",
        rated,
        weights,
        lambda shares, table: np.full(len(shares), table.sum() / q**2 if q > 1 else np.nan),
    )
    return _with_scale_note(plan)


@statistic("label", "labels", "score")
def gwet(rated: Ratings, *, weights: Weights = None) -> Plan:
    """Gwet's AC1 (AC2 with weights): chance agreement is possible only on items that are hard to judge.

    Pₑ = Σ wₖₗ / (q(q − 1)) · Σ πₖ(1 − πₖ). It stays high where one label prevails and κ collapses. q counts every
    label of the scale; give it with `labels`. Gwet 2008, British Journal of Mathematical and Statistical Psychology 61.
    """
    q = len(rated.labels)

    def expected(shares: Array, table: Array) -> Array:
        if q < 2:
            return np.full(len(shares), np.nan)
        return np.asarray(table.sum() / (q * (q - 1)) * (shares * (1 - shares)).sum(axis=1))

    return _with_scale_note(_chance_plan("gwet", rated, weights, expected))


def _with_scale_note(plan: Plan) -> Plan:
    if plan.rated.explicit or not plan.rated.labels:
        return plan
    q = len(plan.rated.labels)
    note = f"The scale is taken to be the {q} labels that were used; give labels=[…] if it has more."
    reasons = ("only one label is known; give the whole scale with labels=[…].",) if q < 2 else ()
    return replace(plan, notes=(*plan.notes, note), reasons=reasons)


@statistic("label", "labels", "score")
def conger(rated: Ratings, *, weights: Weights = None) -> Plan:
    """Conger's κ: like Fleiss, but each judge keeps his own label shares, so that it is Cohen's κ for two judges.

    Pₑ = Σ wₖₗ (p̄ₖ p̄ₗ − sₖₗ/J), where p̄ is the mean and s the covariance over the J judges of their label shares.
    Conger 1980, Psychological Bulletin 88; missing answers after Gwet 2014.
    """
    table = agreement_weights(rated, weights)
    codes, judges, items = rated.slots
    known = codes >= 0
    size = known.sum(axis=1)
    padded = np.pad(table, ((0, 1), (0, 1)))
    width = codes.shape[1]
    total = np.zeros(len(codes))
    for a in range(width):
        for b in range(a + 1, width):
            total += 2 * padded[codes[:, a], codes[:, b]]
    two = size >= 2
    share = np.divide(total, size * (size - 1), out=np.zeros(len(codes)), where=two)
    n_judges, q = len(rated.judges), len(rated.labels)
    row, slot = np.nonzero(known)
    column = 2 + judges[row, slot].astype(np.int64) * q + codes[row, slot]
    lines = np.arange(len(codes))
    entries = ((lines, 0, share), (lines, 1, two.astype(float)), (row, column, 1.0))
    parts = Scattered(entries, len(codes), 2 + n_judges * q)

    def finish(sums: Array) -> Array:
        observed = ratio(sums[:, 0], sums[:, 1])
        given = sums[:, 2:].reshape(len(sums), n_judges, q)
        whole = given.sum(axis=2, keepdims=True)
        shares = np.divide(given, whole, out=np.zeros_like(given), where=whole > 0)
        present = (whole[:, :, 0] > 0).sum(axis=1).astype(float)
        # Σₖₗ wₖₗ of (Σg Σh≠g pgk phl) / (J(J−1)): the same as the mean product less the covariance
        summed = shares.sum(axis=1)
        crossed = ((summed @ table) * summed).sum(axis=1) - ((shares @ table) * shares).sum(axis=(1, 2))
        return corrected(observed, ratio(crossed, present * (present - 1)))[:, None]

    settings = {"weights": describe(weights)}
    return Plan("conger", rated, Rows.of_items(rated, items), finish, parts, uses=two, settings=settings)


@statistic("label", "labels", "score")
def wmt(rated: Ratings, *, directions: tuple[str, str] | None = None, singles: bool = True) -> Plan:
    """The κ of the WMT evaluation campaigns: all pairs of answers pooled over items, one set of label shares.

    P(A) = agreeing pairs / pairs; P(E) = Σ pₖ² with pₖ the share of label k among all answers. With `directions` the
    two labels named (better, worse; A, B) are made symmetric before squaring, P(E) = Σ_other pₖ² + 2((p_a + p_b)/2)²,
    because which of two outputs is called A is arbitrary. `singles` keeps items with one answer in the shares.
    Bojar et al. 2016, Findings of WMT16; the symmetric form is that of Läubli et al. 2018, EMNLP.
    """
    size = rated.patterns.size
    counts = rated.patterns.label_counts(len(rated.labels))
    if not singles:
        counts[size < 2] = 0
    agreeing = (counts * (counts - 1)).sum(axis=1) / 2
    parts = np.column_stack([agreeing, size * (size - 1) / 2, counts])
    if directions is not None and not set(directions) & set(rated.labels):
        known = f"The answers are: {', '.join(rated.labels)}."
        raise StatisticError(f"Neither {' nor '.join(map(repr, directions))} was ever answered.", next_step=known)
    # A direction that nobody chose adds nothing to the shares.
    sides = [rated.labels.index(name) for name in directions or () if name in rated.labels]

    def finish(sums: Array) -> Array:
        observed = ratio(sums[:, 0], sums[:, 1])
        shares = ratio(sums[:, 2:], np.broadcast_to(sums[:, 2:].sum(axis=1, keepdims=True), sums[:, 2:].shape))
        expected = (shares**2).sum(axis=1)
        if directions is not None:
            both = shares[:, sides]
            expected = expected - (both**2).sum(axis=1) + both.sum(axis=1) ** 2 / 2
        return corrected(observed, expected)[:, None]

    settings = {"directions": "/".join(directions or ()), "singles": "" if singles else "dropped"}
    return Plan("wmt", rated, Rows.of(rated.patterns), finish, parts, uses=size >= 2, settings=settings)
