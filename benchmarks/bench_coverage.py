"""Do 95 % intervals hold the truth 95 times in a hundred? Ours over documents, beside item resampling.

    python benchmarks/bench_coverage.py [--runs 1000] [--full] [--only α]
    python benchmarks/bench_coverage.py --commands [--runs 200] [--documents 6,10,20,40,120]

A world has 40,000 documents, hard and easy ones, on different subjects and of different lengths, and judges who lean:
what makes sentences of one document alike. A campaign is a draw of some of its documents, the truth the statistic of
all. Wanted: 92 to 97 % with 20 documents or more, at least 90 % with 8; tests at the 5 % level wrong in 3 to 7 % of
worlds without a difference. A quick run is noisy, ± 1.4 points at 1,000 campaigns, ± 0.5 at 8,000 (--full; a quarter of
that for τ); what is marked lies outside by more than that.

With --commands: the intervals that commands print beside those of agreement, each where the truth is known, complete
and with 60 % of the answers missing.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from lanner.model import Interval, Result
from lanner.stats.association import correlate
from lanner.stats.coefficients import alpha, fleiss, gwet, jaccard, kappa, percent
from lanner.stats.diagnosis import difference, prevalence, severity
from lanner.stats.effort import throughput
from lanner.stats.estimate import Statistic as Planner
from lanner.stats.facets import facets
from lanner.stats.icc import icc
from lanner.stats.metaeval import Scorer, metaeval
from lanner.stats.mixed import effects, mixed
from lanner.stats.models import calibration, corrected_shares, prediction_powered
from lanner.stats.preference import bradley_terry, sign_test
from lanner.stats.ranking import rank
from lanner.stats.ratings import Ratings
from lanner.stats.regression import Ols
from lanner.stats.resample import Resampling, outcome, replicate_sums

SEGMENTS, POINTS = 10, 4
MANY = 40_000  # documents of a world
BASE = np.array([0.45, 0.3, 0.15, 0.1])


@dataclass(frozen=True)
class World:
    """How noisy judges are on the middle document (logit), how far documents differ in that, and in their labels."""

    name: str
    noise: float = -0.8
    hard: float = 1.5
    subject: float = 0.7
    judges: int = 3
    lean: float = 0.0
    """How far judges differ: the first slips least and from good to bad, the last most and the other way."""
    uneven: float = 0.0
    """How far the lengths of documents differ (standard deviation of their logarithm)."""

    def campaign(self, rng: np.random.Generator, documents: int) -> tuple[np.ndarray, np.ndarray]:
        """Labels (items × judges, 0 to 3) and the document of each item."""
        shares = rng.dirichlet(BASE * 3 / self.subject, documents)
        long = SEGMENTS * np.exp(rng.normal(0, self.uneven, documents)) if self.uneven else np.full(documents, SEGMENTS)
        document = np.repeat(np.arange(documents), np.ceil(long).astype(int))
        true = (rng.random((len(document), 1)) > shares.cumsum(axis=1)[document]).sum(axis=1).clip(max=POINTS - 1)
        lean = np.linspace(-self.lean, self.lean, self.judges)
        noisy = 1 / (1 + np.exp(-rng.normal(self.noise, self.hard, documents)[document, None] - lean))
        habits = BASE * np.exp(lean[:, None] * np.arange(POINTS)[::-1] / 2)
        habits = (habits / habits.sum(axis=1, keepdims=True)).cumsum(axis=1)
        guess = (rng.random((len(document), self.judges, 1)) > habits).sum(axis=2).clip(max=POINTS - 1)
        slip = rng.random((len(document), self.judges)) < noisy
        return np.where(slip, guess, true[:, None]), document


WORLDS = (
    World("middling"),
    World("good judges", noise=-2.5),
    World("poor judges", noise=1.0, hard=1.0),
    World("one subject", hard=0.5, subject=0.3),
    World("judges lean", lean=0.8),
    World("uneven texts", uneven=0.8),
)


def rated(labels: np.ndarray, document: np.ndarray, named: bool = False) -> Ratings:
    names = [f"{d:05}" for d in document]
    return Ratings.from_matrix(labels, documents=names, labels="abcd" if named else ())


def tau(labels: np.ndarray, document: np.ndarray, how: Resampling) -> Result:
    groups = np.arange(len(document)) if how.unit == "item" else document
    x, y = labels[:, 0].astype(float), labels[:, 1].astype(float)
    how = Resampling(n=how.n, seed=how.seed, method=how.method)
    return correlate(x, y, groups, methods=("kendall_b",), resampling=how)[0]


def score_difference(labels: np.ndarray, document: np.ndarray, how: Resampling) -> Result:
    """Mean score of one output less that of another on the same sentences: judges 1 and 2 stand for the outputs."""
    apart = (labels[:, 0] - 0.8 * labels[:, 1]).astype(float)
    groups = np.arange(len(document)) if how.unit == "item" else document
    sums = np.stack([np.bincount(groups, weights=apart), np.bincount(groups).astype(float)], axis=1)
    replicates = replicate_sums(sums, lambda s: s[:, [0]] / s[:, [1]], how)
    return Result("difference", float(replicates.value[0]), outcome(replicates, how).interval)


STATISTICS: dict[str, tuple[Planner, dict[str, Any], int]] = {
    "κ of two": (kappa, {}, 2),
    "κ quadratic, mean": (kappa, {"weights": "quadratic"}, 9),
    "α nominal": (alpha, {"level": "nominal"}, 9),
    "α ordinal": (alpha, {"level": "ordinal"}, 9),
    "α interval": (alpha, {"level": "interval"}, 9),
    "Fleiss": (fleiss, {}, 9),
    "AC1": (gwet, {}, 9),
    "ICC(3,1)": (icc, {"form": "3,1"}, 9),
    "percent": (percent, {}, 9),
    "Jaccard": (jaccard, {}, 9),
}
"""Each with its options and the number of judges it is computed for, at most."""
PLAIN = {"τ-b of two": tau, "score difference": score_difference}
ALL = (*STATISTICS, *PLAIN)
QUICK = ("κ of two", "α nominal", "α interval", "τ-b of two", "score difference")


def worlds(runs: int, seed: int = 7) -> Iterator[np.random.Generator]:
    return (np.random.default_rng([seed, run]) for run in range(runs))


def one(world: World, name: str, rng: np.random.Generator, documents: int, how: Resampling) -> Result:
    """The statistic of one simulated campaign, by the public function."""
    labels, document = world.campaign(rng, documents)
    if name in PLAIN:
        return PLAIN[name](labels, document, how)
    statistic, options, judges = STATISTICS[name]
    return statistic(rated(labels[:, :judges], document, named=name == "Jaccard"), resampling=how, **options)


class Population:
    """All documents of a world with their sums for one statistic: a campaign is a draw of some of them."""

    def __init__(self, world: World, name: str) -> None:
        labels, document = world.campaign(np.random.default_rng(1), MANY)
        if name == "score difference":
            apart = (labels[:, 0] - 0.8 * labels[:, 1]).astype(float)
            self.sums = np.stack([np.bincount(document, weights=apart), np.bincount(document).astype(float)], axis=1)
            self.finish, self.scale = (lambda s: s[:, [0]] / s[:, [1]]), "plain"
        else:
            statistic, options, judges = STATISTICS[name]
            plan = statistic.plan(rated(labels[:, :judges], document, named=name == "Jaccard"), **options)
            sums = plan.by_document()[1]
            self.sums = plan.rows.by_document.toarray() if sums is None else sums
            self.finish, self.scale = plan.finish, plan.scale
        self.truth = float(self.finish(self.sums.sum(axis=0)[None, :])[0, 0])

    def interval(self, rng: np.random.Generator, documents: int, how: Resampling) -> Interval | None:
        drawn = self.sums[rng.choice(len(self.sums), documents, replace=False)]
        replicates = replicate_sums(drawn, self.finish, how)
        return outcome(replicates, how, scale=self.scale).interval


def share(found: Iterable[Interval | None], truth: float) -> tuple[float, float]:
    """Share of intervals that hold the truth, and their middle width."""
    known = [interval for interval in found if interval is not None]
    held = [interval.low <= truth <= interval.high for interval in known]
    return float(np.mean(held)), float(np.median([interval.high - interval.low for interval in known]))


def possible(share: float, runs: int) -> str:
    """Which coverage so many campaigns leave possible: Wilson's 95 % interval."""
    z, n = 1.96, max(1, runs)
    centre = (share + z * z / 2 / n) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / 4 / n**2)
    return f"{centre - reach:.0%}–{centre + reach:.0%}"


