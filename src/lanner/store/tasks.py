"""Who sees what in which order: tasks and their items."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import and_, bindparam, case, delete, exists, func, null, or_, select, true, update

from lanner.model import CampaignState, Item, JudgeKind, Role, Task
from lanner.store import schema
from lanner.store.campaigns import JUDGE_ITSELF
from lanner.store.rows import (
    Rows,
    dumps,
    fetch,
    insert_values,
    loads,
    micros,
    moment,
    parameter_table,
    reserve_numbers,
    send,
)

_t, _i, _c, _d, _j = schema.task.c, schema.item.c, schema.campaign.c, schema.document.c, schema.judge.c
_q, _e = schema.judgement.c, schema.event.c


class TaskStanding(NamedTuple):
    """What decides whether a task takes an answer now."""

    campaign: int
    judge: int | None
    state: CampaignState
    finished: bool
    protocol_hash: str
    corpus_hash: str
    campaign_version: int


@dataclass(frozen=True, slots=True)
class AssignedTask:
    """A task as it was assigned: never changes, so it may be remembered. `documents` are the items' document rows."""

    task: Task
    campaign: int
    judge: int | None
    documents: tuple[int, ...]


class TaskItem(NamedTuple):
    """One item of a task. `item` is None where the task has no such item; `about_judge` is the document row that
    stands for the judge, under which consent and questionnaires are answered; `revoked` says that the judge's link
    was, and `repeated` that the campaign has answers under the submission that was asked about."""

    standing: TaskStanding
    judge: str
    kind: JudgeKind
    page: str
    about_judge: int | None
    document: int
    item: Item | None
    revoked: bool = False
    repeated: bool = False


class ItemProgress(NamedTuple):
    """How far an item is: whether everything asked has been answered, the seconds spent so far, and when anything was
    saved about it, if only that there is nothing to say."""

    done: int
    elapsed: float
    active: float
    saved_at: int | None


class SavedProgress(NamedTuple):
    """How far an item is after a save. Times are those spent on the item so far."""

    task: int
    item: int
    done: bool
    elapsed: float | None
    active: float | None


_STANDING_COLUMNS = (
    _t.campaign,
    _t.judge,
    _c.state,
    _t.finished_at,
    _c.protocol_hash,
    _c.corpus_hash,
    _c.version,
)


_ITEM = (_i.task, _i.document, _d.key, _i.segment, _i.systems, _i.role, _i.texts, _i.expected)
_STANDING = (
    select(*_STANDING_COLUMNS)
    .select_from(schema.task.join(schema.campaign, _c.id == _t.campaign))
    .where(_t.id == bindparam("task"))
)
# On PostgreSQL the row is locked first, so that answers to one task and its finishing come one after the other; the
# campaign's state is read after that wait.
_LOCKED = select(_t.id).where(_t.id == bindparam("task")).with_for_update(key_share=True)
_HEADS = select(schema.task, _j.key).select_from(schema.task.outerjoin(schema.judge, _j.id == _t.judge))
_HEAD = _HEADS.where(_t.id == bindparam("task"))
_ITEMS = select(*_ITEM).select_from(schema.item.join(schema.document, _d.id == _i.document))
_ITEMS_OF_TASK = _ITEMS.where(_i.task == bindparam("task")).order_by(_i.position)
_PROGRESS = (
    select(_i.done, _i.elapsed, _i.active, _i.saved_at).where(_i.task == bindparam("task")).order_by(_i.position)
)
_FINISHED = update(schema.task).where(_t.id == bindparam("task")).values(finished_at=bindparam("moment"))
_ALL_DONE = update(schema.item).where(_i.task == bindparam("of_task"), _i.done == 0).values(done=1)
_ACTIVE_SINCE = (
    select(func.sum(_i.active))
    .select_from(schema.task.join(schema.item, _i.task == _t.id))
    .where(_t.judge == bindparam("judge"), _i.saved_at >= bindparam("start"))
)


