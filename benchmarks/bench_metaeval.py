"""Meta-evaluation: ours beside mt-metrics-eval, CPU seconds, ratio, same values.

    OPENBLAS_NUM_THREADS=1 MTME=path/to/mt-metrics-eval python benchmarks/bench_metaeval.py [--metrics 20]

The peer is timed if MTME names a checkout of it. Data: WMT23 en-de under LANNER_DATA or ../shared/data, else simulated
scores of the same size. One thread for both, since idle threads that wait for work count as CPU time. The peer's
significance tests are timed on one pair and a few draws and scaled (marked ~).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from lanner.formats import mtme
from lanner.stats.metaeval import Scorer, metaeval
from lanner.stats.metric_accuracy import (
    SoftAccuracy,
    accuracy_tests,
    calibrated,
    kendall_tests,
    original_confidences,
    pearson_tests,
    soft_accuracy_tests,
    swaps,
)


def timed(work: Callable[[], Any], times: int = 3) -> tuple[float, Any]:
    """CPU seconds (the least of several runs) and the outcome."""
    best, out = float("inf"), None
    for _ in range(times):
        start = time.process_time()
        out = work()
        best = min(best, time.process_time() - start)
    return best, out


def data() -> tuple[np.ndarray, list[Scorer], str]:
    """Gold (systems × segments, complete) and metrics on the same cells."""
    root = Path(os.environ.get("LANNER_DATA", "../shared/data")) / "mtme" / "wmt23"
    if not root.is_dir():
        rng = np.random.default_rng(0)
        gold = -rng.integers(0, 12, (12, 460)).astype(float)
        names = tuple(f"s{n:02}" for n in range(12))
        return gold, [Scorer(f"m{n}", names, gold + rng.normal(0, 3, gold.shape)) for n in range(68)], "simulated"
    found = mtme.read_score_tables(root, "en-de")
    kept = sorted(set(found.gold.systems) - set(found.references))
    gold = Scorer("mqm", found.gold.systems, found.gold.segments).of(kept)
    scored = ~np.isnan(gold).any(axis=0)
    tables = [
        Scorer(t.name, tuple(kept), Scorer(t.name, t.systems, t.segments).of(kept)[:, scored]) for t in found.metrics
    ]
    return gold[:, scored], tables, "WMT23 en-de"


def line(what: str, ours: float, peer: float | None, same: str = "", mark: str = "") -> None:
    """One row: ours, the peer, the ratio, and whether values agree."""
    beside = f"{mark}{peer:10.3f} s  {peer / max(ours, 1e-9):12,.0f}×" if peer is not None else "  (MTME not set)"
    print(f"{what:42} {ours:8.3f} s  {beside}  {same}")


def peer_significance(stats: Any, gold: np.ndarray, tables: list[np.ndarray], pairs: int) -> list[float]:
    """CPU seconds the peer would need for all pairs at k = 1,000, test by test, from a few draws of one pair."""

    def correlations(truth: np.ndarray, one: np.ndarray, two: np.ndarray) -> tuple[Any, Any]:
        return tuple(stats.Correlation(len(gold), truth.ravel().tolist(), x.ravel().tolist()) for x in (one, two))

    one, two = correlations(gold, *tables[:2])
    systems = correlations(gold.mean(1), tables[0].mean(1), tables[1].mean(1))
    ties = [side.KendallWithTiesOpt(average_by="item", sample_rate=1.0)[1] for side in (one, two)]
    pearson, soft = stats.scipy.stats.pearsonr, stats.PairwiseConfidenceError
    works: list[tuple[int, Callable[[int], Any]]] = [
        (
            3,
            lambda k: stats.PairwisePermutationSigDiff(
                one, two, "acc23", "item", k, epsilon1=ties[0], epsilon2=ties[1]
            ),
        ),
        (50, lambda k: stats.PermutationSigDiff(one, two, pearson, "none", k)),
        (200, lambda k: stats.PermutationSigDiff(*systems, pearson, "none", k)),
        (3, lambda k: stats.PermutationSigDiff(one, two, stats.KendallVariants, "item", k)),
        (10, lambda k: stats.PermutationSigDiff(one, two, soft, "none", k, num_sys=len(gold))),
    ]
    return [timed(lambda: work(draws), 1)[0] * pairs * 1000 / (draws + 1) for draws, work in works]  # noqa: B023


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metrics", type=int, default=20, help="how many metrics the tests compare")
    given = parser.parse_args()
    gold, scorers, where = data()
    few = [scorer.segments for scorer in scorers[: given.metrics]]
    pairs = len(few) * (len(few) - 1) // 2
    print(f"{where}: {gold.shape[0]} systems, {gold.shape[1]} segments, {len(scorers)} metrics; CPU seconds\n")
    stats = None
    if root := os.environ.get("MTME"):
        sys.path.insert(0, root)
        from mt_metrics_eval import stats  # noqa: PLC0415 - a peer that is not installed

    ours, mine = timed(lambda: calibrated(gold, few[0]))
    peer = same = None
    if stats:
        arguments = (gold.ravel().tolist(), few[0].ravel().tolist(), "acc23", len(gold), "item", 1.0)
        peer, theirs = timed(lambda: stats.KendallWithTiesOpt(*arguments), 1)
        same = f"{mine.accuracy:.6f} = {theirs[0]:.6f}: {abs(mine.accuracy - theirs[0]) < 5e-7}"
    line("acc_eq, exact threshold, one metric", ours, peer, same or "")

    def soft() -> list[float]:
        made = SoftAccuracy(gold, swaps(gold.shape[1]))
        return [made.of(table)[1] for table in few]

    def soft_as_peer() -> list[float]:
        truth = original_confidences(gold)
        return [float(1 - np.abs(truth - original_confidences(table)).mean()) for table in few]

    ours, mine = timed(soft)
    alike, _ = timed(soft_as_peer)
    peer = same = None
    if stats:
        peer, theirs = timed(
            lambda: [
                stats.PairwiseConfidenceError(gold.ravel().tolist(), table.ravel().tolist(), len(gold))[0]
                for table in few
            ],
            1,
        )
        same = f"largest gap {max(abs(a - b) for a, b in zip(mine, theirs, strict=True)):.1e}"
    line(f"soft accuracy, {len(few)} metrics, both kinds", ours, peer, same or "")

    line(f"soft accuracy, {len(few)} metrics, the peer's kind", alike, peer)
    whole = 0.0
    tests: list[tuple[str, Callable[[], Any]]] = [
        ("acc_eq, exact", lambda: accuracy_tests([calibrated(gold, table) for table in few])),
        ("PERM-BOTH Pearson over segments", lambda: pearson_tests(gold, few)),
        ("PERM-BOTH Pearson over systems", lambda: pearson_tests(gold.mean(1), [table.mean(1) for table in few])),
        ("PERM-BOTH τ within segments", lambda: kendall_tests(gold, few)),
        ("PERM-BOTH soft accuracy", lambda: soft_accuracy_tests(gold, few)),
    ]
    peers = peer_significance(stats, gold, few, pairs) if stats else [None] * len(tests)
    for (what, work), theirs in zip(tests, peers, strict=True):
        ours, _ = timed(work, 1)
        whole += ours
        line(f"{what}, {pairs} pairs", ours, theirs, mark="~")
    line("all tests, k = 1,000", whole, sum(peers) if stats else None, mark="~")  # type: ignore[arg-type]
    names = tuple(scorers[0].systems)
    ours, _ = timed(lambda: metaeval(Scorer("gold", names, gold), scorers), 1)
    line(f"everything, {len(scorers)} metrics", ours, None)


if __name__ == "__main__":
    main()
