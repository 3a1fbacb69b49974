"""Coefficients of agreement on labels: percent agreement, κ and its relatives, Gwet, Brennan–Prediger, α; Jaccard and
F1 of sets of labels; and the published scales on which they are read.

Those of two judges (Cohen, weighted κ, Scott's π) are computed for all pairs at once from sums over the items that both
answered, and averaged or given for each pair. Those for any number of judges look at how many gave which label; they
follow Gwet (2014, Handbook of Inter-Rater Reliability, 4th ed.) where judges are missing: agreement is averaged over
items with two or more answers, label shares over items with any. Agreement weights say how much credit two different
labels get, from 1 for the same to 0 for the farthest apart.

Krippendorff's α takes any number of judges, missing answers, any measurement level, also sets of labels. Jaccard, F1
and accuracy are means over pairs of judges; a single label counts as a set of one there, so that the same measures
compare a model with a reference. Two empty sets are the same set, so they agree fully.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse

from lanner import registry
from lanner.errors import StatisticError, check_known
from lanner.model import Result
from lanner.model.alarms import VERDICT_DOCUMENTS
from lanner.model.messages import plural
from lanner.stats.estimate import GROUPS, RowCounts, SparseTable, Statistic, StatisticPlan, estimate, statistic
from lanner.stats.frame import distinct
from lanner.stats.ratings import EVERY_KIND, Codes, Patterns, Ratings, label_counts, pair_total
from lanner.stats.resample import FEW, Array, Indices, Resampling, Scale

Weights = str | Sequence[Sequence[float]] | None
NAMES = ("identity", "linear", "quadratic")


def agreement_weights(answers: Ratings, weights: Weights) -> Array:
    """labels × labels. Linear: 1 − |a − b|/range; quadratic: 1 − (a − b)²/range², on the points of the scale.

    The points are the scores themselves, the options' values, or the positions in the order of the labels; a scale
    whose order is not stated has no distances, and asking for them is an error rather than an alphabetical accident.
    """
    size = len(answers.labels)
    if weights is None or weights == "identity":
        return np.eye(size)
    if not isinstance(weights, str):
        return _check_weights(weights, size)
    check_known(weights, NAMES, f"There are no weights called {weights!r}.", StatisticError)
    check_order(answers, weights)
    span = float(np.ptp(answers.points)) if size else 0.0
    if span == 0:
        return np.eye(size)
    distance = np.abs(answers.points[:, None] - answers.points[None, :]) / span
    return np.asarray(1 - distance if weights == "linear" else 1 - distance**2)


def check_order(answers: Ratings, what: str) -> None:
    """An error unless the scale's order is stated."""
    if len(answers.item) and not answers.ordered:
        raise StatisticError(
            f"{what.capitalize()} distances need the order of the labels.",
            next_step=f"Give it in the protocol, or in Python with labels=[…], lowest first; in the data are: "
            f"{', '.join(answers.labels)}.",
        )


def _check_weights(weights: Sequence[Sequence[float]], size: int) -> Array:
    table = np.asarray(weights, dtype=float)
    if table.shape != (size, size):
        raise StatisticError(
            f"The weights are a table of {' × '.join(map(str, table.shape))}, but there are {size} labels.",
            next_step="Give one row and one column per label, and the labels in the same order with labels=[…].",
        )
    if not np.isfinite(table).all() or not np.allclose(table, table.T) or not np.allclose(np.diag(table), 1):
        raise StatisticError("Agreement weights are finite and symmetric, with 1 on the diagonal.")
    return table


def describe(weights: Weights) -> str:
    """The weights in a signature."""
    return "" if weights is None or weights == "identity" else weights if isinstance(weights, str) else "given"


Entry = tuple[npt.NDArray[np.int64] | int, Array | float]
"""Where in the columns of its pair an entry is counted, and with which value: one for all, or one for each entry."""
FEW_SHARED = 10
"""Where half of the pairs share fewer items than this, a mean over pairs is a mean of noise, and a note says so."""
_MOST = 60_000  # sums per document for which intervals are still made


