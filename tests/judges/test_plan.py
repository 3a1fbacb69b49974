from __future__ import annotations

import json
from collections import Counter

import pytest

from lanner.errors import LannerError
from lanner.judges.plan import Member, Plan, Totals, differences
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


def test_costs_and_totals() -> None:
    assert MEMBER.cost(1_000_000, 500_000) == 2.0
    assert Member("m", Endpoint("")).cost(1, 1) is None
    one = Totals(open=10, items=4, missing=1, cost=1.0, wrong=Counter(json=1))
    assert (one.settled, one.expected_cost) == (5, 2.0)
    one.add(Totals(open=2, items=2, wrong=Counter(json=2, schema=1), priced=False))
    assert (one.open, one.items, one.wrong, one.expected_cost) == (12, 6, {"json": 3, "schema": 1}, None)
