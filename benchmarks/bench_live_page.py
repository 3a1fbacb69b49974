"""The live page of a large campaign, and what it costs those who judge: 1,000 documents of 20 sentences by 4 judges,
each with a grid of twenty skills and two scores, beside an empty campaign.

    python benchmarks/bench_live_page.py           # 120 documents
    python benchmarks/bench_live_page.py --full    # 1,000 documents, 1,600,000 grid answers

Prints how long the page takes (first look, later looks, after a save), how long the numbers behind it take in their own
process, and the server's processor time per save in the full campaign and in the empty one: rounds of both in turn, the
median of their ratios, so that what else the machine does falls on both alike. Then how long a save takes to appear on
a page that is open, and what saves cost with someone looking. The load is printed beside: a busy machine stretches
whatever is waited for.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from uuid import uuid4

from lanner import campaign
from lanner.campaign import Submission
from lanner.model import Document, Judge, Protocol, Segment
from lanner.protocols import load
from lanner.store import Store

ROWS = 20


def wide() -> Protocol:
    """H-FALCON with a grid of twenty skills, so that 80,000 judged sentences come to 1.6 million grid answers."""
    made = load("h_falcon").model_dump(mode="json", by_alias=True)
    for stage in made["stage"]:
        for question in stage["question"]:
            if question["id"] == "skills":
                own = question["rows"]
                more = [{**own[n % len(own)], "id": f"more{n}"} for n in range(ROWS - len(own))]
                question["rows"] = [*own, *more]
    return Protocol.model_validate(made)


PROTOCOL = wide()
SKILLS = [row.id for row in PROTOCOL.find("skills")[1].rows]
LEVELS = ("not_relevant", "low", "medium", "high")
JUDGES, SENTENCES, SAVES, ROUNDS = 4, 20, 200, 9
SERVE = """
import sys
from lanner.store import Store
from lanner.web.server import serve
from lanner.web.site import ServerSettings
serve(Store.open(sys.argv[1]), port=int(sys.argv[2]),
      settings=ServerSettings(entry_code="bench", entry_account="bench"))
"""


def corpus(documents: int) -> list[Document]:
    segments = tuple(Segment(str(n), f"Source {n}.", {"alder": f"Target {n}."}) for n in range(SENTENCES))
    domains = ("news", "social", "literary", "speech")
    return [Document(f"d{n}", segments, "en", "de", domain=domains[n % 4]) for n in range(documents)]


def make(store: Store, name: str, documents: int, *, filled: bool) -> dict[str, str]:
    people = [Judge(f"J{n}") for n in range(JUDGES)] + [Judge("saver")]
    campaign.create(store, name, corpus(documents), PROTOCOL, people, seed=1, options={"shuffle": False})
    campaign.open(store, name)
    dice = Random(1)
    for judge in people[:JUDGES] if filled else []:
        given = []
        for task in campaign.tasks(store, name, judge.id):
            for item in range(len(task.items)):
                truth = Random(hash((task.items[item].document, item)))
                grid = {s: (dice if dice.random() < 0.3 else truth).choice(LEVELS) for s in SKILLS}
                said = {"skills": grid, "sentence": truth.randint(1, 4), "holistic": dice.randint(1, 10)}
                given.append(
                    Submission(task.id, item, said, f"{judge.id}-{task.id}-{item}", 40.0, 30.0, campaign.now())
                )
        for start in range(0, len(given), 5000):
            campaign.submit_many(store, given[start : start + 5000])
    return {"saver": campaign.invitations.issue(store, name, "saver")}


@contextmanager
def serving(database: Path) -> Iterator[tuple[int, int]]:
    """A real server in a process of its own: its port and process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-c", SERVE, str(database), str(port)])
    try:
        for _ in range(600):
            with suppress(OSError):
                http.client.HTTPConnection("127.0.0.1", port, timeout=2).connect()
                break
            time.sleep(0.1)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait()