def _places_query(dialect: str) -> Any:
    """What decides about answers to these items. On PostgreSQL the tasks are locked in the order in which they are
    asked for, so that answers to one task and its finishing come one after the other; then their judges, who are read
    as they are after that wait, so that nothing is saved once a link is revoked."""
    places_table, (index, number, position, submission) = parameter_table(dialect, "wanted", (int, int, int, str))
    task: Any = schema.task
    item: Any = schema.item
    judge: Any = schema.judge
    is_task: Any = _t.id == number
    is_judge: Any = _j.id == _t.judge
    is_item: Any = and_(_i.task == _t.id, _i.position == position)
    if dialect == "postgresql":
        # One by one: PostgreSQL takes a list that comes as a parameter for a hundred rows, and rather than look for a
        # hundred reads all items of all campaigns for every save, up to some hundred thousand of them.
        task = select(task).where(is_task).limit(1).with_for_update(key_share=True).lateral("own_task")
        item = select(item).where(_i.task == task.c.id, _i.position == position).limit(1).lateral("own_item")
        judge = select(judge).where(_j.id == task.c.judge).limit(1).with_for_update(read=True).lateral("own_judge")
        is_task = is_item = is_judge = true()
    about_judge = schema.document.alias("about_judge")
    of_judge = (about_judge.c.campaign == task.c.campaign) & (about_judge.c.key == JUDGE_ITSELF)
    # Not EXISTS: where one import brought most rows under one submission, PostgreSQL takes every submission for as
    # common and reads the whole table for each save. The first in the index's own order is found by the index.
    known = select(_q.part).where(_q.campaign == task.c.campaign, _q.submission == submission)
    first = known.order_by(_q.campaign, _q.submission, _q.part).limit(1).correlate(task, places_table)
    repeated = first.scalar_subquery().is_not(None)
    tables = (
        places_table.join(task, is_task)
        .join(schema.campaign, _c.id == task.c.campaign)
        .outerjoin(judge, is_judge)
        .outerjoin(about_judge, of_judge)
        .outerjoin(item, is_item)
        .outerjoin(schema.document, _d.id == item.c.document)
    )
    standing = [task.c[column.name] if column.table is schema.task else column for column in _STANDING_COLUMNS]
    about_item = [item.c[column.name] if column.table is schema.item else column for column in _ITEM]
    of_task = (judge.c.key, judge.c.kind, judge.c.revoked_at, task.c.page, about_judge.c.id)
    query = select(index, repeated, *standing, *of_task, *about_item)
    return query.select_from(tables)


