"""Can a model stand in for a person? Agreement with people against agreement among people, the alternative annotator
test, and how well a model's numbers are calibrated to people's.

`replacement` says whether a model can replace a judge here and what it saves, by three tests in one answer:

- The alternative annotator test: is the model as close to people as people are to each other?
- Calibration: do its numbers mean what people's mean, or is it off by so much?
- Prediction-powered means: how many human judgements does it save where it judges what people do not, in an estimate
  that stays valid however bad it is (`prediction_powered`)?

Prediction-powered inference (Angelopoulos et al. 2023, Science 382; power tuning: Angelopoulos, Duchi & Zrnic 2023)
gives system scores from few human and many model judgements. With Y people's scores on the items they judged, f the
model's on the same items, and f′ the model's on the others, the estimate is mean(Y) − λ·(mean(f) − mean(f′)): people's
mean, corrected by what the model says of the items people did not see. λ between 0 and 1 minimises the variance; a
useless model gets λ near 0 and people's mean is left alone. Standard errors are by document, judged and other documents
apart, with Satterthwaite degrees of freedom.

Where answers are labels, a model's share of a label is put right by its known errors, after Rogan & Gladen (1978, Am.
J. Epidemiol. 107): with a share q of the rest labelled by the model, hits h of what people label so and false alarms f,
the true share is (q − f)/(h − f). Hits and alarms come from items that people and the model both judged.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import ndtri, stdtr

from lanner.errors import StatisticError, check_known
from lanner.model import Interval, Json, Result, Signature
from lanner.model.messages import plural
from lanner.stats.association import correlate, pearson_of_sums
from lanner.stats.coefficients import corrected, ratio
from lanner.stats.frame import ITEM, check_columns, latest, tidy, units
from lanner.stats.ratings import EVERY_KIND, Ratings, ratings
from lanner.stats.regression import Estimate, Ols
from lanner.stats.resample import (
    Array,
    Indices,
    Outcome,
    Replicates,
    Resampling,
    clustered,
    group_sums,
    number_or_none,
    outcome,
    replicate_sums,
    sign,
    signed_rank_tails,
    signed_ranks,
    t_outcome,
    undefined,
    wilson,
)

Flags = npt.NDArray[np.bool_]
Alikeness = Literal["auto", "same", "distance", "jaccard"]


@dataclass(frozen=True)
class JudgePanel:
    """Answers of people and models to one question. `codes` is items × judges, −1 where there is no answer."""

    rated: Ratings
    people: tuple[str, ...]
    models: tuple[str, ...]
    alike: Literal["same", "distance", "jaccard"]

    @cached_property
    def codes(self) -> npt.NDArray[np.int32]:
        return self.rated.matrix()

    def of(self, judge: str) -> npt.NDArray[np.int32]:
        """One judge's answers, as codes."""
        return self.codes[:, self.rated.judges.index(judge)]

    def numbers(self, judge: str) -> Array:
        """One judge's answers as numbers, NaN where there is none."""
        code = self.of(judge)
        return np.where(code >= 0, self.rated.points[np.maximum(code, 0)], np.nan)

    @property
    def document(self) -> Indices:
        return np.asarray(self.rated.document, dtype=np.intp)

    @cached_property
    def _members(self) -> npt.NDArray[np.bool_]:
        """For label sets: which labels each code stands for."""
        names = sorted(frozenset().union(*self.rated.sets)) if self.rated.sets else []
        return np.array([[name in own for name in names] for own in self.rated.sets], bool).reshape(
            len(self.rated.sets), len(names)
        )

    def closeness(self, a: npt.NDArray[np.int32], b: npt.NDArray[np.int32]) -> Array:
        """How alike two codes are: 1 or 0, minus the squared distance, or the Jaccard index of two sets.

        Two empty sets say the same, and their index is 1.
        """
        if self.alike == "same":
            return np.asarray(a == b, dtype=float)
        if self.alike == "distance":
            return np.asarray(-((self.rated.points[a] - self.rated.points[b]) ** 2))
        first, second = self._members[a], self._members[b]
        common, either = (first & second).sum(axis=-1), (first | second).sum(axis=-1)
        return np.asarray(np.where(either > 0, common / np.maximum(either, 1), 1.0), dtype=float)


