"""Agreement: ours beside a loop over the peer, CPU seconds, ratio, same values.

    python benchmarks/bench_agreement.py [--full] [--only million,alpha,fine,fleiss,pairs,campaign]

Peers (krippendorff, statsmodels, scikit-learn) are timed if they are installed: `pip install krippendorff` for the
first two rows. Peer loops are timed on fewer resamples and scaled (marked ~) unless --full. Ours starts from the same
matrix as the peer and gives the interval as well; the campaigns at the end start from the tidy table.
"""

from __future__ import annotations

import argparse
import importlib.util
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from lanner.stats import resample
from lanner.stats.agreement import overview
from lanner.stats.coefficients import alpha, fleiss, kappa, pairwise
from lanner.stats.diagnosis import bias, confusion, disagreements, leave_one_out, merging, severity
from lanner.stats.ratings import Ratings, ratings
from lanner.stats.resample import Resampling

BY_ITEM = Resampling(unit="item", n=1000, method="bca-t")  # drawn, as the peer's loop does; `auto` would not need to


def timed(work: Callable[[], Any], times: int = 1) -> tuple[float, Any]:
    """CPU seconds of all threads (the least of several runs) and the outcome."""
    best, out = float("inf"), None
    for _ in range(times):
        resample._kept_draws.cache_clear()
        start = time.process_time()
        out = work()
        best = min(best, time.process_time() - start)
    return best, out


def show(task: str, ours: float, peer: float | None, goal: str, note: str = "", scaled: bool = False) -> None:
    theirs = "not installed" if peer is None else f"{'~' if scaled else ' '}{peer:10.2f} s"
    ratio = "" if peer is None else f"{peer / ours:9.0f}x"
    print(f"{task:52} ours {ours:8.3f} s   peer {theirs:>14} {ratio:>10}  goal {goal:10} {note}", flush=True)


def matrix(items: int = 10_000, judges: int = 5, points: int = 5, missing: float = 0.3, seed: int = 1) -> np.ndarray:
    """judges × items, NaN where missing."""
    rng = np.random.default_rng(seed)
    true = rng.integers(1, points + 1, items)
    noise = rng.integers(-1, 2, (judges, items)) * (rng.random((judges, items)) < 0.4)
    table = np.clip(true + noise, 1, points).astype(float)
    table[rng.random(table.shape) < missing] = np.nan
    return table


def tidy_table(values: np.ndarray, documents: int | None = None) -> pl.DataFrame:
    judges, items = values.shape
    item = np.tile(np.arange(items), judges)
    made = pl.DataFrame(
        {"judge": np.repeat(np.arange(judges), items), "segment": item, "score": values.ravel()}
    ).with_columns(pl.col("judge").cast(pl.String), pl.col("segment").cast(pl.String), pl.col("score").fill_nan(None))
    place = item if documents is None else item % documents
    return made.with_columns(document=pl.Series(place).cast(pl.String)).drop_nulls("score")


def peer_loop(name: str, work: Callable[[Any], Any], full: bool, reps: int) -> tuple[float | None, bool]:
    """CPU seconds for 1,000 resamples of the peer, from fewer unless all are asked for."""
    if importlib.util.find_spec(name) is None:
        return None, False
    module = importlib.import_module(name)
    n = 1000 if full else reps
    seconds, _ = timed(lambda: [work(module) for _ in range(n)])
    return seconds * 1000 / n, n < 1000


def bench_alpha(full: bool) -> None:
    values = matrix()
    rng = np.random.default_rng(0)
    levels = ("nominal", "ordinal", "interval")

    def ours() -> list[float]:
        rated = Ratings.from_matrix(values.T)
        return [alpha(rated, level=level, resampling=BY_ITEM).value for level in levels]

    def theirs(module: Any) -> list[float]:
        sample = values[:, rng.integers(0, values.shape[1], values.shape[1])]
        return [module.alpha(sample, level_of_measurement=level) for level in levels]

    ours()
    seconds, found = timed(ours, 3)
    peer, scaled = peer_loop("krippendorff", theirs, full, 20)
    note = ""
    if peer is not None:
        module = importlib.import_module("krippendorff")
        apart = [abs(a - module.alpha(values, level_of_measurement=b)) for a, b in zip(found, levels, strict=True)]
        note = f"largest difference in value {max(apart):.1e}"
    show("α nominal+ordinal+interval, 10k×5, 1,000 resamples", seconds, peer, "300x", note, scaled)