_PLACES = {dialect: _places_query(dialect) for dialect in ("sqlite", "postgresql")}
_NEXT = select(_t.id).where(_t.judge == bindparam("of_judge"), _t.finished_at.is_(None)).order_by(_t.position).limit(1)
_HAD_FROM_POOL = select(_t.pool).where(_t.judge == bindparam("of_judge"), _t.pool.is_not(None))
_NOBODYS = (_t.campaign == bindparam("of_campaign"), _t.judge.is_(None))
_IS_FREE = (*_NOBODYS, _t.pool.not_in(_HAD_FROM_POOL), _t.id.not_in(bindparam("had", expanding=True)))
_FREE = select(_t.id).where(*_IS_FREE).order_by(_t.position).limit(1).with_for_update(skip_locked=True)
# A task that is drawn is about one document, so that its first item tells which.
_FIRST = schema.item.join(schema.task, and_(_i.task == _t.id, _i.position == 0))
_OF_DOCUMENT = select(_i.task).where(_i.task == _t.id, _i.position == 0, _i.document == bindparam("of_document"))
_FREE_OF_DOCUMENT = _FREE.where(_OF_DOCUMENT.correlate(schema.task).exists())
_FREE_DOCUMENTS = select(_i.document).select_from(_FIRST).where(*_IS_FREE).order_by(_t.position)
_AT_WORK = and_(or_(_t.finished_at.is_(None), _t.finished_at >= bindparam("since")), _j.revoked_at.is_(None))
_BEGUN = (
    select(_i.document, _t.judge, func.max(case((_AT_WORK, 1), else_=0)))
    .select_from(_FIRST.join(schema.judge, _j.id == _t.judge))
    .where(_t.campaign == bindparam("of_campaign"), _i.role == str(Role.MAIN))
    .where(_i.document.in_(bindparam("of_documents", expanding=True)))
    .group_by(_i.document, _t.judge)
)
# The task becomes the judge's, after all that they have.
_others = schema.task.alias("others")
_LAST_OF_JUDGE = select(func.max(_others.c.position)).where(_others.c.judge == bindparam("of_judge")).scalar_subquery()
_TAKEN = (
    update(schema.task)
    .where(_t.id == bindparam("of_task"))
    .values(judge=bindparam("of_judge"), position=func.coalesce(_LAST_OF_JUDGE + 1, 0))
)
# Of every judge of a campaign and of its free tasks. Each is one step in an index, however many tasks there are: this
# is asked whenever a document is drawn.
_LAST = select(func.max(_t.position))
_LAST_POSITIONS = (
    select(_j.id, _LAST.where(_t.judge == _j.id).correlate(schema.judge).scalar_subquery())
    .where(_j.campaign == bindparam("of_campaign"))
    .union_all(
        select(null(), _LAST.where(_t.campaign == bindparam("of_campaign"), _t.judge.is_(None)).scalar_subquery())
    )
)
IS_TEXT = and_(_i.role == str(Role.MAIN), _d.key != JUDGE_ITSELF)
"""What an item is that holds a text to judge, rather than a control or a question about the judge."""
_ABOUT_TEXT = (
    select(_i.task, _t.page, _i.document, _i.segment, _i.systems)
    .select_from(schema.item.join(schema.task, _t.id == _i.task).join(schema.document, _d.id == _i.document))
    .where(IS_TEXT)
)
_GIVEN = _ABOUT_TEXT.where(_t.judge == bindparam("of_judge"), _t.pool.is_(None))
_FREE_ABOUT = _ABOUT_TEXT.where(*_NOBODYS, _i.document.in_(bindparam("of_documents", expanding=True)))
_IS_SAVED = or_(_t.finished_at.is_not(None), exists().where(_i.task == _t.id, _i.saved_at.is_not(None)))


def _most(column: Any, name: str) -> Any:
    return case((column > bindparam(name), column), else_=bindparam(name))


_SAVED = (
    update(schema.item)
    .where(_i.task == bindparam("of_task"), _i.position == bindparam("of_item"))
    .values(
        done=bindparam("is_done"),
        elapsed=_most(_i.elapsed, "elapsed_now"),
        active=_most(_i.active, "active_now"),
        saved_at=bindparam("now"),
    )
)


