"""Judges as facets: scores with judges' severity taken out, how severe each judge is, and what a design is worth.

Each score is explained by its system plus how hard the document is, how severe the judge is, how this system does in
this document, what this judge thinks of this system, and chance: a crossed mixed model. System scores are those of an
average judge and document, whoever judged what, and their intervals hold for other judges and documents. Scales of few
steps are modelled as steps, others as numbers (`mixed`).

The variances answer the questions of generalisability theory (Brennan 2001): how far a ranking would come out the same
with other judges and documents, and whether two judges on 40 documents are worth more than four on 20.

Cumulative link mixed models: few ordered steps, crossed random effects, by the Laplace approximation.

An answer is in step k or below with probability F(θₖ − η), F being the logistic distribution, η = Xβ + Σ Zₖbₖ and bₖ ~
N(0, σₖ²). Steps need not be equally far apart, and the ends of the scale do not squeeze differences. The random effects
are integrated out by Laplace's method, as `clmm` of the R package `ordinal` does (Christensen 2019).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
import polars as pl
from scipy import linalg
from scipy.optimize import minimize
from scipy.special import expit, log_expit, ndtri, stdtrit

from lanner.errors import StatisticError, check_known
from lanner.model import Interval, Json, Result
from lanner.stats.mixed import EXACT, NOT_TOLD_APART, Fit, RandomTerms, Satterthwaite, judges_apart, tells_apart
from lanner.stats.regression import Estimate
from lanner.stats.resample import (
    FEWEST_JUDGES,
    OTHER_JUDGES,
    Array,
    Indices,
    Resampling,
    holm,
    sign,
    too_few_for_others,
    undefined,
)
from lanner.stats.scores import items

# Cumulative link mixed models


_SMALLEST = 1e-3  # a standard deviation below this (logits) is none
_NEWTON = 60  # steps to the mode of the random effects
_FARTHEST = 50.0  # logits: where the search for thresholds and effects ends
_LARGEST = 20.0
"""Logits: odds of half a billion to one. An effect, an error or a standard deviation beyond it comes from answers that
are told apart without a single exception: the likelihood then has no maximum, and what is found means nothing."""
_DISTANCES = (-12.0, 4.0)  # logs of the distances between thresholds
MOST_LEVELS = 2500
"""Levels of all factors together: their curvature is held as one full table."""


@dataclass(frozen=True)
class OrdinalFit:
    """A fitted model: thresholds between steps, β, variances of the factors, the covariance of (thresholds, β), each
    factor's own effects with their errors, and the log-likelihood."""

    thresholds: Array
    beta: Array
    variances: Array
    covariance: Array
    effects: tuple[tuple[Array, Array], ...]
    log_likelihood: float
    converged: bool

    @property
    def is_finite(self) -> bool:
        """Whether there is a best fit: none where systems, documents or judges tell all the answers apart."""
        squared_errors = np.diag(self.covariance)[len(self.thresholds) :]
        sizes = np.concatenate([self.beta**2, self.variances, squared_errors])
        return bool((sizes <= _LARGEST**2).all() and (squared_errors > 0).all())

    def expected(self, points: Array, shift: float) -> float:
        """The mean answer of documents and judges at large, `points` being what the steps count and `shift` η."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(40)
        spread = np.sqrt(self.variances.sum()) * nodes
        below = expit(self.thresholds[:, None] - shift - spread) @ (weights / weights.sum())
        return float(points[-1] - np.diff(points) @ below)


@dataclass(frozen=True)
class _Point:
    """The model at some parameters: Laplace's log-likelihood and its gradient, the random effects' mode (in standard
    deviations) and the inverse of the curvature there."""

    value: float
    gradient: Array
    mode: Array
    inverse: Array


@dataclass(frozen=True)
class _Effects:
    """The random effects' design: each answer has one level of every factor, in `columns` (answers × factors) of so
    many `levels` in all, with the standard deviation of its factor in `scale`."""

    columns: Indices
    levels: int
    scale: Array

    def __matmul__(self, u: Array) -> Array:
        return np.asarray((self.scale * u[self.columns]).sum(axis=1))

    def transposed(self, v: Array) -> Array:
        weights = (self.scale * v[:, None]).ravel()
        return np.asarray(np.bincount(self.columns.ravel(), weights=weights, minlength=self.levels), float)

    def curvature(self, weight: Array) -> Array:
        """Of the joint likelihood in the effects, where the answers weigh so much: Z'WZ + I."""
        places = self.columns[:, :, None] * self.levels + self.columns[:, None, :]
        products = self.scale[:, :, None] * (self.scale * weight[:, None])[:, None, :]
        sums = np.bincount(places.ravel(), weights=products.ravel(), minlength=self.levels**2)
        full = np.asarray(sums, float).reshape(self.levels, self.levels)
        full[np.diag_indices_from(full)] += 1.0
        return full

    def leverage(self, inverse: Array) -> Array:
        """Each answer's share of the curvature, the diagonal of Z inverse Z'."""
        met = inverse[self.columns[:, :, None], self.columns[:, None, :]]
        return np.asarray(((met * self.scale[:, :, None]).sum(axis=1) * self.scale).sum(axis=1))


