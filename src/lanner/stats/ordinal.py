"""Cumulative link mixed models: few ordered steps, crossed random effects, by the Laplace approximation.

An answer is in step k or below with probability F(θₖ − η), F being the logistic distribution, η = Xβ + Σ Zₖbₖ and
bₖ ~ N(0, σₖ²). Steps need not be equally far apart, and the ends of the scale do not squeeze differences. The random
effects are integrated out by Laplace's method, as `clmm` of the R package `ordinal` does (Christensen 2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from lanner.errors import StatisticError
from lanner.stats.resample import Array, Indices

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


@dataclass
class _Model:
    """Answers as steps, the design of fixed effects, and which levels of which factors each answer belongs to."""

    step: Indices
    steps: int
    x: Array
    z: sparse.csr_array
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

    def _mode(self, thresholds: Array, base: Array, random_design: sparse.csr_array) -> tuple[Array, float]:
        """The random effects that suit the answers best, by Newton's method, and the joint log-likelihood there."""
        u = self.mode.copy()
        each, slope, weight = self.slopes(thresholds, base + random_design @ u)
        value = float(each.sum()) - 0.5 * float(u @ u)
        for _ in range(_NEWTON):
            gradient = random_design.T @ slope - u
            step, share = linalg.solve(_curvature(random_design, weight), gradient, assume_a="pos"), 1.0
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
        random_design = (self.z * deviations[self.factor]).tocsr()
        base = self.x @ beta
        u, value = self._mode(thresholds, base, random_design)
        eta = base + random_design @ u
        _, slope, weight = self.slopes(thresholds, eta)
        curvature = _curvature(random_design, weight)
        inverse = np.asarray(np.linalg.inv(curvature), float)
        lever = np.asarray(
            random_design.multiply(random_design @ inverse).sum(axis=1)
        ).ravel()  # each answer's share of the curvature
        bend = self._difference(thresholds, eta, 0.0 * thresholds, 1.0)[1]
        gradient = []

        def total(direct: float, own_weight: Array, push: Array, shift: Array) -> float:
            """`shift` is how η moves directly, `push` the slope in u that follows, `own_weight` the weights' change."""
            eta_change = shift + random_design @ (inverse @ push)
            return direct - 0.5 * float((own_weight + bend * eta_change) @ lever)

        for direction in self._threshold_directions(parameters):
            change, own_weight = self._difference(thresholds, eta, direction, 0.0)
            gradient.append(
                total(self._along(thresholds, eta, direction), own_weight, random_design.T @ change, 0.0 * eta)
            )
        for column in self.x.T:
            gradient.append(total(float(slope @ column), 0.0 * eta, -random_design.T @ (weight * column), column))
        for k in range(len(deviations)):
            own = self.factor == k
            shift = random_design @ np.where(own, u, 0.0)
            push = np.where(own, random_design.T @ slope, 0.0) - random_design.T @ (weight * shift)
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


def _curvature(random_design: sparse.csr_array, weight: Array) -> Array:
    full = (random_design.T @ (random_design * weight[:, None])).toarray()
    full[np.diag_indices_from(full)] += 1.0
    return np.asarray(full, float)


def fit_ordinal(step: Indices, steps: int, x: Array, factors: Sequence[Indices]) -> OrdinalFit:
    """Fit by maximum (Laplace) likelihood. `step` is each answer's step from 0; thresholds are X's intercept."""
    sizes = [int(factor.max()) + 1 for factor in factors]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
    if offsets[-1] > MOST_LEVELS:
        raise StatisticError(
            f"A model of steps with {offsets[-1]:,} levels of documents and judges is too large.",
            next_step="Take the scale as numbers (--scale numbers), or fewer documents.",
        )
    rows = np.tile(np.arange(len(step)), len(factors))
    columns = np.concatenate([factor + offset for factor, offset in zip(factors, offsets[:-1], strict=True)])
    z = sparse.csr_array((np.ones(len(rows)), (rows, columns)), (len(step), int(offsets[-1])))
    model = _Model(step, steps, x, z, np.repeat(np.arange(len(sizes)), sizes), np.zeros(int(offsets[-1])))
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
