"""Options by their spellings."""

from __future__ import annotations

from random import Random

from lanner import protocols
from lanner.model import Option
from lanner.protocols.kinds.base import describe_options, fold, have_values, pick_option, replace_alias, resolve
from lanner.protocols.wording import Wording

OPTIONS = (
    Option(id="accuracy", aliases=("Adequacy",), value=0),
    Option(id="omission", parent="accuracy", aliases=("Left out",), value=2),
    Option(id="style", value=1),
)


def test_case_and_punctuation_do_not_matter() -> None:
    assert fold("  Local--contextual_Knowledge ") == "local contextual knowledge"
    assert resolve("LEFT OUT", OPTIONS) == "omission"
    assert resolve("Adequacy/Left-out", OPTIONS) == "omission"
    assert resolve("style/omission", OPTIONS) is None
    assert resolve("adequacy", list(OPTIONS)) == "accuracy"


def test_options_of_equal_content_do_not_share_a_cache_by_accident() -> None:
    for number in range(600):
        options = (Option(id=f"a{number}"), Option(id="b", aliases=(f"alias {number}",)))
        assert resolve(f"Alias {number}", options) == "b"
        assert resolve(f"alias {number + 1}", options) is None


def test_replacing_an_alias_counts_it_and_leaves_what_is_unknown() -> None:
    assert replace_alias("style", OPTIONS) == ("style", 0)
    assert replace_alias("Left out", OPTIONS) == ("omission", 1)
    assert replace_alias("nonsense", OPTIONS) == ("nonsense", 0)
    assert replace_alias(3, OPTIONS) == (3, 0)


def test_options_are_listed_by_group_with_their_definitions() -> None:
    protocol = protocols.load("h_falcon")
    rows = protocol.find("skills")[1].rows
    lines = list(describe_options("skills", rows, Wording(protocol), protocol.groups))
    headings = [line for line in lines if line.startswith("*")]
    assert len(headings) == len({row.group for row in rows}) == len(protocol.groups)
    assert len(lines) == len(rows) + len(headings)


def test_an_option_is_picked_near_the_level_by_value_not_by_place() -> None:
    assert have_values(OPTIONS) and not have_values((Option(id="a"), OPTIONS[0]))
    assert [pick_option(OPTIONS, Random(0), level) for level in (0.0, 0.5, 1.0)] == ["accuracy", "style", "omission"]
    assert {pick_option(OPTIONS, Random(seed), None) for seed in range(30)} == {option.id for option in OPTIONS}