@dataclass
class _Model:
    """Answers as steps, the design of fixed effects, and which levels of which factors each answer belongs to."""

    step: Indices
    steps: int
    x: Array
    columns: Indices
    factor: Indices
    mode: Array
    """Where the last search for the random effects ended: the next one starts there."""

    def split(self, parameters: Array) -> tuple[Array, Array, Array]:
        """Thresholds (kept in order by the logs of their distances), β, standard deviations."""
        k = self.steps - 1
        thresholds = parameters[0] + np.concatenate([[0.0], np.cumsum(np.exp(parameters[1:k]))])
        beta = parameters[k : k + self.x.shape[1]]
        return thresholds, beta, np.exp(parameters[k + self.x.shape[1] :])

    def slopes(self, thresholds: Array, eta: Array) -> tuple[Array, Array, Array]:
        """Each answer's log-likelihood, its slope in η and minus its curvature, which is never negative. With the
        logistic distribution all three have forms that hold however far out an answer lies."""
        upper, lower = self._ends(thresholds, eta)
        log_chance = log_expit(upper) + log_expit(-lower) + np.log(-np.expm1(lower - upper))
        at_upper, at_lower = expit(upper), expit(lower)
        return log_chance, at_upper + at_lower - 1, at_upper * (1 - at_upper) + at_lower * (1 - at_lower)

    def _ends(self, values: Array, shift: Array | float, outside: float = np.inf) -> tuple[Array, Array]:
        """What bounds each answer's step from above and from below, less a shift; `outside` bounds the scale."""
        bounds = np.concatenate([[-outside], values, [outside]])
        return bounds[self.step + 1] - shift, bounds[self.step] - shift

    def _mode(self, thresholds: Array, base: Array, random_design: _Effects) -> tuple[Array, float]:
        """The random effects that suit the answers best, by Newton's method, and the joint log-likelihood there."""
        u = self.mode.copy()
        each, slope, weight = self.slopes(thresholds, base + random_design @ u)
        value = float(each.sum()) - 0.5 * float(u @ u)
        for _ in range(_NEWTON):
            gradient = random_design.transposed(slope) - u
            step, share = linalg.solve(random_design.curvature(weight), gradient, assume_a="pos"), 1.0
            if float(gradient @ step) < 1e-14:
                break
            while True:
                trial = u + share * step
                each, slope, weight = self.slopes(thresholds, base + random_design @ trial)
                new = float(each.sum()) - 0.5 * float(trial @ trial)
                if new >= value - 1e-12 or share < 1e-6:
                    break
                share /= 2
            u, value = trial, new
        self.mode = u
        return u, value

    def at(self, parameters: Array) -> _Point:
        """log-likelihood and gradient: what a parameter does to the joint likelihood at the mode, and, through it and
        the mode, to the curvature that Laplace's method takes the determinant of."""
        thresholds, beta, deviations = self.split(parameters)
        random_design = _Effects(self.columns, len(self.factor), deviations[self.factor][self.columns])
        base = self.x @ beta
        u, value = self._mode(thresholds, base, random_design)
        eta = base + random_design @ u
        _, slope, weight = self.slopes(thresholds, eta)
        curvature = random_design.curvature(weight)
        inverse = np.asarray(np.linalg.inv(curvature), float)
        lever = random_design.leverage(inverse)
        bend = self._difference(thresholds, eta, 0.0 * thresholds, 1.0)[1]
        gradient = []

        def total(direct: float, own_weight: Array, push: Array, shift: Array) -> float:
            """`shift` is how η moves directly, `push` the slope in u that follows, `own_weight` the weights' change."""
            eta_change = shift + random_design @ (inverse @ push)
            return direct - 0.5 * float((own_weight + bend * eta_change) @ lever)

        for direction in self._threshold_directions(parameters):
            change, own_weight = self._difference(thresholds, eta, direction, 0.0)
            gradient.append(
                total(self._along(thresholds, eta, direction), own_weight, random_design.transposed(change), 0.0 * eta)
            )
        for column in self.x.T:
            gradient.append(total(float(slope @ column), 0.0 * eta, -random_design.transposed(weight * column), column))
        for k in range(len(deviations)):
            own = self.factor == k
            shift = random_design @ np.where(own, u, 0.0)
            push = np.where(own, random_design.transposed(slope), 0.0) - random_design.transposed(weight * shift)
            rise = float((1 - np.diag(inverse))[own].sum())
            gradient.append(total(float(slope @ shift), 0.0 * eta, push, shift) - rise)
        determinant = float(np.linalg.slogdet(curvature)[1])
        return _Point(value - 0.5 * determinant, np.array(gradient), u, inverse)

    def _threshold_directions(self, parameters: Array) -> list[Array]:
        """How the thresholds move with each of the parameters they are made of."""
        k = self.steps - 1
        moves = [np.ones(k)]
        moves += [np.exp(parameters[at]) * (np.arange(k) >= at) for at in range(1, k)]
        return moves

    def _along(self, thresholds: Array, eta: Array, direction: Array) -> float:
        """Slope of the log-likelihood as the thresholds move this way."""
        upper, lower = self._ends(thresholds, eta)
        move_upper, move_lower = self._ends(direction, 0.0, 0.0)
        own = np.exp(log_expit(-upper) - log_expit(-lower)) * move_upper
        own -= np.exp(log_expit(lower) - log_expit(upper)) * move_lower
        return float((own / -np.expm1(lower - upper)).sum())

    def _difference(self, thresholds: Array, eta: Array, direction: Array, shift: float) -> tuple[Array, Array]:
        """How fast each answer's slope and weight change as thresholds and η move."""
        slope, weight = np.zeros(len(eta)), np.zeros(len(eta))
        ends = zip(self._ends(thresholds, eta), self._ends(direction, shift, 0.0), strict=True)
        for end, move in ends:
            at = expit(end)
            rise = at * (1 - at) * move
            slope += rise
            weight += rise * (1 - 2 * at)
        return slope, weight

    def covariance(self, parameters: Array, free: Array) -> Array:
        """Of thresholds and β, from the likelihood's curvature in all `free` parameters, standard deviations too."""
        places = np.flatnonzero(free)
        hessian = np.empty((len(places), len(places)))
        for row, at in enumerate(places):
            change = np.eye(len(parameters))[at] * 1e-3
            sides = [self.at(parameters + way * change).gradient[places] for way in (1, -1)]
            hessian[row] = -(sides[0] - sides[1]) / 2e-3
        inverse = np.linalg.pinv((hessian + hessian.T) / 2, hermitian=True)
        k, n = self.steps - 1, self.steps - 1 + self.x.shape[1]
        turn = np.eye(n)
        turn[:k, :k] = np.stack(self._threshold_directions(parameters), axis=1)
        return np.asarray(turn @ inverse[:n, :n] @ turn.T)


