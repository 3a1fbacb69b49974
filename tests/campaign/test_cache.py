from __future__ import annotations

import pytest

from campaign_parts import JUDGES, NOW, corpus, first_task, opened
from lanner import campaign
from lanner.campaign import cache
from lanner.errors import CampaignError
from lanner.store import Store


def test_frozen_facts_are_read_once(store: Store) -> None:
    opened(store)
    task = first_task(store)
    with store.reading() as tx:
        standing = tx.tasks.standing(task.id)
        assert standing is not None
        item = task.items[0]
        first = cache.document(store, tx, standing, item.document)
        assert cache.document(store, tx, standing, item.document) is first
        assert first == next(d for d in corpus() if d.id == item.document)
        shown = cache.texts(store, tx, standing, item)
        segment = first.segment(item.segment)
        assert shown is not None and segment is not None
        assert (shown.source, shown.targets) == (segment.source, (segment.outputs[item.systems[0]],))
        with pytest.raises(CampaignError):
            cache.document(store, tx, standing, "d9")


def test_a_draft_that_is_made_anew_is_not_mistaken_for_the_old_one(store: Store) -> None:
    campaign.create(store, "first", corpus(), "h_falcon", JUDGES, at=NOW)
    before = first_task(store)
    campaign.redefine(store, "first", seed=9, documents=corpus((1,)))
    after = first_task(store)
    assert after.id > before.id
    with store.reading() as tx:
        gone, there = tx.tasks.places([(before.id, 0, "new"), (after.id, 0, "new")])
    assert gone is None and there is not None and there.item == after.items[0]
