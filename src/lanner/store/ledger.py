"""What models were asked and what they replied: one append-only row per attempt. A row is never changed; a key whose
last row is final needs no more asking. `key` names the question to the letter: item, model, sample, prompt, settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple, TypedDict

from sqlalchemy import bindparam, case, delete, func, select
from sqlalchemy.dialects import postgresql, sqlite

from lanner.store import schema
from lanner.store.rows import STREAMED, Rows

_l, _d, _t, _i = schema.ledger.c, schema.document.c, schema.task.c, schema.item.c


class LedgerEntry(NamedTuple):
    """A row as a run needs it when it begins again, and as an audit reads it. JSON stays text."""

    segment: str
    systems: str
    role: str
    page: str
    key: str
    sample: int
    swapped: int
    attempt: int
    final: int
    outcome: str
    model: str
    raw: str
    problem: str
    answers: str | None
    tokens_in: int
    tokens_out: int
    cost: float | None
    repairs: int
    schema_hash: str
    detail: str


class JudgeUsage(NamedTuple):
    """What a judge has come to: replies (requests that got none are not counted), tokens sent and received, the cost of
    replies with a price, and how many have none."""

    replies: int
    tokens_in: int
    tokens_out: int
    priced: float
    unpriced: int

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    @property
    def cost(self) -> float | None:
        """The cost of all replies; None where some have no price, since a part is not the whole."""
        return None if self.unpriced else self.priced


_READ = tuple(_l[name] for name in LedgerEntry._fields)


class NewEntry(TypedDict):
    """A row about to be added, in the tables' plain types."""

    campaign: int
    judge: int
    document: int
    segment: str
    systems: str
    role: str
    page: str
    key: str
    sample: int
    swapped: int
    attempt: int
    final: int
    outcome: str
    prompt_hash: str
    schema_hash: str
    template: str
    model: str
    model_answered: str
    fingerprint: str
    seed: int | None
    temperature: float | None
    tokens_in: int
    tokens_out: int
    repairs: int
    cost: float | None
    latency: float
    raw: str
    problem: str
    detail: str
    answers: str | None
    asked_at: int


class UnfinishedTask(NamedTuple):
    """A task that is not finished, the first document it is about, and how many of its items are still open."""

    document: str
    task: int
    page: str
    items: int


_OF_DOCUMENT = (
    select(*_READ).where(_l.judge == bindparam("judge"), _l.document == bindparam("document")).order_by(_l.id)
)
_OF_JUDGE = (
    select(_d.key, *_READ)
    .join(schema.document, _d.id == _l.document)
    .where(_l.judge == bindparam("judge"))
    .order_by(_l.id)
)
_INSERT = postgresql.insert(schema.ledger).on_conflict_do_nothing()
_COLUMNS = [column.name for column in schema.ledger.columns if column.name != "id"]
_SQLITE_INSERT = str(
    sqlite.insert(schema.ledger).on_conflict_do_nothing().compile(dialect=sqlite.dialect(), column_keys=_COLUMNS)
)
_values = itemgetter(*_COLUMNS)


class Ledger(Rows):
    """Rows of the table `ledger`."""

    __slots__ = ()

    def add(self, rows: Sequence[NewEntry]) -> None:
        """Append. Where two workers asked the same, the first reply stays and the second is not stored."""
        if rows:
            if self._connection.dialect.name == "sqlite":  # as the driver wants them: a third of the time
                self._connection.exec_driver_sql(_SQLITE_INSERT, [*map(_values, rows)])
            else:
                self._connection.execute(_INSERT, rows)

    def of_document(self, judge: int, document: int) -> list[LedgerEntry]:
        """Everything asked of a judge about one document, oldest first."""
        rows = self._connection.execute(_OF_DOCUMENT, {"judge": judge, "document": document})
        return [LedgerEntry(*row) for row in rows]

    def of_judge(self, judge: int) -> Iterator[tuple[str, LedgerEntry]]:
        """Everything asked of a judge, with the document's key, oldest first."""
        rows = self._connection.execute(_OF_JUDGE, {"judge": judge}, execution_options=STREAMED)
        return ((row[0], LedgerEntry(*row[1:])) for row in rows)

    def spent(self, judge: int) -> JudgeUsage:
        """What this judge has come to so far."""
        is_reply = _l.outcome != "failed"
        replies = func.sum(case((is_reply, 1), else_=0))
        unpriced = func.sum(case((is_reply & _l.cost.is_(None), 1), else_=0))
        sums = select(replies, func.sum(_l.tokens_in), func.sum(_l.tokens_out), func.sum(_l.cost), unpriced)
        row = self._connection.execute(sums.where(_l.judge == judge)).one()
        return JudgeUsage(int(row[0] or 0), int(row[1] or 0), int(row[2] or 0), float(row[3] or 0.0), int(row[4] or 0))

    def remove_of(self, judge: int) -> None:
        """Forget what was asked of a judge who is removed, having answered nothing."""
        self._connection.execute(delete(schema.ledger).where(_l.judge == judge))

    def open_tasks(self, judge: int, *, finished: bool = False) -> list[UnfinishedTask]:
        """A judge's unfinished tasks by document, those of one document together, in the campaign's order; with
        `finished` those that are finished as well."""
        mine = (_t.judge == judge) if finished else (_t.judge == judge) & _t.finished_at.is_(None)
        items = select(_i.task, _i.document, func.sum(1 - _i.done)).join(schema.task, _t.id == _i.task).where(mine)
        query = select(_i.document).join(schema.task, _t.id == _i.task).where(mine)
        # Put together here: a join on the documents' places has no index, and would look at each pair of documents.
        documents = {
            row[0]: (row[1], row[2])
            for row in self._connection.execute(select(_d.id, _d.position, _d.key).where(_d.id.in_(query)))
        }
        first: dict[int, tuple[int, str]] = {}
        number: dict[int, int] = {}
        for task, document, open_ in self._connection.execute(items.group_by(_i.task, _i.document)):
            if document in documents:  # a questionnaire is about none
                first[task] = min(first.get(task, documents[document]), documents[document])
                number[task] = number.get(task, 0) + int(open_)
        tasks = self._connection.execute(select(_t.id, _t.page, _t.position).where(mine))
        in_order = sorted((*first[row[0]], row[2], row[0], row[1]) for row in tasks if row[0] in first)
        return [UnfinishedTask(key, task, page, number[task]) for _, key, _, task, page in in_order]
