"""Messages of judges to the organiser: kept in the log, shown newest first, gone with a judge who withdraws."""

from __future__ import annotations

from datetime import timedelta

import pytest

from campaign_parts import NOW, first_task, opened
from lanner import campaign
from lanner.campaign.messages import LONGEST, messages_in, send_message
from lanner.errors import CampaignError, InputError
from lanner.store import Store


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
