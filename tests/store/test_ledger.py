"""The ledger: appended, never changed, one row per attempt; the same question twice is stored once."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import DBAPIError

from campaign_parts import NOW
from lanner import campaign
from lanner.errors import StoreError
from lanner.model import Document, Judge, JudgeKind, Segment
from lanner.store import NewEntry, Store

TEXTS = [Document(f"d{n}", tuple(Segment(str(s), "One.", {"oak": "Eins."}) for s in range(2))) for n in range(3)]


def entry(campaign_: int, judge: int, document: int, **more: object) -> NewEntry:
    row: dict[str, object] = {
        "campaign": campaign_, "judge": judge, "document": document, "segment": "0", "systems": "[]", "role": "main",
        "page": "rating", "key": "k", "sample": 0, "swapped": 0, "attempt": 1, "final": 1, "outcome": "valid",
        "prompt_hash": "p", "schema_hash": "s", "template": "judge-1", "model": "m", "model_answered": "m",
        "fingerprint": "", "seed": None, "temperature": None, "tokens_in": 10, "tokens_out": 5, "repairs": 0,
        "cost": 0.5, "latency": 0.1, "raw": "{}", "problem": "", "detail": "{}", "answers": "{}", "asked_at": 1,
    }  # fmt: skip
    return NewEntry(**{**row, **more})  # type: ignore[typeddict-item]


@pytest.fixture
def participant(store: Store) -> tuple[int, int, dict[str, int]]:
    made = campaign.create(store, "c", TEXTS, "h_falcon", [Judge("m", JudgeKind.MODEL)], at=NOW)
    with store.reading() as tx:
        return made.id, tx.judges.all(made.id)[0].number, tx.documents.numbers(made.id)


def test_rows_come_back_and_sums_add_up(store: Store, participant: tuple[int, int, dict[str, int]]) -> None:
    number, judge, documents = participant
    rows = [entry(number, judge, documents["d1"], attempt=n, final=n == 2, raw=f"reply {n} é") for n in (1, 2)]
    with store.writing() as tx:
        tx.ledger.add([*rows, entry(number, judge, documents["d2"])])
    with store.reading() as tx:
        assert [(e.attempt, e.raw) for e in tx.ledger.of_document(judge, documents["d1"])] == [
            (1, "reply 1 é"), (2, "reply 2 é"),
        ]  # fmt: skip
        assert [key for key, _ in tx.ledger.of_judge(judge)] == ["d1", "d1", "d2"]
        spent = tx.ledger.spent(judge)
    assert (spent.replies, spent.tokens_in, spent.tokens_out, spent.cost) == (3, 30, 15, 1.5)


def test_a_part_of_the_cost_is_not_the_cost(store: Store, participant: tuple[int, int, dict[str, int]]) -> None:
    number, judge, documents = participant
    row = entry(number, judge, documents["d1"])
    with store.writing() as tx:
        tx.ledger.add([row, entry(number, judge, documents["d1"], attempt=2, outcome="failed", cost=None)])
    with store.reading() as tx:
        assert tx.ledger.spent(judge).cost == 0.5  # nobody is paid for a request without a reply
    with store.writing() as tx:
        tx.ledger.add([entry(number, judge, documents["d2"], cost=None)])
    with store.reading() as tx:
        spent = tx.ledger.spent(judge)
    assert (spent.replies, spent.priced, spent.unpriced, spent.cost) == (2, 0.5, 1, None)


def test_the_first_of_two_replies_to_one_question_stays(
    store: Store, participant: tuple[int, int, dict[str, int]]
) -> None:
    number, judge, documents = participant
    for raw in ("first", "second"):
        with store.writing() as tx:
            tx.ledger.add([entry(number, judge, documents["d1"], raw=raw)])
    with store.reading() as tx:
        assert [e.raw for e in tx.ledger.of_document(judge, documents["d1"])] == ["first"]


def test_nobody_changes_a_row(store: Store, participant: tuple[int, int, dict[str, int]]) -> None:
    number, judge, documents = participant
    with store.writing() as tx:
        tx.ledger.add([entry(number, judge, documents["d1"])])
    with pytest.raises((StoreError, DBAPIError), match="append-only"), store.writing() as tx:
        tx.ledger._connection.exec_driver_sql("UPDATE ledger SET raw = 'other'")


def test_open_tasks_by_document_and_removal_of_all(store: Store, participant: tuple[int, int, dict[str, int]]) -> None:
    number, judge, documents = participant
    with store.writing() as tx:
        tx.ledger.add([entry(number, judge, documents["d1"])])
    with store.reading() as tx:
        assert sorted((w.document, w.page, w.items) for w in tx.ledger.open_tasks(judge)) == [
            ("d0", "rating", 2), ("d1", "rating", 2), ("d2", "rating", 2),
        ]  # fmt: skip
    campaign.remove(store, number, name="c")
    with store.reading() as tx:
        assert not list(tx.ledger.of_judge(judge))
