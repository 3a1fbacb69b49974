"""Intraclass correlations: which share of the variance of scores lies between items, rather than judges or noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from lanner.errors import StatisticError, check_known
from lanner.model.messages import in_number
from lanner.stats.coefficients import check_order, ratio
from lanner.stats.estimate import Entry, RowCounts, SparseTable, StatisticPlan, statistic
from lanner.stats.mixed import fit, groups_apart
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Array, Indices

Form = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]
FORMS = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")


@statistic("score", "label")
def icc(answers: Ratings, *, form: Form = "2,1", cells: Literal["auto", "complete", "all"] = "auto") -> StatisticPlan:
    """Intraclass correlation of scores, in the six forms of Shrout and Fleiss.

    xᵢⱼ = μ + itemᵢ + judgeⱼ + εᵢⱼ. (1,1) σ²ᵢ/(σ²ᵢ + σ²_w), judges not told apart; (2,1) σ²ᵢ/(σ²ᵢ + σ²ⱼ + σ²ₑ),
    agreement of single judges drawn at random; (3,1) σ²ᵢ/(σ²ᵢ + σ²ₑ), consistency of these judges, however strict each
    is; with k the same for the mean of k judges. `cells` "complete" uses items that every judge scored and the mean
    squares of the published forms, where a negative σ²ᵢ gives a negative coefficient: worse than noise. "all" takes the
    variances from whatever cells there are, by restricted maximum likelihood (judges are random in form 2, fixed in
    form 3), k being the harmonic mean of answers per item; "auto" takes "all" if any cell is missing. How far the
    coefficient moves without each document is taken from Henderson's method III (1953), which is quick and, like the
    value, does not change if a judge gives ten points more to everything.
    Where judges fall into groups that share no items, such as one for each language, variances are those within groups:
    how far texts of two groups differ says nothing of their judges.
    Shrout & Fleiss 1979, Psychological Bulletin 86; McGraw & Wong 1996, Psychological Methods 1; Henderson 1953,
    Biometrics 9.
    """
    check_known(form, FORMS, f"There is no ICC form {form!r}.", StatisticError)
    check_order(answers, "icc")
    k = max(1, len(answers.judges))
    full = answers.per_item == k
    everything = cells == "all" or (cells == "auto" and not full.all())
    if everything:
        return _from_components(answers, form)
    return _from_mean_squares(answers, form, np.flatnonzero(full))


def _centre(answers: Ratings) -> Array:
    middle = answers.points[len(answers.points) // 2] if len(answers.points) else 0.0
    return np.asarray(answers.points[answers.code] - middle)


def _per_item(answers: Ratings) -> tuple[Array, Array]:
    x = _centre(answers)
    first = np.bincount(answers.item, weights=x, minlength=answers.n_items)
    second = np.bincount(answers.item, weights=x * x, minlength=answers.n_items)
    return first.astype(float), second.astype(float)


def _scatter(answers: Ratings, items: Indices, own: Sequence[Array], by_judge: Sequence[Array]) -> SparseTable:
    """A column for each value an item has, then one per judge for each value an answer has."""
    place = np.full(answers.n_items, -1)
    place[items] = np.arange(len(items))
    inside = place[answers.item] >= 0
    row, judge = place[answers.item[inside]], answers.judge[inside].astype(np.int64)
    lines = np.arange(len(items))
    entries: list[Entry] = [(lines, column, values) for column, values in enumerate(own)]
    for at, values in enumerate(by_judge):
        entries.append((row, len(own) + at * len(answers.judges) + judge, values[inside]))
    return SparseTable(tuple(entries), len(items), len(own) + len(by_judge) * len(answers.judges))


def _from_mean_squares(answers: Ratings, form: Form, items: Indices) -> StatisticPlan:
    k = max(1, len(answers.judges))
    first, second = _per_item(answers)
    own = (np.ones(len(items)), first[items] ** 2, second[items])
    parts = _scatter(answers, items, own, (_centre(answers),))
    tiny = _tiny(answers)

    def finish(sums: Array) -> Array:
        n, squares, total, judge = sums[:, 0], sums[:, 1], sums[:, 2], sums[:, 3:]
        correction = ratio(judge.sum(axis=1) ** 2, n * k)
        between = squares / k - correction
        judges = ratio((judge**2).sum(axis=1), n) - correction
        error = total - correction - between - judges
        rows = ratio(between, n - 1)
        columns = judges / (k - 1) if k > 1 else np.full(len(sums), np.nan)
        noise = ratio(error, (n - 1) * (k - 1))
        within = ratio(judges + error, n * (k - 1))
        ratios = {
            "1,1": (rows - within, rows + (k - 1) * within),
            "2,1": (rows - noise, rows + (k - 1) * noise + k * ratio(columns - noise, n)),
            "3,1": (rows - noise, rows + (k - 1) * noise),
            "1,k": (rows - within, rows),
            "2,k": (rows - noise, rows + ratio(columns - noise, n)),
            "3,k": (rows - noise, rows),
        }
        top, bottom = ratios[form]
        return np.asarray(np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > tiny))[:, None]

    left_out = answers.n_items - len(items)
    notes = (
        (
            in_number(
                left_out,
                "{n} item that not every judge scored is left out.",
                "{n} items that not every judge scored are left out.",
            ),
        )
        if left_out
        else ()
    )
    reasons = ("it needs two judges and two items that both scored.",) if len(items) < 2 or k < 2 else ()
    return StatisticPlan(
        "icc",
        answers,
        RowCounts.of_items(answers, items),
        finish,
        parts,
        notes=notes,
        reasons=reasons or ("all scores are the same.",),
        settings={"form": form},
    )


def _tiny(answers: Ratings) -> float:
    return 1e-12 * (float(np.ptp(answers.points)) ** 2 if len(answers.points) else 0.0)


def _from_components(answers: Ratings, form: Form) -> StatisticPlan:
    """Variances by REML; leaving out documents by Henderson's method III, moved to the REML value."""
    items = np.flatnonzero(answers.per_item)
    m = answers.per_item[items].astype(float)
    one_way = form.startswith("1")
    groups = groups_apart(answers.judge, answers.item, len(answers.judges))
    several = int(groups.max(initial=0)) + 1
    parts, finish = _one_way(answers, items, form) if one_way else _two_way(answers, items, form, several)
    uses = m >= 2
    enough = answers.active_judges > 1 and uses.any() and len(items) > 1
    reason = "all scores are the same." if enough else "it needs two judges and two items, some of them shared."
    if enough and not one_way and len(answers.item) - len(items) - answers.active_judges + several < 1:
        enough, reason = False, "judges share too few items to tell items, judges and noise apart."
    value = _by_reml(answers, form, groups) if enough else float("nan")
    by_moments = float(finish(parts.total()[None, :])[0, 0])
    shift = value - by_moments

    def moved(sums: Array) -> Array:
        """A coefficient cannot pass 1; the two estimates differ least there, so the shift fades out."""
        values = finish(sums)
        whole = np.all(np.abs(sums - parts.total()) <= 1e-9 * np.maximum(1.0, np.abs(parts.total())), axis=1)
        return np.where(whole[:, None], value, np.minimum(values + shift, 1.0))

    return StatisticPlan(
        "icc",
        answers,
        RowCounts.of_items(answers, items),
        moved,
        parts,
        uses=uses,
        notes=() if one_way or several < 2 else (_NOTE_ON_GROUPS.format(n=several),),
        reasons=(reason,),
        settings={"form": form, "from": "variance components by REML"},
    )


