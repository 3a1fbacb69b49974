from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta

import pytest

from campaign_parts import NOW, fill, first_task, opened, save, valid
from lanner import campaign
from lanner.campaign.people import LONGEST, messages_in, send_message
from lanner.errors import CampaignError, InputError
from lanner.model import Judge, JudgeKind
from lanner.store import Store


def test_consent_is_kept_with_its_version(store: Store) -> None:
    opened(store)
    campaign.consent(store, "first", "ana", "v2", at=NOW)
    ana, bo = campaign.seats(store, "first")
    assert (ana.consent, ana.consented_at, bo.consent) == ("v2", NOW, None)


def test_an_identity_can_be_erased_and_the_answers_stay(store: Store) -> None:
    opened(store, judges=[Judge("Ana Lis", name="Ana Lis", attributes={"mail": "ana@example.org"}), Judge("bo")])
    secret = campaign.invitations.issue(store, "first", "Ana Lis")
    save(store, first_task(store, "Ana Lis"))
    before = campaign.judgements(store, "first")
    name = campaign.erase(store, "first", "Ana Lis")
    after = campaign.judgements(store, "first")
    assert [(j.id, j.value) for j in after] == [(j.id, j.value) for j in before]
    assert {j.judge for j in after} == {name}
    assert campaign.invitations.lookup(store, secret) is None
    everything = repr((after, campaign.seats(store, "first"), campaign.events(store, "first")))
    everything += repr(campaign.tasks(store, "first", name))
    assert "Ana" not in everything and "ana@" not in everything


@pytest.mark.parametrize("forget", [campaign.erase, campaign.withdraw])
def test_a_code_name_that_another_judge_has_as_an_id_is_not_given_twice(
    store: Store, forget: Callable[..., object]
) -> None:
    """As after an export under code names was imported: ids of the old store meet numbers of the new one."""
    taken = [Judge("judge-2"), Judge("zoe"), Judge("judge-3", JudgeKind.MODEL), Judge("kim"), Judge("judge-4-2")]
    opened(store, judges=taken)
    save(store, first_task(store, "zoe"))
    names = campaign.pseudonyms(store, "first")
    assert names == {"judge-2": "judge-1", "zoe": "judge-2-2", "kim": "judge-4", "judge-4-2": "judge-5"}
    forget(store, "first", "zoe")
    assert [seat.judge.id for seat in campaign.seats(store, "first")][1] == names["zoe"]
    assert campaign.erase(store, "first", "judge-2-2") == "judge-2-2", "whoever was forgotten keeps the name"
    assert campaign.erase(store, "first", "judge-3") == "judge-3"


@pytest.mark.parametrize("forget", [campaign.erase, campaign.withdraw])
def test_no_message_to_a_webhook_names_a_judge_who_was_erased(store: Store, forget: Callable[..., object]) -> None:
    opened(store)
    opened(store, name="second")
    with store.writing() as tx:
        tx.webhooks.add("https://example.org/all", "", ["task.finished"], NOW)
    for name in ("first", "second"):
        for judge in ("ana", "bo"):
            task = first_task(store, judge, name)
            for item in range(len(task.items)):
                save(store, task, item, valid(store, task, item, name=name))
            campaign.finish(store, task.id, at=NOW)
    forget(store, "first", "ana")
    with store.writing() as tx:
        bodies = [json.loads(tx.webhooks.take(NOW, timedelta(days=1)).body) for _ in range(4)]
    told = [(body["campaign"], body["judge"]) for body in bodies]
    assert told == [("first", "judge-1"), ("first", "bo"), ("second", "ana"), ("second", "bo")]


def test_a_judge_who_withdraws_leaves_nothing(store: Store) -> None:
    opened(store)
    task = first_task(store)
    fill(store, task)
    campaign.finish(store, task.id)
    save(store, first_task(store, "bo"))
    with store.writing() as tx:
        tx.sessions.add("token", NOW + timedelta(days=1), NOW, judge=campaign.seats(store, "first")[0].number)
    answers = sum(j.judge == "ana" for j in campaign.history(store, "first"))
    assert campaign.withdraw(store, "first", "ana") == answers
    assert {j.judge for j in campaign.history(store, "first")} == {"bo"}
    gone, bo = campaign.progress(store, "first").judges
    assert (gone.done, gone.finished, gone.active_minutes, bo.done) == (0, 0, 0.0, 1)
    with store.reading() as tx:
        assert tx.sessions.find("token", NOW) is None


def test_a_judge_can_be_left_out_for_a_reason_and_counted_again(store: Store) -> None:
    opened(store)
    with pytest.raises(CampaignError, match="reason"):
        campaign.leave_out(store, "first", "ana", " ")
    assert campaign.left_out(store, "first") == {}
    campaign.leave_out(store, "first", "ana", "answered four times as fast as the others", at=NOW)
    campaign.leave_out(store, "first", "bo", "missed the controls", at=NOW)
    assert campaign.left_out(store, "first")["ana"] == "answered four times as fast as the others"
    campaign.count_again(store, "first", "bo", at=NOW)
    assert set(campaign.left_out(store, "first")) == {"ana"}
    name = campaign.erase(store, "first", "ana")
    assert set(campaign.left_out(store, "first")) == {name}, "a new name changes nothing"
    kinds = [event.kind for event in campaign.events(store, "first")]
    assert kinds.count("judge_left_out") == 2 and kinds.count("judge_counted_again") == 1


# Messages of judges to the organiser: kept in the log, shown newest first, gone with a judge who withdraws.


def texts(store: Store) -> list[str]:
    return [message.text for message in messages_in(campaign.events(store, "first"))]


def test_a_message_names_its_judge_task_and_document(store: Store) -> None:
    opened(store)
    task = first_task(store)
    send_message(store, task.id, "  The second page is missing. ", at=NOW)
    send_message(store, task.id, "And the third.", at=NOW + timedelta(minutes=1))
    (newest, first) = messages_in(campaign.events(store, "first"))
    assert (newest.text, first.text) == ("And the third.", "The second page is missing.")
    ana = campaign.seats(store, "first")[0]
    assert (first.seat, first.task, first.document, first.at) == (ana.number, task.id, task.items[0].document, NOW)


@pytest.mark.parametrize("text", ["", "   ", "x" * (LONGEST + 1)])
def test_a_message_is_neither_empty_nor_endless(store: Store, text: str) -> None:
    opened(store)
    with pytest.raises(InputError):
        send_message(store, first_task(store).id, text)
    assert texts(store) == []


def test_a_message_needs_a_task(store: Store) -> None:
    opened(store)
    with pytest.raises(CampaignError):
        send_message(store, 999, "Hello")


def test_messages_go_with_the_judge_who_withdraws_and_no_others(store: Store) -> None:
    opened(store)
    send_message(store, first_task(store, "ana").id, "from Ana")
    send_message(store, first_task(store, "bo").id, "from Bo")
    campaign.withdraw(store, "first", "ana")
    assert texts(store) == ["from Bo"]
