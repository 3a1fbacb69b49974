"""Faults, one by one, against a real server that commits them: what is asked again, what is stored, what is missing."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from lanner import campaign
from lanner.campaign import SaveResult, Submission
from lanner.errors import LannerError
from lanner.judges.plan import Limits, Plan, Totals
from lanner.judges.request import Writer
from lanner.judges.run import run
from lanner.model import Judge, JudgeKind
from lanner.store import AssignedTask, Store
from model_campaign import QUICK, corpus, judge, member, opened, stored
from store.test_ledger import entry
from stub_providers import DIALECTS, Chat
from stub_server import Stub, completion, good, serving


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store.open(tmp_path / "s.db") as opened_:
        yield opened_


def ledger(store: Store) -> list[sqlite3.Row]:
    connection = sqlite3.connect(store.place)
    connection.row_factory = sqlite3.Row
    rows = connection.execute("SELECT * FROM ledger ORDER BY id").fetchall()
    connection.close()
    return rows


def first_time(fault: Any) -> Any:
    """A server that commits the fault once for each question and answers well after that."""
    return lambda body, turn: fault(body) if turn == 0 else good(body)


def response(status: int, text: str = "", **headers: str) -> Any:
    error = {"error": {"message": text}}
    return lambda _: web.json_response(
        error, status=status, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


async def _cut(body: dict[str, Any]) -> Any:
    async def answer(request: web.Request) -> web.StreamResponse:
        reply = web.StreamResponse(headers={"Content-Type": "application/json"})
        await reply.prepare(request)
        await reply.write(json.dumps(completion(body, good(body))).encode()[:40])
        request.transport.close()
        return reply

    return answer


async def _late(body: dict[str, Any]) -> Any:
    await asyncio.sleep(1.0)
    return good(body)


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(response(429, "slow down", Retry_After="0.01"), id="429"),
        pytest.param(response(500, "broken"), id="500"),
        pytest.param(response(503, "busy"), id="503"),
        pytest.param(lambda _: web.Response(text="<html>proxy</html>"), id="not a chat"),
        pytest.param(_cut, id="cut stream"),
        pytest.param(_late, id="time-out"),
    ],
)
def test_a_request_without_an_answer_is_repeated_and_costs_no_attempt(store: Store, fault: Any) -> None:
    number = opened(store, texts=corpus(1, 2))
    totals = judge(store, number, Stub(first_time(fault)), timeout=0.3 if fault is _late else 20.0)
    assert (totals.items, totals.missing, totals.failed, totals.reasks) == (2, 0, 0, 0)
    assert totals.overloads >= 2
    assert [row["outcome"] for row in ledger(store)] == ["valid", "valid"]


WRONG_JSON = "The translation is good, I would say 3."
WRONG_MEANING = '{"skills": ["style_register", "style_register", "idea_development"]}'


@pytest.mark.parametrize(("reply", "step"), [(WRONG_JSON, "json"), (WRONG_MEANING, "schema"), ("{}", "schema")])
def test_a_wrong_answer_is_shown_its_mistake_and_asked_again(store: Store, reply: str, step: str) -> None:
    number = opened(store, "falcon", corpus(1, 1))
    stub = Stub(lambda body, _: reply if len(body["messages"]) == 2 else good(body))
    totals = judge(store, number, stub)
    assert (totals.items, totals.missing, totals.reasks, totals.wrong[step]) == (2, 0, 3, 3)
    again = next(body for body in stub.bodies if len(body["messages"]) == 4)
    assert again["messages"][2] == {"role": "assistant", "content": reply}
    rows = ledger(store)
    assert rows[0]["problem"] in again["messages"][3]["content"]
    assert [(row["outcome"], row["attempt"], row["final"]) for row in rows[:2]] == [("invalid", 1, 0), ("valid", 2, 1)]


@pytest.mark.parametrize("reply", ["", " \n"])
def test_an_empty_answer_is_not_sent_back(store: Store, reply: str) -> None:
    """Anthropic takes no message without words."""
    stub = Stub(lambda body, turn: good(body) if turn else reply)
    totals = judge(store, opened(store, "da", corpus(1, 2)), stub)
    assert (totals.items, totals.missing, totals.reasks) == (2, 0, 2)
    assert {len(body["messages"]) for body in stub.bodies} == {2}


def test_right_json_with_wrong_meaning_stays_missing_with_its_words(store: Store) -> None:
    """A span that quotes words which do not stand in the text fits every schema."""

    def invents(body: dict[str, Any], _: int) -> str:
        made = json.loads(good(body))
        item = body["response_format"]["json_schema"]["schema"]["properties"]["errors"]["items"]
        span = {name: "no such words" if name == "text" else entry["enum"][0] if "enum" in entry else False
                for name, entry in item["properties"].items()}  # fmt: skip
        return json.dumps({**made, "errors": [span]})

    number = opened(store, "esa", corpus(1, 2))
    stub = Stub(invents)
    totals = judge(store, number, stub)
    assert (totals.items, totals.missing, totals.reasks, totals.wrong) == (0, 2, 4, {"meaning": 6})
    assert [row["outcome"] for row in ledger(store)].count("missing") == 2
    assert all("no such words" in row["raw"] for row in ledger(store))
    assert stored(store, number) == [] or all(entry.value is None for entry in stored(store, number))
    asked = sum(stub.asked.values())
    again = judge(store, number, stub)
    assert (again.missing, again.calls, sum(stub.asked.values())) == (2, 0, asked)
    stub.answer = good
    retried = judge(store, number, stub, limits=Limits(8, tries=2, backoff=0.0, retry_missing=True))
    assert (retried.items, retried.missing) == (2, 0)


@pytest.mark.parametrize(("status", "words"), [(401, "LANNER_API_KEY"), (404, "tiny")])
def test_a_wrong_key_or_model_ends_the_run_at_once_with_what_to_do(store: Store, status: int, words: str) -> None:
    number = opened(store, texts=corpus(4, 20))
    stub = Stub(lambda body, _: response(status, "no")(body))
    with pytest.raises(LannerError) as caught:
        judge(store, number, stub)
    assert words in str(caught.value)
    assert sum(stub.asked.values()) <= QUICK.in_flight
    assert ledger(store) == []


def test_another_model_than_asked_is_noticed(store: Store) -> None:
    number = opened(store, texts=corpus(1, 1))
    totals = judge(store, number, Stub(lambda body, _: completion({**body, "model": "other"}, good(body))))
    assert totals.answered_as == {"other": 1}
    assert [(row["model"], row["model_answered"]) for row in ledger(store)] == [("tiny", "other")]


def test_huge_replies_are_cut_off_and_kept_short(store: Store) -> None:
    number = opened(store, texts=corpus(1, 1))
    stub = Stub(lambda _body, _turn: web.Response(body=b" " * 5_000_000))
    totals = judge(store, number, stub)
    assert (totals.missing, ledger(store)[0]["raw"]) == (1, "")
    longish = opened_again(store)
    judge(store, longish, Stub(lambda _body, _turn: "x" * 1_000_000))
    assert max(len(row["raw"]) for row in ledger(store)) == 20_000


def opened_again(store: Store) -> int:
    from lanner import campaign  # noqa: PLC0415
    from lanner.model import CampaignState  # noqa: PLC0415

    made = campaign.create(store, "again", corpus(1, 1), "h_falcon")
    with store.writing() as tx:
        tx.campaigns.set_state(made.id, CampaignState.OPEN)
    return made.id


def test_a_server_that_goes_away_ends_the_run_and_leaves_items_open(store: Store) -> None:
    number = opened(store, texts=corpus(4, 10))
    stub = Stub(lambda body, _: response(500, "out of memory")(body))
    with pytest.raises(LannerError, match="stopped answering"):
        judge(store, number, stub, limits=Limits(4, tries=2, backoff=0.0))
    assert {row["outcome"] for row in ledger(store)} == {"failed"}
    stub.answer = good
    assert judge(store, number, stub).items == 40


@pytest.mark.parametrize(("usage", "limit"), [(True, 3.5), (False, 0.5)])
def test_the_limit_on_cost_is_not_passed_whatever_a_reply_costs(store: Store, usage: bool, limit: float) -> None:
    """Replies as long as they may be, from a server that says what they cost and from one that does not."""
    number = opened(store, texts=corpus(4, 10))

    def long_reply(body: dict[str, Any], _turn: int) -> dict[str, Any]:
        reply = completion(body, good(body))
        reply["usage"] = {"prompt_tokens": 100, "completion_tokens": body["max_tokens"]} if usage else None
        return reply

    limits = Limits(8, max_cost=limit, backoff=0.0)
    totals = judge(store, number, Stub(long_reply, delay=0.002), limits=limits, price_in=10.0, price_out=100.0)
    assert "limit" in totals.stopped
    assert 0 < totals.cost <= limit
    assert totals.items == totals.calls == len(ledger(store))
    assert totals.cost == pytest.approx(sum(row["cost"] for row in ledger(store)))
    assert totals.estimated == (0 if usage else totals.calls)


@pytest.mark.parametrize(
    ("usage", "sent", "received"),
    [
        ({"prompt_tokens": 100, "total_tokens": 150}, 100, 50),
        ({"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 620}, 100, 520),  # thoughts in the sum alone
        ({"prompt_tokens": 100}, 100, None),
        ({"completion_tokens": 20}, None, 20),
        ({"prompt_tokens": -100, "completion_tokens": -20}, None, None),
        ({"prompt_tokens": 10**30, "completion_tokens": 20}, None, 20),
        ({"prompt_tokens": "many", "completion_tokens": 20}, None, 20),
        ({"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 10**6}}, 100, 20),
    ],
)
def test_tokens_that_a_server_does_not_count_are_counted_here(
    store: Store, usage: dict[str, Any], sent: int | None, received: int | None
) -> None:
    number = opened(store, "da", corpus(1, 1))
    totals = judge(store, number, Stub(lambda body, _: completion(body, good(body), usage=usage)), price_in=1.0,
                   price_out=1.0)  # fmt: skip
    [row] = ledger(store)
    assert totals.estimated == (sent is None or received is None)
    assert row["tokens_in"] == sent if sent is not None else 100 < row["tokens_in"] < 1000
    assert row["tokens_out"] == received if received is not None else 0 < row["tokens_out"] < 20
    assert row["cost"] == pytest.approx((row["tokens_in"] + row["tokens_out"]) / 1e6)
    assert totals.items == 1


TURN_AWAY = [dialect for dialect in DIALECTS if dialect.provider != "anthropic"]
"""Those whose refusals are no part of the text."""


@pytest.mark.parametrize("dialect", TURN_AWAY, ids=lambda dialect: dialect.provider)
def test_what_a_server_turned_away_itself_costs_what_was_sent(store: Store, dialect: Chat) -> None:
    """Nobody wrote the words in which it says so."""

    def turned_away(body: dict[str, Any], _turn: int) -> dict[str, Any]:
        said = completion(body, "", usage={"prompt_tokens": 100, "completion_tokens": 0})
        said["choices"][0]["message"]["refusal"] = "SAFETY"
        return said

    number = opened(store, "da", corpus(1, 3))
    totals = judge(store, number, Stub(turned_away), dialect=dialect, price_in=1000.0, price_out=1e9)
    assert (totals.calls, totals.missing, totals.wrong["refusal"], totals.estimated) == (3, 3, 3, 0)
    assert totals.cost == pytest.approx(3 * 100 * 1000 / 1e6)


@pytest.mark.parametrize("extra", [{"max_tokens": 20_000}, {"generationConfig": {"maxOutputTokens": 20_000}}])
def test_fields_of_ones_own_that_allow_longer_replies_count_for_the_limit(store: Store, extra: Any) -> None:
    number = opened(store, "da", corpus(2, 10))
    usage = {"prompt_tokens": 100, "completion_tokens": 20_000}
    stub = Stub(lambda body, _: completion(body, good(body), usage=usage))
    limits = Limits(8, max_cost=0.05, backoff=0.0)
    totals = judge(store, number, stub, limits=limits, price_in=0.0, price_out=1.0, extra=extra)
    assert (totals.cost, totals.items, totals.overlong) == (pytest.approx(0.04), 2, 0)


def test_a_server_that_writes_more_than_it_may_is_reckoned_with_and_named(store: Store) -> None:
    number = opened(store, "da", corpus(2, 10))
    usage = {"prompt_tokens": 100, "completion_tokens": 20_000}
    stub = Stub(lambda body, _: completion(body, good(body), usage=usage))
    limits = Limits(1, max_cost=0.05, backoff=0.0)
    totals = judge(store, number, stub, limits=limits, price_in=0.0, price_out=1.0)
    assert (totals.cost, totals.items, totals.overlong) == (pytest.approx(0.04), 2, 2)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"type": "invalid_request_error", "message": "Your credit balance is too low to access the API."}),
        (429, {"code": "insufficient_quota", "message": "You exceeded your current quota."}),
    ],
)
def test_an_account_that_runs_out_of_credit_ends_the_run_and_leaves_the_rest_open(
    store: Store, status: int, error: dict[str, str]
) -> None:
    number = opened(store, "da", corpus(4, 10))
    stub = Stub()
    stub.answer = lambda body, _: (
        good(body) if len(stub.bodies) <= 10 else web.json_response({"error": error}, status=status)
    )
    with pytest.raises(LannerError, match="no credit left"):
        judge(store, number, stub)
    assert {row["outcome"] for row in ledger(store)} == {"valid"}
    stub.answer = good
    assert judge(store, number, stub).items == 30


def test_a_server_that_wants_a_day_of_rest_ends_the_run(store: Store) -> None:
    number = opened(store, "da", corpus(1, 3))
    with pytest.raises(LannerError, match=r"wait for 24\.0 hours"):
        judge(store, number, Stub(lambda body, _: response(429, "daily quota", Retry_After="86400")(body)))
    assert judge(store, number, Stub()).items == 3


def test_questions_that_fail_again_do_not_keep_others_from_being_asked(store: Store) -> None:
    number = opened(store, "da", corpus(3, 5))
    limits = Limits(2, tries=2, backoff=0.0, hopeless=4)
    while judge(store, number, Stub(lambda *_: "No."), limits=limits, reasks=0).calls:
        pass
    assert len(ledger(store)) == 15
    stub = Stub(lambda body, _: good(body) if "The ferry 2." in body["messages"][-1]["content"] else "No.")
    totals = judge(store, number, stub, limits=replace(limits, retry_missing=True), reasks=0)
    assert (totals.items, totals.missing, totals.stopped) == (5, 10, "")


def test_a_model_that_answers_nothing_is_given_up_and_the_others_go_on(store: Store) -> None:
    number = opened(store, "da", corpus(5, 4))
    stub = Stub(lambda body, _: "No." if body["model"] == "mute" else good(body))

    async def go() -> Totals:
        async with serving(stub) as url:
            plans = [Plan(name, (member(url, name),), reasks=0) for name in ("mute", "able")]
            return await run(store, number, plans, limits=Limits(1, backoff=0.0, hopeless=4))

    totals = asyncio.run(go())
    asked = Counter(body["model"] for body in stub.bodies)
    assert (totals.items, totals.missing, asked) == (20, 4, {"able": 20, "mute": 4})
    assert totals.stopped.startswith("the first 4 questions to mute got no valid answer")


def test_a_reply_with_what_a_database_cannot_hold_is_a_wrong_reply_like_others(place: str) -> None:
    def answer(body: dict[str, Any], turn: int) -> Any:
        if len(body["messages"]) > 2:
            return completion({**body, "model": "a\x00b"}, good(body), system_fingerprint="f\x00")
        reply = completion(body, "No\x00 \ud800", usage={"prompt_tokens": 10**30})
        return web.Response(body=json.dumps(reply).encode(), content_type="application/json")

    with Store.open(place) as store:
        number = opened(store, "da", corpus(1, 2))
        totals = judge(store, number, Stub(answer))
        with store.reading() as tx:
            rows = [row for _, row in tx.ledger.of_judge(1)]
    assert (totals.items, totals.reasks, totals.overloads) == (2, 2, 0)
    assert [row.raw for row in rows if row.outcome == "invalid"] == ["No\ufffd ?"] * 2


def test_samples_have_their_own_dice_and_rows(store: Store) -> None:
    number = opened(store, "da", corpus(1, 1))
    stub = Stub()
    judge(store, number, stub, samples=3)
    assert sorted(body["seed"] for body in stub.bodies) == [0, 1, 2]
    assert [(row["sample"], row["seed"]) for row in ledger(store)] == [(0, 0), (1, 1), (2, 2)]
    assert len({row["key"] for row in ledger(store)}) == 3


def test_a_row_says_how_it_was_made(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANNER_API_KEY", "sk-very-secret")
    number = opened(store, texts=corpus(1, 1))
    stub = Stub(lambda body, _: completion(body, good(body), system_fingerprint="fp1"))
    judge(store, number, stub, price_in=1.0, price_out=2.0)
    [row] = ledger(store)
    assert (row["fingerprint"], row["tokens_in"], row["tokens_out"], row["cost"]) == ("fp1", 100, 20, 0.00014)
    assert (row["template"], len(row["prompt_hash"]), len(row["schema_hash"])) == ("judge-5", 16, 16)
    assert row["latency"] > 0
    assert json.loads(row["raw"])["sentence"] == json.loads(row["answers"])["sentence"]
    assert stub.headers[0]["Authorization"] == "Bearer sk-very-secret"
    assert b"very-secret" not in Path(store.place).read_bytes()


def test_a_server_that_was_never_there_is_not_waited_for(store: Store) -> None:
    """A wrong address is told after three tries, not after as many as a busy server gets."""
    number = opened(store, texts=corpus(1, 1))
    nobody = Plan("m", (member("http://127.0.0.1:9/v1"),))
    totals = asyncio.run(run(store, number, [nobody], limits=Limits(1, tries=6, backoff=0.0)))
    assert (totals.overloads, totals.failed, totals.items) == (3, 1, 0)


def ready(store: Store) -> tuple[int, int, int, int]:
    number = opened(store, "da", corpus(1, 3))
    campaign.add_judges(store, number, [Judge("m", JudgeKind.MODEL)])
    with store.reading() as tx:
        participant = tx.judges.all(number)[0].number
        return number, participant, tx.documents.numbers(number)["d0"], tx.ledger.open_tasks(participant)[0].task


def assigned(store: Store, task: int) -> AssignedTask:
    with store.reading() as tx:
        found = tx.tasks.get(task)
    assert found is not None
    return found


def test_everything_handed_in_together_is_one_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number, participant, document, task = ready(store)
        commits: list[int] = []
        real = Store.write
        monkeypatch.setattr(Store, "write", lambda store, work: (commits.append(1), real(store, work))[1])

        async def go() -> list[SaveResult | LannerError]:
            async with Writer(store) as writer:
                for place in range(3):
                    writer.record(entry(number, participant, document, key=f"k{place}"))
                given = [Submission(task, place, {"score": 50}, f"s{place}", judge=participant) for place in range(3)]
                wrong = Submission(task, 0, {"score": 500}, "bad", judge=participant)
                found = await asyncio.gather(*(writer.submit(one) for one in [*given, wrong]))
                await writer.finish(assigned(store, task))
                return found

        *saved, refused = asyncio.run(go())
        assert all(isinstance(one, SaveResult) for one in saved)
        assert isinstance(refused, LannerError)
        assert len(commits) == 2  # replies and answers, then the end of the task
        assert campaign.task(store, task).finished_at is not None
        with store.reading() as tx:
            assert len(tx.ledger.of_document(participant, document)) == 3


def test_an_unfinished_task_stays_open(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        *_, task = ready(store)

        async def go() -> None:
            async with Writer(store) as writer:
                await writer.finish(assigned(store, task))

        asyncio.run(go())
        assert campaign.task(store, task).finished_at is None


def test_a_disk_that_fails_is_heard_of_by_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number, participant, document, task = ready(store)

        def full(_work: object) -> None:
            raise OSError("disk full")

        monkeypatch.setattr(store, "write", full)

        async def go() -> None:
            async with Writer(store) as writer:
                writer.record(entry(number, participant, document))
                await writer.submit(Submission(task, 0, {"score": 1}, "s", judge=participant))

        with pytest.raises(OSError, match="disk full"):
            asyncio.run(go())


def test_answers_are_kept_where_a_task_cannot_be_finished(tmp_path: Path) -> None:
    """What is handed in together is one transaction; what spoils it must not take the rest along."""
    with Store.open(tmp_path / "s.db") as store:
        number, participant, document, task = ready(store)

        async def go() -> list[SaveResult | LannerError | None]:
            async with Writer(store) as writer:
                writer.record(entry(number, participant, document))
                answer = writer.submit(Submission(task, 0, {"score": 50}, "s", judge=participant))
                known = assigned(store, task)
                gone = replace(known, task=replace(known.task, id=task + 999))
                return await asyncio.gather(answer, writer.finish(gone), return_exceptions=True)

        with pytest.raises(LannerError, match="no task"):
            asyncio.run(go())
        assert len(campaign.judgements(store, number)) == 1
        with store.reading() as tx:
            assert len(tx.ledger.of_document(participant, document)) == 1


@pytest.mark.parametrize(
    ("takes", "words"),
    [
        (5000, "limit of 2,000 tokens; give more with --set max_tokens=4000"),
        (600, "limit of 500 tokens: the server takes no higher one here"),
    ],
)
def test_a_reply_that_is_cut_off_says_at_which_limit(store: Store, takes: int, words: str) -> None:
    """The one that the server took, not the one that was asked for."""

    def answer(body: dict[str, Any], _turn: int) -> Any:
        if body["max_tokens"] > takes:
            return response(400, "max_tokens is too large")(body)
        reply = completion(body, '{"sco')
        reply["choices"][0]["finish_reason"] = "length"
        return reply

    judge(store, opened(store, "da", corpus(1, 1)), Stub(answer))
    assert words in ledger(store)[0]["problem"]
