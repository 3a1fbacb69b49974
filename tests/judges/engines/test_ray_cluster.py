"""A run over a real Ray cluster of several nodes, of which a worker and then a whole node are killed."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from lanner.errors import LannerError
from lanner.judges.engines.ray_cluster import run_on_ray
from lanner.judges.plan import Limits, Plan
from lanner.judges.run import run
from lanner.store import Store
from model_campaign import corpus, member, opened, stored
from ray_nodes import Nodes, ray_nodes
from stub_server import Stub, completion, good, running

WITH_RAY = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason='Ray is not installed: pip install -e ".[ray]", or make soak'
)
DOCUMENTS, SENTENCES, AT_ONCE = 24, 10, 8


class Disturber(Stub):
    """Answers well, and says in the fingerprint how often the question had come before. It kills the worker of one
    node, and the whole of another node, each as it sends its twentieth question."""

    def __init__(self, nodes: Nodes) -> None:
        super().__init__(self._answer, delay=0.02)
        self._nodes = nodes
        self._ports: dict[int, tuple[int, int] | None] = {}
        self.by_node: Counter[int] = Counter()
        self.killed: list[str] = []

    def _answer(self, body: dict[str, Any], turn: int) -> dict[str, Any]:
        return completion(body, good(body), system_fingerprint=str(turn))

    async def chat(self, request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        port = request.transport.get_extra_info("peername")[1]
        if port not in self._ports:
            self._ports[port] = self._nodes.sender(port)
        sender = self._ports[port]
        if sender:
            node, process = sender
            self.by_node[node] += 1
            if self.by_node[node] == 20 and node in (1, 2):
                self.killed.append("worker" if node == 1 else "node")
                if node == 1:
                    os.kill(process, signal.SIGKILL)
                else:
                    self._nodes.kill(node)
        return await super().chat(request)


def judgements(store: Store) -> list[Any]:
    return sorted((e.document, e.segment, e.question, json.dumps(e.value, sort_keys=True)) for e in stored(store, "c"))


@WITH_RAY
@pytest.mark.postgres
def test_a_worker_and_a_node_are_killed_and_nothing_is_asked_twice_or_lost(postgres_url: str, tmp_path: Path) -> None:
    with Store.open(postgres_url) as store:
        opened(store, "da", corpus(DOCUMENTS, SENTENCES))
    with ray_nodes(3) as nodes:
        stub = Disturber(nodes)
        with running(stub) as url:
            command = [
                sys.executable, "-m", "lanner", "judge", "c", "--store", postgres_url, "--model", "tiny",
                "--as", "m", "--base-url", url, "--in-flight", str(AT_ONCE),
                "--engine", "ray", "--ray-address", nodes.address, "--json",
            ]  # fmt: skip
            done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(stub.killed) == ["node", "worker"]
    assert done.stdout.startswith("{"), done.stdout + done.stderr  # what Ray says does not get between
    said = json.loads(done.stdout)
    [row] = said["rows"]
    whole = DOCUMENTS * SENTENCES
    assert (row["items"], row["missing"], row["left open"], row["replies"]) == (whole, 0, 0, whole)
    assert any("2 workers died" in note for note in said["notes"])
    with Store.open(postgres_url) as store:
        with store.reading() as tx:
            judge = tx.judges.find(1, "m")
            assert judge is not None
            keys = [entry.key for _, entry in tx.ledger.of_judge(judge.number)]
        given = judgements(store)
    # Nothing lost, nothing stored twice.
    assert len(keys) == len(set(keys)) == len(stub.asked) == len(given) == whole
    # Nothing asked twice: each row is from the last time its question came, so none came again after it had a row.
    assert sorted(asked_before(postgres_url)) == sorted(number - 1 for number in stub.asked.values())
    again = sum(stub.asked.values()) - whole
    print(f"{whole} questions, {again} of them under way at the two deaths and asked again; by node {stub.by_node}")
    with running(Stub()) as url, Store.open(tmp_path / "undisturbed.db") as store:
        opened(store, "da", corpus(DOCUMENTS, SENTENCES))
        asyncio.run(run(store, "c", [Plan("m", (member(url, temperature=0.0),))], limits=Limits(8)))
        assert judgements(store) == given


def asked_before(url: str) -> list[int]:
    """How often each question had come before the reply that the ledger has."""
    psycopg = importlib.import_module("psycopg")
    with psycopg.connect(url) as connection:
        return [int(row[0]) for row in connection.execute("SELECT fingerprint FROM ledger")]


@WITH_RAY
@pytest.mark.postgres
def test_where_no_cluster_is_it_says_how_to_start_one(postgres_url: str) -> None:
    with Store.open(postgres_url) as store:
        opened(store, "da", corpus(1, 1))
        plans = [Plan("m", (member("http://127.0.0.1:9/v1"),))]
        with pytest.raises(LannerError, match=r"no Ray cluster at 127\.0\.0\.1:9") as problem:
            run_on_ray(store, "c", plans, address="127.0.0.1:9")
        assert "ray start --head" in problem.value.next_step


def test_a_sqlite_file_is_refused_before_anything_begins(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        opened(store, "da", corpus(1, 1))
        with pytest.raises(LannerError, match="other machines cannot share"):
            run_on_ray(store, "c", [Plan("m", (member("http://127.0.0.1:9/v1"),))])


@pytest.mark.postgres
def test_without_the_extra_it_says_which_one(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with Store.open(postgres_url) as store:
        opened(store, "da", corpus(1, 1))
        with pytest.raises(LannerError, match=r"ray") as problem:
            run_on_ray(store, "c", [Plan("m", (member("http://127.0.0.1:9/v1"),))])
        assert "lanner[ray]" in str(problem.value)
