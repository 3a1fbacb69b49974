"""How long judges wait for a save while somebody else makes trouble.

    python benchmarks/bench_stalls.py                  # 50 judges who each save once a second, on SQLite
    python benchmarks/bench_stalls.py --judges 200 --postgres
    python benchmarks/bench_stalls.py --only "ten live pages"

Each row is one kind of trouble, kept up while the judges save: the median, the 99th percentile and the longest of their
waits, beside what an earlier version did when it was attacked so. The last row is an organiser who waits for a plan
while others have large reports made. The first two rows are servers that do next to nothing, asked in the same way:
waits of ours mean little where these wait as long. Each judge's first save, which opens a connection and finds their
session, is told apart: all judges begin within one second, which no campaign does. It takes about three minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import aiohttp
import bench_save
from bench_load import BARE, Running, postgres, prepared, schema_of
from bench_save import answers

from lanner.campaign.accounts import hash_password
from lanner.store import AccountRole, Store
from lanner.web.access import ACCOUNT_COOKIE, SessionCache, Visitor

PASSWORD = "a sentence nobody guesses"
SERVER = """
import sys
from lanner.store import Store
from lanner.web.server import serve
from lanner.web.site import ServerSettings
serve(Store.open(sys.argv[1]), port=int(sys.argv[2]), settings=ServerSettings())
"""


@dataclass
class Scene:
    """A server, the judges who work, one who makes trouble, and an organiser."""

    server: Running
    participants: list[tuple[str, str]]
    bad: tuple[str, str]
    owner: dict[str, str]
    token: str
    client: aiohttp.ClientSession
    over: asyncio.Event
    place: str
    first: list[float] = field(default_factory=list)

    async def post(self, path: str, fields: dict[str, str]) -> int:
        """A form, as the organiser sends it; the status of the answer."""
        body = {"token": self.token, **fields}
        async with self.client.post(
            self.server.url + path, data=body, headers=self.owner, allow_redirects=False
        ) as answer:
            await answer.read()
            self.location = answer.headers.get("location", "")
            return answer.status

    async def save(self, participant: tuple[str, str], number: int, item: int, submission: str) -> float:
        path, cookie = participant
        began = time.perf_counter()
        body = {"submission": submission, "item": item, "answers": answers(number), "active": 9.0}
        async with self.client.post(self.server.url + path, json=body, headers={"cookie": cookie}) as answer:
            await answer.read()
            self.status = answer.status
        return time.perf_counter() - began


async def judges(scene: Scene, seconds: int) -> list[float]:
    """Everyone saves once a second; how long each of them waited, but for the first time."""
    waits: list[float] = []
    scene.first = []

    async def judge(number: int, participant: tuple[str, str]) -> None:
        await asyncio.sleep(number / len(scene.participants))
        for turn in range(seconds + 1):
            took = await scene.save(participant, turn, turn % 20, uuid4().hex)
            assert scene.status in (200, 409), scene.status
            (waits if turn else scene.first).append(took)
            await asyncio.sleep(max(0.0, 1.0 - took))

    await asyncio.gather(*(judge(number, participant) for number, participant in enumerate(scene.participants)))
    FIRST[:] = scene.first
    return waits


FIRST: list[float] = []
"""How long the judges waited for their first save, the last time."""


async def quiet(scene: Scene) -> None:
    await scene.over.wait()


async def reused_ids(scene: Scene) -> None:
    """Ten connections send one submission id again and again, for one item after the other."""
    await scene.save(scene.bad, 1, 0, "used-before-0001")

    async def one(number: int) -> None:
        while not scene.over.is_set():
            number += 1
            await scene.save(scene.bad, number, 1 + number % 19, "used-before-0001")

    await asyncio.gather(*(one(number) for number in range(10)))


async def revisions(scene: Scene) -> None:
    """One judge revises one sentence as fast as the server lets them, after a few hundred revisions."""
    number = 0
    while not scene.over.is_set():
        number += 1
        await scene.save(scene.bad, number, 0, uuid4().hex)


DRAFT = {"do": "plan", "name": "another", "design": "full", "protocol": "da", "judges": "Ana\nBen"}


def pasted(name: str, text: str) -> Callable[[Scene], Awaitable[None]]:
    async def work(scene: Scene) -> None:
        """An organiser pastes a text into a field of a draft, which refuses it."""
        assert await scene.post("/new", {"from": "demo"}) == 303
        place = scene.location
        while not scene.over.is_set():
            status = await scene.post(place, {**DRAFT, name: text})
            assert status == 422, f"{name} was not read: {status}"

    return work


async def passwords(scene: Scene) -> None:
    """Four at a time ask for another password."""

    async def one() -> None:
        while not scene.over.is_set():
            await scene.post("/account", {"old": "wrong old password", "new": "x" * 12})

    await asyncio.gather(*(one() for _ in range(4)))


async def half_sent(scene: Scene) -> None:
    """Three hundred connections that begin a request and never end it."""
    connections = []
    with ExitStack() as stack:
        for _ in range(300):
            with suppress(OSError):
                connection = stack.enter_context(socket.create_connection(("127.0.0.1", scene.server.port), timeout=2))
                connection.sendall(b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nname=")
                connections.append(connection)
        await scene.over.wait()


async def reports(scene: Scene) -> None:
    """Four reports of the whole campaign at once, again and again."""

    async def one() -> None:
        while not scene.over.is_set():
            timeout = aiohttp.ClientTimeout(total=300)
            with suppress(TimeoutError, aiohttp.ClientError):
                url = f"{scene.server.url}/campaigns/bench/report"
                async with scene.client.get(url, headers=scene.owner, timeout=timeout) as answer:
                    await answer.read()

    tasks = [asyncio.create_task(one()) for _ in range(4)]
    await scene.over.wait()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def live_pages(scene: Scene) -> None:
    """Ten open live pages, each of which fetches its numbers when there is news, as the page does."""
    here = f"{scene.server.url}/campaigns/bench"

    async def one() -> None:
        timeout = aiohttp.ClientTimeout(total=None)
        async with scene.client.get(f"{here}/events", headers=scene.owner, timeout=timeout) as stream:
            async for line in stream.content:
                if b"changed" in line:
                    async with scene.client.get(f"{here}/panels", headers=scene.owner) as answer:
                        await answer.read()
                    await asyncio.sleep(1.2)

    tasks = [asyncio.create_task(one()) for _ in range(10)]
    await scene.over.wait()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


ORGANISER = """
import sys
import bench_save
from lanner import campaign
from lanner.model import Judge
from lanner.store import Store
with Store.open(sys.argv[1]) as store:
    if sys.argv[2] == "judges":
        campaign.add_judges(store, "bench", [Judge(f"more{n}") for n in range(500)])
    else:
        bench_save.SENTENCES = 20
        rows = [row for n in range(80_000 // 1200) for row in bench_save.imported(1200, f"file{n}")]
        campaign.import_judgements(store, "bench", rows)
"""


def organised(what: str) -> Callable[[Scene], Awaitable[None]]:
    async def work(scene: Scene) -> None:
        """An organiser changes much at once, from a process of their own, as imports are done by the server's."""
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", ORGANISER, scene.place, what)
        assert await process.wait() == 0
        await scene.over.wait()

    return work


REVISING = "one judge revising without end"
REPORTS = "4 large reports at a time"
PROTOCOL = 'name = "p"\nversion = "1"\nextends = "sqm"\nz = [\n[' + " " * 1500 + "\n1]]\n"
TROUBLE: dict[str, tuple[Callable[[Scene], Awaitable[None]], str]] = {
    "nothing": (quiet, "p50 3 ms, p99 10 ms"),
    "a submission id used again, 10 connections": (reused_ids, "p50 10.2 s"),
    REVISING: (revisions, "p50 2.1 s"),
    "25,000 letters pasted as judges": (pasted("judges", "a" * 25_000), "stood 34.6 s"),
    "a protocol of [ and 1,500 blanks": (pasted("own_protocol", PROTOCOL), "stood 13.9 s"),
    "new passwords, 4 at a time": (passwords, "hashed by the writer"),
    "300 half-sent requests": (half_sent, "never let go of"),
    REPORTS: (reports, "not measured"),
    "ten live pages": (live_pages, "p99 145 ms with three"),
    "500 judges are added": (organised("judges"), "longest 3 to 5 s on SQLite"),
    "80,000 answers are taken in": (organised("answers"), "longest 4 s on SQLite"),
}
"""What is done, and what judges felt of it before."""


async def plans(scene: Scene, seconds: int) -> list[float]:
    """How long an organiser waits for a plan, one after the other."""
    assert await scene.post("/new", {"from": "demo"}) == 303
    place, waits, end = scene.location, list[float](), time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.perf_counter()
        status = await scene.post(place, DRAFT)
        assert status == 200, status
        waits.append(time.perf_counter() - began)
    return waits


async def measured(
    place: str,
    participants: list[tuple[str, str]],
    trouble: str,
    seconds: int,
    others: Callable[[Scene, int], Awaitable[list[float]]] = judges,
) -> list[float]:
    """How long the others waited, each time, while somebody made this trouble."""
    with Store.open(place) as store:
        with store.writing() as tx:
            known = tx.accounts.find("Ann")
            number = (
                known.id
                if known
                else tx.accounts.add("Ann", hash_password(PASSWORD), AccountRole.OWNER, datetime.now(UTC))
            )
            account = tx.accounts.by_number(number)
        session = SessionCache(store).open(account=number)
    token = Visitor(account=account).form_token
    with Running(SERVER, place) as server:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as client:
            owner = {"cookie": f"{ACCOUNT_COOKIE}={session}", "sec-fetch-site": "same-origin"}
            scene = Scene(server, participants[1:], participants[0], owner, token, client, asyncio.Event(), place)
            if trouble == REVISING:
                for turn in range(300):
                    await scene.save(scene.bad, turn, 0, uuid4().hex)
            work, _ = TROUBLE[trouble]
            making = asyncio.create_task(work(scene))
            await asyncio.sleep(1.0)
            waits = await others(scene, seconds)
            scene.over.set()
            await asyncio.wait_for(making, 120)
            return waits


async def bare(place: str, path: str, judges: int, seconds: int) -> list[float]:
    """How long the same judges wait for a server that does nothing, or for one bare durable insert."""
    waits: list[float] = []
    body = {"submission": uuid4().hex, "item": 0, "answers": answers(1), "active": 9.0}
    with Running(BARE, place) as server:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as client:

            async def judge(number: int) -> None:
                await asyncio.sleep(number / judges)
                for _ in range(seconds):
                    began = time.perf_counter()
                    async with client.post(server.url + path, json=body) as answer:
                        await answer.read()
                    took = time.perf_counter() - began
                    waits.append(took)
                    await asyncio.sleep(max(0.0, 1.0 - took))

            await asyncio.gather(*(judge(number) for number in range(judges)))
    return waits


def show(name: str, waits: list[float], before: str) -> None:
    times = sorted(1e3 * wait for wait in waits)
    p99 = statistics.quantiles(times, n=100, method="inclusive")[98] if len(times) > 1 else times[0]
    print(f"{name:46}{len(times):7}{statistics.median(times):9.1f}{p99:9.1f}{times[-1]:9.1f}  {before}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judges", type=int, default=50)
    parser.add_argument("--rows", type=int, default=10_000, help="judgements in the store")
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--postgres", action="store_true", help="on PostgreSQL instead of SQLite")
    parser.add_argument("--only", choices=list(TROUBLE), action="append", help="one kind of trouble")
    choice = parser.parse_args()
    bench_save.SAVES = 10
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        place = str(Path(folder) / "stalls.sqlite")
        if choice.postgres:
            place = schema_of(stack.enter_context(postgres(Path(folder))), choice.rows)
        participants = prepared(place, choice.rows, choice.judges + 1)[: choice.judges + 1]
        print(f"{choice.judges} judges, a save a second each; {choice.rows:,} judgements in the store")
        print(f"load of the machine: {', '.join(f'{value:.1f}' for value in os.getloadavg())}")
        print(f"{'meanwhile':46}{'saves':>7}{'p50':>9}{'p99':>9}{'longest':>9}  ms; before")
        for path, name in (("/noop", "a server that does nothing"), ("/bare", "a server with one bare insert")):
            other = str(Path(folder) / "bare.sqlite")
            show(name, asyncio.run(bare(other, path, choice.judges, choice.seconds)), "what the machine gives")
        for trouble in choice.only or TROUBLE:
            show(trouble, asyncio.run(measured(place, participants, trouble, choice.seconds)), TROUBLE[trouble][1])
            show("  first saves", FIRST, "")
        if not choice.only:
            print("an organiser who waits for a plan, meanwhile")
            for trouble, before in (("nothing", ""), (REPORTS, "waited for all of them")):
                show(trouble, asyncio.run(measured(place, participants, trouble, choice.seconds, plans)), before)
        print(f"load of the machine: {', '.join(f'{value:.1f}' for value in os.getloadavg())}")


if __name__ == "__main__":
    main()
