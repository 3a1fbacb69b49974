"""One of several options."""

from __future__ import annotations

import pytest

from lanner.model import Choice, Option
from lanner.protocols.answers import combine
from lanner.protocols.kinds.choice import KIND

OPTIONS = (Option(id="none"), Option(id="some", aliases=("A bit",)), Option(id="much"))


def test_ties_follow_the_order_of_the_options() -> None:
    assert combine(Choice(id="q", options=OPTIONS), ["much", "none"]) == "none"
    assert combine(Choice(id="q", options=OPTIONS, ordered=True), ["much", "much", "some", "some", "none"]) == "some"
    assert combine(Choice(id="q", options=OPTIONS), ["much", "much", "none"], "mean") == "much"


@pytest.mark.parametrize(
    ("ids", "votes", "expected"),
    [
        (("left", "tie", "right"), ["left", "right"], "tie"),
        (("a", "b", "equal"), ["b", "a", "equal"], "equal"),
        (("left", "tie", "right"), ["right", "left", "right"], "right"),
        (("left", "right"), ["right", "left"], "left"),  # nothing else can be said
    ],
)
def test_sides_with_as_many_votes_are_a_tie(ids: tuple[str, ...], votes: list[str], expected: str) -> None:
    assert combine(Choice(id="q", options=tuple(Option(id=name) for name in ids)), votes) == expected


def test_level_and_aliases() -> None:
    assert KIND.level(Choice(id="q", options=OPTIONS)) == "nominal"
    assert KIND.level(Choice(id="q", options=OPTIONS, ordered=True)) == "ordinal"
    assert KIND.replace_aliases(Choice(id="q", options=OPTIONS), "a BIT") == ("some", 1)
