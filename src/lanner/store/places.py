"""Where answers go: one item of a task each. What decides whether it takes an answer, what the judge has said there
before, and how far it is now. Asked for many places at once: a question costs more than its answer, and a busy server
has a hundred saves to write together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import and_, bindparam, case, update

from lanner.model import CampaignState, Item, JudgeKind, Role
from lanner.store import schema
from lanner.store.codec import dumps, loads
from lanner.store.judgements import ANSWER, Answer
from lanner.store.rows import Rows
from lanner.store.statement import Statement, Worded
from lanner.store.tasks import Standing

Unit = tuple[int, int, str]
"""A judge, a document and a segment, by their rows and its id: what answers of all pages are about together."""

_i = schema.item.c
_FARTHEST = 2**31


class Place(NamedTuple):
    """One item of a task. `item` is None where the task has no such item; `about_judge` is the document row that
    stands for the judge, under which consent and questionnaires are answered."""

    standing: Standing
    judge: str
    kind: JudgeKind
    page: str
    about_judge: int | None
    document: int
    item: Item | None


class Progressed(NamedTuple):
    """How far an item is after a save. Times are those spent on the item so far."""

    task: int
    item: int
    done: bool
    elapsed: float | None
    active: float | None


_COLUMNS = """
 t.campaign, t.judge, c.state, t.finished_at, c.protocol_hash, c.corpus_hash, j.key, j.kind, t.page,
 (SELECT id FROM document WHERE campaign = t.campaign AND key = ''),
 i.document, d.key, i.segment, i.systems, i.role, i.texts, i.expected"""
_JOINED = """
 JOIN campaign AS c ON c.id = t.campaign
 LEFT JOIN judge AS j ON j.id = t.judge
 LEFT JOIN item AS i ON i.task = t.id AND i.position = {item}
 LEFT JOIN document AS d ON d.id = i.document"""
_PLACES = Worded(
    # CROSS JOIN keeps SQLite from beginning with any other table than the list that was given
    sqlite=f"SELECT w.key,{_COLUMNS} FROM json_each(:wanted) AS w"
    " CROSS JOIN task AS t ON t.id = json_extract(w.value, '$[0]')"
    + _JOINED.format(item="json_extract(w.value, '$[1]')"),
    # Rows are locked, always in the same order: answers to one task and its finishing come one after the other
    postgresql=f"SELECT w.n - 1,{_COLUMNS}"
    " FROM unnest(%(tasks)s::bigint[], %(items)s::bigint[]) WITH ORDINALITY AS w(task, item, n)"
    " JOIN task AS t ON t.id = w.task" + _JOINED.format(item="w.item") + " ORDER BY t.id FOR NO KEY UPDATE OF t",
)
_ANSWERS = Worded(
    sqlite=f"SELECT u.key, {', '.join(f'q.{name}' for name in ANSWER)} FROM json_each(:units) AS u"
    " CROSS JOIN judgement AS q ON q.judge = json_extract(u.value, '$[0]')"
    " AND q.document = json_extract(u.value, '$[1]') AND q.segment = json_extract(u.value, '$[2]')"
    " ORDER BY u.key, q.id",
    postgresql=f"SELECT u.n - 1, {', '.join(f'q.{name}' for name in ANSWER)}"
    " FROM unnest(%(judges)s::bigint[], %(documents)s::bigint[], %(segments)s::text[])"
    " WITH ORDINALITY AS u(judge, document, segment, n)"
    " JOIN judgement AS q ON q.judge = u.judge AND q.document = u.document AND q.segment = u.segment"
    " ORDER BY u.n, q.id",
)


def _saved() -> Any:
    def most(column: Any, given: str) -> Any:
        return case((column > bindparam(given), column), else_=bindparam(given))

    values = {
        "done": bindparam("is_done"),
        "elapsed": most(_i.elapsed, "elapsed_now"),
        "active": most(_i.active, "active_now"),
        "saved_at": bindparam("now"),
    }
    item = and_(_i.task == bindparam("of_task"), _i.position == bindparam("of_item"))
    return update(schema.item).where(item).values(**values)


_SAVED = Statement(_saved)


class Places(Rows):
    """Items of tasks, as a save sees them."""

    __slots__ = ()

    def find(self, wanted: Sequence[tuple[int, int]]) -> list[Place | None]:
        """Task and item by task and item, the place; None where there is no such task. On PostgreSQL nobody else
        changes these tasks until the transaction ends."""
        found: list[Place | None] = [None] * len(wanted)
        pairs = [(task, item if 0 <= item < _FARTHEST else -1) for task, item in wanted]
        if self._connection.dialect.name == "sqlite":
            rows = _PLACES.all(self._connection, wanted=dumps(pairs))
        else:
            tasks, items = (list(column) for column in zip(*pairs, strict=True)) if pairs else ([], [])
            rows = _PLACES.all(self._connection, tasks=tasks, items=items)
        for at, *row in rows:
            found[at] = _place(row)
        return found

    def answers(self, units: Iterable[Unit]) -> dict[Unit, list[Answer]]:
        """Everything that was ever answered about each of these units by the judge it names, oldest first."""
        wanted = list(units)
        found: dict[Unit, list[Answer]] = {unit: [] for unit in wanted}
        if not wanted:
            return found
        if self._connection.dialect.name == "sqlite":
            rows = _ANSWERS.all(self._connection, units=dumps(wanted))
        else:
            judges, documents, segments = (list(column) for column in zip(*wanted, strict=True))
            rows = _ANSWERS.all(self._connection, judges=judges, documents=documents, segments=segments)
        for row in rows:
            found[wanted[row[0]]].append(Answer._make(row[1:]))
        return found

    def set_saved(self, progressed: Iterable[Progressed], now: int) -> None:
        """How far items are. The longest time counts: a second device knows less of one."""
        _SAVED.run_each(self._connection, [_progress_row(each, now) for each in progressed])


def _place(row: Sequence[Any]) -> Place:
    campaign, judge, state, finished_at, protocol_hash, corpus_hash, key, kind, page, about_judge = row[:10]
    document, title, segment, systems, role, texts, expected = row[10:]
    standing = Standing(campaign, judge, _STATES[state], finished_at is not None, protocol_hash, corpus_hash)
    item = None
    if document is not None:
        shown = _systems(systems)
        more = (loads(texts) if texts else {}, loads(expected) if expected else {})
        item = Item(title, segment, shown, _ROLES[role], *more)
    return Place(standing, key or "", _KINDS[kind or "person"], page, about_judge, document or 0, item)


_STATES = {state.value: state for state in CampaignState}
_ROLES = {role.value: role for role in Role}
_KINDS = {kind.value: kind for kind in JudgeKind}
_SYSTEMS: dict[str, tuple[str, ...]] = {}
_MOST_SYSTEMS = 1000


def _systems(text: str) -> tuple[str, ...]:
    """The same few lists of systems come again and again."""
    found = _SYSTEMS.get(text)
    if found is None:
        if len(_SYSTEMS) >= _MOST_SYSTEMS:
            _SYSTEMS.clear()
        found = _SYSTEMS[text] = tuple(loads(text))
    return found


def _progress_row(each: Progressed, now: int) -> Mapping[str, Any]:
    return {
        "of_task": each.task,
        "of_item": each.item,
        "is_done": int(each.done),
        "elapsed_now": each.elapsed or 0.0,
        "active_now": each.active or 0.0,
        "now": now,
    }