def pair_plan(
    name: str,
    answers: Ratings,
    width: int,
    entries: Sequence[Entry],
    finish: Callable[[Array], Array],
    *,
    each: bool = False,
    scale: Scale = "fisher",
    notes: tuple[str, ...] = (),
    settings: Mapping[str, str] | None = None,
    reason: Callable[[Codes, Codes], str] | None = None,
) -> StatisticPlan:
    """A plan over all pairs of judges that share an item. `finish` takes (resamples × pairs × width).

    With `each` there is one outcome per pair, otherwise their mean; pairs where the statistic is undefined are left out
    of the mean, and a note says so.
    """
    pairs = answers.pairs
    n_pairs = len(pairs.who)
    base = pairs.pair.astype(np.int64) * width
    items = np.flatnonzero(answers.per_item)
    row = np.searchsorted(items, pairs.item)
    all_entries = tuple((row, base + column, value) for column, value in entries)
    parts = SparseTable(all_entries, len(items), n_pairs * width)

    def of_pairs(sums: Array) -> Array:
        return finish(sums.reshape(len(sums), n_pairs, width))

    def of_mean(sums: Array) -> Array:
        by_pair = of_pairs(sums)
        is_defined = np.isfinite(by_pair)
        total = np.where(is_defined, by_pair, 0).sum(axis=1, keepdims=True)
        n = is_defined.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0))

    no_interval = ""
    if n_pairs * width > _MOST:
        no_interval = f"No interval: {n_pairs} pairs of judges are too many; choose judges, or take alpha or fleiss."
    rows = RowCounts.of_items(answers, items)
    uses = np.bincount(row, minlength=len(items)) > 0
    plan = StatisticPlan(
        name,
        answers,
        rows,
        of_pairs if each else of_mean,
        parts,
        uses=uses,
        scale=scale,
        notes=notes,
        settings=dict(settings or {}),
        no_interval=no_interval,
    )
    if each:
        outcomes = tuple({"judge": answers.judges[a], "other": answers.judges[b]} for a, b in pairs.who)
        counts, reasons = _facts(answers, reason)
        return replace(plan, outcomes=outcomes, counts=counts, reasons=reasons)
    if n_pairs > 1:
        notes += _notes_on_the_mean(answers, of_pairs(parts.total()[None, :]))
        return replace(plan, notes=notes, settings={**plan.settings, "mean_over": f"{n_pairs} pairs"})
    return replace(plan, reasons=_facts(answers, reason)[1])


def _notes_on_the_mean(answers: Ratings, values: Array) -> tuple[str, ...]:
    """What a reader of the mean over pairs should know: pairs that share little, pairs without a value."""
    n_pairs, notes = len(answers.pairs.who), []
    pairs_without = int(np.isnan(values).sum())
    overlap = int(np.median(np.bincount(answers.pairs.pair, minlength=n_pairs)))
    if overlap < FEW_SHARED:
        shared = plural(overlap, "item")
        notes.append(f"Half of the pairs of judges share {shared} or fewer; alpha or fleiss would use all at once.")
    if pairs_without:
        notes.append(f"The mean leaves out {pairs_without} of {n_pairs} pairs of judges, where the value is undefined.")
    return tuple(notes)


def _facts(
    answers: Ratings, reason: Callable[[Codes, Codes], str] | None
) -> tuple[tuple[dict[str, int], ...], tuple[str, ...]]:
    """For each pair: the items and documents it shares, and why its value may be undefined."""
    pairs = answers.pairs
    n_pairs = len(pairs.who)
    items = np.bincount(pairs.pair, minlength=n_pairs)
    pair_documents, _ = distinct(
        pairs.pair.astype(np.int64) * max(1, len(answers.documents)) + answers.document[pairs.item]
    )
    documents = np.bincount(pair_documents // max(1, len(answers.documents)), minlength=n_pairs)
    counts = tuple({"items": int(n), "judges": 2, "documents": int(d)} for n, d in zip(items, documents, strict=True))
    reasons = []
    order = np.argsort(pairs.pair, kind="stable")
    bounds = np.searchsorted(pairs.pair[order], np.arange(n_pairs + 1))
    for p in range(n_pairs):
        mine = order[bounds[p] : bounds[p + 1]]
        reasons.append(reason(pairs.first[mine], pairs.second[mine]) if reason else "")
    return counts, tuple(reasons)


Over = Literal["items", "pairs", "unanimous"]


def _agreement(answers: Ratings, weights: Array) -> tuple[Array, Array, Array]:
    """For each pattern: Σ of weights over its pairs of answers, how many ordered pairs, and how many answers."""
    size = answers.patterns.size
    return pair_total(answers.patterns.codes, weights), size * (size - 1), size


@statistic("label", "labels", "score")
def percent(answers: Ratings, *, over: Over = "items", weights: Weights = None) -> StatisticPlan:
    """Share of agreement, not corrected for chance.

    Over "items" (default): mean over items of the share of agreeing pairs of answers, Pₐ = (1/n) Σᵢ Σₖ rᵢₖ(rᵢₖ − 1) /
    (rᵢ(rᵢ − 1)). Over "pairs": all pairs of answers pooled, so that items with more judges weigh more. Over
    "unanimous": share of items on which all judges gave the same label. With two judges the three are the same.
    """
    total, pairs, _ = _agreement(answers, agreement_weights(answers, weights))
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
    rows = RowCounts.of(answers.patterns)
    return StatisticPlan("percent", answers, rows, finish, parts, uses=two, scale="share", settings=settings)


def ratio(top: Array, bottom: Array) -> Array:
    """top / bottom, NaN where there is nothing to divide by."""
    return np.asarray(np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0))


