"""The batch interface behind the same ledger: one file for many questions, and none is asked twice after a crash."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from lanner.judges.plan import Limits, Member, Plan, Totals
from lanner.judges.providers import Endpoint
from lanner.judges.providers._openai import Chat, FileBatches
from lanner.judges.run import run
from lanner.store import Store
from model_campaign import corpus, opened, stored
from stub_server import Answer, completion, good


class BatchServer:
    """Files and batches in memory; a batch is done at the nth look at it."""

    def __init__(self, answer: Answer = good, looks: int = 2) -> None:
        self.answer, self.looks = answer, looks
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.asked: Counter[str] = Counter()
        self.made = asyncio.Event()

    def _file(self, content: bytes) -> str:
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return name

    async def upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        assert form["purpose"] == "batch"
        return web.json_response({"id": self._file(form["file"].file.read())})

    async def content(self, request: web.Request) -> web.Response:
        if request.match_info["file"] not in self.files:
            raise web.HTTPNotFound
        return web.Response(body=self.files[request.match_info["file"]])

    async def create(self, request: web.Request) -> web.Response:
        wanted = await request.json()
        batch = {**wanted, "id": f"batch-{len(self.batches)}", "status": "in_progress", "looks": 0}
        self.batches[batch["id"]] = batch
        self.asked.update(json.loads(line)["custom_id"] for line in self.files[wanted["input_file_id"]].splitlines())
        self.made.set()
        return web.json_response(batch)

    async def listed(self, _: web.Request) -> web.Response:
        return web.json_response({"data": list(self.batches.values())})

    async def look(self, request: web.Request) -> web.Response:
        batch = self.batches[request.match_info["batch"]]
        batch["looks"] += 1
        if batch["looks"] >= self.looks and batch["status"] == "in_progress":
            lines = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]
            batch["output_file_id"] = self._file(b"\n".join(map(self._answered, lines)))
            batch["status"] = "completed"
        return web.json_response(batch)

    def _answered(self, line: dict[str, Any]) -> bytes:
        made = self.answer(line["body"], 0)
        status, body = (200, completion(line["body"], made)) if isinstance(made, str) else made
        return json.dumps({"custom_id": line["custom_id"], "response": {"status_code": status, "body": body}}).encode()

    async def serve(self) -> tuple[web.AppRunner, str]:
        app = web.Application()
        app.router.add_post("/v1/files", self.upload)
        app.router.add_get("/v1/files/{file}/content", self.content)
        app.router.add_post("/v1/batches", self.create)
        app.router.add_get("/v1/batches", self.listed)
        app.router.add_get("/v1/batches/{batch}", self.look)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner, f"http://127.0.0.1:{runner.addresses[0][1]}/v1"


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store.open(tmp_path / "s.db") as opened_:
        yield opened_


def quick(endpoint: Endpoint) -> FileBatches:
    return FileBatches(Chat(endpoint), gathering=0.05, between=0.01)


async def judging(store: Store, number: int, url: str, **more: Any) -> Totals:
    plan = Plan("m", (Member("tiny", Endpoint(url, family="default"), **more),))
    return await run(store, number, [plan], limits=Limits(1000, backoff=0.0), connect=quick)


def test_many_questions_are_one_batch_and_stages_follow_each_other(store: Store) -> None:
    number = opened(store, "falcon", corpus(2, 3))

    async def go() -> tuple[BatchServer, Totals]:
        server = BatchServer()
        runner, url = await server.serve()
        try:
            return server, await judging(store, number, url)
        finally:
            await runner.cleanup()

    server, totals = asyncio.run(go())
    assert (totals.items, totals.missing, totals.failed) == (12, 0, 0)
    assert sum(server.asked.values()) == 18
    assert 3 <= len(server.batches) <= 6
    assert len(stored(store, number)) >= 18


async def cut_off(server: BatchServer, run: Coroutine[Any, Any, Totals]) -> None:
    """End a run as soon as it has ordered a batch."""
    first = asyncio.create_task(run)
    await server.made.wait()
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)


def test_a_run_that_was_cut_off_waits_for_its_batch_instead_of_asking_again(store: Store) -> None:
    number = opened(store, "da", corpus(2, 3))

    async def go() -> tuple[BatchServer, Totals]:
        server = BatchServer(looks=10**9)
        runner, url = await server.serve()
        try:
            await cut_off(server, judging(store, number, url))
            server.looks = 1
            return server, await judging(store, number, url)
        finally:
            await runner.cleanup()

    server, totals = asyncio.run(go())
    assert (totals.items, len(server.batches), set(server.asked.values())) == (6, 1, {1})


def test_wrong_answers_go_back_and_refused_requests_are_asked_otherwise(store: Store) -> None:
    number = opened(store, "da", corpus(1, 2))

    def answer(body: dict[str, Any], _: int) -> Any:
        if "temperature" in body:
            return 400, {"error": {"message": "temperature is not supported"}}
        return '{"score": 1000}' if len(body["messages"]) == 2 else good(body)

    async def go() -> Totals:
        server = BatchServer(answer)
        runner, url = await server.serve()
        try:
            return await judging(store, number, url, temperature=0.0)
        finally:
            await runner.cleanup()

    totals = asyncio.run(go())
    assert (totals.items, totals.missing, totals.reasks, totals.wrong) == (2, 0, 2, {"schema": 2})


def test_what_an_expired_batch_had_answered_is_not_asked_again(store: Store) -> None:
    """Its answers are paid for. A line that cannot be read is none; a batch whose files are gone does not matter."""
    number = opened(store, "da", corpus(1, 3))

    async def go() -> tuple[BatchServer, Totals]:
        server = BatchServer(looks=10**9)
        runner, url = await server.serve()
        try:
            await cut_off(server, judging(store, number, url))
            [batch] = server.batches.values()
            lines = [json.loads(line) for line in server.files[batch["input_file_id"]].splitlines()]
            results = b"\n".join(map(server._answered, lines))
            batch |= {"status": "expired", "output_file_id": server._file(results[:-30])}
            server.batches["gone"] = {**batch, "id": "gone", "input_file_id": "x", "status": "completed"}
            server.looks = 1
            return server, await judging(store, number, url)
        finally:
            await runner.cleanup()

    server, totals = asyncio.run(go())
    assert (totals.items, totals.calls, len(server.batches)) == (3, 3, 3)
    assert sorted(server.asked.values()) == [1, 1, 2]


def test_a_question_whose_turn_never_came_is_asked_again_and_a_failed_batch_says_why() -> None:
    answered = {"custom_id": "a", "response": {"status_code": 200, "body": {"x": 1}}}
    expired = {"custom_id": "b", "response": None, "error": {"code": "batch_expired", "message": "too late"}}
    files = {"out": json.dumps(answered).encode(), "wrong": json.dumps(expired).encode()}

    class Files:
        async def content(self, name: str) -> bytes:
            return files[name]

    batches = FileBatches.__new__(FileBatches)
    batches.connection = Files()  # type: ignore[assignment]
    results = asyncio.run(batches.results({"output_file_id": "out", "error_file_id": "wrong"}))
    assert [(result.name, result.status) for result in results] == [("a", 200), ("b", 503)]
    failed = {"id": "b1", "status": "failed", "errors": {"data": [{"message": "Enqueued token limit reached"}] * 2}}
    assert batches.problem(failed) == "the batch b1 is failed: Enqueued token limit reached"
    assert batches.problem({"id": "b1", "status": "expired", "errors": None}) == "the batch b1 is expired"
