"""All statistics of one campaign at once, document intervals included: 10,000 judgements, then a million.

    python benchmarks/bench_stats.py [--million]

Five judges, four systems, each judgement a label, a score and its seconds; documents of five sentences. Wanted: under
2 s for 10,000 judgements with 2,000 document resamples; under 20 s and 2 GB for a million. Answers are selected once
and shared by all statistics of them, as in a report; that is the first line. CPU seconds of all threads, with one for
linear algebra, since neighbours do not count; the wall clock and the machine's load beside it. No peer does this over
documents, so none is timed; single statistics stand beside their peers in `bench_agreement.py`, `bench_association.py`
and `bench_mixed.py`.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import polars as pl

from lanner.stats.agreement import overview
from lanner.stats.association import between_measures, correlations
from lanner.stats.coefficients import pairwise
from lanner.stats.diagnosis import bias, confusion, disagreements, leave_one_out, merging, severity
from lanner.stats.effort import cost, fatigue, items, throughput
from lanner.stats.frame import wide
from lanner.stats.mixed import mixed
from lanner.stats.preference import sign_test
from lanner.stats.ranking import systems
from lanner.stats.ratings import ratings
from lanner.stats.regression import blocks, regress
from lanner.stats.resample import _kept_draws

JUDGES, SYSTEMS, SENTENCES = 5, 4, 5


def campaign(judgements: int, seed: int = 0) -> pl.DataFrame:
    """A tidy table: every judge scores and labels every output of every sentence."""
    rng = np.random.default_rng(seed)
    items = judgements // (JUDGES * SYSTEMS)
    documents = items // SENTENCES
    item = np.repeat(np.arange(items), SYSTEMS * JUDGES)
    system = np.tile(np.repeat(np.arange(SYSTEMS), JUDGES), items)
    judge = np.tile(np.arange(JUDGES), items * SYSTEMS)
    document = item // SENTENCES
    true = (
        rng.normal(0, 5, documents)[document]
        + rng.normal(0, 6, items)[item]
        + rng.normal(0, 4, (documents, SYSTEMS))[document, system]
    )
    score = np.clip(
        np.round(75 + 2 * system + true + rng.normal(0, 3, JUDGES)[judge] + rng.normal(0, 9, len(item))), 0, 100
    )
    label = np.array(["none", "minor", "major", "critical"])[
        np.digitize(-score + rng.normal(0, 5, len(item)), [-85, -70, -55])
    ]
    base = pl.DataFrame(
        {
            "judge": pl.Series(judge).cast(pl.String), "document": pl.Series(document).cast(pl.String),
            "segment": pl.Series(item).cast(pl.String), "system": pl.Series(["s0", "s1", "s2", "s3"]).gather(system),
            "domain": pl.Series(["news", "talk"]).gather(document % 2), "active": np.exp(rng.normal(3, 0.7, len(item))),
        }
    )  # fmt: skip
    scored = base.with_columns(question=pl.lit("score"), score=pl.Series(score), label=pl.lit(None, pl.String))
    named = base.with_columns(question=pl.lit("severity"), score=pl.lit(None, pl.Float64), label=pl.Series(label))
    return pl.concat([scored, named])


def jobs(data: pl.DataFrame) -> dict[str, Callable[[], Any]]:
    labels, scores = data.filter(question="severity"), data.filter(question="score")
    second = scores.with_columns(question=pl.lit("again"), score=pl.col("score").shuffle(1))
    both = pl.concat([scores, second])
    two = scores.filter(pl.col("system").is_in(["s0", "s1"])).sort("judge", "document", "segment", "system")
    won = two.group_by("judge", "document", "segment", maintain_order=True).agg(pl.col("score").diff().last())
    preferred = won.with_columns(
        label=pl.when(pl.col("score") > 0)
        .then(pl.lit("b"))
        .when(pl.col("score") < 0)
        .then(pl.lit("a"))
        .otherwise(pl.lit("tie")),
        system=pl.lit("s0|s1"),
    ).drop("score")
    held: dict[str, Any] = {}

    def select() -> None:
        held.update(
            labels=ratings(labels), scores=ratings(scores, value=("score",)), measures=wide(both), work=items(scores)
        )

    return {
        "selection": select,
        "agreement": lambda: (overview(held["labels"]), overview(held["scores"]), pairwise(held["labels"])),
        "diagnosis": lambda: (
            [f(held["labels"]) for f in (merging, disagreements, confusion, bias)]
            + [severity(held["scores"]), leave_one_out(held["labels"])]
        ),
        "correlations of judges": lambda: correlations(held["measures"], "score"),
        "correlation of measures": lambda: between_measures(held["measures"], "score", "again"),
        "regression": lambda: (
            regress(held["measures"], "score", ["again", "system"]),
            blocks(held["measures"], "score", ["again", "system"]),
        ),
        "mixed model": lambda: mixed(held["measures"], "score", ["system"], random=["judge", "document"]),
        "preference": lambda: sign_test(preferred),
        "ranking": lambda: systems(scores, "score"),
        "effort": lambda: (throughput(held["work"]), fatigue(held["work"]), cost(held["work"], 30)),
    }


def run(judgements: int, goal: float) -> None:
    data = campaign(judgements)
    size = f"{judgements:,} judgements, {data['document'].n_unique():,} documents"
    print(f"{size}, 2,000 resamples; load of the machine {os.getloadavg()[0]:.1f}")
    total, wall = 0.0, time.perf_counter()
    for name, job in jobs(data).items():
        start = time.process_time()
        job()
        spent = time.process_time() - start
        total += spent
        print(f"  {name:26}{spent:8.2f} s", flush=True)
    _kept_draws.cache_clear()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    verdict = "" if total < goal else "  <- too slow"
    took = f"{time.perf_counter() - wall:.1f} s wall, {peak:.2f} GB at most"
    print(f"  {'all':26}{total:8.2f} s   goal < {goal:g} s{verdict}   {took}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--million", action="store_true")
    arguments = parser.parse_args()
    campaign(2000)
    run(10_000, 2)
    if arguments.million:
        run(1_000_000, 20)
