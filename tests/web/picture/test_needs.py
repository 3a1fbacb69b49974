from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

from lanner.model import Campaign, CampaignState
from lanner.web.picture.forecast import Outlook
from lanner.web.picture.needs import Standing, needs
from lanner.web.picture.told import Divergence, Measure, Pace, Swap
from lanner.web.picture.verdict import Plan

LABEL = {"low": "low", "high": "high"}


def campaign(state: str = "open") -> Campaign:
    return Campaign(1, "trial", "", "h_falcon", "", CampaignState(state), 1, created_at=datetime.now(UTC))


def standing(name: str, done: int = 5, late: str = "", missed: int = 0, asked: int = 0) -> Standing:
    outlook = Outlook(name, done, 10, (), Pace(), 100.0, 100.0, 0.7, None)
    return Standing(name, name, outlook, late, missed, asked)


def said(people: list[Standing], **more: object) -> list[tuple[str, str]]:
    given = {"measured": (), "apart": None, **more}
    found = needs(campaign(), people, given["measured"], given["apart"], plan=Plan(), label=LABEL)  # type: ignore[arg-type]
    return [(need.tone, need.say) for need in found]


def test_nothing_needed_when_all_is_well() -> None:
    assert said([standing("a"), standing("b")]) == []


def test_a_pause_is_not_forgotten() -> None:
    found = needs(campaign("paused"), [], (), None, plan=Plan(), label=LABEL)
    assert found[0].say == "The campaign is paused."


def test_controls_lateness_and_idleness() -> None:
    people = [
        standing("a", missed=5, asked=15),
        standing("b", missed=3, asked=15),
        standing("c", late="2 days late"),
        standing("d", done=0),
    ]
    assert said(people) == [
        ("bad", "a missed 5 of 15 control items."),
        ("warn", "b missed 3 of 15 control items."),
        ("warn", "c is 2 days late."),
        ("warn", "Not begun: d."),
    ]


def test_before_anyone_has_begun_nobody_is_blamed() -> None:
    assert said([standing("a", done=0), standing("b", done=0)]) == []


def test_what_more_judging_cannot_mend() -> None:
    weak = Measure("q", "", "Focus", value=0.22, low=0.14, high=0.27, expected_low=0.15, expected_high=0.27, items=50)
    assert said([standing("a")], measured=(weak,)) == [("info", "Focus is at α .22.")]
    few = Measure("q", "", "Focus", value=0.22, low=0.14, high=0.27, items=5)
    assert said([standing("a")], measured=(few,)) == []


def test_a_swap_comes_first() -> None:
    apart = SimpleNamespace(swaps=(Swap("a", ("low", "high"), 20, 1),))
    assert isinstance(apart, SimpleNamespace) and Divergence
    assert said([standing("a"), standing("b", late="1 day late")], apart=apart)[0] == (
        "bad",
        "a seems to swap low and high.",
    )


def test_more_overlap_is_asked_for_where_the_plan_will_not_do() -> None:
    wide = Measure("q", "", "Focus", value=0.5, low=0.2, high=0.8, items=50, documents=6, needed=54)
    assert said([standing("a")], measured=(wide,)) == [("info", "The interval of focus will stay wide.")]