class Tasks(Rows):
    """Rows of the tables `task` and `item`."""

    __slots__ = ()

    def add(
        self,
        campaign: int,
        tasks: Iterable[Task],
        judges: dict[str, int],
        documents: dict[str, int],
        now: datetime,
    ) -> int:
        """Append tasks and return how many. Each judge's come after those they have; one of no judge is free for
        anybody."""
        return self.add_rows(campaign, to_rows(tasks, documents), judges, now)

    def add_rows(self, campaign: int, tasks: Sequence[TaskRows], judges: dict[str, int], now: datetime) -> int:
        """Append tasks whose items `to_rows` has made into rows, and return how many."""
        if not tasks:
            return 0
        positions = self._next_positions(campaign)
        numbers = reserve_numbers(self._connection, "task", len(tasks))
        rows = []
        for number, (task, _) in zip(numbers, tasks, strict=True):
            judge = judges[task.judge] if task.judge else None
            position = positions.get(judge, 0)
            positions[judge] = position + 1
            row = {"id": number, "campaign": campaign, "judge": judge, "page": task.page, "position": position}
            rows.append({**row, "pool": None if task.judge else pool_key(task), "added_at": micros(now)})
        self._connection.execute(schema.task.insert(), rows)
        items = ((number, *item) for number, (_, own) in zip(numbers, tasks, strict=True) for item in own)
        insert_values(self._connection, schema.item, items)
        return len(rows)

    def put_in_order(self, campaign: int, places: Mapping[str, int], *, calibration_first: bool = False) -> None:
        """Put every judge's unfinished tasks into the order of `places`, a number for each page that may move. Tasks
        with the same number keep their order, as do pages without one. Calibration may come before all of them."""
        query = (
            select(_t.judge, _t.id, _t.page, _t.position, _i.role)
            .join(schema.item, and_(_i.task == _t.id, _i.position == 0))
            .where(_t.campaign == campaign, _t.judge.is_not(None), _t.finished_at.is_(None))
            .order_by(_t.position)
        )
        by_judge: dict[int, list[Any]] = {}
        for row in self._connection.execute(query):
            if row.page in places:
                by_judge.setdefault(row.judge, []).append(row)

        def place_of(row: Any) -> tuple[bool, int]:
            return not (calibration_first and row.role == Role.CALIBRATION), places[row.page]

        changes: list[tuple[int, int]] = []
        for rows in by_judge.values():
            rows_in_order = sorted(rows, key=place_of)
            changes += [
                (row.id, place.position) for row, place in zip(rows_in_order, rows, strict=True) if row != place
            ]
        changes.sort()  # tasks are locked in one order by everybody
        change = update(schema.task).where(_t.id == bindparam("moved")).values(position=bindparam("to"))
        if changes:  # in two steps, as no two tasks of a judge may stand at one place meanwhile
            self._connection.execute(change, [{"moved": task, "to": -1 - to} for task, to in changes])
            self._connection.execute(change, [{"moved": task, "to": to} for task, to in changes])

    def _next_positions(self, campaign: int) -> dict[int | None, int]:
        last = self._connection.execute(_LAST_POSITIONS, {"of_campaign": campaign})
        return {judge: position + 1 for judge, position in last if position is not None}

    def standing(self, task: int, *, to_change: bool = True) -> TaskStanding | None:
        """What decides whether the task takes answers now. With `to_change`, nobody else on PostgreSQL changes it until
        the transaction ends."""
        if to_change and self._connection.dialect.name == "postgresql":
            self._connection.execute(_LOCKED, {"task": task})
        row = self._connection.execute(_STANDING, {"task": task}).first()
        if row is None:
            return None
        return _standing_of(row)

    def places(self, wanted: Sequence[tuple[int, int, str]]) -> list[TaskItem | None]:
        """The item for each task, position and submission; None where there is no such task. On PostgreSQL nobody else
        changes these tasks until the transaction ends."""
        places: list[TaskItem | None] = [None] * len(wanted)
        rows = [
            [index, task, at if 0 <= at < _FARTHEST else -1, submission]
            for index, (task, at, submission) in enumerate(wanted)
            if 0 < task < _LARGEST
        ]
        if rows:
            rows.sort(key=itemgetter(1))  # tasks are locked in one order by everybody
            statement = _PLACES[self._connection.dialect.name]
            for index, *row in fetch(self._connection, statement, {"wanted": dumps(rows)}):
                places[index] = _task_item(row)
        return places

    def set_saved(self, changes: Iterable[SavedProgress], now: int) -> None:
        """Store how far items are. The longest time counts: a second device knows only a part of it."""
        if rows := [_progress_row(each, now) for each in changes]:
            send(self._connection, _SAVED, rows)

    def get(self, task: int, known: AssignedTask | None = None) -> AssignedTask | None:
        """The task with its items; these never change, so they are not read again where the task is `known`."""
        head = self._connection.execute(_HEAD, {"task": task}).first()
        if head is None:
            return None
        if known is None:
            return _assigned_task(head, self._connection.execute(_ITEMS_OF_TASK, {"task": task}).all())
        bare = _assigned_task(head, ())
        return replace(bare, task=replace(bare.task, items=known.task.items), documents=known.documents)

    def of_judge(self, judge: int) -> list[AssignedTask]:
        """A judge's tasks, in order."""
        return self._read(_t.judge == judge)

    def of_campaign(self, campaign: int) -> list[AssignedTask]:
        """Every task, by judge and in order; free ones last."""
        return self._read(_t.campaign == campaign)

    def with_role(self, campaign: int, role: Role) -> list[Task]:
        """The tasks that have items of this role, with these items alone."""
        items = self._items(_t.campaign == campaign, _i.role == str(role))
        rows = self._connection.execute(_HEADS.where(_t.campaign == campaign).order_by(_t.id)) if items else ()
        return [_assigned_task(row, items[row.id]).task for row in rows if row.id in items]

    def counts(self, campaign: int) -> tuple[int, int]:
        """How many tasks a campaign has, and how many of them are somebody's."""
        query = select(func.count(), func.count(_t.judge)).where(_t.campaign == campaign)
        every, given = self._connection.execute(query).one()
        return int(every), int(given)

    def count(self, campaign: int) -> int:
        """How many tasks a campaign has."""
        query = select(func.count()).select_from(schema.task).where(_t.campaign == campaign)
        return int(self._connection.execute(query).scalar_one())

    def next_of(self, judge: int) -> int | None:
        """The judge's first task that is not finished."""
        task: int | None = self._connection.execute(_NEXT, {"of_judge": judge}).scalar()
        return task

    def free_documents(self, campaign: int, judge: int, since: datetime) -> dict[int, dict[int, bool]]:
        """Documents with something free for this judge, and who has begun each: whether they are at work on it, with a
        task that is not finished or was not before `since`."""
        who = {"of_campaign": campaign, "of_judge": judge, "had": self._had_otherwise(campaign, judge)}
        free: dict[int, dict[int, bool]] = {row[0]: {} for row in self._connection.execute(_FREE_DOCUMENTS, who)}
        about = {"of_campaign": campaign, "of_documents": list(free), "since": micros(since)}
        for document, other, at_work in self._connection.execute(_BEGUN, about) if free else ():
            free[document][other] = bool(at_work)
        return free

    def claim(self, campaign: int, judge: int, document: int | None = None) -> int | None:
        """Take the first free task (about this document) whose texts this judge has not had on the same page. No two
        judges get the same."""
        who = {"of_campaign": campaign, "of_judge": judge, "of_document": document}
        had = self._had_otherwise(campaign, judge)
        query = _FREE if document is None else _FREE_OF_DOCUMENT
        task: int | None = self._connection.execute(query, {**who, "had": had}).scalar()
        if task is not None:
            self._connection.execute(_TAKEN, {"of_task": task, "of_judge": judge})
        return task

    def _had_otherwise(self, campaign: int, judge: int) -> list[int]:
        """Free tasks about texts that this judge already has otherwise: assigned by an organiser, or taken over from
        another judge."""

        def about(row: Any) -> tuple[object, ...]:
            return row.page, row.document, row.segment, *sorted(_systems(row.systems))

        own_rows = self._connection.execute(_GIVEN, {"of_judge": judge}).all()
        given = {about(row) for row in own_rows}
        documents = list({row.document for row in own_rows})
        wanted = {"of_campaign": campaign, "of_documents": documents}
        free_rows = self._connection.execute(_FREE_ABOUT, wanted) if given else ()
        return list({row.task for row in free_rows if about(row) in given})

    def set_finished(self, task: int, moment_: datetime | None) -> None:
        """Mark a task as finished, or as open again. In a finished task every item counts as done, also those that were
        answered elsewhere or are not required."""
        self._connection.execute(_FINISHED, {"task": task, "moment": micros(moment_)})
        if moment_ is not None:
            self._connection.execute(_ALL_DONE, {"of_task": task})

    def set_open(self, task: int, items: Iterable[int]) -> None:
        """Mark these items as not done."""
        mine = (_i.task == task, _i.position.in_(items))
        self._connection.execute(update(schema.item).where(*mine).values(done=0))

    def saved_about(self, judge: int, pages: Sequence[str], documents: Sequence[int]) -> list[AssignedTask]:
        """A judge's tasks on these pages about these documents on which anything was saved."""
        own = schema.item.alias().c
        saved = exists().where(own.task == _t.id, own.document.in_(documents), own.saved_at.is_not(None))
        return self._read(and_(_t.judge == judge, _t.page.in_(pages), saved.correlate(schema.task)))

    def item_progress(self, task: int) -> list[ItemProgress]:
        """How far each item of a task is, in order."""
        return [ItemProgress._make(row) for row in self._connection.execute(_PROGRESS, {"task": task})]

    def active_since(self, judge: int, start: datetime) -> float:
        """Seconds of activity on everything a judge has saved since then."""
        seconds = self._connection.execute(_ACTIVE_SINCE, {"judge": judge, "start": micros(start)}).scalar()
        return float(seconds or 0.0)

    def pages_about(self, judge: int, document: int) -> dict[str, set[str]]:
        """Segment by segment of a document, the pages on which this judge is asked about it."""
        tables = schema.item.join(schema.task, _t.id == _i.task)
        query = select(_i.segment, _t.page).distinct().select_from(tables)
        pages: dict[str, set[str]] = {}
        for segment, page in self._connection.execute(query.where(_t.judge == judge, _i.document == document)):
            pages.setdefault(segment, set()).add(page)
        return pages

    def lock_of(self, judge: int) -> None:
        """Wait for the saves to a judge's tasks that have begun; those that begin later wait for this transaction. On
        SQLite nobody else writes meanwhile anyway."""
        own = select(_t.id).where(_t.judge == judge).order_by(_t.id)
        self._connection.execute(own.with_for_update(key_share=True)).all()

    def forget_progress(self, judge: int) -> None:
        """Reset a judge's tasks as if nothing had been answered, where their answers are deleted."""
        mine = select(_t.id).where(_t.judge == judge)
        nothing = {"done": 0, "elapsed": 0.0, "active": 0.0, "saved_at": None}
        self._connection.execute(update(schema.item).where(_i.task.in_(mine)).values(**nothing))
        self._connection.execute(update(schema.task).where(_t.judge == judge).values(finished_at=None))

    def free(self, judge: int) -> None:
        """Return the tasks that a leaving judge took from a pool and in which nothing of theirs was saved, not even
        that there is nothing to say."""
        answered = select(_q.task).where(_q.judge == judge, _q.task.is_not(None))
        taken = (_t.judge == judge) & _t.pool.is_not(None) & _t.id.not_in(answered) & ~_IS_SAVED
        self._connection.execute(update(schema.task).where(taken).values(judge=None))

    def remove_of(self, judge: int) -> None:
        """Take back the tasks of a judge who has answered nothing; those taken from a pool are free again."""
        self.free(judge)
        mine = select(_t.id).where(_t.judge == judge)
        self._connection.execute(delete(schema.item).where(_i.task.in_(mine)))
        self._connection.execute(delete(schema.task).where(_t.judge == judge))

    def any_saved(self, judge: int) -> bool:
        """Whether this judge has saved anything, if only that there is nothing to say."""
        query = select(_t.id).where(_t.judge == judge, _IS_SAVED).limit(1)
        return self._connection.execute(query).first() is not None

    def any_answered(self, campaign: int, judge: int) -> bool:
        """Whether anybody in the campaign has answered something in a task that is this judge's now."""
        people = select(_j.id).where(_j.campaign == campaign)
        mine = select(_t.id).where(_t.judge == judge)
        query = select(_q.id).where(_q.judge.in_(people), _q.task.in_(mine)).limit(1)
        return self._connection.execute(query).first() is not None

    def remove_all(self, campaign: int) -> None:
        """Delete all tasks of a draft. Once a campaign is open, tasks are added and never taken back."""
        mine = select(_t.id).where(_t.campaign == campaign)
        self._connection.execute(delete(schema.item).where(_i.task.in_(mine)))
        self._connection.execute(delete(schema.task).where(_t.campaign == campaign))

    def _read(self, condition: Any) -> list[AssignedTask]:
        rows = list(self._connection.execute(_HEADS.where(condition).order_by(_t.judge, _t.position)))
        items = self._items(condition)
        rows.sort(key=lambda row: (row.judge is None, row.judge, row.position))
        return [_assigned_task(row, items.get(row.id, [])) for row in rows]

    def _items(self, *conditions: Any) -> dict[int, list[Any]]:
        """Items by their task, in order."""
        query = _ITEMS.join(schema.task, _t.id == _i.task).where(*conditions).order_by(_i.task, _i.position)
        items: dict[int, list[Any]] = {}
        for row in self._connection.execute(query):
            items.setdefault(row[0], []).append(row)
        return items


