"""A report on a million judgements: from judgements in memory to HTML, tables and figures on disk.

    python benchmarks/bench_report.py                  # a tenth: 100,000 judgements
    python benchmarks/bench_report.py --full           # 1,000,000 judgements
    python benchmarks/bench_report.py --full --profile # and where the time goes

H-FALCON on 50 sentences a document by three judges and three systems: nine skills, a sentence score and a holistic
score each, so a million judgements are 4.7 million rows of the tidy table. Prints the seconds of each step, the target
of one minute, and the ratio. There is no peer that writes such a report; the target is the yardstick.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random

from lanner.analysis.material import Material
from lanner.model import Document, Judge, Judgement, Segment
from lanner.protocols import load
from lanner.reports.build import build
from lanner.reports.rendering import write

TARGET = 60.0
SYSTEMS, JUDGES, SENTENCES = ("oak", "elm", "ash"), ("J1", "J2", "J3"), 50
LEVELS = ("not_relevant", "low", "medium", "high")
START = datetime(2026, 1, 5, tzinfo=UTC)


def texts(documents: int) -> tuple[Document, ...]:
    segments = tuple(
        Segment(str(n), f"The ferry {n} left before the tide.", dict.fromkeys(SYSTEMS, f"Die Fähre {n} fuhr ab."))
        for n in range(SENTENCES)
    )
    domains = ("news", "social", "literary", "speech")
    return tuple(Document(f"d{n}", segments, "en", "de", domain=domains[n % 4]) for n in range(documents))


def answers(documents: tuple[Document, ...]) -> Iterator[Judgement]:
    protocol = load("h_falcon")
    stages = {question.id: stage.id for stage, question in protocol.questions}
    skills = [row.id for row in protocol.find("skills")[1].rows]  # type: ignore[index, union-attr]
    quality = {name: 3 - place for place, name in enumerate(SYSTEMS)}
    dice = Random(7)
    at = START
    for document in documents:
        for segment in document:
            for system in SYSTEMS:
                true = [dice.randrange(4) for _ in skills]
                for judge in JUDGES:
                    given = [dice.randrange(4) if dice.random() < 0.3 else level for level in true]
                    score = max(1, min(4, quality[system] + dice.randrange(2)))
                    whole = max(1, min(10, 2 * score + dice.randrange(3)))
                    at += timedelta(seconds=30)
                    said = {
                        "skills": {s: LEVELS[level] for s, level in zip(skills, given, strict=True)},
                        "sentence": score,
                        "holistic": whole,
                    }
                    for question, value in said.items():
                        key = (judge, stages[question], question, document.id, segment.id, (system,))
                        yield Judgement(*key, value, elapsed_seconds=35.0, active_seconds=30.0, answered_at=at)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--full", action="store_true")
    options.add_argument("--profile", action="store_true")
    options.add_argument("--judgements", type=int, help="another number of judgements")
    chosen = options.parse_args()
    wanted = chosen.judgements or (1_000_000 if chosen.full else 100_000)
    documents = texts(-(-wanted // (SENTENCES * len(SYSTEMS) * len(JUDGES) * 3)))
    judgements = tuple(answers(documents))[:wanted]
    material = Material("bench", load("h_falcon"), documents, tuple(map(Judge, JUDGES)), judgements)
    print(f"{len(judgements):,} judgements, {len(documents):,} documents")
    profile = cProfile.Profile(time.process_time)
    if chosen.profile:
        profile.enable()
    clock, busy = [time.perf_counter()], time.process_time()
    rows = len(material.table)
    clock.append(time.perf_counter())
    report = build(material)
    clock.append(time.perf_counter())
    with tempfile.TemporaryDirectory() as folder:
        size = write(report, Path(folder)).stat().st_size
        clock.append(time.perf_counter())
    if chosen.profile:
        profile.disable()
        pstats.Stats(profile).sort_stats("cumulative").print_stats(45)
    table, built, written = (b - a for a, b in pairwise(clock))
    print(f"tidy table, {rows:,} rows  {table:6.1f} s")
    print(f"sections                    {built:6.1f} s   {len(report.tables)} tables, {len(report.figures)} figures")
    print(f"files                       {written:6.1f} s   HTML {size / 1024:,.0f} KiB")
    whole, limit = clock[-1] - clock[0], TARGET * wanted / 1_000_000
    busy = time.process_time() - busy
    print(f"in all {whole:.1f} s ({busy:.1f} s of processor time), target {limit:.0f} s, ratio {whole / limit:.2f}")


if __name__ == "__main__":
    main()
