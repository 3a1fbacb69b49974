"""Do 95 % intervals hold the truth 95 times in a hundred? Ours over documents, beside item resampling.

    python benchmarks/bench_coverage.py [--runs 1000] [--full] [--only α]

A world has 40,000 documents, hard and easy ones, on different subjects and of different lengths, and judges who lean:
what makes sentences of one document alike. A campaign is a draw of some of its documents, the truth the statistic of
all. Wanted: 92 to 97 % with 20 documents or more, at least 90 % with 8; tests at the 5 % level wrong in 3 to 7 % of
worlds without a difference. A quick run is noisy, ± 1.4 points at 1,000 campaigns, ± 0.5 at 8,000 (--full; a quarter of
that for τ); what is marked lies outside by more than that.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanner.model import Interval, Result
from lanner.stats.alpha import alpha
from lanner.stats.association import correlate
from lanner.stats.coefficients import fleiss, gwet, kappa, percent
from lanner.stats.diagnosis import difference, severity
from lanner.stats.estimate import Statistic as Planner
from lanner.stats.icc import icc
from lanner.stats.outcome import outcome
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Resampling, replicate_sums
from lanner.stats.spans import jaccard

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


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--full", action="store_true", help="every statistic, world and size, 8,000 campaigns each")
    parser.add_argument("--only", default="", help="only statistics whose name has this in it, and no tests")
    arguments = parser.parse_args()
    names = tuple(name for name in (ALL if arguments.full else QUICK) if arguments.only in name)
    if arguments.full:
        show_coverage(names, (3, 5, 8, 14, 20, 40, 100), 8000, 500, WORLDS)
    else:
        show_coverage(names, (8, 20, 40), arguments.runs, 100, WORLDS[:2])
    if not arguments.only:
        show_errors((8, 20, 60) if arguments.full else (8, 30), 4000 if arguments.full else 300)
        show_judges(1000 if arguments.full else 200)
