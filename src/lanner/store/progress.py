"""How far campaigns are: what is still to be done, items done and seconds spent, summed up by judge, document, page and
domain."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import and_, bindparam, case, exists, func, or_, select

from lanner.model import JUDGE_GROUPS, JudgeKind
from lanner.store import schema
from lanner.store.campaigns import JUDGE_ITSELF, JUDGE_REPLACED, Events
from lanner.store.rows import Rows, loads, moment
from lanner.store.tasks import IS_TEXT

_t, _i, _c, _d, _j = schema.task.c, schema.item.c, schema.campaign.c, schema.document.c, schema.judge.c
_q, _e = schema.judgement.c, schema.event.c


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
class TaskShare:
    """How far one judge is with one document on one page, or, where neither is named, with all texts of a domain."""

    judge: str
    document: str
    domain: str
    page: str
    items: int
    done: int
    elapsed: float
    active: float
    saved_at: datetime | None


class CampaignTotals(NamedTuple):
    """How far a campaign is: items of people (of models and metrics where nobody else judges), how many of them are
    done, and how many people, and how many models and metrics, judge in it."""

    items: int
    done: int
    people: int
    models: int


_MODELS = [str(kind) for group in ("models", "metrics") for kind in JUDGE_GROUPS[group]]
_ITEMS_OF_TASKS = schema.task.join(schema.item, _i.task == _t.id)
_OVERVIEW = (
    select(
        _t.id,
        _t.page,
        _t.position,
        func.count(_i.document.distinct()),
        func.count(_i.task),
        func.sum(_i.done),
        func.sum(_i.active),
        _t.finished_at,
    )
    .select_from(schema.task.outerjoin(schema.item, _i.task == _t.id))
    .where(_t.judge == bindparam("judge"))
    .group_by(_t.id)
    .order_by(_t.position)
)
_PEOPLE = [str(kind) for kind in JUDGE_GROUPS["people"]]
_FINISHED_OUTPUTS = (
    select(_i.document, func.count(_i.systems.distinct()))
    .select_from(_ITEMS_OF_TASKS.join(schema.judge, _j.id == _t.judge).join(schema.document, _d.id == _i.document))
    .where(_t.campaign == bindparam("of_campaign"), _t.finished_at.is_not(None), _j.kind.in_(_PEOPLE), IS_TEXT)
    .group_by(_i.document)
)
_NEVER_HAD_A_TASK = ~select(_t.id).where(_t.judge == _j.id).exists()


class Progress(Rows):
    """Sums over the tables `task` and `item`, and over the answers of judges without tasks, which came with files;
    nothing is written."""

    __slots__ = ()

    def overview(self, judge: int) -> list[Overview]:
        """How far a judge is with each task."""
        rows = self._connection.execute(_OVERVIEW, {"judge": judge})
        return [
            Overview(task, page, position, documents, items, int(done or 0), active or 0.0, moment(finished_at))
            for task, page, position, documents, items, done, active, finished_at in rows
        ]

    def shares(self, campaign: int) -> list[TaskShare]:
        """How far every judge is, by document and page. What a judge without tasks answered, as in a campaign that was
        imported, is done and was never assigned."""
        judges = dict(self._pairs(select(_j.id, _j.key).where(_j.campaign == campaign)))
        documents = select(_d.id, _d.key, _d.domain).where(_d.campaign == campaign)
        texts = {number: (key, domain) for number, key, domain in self._connection.execute(documents)}
        return [
            TaskShare(
                judges.get(judge, ""), *texts[document], page, int(items), int(done), elapsed, active, moment(saved_at)
            )
            for query in (self._assigned_shares(campaign, _t.page), self._imported_shares(campaign))
            for judge, document, page, items, done, elapsed, active, saved_at in self._connection.execute(query)
        ]

    def domain_shares(self, campaign: int) -> list[TaskShare]:
        """What was assigned, summed up by judge and domain, judges in their order; questionnaires are left out."""
        return self._by_domain(self._assigned_shares(campaign))

    def imported_domain_shares(self, campaign: int) -> list[TaskShare]:
        """The progress of judges without tasks, by judge and domain. It reads all their answers; only imports change
        it."""
        return self._by_domain(self._imported_shares(campaign))

    def totals(self) -> dict[int, CampaignTotals]:
        """How far every campaign is. Few queries for all, so that a list of hundreds costs little more than one."""
        by_model = case((_j.kind.in_(_MODELS), 1), else_=0)
        assigned = select(_t.campaign, by_model, self._items_to_do(), func.sum(_i.done))
        assigned = assigned.select_from(_ITEMS_OF_TASKS.outerjoin(schema.judge, _j.id == _t.judge))
        each = self._imported_shares().subquery()
        number = func.sum(each.c.number)
        imported = select(_j.campaign, by_model, number, number).join_from(schema.judge, each, each.c.judge == _j.id)
        items: dict[tuple[int, int], tuple[int, int]] = {}
        for query in (assigned.group_by(_t.campaign, by_model), imported.group_by(_j.campaign, by_model)):
            for campaign, is_model, total, done in self._connection.execute(query):
                before = items.get((campaign, is_model), (0, 0))
                items[campaign, is_model] = before[0] + int(total), before[1] + int(done or 0)
        seats = select(_j.campaign, by_model, func.count()).where(_j.kind != str(JudgeKind.ADJUDICATED))
        rows = self._connection.execute(seats.group_by(_j.campaign, by_model))
        judges = {(campaign, is_model): int(count) for campaign, is_model, count in rows}
        totals = {}
        for campaign in dict.fromkeys(campaign for campaign, _ in (*items, *judges)):
            people, models = (judges.get((campaign, is_model), 0) for is_model in (0, 1))
            only_models = models > 0 and people == 0 and (campaign, 0) not in items
            totals[campaign] = CampaignTotals(*items.get((campaign, int(only_models)), (0, 0)), people, models)
        return totals

    def counts(self, campaign: int) -> dict[str, tuple[int, int]]:
        """Tasks and finished tasks by judge."""
        gone = self._not_waited_for(campaign)
        number = func.count(case((_j.id.in_(gone), _t.finished_at), else_=_t.id))
        query = select(_j.key, number, func.count(_t.finished_at))
        tables = schema.judge.outerjoin(schema.task, _t.judge == _j.id)
        rows = query.select_from(tables).where(_j.campaign == campaign).group_by(_j.id, _j.key, _j.position)
        return {key: (all_, finished) for key, all_, finished in self._connection.execute(rows.order_by(_j.position))}

    def free_items(self, campaign: int) -> int:
        """Items that no judge has taken yet."""
        query = select(func.count()).select_from(_ITEMS_OF_TASKS)
        return int(self._connection.scalar(query.where(_t.campaign == campaign, _t.judge.is_(None))) or 0)

    def finished_outputs(self, campaign: int) -> dict[int, int]:
        """How many outputs of each document (by its row) people have finished. Looks of an adaptive campaign wait for
        these alone, not for models, controls, or other judges of the same output who stopped."""
        rows = self._connection.execute(_FINISHED_OUTPUTS, {"of_campaign": campaign})
        return {row[0]: row[1] for row in rows}

    def any_texts_open(self, campaign: int) -> bool:
        """Whether some person, or whoever comes next, has texts left to judge, controls aside."""
        tables = _ITEMS_OF_TASKS.join(schema.document, _d.id == _i.document)
        query = select(_t.id).select_from(tables.outerjoin(schema.judge, _j.id == _t.judge))
        people = or_(_t.judge.is_(None), _j.kind.in_(_PEOPLE))
        return self._connection.scalar(query.where(self._is_open(campaign), people, IS_TEXT).limit(1)) is not None

    def any_open(self, campaign: int) -> bool:
        """Whether something is left to do, by someone or by whoever comes next. Questionnaires of judges without texts
        do not count: in a pool, of all who never came."""
        theirs = schema.task.alias()
        holding = schema.item.join(schema.document, _d.id == _i.document).join(theirs, theirs.c.id == _i.task)
        has_texts = exists().select_from(holding).where(theirs.c.judge == _t.judge, _d.key != JUDGE_ITSELF)
        query = select(_t.id).where(self._is_open(campaign), or_(_t.judge.is_(None), has_texts.correlate(schema.task)))
        return self._connection.scalar(query.limit(1)) is not None

    def any_finished(self, campaign: int) -> bool:
        """Whether any task was finished."""
        query = select(_t.id).where(_t.campaign == campaign, _t.finished_at.is_not(None)).limit(1)
        return self._connection.scalar(query) is not None

    def who_left(self, campaign: int | None) -> list[int]:
        """Participants who left and whose open tasks someone else has. Those who got a new link since are back."""
        revoked = select(_j.id, _j.campaign).where(_j.revoked_at.is_not(None))
        judges = self._pairs(revoked if campaign is None else revoked.where(_j.campaign == campaign))
        if not judges:
            return []
        campaigns = {number for _, number in judges}
        details = select(_e.detail).where(_e.campaign.in_(campaigns), _e.kind == JUDGE_REPLACED)
        replaced = {loads(detail)["seat"] for detail in self._connection.scalars(details)}
        return [judge for judge, _ in judges if judge in replaced]

    def who_only_came_with_files(self, campaign: int) -> set[int]:
        """Participants who have answers here and never had a task."""
        has_answers = select(_q.id).where(_q.judge == _j.id).exists()
        query = select(_j.id).where(_j.campaign == campaign, _NEVER_HAD_A_TASK, has_answers)
        return {*self._connection.scalars(query)}

    def _not_waited_for(self, campaign: int | None) -> list[int]:
        """Participants whose open tasks nobody waits for: someone else has them, or their answers count in no
        result."""
        return sorted({*self.who_left(campaign), *Events(self._connection).left_out(campaign)})

    def _is_open(self, campaign: int) -> Any:
        """The condition for a task that is still to be finished, by someone or by whoever comes next."""
        is_open = and_(_t.campaign == campaign, _t.finished_at.is_(None))
        gone = self._not_waited_for(campaign)
        return and_(is_open, or_(_t.judge.is_(None), _t.judge.not_in(gone))) if gone else is_open

    def _items_to_do(self, campaign: int | None = None) -> Any:
        """The sum of items that somebody has or had to judge: of those who are not waited for, what they have done."""
        gone = self._not_waited_for(campaign)
        return func.sum(case((_t.judge.in_(gone), _i.done), else_=1)) if gone else func.count()

    def _assigned_shares(self, campaign: int, *more: Any) -> Any:
        """The query for what was assigned and what of it is done, by judge, document and whatever `more` there is."""
        sums = (
            self._items_to_do(campaign).label("number"),
            func.sum(_i.done).label("done"),
            func.sum(_i.elapsed).label("elapsed"),
            func.sum(_i.active).label("active"),
            func.max(_i.saved_at).label("saved_at"),
        )
        group = (_t.judge, _i.document, *more)
        return select(*group, *sums).select_from(_ITEMS_OF_TASKS).where(_t.campaign == campaign).group_by(*group)

    def _imported_shares(self, campaign: int | None = None) -> Any:
        """The same query, by judge, document and page, for judges without tasks, whose answers came from files. Each
        unit with an answer is one item that is done; shown again as a control or repeat, it is another item."""
        judges = select(_j.id).where(_NEVER_HAD_A_TASK, _j.kind != str(JudgeKind.ADJUDICATED))
        if campaign is not None:
            judges = judges.where(_j.campaign == campaign)
        unit = (_q.judge, _q.document, self._page_of(judges).label("page"), _q.segment, _q.systems, _q.role)
        answers = select(*unit, _q.elapsed, _q.active, _q.received_at).where(_q.judge.in_(judges)).subquery().c
        key = (answers.judge, answers.document, answers.page, answers.segment, answers.systems, answers.role)
        times = (func.max(answers.elapsed).label("elapsed"), func.max(answers.active).label("active"))
        each = select(*key, *times, func.max(answers.received_at).label("saved_at")).group_by(*key).subquery().c
        sums = (
            func.count().label("number"),
            func.count().label("done"),
            func.coalesce(func.sum(each.elapsed), 0.0).label("elapsed"),
            func.coalesce(func.sum(each.active), 0.0).label("active"),
            func.max(each.saved_at).label("saved_at"),
        )
        group = (each.judge, each.document, each.page)
        return select(*group, *sums).group_by(*group)

    def _page_of(self, judges: Any) -> Any:
        """The expression for the page of an answer of these judges: its stage's name, unless several stages share a
        page."""
        campaigns = select(_j.campaign).where(_j.id.in_(judges))
        shared: dict[tuple[str, str], list[int]] = {}
        for number, protocol in self._connection.execute(select(_c.id, _c.protocol).where(_c.id.in_(campaigns))):
            for stage in loads(protocol)["stage"]:
                if stage.get("page"):
                    shared.setdefault((stage["id"], stage["page"]), []).append(number)
        names = [(and_(_q.stage == stage, _q.campaign.in_(own)), page) for (stage, page), own in shared.items()]
        return case(*names, else_=_q.stage) if names else _q.stage

    def _by_domain(self, shares: Any) -> list[TaskShare]:
        """Sums by judge and document, summed up by judge and domain."""
        share = shares.subquery()
        s = share.c
        sums = (func.sum(s.number), func.sum(s.done), func.sum(s.elapsed), func.sum(s.active), func.max(s.saved_at))
        tables = share.join(schema.document, _d.id == s.document).join(schema.judge, _j.id == s.judge)
        query = select(_j.key, _d.domain, *sums).select_from(tables).where(_d.key != "")
        query = query.group_by(_j.id, _j.key, _j.position, _d.domain).order_by(_j.position, func.min(_d.position))
        return [
            TaskShare(judge, "", domain, "", int(items), int(done), elapsed, active, moment(saved_at))
            for judge, domain, items, done, elapsed, active, saved_at in self._connection.execute(query)
        ]

    def _pairs(self, query: Any) -> list[tuple[int, Any]]:
        return [(row[0], row[1]) for row in self._connection.execute(query)]
