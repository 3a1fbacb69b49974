"""System scores from few human and many model judgements, with intervals that stay valid however bad the model is.

Prediction-powered inference (Angelopoulos et al. 2023, Science 382; power tuning: Angelopoulos, Duchi & Zrnic 2023).
With Y people's scores on the items they judged, f the model's on the same items, and f′ the model's on the others, the
estimate is mean(Y) − λ·(mean(f) − mean(f′)): people's mean, corrected by what the model says of the items people did
not see. λ between 0 and 1 minimises the variance; a useless model gets λ near 0 and people's mean is left alone.
Standard errors are by document, judged and other documents apart, with Satterthwaite degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from lanner.model import Interval, Json, Result
from lanner.stats.frame import tidy
from lanner.stats.resample import Array, Indices, Outcome, Resampling, group_sums, sign, t_outcome
from lanner.stats.wide import check_columns, clustered, undefined, units

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class PoweredEstimate:
    """An estimate, its people-only counterpart, and what every document adds to their errors.

    `judged` marks documents that hold a human score; `pull` and `plain` (documents) are the influences, summing to 0.
    """

    value: float
    people_only: float
    weight: float
    pull: Array
    plain: Array
    judged: Flags
    n: int
    extra: int
    tuned: int


def powered_mean(
    y: Array, f: Array, document: Indices, documents: int, *, weight: float | None = None
) -> PoweredEstimate | None:
    """The prediction-powered mean of y (NaN where no person judged) with predictions f on every item.

    None where nobody judged, or no item is left that the model alone judged.
    """
    human = np.isfinite(y) & np.isfinite(f)
    alone = np.isfinite(f) & ~np.isfinite(y)
    n, extra = int(human.sum()), int(alone.sum())
    if n < 2 or extra < 1:
        return None
    y_mean, f_mean, other = float(y[human].mean()), float(f[human].mean()), float(f[alone].mean())
    errors = np.zeros((len(y), 2))
    errors[human, 0] = (y[human] - y_mean) / n
    errors[human, 1] = (f[human] - f_mean) / n
    errors[alone, 1] = -(f[alone] - other) / extra
    a, b = group_sums(errors, document, documents).T
    judged = np.bincount(document, weights=human, minlength=documents) > 0
    tuned_weights = int(weight is None)
    if weight is None:
        spread = float((b**2).sum())
        weight = float(np.clip((a * b).sum() / spread, 0.0, 1.0)) if spread > 0 else 0.0
    return PoweredEstimate(
        y_mean - weight * (f_mean - other), y_mean, weight, a - weight * b, a, judged, n, extra, tuned_weights
    )


def variance(pull: Array, is_judged: Flags, tuned_weights: int = 0) -> tuple[float, float]:
    """Variance of a sum of document influences and its degrees of freedom, judged documents and others apart.

    `tuned_weights` weights were tuned on the judged documents, which costs as many degrees of freedom.
    """
    parts = [(pull[is_judged], 1 + tuned_weights), (pull[~is_judged], 1)]
    if any(0 < len(own) <= parameters for own, parameters in parts):
        parts = [(pull, 1 + tuned_weights)]  # too few of one kind to tell its spread: all documents together
    total, squares = 0.0, 0.0
    for own, lost in parts:
        if len(own) > lost:
            part = len(own) / (len(own) - lost) * float(((own - own.mean()) ** 2).sum())
            total += part
            squares += part**2 / (len(own) - lost)
    return (total, total**2 / squares) if squares > 0 else (np.nan, np.nan)


def prediction_powered(
    data: Any,
    question: str = "",
    *,
    model: str = "",
    people: Sequence[str] = (),
    of: str = "system",
    weight: float | None = None,
    resampling: Resampling | None = None,
) -> Result:
    """Mean score of each system (or group `of`) from people's scores and a model's on more items.

    People's score of an item is the mean over the people who judged it. `weight` fixes λ (1 is plain prediction-powered
    inference, 0 people alone); otherwise it is tuned for each system. Rows: "system" with the estimate and interval,
    people's mean and its interval, λ, and `gain`: how many times as many human judgements people alone would need for
    the same width; "pair" with the difference of every two systems and its p. The Result is the best system's mean.
    """
    resampling = clustered(resampling)
    table, notes = tidy(data)
    check_columns(table, [of])
    table = table.filter((pl.col("role") == "main") & pl.col("score").is_finite())
    if question:
        table = table.filter(pl.col("question") == question)
    is_model = pl.col("judge_kind").is_in(["model", "metric"])
    machine = table.filter(pl.col("judge") == model) if model else table.filter(is_model)
    crowd = (
        table.filter(pl.col("judge").is_in(list(people)))
        if people
        else table.filter(~is_model & (pl.col("judge") != model))
    )
    name = "prediction-powered mean"
    if machine["judge"].n_unique() > 1:
        return undefined(
            name, f"several models have answered: {', '.join(sorted(machine['judge'].unique()))}; name one."
        )
    keys = list(dict.fromkeys(["document", "segment", "system", of]))
    sides = [part.group_by(keys, maintain_order=True).agg(pl.col("score").mean()) for part in (machine, crowd)]
    both = sides[0].join(sides[1], on=keys, how="left", suffix="_people", maintain_order="left", nulls_equal=True)
    unit, count = units(both, resampling.unit)
    estimates: dict[str, PoweredEstimate] = {}
    for label in sorted(both[of].unique().to_list()):
        rows = np.flatnonzero((both[of] == label).to_numpy())
        y, f = (
            both[column].cast(pl.Float64).fill_null(np.nan).to_numpy()[rows] for column in ("score_people", "score")
        )
        estimate = powered_mean(y, f, unit[rows], count, weight=weight)
        if estimate is None:
            notes += (f"{label or 'All'}: left out, because people or the model alone judged no item of it.",)
        else:
            estimates[label] = estimate
    if not estimates:
        return undefined(name, "no system has items judged by people and others judged by the model alone.")
    return _result(name, estimates, of, notes, resampling)


def _result(
    name: str, estimates: dict[str, PoweredEstimate], of: str, notes: tuple[str, ...], resampling: Resampling
) -> Result:
    order = sorted(estimates, key=lambda label: -estimates[label].value)
    rows: list[dict[str, Json]] = []
    outcomes: list[Outcome] = []
    for label in order:
        own = estimates[label]
        (spread, df), (plain, plain_df) = variance(own.pull, own.judged, own.tuned), variance(own.plain, own.judged)
        outcomes.append(t_outcome(own.value, spread, df, resampling))
        alone = t_outcome(own.people_only, plain, plain_df, resampling)
        row: dict[str, Json] = {"kind": "system", of: label, "value": own.value, **_ends(outcomes[-1])}
        row |= {"people": own.people_only, **_ends(alone, "people_"), "weight": own.weight}
        rows.append({**row, "gain": plain / spread if spread > 0 else None, "n": own.n, "n_model_only": own.extra})
    for first, second in combinations(order, 2):
        one, two = estimates[first], estimates[second]
        spread, df = variance(one.pull - two.pull, one.judged | two.judged, one.tuned)
        difference = one.value - two.value
        test = t_outcome(difference, spread, df, resampling, null=0.0)
        rows.append({"kind": "pair", of: first, "other": second, "value": difference, **_ends(test), "p": test.p})
    best, top = estimates[order[0]], outcomes[0]
    interval = (
        Interval(top.interval.low, top.interval.high, resampling.level, "PPI-t", resampling.unit)
        if top.interval
        else None
    )
    counts = {
        "items": best.n,
        "model_only": best.extra,
        "documents": len(best.judged),
        "judged_documents": int(best.judged.sum()),
    }
    signature = sign(name, resampling, interval, weight="tuned")
    return Result(name, best.value, interval, None, counts, rows=rows, notes=(*notes, *top.notes), signature=signature)


def _ends(estimate: Outcome, prefix: str = "") -> dict[str, Json]:
    interval = estimate.interval
    return {f"{prefix}low": interval.low if interval else None, f"{prefix}high": interval.high if interval else None}
