"""Free text."""

from __future__ import annotations

from lanner.model import Text
from lanner.protocols.answers import combine
from lanner.protocols.kinds.text import KIND


def test_the_remark_that_most_wrote_is_taken_else_the_first() -> None:
    assert combine(Text(id="q"), ["one", "two", "two"]) == "two"
    assert combine(Text(id="q"), ["one", "two"]) == "one"


def test_no_agreement_can_be_computed_on_remarks() -> None:
    assert KIND.level(Text(id="q")) == "none"
    assert KIND.schema(Text(id="q", max_length=20), 2) == {"type": "string", "maxLength": 20}
