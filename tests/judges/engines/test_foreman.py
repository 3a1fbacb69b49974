"""Dividing a run among workers, in this process: parts, limits of the whole run, and what the dead leave behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanner.errors import LannerError
from lanner.judges.engines.foreman import Foreman
from lanner.judges.engines.worker import Outcome, Part
from lanner.judges.plan import Limits, Plan, Totals
from lanner.store import Store
from model_campaign import corpus, judge, member, opened
from stub_server import Stub

PLAN = Plan("m", (member("http://127.0.0.1:9/v1"),))


def foreman(place: Path, limits: Limits, workers: int = 3, documents: int = 12) -> tuple[Store, Foreman]:
    store = Store.open(place / "s.db")
    opened(store, "da", corpus(documents, 2))
    return store, Foreman(store, "c", [PLAN], limits, workers)


def parts(found: Foreman) -> list[Part]:
    return list(iter(found.next, None))


def test_parts_are_disjoint_and_rates_are_shared(tmp_path: Path) -> None:
    store, found = foreman(tmp_path, Limits(4, rpm=300, tpm=9000))
    with store:
        given = parts(found)
        assert sorted(d for part in given for d in part.documents) == sorted(f"d{n}" for n in range(12))
        assert [part.items for part in given] == [8, 8, 8]
        assert {(part.limits.rpm, part.limits.tpm, part.limits.in_flight) for part in given} == {(100, 3000, 4)}
        for part in given:
            found.done(part, Outcome(Totals(items=part.items, calls=part.items)))
        assert found.finished
        assert (found.so_far().items, found.so_far().open) == (24, 24)


def test_a_limit_on_items_is_the_whole_run_s(tmp_path: Path) -> None:
    store, found = foreman(tmp_path, Limits(4, items=10))
    with store:
        given = parts(found)
        assert [part.limits.items for part in given] == [8, 2]
        for part in given:
            found.done(part, Outcome(Totals(items=part.limits.items or 0, calls=1)))
        assert found.finished
        assert found.so_far().open == 10


def test_money_is_never_promised_twice_and_what_is_left_over_is_used(tmp_path: Path) -> None:
    store, found = foreman(tmp_path, Limits(4, max_cost=9.0))
    with store:
        given = parts(found)
        assert [part.limits.max_cost for part in given] == pytest.approx([3.0, 3.0, 3.0])
        for part in given:
            found.done(part, Outcome(Totals(items=1, calls=1, stopped="the limit")))
        assert not found.finished  # some were short of money, and something was asked: another round
        for part in parts(found):
            found.done(part, Outcome(Totals(stopped="the limit")))
        assert found.finished  # nothing could be asked any more
        assert "limit of 9" in found.reckoned().stopped


def test_what_a_dead_worker_had_answered_is_counted_and_the_rest_given_to_others(tmp_path: Path) -> None:
    store, found = foreman(tmp_path, Limits(4), workers=1, documents=4)
    with store:
        [part] = parts(found)
        judge(store, found.campaign, Stub(), limits=Limits(2, items=3))  # as far as the worker came
        found.died(part, Totals())
        [rest] = parts(found)
        assert rest.items == 5
        judge(store, found.campaign, Stub())
        found.done(rest, Outcome(Totals(items=5, calls=5)))
        assert found.finished
        totals = found.reckoned()
        assert (totals.items, totals.calls, totals.tokens_in, found.crew.deaths) == (8, 8, 800, 1)


def test_documents_over_which_workers_die_again_and_again_end_the_run(tmp_path: Path) -> None:
    store, found = foreman(tmp_path, Limits(4), workers=1, documents=1)
    with store, pytest.raises(LannerError, match=r"died 5 times over the same documents.*d0"):
        for _ in range(6):
            part = found.next()
            assert part is not None
            found.died(part, Totals())


def test_held_documents_are_offered_again_and_a_refusal_ends_the_run(tmp_path: Path) -> None:
    store, found = foreman(tmp_path, Limits(4), workers=1, documents=2)
    with store:
        [part] = parts(found)
        found.done(part, Outcome(Totals(), held=("d1",)))
        assert not found.finished
        [again] = parts(found)
        assert again.documents == ("d1",)
        with pytest.raises(LannerError, match="wrong key"):
            found.done(again, Outcome(Totals(), problem="wrong key", refused=True))


def test_a_machine_that_cannot_go_on_leaves_its_documents_to_others(tmp_path: Path) -> None:
    store, found = foreman(tmp_path, Limits(4), workers=1, documents=2)
    with store:
        [part] = parts(found)
        found.done(part, Outcome(Totals(), problem="its server has stopped answering"))
        [again] = parts(found)
        assert sorted(again.documents) == ["d0", "d1"]