def panel(
    data: Any,
    question: str = "",
    *,
    models: Sequence[str] = (),
    people: Sequence[str] = (),
    alike: Alikeness = "auto",
    **selection: Any,
) -> JudgePanel:
    """The panel for one question; `models` and `people` are found by the judges' kind unless they are named."""
    table, _ = tidy(data)
    kinds = dict(table.select("judge", "judge_kind").unique(maintain_order=True).iter_rows())
    for name in (*models, *people):
        check_known(name, kinds, f"There is no judge {name!r}.", StatisticError)
    judge_kinds = {} if "judges" in selection else {"kinds": EVERY_KIND}
    answers = ratings(data, question, **{"value": ("label", "score", "labels"), **judge_kinds, **selection})
    names = tuple(models) or tuple(j for j in answers.judges if kinds.get(j) in ("model", "metric"))
    crowd = tuple(people) or tuple(
        j for j in answers.judges if kinds.get(j) not in ("model", "metric") and j not in names
    )
    present = set(answers.judges)
    how = alike if alike != "auto" else "jaccard" if answers.sets else "distance" if answers.scored else "same"
    return JudgePanel(answers, tuple(j for j in crowd if j in present), tuple(j for j in names if j in present), how)


Measure = Literal["auto", "percent", "kappa", "pearson", "jaccard"]
_FEW = 30  # below this many items the alternative annotator test takes Wilcoxon's test


def against_people(
    data: Any,
    question: str = "",
    *,
    models: Sequence[str] = (),
    people: Sequence[str] = (),
    measure: Measure = "auto",
    resampling: Resampling | None = None,
) -> Result:
    """Does a model agree with people as much as people agree with each other?

    The coefficient is computed for every pair of judges over the items both answered and averaged over the pairs of one
    kind: percent agreement, Cohen's κ (the default for labels), Pearson's r (for numbers), or mean Jaccard (for label
    sets). Rows: one per model, with its mean agreement with people, the people's among themselves, the difference with
    an interval over documents and p, and its agreement with each person. The Result is the first model's difference.
    """
    resampling = clustered(resampling)
    board = panel(data, question, models=models, people=people)
    name = "agreement with people less agreement among people"
    if len(board.people) < 2 or not board.models:
        return undefined(name, "at least two people and one model must have answered.")
    how = _measure(measure, board)
    pairs = [*combinations(board.people, 2), *((m, p) for m in board.models for p in board.people)]
    sums, width = _pair_sums(board, pairs, how)
    among = len(pairs) - len(board.models) * len(board.people)

    def finish(total: Array) -> Array:
        each = _coefficients(total.reshape(len(total), len(pairs), width), how)
        people_only = each[:, :among].mean(axis=1)
        with_people = each[:, among:].reshape(len(total), len(board.models), -1).mean(axis=2)
        return np.column_stack([with_people - people_only[:, None], with_people, people_only, each])

    replicates = replicate_sums(sums, finish, resampling)
    k = len(board.models)
    rows: list[dict[str, Json]] = []
    results: list[Result] = []
    counts = {"items": board.rated.n_items, "documents": len(board.rated.documents), "people": len(board.people)}
    for m, model in enumerate(board.models):
        estimate, value = outcome(replicates, resampling, column=m, null=0.0), float(replicates.value[m])
        each = replicates.value[2 * k + 1 + among + m * len(board.people) :][: len(board.people)]
        with_each = {f"with {person}": number_or_none(v) for person, v in zip(board.people, each, strict=True)}
        row = {"model": model, "measure": how, "with_people": number_or_none(replicates.value[k + m])}
        row |= {"among_people": number_or_none(replicates.value[2 * k]), "difference": number_or_none(value)}
        rows.append({**row, **estimate.ends(), "p": estimate.p, **with_each})
        signature = sign(f"{how}, model and people", resampling, estimate.interval)
        if np.isnan(value):
            results.append(undefined(name, "some pair of judges shares no items, or one of them always says the same."))
            continue
        about = (*board.rated.notes, *estimate.notes)
        results.append(
            Result(
                name,
                value,
                estimate.interval,
                estimate.p,
                counts,
                board.rated.missing,
                notes=about,
                signature=signature,
            )
        )
    return replace(results[0], rows=rows)


def _measure(name: Measure, board: JudgePanel) -> str:
    if name != "auto":
        return name
    return "jaccard" if board.rated.sets else "pearson" if board.rated.scored else "kappa"