_NOTE_ON_GROUPS = "Judges fall into {n} groups that share no items; variances are those within the groups."


def _by_reml(answers: Ratings, form: Form, groups: Indices) -> float:
    """The coefficient from restricted maximum likelihood; NaN where the variances have no estimate."""
    y = _centre(answers)
    scale = float(np.ptp(y))
    if scale == 0:
        return float("nan")
    y = y / scale
    items, item = np.unique(answers.item, return_inverse=True)
    judges, judge = np.unique(answers.judge, return_inverse=True)
    if len(items) >= len(y) or len(judges) < 2:
        return float("nan")
    group = groups[answers.judge]
    of_groups = [(group == number).astype(float) for number in range(1, int(groups.max()) + 1)]
    design = np.column_stack([np.ones(len(y)), *(of_groups if form.startswith("2") else [])])
    factors = [item.astype(np.intp)]
    if form.startswith("2"):
        factors.append(judge.astype(np.intp))
    elif form.startswith("3"):
        design = np.column_stack([design, *((judge == k).astype(float) for k in range(1, len(judges)))])
    if len(y) <= design.shape[1] + len(factors) or float(np.var(y - design @ np.linalg.lstsq(design, y)[0])) < 1e-18:
        return float("nan")
    try:
        model = fit(y, design, factors)
    except np.linalg.LinAlgError:
        return float("nan")
    if not model.converged:
        return float("nan")
    residual, of_item, *rest = map(float, model.variances)
    noise = residual + sum(rest)
    if form.endswith("k"):
        noise /= len(items) / float((1 / np.bincount(item)).sum())
    return of_item / (of_item + noise) if of_item + noise > 1e-12 else float("nan")


