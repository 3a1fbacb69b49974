from __future__ import annotations

from types import SimpleNamespace

from lanner.store import Store
from store_rows import answer


def test_reserved_ids_are_new_and_in_order(store: Store, filled: SimpleNamespace) -> None:
    with store.writing() as tx:
        first = list(tx.judgements.reserve(3))
        tx.judgements.add([answer(filled, row, segment=str(row)) for row in first])
    with store.writing() as tx:
        second = list(tx.judgements.reserve(2))
    assert first == sorted(first) and len(set(first)) == 3
    assert min(second) > max(first)