def corrected(observed_agreement: Array, expected_agreement: Array) -> Array:
    """(Pₐ − Pₑ) / (1 − Pₑ), undefined where chance alone explains everything."""
    left = 1 - expected_agreement
    empty = np.full(observed_agreement.shape, np.nan)
    return np.asarray(np.divide(observed_agreement - expected_agreement, left, out=empty, where=left > 1e-12))


def _chance_plan(
    name: str, answers: Ratings, weights: Weights, chance_agreement: Callable[[Array, Array], Array]
) -> StatisticPlan:
    """A coefficient whose chance agreement depends on label shares: `chance_agreement(shares, weights)`."""
    told_apart, shown = answers.by_shown
    table = agreement_weights(told_apart, weights)
    total, pairs, size = _agreement(told_apart, table)
    two = pairs > 0
    share = np.divide(total, pairs, out=np.zeros_like(total), where=two)
    labels = label_counts(told_apart.patterns.codes, len(told_apart.labels)) / np.maximum(size, 1)[:, None]
    parts = np.column_stack([share, two, size > 0, labels]).astype(float)

    def finish(sums: Array) -> Array:
        observed_agreement = ratio(sums[:, 0], sums[:, 1])
        expected_agreement = np.zeros(len(sums))
        for own in shown:
            counts = sums[:, 3 + own]
            n = counts.sum(axis=1)
            shares = ratio(counts, np.broadcast_to(n[:, None], counts.shape))
            by_chance = chance_agreement(shares, table[np.ix_(own, own)])
            expected_agreement += np.where((n > 0) | (len(shown) == 1), by_chance * ratio(n, sums[:, 2]), 0.0)
        return corrected(observed_agreement, expected_agreement)[:, None]

    settings = {"weights": describe(weights), **_chance(shown)}
    return StatisticPlan(name, answers, RowCounts.of(told_apart.patterns), finish, parts, uses=two, settings=settings)


def _chance(shown: Sequence[Indices]) -> dict[str, str]:
    """What a signature says of answers that are compared with chance among the same systems only."""
    return {"chance": "among the systems shown" if len(shown) > 1 else ""}


@statistic("label", "labels", "score")
def fleiss(answers: Ratings, *, weights: Weights = None) -> StatisticPlan:
    """Fleiss' κ for any number of judges, also different numbers per item.

    κ = (Pₐ − Pₑ)/(1 − Pₑ) with Pₑ = Σ wₖₗ πₖ πₗ and πₖ the mean over items of the share of answers k. Judges are
    taken to be interchangeable. Fleiss 1971, Psychological Bulletin 76; unequal numbers after Gwet 2014.
    """
    return _chance_plan("fleiss", answers, weights, lambda shares, table: ((shares @ table) * shares).sum(axis=1))


def _check_one_set(answers: Ratings) -> None:
    """An error where chance is among other systems from item to item, which this coefficient does not know."""
    if answers.shown is not None:
        raise StatisticError(
            "This coefficient takes all answers to be choices among the same systems, but items show different ones.",
            next_step="Take alpha, kappa or fleiss, or the answers about two of the systems.",
        )


@statistic("label", "labels", "score")
def brennan_prediger(answers: Ratings, *, weights: Weights = None) -> StatisticPlan:
    """Brennan and Prediger's coefficient: chance is a blind pick among the q labels, Pₑ = Σ wₖₗ / q².

    q counts every label of the scale, used or not; give the scale with `labels`. Brennan & Prediger 1981, Educational
    and Psychological Measurement 41.
    """
    q = _choices(answers)

    def expected(shares: Array, table: Array) -> Array:
        return np.full(len(shares), table.sum() / (len(table) * q) if q > 1 else np.nan)

    return _with_scale_note(_chance_plan("brennan_prediger", answers, weights, expected))


@statistic("label", "labels", "score")
def gwet(answers: Ratings, *, weights: Weights = None) -> StatisticPlan:
    """Gwet's AC1 (AC2 with weights): chance agreement is possible only on items that are hard to judge.

    Pₑ = Σ wₖₗ / (q(q − 1)) · Σ πₖ(1 − πₖ). It stays high where one label prevails and κ collapses. q counts every
    label of the scale; give it with `labels`. Gwet 2008, British Journal of Mathematical and Statistical Psychology 61.
    """
    q = _choices(answers)

    def expected(shares: Array, table: Array) -> Array:
        if q < 2:
            return np.full(len(shares), np.nan)
        return np.asarray(table.sum() / (len(table) * (q - 1)) * (shares * (1 - shares)).sum(axis=1))

    return _with_scale_note(_chance_plan("gwet", answers, weights, expected))


