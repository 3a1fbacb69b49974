"""A limit on costs is never passed, and used up to the last question that surely fits."""

from __future__ import annotations

import asyncio

import pytest

from lanner.errors import LannerError
from lanner.judges.budget import Budget, StoppedError, most_tokens
from lanner.judges.plan import Member, Totals
from lanner.judges.providers import Endpoint

CHEAP = Member("cheap", Endpoint("http://x/v1"), max_tokens=400, price_in=0.0, price_out=100.0)
QUESTION = [{"role": "user", "content": "How good is it?"}]


def spend(limit: float, cost: float, askers: int) -> tuple[Totals, int]:
    """Many ask at once, each request costing so much; what it came to and how often the limit ended it."""

    async def go() -> tuple[Totals, int]:
        totals = Totals()
        budget = Budget(limit, totals)

        async def one() -> None:
            with budget.holding(await budget.reserve(CHEAP, QUESTION)):
                await asyncio.sleep(0)
                totals.cost += cost
                totals.calls += 1

        results = await asyncio.gather(*(one() for _ in range(askers)), return_exceptions=True)
        assert all(result is None or isinstance(result, StoppedError) for result in results)
        return totals, sum(result is not None for result in results)

    return asyncio.run(go())


@pytest.mark.parametrize(("limit", "cost", "askers"), [(1.0, 0.04, 200), (1.0, 0.03, 200), (0.2, 0.001, 400)])
def test_the_limit_is_never_passed_and_used_up_to_the_last_request_that_surely_fits(
    limit: float, cost: float, askers: int
) -> None:
    totals, stopped = spend(limit, cost, askers)
    assert limit - 0.04 < totals.cost <= limit + 1e-9  # 400 tokens at 100 per million may cost 0.04
    assert totals.calls + stopped == askers
    assert f"limit of {limit:g}" in totals.stopped


def test_a_first_question_that_is_too_dear_is_not_asked() -> None:
    totals, stopped = spend(0.01, 0.001, 3)
    assert (totals.calls, stopped) == (0, 3)


def test_a_limit_needs_a_bound_on_replies() -> None:
    endless = Member("endless", Endpoint("http://x/v1"), max_tokens=None, price_in=1.0, price_out=1.0)
    with pytest.raises(LannerError, match="--max-tokens"):
        asyncio.run(Budget(1.0, Totals()).reserve(endless, QUESTION))


@pytest.mark.parametrize("text", ["plain words", "동해물과 백두산이", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 👩‍👩‍👧", ""])
def test_no_text_has_more_tokens_than_bytes(text: str) -> None:
    assert most_tokens([{"role": "user", "content": text}]) >= len(text.encode())


def test_without_a_limit_nothing_waits_until_it_is_stopped() -> None:
    async def go() -> None:
        totals = Totals()
        budget = Budget(None, totals)
        assert await budget.reserve(CHEAP, QUESTION * 10**5) == 0.0
        budget.stop("wrong key")
        with pytest.raises(StoppedError, match="wrong key"):
            await budget.reserve(CHEAP, QUESTION)
        assert totals.stopped == "wrong key"

    asyncio.run(go())
