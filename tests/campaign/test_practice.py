from __future__ import annotations

from datetime import UTC, datetime

import pytest

from campaign_parts import NOW, corpus, opened, save
from lanner import campaign
from lanner.campaign.practice import Round, has_reached, record_round, required_agreement
from lanner.campaign.settings import check_settings
from lanner.errors import CampaignError, InputError
from lanner.model import Judge, JudgeKind
from lanner.store import Store


def practised(store: Store, **more: object) -> tuple[int, int]:
    """A campaign that asks for practice: its number, and the participant of its first judge."""
    entry = opened(store, "falcon_labels", documents=corpus((2,)), settings={"practice_agreement": 0.8}, **more)
    return entry.id, campaign.participants(store, "first")[0].number


def refusal(store: Store, judge: str = "ana") -> str:
    """Why an answer of a judge is refused; empty where it is stored."""
    task = campaign.tasks(store, "first", judge)[0]
    try:
        save(store, task, 0, {"context": "local"})
    except CampaignError as error:
        return error.code
    return ""


def test_answers_wait_for_practice_that_has_reached_its_agreement(store: Store) -> None:
    number, participant = practised(store)
    task = campaign.tasks(store, "first", "ana")[0]
    assert refusal(store) == "practice"
    with pytest.raises(CampaignError) as caught:
        campaign.finish(store, task.id)
    assert caught.value.code == "practice" and "80%" in caught.value.next_step
    record_round(store, number, participant, Round(task.page, 7, 10, NOW))
    assert refusal(store) == "practice", "70 % is not enough"
    record_round(store, number, participant, Round(task.page, 8, 10, NOW))
    assert refusal(store) == ""
    assert refusal(store, "bo") == "practice", "everyone practises for themselves"
    campaign.configure(store, "first", settings={"practice_agreement": None})
    assert refusal(store, "bo") == "", "the setting as it is now"
    campaign.configure(store, "first", settings={"practice_agreement": 0.9})
    assert refusal(store) == "practice", "more is asked than was reached"


def test_practice_on_one_page_does_not_open_another(store: Store) -> None:
    number, participant = practised(store)
    record_round(store, number, participant, Round("elsewhere", 10, 10, NOW))
    assert refusal(store) == "practice"


def test_models_and_simulated_judges_do_not_practise(store: Store) -> None:
    judges = [Judge("tiny", JudgeKind.MODEL), Judge("sim", JudgeKind.SIMULATED), Judge("ana")]
    practised(store, judges=judges)
    assert [refusal(store, judge.id) for judge in judges] == ["", "", "practice"]


AT = datetime(2026, 11, 16, tzinfo=UTC)


def test_one_round_at_the_stated_share_is_enough() -> None:
    rounds = [Round("p", 3, 5, AT), Round("p", 4, 5, AT), Round("p", 0, 5, AT)]
    assert [entry.share for entry in rounds] == [0.6, 0.8, 0.0]
    assert has_reached(rounds, 0.8)
    assert not has_reached(rounds, 0.81)
    assert not has_reached([], 0.1)


def test_a_round_without_references_reaches_nothing() -> None:
    assert not has_reached([Round("p", 0, 0, AT)], 0.5)


@pytest.mark.parametrize(("value", "wanted"), [(None, None), (0.8, 0.8), (1, 1.0), (True, None), (0, None)])
def test_the_setting(value: float | None, wanted: float | None) -> None:
    assert required_agreement({"practice_agreement": value}) == wanted


@pytest.mark.parametrize("value", [0, 1.2, -1])
def test_a_share_that_nobody_could_reach_or_miss_is_refused(value: float) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        check_settings({"practice_agreement": value})
