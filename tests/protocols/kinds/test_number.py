"""Numbers that are typed in."""

from __future__ import annotations

from lanner.model import Number
from lanner.protocols.answers import combine
from lanner.protocols.kinds.number import KIND


def test_counts_stay_whole_and_measures_need_not() -> None:
    assert combine(Number(id="q"), [1, 2, 4]) == 2
    assert combine(Number(id="q"), [1, 2], "mean") == 2
    assert combine(Number(id="q", integer=False), [1, 2]) == 1.5


def test_the_schema_has_the_bounds_that_are_set() -> None:
    assert KIND.schema(Number(id="q"), 2) == {"type": "integer"}
    assert KIND.schema(Number(id="q", min=0, max=2.5, integer=False), 2) == {
        "type": "number",
        "minimum": 0,
        "maximum": 2.5,
    }
    assert KIND.level(Number(id="q")) == "interval"
