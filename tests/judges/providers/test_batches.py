"""Batch interfaces of every provider behind the same ledger: nothing is asked twice, nothing of another store taken."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from aiohttp import web

from lanner.errors import LannerError
from lanner.judges.plan import Limits, Member, Plan, Totals
from lanner.judges.providers import Endpoint, Provider, _batches, connect
from lanner.judges.run import run
from lanner.store import Store
from model_campaign import corpus, opened, stored
from stub_providers import DIALECTS, BatchServer, Chat
from stub_server import good

ALL = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.provider)


def quick(endpoint: Endpoint) -> Provider:
    connection: Any = connect(endpoint)
    connection._gathering, connection._between = 0.05, 0.01
    return cast(Provider, connection)


async def judging(store: Store, number: int, url: str, dialect: Chat, **more: Any) -> Totals:
    plan = Plan("m", (Member("tiny", Endpoint(url, dialect.batch, family="default"), **more),))
    return await run(store, number, [plan], limits=Limits(1000, backoff=0.0), connect=quick)


@ALL
@pytest.mark.parametrize("models", [("tiny",), ("tiny", "small"), ("tiny", "tiny")])
def test_a_run_that_was_cut_off_waits_for_its_batches_and_pays_once(
    tmp_path: Path, dialect: Chat, models: Sequence[str]
) -> None:
    """Of every judge of the run: they share the connection. The server's clock may be wrong, and others have batches
    there that are under way."""

    async def go(store: Store, number: int) -> tuple[BatchServer, Totals]:
        server = BatchServer(dialect, looks=10**9)
        server.ahead = timedelta(days=-2)
        async with server.serving() as url:
            server_address = Endpoint(url, dialect.batch, family="default")
            plans = [
                Plan(f"m{place}", (Member(model, server_address, price_in=1.0, price_out=1.0),))
                for place, model in enumerate(models)
            ]
            first = asyncio.create_task(run(store, number, plans, connect=quick))
            while sum(server.asked.values()) < 6 * len(models):
                await asyncio.sleep(0.01)
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)
            server.looks = 1
            return server, await run(store, number, plans, connect=quick)

    with Store.open(tmp_path / "s.db") as store:
        server, totals = asyncio.run(go(store, opened(store, "da", corpus(2, 3))))
    assert (totals.items, set(server.asked.values())) == (6 * len(models), {1})
    assert totals.cost == pytest.approx(totals.items * 120 / 1e6)


@ALL
def test_batches_of_another_store_are_not_ours(tmp_path: Path, dialect: Chat) -> None:
    """The same texts and questions, judged before elsewhere: their answers and costs are not taken over."""

    async def go() -> tuple[BatchServer, list[Totals]]:
        server = BatchServer(dialect, looks=1)
        totals = []
        async with server.serving() as url:
            for name in ("a.db", "b.db"):
                with Store.open(tmp_path / name) as store:
                    number = opened(store, "da", corpus(1, 2))
                    totals.append(await judging(store, number, url, dialect))
        return server, totals

    server, totals = asyncio.run(go())
    assert [entry.items for entry in totals] == [2, 2]
    assert len(server.batches) == 2
    assert set(server.asked.values()) == {1}


@ALL
def test_wrong_answers_go_back_and_refused_requests_are_asked_otherwise(tmp_path: Path, dialect: Chat) -> None:
    def answer(body: dict[str, Any]) -> Any:
        if "temperature" in body:
            return 400, "temperature is not supported"
        return '{"score": 1000}' if len(body["messages"]) == 2 else good(body)

    async def go(store: Store, number: int) -> Totals:
        async with BatchServer(dialect, answer, looks=1).serving() as url:
            return await judging(store, number, url, dialect, temperature=0.0)

    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(1, 2))
        totals = asyncio.run(go(store, number))
        assert (totals.items, totals.missing, totals.reasks, totals.own_temperature) == (2, 0, 2, 4)
        assert len(stored(store, number)) == 2


@ALL
def test_all_questions_of_a_batch_learn_what_one_was_refused_for(tmp_path: Path, dialect: Chat) -> None:
    """Each went one way of being held to the schema further down, and those after the last way were given up."""

    def answer(body: dict[str, Any]) -> Any:
        return (400, "This schema is not supported.") if "response_format" in body else '{"score": 7}'

    async def go(store: Store, number: int) -> Totals:
        async with BatchServer(dialect, answer, looks=1).serving() as url:
            return await judging(store, number, url, dialect)

    with Store.open(tmp_path / "s.db") as store:
        totals = asyncio.run(go(store, opened(store, "da", corpus(1, 5))))
    assert (totals.items, totals.missing, totals.failed) == (5, 0, 0)


@ALL
def test_the_ledger_says_what_was_sent(tmp_path: Path, dialect: Chat) -> None:
    async def go(store: Store, number: int) -> Totals:
        async with BatchServer(dialect, looks=1).serving() as url:
            return await judging(store, number, url, dialect, temperature=0.25)

    with Store.open(tmp_path / "s.db") as store:
        asyncio.run(go(store, opened(store, "da", corpus(1, 1))))
        with store.reading() as tx:
            [(_, row)] = tx.ledger.of_judge(1)
    assert json.loads(row.detail)["sent"]["temperature"] == 0.25


def once_for(wanted: Callable[[web.Request], bool]) -> Callable[[web.Request, web.Response], web.Response | None]:
    """Lose the first reply to such a request: the server has done what it was asked for, and we do not hear of it."""
    lost: list[str] = []

    def fault(request: web.Request, _reply: web.Response) -> web.Response | None:
        if lost or not wanted(request):
            return None
        lost.append(request.path)
        return web.json_response({"error": {"message": "bad gateway"}}, status=502)

    return fault


@ALL
@pytest.mark.parametrize("refusal", ["temperature is not supported", "{length} is too large: 2000"])
def test_a_question_that_was_sent_again_is_paid_once_by_the_next_run_too(
    tmp_path: Path, dialect: Chat, refusal: str
) -> None:
    """A batch refuses each question, the next has them without what it was refused for, and then the run is cut off."""

    def answer(body: dict[str, Any]) -> Any:
        is_refused = "temperature" in body if "temperature" in refusal else body["max_tokens"] > 600
        return (400, refusal.format(length=dialect.length)) if is_refused else good(body)

    async def go(store: Store, number: int) -> tuple[BatchServer, Totals]:
        server = BatchServer(dialect, answer, looks=1)
        async with server.serving() as url:
            first = asyncio.create_task(judging(store, number, url, dialect, temperature=0.0))
            while not any(server.is_paid(batch) for batch in server.batches.values()):
                await asyncio.sleep(0)
            server.looks = 10**9
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)
            server.looks = 1
            return server, await judging(store, number, url, dialect, temperature=0.0)

    with Store.open(tmp_path / "s.db") as store:
        server, totals = asyncio.run(go(store, opened(store, "da", corpus(1, 3))))
    assert (totals.items, totals.missing) == (3, 0)
    assert sum(map(server.is_paid, server.batches.values())) == 1


LOST: dict[str, Callable[[web.Request], bool]] = {
    "a look": lambda request: request.method == "GET" and "batch" in request.match_info,
    "the results": lambda request: request.path.endswith(("/results", "/content")),
    "the list": lambda request: request.method == "GET" and request.path.endswith("/batches"),
    "the order": lambda request: request.method == "POST" and "atch" in request.path,
}


@ALL
@pytest.mark.parametrize("which", LOST)
def test_a_reply_that_is_lost_does_not_send_a_batch_again(tmp_path: Path, dialect: Chat, which: str) -> None:
    async def go(store: Store, number: int) -> tuple[BatchServer, Totals]:
        server = BatchServer(dialect, looks=2, fault=once_for(LOST[which]))
        async with server.serving() as url:
            return server, await asyncio.wait_for(judging(store, number, url, dialect), 60)

    with Store.open(tmp_path / "s.db") as store:
        server, totals = asyncio.run(go(store, opened(store, "da", corpus(1, 3))))
    assert (totals.items, len(server.batches), set(server.asked.values())) == (3, 1, {1})


@ALL
def test_a_batch_that_nobody_can_ask_about_is_found_by_the_next_run(
    tmp_path: Path, dialect: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its questions stay open and are not sent again, though a row says that nothing came."""
    monkeypatch.setattr(_batches, "PATIENCE", 2)

    async def go(store: Store, number: int) -> tuple[BatchServer, Totals, Totals]:
        server = BatchServer(dialect, looks=10**9)
        server.fault = lambda request, _: web.Response(status=503) if LOST["a look"](request) else None
        async with server.serving() as url:
            first = await judging(store, number, url, dialect)
            server.fault, server.looks = lambda *_: None, 1
            return server, first, await judging(store, number, url, dialect)

    with Store.open(tmp_path / "s.db") as store:
        server, first, second = asyncio.run(go(store, opened(store, "da", corpus(1, 3))))
    assert (first.items, first.failed) == (0, 3)
    assert (second.items, len(server.batches), set(server.asked.values())) == (3, 1, {1})


@ALL
def test_a_reply_of_another_form_ends_the_run_instead_of_hanging(tmp_path: Path, dialect: Chat) -> None:
    async def go(store: Store, number: int) -> Totals:
        def fault(request: web.Request, _reply: web.Response) -> web.Response | None:
            return web.json_response({"odd": 1}) if LOST["the order"](request) else None

        async with BatchServer(dialect, looks=1, fault=fault).serving() as url:
            return await asyncio.wait_for(judging(store, number, url, dialect), 60)

    with Store.open(tmp_path / "s.db") as store, pytest.raises(LannerError, match="not answer as it is documented"):
        asyncio.run(go(store, opened(store, "da", corpus(1, 2))))
