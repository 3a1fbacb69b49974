"""A campaign that has grown: 10,000 judges and 10 million judgements on PostgreSQL, or a share of that.

    python benchmarks/bench_growth.py                  # a hundredth: 100 judges, 100,000 judgements
    python benchmarks/bench_growth.py --scale 0.1      # a tenth, as two cores can bear
    python benchmarks/bench_growth.py --scale 1        # all of it; some 15 GB of disk
    python benchmarks/bench_growth.py --store postgresql://…/empty   # on a server of yours

Every judge has twelve documents of twenty sentences behind them and judges a thirteenth now. Rows are taken in by the
database's bulk path, with all indices and constraints. Then the real server is asked over HTTP: what a save costs,
beside one in an empty campaign of the same database (their ratio is what growth costs); how long a judging page and the
organiser's page take; how fast judgements are read back; and what the live numbers cost a judgement, beside those of
four judges. PostgreSQL's own processor time comes on top; it is printed where the database runs on this machine.
"""

from __future__ import annotations

import argparse
import importlib
import os
import statistics
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from bench_live_page import Browser
from bench_load import Running, loaded, postgres, seats_of
from bench_save import NOW, SENTENCES, answers, corpus

from lanner import campaign
from lanner.model import Judge
from lanner.monitor.live import LiveCampaigns
from lanner.store import NewAnswer, SavedProgress, Store
from lanner.store.rows import dumps, micros

JUDGES, JUDGED, PER_ITEM, SAVING, FEW = 10_000, 12, 4, 16, 4
SERVE = """
import sys
from lanner.store import Store
from lanner.web.server import serve
from lanner.web.site import ServerSettings
serve(Store.open(sys.argv[1]), port=int(sys.argv[2]),
      settings=ServerSettings(entry_code="bench", entry_account="bench"))
"""


def line(name: str, value: str, note: str = "") -> None:
    print(f"{name:46}{value:>16}  {note}", flush=True)


@contextmanager
def took(name: str, note: str = ""):
    began = time.perf_counter()
    yield
    line(name, f"{time.perf_counter() - began:.1f} s", note)


def fill(store: Store, name: str, documents: int) -> int:
    """So many judged documents for each judge, straight into the tables."""
    number = campaign.get(store, name).id
    rows_made, spent = 0, 0.0
    with store.reading() as tx:
        participants = tx.judges.all(number)
    for participant in participants:
        if not participant.judge.id.startswith("now"):
            continue
        with store.writing() as tx:
            rows: list[NewAnswer] = []
            progressed = []
            for assigned in tx.tasks.of_judge(participant.number)[:documents]:
                for place, item in enumerate(assigned.task.items):
                    given = answers(place + participant.number)
                    for part, (question, value) in enumerate(given.items()):
                        rows.append(
                            NewAnswer(
                                id=0, campaign=number, judge=participant.number, task=assigned.task.id,
                                document=assigned.documents[place], segment=item.segment, stage="rating",
                                question=question, systems=dumps(item.systems), role="main", revision=1,
                                supersedes=None, base=None, value=dumps(value), flags=None,
                                submission=f"bulk-{assigned.task.id}-{place}", part=part, elapsed=40.0, active=30.0,
                                answered_at=micros(NOW), received_at=micros(NOW), origin="",
                            )
                        )  # fmt: skip
                    progressed.append(SavedProgress(assigned.task.id, place, True, 40.0, 30.0))
            for row, id_ in zip(rows, tx.judgements.reserve(len(rows), [number]), strict=True):
                row["id"] = id_
            began = time.perf_counter()
            tx.judgements.add(rows)
            spent += time.perf_counter() - began
            tx.tasks.set_saved(progressed, micros(NOW))
        rows_made += len(rows)
    line("  rows into the table of judgements", f"{rows_made / spent:,.0f}/s")
    return rows_made


def made(store: Store, judges: int) -> int:
    """The grown campaign, and an empty one beside it."""
    people = [Judge(f"now{n}") for n in range(judges)]
    with took("made, with a task for every judge and document", f"{judges:,} judges"):
        campaign.create(store, "bench", corpus(JUDGED + 1), "h_falcon", people, seed=1, options={"shuffle": False})
        campaign.open(store, "bench")
    with took("filled"):
        rows = fill(store, "bench", JUDGED)
    campaign.create(store, "empty", corpus(JUDGED + 1), "h_falcon", people[:SAVING], seed=1)
    campaign.open(store, "empty")
    return rows


def database(address: str, statement: str) -> int:
    psycopg = importlib.import_module("psycopg")
    with psycopg.connect(address, autocommit=True) as connection:
        found = connection.execute(statement).fetchone()
        return int(found[0]) if found and found[0] is not None else 0


