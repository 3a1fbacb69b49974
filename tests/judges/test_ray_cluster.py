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
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from lanner.errors import LannerError
from lanner.judges.plan import Limits, Plan, Totals
from lanner.judges.ray_cluster import PartOutcome, Scheduler, WorkerJob, WorkerPart, judge_part, run_on_ray
from lanner.judges.run import run
from lanner.store import Store
from lanner.store.claims import claim_documents
from model_campaign import QUICK, corpus, judge, member, opened, stored
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


pytestmark = pytest.mark.postgres


def test_documents_that_another_worker_has_are_left_to_it(postgres_url: str) -> None:
    seen: list[Totals] = []
    with Store.open(postgres_url) as store:
        number = opened(store, "da", corpus(3, 2))
        with running(Stub()) as url:
            job = WorkerJob(store.address, number, (Plan("m", (member(url),)),))
            part = WorkerPart(0, ("d0", "d1"), 4, QUICK)
            with claim_documents(store, number, ["d1"]):
                first = judge_part(job, part, seen.append)
                assert (first.totals.items, first.held) == (2, ("d1",))
            second = judge_part(job, part)
        assert (second.totals.items, second.held) == (2, ())
        assert {entry.document for entry in stored(store, number)} == {"d0", "d1"}
    assert seen[-1].items == 2


@pytest.mark.parametrize(("status", "refused"), [(401, True), (503, False)])
def test_a_problem_comes_back_in_words(postgres_url: str, status: int, refused: bool) -> None:
    def answer(_body: dict[str, Any], _turn: int) -> web.Response:
        return web.json_response({"error": {"message": "no"}}, status=status)

    with Store.open(postgres_url) as store:
        number = opened(store, "da", corpus(4, 4))
        with running(Stub(answer)) as url:
            job = WorkerJob(store.address, number, (Plan("m", (member(url),)),))
            outcome = judge_part(job, WorkerPart(0, ("d0", "d1", "d2", "d3"), 16, replace(QUICK, tries=1)))
    assert outcome.problem
    assert outcome.next_step
    assert outcome.refused is refused


def test_another_version_of_lanner_asks_nobody() -> None:
    outcome = judge_part(WorkerJob("nowhere", 1, (), version="0.0.0"), WorkerPart(0, ("d0",), 1))
    assert "0.0.0" in outcome.problem
    assert outcome.next_step == "Install the same version on all machines."


PLAN = Plan("m", (member("http://127.0.0.1:9/v1"),))


def scheduler(place: Path, limits: Limits, workers: int = 3, documents: int = 12) -> tuple[Store, Scheduler]:
    place.mkdir(exist_ok=True)
    store = Store.open(place / "s.db")
    opened(store, "da", corpus(documents, 2))
    return store, Scheduler(store, "c", [PLAN], limits, workers)


def parts(found: Scheduler) -> list[WorkerPart]:
    return list(iter(found.next, None))


def test_parts_are_disjoint_and_rates_are_shared(tmp_path: Path) -> None:
    store, found = scheduler(tmp_path, Limits(4, rpm=300, tpm=9000))
    with store:
        given = parts(found)
        assert sorted(d for part in given for d in part.documents) == sorted(f"d{n}" for n in range(12))
        assert [part.items for part in given] == [8, 8, 8]
        assert {(part.limits.rpm, part.limits.tpm, part.limits.in_flight) for part in given} == {(100, 3000, 4)}
        for part in given:
            found.done(part, PartOutcome(Totals(items=part.items, calls=part.items)))
        assert found.finished
        assert (found.so_far().items, found.so_far().open) == (24, 24)


def test_a_limit_on_items_is_the_whole_run_s(tmp_path: Path) -> None:
    store, found = scheduler(tmp_path, Limits(4, items=10))
    with store:
        given = parts(found)
        assert [part.limits.items for part in given] == [8, 2]
        for part in given:
            found.done(part, PartOutcome(Totals(items=part.limits.items or 0, calls=1)))
        assert found.finished
        assert found.so_far().open == 10


def test_money_is_never_promised_twice_and_what_is_left_over_is_used(tmp_path: Path) -> None:
    store, found = scheduler(tmp_path, Limits(4, max_cost=9.0))
    with store:
        given = parts(found)
        assert [part.limits.max_cost for part in given] == pytest.approx([3.0, 3.0, 3.0])
        for part in given:
            found.done(part, PartOutcome(Totals(items=1, calls=1, stopped="the limit", is_out_of_money=True)))
        assert not found.finished  # some were short of money, and something was asked: another round
        for part in parts(found):
            found.done(part, PartOutcome(Totals(stopped="the limit", is_out_of_money=True)))
        assert found.finished  # nothing could be asked any more
        assert "limit of 9" in found.reckoned().stopped


def test_a_part_without_a_valid_answer_ends_the_run_unless_others_have_some(tmp_path: Path) -> None:
    store, found = scheduler(tmp_path, Limits(4))
    with store:
        first, second, third = parts(found)
        found.done(first, PartOutcome(Totals(items=8, calls=8)))
        found.done(second, PartOutcome(Totals(missing=8, calls=8, stopped="no valid answer")))
        assert [part.documents for part in parts(found)] == [second.documents]
        found.done(third, PartOutcome(Totals(items=8, calls=8)))
    store, found = scheduler(tmp_path / "other", Limits(4))
    with store:
        given = parts(found)
        for part in given:
            found.done(part, PartOutcome(Totals(missing=8, calls=8, stopped="no valid answer")))
        assert (found.finished, found.reckoned().stopped) == (True, "no valid answer")


def test_what_a_dead_worker_had_answered_is_counted_and_the_rest_given_to_others(tmp_path: Path) -> None:
    store, found = scheduler(tmp_path, Limits(4), workers=1, documents=4)
    with store:
        [part] = parts(found)
        judge(store, found.campaign, Stub(), limits=Limits(2, items=3))  # as far as the worker came
        found.died(part, Totals())
        [rest] = parts(found)
        assert rest.items == 5
        judge(store, found.campaign, Stub())
        found.done(rest, PartOutcome(Totals(items=5, calls=5)))
        assert found.finished
        totals = found.reckoned()
        assert (totals.items, totals.calls, totals.tokens_in, found.summary.deaths) == (8, 8, 800, 1)


def test_documents_over_which_workers_die_again_and_again_end_the_run(tmp_path: Path) -> None:
    store, found = scheduler(tmp_path, Limits(4), workers=1, documents=1)
    with store, pytest.raises(LannerError, match=r"died 5 times over the same documents.*d0"):
        for _ in range(6):
            part = found.next()
            assert part is not None
            found.died(part, Totals())


def test_held_documents_are_offered_again_and_a_refusal_ends_the_run(tmp_path: Path) -> None:
    store, found = scheduler(tmp_path, Limits(4), workers=1, documents=2)
    with store:
        [part] = parts(found)
        found.done(part, PartOutcome(Totals(), held=("d1",)))
        assert not found.finished
        [again] = parts(found)
        assert again.documents == ("d1",)
        with pytest.raises(LannerError, match="wrong key"):
            found.done(again, PartOutcome(Totals(), problem="wrong key", refused=True))


def test_a_machine_that_cannot_go_on_leaves_its_documents_to_others(tmp_path: Path) -> None:
    store, found = scheduler(tmp_path, Limits(4), workers=1, documents=2)
    with store:
        [part] = parts(found)
        found.done(part, PartOutcome(Totals(), problem="its server has stopped answering"))
        [again] = parts(found)
        assert sorted(again.documents) == ["d0", "d1"]
