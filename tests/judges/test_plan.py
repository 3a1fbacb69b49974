from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from lanner.errors import LannerError
from lanner.judges.plan import Limits, Member, Plan, Totals, differences
from lanner.judges.providers import Endpoint
from lanner.model import JudgeKind

MEMBER = Member("m", Endpoint("http://x/v1", key_variable="MY_KEY"), price_in=1.0, price_out=2.0)


def test_a_judge_says_how_it_was_run_and_nothing_secret() -> None:
    judge = Plan("panel", (MEMBER, MEMBER)).as_judge()
    assert (judge.kind, judge.name) == (JudgeKind.MODEL, "panel (2 models)")
    assert json.loads(json.dumps(judge.attributes)) == judge.attributes
    assert "MY_KEY" not in json.dumps(judge.attributes)


def test_differences_are_named_but_for_the_address() -> None:
    one, two = Plan("a", (MEMBER,)), Plan("a", (Member("m", Endpoint("http://y/v1")),), samples=3)
    assert differences(one.attributes, two.attributes) == ["samples"]


def test_nonsense_is_refused() -> None:
    with pytest.raises(LannerError):
        Plan("a", ())
    with pytest.raises(LannerError, match="swap"):
        Plan("a", (MEMBER,), calls="documents", swap=True)
    with pytest.raises(LannerError, match="examples"):
        Plan("a", (MEMBER,), calls="documents", examples=2)


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["price_in", "price_out", "price_cached", "temperature", "top_p"])
def test_numbers_that_cannot_be_are_refused(name: str, value: float) -> None:
    with pytest.raises(LannerError, match=name):
        replace(MEMBER, **{name: value})


@pytest.mark.parametrize(
    "make",
    [
        lambda: replace(MEMBER, max_tokens=0),
        lambda: replace(MEMBER, top_p=1.5),
        lambda: replace(MEMBER, endpoint=Endpoint("http://x/v1", timeout=0.0)),
        lambda: Plan("a", (MEMBER,), samples=0),
        lambda: Plan("a", (MEMBER,), reasks=-1),
        lambda: Plan("a", (MEMBER,), examples=-1),
        lambda: Limits(in_flight=0),
        lambda: Limits(rpm=0.0),
        lambda: Limits(tpm=-5.0),
        lambda: Limits(max_cost=float("nan")),
        lambda: Limits(items=-1),
    ],
)
def test_bounds_of_settings(make: Callable[[], object]) -> None:
    with pytest.raises(LannerError):
        make()


def test_costs_and_totals() -> None:
    assert MEMBER.cost(1_000_000, 500_000) == 2.0
    assert Member("m", Endpoint("")).cost(1, 1) is None
    one = Totals(open=10, items=4, missing=1, cost=1.0, wrong=Counter(json=1))
    assert (one.settled, one.expected_cost) == (5, 2.0)
    one.add(Totals(open=2, items=2, wrong=Counter(json=2, schema=1), priced=False))
    assert (one.open, one.items, one.wrong, one.expected_cost) == (12, 6, {"json": 3, "schema": 1}, None)
