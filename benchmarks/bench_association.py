"""Kendall's τ-b with 1,000 resamples against looping scipy, and the association part of large campaigns.

    python benchmarks/bench_association.py

CPU seconds, best of three; the peer is given the very same resamples, and the values must agree.
"""

from __future__ import annotations

import time

import numpy as np
from scipy import stats

from lanner.stats.association import ValuePairs, correlate
from lanner.stats.resample import Resampling, draws


def cpu(work, times=3):
    best, out = float("inf"), None
    for _ in range(times):
        start = time.process_time()
        out = work()
        best = min(best, time.process_time() - start)
    return best, out


def against_scipy(name, x, y, resamples=1000):
    n = len(x)
    resampling = Resampling(n=resamples, method="percentile")
    pairs = ValuePairs(x, y, np.arange(n), n)

    def ours():
        return np.concatenate([pairs.coefficients(w, ("kendall_b",))[:, 0] for w in draws(n, resampling)])

    def peer():
        weights = np.concatenate(list(draws(n, resampling))).astype(int)
        items = (np.repeat(np.arange(n), weight) for weight in weights)
        return np.array([stats.kendalltau(x[i], y[i])[0] for i in items])

    own, found = cpu(ours)
    theirs, expected = cpu(peer, 1)
    assert np.allclose(found, expected, atol=1e-12), "values differ"
    print(f"τ-b, {name:34s} ours {own:8.4f} s   scipy loop {theirs:8.3f} s   {theirs / own:6.1f}×")


def campaign(n, documents, x, y, resamples=2000):
    document = np.arange(n) * documents // n
    taken, results = cpu(lambda: correlate(x, y, document, resampling=Resampling(n=resamples)), 1)
    shown = ", ".join(f"{r.name} {r.value:.3f} [{r.low:.3f}, {r.high:.3f}]" for r in results)
    print(f"three coefficients, {n:,} pairs, {documents:,} documents, {resamples:,} resamples: {taken:.2f} s   {shown}")


def main():
    rng = np.random.default_rng(0)
    x = rng.normal(size=1000)
    against_scipy("1,000 pairs, continuous × 9 levels", x, np.round(x + rng.normal(size=1000)))
    against_scipy("1,000 pairs, continuous × continuous", x, x + rng.normal(size=1000))
    five = rng.integers(1, 6, 1000).astype(float)
    against_scipy("1,000 pairs, 5 × 5 levels", five, np.clip(five + rng.integers(-1, 2, 1000), 1, 5))
    big = rng.normal(size=1_000_000)
    noisy = big + rng.normal(size=1_000_000)
    campaign(10_000, 500, big[:10_000], noisy[:10_000])
    campaign(
        10_000,
        500,
        np.round(np.clip(50 + 15 * big[:10_000], 0, 100)),
        np.round(np.clip(50 + 15 * noisy[:10_000], 0, 100)),
    )
    campaign(1_000_000, 20_000, np.round(np.clip(50 + 15 * big, 0, 100)), np.round(np.clip(50 + 15 * noisy, 0, 100)))
    campaign(1_000_000, 20_000, big, noisy)


if __name__ == "__main__":
    main()