def bench_fine(_: bool) -> None:
    rng = np.random.default_rng(3)
    base = matrix()
    values = np.round(np.clip(50 + 15 * (base + rng.normal(0, 1, base.shape)), 0, 100))
    seconds, found = timed(lambda: alpha(Ratings.from_matrix(values.T), level="interval", resampling=BY_ITEM), 3)
    peer, scaled = peer_loop("krippendorff", lambda m: m.alpha(values, level_of_measurement="interval"), False, 2)
    show("α interval, 101 points, 10k×5, 1,000 resamples", seconds, peer, "3,000x", f"α {found.value:.6f}", scaled)


def bench_fleiss(full: bool) -> None:
    values = matrix(missing=0)
    raw = values.T.astype(int)
    rng = np.random.default_rng(0)

    def theirs(_: Any) -> float:
        from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa  # noqa: PLC0415

        return float(fleiss_kappa(aggregate_raters(raw[rng.integers(0, len(raw), len(raw))])[0]))

    seconds, found = timed(lambda: fleiss(Ratings.from_matrix(values.T), resampling=BY_ITEM), 3)
    peer, scaled = peer_loop("statsmodels", theirs, full, 30)
    show("Fleiss κ from raw ratings, 10k×5, 1,000 resamples", seconds, peer, "300x", f"κ {found.value:.6f}", scaled)


def bench_pairs(full: bool) -> None:
    values = matrix(judges=20)
    rng = np.random.default_rng(0)

    def theirs(_: Any) -> float:
        from sklearn.metrics import cohen_kappa_score  # noqa: PLC0415

        sample = values[:, rng.integers(0, values.shape[1], values.shape[1])]
        found = []
        for a in range(20):
            for b in range(a + 1, 20):
                both = ~np.isnan(sample[a]) & ~np.isnan(sample[b])
                found.append(cohen_kappa_score(sample[a, both].astype(int), sample[b, both].astype(int)))
        return float(np.mean(found))

    seconds, found = timed(lambda: pairwise(Ratings.from_matrix(values.T), resampling=BY_ITEM))
    peer, scaled = peer_loop("sklearn", theirs, full, 2)
    mean = np.mean([r.value for r in found])
    show("190 pairwise κ, 20×10k, 1,000 resamples", seconds, peer, "150x", f"mean κ {mean:.6f}", scaled)
    documents = tidy_table(values, documents=500)
    seconds, _ = timed(lambda: pairwise(documents, resampling=Resampling(n=1000)))
    show("the same over 500 documents", seconds, None, "", "no peer resamples documents")


def everything(data: pl.DataFrame) -> int:
    """Every agreement statistic and diagnosis of one question."""
    labelled = data.with_columns(label=pl.col("score").cast(pl.Int64).cast(pl.String)).drop("score")
    rated, named = ratings(data), ratings(labelled)
    found = overview(rated) + overview(named) + pairwise(named) + pairwise(rated, weights="quadratic")
    for function in (merging, disagreements, confusion, bias):
        found += function(named)
    return len(found + severity(rated) + leave_one_out(named) + [kappa(rated, weights="linear")])


def bench_campaign(_: bool) -> None:
    data = tidy_table(matrix(items=2000, missing=0), documents=100)
    seconds, n = timed(lambda: everything(data))
    show("10,000 judgements, 2,000 document resamples", seconds, None, "< 2 s", f"{n} results")


def bench_million(_: bool) -> None:
    data = tidy_table(matrix(items=200_000, missing=0), documents=5000)
    wall = time.perf_counter()
    seconds, n = timed(lambda: everything(data))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    note = f"{n} results, {time.perf_counter() - wall:.1f} s wall, {peak:.2f} GB at most"
    show("1,000,000 judgements, 5,000 documents", seconds, None, "< 20 s", note)


BENCHES = {
    "million": bench_million,  # first, so that the memory is its own
    "alpha": bench_alpha,
    "fine": bench_fine,
    "fleiss": bench_fleiss,
    "pairs": bench_pairs,
    "campaign": bench_campaign,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true", help="time all 1,000 resamples of the peers")
    parser.add_argument("--only", default=",".join(BENCHES))
    arguments = parser.parse_args()
    for name in arguments.only.split(","):
        BENCHES[name](arguments.full)