def _pair_sums(board: JudgePanel, pairs: Sequence[tuple[str, str]], how: str) -> tuple[Array, int]:
    """For each document the sums each pair's coefficient is made of, side by side."""
    labels, documents = len(board.rated.labels), len(board.rated.documents)
    parts: list[Array] = []
    for first, second in pairs:
        a, b = board.of(first), board.of(second)
        both = np.flatnonzero((a >= 0) & (b >= 0))
        a, b, document = a[both], b[both], board.document[both]
        if how == "kappa":
            table = np.bincount(document * labels**2 + a * labels + b, minlength=documents * labels**2)
            parts.append(table.reshape(documents, -1).astype(float))
            continue
        if how == "pearson":
            centre = float(board.rated.points.mean())
            x, y = board.rated.points[a] - centre, board.rated.points[b] - centre
            columns = np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y], axis=1)
        else:
            alike = (a == b).astype(float) if how == "percent" else board.closeness(a, b)
            columns = np.stack([np.ones(len(a)), alike], axis=1)
        parts.append(group_sums(columns, document, documents))
    return np.hstack(parts), parts[0].shape[1]


def _coefficients(sums: Array, how: str) -> Array:
    if how == "kappa":
        k = int(np.sqrt(sums.shape[2]))
        table = sums.reshape(*sums.shape[:2], k, k)
        n = table.sum(axis=(2, 3))
        same = np.einsum("bpii->bp", table)
        by_chance = np.einsum("bpi,bpi->bp", table.sum(axis=3), table.sum(axis=2))
        return corrected(ratio(same, n), ratio(by_chance, n**2))
    if how == "pearson":
        return pearson_of_sums(*np.moveaxis(sums, 2, 0))
    return ratio(sums[:, :, 1], sums[:, :, 0])


def alternative_annotator(
    data: Any,
    question: str = "",
    *,
    model: str = "",
    people: Sequence[str] = (),
    epsilon: float = 0.2,
    alike: Alikeness = "auto",
    unit: Literal["document", "item"] = "document",
    q: float = 0.05,
    min_items: int = 10,
) -> Result:
    """The alternative annotator test (Calderon, Reichart & Dror 2025, ACL): may the model replace a person?

    Each person j is left out in turn. On each item, who is closer to the other people, the model or j? The model's
    advantage is the share of items where it is at least as close, the person's likewise; with d their difference
    (person less model) on each item, H₀: E(d) ≥ ε is tested one-sided. ε is the allowance for the person's higher cost:
    0.2 for experts, 0.15 for trained people, 0.1 for the crowd. p-values are corrected over people after Benjamini &
    Yekutieli (2001); the winning rate ω is the share of people the model beats, and from ½ on it may replace them.

    Closeness is the share of equal labels, minus the root mean squared distance for numbers, or the mean Jaccard index
    for label sets. With `unit` "item" the test is the published one (t, or Wilcoxon's with fewer than 30 items); with
    "document", the default, each document is one answer (`_document_p`). Rows: one per person, with both p-values and,
    where the documents are so few that even a model as close as that person in all of them would not pass, how many it
    takes (`documents_needed`). The Result's value is ω, with Wilson's interval over the people as a sample of such
    people.
    """
    name = "winning rate"
    board = panel(data, question, models=[model] if model else (), people=people, alike=alike)
    if len(board.people) < 2 or not board.models:
        return undefined(name, "at least two people and one model must have answered.")
    notes = board.rated.notes
    if len(board.people) == 2:
        notes += ("Two people are few: with three or more there is a consensus to compare with.",)
    if not model and len(board.models) > 1:
        notes += (f"Several models have answered; this is about {board.models[0]}.",)
    rows: list[dict[str, Json]] = []
    for person in board.people:
        nearer, document = _nearer(board, board.models[0], person)
        if len(nearer) < min_items:
            shared = plural(len(nearer), "item")
            notes += (f"{person} is left out: only {shared} with the model and another person.",)
            continue
        losses = (nearer < 0).astype(float) - (nearer > 0)
        row: dict[str, Json] = {"person": person, "items": len(nearer), "documents": len(np.unique(document))}
        row |= {"advantage": float((nearer >= 0).mean()), "person_advantage": float((nearer <= 0).mean())}
        row |= {"difference": float(losses.mean()), "p_item": _item_p(losses, epsilon)}
        rows.append({**row, "p_document": _document_p(losses, document, epsilon)})
    if not rows:
        return undefined(name, "no person shares enough items with the model and another person.")
    raw = [row["p_item" if unit == "item" else "p_document"] for row in rows]
    for row, p in zip(rows, benjamini_yekutieli([1.0 if p is None else p for p in raw]), strict=True):
        row |= {"p_corrected": p, "beaten": p <= q}
    rate = float(np.mean([row["beaten"] for row in rows]))
    average = float(np.mean([row["advantage"] for row in rows]))
    needed = _documents_needed(rows, epsilon, q) if unit == "document" and rate < ENOUGH else None
    for row in rows:
        row["documents_needed"] = needed
    verdict = "may replace a person" if rate >= ENOUGH else "is not shown to be close enough to replace a person"
    if needed is not None:
        verdict = f"shares too few documents with people to say whether it may replace one: it takes {needed}"
    notes += (f"Mean advantage probability {average:.3f}; by this test {board.models[0]} {verdict}.",)
    counts = {"items": board.rated.n_items, "documents": len(board.rated.documents), "people": len(rows)}
    parts = {"ε": f"{epsilon:.12g}", "closeness": board.alike, "unit": unit, "FDR": f"Benjamini–Yekutieli {q:.12g}"}
    signature = sign("alternative annotator test", Resampling(), None, **parts)
    low, high = wilson(rate, len(rows), float(ndtri(0.975)))
    interval = Interval(low, high, method="Wilson", unit="judge")
    missing = board.rated.missing
    return Result(name, rate, interval, None, counts, missing, {}, rows, notes, signature)


