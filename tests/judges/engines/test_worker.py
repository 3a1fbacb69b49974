"""A worker's part: its own documents, except where another is at work."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from lanner.judges.engines.worker import Job, Part, judge_part
from lanner.judges.plan import Plan, Totals
from lanner.store import Store
from lanner.store.claims import claimed
from model_campaign import QUICK, corpus, member, opened, stored
from stub_server import Stub, running

pytestmark = pytest.mark.postgres


def test_documents_that_another_worker_has_are_left_to_it(postgres_url: str) -> None:
    seen: list[Totals] = []
    with Store.open(postgres_url) as store:
        number = opened(store, "da", corpus(3, 2))
        with running(Stub()) as url:
            job = Job(store.address, number, (Plan("m", (member(url),)),))
            part = Part(0, ("d0", "d1"), 4, QUICK)
            with claimed(store, number, ["d1"]):
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
            job = Job(store.address, number, (Plan("m", (member(url),)),))
            outcome = judge_part(job, Part(0, ("d0", "d1", "d2", "d3"), 16, replace(QUICK, tries=1)))
    assert outcome.problem
    assert outcome.next_step
    assert outcome.refused is refused


def test_another_version_of_lanner_asks_nobody() -> None:
    outcome = judge_part(Job("nowhere", 1, (), version="0.0.0"), Part(0, ("d0",), 1))
    assert "0.0.0" in outcome.problem
    assert outcome.next_step == "Install the same version on all machines."
