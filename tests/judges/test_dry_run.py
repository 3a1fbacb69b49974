"""A dry run shows what would be asked, to the letter, and reckons the whole from whole documents."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from typing import Any

import pytest

from lanner import protocols
from lanner.judges.dry_run import Estimate, estimate, instance
from lanner.judges.plan import Limits, Member, Plan
from lanner.judges.providers import Endpoint
from lanner.judges.schemas import mistake
from lanner.protocols.answers import stage_schema
from lanner.store import Store
from model_campaign import corpus, judge, opened
from stub_server import Stub

MEMBER = Member("m", Endpoint("http://127.0.0.1:9/v1"), price_in=1.0, price_out=2.0)


def dry(protocol: str, documents: int, sentences: int, **more: Any) -> Estimate:
    plan = Plan("m", (MEMBER,), **more.pop("plan", {}))
    systems = ("oak", "ash") if protocol.startswith("ranking") else ("oak",)
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
        assert mistake(schema, instance(schema, Random(1))) == ""
