"""Do 95 % intervals hold the truth 95 times in a hundred? Ours over documents, beside item resampling.

    python benchmarks/bench_coverage.py [--runs 300] [--full]

Simulated campaigns have hard and easy documents, documents on different subjects, and judges who lean: what makes
sentences of one document alike. The truth is the same statistic on 40,000 documents of the same world. Wanted: 92 to
97 % with 20 documents or more, at least 90 % with 8; tests at the 5 % level wrong in 3 to 7 % of worlds without a
difference. A quick run is noisy, ± 2.5 points at 300 campaigns, ± 1 at 2,000 (--full); what is marked lies
outside by more than that.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from lanner.model import Result
from lanner.stats.alpha import alpha
from lanner.stats.association import correlate
from lanner.stats.compare import difference
from lanner.stats.counting import fleiss, gwet, percent
from lanner.stats.diagnosis import severity
from lanner.stats.icc import icc
from lanner.stats.kappa import kappa
from lanner.stats.overlap import jaccard
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Resampling, outcome, replicate_sums

SEGMENTS, POINTS = 10, 4
BASE = np.array([0.45, 0.3, 0.15, 0.1])


@dataclass(frozen=True)
class World:
    """How noisy judges are on the middle document (logit), how far documents differ in that, and in their labels."""

    name: str
    noise: float = -0.8
    hard: float = 1.5
    subject: float = 0.7
    judges: int = 3

    def campaign(self, rng: np.random.Generator, documents: int) -> tuple[np.ndarray, np.ndarray]:
        """Labels (items × judges, 0 to 3) and the document of each item."""
        shares = rng.dirichlet(BASE * 3 / self.subject, documents)
        document = np.repeat(np.arange(documents), SEGMENTS)
        true = (rng.random((len(document), 1)) > shares.cumsum(axis=1)[document]).sum(axis=1).clip(max=POINTS - 1)
        noisy = 1 / (1 + np.exp(-rng.normal(self.noise, self.hard, documents)))[document]
        guess = (rng.random((len(document), self.judges, 1)) > BASE.cumsum()).sum(axis=2).clip(max=POINTS - 1)
        slip = rng.random((len(document), self.judges)) < noisy[:, None]
        return np.where(slip, guess, true[:, None]), document


WORLDS = (
    World("middling"),
    World("good judges", noise=-2.5),
    World("poor judges", noise=1.0, hard=1.0),
    World("one subject", hard=0.5, subject=0.3),
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


STATISTICS: dict[str, Callable[[np.ndarray, np.ndarray, Resampling], Result]] = {
    "κ of two": lambda x, d, how: kappa(rated(x[:, :2], d), resampling=how),
    "κ quadratic, mean": lambda x, d, how: kappa(rated(x, d), weights="quadratic", resampling=how),
    "α nominal": lambda x, d, how: alpha(rated(x, d), level="nominal", resampling=how),
    "α ordinal": lambda x, d, how: alpha(rated(x, d), level="ordinal", resampling=how),
    "α interval": lambda x, d, how: alpha(rated(x, d), level="interval", resampling=how),
    "Fleiss": lambda x, d, how: fleiss(rated(x, d), resampling=how),
    "AC1": lambda x, d, how: gwet(rated(x, d), resampling=how),
    "ICC(3,1)": lambda x, d, how: icc(rated(x, d), form="3,1", resampling=how),
    "percent": lambda x, d, how: percent(rated(x, d), resampling=how),
    "Jaccard": lambda x, d, how: jaccard(rated(x, d, named=True), resampling=how),
    "τ-b of two": tau,
    "score difference": score_difference,
}
QUICK = ("κ of two", "α nominal", "α interval", "τ-b of two", "score difference")


def worlds(runs: int, seed: int = 7) -> Iterator[np.random.Generator]:
    return (np.random.default_rng([seed, run]) for run in range(runs))


def coverage(world: World, name: str, documents: int, runs: int, how: Resampling, truth: float) -> tuple[float, float]:
    """Share of intervals that hold the truth, and their middle width."""
    held, width = [], []
    for rng in worlds(runs):
        result = STATISTICS[name](*world.campaign(rng, documents), how)
        if result.interval is not None:
            held.append(result.low <= truth <= result.high)
            width.append(result.high - result.low)
    return float(np.mean(held)), float(np.median(width))


def verdict(share: float, low: float, high: float, runs: int) -> str:
    """A mark where a share lies outside by more than the noise of the simulation itself."""
    noise = 2 * np.sqrt(0.05 * 0.95 / runs)
    return "" if low - noise <= share <= high + noise else "  <- outside"


def show_coverage(names: tuple[str, ...], sizes: tuple[int, ...], runs: int, chosen: tuple[World, ...]) -> None:
    print(f"Coverage of 95 % intervals, {runs} simulated campaigns each, {SEGMENTS} sentences a document")
    print(f"{'world':14}{'statistic':20}{'truth':>7}{'documents':>11}{'ours':>8}{'width':>7}{'by item':>9}{'width':>7}")
    for world in chosen:
        big = world.campaign(np.random.default_rng(1), 40_000 if world.judges < 9 else 4000)
        for name in names:
            few = (big[0][:20_000], big[1][:20_000]) if name.startswith("τ") else big
            truth = STATISTICS[name](*few, Resampling(method="none")).value
            for documents in sizes:
                ours = coverage(world, name, documents, runs, Resampling(n=500), truth)
                items = coverage(world, name, documents, runs, Resampling(unit="item", n=500), truth)
                mark = verdict(ours[0], *((0.92, 0.97) if documents >= 20 else (0.9, 1.0)), runs)
                line = f"{world.name:14}{name:20}{truth:7.3f}{documents:11}{ours[0]:8.1%}{ours[1]:7.2f}"
                print(f"{line}{items[0]:9.1%}{items[1]:7.2f}{mark}", flush=True)


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
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--full", action="store_true", help="every statistic, world and size, 2,000 campaigns each")
    arguments = parser.parse_args()
    if arguments.full:
        show_coverage(tuple(STATISTICS), (3, 5, 8, 14, 20, 30, 60), 2000, WORLDS)
        show_errors((8, 20, 60), 2000)
        show_judges(1000)
    else:
        show_coverage(QUICK, (8, 20, 40), arguments.runs, WORLDS[:2])
        show_errors((8, 30), arguments.runs)
        show_judges(min(arguments.runs, 200))
