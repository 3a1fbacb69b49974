"""Which questions of a model judge have no valid answer, by the ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from lanner.model import Item
from lanner.store import LedgerEntry
from lanner.store.rows import loads

JudgedItem = tuple[str, str, str, tuple[str, ...], str]
"""Page, document, segment, outputs and role: an item wherever it is asked about."""


class _Question(NamedTuple):
    """What tells the questions of a judge apart. What was asked again in another way (with a longer limit, in a call
    about fewer sentences) is one question."""

    item: JudgedItem
    stages: tuple[str, ...]
    model: str
    twin: int
    sample: int
    swapped: int
    schema_hash: str


def item_of(page: str, item: Item) -> JudgedItem:
    """An item as it is known here."""
    return page, item.document, item.segment, item.systems, item.role.value


def unanswered(rows: Iterable[tuple[str, LedgerEntry]]) -> list[tuple[str, LedgerEntry, int]]:
    """Questions without a valid answer: of each its document, its last row, and how many sentences that leaves without
    one."""
    numbers = Counter(
        (question.item[1], row) for question, row in _last_without_answer(rows).items() if row is not None
    )
    return [(document, row, number) for (document, row), number in numbers.items()]


def items_with_gaps(rows: Iterable[tuple[str, LedgerEntry]]) -> set[JudgedItem]:
    """The items about which some question is settled without a valid answer."""
    return {question.item for question, row in _last_without_answer(rows).items() if row is not None and row.final}


def _last_without_answer(rows: Iterable[tuple[str, LedgerEntry]]) -> dict[_Question, LedgerEntry | None]:
    """By question the last row, None where that has a valid answer."""
    last: dict[_Question, LedgerEntry | None] = {}
    for document, row in rows:
        detail = loads(row.detail)
        systems = tuple(loads(row.systems))
        item = (row.page, document, row.segment, systems[::-1] if row.swapped else systems, row.role)
        way = (tuple(detail.get("stages", ())), row.model, detail.get("twin", 0), row.sample, row.swapped)
        answers = loads(row.answers) if row.final and row.answers else None
        if segments := detail.get("segments"):
            for number, segment in enumerate(segments, 1):
                question = _Question((row.page, document, segment, *item[3:]), *way, "")
                last[question] = None if str(number) in (answers or {}) else row
        else:
            last[_Question(item, *way, row.schema_hash)] = None if answers is not None else row
    return last