def postgres_cpu() -> float:
    """Seconds of processor all PostgreSQL processes of this machine have had, ended ones with their parent's."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().rpartition(")")
        except OSError:
            continue
        if "postgres" in name:
            fields = rest.split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def saves(server: Running, store: Store, folder: Path, seconds: int) -> None:
    costs = {}
    for name in ("empty", "bench"):
        participants = [
            participant for at, participant in enumerate(seats_of(store, name, SAVING)) if at >= JUDGED * SAVING
        ]
        before = postgres_cpu()
        found = loaded(server, participants, folder, seconds)
        beside = (postgres_cpu() - before) / max(1.0, found["rate"] * (seconds + 1)) * 1e3
        costs[name] = found["cpu"]
        told = "the grown campaign" if name == "bench" else "an empty campaign beside it"
        line(
            f"a save in {told}",
            f"{found['cpu']:.3f} ms CPU",
            f"{found['rate']:,.0f}/s, p50 {found['p50']:.0f} ms, p99 {found['p99']:.0f} ms, PostgreSQL {beside:.2f} ms",
        )
    line("  grown / empty", f"{costs['bench'] / costs['empty']:.2f}")


def pages(server: Running, store: Store) -> None:
    participant = seats_of(store, "bench", 1)
    judge, organiser = Browser(server.port), Browser(server.port)
    name, _, value = participant[0][1].partition("=")
    judge.cookies[name] = value
    for told, path in (("a judged document of 20 sentences", participant[0][0]), ("a new one", participant[JUDGED][0])):
        for _ in range(3):  # the first ones prepare templates
            judge.ask("GET", path.removesuffix("/answers"))
        before, waits = server.cpu(), []
        for _ in range(30):
            began = time.perf_counter()
            status, _ = judge.ask("GET", path.removesuffix("/answers"))
            waits.append(time.perf_counter() - began)
            assert status == 200
        cpu = (server.cpu() - before) / 30 * 1e3
        line(f"page of {told}", f"{cpu:.1f} ms CPU", f"median wait {statistics.median(waits) * 1e3:.0f} ms")
    organiser.ask("GET", "/enter/bench")
    for told in ("first look at the organiser's page", "a later look"):
        with took(told):
            status, body = organiser.ask("GET", "/campaigns/bench")
            assert status == 200
    with took("the numbers on it, made beside the server"):
        while b"being made" in body:
            time.sleep(2)
            _, body = organiser.ask("GET", "/campaigns/bench/panels")
    line("server's memory", f"{server.memory():.0f} MB")


def numbers(store: Store, rows: int) -> None:
    """What the live page's numbers cost, beside a campaign of four judges and up to 96,000 judgements: each judgement
    should cost the same, however many judges gave them."""
    documents = max(JUDGED, min(rows, 96_000) // (FEW * PER_ITEM * SENTENCES))
    with took("made and filled beside it", f"{FEW} judges, {documents} documents"):
        campaign.create(
            store, "few", corpus(documents), "h_falcon", [Judge(f"now{n}") for n in range(FEW)], seed=1,
            options={"shuffle": False},
        )  # fmt: skip
        campaign.open(store, "few")
        few = fill(store, "few", documents)
    costs = {}
    for name, size in (("few", few), ("bench", rows)):
        numbers = LiveCampaigns(store)
        before = time.process_time()
        numbers.snapshot(campaign.get(store, name).id)
        spent = time.process_time() - before
        costs[name] = spent / size
        told = "the grown campaign" if name == "bench" else "four judges"
        line(
            f"live numbers of {told}", f"{spent:.1f} s CPU", f"{costs[name] * 1e6:.1f} µs a judgement, reading included"
        )
    line("  grown / four judges, a judgement", f"{costs['bench'] / costs['few']:.2f}")


def reading(store: Store, rows: int) -> None:
    with took("progress of every judge, domain and document"):
        campaign.progress(store, "bench")
    number, after, read = campaign.get(store, "bench").id, 0, 0
    began = time.perf_counter()
    while read < min(rows, 300_000):  # as the API gives them, page by page
        with store.reading() as tx:
            some = tx.judgements.batch(number, after, 10_000)
        read, after = read + len(some), some[-1].id or 0
    line("judgements read back, page by page", f"{read / (time.perf_counter() - began):,.0f}/s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=0.01, help="share of 10,000 judges and 10 million judgements")
    parser.add_argument("--store", help="an empty PostgreSQL database; else one is made for the run")
    parser.add_argument("--seconds", type=int, default=8)
    asked = parser.parse_args()
    judges = max(SAVING, round(JUDGES * asked.scale))
    with tempfile.TemporaryDirectory(prefix="lanner-growth-") as name:
        folder = Path(name)
        with postgres(folder) if not asked.store else here(asked.store) as address:
            print(f"load before: {', '.join(f'{value:.1f}' for value in os.getloadavg())}")
            with Store.open(address) as store:
                rows = made(store, judges)
                line("judgements", f"{rows:,}", f"{rows / (10_000_000):.0%} of ten million")
                size = database(address, "SELECT pg_database_size(current_database())")
                line("the database on disk", f"{size / 2**20:,.0f} MB", f"{size / rows:.0f} bytes a judgement")
                with Running(SERVE, address) as server:
                    saves(server, store, folder, asked.seconds)
                    pages(server, store)
                reading(store, rows)
                numbers(store, rows)
            print(f"load after: {', '.join(f'{value:.1f}' for value in os.getloadavg())}")


@contextmanager
def here(address: str):
    yield address


if __name__ == "__main__":
    main()