def _choices(answers: Ratings) -> int:
    """How many labels one could choose from: where each set of systems has its own, as many as the largest."""
    return max((len(own) for own in answers.by_shown[1]), default=0)


_WHOLE_SCALE = "say the whole scale by a protocol, or in Python with labels=[…]"


def _with_scale_note(plan: StatisticPlan) -> StatisticPlan:
    if plan.rated.explicit or not plan.rated.labels:
        return plan
    q = len(plan.rated.labels)
    if plan.settings.get("chance"):  # names of the systems shown are no scale
        return plan
    note = f"The scale is taken to be the {q} labels that were used; if it has more, {_WHOLE_SCALE}."
    reasons = (f"only one label is known; {_WHOLE_SCALE}.",) if q < 2 else ()
    return replace(plan, notes=(*plan.notes, note), reasons=reasons)


@statistic("label", "labels", "score")
def conger(answers: Ratings, *, weights: Weights = None) -> StatisticPlan:
    """Conger's κ: like Fleiss, but each judge keeps his own label shares, so that it is Cohen's κ for two judges.

    Pₑ = Σ wₖₗ (p̄ₖ p̄ₗ − sₖₗ/J), where p̄ is the mean and s the covariance over the J judges of their label shares.
    Conger 1980, Psychological Bulletin 88; missing answers after Gwet 2014.
    """
    _check_one_set(answers)
    table = agreement_weights(answers, weights)
    codes, judges, items = answers.slots
    is_answer = codes >= 0
    size = is_answer.sum(axis=1)
    total = pair_total(codes, table)
    two = size >= 2
    share = np.divide(total, size * (size - 1), out=np.zeros(len(codes)), where=two)
    n_judges, q = len(answers.judges), len(answers.labels)
    row, slot = np.nonzero(is_answer)
    column = 2 + judges[row, slot].astype(np.int64) * q + codes[row, slot]
    lines = np.arange(len(codes))
    entries = ((lines, 0, share), (lines, 1, two.astype(float)), (row, column, 1.0))
    parts = SparseTable(entries, len(codes), 2 + n_judges * q)

    def finish(sums: Array) -> Array:
        observed_agreement = ratio(sums[:, 0], sums[:, 1])
        counts = sums[:, 2:].reshape(len(sums), n_judges, q)
        whole = counts.sum(axis=2, keepdims=True)
        shares = np.divide(counts, whole, out=np.zeros_like(counts), where=whole > 0)
        present = (whole[:, :, 0] > 0).sum(axis=1).astype(float)
        # Σₖₗ wₖₗ of (Σg Σh≠g pgk phl) / (J(J−1)): the same as the mean product less the covariance
        total_shares = shares.sum(axis=1)
        chance = ((total_shares @ table) * total_shares).sum(axis=1) - ((shares @ table) * shares).sum(axis=(1, 2))
        return corrected(observed_agreement, ratio(chance, present * (present - 1)))[:, None]

    settings = {"weights": describe(weights)}
    return StatisticPlan(
        "conger", answers, RowCounts.of_items(answers, items), finish, parts, uses=two, settings=settings
    )


@statistic("label", "labels", "score")
def wmt(answers: Ratings, *, directions: tuple[str, str] | None = None, singles: bool = True) -> StatisticPlan:
    """The κ of the WMT evaluation campaigns: all pairs of answers pooled over items, one set of label shares.

    P(A) = agreeing pairs / pairs; P(E) = Σ pₖ² with pₖ the share of label k among all answers. With `directions` the
    two labels named (better, worse; A, B) are made symmetric before squaring, P(E) = Σ_other pₖ² + 2((p_a + p_b)/2)²,
    because which of two outputs is called A is arbitrary. `singles` keeps items with one answer in the shares.
    Bojar et al. 2016, Findings of WMT16; the symmetric form is that of Läubli et al. 2018, EMNLP.
    """
    _check_one_set(answers)
    size = answers.patterns.size
    counts = label_counts(answers.patterns.codes, len(answers.labels))
    if not singles:
        counts[size < 2] = 0
    agreeing = (counts * (counts - 1)).sum(axis=1) / 2
    parts = np.column_stack([agreeing, size * (size - 1) / 2, counts])
    if directions is not None and not set(directions) & set(answers.labels):
        labels = f"The answers are: {', '.join(answers.labels)}."
        raise StatisticError(f"Neither {' nor '.join(map(repr, directions))} was ever answered.", next_step=labels)
    # A direction that nobody chose adds nothing to the shares.
    sides = [answers.labels.index(name) for name in directions or () if name in answers.labels]

    def finish(sums: Array) -> Array:
        observed_agreement = ratio(sums[:, 0], sums[:, 1])
        shares = ratio(sums[:, 2:], np.broadcast_to(sums[:, 2:].sum(axis=1, keepdims=True), sums[:, 2:].shape))
        expected_agreement = (shares**2).sum(axis=1)
        if directions is not None:
            both = shares[:, sides]
            expected_agreement = expected_agreement - (both**2).sum(axis=1) + both.sum(axis=1) ** 2 / 2
        return corrected(observed_agreement, expected_agreement)[:, None]

    settings = {"directions": "/".join(directions or ()), "singles": "" if singles else "dropped"}
    return StatisticPlan(
        "wmt", answers, RowCounts.of(answers.patterns), finish, parts, uses=size >= 2, settings=settings
    )