def fit_ordinal(step: Indices, steps: int, x: Array, factors: Sequence[Indices]) -> OrdinalFit:
    """Fit by maximum (Laplace) likelihood. `step` is each answer's step from 0; thresholds are X's intercept."""
    sizes = [int(factor.max()) + 1 for factor in factors]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
    if offsets[-1] > MOST_LEVELS:
        raise StatisticError(
            f"A model of steps with {offsets[-1]:,} levels of documents and judges is too large.",
            next_step="Take the scale as numbers (--scale numbers), or fewer documents.",
        )
    columns = np.stack([factor + offset for factor, offset in zip(factors, offsets[:-1], strict=True)], axis=1)
    model = _Model(step, steps, x, columns, np.repeat(np.arange(len(sizes)), sizes), np.zeros(int(offsets[-1])))
    below = np.cumsum(np.bincount(step, minlength=steps))[:-1] / len(step)
    cuts = np.log(below / (1 - below)) * 1.2
    start = np.concatenate(
        [[cuts[0]], np.log(np.maximum(np.diff(cuts), 0.05)), np.zeros(x.shape[1]), np.full(len(sizes), np.log(0.5))]
    )
    bounds = [
        (-_FARTHEST, _FARTHEST),
        *[_DISTANCES] * (steps - 2),
        *[(-_FARTHEST, _FARTHEST)] * x.shape[1],
        *[(np.log(_SMALLEST), 5.0)] * len(sizes),
    ]

    def objective(parameters: Array) -> tuple[float, Array]:
        point = model.at(parameters)
        return -point.value, -point.gradient

    options = {"maxiter": 300, "ftol": 1e-12, "gtol": 1e-5}
    solution = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    parameters = np.asarray(solution.x, float)
    point = model.at(parameters)
    thresholds, beta, deviations = model.split(parameters)
    zero = deviations <= 2 * _SMALLEST
    spread = np.sqrt(np.maximum(np.diag(point.inverse), 0.0))
    deviations = np.where(zero, 0.0, deviations)
    effects = tuple(
        (deviation * point.mode[first:last], deviation * spread[first:last])
        for deviation, first, last in zip(deviations, offsets[:-1], offsets[1:], strict=True)
    )
    free = np.concatenate([np.ones(len(start) - len(sizes), bool), ~zero])
    covariance = model.covariance(parameters, free)
    return OrdinalFit(thresholds, beta, deviations**2, covariance, effects, point.value, bool(solution.success))