def verdict(share: float, low: float, high: float, runs: int) -> str:
    """A mark where a share lies outside by more than the noise of the simulation itself."""
    noise = 2 * np.sqrt(0.05 * 0.95 / runs)
    return "" if low - noise <= share <= high + noise else "  <- outside"


def show_coverage(
    names: tuple[str, ...], sizes: tuple[int, ...], runs: int, by_item: int, chosen: tuple[World, ...]
) -> None:
    print(
        f"Coverage of 95 % intervals, {runs} simulated campaigns each ({by_item} by item), {SEGMENTS} sentences a text"
    )
    head = f"{'world':14}{'statistic':20}{'truth':>7}{'documents':>11}{'ours':>8}{'width':>7}"
    print(f"{head}{'by item':>9}{'possible':>11}{'width':>7}")
    how, items = Resampling(n=500), Resampling(unit="item", n=500)
    for world in chosen:
        for name in names:
            if name.startswith("τ"):  # no sums: every campaign by itself
                truth = tau(*world.campaign(np.random.default_rng(1), MANY // 2), Resampling(method="none")).value
            else:
                population = Population(world, name)
                truth = population.truth
            for documents in sizes:
                if name.startswith("τ"):
                    ours = share((one(world, name, g, documents, how).interval for g in worlds(runs // 4)), truth)
                else:
                    ours = share((population.interval(g, documents, how) for g in worlds(runs)), truth)
                theirs = share((one(world, name, g, documents, items).interval for g in worlds(by_item)), truth)
                n = runs // 4 if name.startswith("τ") else runs
                mark = verdict(ours[0], *((0.92, 0.97) if documents >= 20 else (0.9 if documents >= 8 else 0, 1.0)), n)
                line = f"{world.name:14}{name:20}{truth:7.3f}{documents:11}{ours[0]:8.1%}{ours[1]:7.2f}"
                print(f"{line}{theirs[0]:9.0%}{possible(theirs[0], by_item):>11}{theirs[1]:7.2f}{mark}", flush=True)


def show_errors(sizes: tuple[int, ...], runs: int) -> None:
    print(f"\nType I error at 5 %, {runs} worlds without a difference")
    world = World("middling", judges=4)
    for documents in sizes:
        hits: dict[str, list[bool]] = {"difference of two κ": [], "severity of a judge": [], "score difference": []}
        for rng in worlds(runs, seed=8):
            labels, document = world.campaign(rng, documents)
            how = Resampling(n=500)
            pairs = [kappa.plan(rated(labels[:, pair], document)) for pair in ([0, 1], [2, 3])]
            hits["difference of two κ"].append((difference(*pairs, resampling=how).p or 1) < 0.05)
            hits["severity of a judge"].append((severity(rated(labels, document), resampling=how)[0].p or 1) < 0.05)
            apart = (labels[:, 0] - labels[:, 1]).astype(float)
            sums = np.stack([np.bincount(document, weights=apart), np.bincount(document).astype(float)], axis=1)
            replicates = replicate_sums(sums, lambda s: s[:, [0]] / s[:, [1]], how)
            hits["score difference"].append((outcome(replicates, how, null=0.0).p or 1) < 0.05)
        for name, wrong in hits.items():
            share = float(np.mean(wrong))
            print(f"{name:24}{documents:5} documents{share:8.1%}{verdict(share, 0.03, 0.07, runs)}", flush=True)


def show_judges(runs: int) -> None:
    """Judges as a sample too: judges who lean, the truth over many of them, intervals by documents and two-way."""
    print(f"\nα interval where judges are a sample as well (leaning judges), {runs} campaigns of 30 documents")

    def leaning(rng: np.random.Generator, documents: int, judges: int) -> tuple[np.ndarray, np.ndarray]:
        document = np.repeat(np.arange(documents), SEGMENTS)
        true = rng.normal(0, 1, documents)[document] + rng.normal(0, 1, len(document))
        return true[:, None] + rng.normal(0, 0.7, judges) + rng.normal(0, 1, (len(document), judges)), document

    many = leaning(np.random.default_rng(0), 2000, 60)
    truth = alpha(rated(*many), level="interval", resampling=Resampling(method="none")).value
    for judges in (3, 5, 10):
        line = f"{judges:3} judges   truth {truth:.3f}"
        for unit in ("document", "two-way"):
            held = []
            for rng in worlds(runs, seed=9):
                result = alpha(
                    rated(*leaning(rng, 30, judges)), level="interval", resampling=Resampling(unit=unit, n=500)
                )
                held.append(result.low <= truth <= result.high)
            line += f"   by {unit} {np.mean(held):.1%}"
        print(line, flush=True)


def _table(rng: np.random.Generator, documents: int, sparse: bool, judges: int = 5) -> pl.DataFrame:
    """Two systems (the first better by 0.5) on documents of 4 sentences; severe and lenient judges with favourites."""
    shape = (documents, 4, judges, 2)
    document, segment, judge, system = (axis.ravel() for axis in np.indices(shape))
    score = rng.normal(size=documents)[document] + rng.normal(size=judges)[judge] + np.where(system == 0, 0.5, 0.0)
    score += 0.5 * rng.normal(size=(documents, 2))[document, system] + 0.4 * rng.normal(size=(judges, 2))[judge, system]
    score += rng.normal(size=len(score))
    names = {
        "document": [f"d{d:03}" for d in document],
        "segment": segment.astype(str),
        "judge": [f"j{j}" for j in judge],
    }
    table = pl.DataFrame({**names, "system": np.where(system == 0, "oak", "elm"), "score": score})
    return table.filter(pl.Series(rng.random(len(table)) > 0.6)) if sparse else table


def _of_systems(rng: np.random.Generator, documents: int, sparse: bool) -> dict[str, Ends]:
    """Scores and differences for judges in general, and for one judge."""
    data = _table(rng, documents, sparse)
    made = rank(data, "", other_judges=True, resampling=Resampling(n=2))
    [duel] = made.duels
    sense = 1 if duel.system == "oak" else -1
    oak = next(row for row in made.result.rows if row["system"] == "oak")
    found = {
        "score, judges in general": (oak["low"], oak["high"], 0.5),
        "difference, judges in general": (duel.low, duel.high, 0.5 * sense),
    }
    result = facets(data, "", judges=(), documents=())
    for row in result.rows:
        if row["kind"] == "system" and row["system"] == "oak":
            found["facets, score"] = (row["low"], row["high"], 0.5)
        if row["kind"] == "pair":
            found["facets, difference"] = (row["low"], row["high"], 0.5 if row["system"] == "oak" else -0.5)
    return found | _of_one_judge(rng, documents, sparse)


def _of_one_judge(rng: np.random.Generator, documents: int, sparse: bool) -> dict[str, Ends]:
    """The same world with one judge who has no favourite: the truth is 0.5 for these judges, too."""
    shape = (documents, 4, 2)
    document, segment, system = (axis.ravel() for axis in np.indices(shape))
    score = rng.normal(size=documents)[document] + np.where(system == 0, 0.5, 0.0) + rng.normal(size=document.size)
    score += 0.5 * rng.normal(size=(documents, 2))[document, system]
    names = {"document": [f"d{d:03}" for d in document], "segment": segment.astype(str), "judge": "j"}
    table = pl.DataFrame({**names, "system": np.where(system == 0, "oak", "elm"), "score": score})
    table = table.filter(pl.Series(rng.random(len(table)) > 0.6)) if sparse else table
    made = rank(table, "", swaps=1000, resampling=Resampling(n=2))
    oak = next(row for row in made.result.rows if row["system"] == "oak")
    [duel] = made.duels
    sense = 1 if duel.system == "oak" else -1
    return {
        "score of a system": (oak["low"], oak["high"], 0.5),
        "difference of systems": (duel.low, duel.high, 0.5 * sense),
    }


def _of_preferences(rng: np.random.Generator, documents: int, sparse: bool) -> dict[str, Ends]:
    """Six in ten answers prefer one of two systems, or nearly all do."""
    unit = np.repeat(np.arange(documents), 2 if sparse else 5)

    def answers(wins: float, losses: float) -> dict[str, list[str]]:
        label = np.where(rng.random(len(unit)) < rng.beta(wins, losses, documents)[unit], "x", "y").tolist()
        rows = {"judge": ["j"] * len(unit), "document": unit.astype(str).tolist(), "label": label}
        return {**rows, "segment": [str(i) for i in range(len(unit))]}

    data, clear = answers(3, 2), answers(1.9, 0.1)
    row, near_one = (
        sign_test(each, favour="x", per_judge=False, resampling=Resampling(n=2)).rows[0] for each in (data, clear)
    )
    pair = next(r for r in bradley_terry(data, resampling=Resampling(n=2)).rows if r["kind"] == "pair")
    odds = np.log(0.6 / 0.4) * (1 if pair["system"] == "x" else -1)
    return {
        "preference, share": (row["low"], row["high"], 0.6),
        "preference, share of 95 %": (near_one["low"], near_one["high"], 0.95),
        "Bradley–Terry, difference": (pair["low"], pair["high"], odds),
    }


def _of_models(rng: np.random.Generator, documents: int, sparse: bool) -> dict[str, Ends]:
    """A model that judges all documents, people who judge half of them."""
    size = 2 if sparse else 5
    unit = np.repeat(np.arange(documents), size)
    true = rng.normal(size=documents)[unit] + rng.normal(size=len(unit))
    model = 0.3 + true + 0.7 * rng.normal(size=len(unit))
    people = unit < documents / 2
    rows = {"document": [f"d{d:03}" for d in unit], "segment": [str(i) for i in range(len(unit))], "system": "oak"}
    sides = [
        pl.DataFrame({**rows, "judge": "m", "judge_kind": "model", "score": model}),
        pl.DataFrame({**rows, "judge": "p", "judge_kind": "person", "score": true}).filter(pl.Series(people)),
    ]
    data = pl.concat(sides)
    powered = prediction_powered(data, resampling=Resampling(n=2)).rows
    bias = [row for row in calibration(data, resampling=Resampling(n=2)).rows if row["kind"] == "bias"]
    found: dict[str, Ends] = {}
    if powered:
        found["prediction-powered mean"] = (powered[0]["low"], powered[0]["high"], 0.0)
    if bias:
        found["calibration, bias"] = (bias[0]["low"], bias[0]["high"], 0.3)
    share = rng.beta(3, 7, documents)[unit]
    bad = rng.random(len(unit)) < share
    says = rng.random(len(unit)) < np.where(bad, 0.85, 0.15)
    sides = [
        pl.DataFrame({**rows, "judge": "m", "judge_kind": "model", "label": np.where(says, "bad", "good")}),
        pl.DataFrame({**rows, "judge": "p", "judge_kind": "person", "label": np.where(bad, "bad", "good")}).filter(
            pl.Series(people)
        ),
    ]
    shares = corrected_shares(pl.concat(sides), model="m", resampling=Resampling(n=2)).rows
    row = next((row for row in shares if row["label"] == "bad"), None)
    found["share put right"] = (row["low"], row["high"], 0.3) if row else (None, None, 0.3)
    return found


def _of_relations(rng: np.random.Generator, documents: int, sparse: bool) -> dict[str, Ends]:
    """A correlation of .5, a slope of .5, a pace, and how much of a score lies between documents."""
    size = 2 if sparse else 5
    unit = np.repeat(np.arange(documents), size)

    def alike() -> np.ndarray:
        return np.sqrt(0.5) * rng.normal(size=documents)[unit] + np.sqrt(0.5) * rng.normal(size=len(unit))

    x = alike()
    y = 0.5 * x + np.sqrt(0.75) * alike()
    [r] = correlate(x, y, unit, methods=("pearson",), resampling=Resampling(n=2))
    slope = Ols(y, np.column_stack([np.ones(len(unit)), x]), unit).coefficients()[1]
    seconds = 10 * np.exp(0.5 * rng.normal(size=documents)[unit] + 0.5 * rng.normal(size=len(unit)))
    rows = {"judge": ["j"] * len(unit), "document": unit.astype(str).tolist(), "active": seconds.tolist()}
    pace = throughput({**rows, "segment": [str(i) for i in range(len(unit))], "score": [1.0] * len(unit)})
    rate = 60 / (10 * np.exp(0.25))
    return {
        "Pearson r": (r.low, r.high, 0.5),
        "regression, slope": (*slope.ends(0.95), 0.5),
        "throughput": (pace.rows[0]["low"], pace.rows[0]["high"], rate),
    }


def _of_components(rng: np.random.Generator, documents: int, sparse: bool) -> dict[str, Ends]:
    """Where the variance of scores lies, and how severe one judge is."""
    judges, shape = 8, (documents, 8, 2)
    document, judge, system = (axis.ravel() for axis in np.indices(shape))
    severe = rng.normal(size=judges)
    score = rng.normal(size=documents)[document] + severe[judge] + np.where(system == 0, 0.5, 0.0)
    score += 0.5 * rng.normal(size=(documents, 2))[document, system] + 0.4 * rng.normal(size=(judges, 2))[judge, system]
    score += rng.normal(size=len(score))
    names = {"document": [f"d{d:03}" for d in document], "segment": "", "judge": [f"j{j}" for j in judge]}
    table = pl.DataFrame({**names, "system": np.where(system == 0, "oak", "elm"), "score": score})
    table = table.filter(pl.Series(rng.random(len(table)) > 0.6)) if sparse else table
    parts = {row["term"]: row for row in mixed(table, "score", ["system"]).rows if row["kind"] == "variance"}
    found: dict[str, Ends] = {}
    for term, variance in (("document", 1.0), ("judge", 1.0), ("residual", 1.0)):
        row = parts.get(term, {})
        found[f"variance of {term}s" if term != "residual" else "variance left"] = (
            row.get("low"),
            row.get("high"),
            variance,
        )
        if term != "residual":
            found[f"share of {term}s"] = (row.get("share_low"), row.get("share_high"), variance / 3.41)
    for row in effects(table, "score", "judge", ["system"]).rows:
        if row["judge"] == "j0":
            found["severity of one judge"] = (row["low"], row["high"], float(severe[0]))
    return found


def _metrics(rng: np.random.Generator, documents: int, size: int) -> tuple[Scorer, Scorer, list[str]]:
    """Six systems of unlike quality, scored by people and by one metric."""
    systems, unit = tuple("abcdef"), np.repeat(np.arange(documents), size)
    quality = np.linspace(-0.5, 0.5, 6)[:, None] + rng.normal(size=(6, len(unit)))
    quality += 0.6 * rng.normal(size=(6, documents))[:, unit]
    noise = rng.normal(size=quality.shape) + 0.6 * rng.normal(size=(6, documents))[:, unit]
    gold = Scorer("people", systems, np.round(2 * quality))
    return gold, Scorer("metric", systems, quality + noise), [f"d{d:03}" for d in unit]


_CORRELATIONS = ("segment_pearson", "segment_kendall", "item_kendall")


@cache
def _metric_truth(size: int) -> dict[str, float]:
    gold, metric, names = _metrics(np.random.default_rng(1), 2000, size)
    row = metaeval(gold, [metric], documents=names, swaps_of_segments=10).rows[0]
    return {name: row[name] for name in _CORRELATIONS}


def _of_metrics(rng: np.random.Generator, documents: int, sparse: bool) -> dict[str, Ends]:
    size = 2 if sparse else 5
    gold, metric, names = _metrics(rng, documents, size)
    row = metaeval(gold, [metric], documents=names, swaps_of_segments=10).rows[0]
    truth = _metric_truth(size)
    return {f"metric, {name}": (row[f"{name}_low"], row[f"{name}_high"], truth[name]) for name in _CORRELATIONS}


def _of_labels(rng: np.random.Generator, documents: int, sparse: bool) -> dict[str, Ends]:
    """Three judges label sentences; some documents have many of a label."""
    unit = np.repeat(np.arange(documents), 2 if sparse else 5)
    label = np.where(rng.random((3, len(unit))) < rng.beta(2, 8, documents)[unit], "extended", "local")
    rows = [
        {"judge": f"j{judge}", "document": f"d{unit[at]:03}", "segment": str(at), "label": label[judge, at]}
        for judge, at in np.ndindex(label.shape)
    ]
    share = prevalence(pl.DataFrame(rows), "")[3]
    return {"share of a label": (share.low, share.high, 0.8 if share.labels["label"] == "local" else 0.2)}


Ends = tuple[float | None, float | None, float]
COMMANDS = (
    _of_systems,
    _of_preferences,
    _of_models,
    _of_relations,
    _of_components,
    _of_metrics,
    _of_labels,
)


def show_commands(sizes: Sequence[int], runs: int, only: str = "") -> None:
    """Coverage of the intervals that commands print, and how many campaigns had none."""
    for sparse in (False, True):
        print(f"\n{'60 % missing' if sparse else 'complete'}, {runs} campaigns in each cell")
        table: dict[str, dict[int, str]] = {}
        for documents in sizes:
            held: dict[str, list[bool]] = {}
            for rng in worlds(runs, seed=11):
                for world in (command for command in COMMANDS if only in command.__name__):
                    for name, (low, high, truth) in world(rng, documents, sparse).items():
                        own = held.setdefault(name, [])
                        if low is not None and high is not None:
                            own.append(bool(low <= truth <= high))
            for name, own in held.items():
                mark = verdict(float(np.mean(own)), 0.92, 0.97, len(own)) if own else ""
                cell = f"{100 * np.mean(own):.0f}{'*' if mark else ''}" if len(own) > runs / 2 else "–"
                table.setdefault(name, {})[documents] = cell
            print(f"{documents} documents done", flush=True)
        print("| interval |", " | ".join(f"{size} documents" for size in sizes), "|\n|---|" + "---|" * len(sizes))
        for name, cells in table.items():
            print("|", name, "|", " | ".join(cells.get(size, "") for size in sizes), "|")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--full", action="store_true", help="every statistic, world and size, 8,000 campaigns each")
    parser.add_argument(
        "--only",
        default="",
        help="only statistics whose name has this in it, and no tests; with --commands, only worlds (preferences)",
    )
    parser.add_argument("--commands", action="store_true", help="the intervals of commands instead")
    parser.add_argument("--documents", default="6,10,20,40,120", help="with --commands")
    arguments = parser.parse_args()
    if arguments.commands:
        show_commands([int(size) for size in arguments.documents.split(",")], arguments.runs, arguments.only)
        raise SystemExit
    names = tuple(name for name in (ALL if arguments.full else QUICK) if arguments.only in name)
    if arguments.full:
        show_coverage(names, (3, 5, 8, 14, 20, 40, 100), 8000, 500, WORLDS)
    else:
        show_coverage(names, (8, 20, 40), arguments.runs, 100, WORLDS[:2])
    if not arguments.only:
        show_errors((8, 20, 60) if arguments.full else (8, 30), 4000 if arguments.full else 300)
        show_judges(1000 if arguments.full else 200)