def _documents_needed(rows: Sequence[Mapping[str, Json]], epsilon: float, q: float) -> int | None:
    """How many documents it takes for a model that is as close as each person in every document (nearer than them,
    where ε allows nothing) to beat half of them; None where there are as many."""
    exact = 0.0 if epsilon else -1.0
    corrected_p = benjamini_yekutieli([_constant_p(exact, row["documents"], epsilon) for row in rows])
    if np.mean([p <= q for p in corrected_p]) >= ENOUGH:
        return None
    [of_one, *_] = benjamini_yekutieli([q] * len(rows))  # by so much a p that is the same for all is corrected
    return math.ceil(math.log(q * q / of_one) / math.log(_constant_p(exact, 1, epsilon)))


def _nearer(board: JudgePanel, model: str, person: str) -> tuple[Array, Indices]:
    """On each item that the person, the model and somebody else answered: 1 where the model is nearer to the others
    than the person is, −1 where the person is, 0 where both are as near."""
    mine, theirs = board.of(person), board.of(model)
    others = np.stack([board.of(other) for other in board.people if other != person], axis=1)
    use = np.flatnonzero((mine >= 0) & (theirs >= 0) & (others >= 0).any(axis=1))
    present = others[use] >= 0
    safe = np.maximum(others[use], 0)
    scores = [
        np.where(present, board.closeness(code[use][:, None], safe), 0.0).sum(axis=1) / present.sum(axis=1)
        for code in (theirs, mine)
    ]
    gap = scores[0] - scores[1]
    return np.sign(np.where(np.abs(gap) < 1e-12, 0.0, gap)), board.document[use]


def _item_p(losses: Array, epsilon: float) -> float:
    if float(np.ptp(losses)) == 0:
        return _constant_p(float(losses[0]), len(losses), epsilon)
    if len(losses) < _FEW:
        return signed_rank_p(losses - epsilon)
    error = float(losses.std(ddof=1) / np.sqrt(len(losses)))
    return float(stdtr(len(losses) - 1, (losses.mean() - epsilon) / error))


def _constant_p(value: float, units: int, epsilon: float) -> float:
    """p of E(d) ≥ ε where every unit has the same d below ε: an expectation of ε takes a share of at least
    (ε − d)/(1 − d) of units above d, none of which was drawn. No test of units that may differ in any way can show
    more."""
    return float(((1 - epsilon) / (1 - value)) ** units) if value < epsilon else 1.0


def signed_rank_p(values: Array) -> float:
    """Wilcoxon's signed-rank test that the values tend to be below zero, one-sided and exact also with ties."""
    return signed_rank_tails(signed_ranks(values))[0]