# Facets


Scale = Literal["auto", "steps", "numbers"]
RANDOM = ("document", "judge", "document:system", "judge:system", "document:judge", "item", "item:system")
FEW_STEPS = 7
"""Up to so many different answers a scale counts as steps."""
TOLD_APART = (
    "Systems, documents or judges tell the steps apart with hardly an exception, so a model of steps has no best fit: "
    "the steps are taken as numbers."
)
_FEWEST = {"document": 3, "judge": 2}
_DOCUMENTS, _JUDGES = (10, 20, 40, 80), (1, 2, 3, 4, 6)


@dataclass(frozen=True)
class _Estimates:
    """Scores of systems, their covariance on the scale of differences, and degrees of freedom of any contrast."""

    scores: Array
    errors: Array
    effects: Array
    covariance: Array
    degrees: Satterthwaite
    severity: tuple[Array, Array]
    judges_differ: bool


def facets(
    data: Any,
    of: str,
    *,
    scale: Scale = "auto",
    random: Sequence[str] = RANDOM,
    judges: Sequence[int] = _JUDGES,
    documents: Sequence[int] = _DOCUMENTS,
    level: float = 0.95,
    direction: str = "higher_is_better",
    of_judges: Sequence[str] | None = None,
    **selection: Any,
) -> Result:
    """Severity-adjusted scores of systems by one question, severity of judges, variances, and designs compared.

    `scale` "steps" fits a cumulative link model, "numbers" a linear one; "auto" takes steps where there are at most
    seven different answers. `direction` says which end is better, as for rankings: the best system comes first.
    `selection` and the names `of_judges` go to `scores.items`: which answers count. Factors of `random` that the data
    cannot tell from others are left out, and a note says so.

    Rows by `kind`: "system" (value, low, high: the mean score with average judges and documents; with steps also
    `log_odds`), "pair" (difference of two systems with interval, p and p_holm; log odds with steps), "judge" (how many
    points, or log odds, this judge gives above the average one, shrunk; `leaning` says whether that is severe),
    "variance" (of the linear model: value, share) and "decision" (judges × documents: the error of a difference between
    two systems, `margin` around it, and the generalisability Eρ² and dependability Φ of the ranking). The Result is the
    best system's score. Scores and differences have no interval and no p where there are only two judges.
    """
    check_known(scale, get_args(Scale), f"There is no scale {scale!r}.", StatisticError)
    name = f"severity-adjusted {of or 'score'}"
    item_scores = items(data, of, judges=of_judges, **selection)
    answers = item_scores.answers
    assert answers is not None
    notes = item_scores.notes
    for factor, fewest in _FEWEST.items():
        if answers[factor].n_unique() < fewest:
            return undefined(name, f"it takes {fewest} {factor}s or more.")
    systems = answers["system"].unique().sort().to_list()
    y = answers["score"].to_numpy().astype(float)
    points = np.unique(y)
    if len(points) < 2:
        return undefined(name, "every score is the same.")
    system = np.searchsorted(np.array(systems), answers["system"].to_numpy())
    design = np.eye(len(systems))[system]
    terms = RandomTerms.of(answers, random, design)
    levels = terms.levels
    if "judge" not in levels or "document" not in levels:
        return undefined(
            name,
            "judges, documents and systems cannot be told apart: each judge has a document, or each system has judges "
            "or documents, of its own alone.",
        )
    notes += terms.notes
    notes += judges_apart(answers)
    place = list(levels).index("judge")
    linear = terms.fit(y, design)
    if isinstance(linear, str):
        return undefined(name, linear)
    try:
        estimates = _from_numbers(linear, place)
    except np.linalg.LinAlgError:
        return undefined(name, EXACT)
    steps = scale == "steps" or (scale == "auto" and len(points) <= FEW_STEPS)
    if steps:
        model = fit_ordinal(np.searchsorted(points, y), len(points), design[:, 1:], terms.factors)
        steps = model.converged and model.is_finite
        if steps:
            estimates = _from_steps(model, points, estimates, place)
        else:
            notes += (TOLD_APART,)
    if not estimates.judges_differ:
        notes += (NOT_TOLD_APART.format(of="judge"),)
    better = -1.0 if direction == "lower_is_better" else 1.0
    rows: list[dict[str, Json]] = [
        *_system_rows(systems, estimates, level, points if steps else None, better),
        *_pair_rows(systems, estimates, level, better),
        *_judge_rows(levels["judge"], estimates, level, np.bincount(terms.factors[place]).tolist(), better),
        *_variance_rows(linear, list(levels)),
        *_decision_rows(linear, list(levels), answers, judges, documents),
    ]
    if len(levels["judge"]) < FEWEST_JUDGES:
        about_systems = {"low": None, "high": None}, {"low": None, "high": None, "p": None, "p_holm": None}
        nothing = dict(zip(("system", "pair"), about_systems, strict=True))
        rows = [{**row, **nothing.get(row["kind"], {})} for row in rows]
        notes += (too_few_for_others(len(levels["judge"]), len(levels["document"])),)
    best = rows[0]
    counts = {
        "items": len(answers),
        "systems": len(systems),
        "documents": len(levels["document"]),
        "judges": len(levels["judge"]),
    }
    fitted, factors = "cumulative link, Laplace" if steps else "linear, REML", " + ".join(levels)
    how = {"model": fitted, "random": factors, "df": "Satterthwaite", "holds_for": OTHER_JUDGES}
    signature = sign("facets", Resampling(), None, **how)
    interval = None if best["low"] is None else Interval(best["low"], best["high"], level, "Satterthwaite t", "two-way")
    return Result(name, best["value"], interval, counts=counts, rows=rows, notes=notes, signature=signature)