Finish = Callable[[Array], Array]


def _one_way(answers: Ratings, items: Indices, form: Form) -> tuple[SparseTable, Finish]:
    """Items against what is within them (Henderson's method I, which is the analysis of variance here)."""
    m = answers.per_item[items].astype(float)
    first, second = _per_item(answers)
    total = first[items]
    own = (np.ones(len(items)), m, m**2, 1 / m, total, total**2 / m, second[items])
    parts = _scatter(answers, items, own, ())
    tiny = _tiny(answers)

    def finish(sums: Array) -> Array:
        items, n, squares, inverse, total, between, everything = sums.T
        within = ratio(everything - between, n - items)
        spread = between - ratio(total**2, n)
        of_item = ratio(spread - (items - 1) * within, n - ratio(squares, n))
        return _share_of_items(of_item, within, np.zeros(len(sums)), ratio(items, inverse), form, tiny)

    return parts, finish


def _two_way(answers: Ratings, items: Indices, form: Form, groups: int) -> tuple[SparseTable, Finish]:
    """Items and judges together (Henderson's method III): sums of squares with the other factor taken out.

    Items are eliminated from the equations of the judges, which leaves one equation for each judge; what each item adds
    to them is a sum. Of the judges of each of `groups`, one is known from the others.
    """
    m = answers.per_item[items].astype(float)
    first, second = _per_item(answers)
    x, k = _centre(answers), len(answers.judges)
    place = np.full(answers.n_items, -1)
    place[items] = np.arange(len(items))
    row, judge = place[answers.item], answers.judge.astype(np.int64)
    lines = np.arange(len(items))
    own = (np.ones(len(items)), m, 1 / m, first[items] ** 2 / m, second[items])
    entries: list[Entry] = [(lines, column, values) for column, values in enumerate(own)]
    start = len(own)
    mean = first[items] / m
    for column, values in enumerate((np.ones(len(x)), x, x - mean[row])):
        entries.append((row, start + column * k + judge, values))
    start += 3 * k
    entries.append((row, start + judge * k + judge, 1 - 1 / m[row]))
    pairs = answers.pairs
    who = np.array(pairs.who, np.int64).reshape(-1, 2)[pairs.pair]
    where = place[pairs.item]
    for one, two in ((0, 1), (1, 0)):
        entries.append((where, start + who[:, one] * k + who[:, two], -1 / m[where]))
    parts = SparseTable(tuple(entries), len(items), start + k * k)
    tiny = _tiny(answers)

    def finish(sums: Array) -> Array:
        items, n, inverse, by_item, everything = sums[:, :5].T
        count, total, right = (sums[:, 5 + at * k : 5 + (at + 1) * k] for at in range(3))
        matrix = sums[:, 5 + 3 * k :].reshape(len(sums), k, k)
        present = count > 0
        judges = present.sum(axis=1)
        judge_squares = np.einsum("bj,bjk,bk->b", right, np.linalg.pinv(matrix, rcond=1e-10, hermitian=True), right)
        residual = everything - by_item - judge_squares
        error = ratio(residual, n - items - judges + groups)
        of_judges = everything - np.where(present, ratio(total**2, count), 0).sum(axis=1)
        of_item = ratio(of_judges - residual - (items - groups) * error, n - judges)
        of_judge = (
            ratio(judge_squares - (judges - groups) * error, n - items) if form.startswith("2") else np.zeros(len(sums))
        )
        return _share_of_items(of_item, error, of_judge, ratio(items, inverse), form, tiny)

    return parts, finish


def _share_of_items(  # noqa: PLR0917
    of_item: Array, error: Array, of_judge: Array, k: Array, form: Form, tiny: float
) -> Array:
    noise = np.maximum(np.maximum(of_judge, 0) + error, 0)
    below = of_item + (noise / k if form.endswith("k") else noise)
    share = np.divide(of_item, below, out=np.full(of_item.shape, np.nan), where=below > tiny)
    return np.asarray(share)[:, None]
