"""Judges at work against the real server while it is killed under them, and the account of it afterwards.

The judges do what the judging page does: an answer stays in their outbox, under one id, until the server has said that
it is on disk; after that it is forgotten by the page, so the store must have it. Everything random is seeded, so a
failure can be looked at again.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
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

NAME = "kept"
JUDGES = 16
SENTENCES = 12
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
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = {**os.environ, "LANNER_STORE": place, **(environment or {})}
        self.command = [sys.executable, "-m", "lanner", "serve", "--port", str(self.port), *options]
        self.process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        """Start it, with nothing done to the store in between, and wait until it answers."""
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(
            self.command, env=self.environment, stdout=quiet, stderr=quiet, start_new_session=True
        )
        async with aiohttp.ClientSession() as asking:
            for _ in range(2400):
                assert self.process.poll() is None, f"the server ended by itself: {self.process.returncode}"
                with suppress(aiohttp.ClientError):
                    async with asking.get(f"{self.url}/readyz") as answer:
                        if answer.status == 200:
                            return
                await asyncio.sleep(0.05)
        raise RuntimeError("the server did not start")

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
    tries: int = 0
    refused: int = 0
    kills: int = 0

    def check(self, place: str) -> list[str]:
        """Compare every save with the store. What is wrong, in words; nothing is the only good answer."""
        wrong = []
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
        try:
            await disturb(self)
            self.done = True
            await asyncio.gather(*working)
            for server in self.servers:
                assert server.end() in (0, -signal.SIGTERM), "the server did not end well"
        finally:
            for task in working:
                task.cancel()
            for server in self.servers:
                server.kill()
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
        dice = Random(self.seed * 1000 + number)
        address = self.servers[number % len(self.servers)].url
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
            task = await self._enter(browser, f"{address}/j/{secret}")
            while not self.done:
                submission = f"{number}-{dice.getrandbits(64):016x}"
                answers = _answers(dice)
                self.account.sent[submission] = answers
                place = f"{address}/task/{task}/answers"
                await self._save(browser, place, dice.randrange(SENTENCES), submission, answers)

    async def _enter(self, browser: aiohttp.ClientSession, link: str) -> int:
        while True:
            try:
                async with browser.get(link) as page:
                    text = await page.text()
                    if page.status == 200:
                        return int(text.split('href="/task/')[1].split('"')[0])
            except aiohttp.ClientError:
                await self.up.wait()
            await asyncio.sleep(0.02)

    async def _save(
        self, browser: aiohttp.ClientSession, place: str, item: int, submission: str, answers: dict[str, Any]
    ) -> None:
        body = {"submission": submission, "item": item, "answers": answers, "active": 3.0}
        while True:
            self.account.tries += 1
            async with self._progress:
                self._progress.notify_all()
            try:
                async with browser.post(place, json=body) as answer:
                    if answer.status == 200:
                        self.account.acknowledged[submission] = (await answer.json())["saved"]
                        async with self._progress:
                            self._progress.notify_all()
                        return
                    assert answer.status == 503, f"{answer.status}: {await answer.text()}"
                    self.account.refused += 1
            except (aiohttp.ClientError, ConnectionError):
                await self.up.wait()
            await asyncio.sleep(0.02)


def _answers(dice: Random) -> dict[str, Any]:
    skills = {row: dice.choice(("low", "medium", "high", "not_relevant")) for row in ROWS}
    scores = {"sentence": dice.randint(1, 4), "holistic": dice.randint(1, 10)}
    return {"skills": skills, **scores, "comment": f"remark {dice.getrandbits(32):08x} 한국어 ✓"}