def _from_numbers(linear: Fit, judge: int) -> _Estimates:
    severity = linear.solution.effects(float(linear.variances[0]))[judge]
    errors = np.sqrt(np.diag(linear.covariance))
    degrees = Satterthwaite.of(linear)
    differ = tells_apart(linear, judge)
    return _Estimates(linear.beta, errors, linear.beta, linear.covariance, degrees, severity, differ)


def _from_steps(model: OrdinalFit, points: Array, linear: _Estimates, judge: int) -> _Estimates:
    """Steps: differences in log odds; scores are mean answers that these give, with errors by the delta method. Degrees
    of freedom are those of the linear model of the same answers."""
    k, n = len(model.thresholds), len(linear.scores)
    shifts = np.concatenate([[0.0], model.beta])
    turn = np.vstack([np.zeros(n - 1), np.eye(n - 1)])
    scores = np.array([model.expected(points, shift) for shift in shifts])
    errors = np.array([_score_error(model, points, at) for at in range(n)])
    covariance = turn @ model.covariance[k:, k:] @ turn.T
    severity, differ = model.effects[judge], linear.judges_differ
    return _Estimates(scores, errors, shifts, covariance, linear.degrees, severity, differ)


def _score_error(model: OrdinalFit, points: Array, system: int) -> float:
    k, step = len(model.thresholds), 1e-4
    slope = np.zeros(len(model.covariance))
    shift = float(model.beta[system - 1]) if system else 0.0
    for at in range(k):
        change = np.eye(k)[at] * step
        sides = [replace(model, thresholds=model.thresholds + way * change).expected(points, shift) for way in (1, -1)]
        slope[at] = (sides[0] - sides[1]) / (2 * step)
    if system:
        slope[k + system - 1] = (model.expected(points, shift + step) - model.expected(points, shift - step)) / (
            2 * step
        )
    return float(np.sqrt(slope @ model.covariance @ slope))