def _document_p(losses: Array, document: Indices, epsilon: float) -> float | None:
    """p of E(d) ≥ ε where each document counts once, with the mean of its items; None of a single document.

    A model as close as a person in most documents that fails altogether in some, as many as ε allows, is what H₀ looks
    like at its edge. Documents then are skewed, and a t test, which takes the few failures drawn for the spread, is
    below .05 far too often: t is corrected for the skewness (Hall 1992, J. R. Stat. Soc. B 54). And documents without
    any failure hold nothing about the share of failures but their number: p is never below that of as many documents
    which all say what these say in the mean.
    """
    home = np.unique(document, return_inverse=True)[1]
    means = np.bincount(home, weights=losses) / np.bincount(home)
    n, mean, spread = len(means), float(means.mean()), float(means.std())
    if n < 2:
        return None
    least = _constant_p(mean, n, epsilon)
    if spread <= 1e-12:
        return least
    skew = float(((means - mean) ** 3).mean()) / spread**3
    shift = (mean - epsilon) / spread
    shift += skew * shift**2 / 3 + skew**2 * shift**3 / 27 + skew / (6 * n)
    return max(least, float(stdtr(n - 1, np.sqrt(n) * shift)))


def benjamini_yekutieli(p_values: Sequence[float]) -> list[float]:
    """p-values corrected so that the false discovery rate holds under any dependence (Benjamini & Yekutieli 2001)."""
    from scipy.stats import false_discovery_control  # takes a second to load

    return [float(p) for p in false_discovery_control(np.asarray(p_values, dtype=float), method="by")]


