"""One of several options."""

from __future__ import annotations

from lanner.model import Choice, Option
from lanner.protocols.answers import combine
from lanner.protocols.kinds.choice import KIND

OPTIONS = (Option(id="none"), Option(id="some", aliases=("A bit",)), Option(id="much"))


def test_ties_follow_the_order_of_the_options() -> None:
    assert combine(Choice(id="q", options=OPTIONS), ["much", "none"]) == "none"
    assert combine(Choice(id="q", options=OPTIONS, ordered=True), ["much", "much", "some", "some", "none"]) == "some"
    assert combine(Choice(id="q", options=OPTIONS), ["much", "much", "none"], "mean") == "much"


def test_level_and_aliases() -> None:
    assert KIND.level(Choice(id="q", options=OPTIONS)) == "nominal"
    assert KIND.level(Choice(id="q", options=OPTIONS, ordered=True)) == "ordinal"
    assert KIND.replace_aliases(Choice(id="q", options=OPTIONS), "a BIT") == ("some", 1)