def _system_rows(
    systems: Sequence[str], estimates: _Estimates, level: float, points: Array | None, better: float
) -> list[dict[str, Json]]:
    """`points` are what steps count: no mean lies beyond the first or the last of them."""
    rows: list[dict[str, Json]] = []
    for at, name in enumerate(systems):
        value, error = float(estimates.scores[at]), float(estimates.errors[at])
        own = Estimate(value, error, estimates.degrees.of_contrast(np.eye(len(systems))[at]))
        low, high = own.interval(level)
        row: dict[str, Json] = {
            "kind": "system",
            "system": name,
            "value": value,
            "low": low,
            "high": high,
            "df": own.df,
        }
        if points is not None:
            row |= {"low": max(row["low"], float(points[0])), "high": min(row["high"], float(points[-1]))}
            row["log_odds"] = float(estimates.effects[at])
        rows.append(row)
    return sorted(rows, key=lambda row: (-better * row["value"], row["system"]))


def _pair_rows(systems: Sequence[str], estimates: _Estimates, level: float, better: float) -> list[dict[str, Json]]:
    rows: list[dict[str, Json]] = []
    order = sorted(range(len(systems)), key=lambda at: (-better * estimates.effects[at], systems[at]))
    for a, b in combinations(order, 2):
        contrast = np.eye(len(systems))[a] - np.eye(len(systems))[b]
        error = float(np.sqrt(contrast @ estimates.covariance @ contrast))
        own = Estimate(float(contrast @ estimates.effects), error, estimates.degrees.of_contrast(contrast))
        low, high = own.ends(level)
        row: dict[str, Json] = {"kind": "pair", "system": systems[a], "other": systems[b], "difference": own.value}
        rows.append({**row, "low": low, "high": high, "df": own.df, "p": own.known_p})
    for row, p in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["p_holm"] = p
    return rows


