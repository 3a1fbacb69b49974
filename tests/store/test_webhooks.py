from __future__ import annotations

import json
from datetime import timedelta
from types import SimpleNamespace

from lanner.store import Store
from store_rows import NOW, fill

LEASE = timedelta(minutes=1)


def test_whoever_wants_to_know_is_told_once(store: Store, filled: SimpleNamespace) -> None:
    other = fill(store, "second")
    with store.writing() as tx:
        for campaign, events in ((None, ["task.finished"]), (filled.campaign, ["task.finished"]), (None, ["other"])):
            tx.webhooks.add("https://example.org", "secret", events, NOW, campaign=campaign)
        tx.webhooks.announce(other.campaign, "task.finished", {"task": 7}, NOW)
        taken = tx.webhooks.take(NOW, LEASE)
        assert taken and json.loads(taken.body) == {"event": "task.finished", "task": 7}
        assert taken.webhook.secret == "secret"
        assert tx.webhooks.take(NOW, LEASE) is None, "someone else has it"
        again = tx.webhooks.take(NOW + 2 * LEASE, LEASE)
        assert again and (again.id, again.attempts) == (taken.id, 2)
        tx.webhooks.delivered(again.id, NOW)
        assert tx.webhooks.take(NOW + 9 * LEASE, LEASE) is None
        assert tx.webhooks.waiting() == []


def test_what_fails_is_tried_again_and_then_left(store: Store, filled: SimpleNamespace) -> None:
    with store.writing() as tx:
        number = tx.webhooks.add("https://example.org", "s", ["campaign.finished"], NOW)
        tx.webhooks.announce(filled.campaign, "campaign.finished", {}, NOW)
        taken = tx.webhooks.take(NOW, LEASE)
        assert taken
        tx.webhooks.failed(taken.id, "answered 500", NOW + timedelta(hours=1))
        assert tx.webhooks.take(NOW + LEASE, LEASE) is None
        assert tx.webhooks.waiting() == [("campaign.finished", 1, "answered 500")]
        tx.webhooks.failed(taken.id, "answered 500", None)
        assert tx.webhooks.take(NOW + timedelta(days=9), LEASE) is None
        assert tx.webhooks.remove(number, NOW)
        assert not tx.webhooks.remove(number, NOW)
        assert tx.webhooks.all() == []
