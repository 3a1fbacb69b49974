"""Intraclass correlations: which share of the variance of scores lies between items, rather than judges or noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from lanner.errors import StatisticError, did_you_mean
from lanner.stats.coefficients import check_order, ratio
from lanner.stats.estimate import Entry, Plan, Rows, Scattered, statistic
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Array, Indices

Form = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]
FORMS = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")


@statistic("score", "label")
def icc(rated: Ratings, *, form: Form = "2,1", cells: Literal["auto", "complete", "all"] = "auto") -> Plan:
    """Intraclass correlation of scores, in the six forms of Shrout and Fleiss.

    xᵢⱼ = μ + itemᵢ + judgeⱼ + εᵢⱼ. (1,1) σ²ᵢ/(σ²ᵢ + σ²_w), judges not told apart; (2,1) σ²ᵢ/(σ²ᵢ + σ²ⱼ + σ²ₑ),
    agreement of single judges drawn at random; (3,1) σ²ᵢ/(σ²ᵢ + σ²ₑ), consistency of these judges, however strict each
    is; with k the same for the mean of k judges. `cells` "complete" uses items that every judge scored and the mean
    squares of the published forms; "all" estimates the variance components from whatever cells there are (Henderson
    1953, method I, unbiased; the same numbers where nothing is missing), k being the harmonic mean of answers per item;
    "auto" takes "all" if any cell is missing. A negative σ²ᵢ gives a negative coefficient: worse than noise.
    Shrout & Fleiss 1979, Psychological Bulletin 86; McGraw & Wong 1996, Psychological Methods 1; Henderson 1953,
    Biometrics 9.
    """
    if form not in FORMS:
        raise StatisticError(f"There is no ICC form {form!r}.", next_step=did_you_mean(form, FORMS))
    check_order(rated, "icc")
    k = max(1, len(rated.judges))
    full = rated.per_item == k
    everything = cells == "all" or (cells == "auto" and not full.all())
    if everything:
        return _from_components(rated, form)
    return _from_mean_squares(rated, form, np.flatnonzero(full))


def _centred(rated: Ratings) -> Array:
    middle = rated.points[len(rated.points) // 2] if len(rated.points) else 0.0
    return np.asarray(rated.points[rated.code] - middle)


def _per_item(rated: Ratings) -> tuple[Array, Array]:
    x = _centred(rated)
    first = np.bincount(rated.item, weights=x, minlength=rated.n_items)
    second = np.bincount(rated.item, weights=x * x, minlength=rated.n_items)
    return first.astype(float), second.astype(float)


def _scatter(rated: Ratings, items: Indices, own: Sequence[Array], by_judge: Sequence[Array]) -> Scattered:
    """A column for each value an item has, then one per judge for each value an answer has."""
    place = np.full(rated.n_items, -1)
    place[items] = np.arange(len(items))
    kept = place[rated.item] >= 0
    row, judge = place[rated.item[kept]], rated.judge[kept].astype(np.int64)
    lines = np.arange(len(items))
    entries: list[Entry] = [(lines, column, values) for column, values in enumerate(own)]
    for at, values in enumerate(by_judge):
        entries.append((row, len(own) + at * len(rated.judges) + judge, values[kept]))
    return Scattered(tuple(entries), len(items), len(own) + len(by_judge) * len(rated.judges))


def _from_mean_squares(rated: Ratings, form: Form, items: Indices) -> Plan:
    k = max(1, len(rated.judges))
    first, second = _per_item(rated)
    own = (np.ones(len(items)), first[items] ** 2, second[items])
    parts = _scatter(rated, items, own, (_centred(rated),))
    tiny = _tiny(rated)

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

    left_out = rated.n_items - len(items)
    notes = (f"{left_out} items that not every judge scored are left out.",) if left_out else ()
    reasons = ("it needs two judges and two items that both scored.",) if len(items) < 2 or k < 2 else ()
    return Plan(
        "icc",
        rated,
        Rows.of_items(rated, items),
        finish,
        parts,
        notes=notes,
        reasons=reasons or ("all scores are the same.",),
        settings={"form": form},
    )


def _tiny(rated: Ratings) -> float:
    return 1e-12 * (float(np.ptp(rated.points)) ** 2 if len(rated.points) else 0.0)


def _from_components(rated: Ratings, form: Form) -> Plan:
    """Henderson's method I: four quadratic forms and their expectations, which are linear in the components."""
    answered = np.flatnonzero(rated.per_item)
    m = rated.per_item[answered].astype(float)
    first, second = _per_item(rated)
    own = (np.ones(len(answered)), m, m**2, 1 / m, first[answered] ** 2 / m, second[answered])
    parts = _scatter(rated, answered, own, (np.ones(len(rated.item)), _centred(rated)))
    judges = len(rated.judges)
    tiny = _tiny(rated)

    def finish(sums: Array) -> Array:
        items, n, m_squared, inverse, t_items, t_all = sums[:, :6].T
        n_judge, x_judge = sums[:, 6 : 6 + judges], sums[:, 6 + judges :]
        t_judges = np.where(n_judge > 0, ratio(x_judge**2, n_judge), 0).sum(axis=1)
        present = (n_judge > 0).sum(axis=1).astype(float)
        t_mean = ratio(x_judge.sum(axis=1) ** 2, n)
        by_item, by_judge = ratio(m_squared, n), ratio((n_judge**2).sum(axis=1), n)
        one_way = form.startswith("1")
        # E of (T_items − T_mean, T_judges − T_mean, T_all − T_mean) in (item, judge, error); n μ² cancels
        table = np.stack(
            [
                np.stack([n - by_item, items - by_judge, items - 1], axis=1),
                np.stack([present - by_item, n - by_judge, present - 1], axis=1),
                np.stack([n - by_item, n - by_judge, n - 1], axis=1),
            ],
            axis=1,
        )
        forms = np.stack([t_items - t_mean, t_judges - t_mean, t_all - t_mean], axis=1)
        k = ratio(items, inverse)
        if one_way:
            table = table[:, [0, 2]][:, :, [0, 2]]
            forms = forms[:, [0, 2]]
        return _component_ratio(form, table, forms, k, tiny)[:, None]

    uses = m >= 2
    enough = rated.active_judges > 1 and uses.any() and len(answered) > 1
    reason = "all scores are the same." if enough else "it needs two judges and two items, some of them shared."
    return Plan(
        "icc",
        rated,
        Rows.of_items(rated, answered),
        finish,
        parts,
        uses=uses,
        reasons=(reason,),
        settings={"form": form, "from": "variance components"},
    )


def _component_ratio(form: Form, table: Array, forms: Array, k: Array, tiny: float) -> Array:
    scale = np.abs(table).max(axis=(1, 2), initial=1.0)
    solvable = np.flatnonzero(np.isfinite(table).all(axis=(1, 2)) & np.isfinite(forms).all(axis=1))
    regular = np.abs(np.linalg.det(table[solvable] / scale[solvable, None, None])) > 1e-12
    solvable = solvable[regular]
    found = np.full(forms.shape, np.nan)
    if len(solvable):
        found[solvable] = np.linalg.solve(table[solvable], forms[solvable, :, None])[:, :, 0]
    item, error = found[:, 0], found[:, -1]
    judge = found[:, 1] if form.startswith("2") else np.zeros(len(found))
    noise = np.maximum(judge + error, 0)
    bottom = item + (noise / k if form.endswith("k") else noise)
    return np.asarray(np.divide(item, bottom, out=np.full(item.shape, np.nan), where=bottom > tiny))
