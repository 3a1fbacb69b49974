from __future__ import annotations

from types import SimpleNamespace

from lanner.store import Store
from store_rows import NOW


def test_the_log_of_a_campaign_in_order(store: Store, filled: SimpleNamespace) -> None:
    with store.writing() as tx:
        tx.events.add("opened", NOW, campaign=filled.campaign)
        tx.events.add("signed in", NOW)
        tx.events.add("imported", NOW, campaign=filled.campaign, rows=3)
    with store.reading() as tx:
        log = tx.events.of(filled.campaign)
    assert [(e.kind, e.at, dict(e.detail)) for e in log] == [("opened", NOW, {}), ("imported", NOW, {"rows": 3})]