def pool_key(task: Task) -> str:
    """What makes two free tasks the same for a judge: page, sentences and outputs, whichever side they stand on."""
    about = sorted({(item.document, item.segment, *sorted(item.systems)) for item in task.items})
    return hashlib.sha256(dumps([task.page, about]).encode()).hexdigest()[:32]


def _assigned_task(row: Any, items: Sequence[Any]) -> AssignedTask:
    task = Task(
        id=row.id,
        judge=row.key or "",
        page=row.page,
        items=tuple(_item(entry) for entry in items),
        position=row.position,
        finished_at=moment(row.finished_at),
    )
    return AssignedTask(task, row.campaign, row.judge, tuple(entry[1] for entry in items))


_ItemRow = tuple[int, int, str, str, str, str | None, str | None, int, float, float, None]
"""A row of `item`, but for its task."""
TaskRows = tuple[Task, list[_ItemRow]]
"""A task with its items as rows."""


def to_rows(tasks: Iterable[Task], documents: Mapping[str, int]) -> list[TaskRows]:
    """Tasks with their items as rows, which takes as long as writing them and needs no lock."""
    texts: dict[tuple[str, ...], str] = {}

    def row(position: int, item: Item) -> _ItemRow:
        systems = texts.get(item.systems) or texts.setdefault(item.systems, dumps(item.systems))
        shown = dumps(dict(item.texts)) if item.texts else None
        expected = dumps(dict(item.expected)) if item.expected else None
        about = (position, documents[item.document], item.segment, systems, str(item.role))
        return (*about, shown, expected, 0, 0.0, 0.0, None)

    return [(task, [row(position, item) for position, item in enumerate(task.items)]) for task in tasks]