def calibration(
    data: Any,
    question: str = "",
    *,
    model: str = "",
    people: Sequence[str] = (),
    bins: int = 10,
    resampling: Resampling | None = None,
) -> Result:
    """Do a model's numbers mean what people's mean? People's mean score against the model's, over the items both have.

    Rows: "line" with the intercept and slope of people's score on the model's (errors clustered by document; a
    calibrated model has 0 and 1), "bias" with the model's mean less people's, "distance" with the
    mean absolute distance of bins as others define the calibration error, and one "bin" per tenth of the model's
    scores with both means. The Result's value is the calibration error: the root mean squared distance of the two
    means, weighted by bin size, on people's scale. What chance alone adds to it (bins of few answers never match
    exactly) is taken off by the jackknife over documents, so that a calibrated model has 0 within its interval.
    """
    resampling = clustered(resampling)
    board = panel(data, question, models=[model] if model else (), people=people)
    if not board.rated.scored:
        return undefined("calibration error", "the answers are not numbers.")
    if not board.people or not board.models:
        return undefined("calibration error", "at least one person and one model must have answered.")
    crowd = np.stack([board.numbers(person) for person in board.people], axis=1)
    present = np.isfinite(crowd)
    theirs = board.numbers(board.models[0])
    use = np.flatnonzero(present.any(axis=1) & np.isfinite(theirs))
    if len(use) < 3 or float(np.ptp(theirs[use])) == 0:
        return undefined(
            "calibration error",
            "too few items have both scores, or the model always gives the same.",
            counts={"items": len(use)},
        )
    truth = np.where(present, crowd, 0.0)[use].sum(axis=1) / present[use].sum(axis=1)
    score, document = theirs[use], board.document[use]
    names, unit = np.unique(document, return_inverse=True)
    edges = np.unique(np.quantile(score, np.linspace(0, 1, bins + 1)[1:-1]))
    place = np.searchsorted(edges, score, side="right")
    one_hot = np.eye(len(edges) + 1)[place]
    sums = group_sums(np.hstack([one_hot, one_hot * score[:, None], one_hot * truth[:, None]]), unit, len(names))

    def finish(total: Array) -> Array:
        n, own, people_s = np.split(total, 3, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            gap = np.where(n > 0, (own - people_s) ** 2 / n, 0.0).sum(axis=1) / n.sum(axis=1)
        return np.column_stack([gap, (own.sum(axis=1) - people_s.sum(axis=1)) / n.sum(axis=1)])

    replicates = replicate_sums(sums, finish, resampling)
    error, value = _without_chance(replicates, resampling)
    bias = outcome(replicates, resampling, column=1, null=0.0)
    rows = [
        *_line_rows(truth, score, unit, resampling.level),
        {"kind": "bias", "value": float(replicates.value[1]), **bias.ends(), "p": bias.p},
        {"kind": "distance", "value": _mean_distance(truth, score, place)},
        *_bin_rows(truth, score, place),
    ]
    counts = {"items": len(use), "documents": len(names), "people": len(board.people)}
    signature = sign("calibration", resampling, error.interval, bins=str(len(edges) + 1), model=board.models[0])
    notes = (*board.rated.notes, *error.notes)
    return Result(
        "calibration error", value, error.interval, counts=counts, rows=rows, notes=notes, signature=signature
    )


def _mean_distance(truth: Array, score: Array, place: Indices) -> float:
    """The expected calibration error as published elsewhere: mean distance of the bins' means, chance and all."""
    return float(np.abs(np.bincount(place, weights=score - truth)).sum() / len(score))


def _without_chance(replicates: Replicates, resampling: Resampling) -> tuple[Outcome, float]:
    """The root of a mean square with the jackknife's estimate of its bias taken off, and its interval."""
    units, square = replicates.units, float(replicates.value[0])
    if units < 2:
        return outcome(replicates, resampling), float(np.sqrt(square))
    corrected_square = units * square - (units - 1) * float(replicates.jackknife[:, 0].mean())
    variance = replicates.variance_of(0, units)
    spread = t_outcome(corrected_square, variance, units - 1, resampling)
    if spread.interval is not None:
        low, high = _root(spread.interval.low), _root(spread.interval.high)
        spread = replace(spread, interval=replace(spread.interval, low=low, high=high))
    return spread, _root(corrected_square)


def _root(square: float) -> float:
    return float(np.sqrt(max(square, 0.0)))


def _line_rows(truth: Array, score: Array, unit: Indices, level: float) -> list[dict[str, Json]]:
    """Intercept and slope of people's score on the model's; one document alone tells no error of them."""
    fit = Ols(truth, np.column_stack([np.ones(len(score)), score]), unit)
    alone = fit.clusters < 2
    unknown = [Estimate(float(value), float("nan"), float("nan")) for value in fit.beta]
    rows: list[dict[str, Json]] = []
    for term, own, null in zip(("intercept", "slope"), unknown if alone else fit.coefficients(), (0, 1), strict=True):
        low, high = own.ends(level)
        against = Estimate(own.value - null, own.error, own.df).known_p
        rows.append({"kind": "line", "term": term, "value": own.value, "low": low, "high": high, "p": against})
    return rows


def _bin_rows(truth: Array, score: Array, place: Indices) -> list[dict[str, Json]]:
    """One row for each bin of the model's scores that has items in it; `place` is the bin of each item."""
    rows: list[dict[str, Json]] = []
    for inside in (place == k for k in np.unique(place)):
        model, people = float(score[inside].mean()), float(truth[inside].mean())
        rows.append({"kind": "bin", "model": model, "people": people, "n": int(inside.sum())})
    return rows


# Replacing a judge


Verdict = Literal["replace", "assist", "neither", "unknown"]
ENOUGH = 0.5
"""From this winning rate on a model may replace a person (Calderon, Reichart & Dror 2025)."""
WORTH_IT = 0.1
"""A model that surely saves less than this share of human judgements is not worth the trouble."""
_TELLS_APART = 0.05  # hits less false alarms: below this a model says nothing about a label


def replacement(
    data: Any,
    question: str = "",
    *,
    model: str,
    people: Sequence[str] = (),
    epsilon: float = 0.2,
    resampling: Resampling | None = None,
) -> Result:
    """Whether `model` can replace a person on one question, and what it saves.

    The verdict is a note's code in row "verdict": "replace" where the alternative annotator test says so; "assist"
    where it does not, but the model surely saves a tenth of the human judgements if it judges what people do not;
    "neither"; or "unknown" where too little is shared to say, or too few documents (`documents_needed`). `saves` is the
    share of human judgements that the model makes unnecessary at the same precision: 1 − 1/gain where the model has
    judged items that people have not; otherwise what is possible at most, r² of the two over documents. `saves_low` is
    its share of what r² allows, at the lower end of the interval of r².

    Rows by `kind`: "verdict"; "person" (the test of each person); "line", "bias", "bin" (calibration, for numbers);
    "system" and "pair" (prediction-powered); "label" (shares put right, for labels). The Result is the winning rate.
    """
    resampling = clustered(resampling)
    test = alternative_annotator(data, question, model=model, people=people, epsilon=epsilon)
    board = panel(data, question, models=[model], people=people)
    rows: list[dict[str, Json]] = [{"kind": "person", **row} for row in test.rows]
    notes = list(test.notes)
    saves, saves_low, is_measured = _possible(board, model, resampling)
    if board.rated.scored and not board.rated.sets:
        scale = calibration(data, question, model=model, people=people, resampling=resampling)
        rows += [dict(row) for row in scale.rows]
        notes += [note for note in scale.notes if note not in notes]
        estimates = prediction_powered(data, question, model=model, people=people, resampling=resampling)
        rows += [dict(row) for row in estimates.rows]
        gains = [row["gain"] for row in estimates.rows if row["kind"] == "system" and row["gain"]]
        if gains:
            possible, saves, is_measured = saves, max(0.0, 1 - 1 / float(np.median(gains))), True
            # λ is fitted to the same answers, so that any model seems to save something: it is as sure as r² is
            saves_low = saves_low * min(1.0, saves / possible) if saves_low is not None and possible else None
    elif not board.rated.sets:
        rows += [dict(row) for row in corrected_shares(data, question, model=model, people=people).rows]
    verdict: Verdict = "unknown"
    needed = test.rows[0]["documents_needed"] if test.rows else None
    if test.value is not None:
        useful = saves_low is not None and saves_low >= WORTH_IT
        otherwise: Verdict = "neither" if needed is None else "unknown"
        verdict = "replace" if test.value >= ENOUGH else "assist" if useful else otherwise
    row: dict[str, Json] = {"kind": "verdict", "model": model, "question": question, "verdict": verdict}
    row |= {"winning_rate": test.value, "people": len(board.people)}
    row |= {"saves": saves, "saves_low": saves_low, "saves_measured": is_measured}
    row |= {
        "documents": max((own["documents"] for own in test.rows), default=0),
        "documents_needed": needed,
        "epsilon": epsilon,
    }
    rows.insert(0, row)
    parts = (*(test.signature.parts if test.signature else ()), ("model", model))
    signature = Signature("replacement", parts=parts, version=test.signature.version if test.signature else "")
    return replace(test, name="replacement", rows=rows, notes=tuple(notes), signature=signature)


def _possible(board: JudgePanel, model: str, resampling: Resampling) -> tuple[float | None, float | None, bool]:
    """r² of the model and people's mean over documents, with its lower end: the most that could be saved."""
    if board.rated.sets or model not in board.models or not board.people:
        return None, None, False
    people = np.stack([_numbers(board, person) for person in board.people], axis=1)
    is_answered = np.isfinite(people)
    mean = np.where(is_answered, people, 0.0).sum(axis=1) / np.maximum(is_answered.sum(axis=1), 1)
    mean[~is_answered.any(axis=1)] = np.nan
    own = _numbers(board, model)
    both = np.isfinite(mean) & np.isfinite(own)
    if both.sum() < 3:
        return None, None, False
    names, unit = np.unique(board.document[both], return_inverse=True)
    sums = group_sums(np.column_stack([np.ones(both.sum()), mean[both], own[both]]), unit, len(names))
    means = sums[:, 1:] / sums[:, [0]]
    [r] = correlate(means[:, 0], means[:, 1], np.arange(len(names)), methods=("pearson",), resampling=resampling)
    if r.value is None:
        return None, None, False
    return max(r.value, 0.0) ** 2, None if r.low is None else max(r.low, 0.0) ** 2, False


def _numbers(board: JudgePanel, judge: str) -> Array:
    """A judge's answers as numbers; of labels, whether it is the most common one."""
    if board.rated.scored:
        return board.numbers(judge)
    code = board.of(judge)
    top = int(np.bincount(board.rated.code).argmax())
    return np.where(code >= 0, (code == top).astype(float), np.nan)


def corrected_shares(
    data: Any,
    question: str = "",
    *,
    model: str,
    people: Sequence[str] = (),
    resampling: Resampling | None = None,
) -> Result:
    """The share of each label over all items the model judged, its errors put right by the items people judged, too.

    Rows: "label" with the value and its interval over documents, people's share where they judged, the model's over
    all, `hits` and `false_alarms`. A label that the model cannot tell from others has no value. The Result is the most
    common label's.
    """
    resampling = clustered(resampling)
    name = "corrected share"
    board = panel(data, question, models=[model], people=people)
    if board.rated.sets or not board.people or model not in board.models:
        return undefined(name, "it takes labels from a model and from at least one person.")
    own = board.of(model)
    judged = own >= 0
    crowd = np.stack([board.of(person) for person in board.people], axis=1)
    both = judged & (crowd >= 0).any(axis=1)
    if both.sum() < 2 or not (judged & ~both).any():
        return undefined(name, "no items were judged by the model alone, or too few by people as well.")
    documents, unit = np.unique(board.document[judged], return_inverse=True)
    rows: list[dict[str, Json]] = []
    intervals: list[Interval | None] = []
    for code, label in enumerate(board.rated.labels):
        says = (own == code).astype(float)
        true = ((crowd == code).sum(axis=1) / np.maximum((crowd >= 0).sum(axis=1), 1)).astype(float)
        both_judged, rest = both.astype(float), (judged & ~both).astype(float)
        columns = np.column_stack(
            [both_judged, both_judged * true, both_judged * says, both_judged * true * says, rest, rest * says]
        )[judged]
        replicates = replicate_sums(group_sums(columns, unit, len(documents)), _corrected_share, resampling)
        value = float(replicates.value[0])
        estimate = outcome(replicates, resampling) if np.isfinite(value) else None
        interval = estimate.interval if estimate else None
        if interval is not None:
            interval = replace(interval, low=max(interval.low, 0.0), high=min(interval.high, 1.0))
        intervals.append(interval)
        hits, alarms = _rates(columns.sum(axis=0)[None, :])
        row: dict[str, Json] = {"kind": "label", "label": label, "value": number_or_none(value)}
        row |= {"low": interval.low if interval else None, "high": interval.high if interval else None}
        row |= {"people": float(true[both].mean()), "model": float(says[judged].mean())}
        row |= {
            "hits": number_or_none(hits[0]),
            "false_alarms": number_or_none(alarms[0]),
            "n": int(both.sum()),
            "n_model_only": int(rest.sum()),
        }
        rows.append(row)
    top = max(range(len(rows)), key=lambda at: (rows[at]["value"] is not None, rows[at]["people"]))
    counts = {"items": int(both.sum()), "model_only": int((judged & ~both).sum()), "documents": len(documents)}
    signature = sign(name, resampling, intervals[top], model=model, by="hits and false alarms (Rogan–Gladen)")
    value = rows[top]["value"]
    return Result(name, value, intervals[top], counts=counts, rows=rows, notes=board.rated.notes, signature=signature)


def _rates(sums: Array) -> tuple[Array, Array]:
    """Hits among what people label so, false alarms among the rest."""
    n, true, says, agreements = sums[:, :4].T
    with np.errstate(invalid="ignore", divide="ignore"):
        hits = np.where(true > 1e-9, agreements / true, np.nan)
        alarms = np.where(n - true > 1e-9, (says - agreements) / (n - true), np.nan)
    return hits, alarms


def _corrected_share(sums: Array) -> Array:
    """The share over all items: people's where they judged, the model's put right on the rest."""
    n, true, rest, rest_says = sums[:, 0], sums[:, 1], sums[:, 4], sums[:, 5]
    hits, alarms = _rates(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        gap = np.where(hits - alarms > _TELLS_APART, hits - alarms, np.nan)
        share = np.clip((rest_says / rest - alarms) / gap, 0.0, 1.0)
        share = np.where(rest > 0, share, 0.0)
        return np.asarray((true + rest * share) / (n + rest))[:, None]


# Prediction-powered means


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
    table, again = latest(table, ("judge", "question", *ITEM))
    notes += again
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
        row: dict[str, Json] = {
            "kind": "system",
            of: label,
            "value": own.value,
            **outcomes[-1].ends(),
        }
        row |= {"people": own.people_only, **alone.ends("people_"), "weight": own.weight}
        rows.append({**row, "gain": plain / spread if spread > 0 else None, "n": own.n, "n_model_only": own.extra})
    for first, second in combinations(order, 2):
        one, two = estimates[first], estimates[second]
        spread, df = variance(one.pull - two.pull, one.judged | two.judged, one.tuned)
        difference = one.value - two.value
        test = t_outcome(difference, spread, df, resampling, null=0.0)
        rows.append(
            {
                "kind": "pair",
                of: first,
                "other": second,
                "value": difference,
                **test.ends(),
                "p": test.p,
            }
        )
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
