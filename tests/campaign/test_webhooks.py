from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from campaign_parts import NOW, corpus, fill, opened
from lanner import campaign
from lanner.campaign.webhooks import EVENTS, refuse_address
from lanner.errors import LannerError
from lanner.model import Judge, JudgeKind
from lanner.store import Store


def take_messages(store: Store) -> list[dict[str, object]]:
    found = []
    with store.writing() as tx:
        while taken := tx.webhooks.take(NOW + timedelta(days=1), timedelta(days=9)):
            found.append(json.loads(taken.body))
    return found


def test_a_finished_task_is_told_and_the_last_one_tells_of_the_campaign(store: Store) -> None:
    opened(store)
    with store.writing() as tx:
        tx.webhooks.add("https://example.org/hook", "secret", EVENTS, NOW)
    work = [(judge, task) for judge in ("ana", "bo") for task in campaign.tasks(store, "first", judge)]
    for _, task in work:
        fill(store, task)
    with ThreadPoolExecutor(4) as pool:  # at once, so that the last two could miss each other
        list(pool.map(lambda entry: campaign.finish(store, entry[1].id, at=NOW), work))
    campaign.finish(store, work[0][1].id, at=NOW)
    found = take_messages(store)
    assert sorted(entry["task"] for entry in found if entry["event"] == "task.finished") == sorted(
        task.id for _, task in work
    )
    assert {entry["judge"] for entry in found if "judge" in entry} == {"ana", "bo"}
    assert [entry["campaign"] for entry in found if entry["event"] == "campaign.finished"] == ["first"]
    assert "Ana" not in json.dumps(found)


def test_without_addresses_nothing_is_written(store: Store) -> None:
    opened(store)
    task = campaign.tasks(store, "first", "ana")[0]
    fill(store, task)
    campaign.finish(store, task.id)
    assert take_messages(store) == []


def test_a_pool_is_finished_with_its_last_text_though_some_judges_never_came(store: Store) -> None:
    opened(store, "da", design="pool", settings={"before": ["background"]})
    with store.writing() as tx:
        tx.webhooks.add("https://example.org/hook", "secret", EVENTS, NOW)
    number = 0
    while task := campaign.next_task(store, "first", "ana"):
        assert [entry["event"] for entry in take_messages(store)] == ["task.finished"] * (number > 0)
        fill(store, task)
        campaign.finish(store, task.id, at=NOW)
        number += 1
    assert number > 2
    assert [entry["event"] for entry in take_messages(store)] == ["task.finished", "campaign.finished"]


def listening(store: Store) -> None:
    with store.writing() as tx:
        tx.webhooks.add("https://example.org/hook", "secret", ["campaign.finished"], NOW)


def finish_all(store: Store, judge: str) -> None:
    for task in campaign.tasks(store, "first", judge):
        if task.finished_at is None:
            fill(store, task)
            campaign.finish(store, task.id, at=NOW)


def test_a_campaign_that_an_organiser_ends_by_removing_who_never_came_is_told_once(store: Store) -> None:
    opened(store)
    listening(store)
    finish_all(store, "ana")
    assert take_messages(store) == []
    campaign.remove_judge(store, "first", "bo", at=NOW)
    assert [entry["campaign"] for entry in take_messages(store)] == ["first"]
    campaign.add_judges(store, "first", [Judge("gpt", JudgeKind.MODEL)])
    campaign.remove_judge(store, "first", "gpt", at=NOW)
    assert take_messages(store) == [], "a model that was never asked ends nothing"


def test_the_end_of_a_calibration_round_is_not_the_end(store: Store) -> None:
    opened(store, "da", documents=corpus((2, 2)), settings={"calibration": ["d0"]})
    listening(store)
    for judge in ("ana", "bo"):
        finish_all(store, judge)
    assert take_messages(store) == []
    campaign.after_calibration(store, "first", at=NOW)
    for judge in ("ana", "bo"):
        finish_all(store, judge)
    assert [entry["campaign"] for entry in take_messages(store)] == ["first"]


def test_removing_everybody_finishes_nothing(store: Store) -> None:
    opened(store)
    listening(store)
    for judge in ("ana", "bo"):
        campaign.remove_judge(store, "first", judge, at=NOW)
    assert take_messages(store) == []


def test_who_leaves_nothing_but_a_questionnaire_ends_the_campaign(store: Store) -> None:
    opened(store, settings={"after": ["post_task"]})
    listening(store)
    finish_all(store, "bo")
    for task in campaign.tasks(store, "first", "ana")[:-1]:
        fill(store, task)
        campaign.finish(store, task.id, at=NOW)
    assert take_messages(store) == []
    assert campaign.replace_judge(store, "first", "ana", Judge("cy"), at=NOW) == 0
    assert [entry["campaign"] for entry in take_messages(store)] == ["first"]


def test_leaving_out_the_last_who_has_work_ends_the_campaign_and_counting_them_again_does_not(store: Store) -> None:
    opened(store)
    listening(store)
    finish_all(store, "ana")
    campaign.add_judges(store, "first", [Judge("gpt", JudgeKind.MODEL)])
    campaign.leave_out(store, "first", "bo", "stopped coming", at=NOW)
    assert take_messages(store) == [], "a model is still at work"
    campaign.leave_out(store, "first", "gpt", "not asked", at=NOW)
    assert take_messages(store) == []
    campaign.count_again(store, "first", "bo", at=NOW)
    campaign.leave_out(store, "first", "bo", "stopped coming", at=NOW)
    assert [entry["campaign"] for entry in take_messages(store)] == ["first"]


def test_the_end_is_told_when_all_who_count_have_finished(store: Store) -> None:
    opened(store)
    listening(store)
    fill(store, campaign.tasks(store, "first", "bo")[0])
    campaign.leave_out(store, "first", "bo", "stopped coming", at=NOW)
    assert take_messages(store) == []
    finish_all(store, "ana")
    assert [entry["campaign"] for entry in take_messages(store)] == ["first"]


@pytest.mark.parametrize("url", ["ftp://x", "file:///etc/passwd", "https://", "javascript:x", "http://a:b@host/"])
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(LannerError):
        refuse_address(url)
