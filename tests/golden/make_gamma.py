"""Makes gamma.json: random spans of two to four judges, and what pygamma-agreement says about them.

pygamma-agreement is MIT, yet needs cvxopt, which is GPL: it is an oracle here and never installed by `make test`.

    pip install pygamma-agreement && python tests/golden/make_gamma.py
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

import numpy as np
from pyannote.core import Segment
from pygamma_agreement import CombinedCategoricalDissimilarity, Continuum, ShuffleContinuumSampler

FILE = Path(__file__).with_name("gamma.json")


def simulated(seed: int, judges: int, spans: int) -> list[list[tuple[int, int, str]]]:
    """The same spans for every judge, some missed, some added, all moved a little and now and then renamed."""
    rng = np.random.default_rng(seed)
    true = [
        (int(start), int(start + rng.integers(2, 20)), int(rng.integers(3))) for start in rng.integers(0, 300, spans)
    ]
    found = []
    for _ in range(judges):
        mine = []
        for start, end, name in true:
            if rng.random() < 0.2:
                continue
            a, b = start + int(rng.integers(-3, 4)), end + int(rng.integers(-3, 4))
            label = "abc"[name if rng.random() < 0.8 else int(rng.integers(3))]
            mine.append((max(0, a), max(a, 0) + max(1, b - a), label))
        mine += [(int(s), int(s) + 5, "a") for s in rng.integers(0, 300, 2)]
        found.append(sorted(set(mine)))
    return found


def main() -> None:
    logging.disable(logging.WARNING)
    rows = []
    for seed, (judges, spans, alpha, beta) in enumerate(
        [(2, 5, 1, 1), (2, 12, 3, 1), (2, 30, 1, 0), (3, 5, 1, 1), (3, 12, 3, 1), (3, 20, 1, 2), (4, 6, 1, 1)]
    ):
        units = simulated(seed, judges, spans)
        continuum = Continuum()
        for judge, mine in enumerate(units):
            for start, end, label in mine:
                continuum.add(f"j{judge}", Segment(start, end), label)
        weighing = CombinedCategoricalDissimilarity(alpha=alpha, beta=beta)
        np.random.seed(seed)
        found = continuum.compute_gamma(weighing, sampler=ShuffleContinuumSampler(), n_samples=200)
        rows.append(
            {
                "units": units,
                "position": alpha,
                "category": beta,
                "disorder": float(found.best_alignment.disorder),
                "gamma": float(found.gamma),
            }
        )
    FILE.write_text(json.dumps(rows, indent=None) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
