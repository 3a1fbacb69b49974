"""How far campaigns are: items done and seconds spent, summed up by judge, document, page and domain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func, select

from lanner.model import JudgeKind
from lanner.store import schema
from lanner.store.rows import Rows, moment

_t, _i, _d, _j, _q = schema.task.c, schema.item.c, schema.document.c, schema.judge.c, schema.judgement.c


@dataclass(frozen=True, slots=True)
class Overview:
    """One line of a judge's list of tasks."""

    task: int
    page: str
    position: int
    documents: int
    items: int
    done: int
    active: float
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Share:
    """How far one judge is with one document on one page."""

    judge: str
    document: str
    domain: str
    page: str
    items: int
    done: int
    elapsed: float
    active: float
    saved_at: datetime | None


def _overview() -> Any:
    sums = (func.count(_i.document.distinct()), func.count(_i.task), func.sum(_i.done), func.sum(_i.active))
    joined = schema.task.outerjoin(schema.item, _i.task == _t.id)
    wanted = select(_t.id, _t.page, _t.position, *sums, _t.finished_at).select_from(joined)
    return wanted.where(_t.judge == bindparam("judge")).group_by(_t.id).order_by(_t.position)


_OVERVIEW = _overview()


def _imported(campaign: int | None = None) -> Any:
    """What judges without tasks have answered, by judge, document and stage, in the columns of `shares`: each unit that
    has an answer is one item, and done. Their answers come from files, so they are few queries and no saves."""
    has_tasks = select(_t.id).where(_t.judge == _j.id).exists()
    without_tasks = select(_j.id).where(~has_tasks, _j.kind != str(JudgeKind.ADJUDICATED))
    if campaign is not None:
        without_tasks = without_tasks.where(_j.campaign == campaign)
    unit = (_q.judge, _q.document, _q.stage, _q.segment, _q.systems)
    times = (func.max(_q.elapsed).label("elapsed"), func.max(_q.active).label("active"))
    units = select(*unit, *times, func.max(_q.received_at).label("saved_at"))
    each = units.where(_q.judge.in_(without_tasks)).group_by(*unit).subquery().c
    sums = {
        "number": func.count(),
        "done": func.count(),
        "elapsed": func.coalesce(func.sum(each.elapsed), 0.0),
        "active": func.coalesce(func.sum(each.active), 0.0),
        "saved_at": func.max(each.saved_at),
    }
    group = (each.judge, each.document, each.stage)
    return select(*group, *(total.label(name) for name, total in sums.items())).group_by(*group)


class Progress(Rows):
    """Sums over the tables `task` and `item`; nothing is written."""

    __slots__ = ()

    def overview(self, judge: int) -> list[Overview]:
        """How far a judge is with each task."""
        rows = self._connection.execute(_OVERVIEW, {"judge": judge})
        return [
            Overview(task, page, position, documents, items, int(done or 0), active or 0.0, moment(finished_at))
            for task, page, position, documents, items, done, active, finished_at in rows
        ]

    def shares(self, campaign: int) -> list[Share]:
        """How far every judge is, by document and page. What a judge without tasks answered, as in a campaign that was
        imported, is done and was never assigned."""
        sums = (func.count(), func.sum(_i.done), func.sum(_i.elapsed), func.sum(_i.active), func.max(_i.saved_at))
        joined = schema.task.join(schema.item, _i.task == _t.id)
        counted = select(_t.judge, _i.document, _t.page, *sums).select_from(joined)
        counted = counted.where(_t.campaign == campaign).group_by(_t.judge, _i.document, _t.page)
        judges = dict(self._pairs(select(_j.id, _j.key).where(_j.campaign == campaign)))
        texts = {n: (key, domain) for n, key, domain in self._documents(campaign)}
        rows = [*self._connection.execute(counted), *self._connection.execute(_imported(campaign))]
        return [
            Share(judges.get(judge, ""), *texts[document], page, items, int(done), elapsed, active, moment(saved_at))
            for judge, document, page, items, done, elapsed, active, saved_at in rows
        ]

    def domain_shares(self, campaign: int) -> list[Share]:
        """What was assigned, summed up by judge and domain, judges in their order; questionnaires are left out."""
        sums = {
            "number": func.count(),
            "done": func.sum(_i.done),
            "elapsed": func.sum(_i.elapsed),
            "active": func.sum(_i.active),
            "saved_at": func.max(_i.saved_at),
        }
        joined = schema.task.join(schema.item, _i.task == _t.id)
        counted = select(_t.judge, _i.document, *(total.label(name) for name, total in sums.items()))
        counted = counted.select_from(joined).where(_t.campaign == campaign).group_by(_t.judge, _i.document)
        return self._by_domain(counted)

    def imported_domain_shares(self, campaign: int) -> list[Share]:
        """The same of judges without tasks. It reads all they have answered; saves do not change it, imports do."""
        return self._by_domain(_imported(campaign))

    def _by_domain(self, parts: Any) -> list[Share]:
        """Sums by judge and document, summed up by judge and domain."""
        part = parts.subquery()
        p = part.c
        totals = (func.sum(p.number), func.sum(p.done), func.sum(p.elapsed), func.sum(p.active), func.max(p.saved_at))
        joined = part.join(schema.document, _d.id == p.document).join(schema.judge, _j.id == p.judge)
        wanted = select(_j.key, _d.domain, *totals).select_from(joined).where(_d.key != "")
        wanted = wanted.group_by(_j.id, _j.key, _j.position, _d.domain).order_by(_j.position, func.min(_d.position))
        return [
            Share(judge, "", domain, "", int(items), int(done), elapsed, active, moment(saved_at))
            for judge, domain, items, done, elapsed, active, saved_at in self._connection.execute(wanted)
        ]

    def totals(self) -> dict[int, tuple[int, int, int]]:
        """Every campaign's items that someone has, how many of them are done, and judges: all in two questions, so that
        a list of hundreds costs little more than one."""
        joined = schema.task.join(schema.item, _i.task == _t.id)
        wanted = select(_t.campaign, func.count(), func.sum(_i.done)).select_from(joined).where(_t.judge.is_not(None))
        items = {row[0]: (row[1], int(row[2] or 0)) for row in self._connection.execute(wanted.group_by(_t.campaign))}
        each = _imported().subquery()
        campaigns = select(_j.campaign, func.sum(each.c.number)).join_from(schema.judge, each, each.c.judge == _j.id)
        for campaign, number in self._connection.execute(campaigns.group_by(_j.campaign)):
            total, done = items.get(campaign, (0, 0))
            items[campaign] = (total + int(number), done + int(number))
        people = dict(self._pairs(select(_j.campaign, func.count()).group_by(_j.campaign)))
        found = {*items, *people}
        return {campaign: (*items.get(campaign, (0, 0)), int(people.get(campaign, 0))) for campaign in found}

    def counts(self, campaign: int) -> dict[str, tuple[int, int]]:
        """Tasks and finished tasks by judge."""
        counted = select(_j.key, func.count(_t.id), func.count(_t.finished_at))
        joined = schema.judge.outerjoin(schema.task, _t.judge == _j.id)
        rows = counted.select_from(joined).where(_j.campaign == campaign).group_by(_j.id, _j.key, _j.position)
        return {key: (all_, finished) for key, all_, finished in self._connection.execute(rows.order_by(_j.position))}

    def _pairs(self, wanted: Any) -> list[tuple[int, str]]:
        return [(row[0], row[1]) for row in self._connection.execute(wanted)]

    def _documents(self, campaign: int) -> Iterable[Any]:
        return self._connection.execute(select(_d.id, _d.key, _d.domain).where(_d.campaign == campaign))
