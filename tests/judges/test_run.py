"""A run as a whole: limits, several judges, parts of a campaign, and going on where it was."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import signal
from pathlib import Path
from random import Random
from typing import Any

import pytest

from lanner import campaign, protocols
from lanner.errors import CampaignError, LannerError, MissingExtraError
from lanner.judges.plan import Limits, Member, Plan, Totals
from lanner.judges.prompt import PromptSettings
from lanner.judges.providers import Call, Endpoint, Provider, Reply
from lanner.judges.run import INTERRUPTED, RunEstimate, estimate, run, run_shard, shards
from lanner.judges.run import instance as drawn
from lanner.judges.schemas import mistake
from lanner.protocols.answers import stage_schema
from lanner.store import Store
from model_campaign import QUICK, corpus, judge, member, opened, stored
from stub_server import Stub, good, instance, serving


def test_a_limit_on_items_ends_a_run_and_the_next_goes_on(store: Store) -> None:
    number = opened(store, texts=corpus(3, 3))
    stub = Stub()
    first = judge(store, number, stub, limits=Limits(4, items=4, backoff=0.0))
    assert (first.open, first.items, sum(stub.asked.values())) == (4, 4, 4)
    rest = judge(store, number, stub)
    assert (rest.items, rest.cached) == (5, 0)
    assert set(stub.asked.values()) == {1}
    done = judge(store, number, stub)
    assert (done.open, done.calls) == (0, 0)


def test_several_judges_in_one_run_answer_for_themselves(store: Store) -> None:
    number = opened(store, "da", corpus(2, 2))
    seen: list[int] = []

    async def go() -> Totals:
        async with serving(Stub()) as one, serving(Stub()) as two:
            plans = [Plan("a", (member(one, "a"),)), Plan("b", (member(two, "b"),))]
            return await run(store, number, plans, limits=QUICK, report=lambda totals: seen.append(totals.items))

    totals = asyncio.run(go())
    assert totals.items == 8
    assert seen[-1] == 8  # the last report is of the end
    assert {entry.judge for entry in stored(store, number)} == {"a", "b"}
    assert {part.share for part in campaign.progress(store, number).judges} == {1.0}


def test_two_plans_for_one_judge_are_refused_before_anything_is_asked(store: Store) -> None:
    """Both would ask all of its questions, and be paid for them."""
    number = opened(store, "da", corpus(2, 2))
    stub = Stub()
    judge(store, number, stub, limits=Limits(4, items=1, backoff=0.0))

    async def go() -> None:
        async with serving(stub) as url:
            await run(store, number, [Plan("tiny", (member(url),)), Plan("tiny", (member(url),))], limits=QUICK)

    with pytest.raises(LannerError, match="2 of these models would be the judge 'tiny'"):
        asyncio.run(go())
    assert sum(stub.asked.values()) == 1


@pytest.mark.parametrize("language", ["xx", "e"])
def test_a_language_without_words_is_refused_before_anything_is_made(store: Store, language: str) -> None:
    """The model would be asked in English, and its judge would say otherwise."""
    number = opened(store, "da", corpus(1, 1))
    with pytest.raises(LannerError, match=f"no words in the language '{language}'"):
        judge(store, number, Stub(), settings=PromptSettings(language=language, comments=False))
    assert not campaign.judges(store, number)


def test_shards_are_disjoint_whole_documents_and_can_run_anywhere(store: Store, place: str) -> None:
    number = opened(store, texts=corpus(5, 2))

    async def go() -> list[Totals]:
        async with serving(Stub()) as url:
            plans = pickle.loads(pickle.dumps([Plan("m", (member(url),))]))  # as it would travel to another machine
            parts = await asyncio.to_thread(shards, store, number, plans, 2)
            assert sorted(document for part in parts for document in part) == [f"d{n}" for n in range(5)]
            assert max(map(len, parts)) - min(map(len, parts)) <= 1
            jobs = (asyncio.to_thread(run_shard, place, number, plans, part, QUICK) for part in parts)
            return await asyncio.gather(*jobs)

    assert sum(totals.items for totals in asyncio.run(go())) == 10
    assert len({(entry.document, entry.segment) for entry in stored(store, number)}) == 10


def test_a_campaign_that_is_not_open_is_refused_with_what_to_do(store: Store) -> None:
    made = campaign.create(store, "draft", corpus(1, 1), "da")
    with pytest.raises(LannerError, match="draft"):
        judge(store, made.id, Stub())


def test_the_number_of_questions_under_way_grows_to_the_limit_and_not_beyond(store: Store) -> None:
    number = opened(store, texts=corpus(8, 10))
    stub = Stub(delay=0.05)  # much longer than an answer takes to store, on a busy machine too
    totals = judge(store, number, stub, limits=Limits(16, backoff=0.0))
    assert totals.items == 80
    assert 8 < stub.most_at_once <= 16


class Interrupting:
    """A model that presses Ctrl+C while the last of so many questions is under way, and answers all of them after
    that; with `twice` it presses once more instead."""

    def __init__(self, questions: int, *, twice: bool = False) -> None:
        self.at_once = questions
        self.asked = 0
        self.heard = asyncio.Event()
        self._questions, self._twice = questions, twice

    async def ask(self, call: Call) -> Reply:
        self.asked += 1
        if self.asked == self._questions:
            os.kill(os.getpid(), signal.SIGINT)
        await self.heard.wait()
        if self._twice:
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.Event().wait()
        return Reply(json.dumps(instance(call.schema, Random(0))), tokens_in=1, tokens_out=1)

    async def models(self) -> list[str]:
        return []

    async def close(self) -> None:
        pass


def interrupt(store: Store, number: int, model: Interrupting) -> tuple[Totals, list[int]]:
    told: list[int] = []

    def interrupted(under_way: int) -> None:
        told.append(under_way)
        model.heard.set()

    plan = Plan("m", (member("http://x/v1"),))
    limits = Limits(model.at_once, backoff=0.0)
    return asyncio.run(
        run(store, number, [plan], limits=limits, connect=lambda _: model, interrupted=interrupted)
    ), told


def test_the_first_interruption_keeps_what_is_under_way_and_sends_nothing_more(store: Store) -> None:
    number = opened(store, "da", corpus(3, 3))
    model = Interrupting(4)
    totals, told = interrupt(store, number, model)
    assert (model.asked, told, totals.items, totals.stopped) == (4, [4], 4, INTERRUPTED)
    assert (totals.missing, totals.failed, len(stored(store, number))) == (0, 0, 4)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    stub = Stub()
    assert judge(store, number, stub).items == sum(stub.asked.values()) == 5


def test_the_second_interruption_ends_at_once(store: Store) -> None:
    number = opened(store, "da", corpus(3, 3))
    with pytest.raises(asyncio.CancelledError):
        interrupt(store, number, Interrupting(4, twice=True))
    assert stored(store, number) == []


def test_two_runs_at_once_do_not_ask_twice(store: Store) -> None:
    number = opened(store, "da", corpus(2, 2))

    async def go(stub: Stub) -> Totals:
        async with serving(stub) as url:
            plans = [Plan("m", (member(url),))]
            first = asyncio.create_task(run(store, number, plans, limits=QUICK))
            while not stub.bodies:
                await asyncio.sleep(0.01)
            with pytest.raises(LannerError, match="is being run already"):
                await run(store, number, plans, limits=QUICK)
            return await first

    stub = Stub(delay=0.05)
    assert asyncio.run(go(stub)).items == 4
    assert set(stub.asked.values()) == {1}


def test_a_judge_whose_answers_would_not_be_taken_is_not_asked(store: Store) -> None:
    """Replies cost money, and the campaign would refuse every answer made of them."""
    number = opened(store, "da", corpus(2, 2))
    stub = Stub()
    judge(store, number, stub, limits=Limits(items=1))
    campaign.invitations.revoke(store, number, "m")
    with pytest.raises(CampaignError, match="was revoked") as caught:
        judge(store, number, stub)
    assert caught.value.code == "revoked" and stub.asked.total() == 1
    campaign.invitations.issue(store, number, "m")

    def revoking(body: dict[str, Any], _turn: int) -> str:
        if not campaign.participants(store, number)[0].revoked_at:
            campaign.invitations.revoke(store, number, "m")
        return good(body)

    with pytest.raises(CampaignError, match="was revoked"):
        judge(store, number, Stub(revoking))


def test_a_judge_that_cannot_be_asked_leaves_no_seat_behind(store: Store) -> None:
    number = opened(store, "da", corpus(1, 1))

    def connect(_endpoint: Endpoint) -> Provider:
        raise MissingExtraError("Asking a model", "judges")

    with pytest.raises(MissingExtraError):
        asyncio.run(run(store, number, [Plan("m", (member("http://x/v1"),))], connect=connect))
    assert campaign.judges(store, number) == []


MEMBER = Member("m", Endpoint("http://127.0.0.1:9/v1"), price_in=1.0, price_out=2.0)


def dry(protocol: str, documents: int, sentences: int, **more: Any) -> RunEstimate:
    plan = Plan("m", (MEMBER,), **more.pop("plan", {}))
    systems = ("oak", "ash") if protocol.startswith(("ranking", "scenarios")) else ("oak",)
    texts = corpus(documents, sentences, systems)
    return asyncio.run(estimate(texts, protocols.load(protocol), [plan], **more))


def test_the_whole_is_reckoned_from_whole_documents() -> None:
    found = dry("falcon", 20, 10)
    assert (found.items, found.calls) == (400, 600)  # a label page of two calls and a rating page of one
    assert found.cost == pytest.approx((found.tokens_in + 2 * found.tokens_out) / 1e6)
    assert len(found.prompts) == 3
    assert len({prompt.messages[0]["content"] for prompt in found.prompts}) == 3  # one of each stage


def test_samples_modes_limits_and_what_is_done_count() -> None:
    assert dry("da", 30, 10, plan={"samples": 3}).calls == 900
    assert dry("da", 30, 10, plan={"calls": "documents"}).calls == 30
    assert dry("da", 30, 10, limits=Limits(items=7)).items == 7
    assert dry("da", 30, 10, done=290).items == 10
    assert dry("ranking_rs", 2, 3, plan={"swap": True}).calls == 12


@pytest.mark.parametrize(("protocol", "calls"), [("falcon_labels", 12), ("scenarios", 42), ("context_survey", 6)])
def test_dice_that_show_no_meaning_are_thrown_again_and_cost_nothing(protocol: str, calls: int) -> None:
    """Of three skills at least, no errors that stand alone, reasons where they are asked for: each question is counted
    once, as a model answers it; it was counted up to three times, and later stages were left out."""
    assert dry(protocol, 2, 3).calls == calls


def test_the_prompts_are_first_questions() -> None:
    """What the dice got wrong is asked again here alone."""
    prompts = dry("context_survey", 2, 3).prompts
    assert [[message["role"] for message in call.messages] for call in prompts] == [["system", "user"]] * 3


def test_the_prompts_are_those_of_the_real_run(tmp_path: Path) -> None:
    found = dry("h_falcon", 1, 3)
    with Store.open(tmp_path / "s.db") as store:
        stub = Stub()
        judge(store, opened(store, texts=corpus(1, 3)), stub)
    asked = {body["messages"][-1]["content"] for body in stub.bodies}
    assert {prompt.messages[-1]["content"] for prompt in found.prompts} == asked


@pytest.mark.parametrize("name", protocols.names())
def test_its_dice_fit_every_schema(name: str) -> None:
    for stage in protocols.load(name).stages:
        schema = stage_schema([stage])
        assert mistake(schema, drawn(schema, Random(1))) == ""