def processor(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


class Browser:
    """One visitor with cookies, over one connection."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.cookies: dict[str, str] = {}

    def ask(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        headers = {"cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items())}
        if body is not None:
            headers |= {"content-type": "application/json", "sec-fetch-site": "same-origin"}
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        for line in answer.headers.get_all("set-cookie") or ():
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer.status, answer.read()


def saves(port: int, pid: int, secret: str, tasks: list[int]) -> tuple[float, float]:
    """Processor milliseconds of the server per save, and the median wait."""
    judge = Browser(port)
    judge.ask("GET", f"/j/{secret}")
    answers = {"skills": dict.fromkeys(SKILLS, "low"), "sentence": 3, "holistic": 7}
    waits = []
    for number in range(SAVES + 20):
        if number == 20:
            before = processor(pid)
        body = {
            "submission": uuid4().hex,
            "item": number % SENTENCES,
            "answers": {**answers, "holistic": 1 + number % 10},
        }
        began = time.perf_counter()
        status, told = judge.ask("POST", f"/task/{tasks[number // SENTENCES]}/answers", json.dumps(body).encode())
        waits.append(time.perf_counter() - began)
        assert status == 200, told
    return 1000 * (processor(pid) - before) / SAVES, 1000 * statistics.median(waits[20:])


def look(organiser: Browser, path: str) -> tuple[float, bytes]:
    began = time.perf_counter()
    status, body = organiser.ask("GET", path)
    assert status == 200, body
    return time.perf_counter() - began, body


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    documents = 1000 if parser.parse_args().full else 120
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "lanner.sqlite"
        with Store.open(database) as store:
            began = time.perf_counter()
            full = make(store, "full", documents, filled=True)
            empty = make(store, "empty", 1 + ROUNDS * (SAVES // SENTENCES + 1), filled=False)
            rows = documents * SENTENCES * JUDGES
            print(
                f"{rows:,} judged sentences, {ROWS * rows:,} grid answers; made in {time.perf_counter() - began:.0f} s"
            )
            tasks = {name: [task.id for task in campaign.tasks(store, name, "saver")] for name in ("full", "empty")}
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
        with serving(database) as (port, pid):
            measure(port, pid, full, empty, tasks)


def measure(port: int, pid: int, full: dict[str, str], empty: dict[str, str], tasks: dict[str, list[int]]) -> None:
    organiser = Browser(port)
    organiser.ask("GET", "/enter/bench")
    first, body = look(organiser, "/campaigns/full")
    print(f"first look at the page            {1000 * first:8.0f} ms  (progress at once; numbers follow)")
    began = time.perf_counter()
    while b"being made" in body:
        time.sleep(0.2)
        _, body = look(organiser, "/campaigns/full/panels")
    print(f"numbers behind it, made beside    {first + time.perf_counter() - began:8.1f} s")
    later = statistics.median(look(organiser, "/campaigns/full")[0] for _ in range(7))
    print(f"later looks                       {1000 * later:8.0f} ms  {'under' if later < 1 else 'OVER'} one second")
    rounds = []
    step = SAVES // SENTENCES + 1
    for number in range(ROUNDS):
        places = [("empty", empty), ("full", full)]
        found = {}
        for name, links in places if number % 2 else reversed(places):
            found[name] = saves(port, pid, links["saver"], tasks[name][number * step :])
        rounds.append((found["full"][0] / found["empty"][0], found))
    rounds.sort(key=lambda entry: entry[0])
    for name in ("empty", "full"):
        cost = statistics.median(found[name][0] for _, found in rounds)
        wait = statistics.median(found[name][1] for _, found in rounds)
        print(f"a save in the {name:5} campaign       {cost:8.2f} ms processor, {wait:.1f} ms wait")
    ratios = [ratio for ratio, _ in rounds]
    print(
        f"ratio full / empty                {statistics.median(ratios):8.2f}  "
        f"median of {ROUNDS} rounds of {SAVES} saves; {ratios[0]:.2f} to {ratios[-1]:.2f}"
    )
    seen(port, full["saver"], tasks["full"][ROUNDS * step])
    stop = threading.Event()
    watcher = threading.Thread(target=watching, args=(port, stop))
    watcher.start()
    time.sleep(1)
    looked, wait = saves(port, pid, full["saver"], tasks["full"][ROUNDS * step + 1 :])
    stop.set()
    alone = statistics.median(found["full"][0] for _, found in rounds)
    print(f"with someone looking              {wait:8.1f} ms wait for a save, {looked:.2f} ms processor in all")
    print(f"ratio looked at / not             {looked / alone:8.2f}  the server's own time, pages and news included")
    print(f"server's memory                   {resident(pid):8.0f} MB")
    watcher.join()


def judged(body: bytes) -> int:
    """How many items a page says were judged."""
    found = re.search(rb"([\d,]+) of [\d,]+ items judged by people", body)
    assert found, body[:500]
    return int(found[1].replace(b",", b""))


def seen(port: int, secret: str, task: int) -> None:
    """How long a save takes to appear on a page that is open: until the news arrives, until the page shows it."""
    organiser, judge = Browser(port), Browser(port)
    organiser.ask("GET", "/enter/bench")
    judge.ask("GET", f"/j/{secret}")
    stream = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    cookie = f"lanner_account={organiser.cookies['lanner_account']}"
    stream.request("GET", "/campaigns/full/events", headers={"cookie": cookie})
    answer = stream.getresponse()
    news, shown = [], []
    for item in range(5):
        time.sleep(1.5)  # the page's own pause between two looks, and the news of the save before
        before = judged(organiser.ask("GET", "/campaigns/full/panels")[1])
        answers = {"skills": dict.fromkeys(SKILLS, "low"), "sentence": 3, "holistic": 7}
        body = json.dumps({"submission": uuid4().hex, "item": item, "answers": answers}).encode()
        began = time.perf_counter()
        assert judge.ask("POST", f"/task/{task}/answers", body)[0] == 200
        while b"changed" not in answer.readline():
            pass
        news.append(time.perf_counter() - began)
        while judged(organiser.ask("GET", "/campaigns/full/panels")[1]) <= before:
            time.sleep(0.02)
        shown.append(time.perf_counter() - began)
    stream.close()
    print(f"from a save to its news           {1000 * statistics.median(news):8.0f} ms  at most {1000 * max(news):.0f}")
    told = "within" if max(shown) < 2 else "NOT within"
    print(
        f"from a save to the page showing   {1000 * statistics.median(shown):8.0f} ms  "
        f"at most {1000 * max(shown):.0f}: {told} two seconds"
    )


def watching(port: int, stop: threading.Event) -> None:
    """A live page that is open: it listens for news and fetches its panels when there is some."""
    organiser = Browser(port)
    organiser.ask("GET", "/enter/bench")
    stream = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    stream.request(
        "GET", "/campaigns/full/events", headers={"cookie": f"lanner_account={organiser.cookies['lanner_account']}"}
    )
    answer = stream.getresponse()
    with suppress(TimeoutError, OSError):
        while not stop.is_set():
            if b"changed" in answer.readline():
                organiser.ask("GET", "/campaigns/full/panels")
                stop.wait(1.2)  # as the page does


if __name__ == "__main__":
    main()
