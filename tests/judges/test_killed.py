"""Kill −9 at any moment: a run started again has the same end as one that was never disturbed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lanner.judges.plan import Limits, Plan
from lanner.judges.run import run
from lanner.store import Store
from model_campaign import corpus, member, opened, stored
from property_examples import rounds
from stub_server import Stub, good, running

_PROCESS = """
import os, sys
from lanner.judges.plan import Limits, Member, Plan
from lanner.judges.providers import Endpoint
from lanner.judges.run import run_shard
place, url, calls = sys.argv[1:]
member = Member("tiny", Endpoint(url, family="default", timeout=20.0))
for _ in sys.stdin:  # a process for each line, without loading everything again
    child = os.fork()
    if not child:
        run_shard(place, "c", [Plan("m", (member,), calls=calls)], None, Limits(8))
        os._exit(0)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def ledger_keys(place: Path) -> list[str]:
    """The questions that have a row, oldest first."""
    connection = sqlite3.connect(place)
    try:
        rows = connection.execute("SELECT key, attempt FROM ledger ORDER BY id")
        return [f"{key} {attempt}" for key, attempt in rows]
    finally:
        connection.close()


def judged(place: Path) -> list[Any]:
    with Store.open(place) as store:
        return sorted(
            (e.document, e.segment, e.question, json.dumps(e.value, sort_keys=True)) for e in stored(store, "c")
        )


class Killer:
    """Answers well, and kills the asking process as it sends a question when so many have a row: some items are half
    answered then."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.pid = self.after = 0

    def __call__(self, body: dict[str, Any], _turn: int) -> str:
        if self.after and len(ledger_keys(self.place)) >= self.after:
            self.after = 0
            os.kill(self.pid, signal.SIGKILL)
        return good(body)

    def start(self, processes: subprocess.Popen[str], after: int = 0) -> int:
        """Run a process to its end, whichever end that is."""
        assert processes.stdin is not None
        assert processes.stdout is not None
        self.after = after
        processes.stdin.write("\n")
        processes.stdin.flush()
        self.pid = int(processes.stdout.readline())
        return int(processes.stdout.readline())


CASES = [("stages", 4, 48), ("documents", 12, 24)]


@pytest.mark.parametrize(("calls", "documents", "whole"), CASES[: rounds(1, 2)])
def test_killed_twice_it_ends_as_if_it_had_not_been(tmp_path: Path, calls: Any, documents: int, whole: int) -> None:
    place, undisturbed = tmp_path / "killed.db", tmp_path / "undisturbed.db"
    for path in (place, undisturbed):
        with Store.open(path) as store:
            opened(store, "falcon", corpus(documents, 4))
    killer = Killer(place)
    stub = Stub(killer, delay=0.03)
    lost = 0
    with (
        running(stub) as url,
        subprocess.Popen(
            [sys.executable, "-c", _PROCESS, str(place), url, calls],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        ) as processes,
    ):  # fmt: skip
        for after in (1, whole // 2):
            before = len(ledger_keys(place)), sum(stub.asked.values())
            assert killer.start(processes, after) == -9
            lost += sum(stub.asked.values()) - before[1] - (len(ledger_keys(place)) - before[0])
        assert killer.start(processes) == 0
        asked = sum(stub.asked.values())
    # Exact: what had a row was not asked again. Lost was what had been sent and was not yet on disk.
    assert asked == whole + lost
    assert len(ledger_keys(place)) == len(set(ledger_keys(place))) == whole
    with running(Stub()) as url, Store.open(undisturbed) as store:
        plan = Plan("m", (member(url),), calls=calls)
        asyncio.run(run(store, "c", [plan], limits=Limits(8)))
    assert set(ledger_keys(place)) == set(ledger_keys(undisturbed))
    assert judged(place) == judged(undisturbed)