@statistic("label", "labels", "score")
def kappa(answers: Ratings, *, weights: Weights = None, each: bool = False) -> StatisticPlan:
    """Cohen's κ between two judges; with more judges the mean over all pairs that share items (Light 1971).

    κ = (Pₒ − Pₑ)/(1 − Pₑ), Pₒ = Σ wₖₗ pₖₗ, Pₑ = Σ wₖₗ pₖ₊ p₊ₗ over the items that both judged. `weights` are "linear",
    "quadratic" or a table, on the points of a stated scale (`labels`), never on alphabetical order. κ is undefined
    when both judges use one and the same label throughout. Cohen 1960, Educational and Psychological Measurement 20;
    Cohen 1968, Psychological Bulletin 70; Light 1971, Psychological Bulletin 76.
    """
    if weights == "quadratic":
        check_order(answers, weights)
        return _quadratic(answers, each)

    def expected(first: Array, second: Array, table: Array) -> Array:
        return np.asarray(((first @ table) * second).sum(axis=2))

    return _two_judges("kappa", answers, weights, expected, each=each)


@statistic("label", "labels", "score")
def scott(answers: Ratings, *, weights: Weights = None, each: bool = False) -> StatisticPlan:
    """Scott's π between two judges: as Cohen's κ, but both judges share one set of label shares.

    Pₑ = Σ wₖₗ πₖ πₗ with πₖ = (pₖ₊ + p₊ₖ)/2. With more judges the mean over pairs. Scott 1955, Public Opinion
    Quarterly 19.
    """

    def expected(first: Array, second: Array, table: Array) -> Array:
        mean_counts = (first + second) / 2
        return np.asarray(((mean_counts @ table) * mean_counts).sum(axis=2))

    return _two_judges("scott", answers, weights, expected, each=each)


def _two_judges(
    name: str,
    answers: Ratings,
    weights: Weights,
    chance_agreement: Callable[[Array, Array, Array], Array],
    *,
    each: bool,
) -> StatisticPlan:
    told_apart, shown = answers.by_shown
    pairs, q = told_apart.pairs, len(told_apart.labels)
    table = agreement_weights(told_apart, weights)
    first, second = pairs.first.astype(np.int64), pairs.second.astype(np.int64)
    entries: list[Entry] = [(0, table[first, second] if q else 0.0), (1 + first, 1.0), (1 + q + second, 1.0)]

    def finish(sums: Array) -> Array:
        left, right = sums[:, :, 1 : 1 + q], sums[:, :, 1 + q :]
        n = left.sum(axis=2)
        by_chance = np.zeros(n.shape)
        for own in shown:
            size = left[:, :, own].sum(axis=2)
            by_chance += np.divide(
                chance_agreement(left[:, :, own], right[:, :, own], table[np.ix_(own, own)]),
                size,
                out=np.zeros_like(size),
                where=size > 0,
            )
        return corrected(ratio(sums[:, :, 0], n), ratio(by_chance, n))

    settings = {"weights": describe(weights), **_chance(shown)}
    return pair_plan(name, answers, 1 + 2 * q, entries, finish, each=each, settings=settings, reason=_reason(answers))


