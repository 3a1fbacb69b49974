"""Real replies of a real server (llama.cpp) whose model has random weights: every stored judgement is valid, what is
not is counted, and a run that was killed goes on exactly.
"""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from judges.test_killed import ledger_keys
from lanner import campaign, protocols
from lanner.judges.plan import Limits, Member, Plan
from lanner.judges.providers import Endpoint
from lanner.judges.run import run
from lanner.model import Object
from lanner.protocols.answers import check, texts_of
from lanner.store import Store
from model_campaign import corpus, opened, stored
from property_examples import EVERYTHING
from tiny_llama import llama_server

PROTOCOLS = [
    *("falcon", "esa", "ranking_rs", "context_survey", "mqm_linked"),  # every kind of answer
    *(("h_falcon", "da", "parity", "mqm", "mqm_core", "mqm_localisation") if EVERYTHING else ()),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama_server(tmp_path_factory.mktemp("llama")) as url:
        yield url


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_stored_judgement_is_valid_and_every_failure_counted(server: str, tmp_path: Path, name: str) -> None:
    pair = any(stage.object is Object.OUTPUTS for stage in protocols.load(name).stages)
    texts = corpus(1, 1, ("oak", "ash") if pair else ("oak",))
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, name, texts)
        member = Member("tiny", Endpoint(server), temperature=1.0, seed=3, max_tokens=400)
        totals = asyncio.run(run(store, number, [Plan("m", (member,), swap=pair)], limits=Limits(4, backoff=0.0)))
        assert totals.items + totals.missing == totals.open > 0
        assert totals.failed == 0
        protocol = protocols.load(name)
        for entry in stored(store, number):
            found = protocol.find(entry.question)
            assert found is not None
            same = [e for e in stored(store, number) if (e.question, e.segment) == ("skills", entry.segment)]
            items = [i for task in campaign.tasks(store, number, "m") for i in task.items]
            shown = texts_of(texts[0], next(item for item in items if item.segment == entry.segment))
            chosen = same[0].value if same and found[1].for_each else ()
            check(found[1], entry.value, texts=shown, chosen=chosen, outputs=2)
    connection = sqlite3.connect(tmp_path / "s.db")
    replies = connection.execute("SELECT outcome, detail, tokens_in, tokens_out FROM ledger").fetchall()
    connection.close()
    assert len(replies) == totals.calls
    assert sum(outcome in ("invalid", "missing") for outcome, *_ in replies) == sum(totals.wrong.values())
    read = [row for row in replies if '"finish":""' not in row[1]]  # the others this server could not read itself
    assert all('"means":"json_schema"' in detail and sent and got for _, detail, sent, got in read)


def start(place: Path, url: str) -> subprocess.Popen[bytes]:
    """The real command line, in a process of its own."""
    words = ["judge", "c", "--store", str(place), "--model", "tiny", "--base-url", url, "--in-flight", "2"]
    call = "import sys; from lanner.cli import main; sys.argv[0] = 'lanner'; main()"
    return subprocess.Popen([sys.executable, "-c", call, *words], stdout=subprocess.DEVNULL)


@pytest.mark.soak
def test_killed_and_started_again_nothing_is_asked_twice_or_lost(server: str, tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    with Store.open(place) as store:
        number = opened(store, "da", corpus(2, 3))
    process = start(place, server)
    while process.poll() is None and len(ledger_keys(place)) < 2:
        time.sleep(0.01)
    process.kill()
    process.wait()
    kept = ledger_keys(place)
    assert start(place, server).wait() == 0
    assert ledger_keys(place)[: len(kept)] == kept  # not one of them again
    assert len(set(ledger_keys(place))) == len(ledger_keys(place)) == 6
    with Store.open(place) as store:
        assert len({(entry.document, entry.segment) for entry in stored(store, number)}) == 6
