"""A limit on costs is never passed, and used up to the last question that surely fits."""

from __future__ import annotations

import asyncio

import pytest

from lanner.judges.budget import Budget, StoppedError
from lanner.judges.plan import Member, Totals
from lanner.judges.providers import Endpoint

CHEAP = Member("cheap", Endpoint("http://x/v1"), price_in=0.0, price_out=100.0)


def spend(most: float, real: float, askers: int) -> tuple[Totals, int]:
    """Many ask at once, each question costing `real`; what it came to and how often the limit ended it."""

    async def go() -> tuple[Totals, int]:
        totals = Totals()
        budget = Budget(most, totals)

        async def one() -> None:
            with budget.holding(await budget.reserve(CHEAP, 10)):
                await asyncio.sleep(0)
            budget.paid(CHEAP, real)
            totals.cost += real
            totals.calls += 1

        came = await asyncio.gather(*(one() for _ in range(askers)), return_exceptions=True)
        return totals, sum(isinstance(entry, StoppedError) for entry in came)

    return asyncio.run(go())


def test_what_is_under_way_counts_until_it_is_paid() -> None:
    totals, stopped = spend(most=1.0, real=0.03, askers=100)
    assert (totals.calls, stopped) == (33, 67)
    assert totals.cost <= 1.0
    assert "limit of 1" in totals.stopped


def test_a_first_question_that_is_too_dear_is_not_asked() -> None:
    totals, stopped = spend(most=0.01, real=0.001, askers=3)  # 400 tokens at 100 per million may cost 0.04
    assert (totals.calls, stopped) == (0, 3)


def test_without_a_limit_nothing_waits_until_it_is_stopped() -> None:
    async def go() -> None:
        totals = Totals()
        budget = Budget(None, totals)
        assert await budget.reserve(CHEAP, 10**9) == 0.0
        budget.stop("wrong key")
        with pytest.raises(StoppedError, match="wrong key"):
            await budget.reserve(CHEAP, 1)
        assert totals.stopped == "wrong key"

    asyncio.run(go())
