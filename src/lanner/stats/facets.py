"""Judges as facets: scores with judges' severity taken out, how severe each judge is, and what a design is worth.

Each score is explained by its system plus how hard the document is, how severe the judge is, how this system does in
this document, what this judge thinks of this system, and chance: a crossed mixed model. System scores are those of an
average judge and document, whoever judged what, and their intervals hold for other judges and documents. Scales of few
steps are modelled as steps (`ordinal`), others as numbers (`mixed`).

The variances answer the questions of generalisability theory (Brennan 2001): how far a ranking would come out the same
with other judges and documents, and whether two judges on 40 documents are worth more than four on 20.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
import polars as pl
from scipy.special import ndtri, stdtr, stdtrit

from lanner.errors import StatisticError, did_you_mean
from lanner.model import Interval, Json, Result, Signature
from lanner.stats.mixed import EXACT, NOT_TOLD_APART, Fit, RandomTerms, Satterthwaite, tells_apart
from lanner.stats.numbering import groups_apart, in_order, of_rows
from lanner.stats.ordinal import OrdinalFit, fit_ordinal
from lanner.stats.outcome import OTHER_JUDGES, holm
from lanner.stats.resample import Array
from lanner.stats.scores import items
from lanner.stats.wide import undefined

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
    converged: bool


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
    **selection: Any,
) -> Result:
    """Severity-adjusted scores of systems by one question, severity of judges, variances, and designs compared.

    `scale` "steps" fits a cumulative link model, "numbers" a linear one; "auto" takes steps where there are at most
    seven different answers. `direction` says which end is better, as for rankings: the best system comes first.
    `selection` goes to `scores.items`: which answers count. Factors of `random` that the data cannot tell from others
    are left out, and a note says so.

    Rows by `kind`: "system" (value, low, high: the mean score with average judges and documents; with steps also
    `log_odds`), "pair" (difference of two systems with interval, p and p_holm; log odds with steps), "judge" (how many
    points, or log odds, this judge gives above the average one, shrunk; `leaning` says whether that is severe),
    "variance" (of the linear model: value, share) and "decision" (judges × documents: the error of a difference between
    two systems, `margin` around it, and the generalisability Eρ² and dependability Φ of the ranking). The Result is the
    best system's score.
    """
    if scale not in get_args(Scale):
        raise StatisticError(f"There is no scale {scale!r}.", next_step=did_you_mean(scale, get_args(Scale)))
    name = f"severity-adjusted {of or 'score'}"
    item_scores = items(data, of, **selection)
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
    terms = RandomTerms.of(answers, random)
    levels = terms.levels
    if "judge" not in levels or "document" not in levels:
        return undefined(
            name, "judges and documents cannot be told apart: each judge has documents of their own alone."
        )
    notes += terms.notes
    if (groups := _groups_of_judges(answers)) > 1:
        notes += (
            f"Judges fall into {groups} groups that share no items: whether a judge of one is more severe than a judge "
            "of another cannot be told from how different their texts are. Analyse each group by itself.",
        )
    system = np.searchsorted(np.array(systems), answers["system"].to_numpy())
    design = np.eye(len(systems))[system]
    place = list(levels).index("judge")
    try:
        linear = terms.fit(y, design)
        estimates = _from_numbers(linear, place)
    except np.linalg.LinAlgError:
        return undefined(name, EXACT)
    steps = scale == "steps" or (scale == "auto" and len(points) <= FEW_STEPS)
    if steps:
        model = fit_ordinal(np.searchsorted(points, y), len(points), design[:, 1:], terms.factors)
        steps = model.is_finite
        if steps:
            estimates = _from_steps(model, points, estimates, place)
        else:
            notes += (TOLD_APART,)
    if not estimates.judges_differ:
        notes += (NOT_TOLD_APART.format(of="judge"),)
    if not estimates.converged:
        notes += ("The fit did not settle: variances may be poorly determined.",)
    better = -1.0 if direction == "lower_is_better" else 1.0
    rows: list[dict[str, Json]] = [
        *_system_rows(systems, estimates, level, points if steps else None, better),
        *_pair_rows(systems, estimates, level, better),
        *_judge_rows(levels["judge"], estimates, level, np.bincount(terms.factors[place]).tolist(), better),
        *_variance_rows(linear, list(levels)),
        *_decision_rows(linear, list(levels), answers, judges, documents),
    ]
    best = rows[0]
    counts = {
        "items": len(answers),
        "systems": len(systems),
        "documents": len(levels["document"]),
        "judges": len(levels["judge"]),
    }
    parts = (
        ("model", "cumulative link, Laplace" if steps else "linear, REML"),
        ("random", " + ".join(levels)),
        ("df", "Satterthwaite"),
        ("holds for", OTHER_JUDGES),
    )
    signature = Signature("facets", parts=parts)
    interval = Interval(best["low"], best["high"], level, "Satterthwaite t", "two-way")
    return Result(name, best["value"], interval, counts=counts, rows=rows, notes=notes, signature=signature)


def _groups_of_judges(answers: pl.DataFrame) -> int:
    judge, judges = in_order(of_rows(answers, ["judge"]))
    item, _ = in_order(of_rows(answers, ["document", "segment"]))
    return int(groups_apart(judge, item, len(judges)).max()) + 1


def _from_numbers(linear: Fit, judge: int) -> _Estimates:
    severity = linear.solution.effects(float(linear.variances[0]))[judge]
    errors = np.sqrt(np.diag(linear.covariance))
    degrees = Satterthwaite.of(linear)
    differ = tells_apart(linear, judge)
    return _Estimates(linear.beta, errors, linear.beta, linear.covariance, degrees, severity, differ, linear.converged)


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
    return _Estimates(scores, errors, shifts, covariance, linear.degrees, severity, differ, model.converged)


def _score_error(model: OrdinalFit, points: Array, system: int) -> float:
    k, step = len(model.thresholds), 1e-4
    slope = np.zeros(len(model.covariance))
    shift = float(model.beta[system - 1]) if system else 0.0
    for at in range(k):
        change = np.eye(k)[at] * step
        sides = [_at_thresholds(model, model.thresholds + way * change).expected(points, shift) for way in (1, -1)]
        slope[at] = (sides[0] - sides[1]) / (2 * step)
    if system:
        slope[k + system - 1] = (model.expected(points, shift + step) - model.expected(points, shift - step)) / (
            2 * step
        )
    return float(np.sqrt(slope @ model.covariance @ slope))


def _at_thresholds(model: OrdinalFit, thresholds: Array) -> OrdinalFit:
    return OrdinalFit(thresholds, model.beta, model.variances, model.covariance, (), 0.0, True)


def _system_rows(
    systems: Sequence[str], estimates: _Estimates, level: float, points: Array | None, better: float
) -> list[dict[str, Json]]:
    """`points` are what steps count: no mean lies beyond the first or the last of them."""
    rows: list[dict[str, Json]] = []
    for at, name in enumerate(systems):
        value, error = float(estimates.scores[at]), float(estimates.errors[at])
        df = estimates.degrees.of_contrast(np.eye(len(systems))[at])
        reach = float(stdtrit(df, 0.5 + level / 2)) * error
        row: dict[str, Json] = {"kind": "system", "system": name, "value": value, "low": value - reach}
        row |= {"high": value + reach, "df": df}
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
        difference = float(contrast @ estimates.effects)
        error = float(np.sqrt(contrast @ estimates.covariance @ contrast))
        df = estimates.degrees.of_contrast(contrast)
        reach = float(stdtrit(df, 0.5 + level / 2)) * error
        row: dict[str, Json] = {"kind": "pair", "system": systems[a], "other": systems[b], "difference": difference}
        row |= {"low": difference - reach, "high": difference + reach, "df": df}
        rows.append({**row, "p": float(2 * stdtr(df, -abs(difference) / error)) if error > 0 else None})
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
