from __future__ import annotations

from lanner.corpus.ledger import Change, Ledger


def test_changes_are_counted_by_rule_and_told_one_by_one():
    told: list[Change] = []
    ledger = Ledger(on_change=told.append)
    ledger.note("trim", "d", "1", "source")
    ledger.note("trim", "d", "2")
    assert ledger.counts == {"trim": 2}
    assert told == [Change("trim", "d", "1", "source"), Change("trim", "d", "2", "")]