_ROLES = {role.value: role for role in Role}


def _item(row: Any) -> Item:
    _, _, document, segment, systems, role, texts, expected = row
    names = _systems(systems)
    return Item(
        document, segment, names, _ROLES[role], loads(texts) if texts else {}, loads(expected) if expected else {}
    )


def _standing_of(row: Sequence[Any]) -> TaskStanding:
    campaign, judge, state, finished_at, protocol_hash, corpus_hash, version = row
    return TaskStanding(campaign, judge, _STATES[state], finished_at is not None, protocol_hash, corpus_hash, version)


def _task_item(row: Sequence[Any]) -> TaskItem:
    end = 1 + len(_STANDING_COLUMNS)
    repeated, standing = bool(row[0]), _standing_of(row[1:end])
    key, kind, revoked_at, page, about_judge, *item_row = row[end:]
    number = item_row[1]
    item = None if number is None else _item(item_row)
    revoked = revoked_at is not None
    return TaskItem(
        standing, key or "", _KINDS[kind or "person"], page, about_judge, number or 0, item, revoked, repeated
    )


_LARGEST, _FARTHEST = 2**63, 2**31
_STATES = {state.value: state for state in CampaignState}
_KINDS = {kind.value: kind for kind in JudgeKind}
_SYSTEMS: dict[str, tuple[str, ...]] = {}
_MOST_SYSTEMS = 1000


def _systems(text: str) -> tuple[str, ...]:
    """The same few lists of systems come again and again."""
    names = _SYSTEMS.get(text)
    if names is None:
        if len(_SYSTEMS) >= _MOST_SYSTEMS:
            _SYSTEMS.clear()
        names = _SYSTEMS[text] = tuple(loads(text))
    return names


def _progress_row(each: SavedProgress, now: int) -> Mapping[str, Any]:
    return {
        "of_task": each.task,
        "of_item": each.item,
        "is_done": int(each.done),
        "elapsed_now": each.elapsed or 0.0,
        "active_now": each.active or 0.0,
        "now": now,
    }
