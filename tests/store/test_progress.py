from __future__ import annotations

from types import SimpleNamespace

from lanner import campaign
from lanner.store import SavedProgress, Store
from lanner.store.rows import micros, moment
from store_rows import NOW
from web_clients import complete, open_campaign


def test_progress_by_judge_document_and_page(store: Store, filled: SimpleNamespace) -> None:
    task = filled.tasks["ana"]
    with store.writing() as tx:
        tx.tasks.set_saved([SavedProgress(task, 0, True, 20, 12.5), SavedProgress(task, 1, True, 5, 9)], micros(NOW))
        tx.tasks.set_finished(filled.tasks["bo"], NOW)
    with store.reading() as tx:
        assert [bool(item.done) for item in tx.tasks.item_progress(task)] == [True, True, False]
        shares = {share.judge: share for share in tx.progress.shares(filled.campaign)}
        assert tx.progress.counts(filled.campaign) == {"ana": (1, 0), "bo": (1, 1)}
    ana = shares["ana"]
    assert (ana.document, ana.domain, ana.page, ana.items, ana.done) == ("one", "news", "page", 3, 2)
    assert (ana.elapsed, ana.active, ana.saved_at) == (25.0, 21.5, NOW)
    assert shares["bo"].done == 3, "a finished task is done, whatever was saved here"
    assert shares["bo"].saved_at is moment(None)


def test_sums_by_judge_and_domain_are_those_by_document(store: Store) -> None:
    """The same on both databases."""
    open_campaign(store, settings={"controls": {"swapped": 1}})
    task = campaign.tasks(store, "trial", "J1")[0]
    campaign.submit(store, task.id, 1, complete(), submission="one", elapsed=90.0, active=60.0)
    with store.reading() as tx:
        shares = tx.progress.domain_shares(1)
        by_document = tx.progress.shares(1)
        totals = tx.progress.totals()
        participant = tx.judges.all(1)[0].number
        overview = tx.progress.overview(participant)
    assert [(s.judge, s.domain) for s in shares] == [
        ("J1", "social"), ("J1", "news"), ("J2", "social"), ("J2", "news"),
    ]  # fmt: skip
    assert sum(s.items for s in shares) == sum(s.items for s in by_document)
    assert sum(s.active for s in shares) == 60.0
    assert totals == {1: (sum(s.items for s in shares), 1, 2, 0)}
    assert [(line.task, line.done, line.active) for line in overview if line.done] == [(task.id, 1, 60.0)]
