"""Judges at work against the real server while it is killed under them, and the account of it afterwards.

The judges do what the judging page does: an answer stays in their outbox, under one id, until the server has said that
it is on disk; after that it is forgotten by the page, so the store must have it. Each judge has the document open in
two tabs, which share one outbox: either sends what waits there, often both at once. Everything random is seeded, so a
failure can be looked at again.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

import aiohttp

from lanner import campaign, protocols
from lanner.model import Document, Grid, Judge, Segment
from lanner.store import Store
from lanner.store.backup import verify
from ports import free_port

NAME = "kept"
JUDGES = 16
SENTENCES = 12
TABS = 2
_GRID = protocols.load("h_falcon").find("skills")
assert _GRID and isinstance(_GRID[1], Grid)
ROWS = [row.id for row in _GRID[1].rows]


def prepare(place: str, judges: int = JUDGES) -> dict[str, str]:
    """An open campaign at a store; the secrets of its judges."""
    sentences = tuple(Segment(str(n), f"Source {n}.", {"one": f"Ziel {n}."}) for n in range(SENTENCES))
    people = [Judge(f"J{n}") for n in range(judges)]
    with Store.open(place) as store:
        campaign.create(store, NAME, [Document("text", sentences, "en", "de")], "h_falcon", people, seed=1)
        campaign.open(store, NAME)
        return campaign.invitations.issue_all(store, NAME)


class Server:
    """`lanner serve` in a process group of its own, so that all of it can be killed at one stroke."""

    def __init__(self, place: str, *options: str, environment: dict[str, str] | None = None) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = {**os.environ, "LANNER_STORE": place, **(environment or {})}
        self.command = [sys.executable, "-m", "lanner", "serve", "--port", str(self.port), *options]
        self.process: subprocess.Popen[bytes] | None = None
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the server

    async def start(self) -> None:
        """Start it, with nothing done to the store in between, and wait until it answers."""
        self.log.seek(0)
        self.log.truncate()
        self.process = subprocess.Popen(
            self.command, env=self.environment, stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True
        )
        async with aiohttp.ClientSession() as asking:
            for _ in range(2400):
                assert self.process.poll() is None, f"the server ended by itself: {self._last_words()}"
                with suppress(aiohttp.ClientError):
                    async with asking.get(f"{self.url}/readyz") as answer:
                        if answer.status == 200:
                            return
                await asyncio.sleep(0.05)
        raise RuntimeError("the server did not start")

    def _last_words(self) -> str:
        self.log.seek(0)
        return self.log.read()[-2000:].decode(errors="replace")

    def kill(self) -> None:
        """As a power cut does: the whole group, nothing is finished first."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def end(self) -> int:
        """As an operator does: it finishes what was begun."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


@dataclass
class Account:
    """What happened: what was sent, what was acknowledged, and how often it took more than one try."""

    sent: dict[str, dict[str, Any]] = field(default_factory=dict)
    acknowledged: dict[str, dict[str, int]] = field(default_factory=dict)
    contradicted: list[str] = field(default_factory=list)
    """Submissions that two tabs sent and that were acknowledged with different ids."""
    repeated: int = 0
    tries: int = 0
    refused: int = 0
    kills: int = 0

    def check(self, place: str) -> list[str]:
        """Compare every save with the store. What is wrong, in words; nothing is the only good answer."""
        wrong = [f"{submission} was acknowledged in two ways" for submission in self.contradicted]
        with Store.open(place) as store:
            stored: dict[str, dict[str, Any]] = defaultdict(dict)
            for judgement in campaign.history(store, NAME):
                if judgement.question in stored[judgement.submission]:
                    wrong.append(f"{judgement.submission} is there twice")
                stored[judgement.submission][judgement.question] = (judgement.id, judgement.value)
            for found in verify(store):
                wrong += [f"{found.check}: {problem}" for problem in found.problems]
        for submission, ids in self.acknowledged.items():
            if {question: id_ for question, (id_, _) in stored[submission].items()} != ids:
                wrong.append(f"{submission} was acknowledged and is not there as it was")
        for submission, answers in stored.items():
            if self.sent.get(submission) != {question: value for question, (_, value) in answers.items()}:
                wrong.append(f"{submission} is not what was sent")
        return wrong


Outbox = dict[str, tuple[int, dict[str, Any]]]
"""What a device holds until it is acknowledged: item and answers by submission."""


class Trial:
    """Sixteen judges and whoever disturbs them. With several servers the judges are spread over them; it is the first
    that is killed."""

    def __init__(self, server: Server, secrets: dict[str, str], seed: int, *others: Server) -> None:
        self.server, self.secrets, self.seed = server, secrets, seed
        self.servers = (server, *others)
        self.account = Account()
        self.up = asyncio.Event()
        self.done = False
        self._progress = asyncio.Condition()

    async def run(self, disturb: Any) -> Account:
        """Let the judges work while `disturb(self)` runs; then let their outboxes drain, and end the server."""
        for server in self.servers:
            await server.start()
        self.up.set()
        working = [asyncio.create_task(self._judge(n, secret)) for n, secret in enumerate(self.secrets.values())]
        disturbing = asyncio.ensure_future(disturb(self))
        try:
            await asyncio.wait([disturbing, *working], return_when=asyncio.FIRST_COMPLETED)
            for task in working:  # one who stopped would be waited for without end
                if task.done():
                    task.result()
            await disturbing
            self.done = True
            await asyncio.gather(*working)
            for server in self.servers:
                assert server.end() in (0, -signal.SIGTERM), "the server did not end well"
        finally:
            for task in (disturbing, *working):
                task.cancel()
            for server in self.servers:
                server.kill()
                server.log.close()
        assert set(self.account.acknowledged) == set(self.account.sent), "some outbox was not emptied"
        return self.account

    async def after(self, tries: int) -> None:
        """Return when so many more requests have been sent."""
        wanted = self.account.tries + tries
        async with self._progress:
            await self._progress.wait_for(lambda: self.account.tries >= wanted)

    async def after_acknowledged(self, saves: int) -> None:
        """Return when so many more saves have been acknowledged."""
        wanted = len(self.account.acknowledged) + saves
        async with self._progress:
            await self._progress.wait_for(lambda: len(self.account.acknowledged) >= wanted)

    async def kill_and_restart(self) -> None:
        self.up.clear()
        self.server.kill()
        self.account.kills += 1
        await self.server.start()
        self.up.set()

    async def _judge(self, number: int, secret: str) -> None:
        address = self.servers[number % len(self.servers)].url
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
            task = await self._enter(browser, f"{address}/j/{secret}")
            place, outbox = f"{address}/task/{task}/answers", Outbox()
            await asyncio.gather(*(self._tab(browser, place, outbox, f"{number}-{tab}") for tab in range(TABS)))

    async def _tab(self, browser: aiohttp.ClientSession, place: str, outbox: Outbox, name: str) -> None:
        """Answer, and send what waits on the device, whichever tab it was given in."""
        dice = Random(f"{self.seed} {name}")
        while not self.done or outbox:
            if not self.done and len(outbox) < TABS:
                submission = f"{name}-{dice.getrandbits(64):016x}"
                outbox[submission] = dice.randrange(SENTENCES), _answers(dice)
                self.account.sent[submission] = outbox[submission][1]
            submission = dice.choice(list(outbox))
            if not await self._send(browser, place, submission, outbox):
                await asyncio.sleep(0.02)

    async def _enter(self, browser: aiohttp.ClientSession, link: str) -> int:
        while True:
            try:
                async with browser.get(link) as page:
                    text = await page.text()
                    if page.status == 200:
                        return int(re.findall(r'href="/task/(\d+)', text)[0])
            except aiohttp.ClientError:
                await self.up.wait()
            await asyncio.sleep(0.02)

    async def _send(self, browser: aiohttp.ClientSession, place: str, submission: str, outbox: Outbox) -> bool:
        """Send something once. It leaves the device when it is acknowledged."""
        item, answers = outbox[submission]
        body = {"submission": submission, "item": item, "answers": answers, "active": 3.0}
        self.account.tries += 1
        await self._notify()
        try:
            async with browser.post(place, json=body) as answer:
                if answer.status == 200:
                    self._acknowledge(submission, (await answer.json())["saved"])
                    outbox.pop(submission, None)
                    await self._notify()
                    return True
                assert answer.status in (429, 503), f"{answer.status}: {await answer.text()}"
                self.account.refused += answer.status == 503
        except (aiohttp.ClientError, ConnectionError):
            await self.up.wait()
        return False

    def _acknowledge(self, submission: str, ids: dict[str, int]) -> None:
        before = self.account.acknowledged.setdefault(submission, ids)
        self.account.repeated += before is not ids
        if before != ids:
            self.account.contradicted.append(submission)

    async def _notify(self) -> None:
        async with self._progress:
            self._progress.notify_all()


def _answers(dice: Random) -> dict[str, Any]:
    skills = {row: dice.choice(("low", "medium", "high", "not_relevant")) for row in ROWS}
    scores = {"sentence": dice.randint(1, 4), "holistic": dice.randint(1, 10)}
    return {"skills": skills, **scores, "comment": f"remark {dice.getrandbits(32):08x} 한국어 ✓"}