def _judge_rows(
    names: Sequence[str], estimates: _Estimates, level: float, counts: Sequence[int], better: float
) -> list[dict[str, Json]]:
    """How far each judge is from the average one; without an interval where the scores hardly tell judges apart."""
    reach = float(stdtrit(max(1, len(names) - 1), 0.5 + level / 2))
    rows: list[dict[str, Json]] = []
    for name, value, error, n in zip(names, *estimates.severity, counts, strict=True):
        low: float | None = float(value - reach * error)
        high: float | None = float(value + reach * error)
        if not estimates.judges_differ or error <= 1e-9 * (1 + abs(value)):
            low = high = None
        row: dict[str, Json] = {"kind": "judge", "judge": name, "value": float(value), "low": low, "high": high}
        rows.append({**row, "n": int(n), "leaning": _side(low, high, better)})
    return sorted(rows, key=lambda row: (better * row["value"], row["judge"]))


def _side(low: float | None, high: float | None, better: float) -> str | None:
    if low is None or high is None or low <= 0 <= high:
        return None
    return "severe" if better * low < 0 else "lenient"


def _variance_rows(linear: Fit, factors: Sequence[str]) -> list[dict[str, Json]]:
    total = float(linear.variances.sum())
    return [
        {"kind": "variance", "term": term, "value": float(value), "share": float(value) / total}
        for term, value in zip((*factors, "residual"), (*linear.variances[1:], linear.variances[0]), strict=True)
    ]


def _decision_rows(
    linear: Fit,
    factors: Sequence[str],
    answers: pl.DataFrame,
    judges: Sequence[int],
    documents: Sequence[int],
) -> list[dict[str, Json]]:
    """What every design of so many judges, who all judge so many documents, would be worth."""
    variances = dict(zip(("residual", *factors), map(float, linear.variances), strict=True))
    segments = answers.select("document", "segment").n_unique() / answers["document"].n_unique()
    systems = answers["system"].n_unique()
    between = _system_variance(linear)
    rows: list[dict[str, Json]] = []
    for n_judges in judges:
        for n_documents in documents:
            design = DecisionStudy(variances, n_judges, n_documents, segments)
            row: dict[str, Json] = {"kind": "decision", "judges": n_judges, "documents": n_documents}
            row["judgements"] = round(systems * n_judges * n_documents * segments)
            row |= {"error": design.difference_error, "margin": float(ndtri(0.975)) * design.difference_error}
            row |= {"generalisability": None, "dependability": None}
            if systems > 1 and between > 0:
                row["generalisability"] = between / (between + design.relative)
                row["dependability"] = between / (between + design.absolute)
            rows.append(row)
    return rows


def _system_variance(linear: Fit) -> float:
    """How far systems truly differ: the variance of their scores less what error adds to it."""
    n = len(linear.beta)
    if n < 2:
        return 0.0
    covariance = linear.covariance
    by_error = (np.trace(covariance) - covariance.sum() / n) / (n - 1)
    return max(0.0, float(np.var(linear.beta, ddof=1) - by_error))


@dataclass(frozen=True, slots=True)
class DecisionStudy:
    """Error variances of a system's mean over judges × documents × segments, all crossed (Brennan 2001, ch. 4)."""

    variances: Mapping[str, float]
    judges: int
    documents: int
    segments: float = 1.0

    def _part(self, term: str, size: float) -> float:
        return self.variances.get(term, 0.0) / size

    @property
    def relative(self) -> float:
        """What makes systems change places."""
        d, j, m = self.documents, self.judges, self.segments
        return (
            self._part("document:system", d)
            + self._part("judge:system", j)
            + self._part("item:system", d * m)
            + self._part("residual", d * m * j)
        )

    @property
    def absolute(self) -> float:
        """What moves a system's score, the others' alike or not."""
        d, j, m = self.documents, self.judges, self.segments
        return (
            self.relative
            + self._part("document", d)
            + self._part("judge", j)
            + self._part("document:judge", d * j)
            + self._part("item", d * m)
        )

    @property
    def difference_error(self) -> float:
        """Standard error of the difference between two systems."""
        return float(np.sqrt(2 * self.relative))