def _quadratic(answers: Ratings, each: bool) -> StatisticPlan:
    """Quadratic weights need only moments: κ = 1 − mean (x − y)² / (mean x² + mean y² − 2 x̄ ȳ), for any fine scale."""
    pairs = answers.pairs
    centre = answers.points[len(answers.points) // 2] if len(answers.points) else 0.0
    points = answers.points - centre  # a point of the scale, so that a constant stays exactly zero
    x, y = points[pairs.first], points[pairs.second]
    size = float(np.ptp(answers.points)) ** 2 if len(answers.points) else 0.0
    entries: list[Entry] = [(0, 1.0), (1, x), (2, y), (3, x * x), (4, y * y), (5, (x - y) ** 2)]

    def finish(sums: Array) -> Array:
        n, sx, sy, sxx, syy, apart = np.moveaxis(sums, 2, 0)
        expected_distance = ratio(sxx + syy, n) - 2 * ratio(sx, n) * ratio(sy, n)
        share = np.divide(
            ratio(apart, n), expected_distance, out=np.full(n.shape, np.nan), where=expected_distance > 1e-12 * size
        )
        return np.asarray(1 - share)

    return pair_plan(
        "kappa", answers, 6, entries, finish, each=each, settings={"weights": "quadratic"}, reason=_reason(answers)
    )


def _reason(answers: Ratings) -> Callable[[Codes, Codes], str]:
    def reason(first: Codes, second: Codes) -> str:
        if len(first) and first.min() == first.max() == second.min() == second.max():
            return f"both judges answered {answers.labels[first[0]]!r} throughout; κ needs variation."
        return ""

    return reason


def pairwise(
    data: Any, question: str = "", *, of: Statistic = kappa, resampling: Resampling | None = None, **options: Any
) -> list[Result]:
    """One Result for each pair of judges that share items, with the number of items they share.

    `of` is any statistic; κ, π and the label-set measures take all pairs in one go. A pair pools nothing, so judges of
    all kinds are compared.
    """
    if "judges" not in options:
        options.setdefault("kinds", EVERY_KIND)
    if of.by_pair:
        return of.each(data, question, resampling=resampling, each=True, **options)
    answers, options = of.read(data, question, options)
    results = []
    for a, b in combinations(answers.judges, 2):
        two = answers.only([a, b])
        if two.per_item.max(initial=0) < 2:
            continue
        plan = replace(of.plan(two, **options), outcomes=({"judge": a, "other": b},))
        results += estimate(plan, resampling or Resampling())
    return results


# Krippendorff's α


Level = Literal["nominal", "ordinal", "interval", "ratio", "jaccard", "masi"]
LEVELS = ("nominal", "ordinal", "interval", "ratio", "jaccard", "masi")
_MOST_VALUES = 4000  # distinct values with a distance of their own; a table of them is held
_CELLS = 4_000_000
_TABLES = 60_000_000  # labels × labels × documents: beyond, the tables of all documents take half a gigabyte


@statistic("label", "labels", "score")
def alpha(answers: Ratings, *, level: Level | None = None) -> StatisticPlan:
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
    check_known(level_name, LEVELS, f"There is no level {level_name!r}.", StatisticError)
    if len(answers.item) and (level_name in ("jaccard", "masi")) != bool(answers.sets) and level_name != "nominal":
        kind = "sets of labels" if answers.sets else "single answers"
        raise StatisticError(f"The level {level_name!r} does not fit: the answers are {kind}.")
    if level_name in ("ordinal", "interval", "ratio"):
        check_order(answers, level_name)
    builder = {"nominal": _nominal, "interval": _interval, "ordinal": _ordinal}.get(level_name)
    plan = builder(answers) if builder else _distances(answers, level_name)
    return replace(plan, settings={"level": level_name, **plan.settings})


def _plan(answers: Ratings, finish: object, parts: Array | sparse.csr_array | None) -> StatisticPlan:
    rows, uses = RowCounts.of(answers.patterns), answers.patterns.size >= 2
    return StatisticPlan("alpha", answers, rows, finish, parts, uses=uses)  # type: ignore[arg-type]


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
        counts = label_counts(patterns.codes, q)
        counts[patterns.size < 2] = 0
        return counts
    row, slot = np.nonzero((patterns.codes >= 0) & (patterns.size >= 2)[:, None])
    entries = (np.ones(len(row)), (row, patterns.codes[row, slot]))
    return sparse.coo_array(entries, shape=(len(patterns.codes), q)).tocsr()


def _with_disagreement(disagreement: Array, labels: Array | sparse.csr_array) -> Array | sparse.csr_array:
    if isinstance(labels, np.ndarray):
        return np.column_stack([disagreement, labels])
    return sparse.hstack([sparse.csr_array(disagreement[:, None]), labels]).tocsr()


def _nominal(answers: Ratings) -> StatisticPlan:
    told_apart, shown = answers.by_shown
    size, by = _pairable(told_apart.patterns)
    codes = told_apart.patterns.codes
    same, before = np.zeros(len(codes)), np.zeros(len(codes))  # equal answers of a pattern stand side by side
    for a in range(1, codes.shape[1]):
        before = np.where((codes[:, a] == codes[:, a - 1]) & (codes[:, a] >= 0), before + 1, 0)
        same += 2 * before
    parts = _with_disagreement((size * (size - 1) - same) * by * (size > 0), _label_columns(told_apart))

    def finish(sums: Array) -> Array:
        expected_disagreement = np.zeros(len(sums))
        for own in shown:
            counts = sums[:, 1 + own]
            n = counts.sum(axis=1)
            expected_disagreement += (n**2 - (counts**2).sum(axis=1)) / np.maximum(n - 1, 1)
        return _share(sums[:, 0], expected_disagreement, 1e-9)

    return replace(_plan(told_apart, finish, parts), rated=answers, settings=_chance(shown))


def _interval(answers: Ratings) -> StatisticPlan:
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


def _ordinal(answers: Ratings) -> StatisticPlan:
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


def _distances(answers: Ratings, level: str) -> StatisticPlan:
    """A table of distances between the distinct values; Dₑ is a quadratic form in their counts."""
    q = len(answers.labels)
    if q > _MOST_VALUES:
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
    parts = _with_disagreement(pair_total(answers.patterns.codes, table) * by, _label_columns(answers))

    def finish(sums: Array) -> Array:
        counts = sums[:, 1:]
        n = counts.sum(axis=1)
        return _share(sums[:, 0], ((counts @ table) * counts).sum(axis=1) / np.maximum(n - 1, 1), 1e-9)

    return _plan(answers, finish, parts)


# Sets of labels


Sets = Sequence[frozenset[str]]


def incidence(sets: Sets) -> tuple[Array, tuple[str, ...]]:
    """sets × labels, 1 where the label is in the set; and the labels."""
    labels = tuple(sorted({label for one in sets for label in one}))
    at = {label: column for column, label in enumerate(labels)}
    table = np.zeros((len(sets), len(labels)))
    for row, one in enumerate(sets):
        table[row, [at[label] for label in one]] = 1
    return table, labels


def overlaps(sets: Sets) -> tuple[Array, Array]:
    """|A∩B| for every two sets, and |A| for each."""
    table, _ = incidence(sets)
    return table @ table.T, table.sum(axis=1)


def jaccard_similarity(sets: Sets) -> Array:
    """|A∩B| / |A∪B|; 1 for two empty sets (Jaccard 1912)."""
    overlap, size = overlaps(sets)
    union = size[:, None] + size[None, :] - overlap
    return np.asarray(np.divide(overlap, union, out=np.ones_like(union), where=union > 0))


def jaccard_distance(sets: Sets) -> Array:
    """1 − |A∩B| / |A∪B|."""
    return 1 - jaccard_similarity(sets)


def masi_distance(sets: Sets) -> Array:
    """1 − M·Jaccard; M is 1 for equal sets, 2/3 where one holds the other, 1/3 where they overlap, else 0.

    Passonneau 2006, Measuring Agreement on Set-valued Items, LREC.
    """
    overlap, size = overlaps(sets)
    smaller = np.minimum(size[:, None], size[None, :])
    larger = np.maximum(size[:, None], size[None, :])
    monotone = np.select([overlap == larger, overlap == smaller, overlap > 0], [1.0, 2 / 3, 1 / 3], 0.0)
    return np.asarray(1 - monotone * jaccard_similarity(sets))


def _sets(answers: Ratings) -> tuple[frozenset[str], ...]:
    """What each code stands for; a single label counts as a set of one."""
    return answers.sets or tuple(frozenset({label}) for label in answers.labels)


def _common_labels(answers: Ratings) -> tuple[Array, Array]:
    """|A∩B| and |A| + |B| for every pair of answers, without a table over all pairs of sets."""
    table, _ = incidence(_sets(answers))
    size = table.sum(axis=1)
    first, second = answers.pairs.first, answers.pairs.second
    cells, index = distinct(first.astype(np.int64) * max(1, len(table)) + second)
    a, b = cells // max(1, len(table)), cells % max(1, len(table))
    common = np.einsum("ij,ij->i", table[a], table[b]) if len(cells) else np.zeros(0)
    return common[index], size[first] + size[second]


def share_plan(name: str, answers: Ratings, top: Array | float, bottom: Array | float, **options: Any) -> StatisticPlan:
    """A plan over pairs of judges: Σ `top` / Σ `bottom` over the pairs of answers. Options are those of `pair_plan`."""

    def finish(sums: Array) -> Array:
        return ratio(sums[:, :, 0], sums[:, :, 1])

    return pair_plan(name, answers, 2, [(0, top), (1, bottom)], finish, scale="share", **options)


def _no_label(_first: Codes, _second: Codes) -> str:
    return "neither judge gave any label."


@statistic("labels", "label", "score")
def jaccard(answers: Ratings, *, each: bool = False) -> StatisticPlan:
    """Mean over items of |A∩B| / |A∪B|, the sets that two judges gave; 1 where both are empty.

    Not corrected for chance: see α with level "jaccard" for that. A grid counts as the set of its rows above zero.
    Jaccard 1912, New Phytologist 11.
    """
    common, both = _common_labels(answers)
    union = both - common
    overlap = np.divide(common, union, out=np.ones_like(union), where=union > 0)
    return share_plan("jaccard", answers, overlap, 1.0, each=each)


@statistic("labels", "label", "score")
def micro_f1(answers: Ratings, *, each: bool = False) -> StatisticPlan:
    """2 Σ|A∩B| / Σ(|A| + |B|) over all items: labels that both gave, over labels that either gave.

    The same whichever judge is called the reference; for single labels it is the accuracy. Undefined where neither
    judge gave any label. Van Rijsbergen 1979, Information Retrieval.
    """
    common, both = _common_labels(answers)
    return share_plan("micro_f1", answers, 2 * common, both, each=each, reason=_no_label)


@statistic("labels", "label", "score")
def macro_f1(answers: Ratings, *, each: bool = False) -> StatisticPlan:
    """The mean of the labels' own F1: F1ₗ = 2 |both gave l| / (|first gave l| + |second gave l|).

    Over the labels that at least one of the two gave; rare labels weigh as much as common ones.
    """
    table, labels = incidence(_sets(answers))
    first, second = table[answers.pairs.first], table[answers.pairs.second]
    entries: list[Entry] = [(0, 1.0)]
    for at in range(len(labels)):
        entries += [(2 * at + 1, 2 * first[:, at] * second[:, at]), (2 * at + 2, first[:, at] + second[:, at])]

    def finish(sums: Array) -> Array:
        own = ratio(sums[:, :, 1::2], sums[:, :, 2::2])
        present = np.isfinite(own)
        return ratio(np.where(present, own, 0).sum(axis=2), present.sum(axis=2).astype(float))

    width = 1 + 2 * len(labels)
    return pair_plan("macro_f1", answers, width, entries, finish, each=each, scale="share", reason=_no_label)


@statistic("labels", "label", "score")
def accuracy(answers: Ratings, *, each: bool = False) -> StatisticPlan:
    """Share of items where two judges gave exactly the same answer: the same label, or the same whole set.

    Named for a judge compared with a reference; it is percent agreement between the two.
    """
    same = (answers.pairs.first == answers.pairs.second).astype(float)
    return share_plan("accuracy", answers, same, 1.0, each=each)


# Published scales for reading a coefficient


SCALES = registry.table("stats.scales")
"""Scales, severity weights and words about coefficients."""


def band(value: float, scale: str) -> str:
    """The reading of a value on a published scale."""
    known = SCALES["scale"]
    check_known(scale, known, f"There is no scale {scale!r}.", StatisticError)
    if known[scale].get("either_sign"):
        value = abs(value)
    text: str = known[scale]["below"]
    for entry in known[scale]["bands"]:
        if round(value, 2) >= entry["from"]:
            text = entry["reading"]
    return text


_BY_CHANCE = "no agreement beyond chance"


def band_of(result: Result, scale: str) -> str:
    """The reading of a coefficient on a published scale: one a little below nought, whose interval goes beyond, says
    nothing worse than nought."""
    value = result.value or 0.0
    return _BY_CHANCE if value < 0 and _reaches_nought(result, scale) else band(value, scale)


def bands_of_ends(result: Result, scale: str) -> tuple[str, str]:
    """The readings of both ends of a coefficient's interval, without what stands after a colon; both that of the number
    where there is none."""
    if result.interval is None:
        low = high = band_of(result, scale)
    else:
        low, high = (band(end, scale) for end in (result.interval.low, result.interval.high))
        low = _BY_CHANCE if _reaches_nought(result, scale) else low
    return low.partition(":")[0], high.partition(":")[0]


def _reaches_nought(result: Result, scale: str) -> bool:
    """Whether the interval goes from below nought beyond it, where below nought is less than chance would give."""
    interval = result.interval
    return interval is not None and interval.low < 0 <= interval.high and not SCALES["scale"][scale].get("either_sign")


def documents_too_few(result: Result) -> int | None:
    """The documents that a number rests on, where they are too few to call it high or low: fewer than a verdict takes
    (`VERDICT_DOCUMENTS`, as on the live page), or fewer than `FEW` that all say the same, which leaves no interval.
    None where they are enough, or not known."""
    documents = result.counts.get("documents")
    if documents is None or documents >= FEW:
        return None
    return documents if documents < VERDICT_DOCUMENTS or result.interval is None else None


def scale_of(statistic: str) -> str | None:
    """The published scale that is customary for a statistic, if there is one."""
    return next((name for name, scale in SCALES["scale"].items() if statistic in scale["for"]), None)
