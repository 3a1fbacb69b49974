"""A judge's work: which task comes next, what was answered so far, and finishing."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from lanner.campaign.drawing import take_task
from lanner.campaign.questions import (
    CurrentAnswer,
    Questions,
    answers_of_task,
    gate_open,
    no_task,
    questions_of,
    refuse,
    refuse_early_finish,
    rows_of,
)
from lanner.campaign.states import Reference
from lanner.campaign.submit import AnswerKey, answer_key, take_back_unasked
from lanner.campaign.webhooks import announce_finished
from lanner.designs.adaptive import NAME as ADAPTIVE
from lanner.errors import CampaignError
from lanner.model import Campaign, CampaignState, Item, Json, Judgement, Task
from lanner.protocols.conditions import holds
from lanner.store import AssignedTask, Overview, SavedProgress, Store, Transaction
from lanner.store.rows import micros, now

TAKE_BACK = timedelta(minutes=10)
"""How long a judge can take back that a task is finished."""
UNTIL_SUBMITTED = "until_submitted"
"""The value of the setting `revision` with which finished tasks can be taken back until the last one is finished."""


@dataclass(frozen=True, slots=True)
class OpenItem:
    """Questions about one item that still need an answer."""

    item: int
    document: str
    segment: str
    questions: tuple[str, ...]


class UnfinishedError(CampaignError):
    """A task that cannot be finished yet, with exactly what is missing."""

    def __init__(self, task: int, missing: Sequence[OpenItem]) -> None:
        count = sum(len(entry.questions) for entry in missing)
        first = missing[0]
        place = f"item {first.item + 1}" + (f" (segment {first.segment})" if first.segment else "")
        super().__init__(
            f"Task {task} still needs {count} answer{'s' if count > 1 else ''}.",
            code="unfinished",
            next_step=f"First: {', '.join(first.questions)} of {place}.",
        )
        self.missing = tuple(missing)


def next_task(store: Store, campaign: Reference, judge: str) -> Task | None:
    """The judge's first task that is not finished; with none left, a free one is taken. None when all is done, or
    when a page that must be agreed to (consent) was not."""
    with store.reading() as tx:
        entry = tx.campaigns.get(campaign)
        mine = tx.judges.get(entry, judge)
        task = tx.tasks.next_of(mine.number)
        # judges who may not answer, or count in no result, take nothing: others could not judge it then
        takes_more = task is None and mine.revoked_at is None and mine.number not in tx.events.left_out(entry.id)
    if takes_more and entry.state is CampaignState.OPEN:
        if entry.design == ADAPTIVE:
            task = take_task(store, entry, mine.number)
        else:
            task = store.write(lambda tx: _claim(tx, entry.id, mine.number))
    if task is None:
        return None
    with store.reading() as tx:
        assigned = _get_task(tx, task)
        questions = questions_of(tx, entry.id, entry.protocol_hash)
        return assigned.task if gate_open(tx, entry.id, mine.number, questions, assigned.task.page) else None


def _claim(tx: Transaction, campaign: int, judge: int) -> int | None:
    """Take a free task, unless the campaign was stopped meanwhile."""
    return tx.tasks.claim(campaign, judge) if tx.campaigns.get(campaign).state is CampaignState.OPEN else None


def task(store: Store, number: int) -> Task:
    """A task by its id."""
    with store.reading() as tx:
        return _get_task(tx, number).task


def tasks(store: Store, campaign: Reference, judge: str) -> list[Task]:
    """All tasks of a judge, in order."""
    with store.reading() as tx:
        return [entry.task for entry in tx.tasks.of_judge(tx.judges.get(tx.campaigns.get(campaign), judge).number)]


def overview(store: Store, campaign: Reference, judge: str) -> list[Overview]:
    """How far a judge is with each task, without the items."""
    with store.reading() as tx:
        return tx.progress.overview(tx.judges.get(tx.campaigns.get(campaign), judge).number)


def current(store: Store, number: int) -> list[Mapping[str, CurrentAnswer]]:
    """Item by item of a task, the answers that hold, by question."""
    with store.reading() as tx:
        entry = _get_task(tx, number)
        return [
            answers.current for answers in answers_of_task(tx, entry, tx.campaigns.get(entry.campaign).protocol_hash)
        ]


def earlier(store: Store, number: int) -> list[Mapping[str, Json]]:
    """Item by item of a task, this judge's answers about the same unit from all pages: what conditions and repeated
    questions look at."""
    with store.reading() as tx:
        entry = _get_task(tx, number)
        return [
            answers.earlier for answers in answers_of_task(tx, entry, tx.campaigns.get(entry.campaign).protocol_hash)
        ]


def missing(store: Store, number: int) -> list[OpenItem]:
    """What a task still needs before it can be finished."""
    with store.reading() as tx:
        entry = _get_task(tx, number)
        protocol_hash = tx.campaigns.get(entry.campaign).protocol_hash
        return _missing(tx, questions_of(tx, entry.campaign, protocol_hash), entry)


def finish(store: Store, number: int, *, at: datetime | None = None) -> Task:
    """Finish a task: from now on it is read only. `UnfinishedError` says what is missing. Finishing twice is no
    mistake."""
    return store.write(lambda tx: finish_in(tx, number, at or now()))


def finish_in(
    tx: Transaction,
    number: int,
    finished_at: datetime,
    *,
    known: AssignedTask | None = None,
    takes_nothing_back: bool = False,
) -> Task:
    """Finish a task inside the caller's transaction. Nothing is written where something is missing. With
    `takes_nothing_back` (models), what each save said about its item still holds, so the answers are not read again;
    nor are the items of a task that is `known`."""
    standing = tx.tasks.standing(number)
    if standing is None:
        raise no_task(number)
    entry = _get_task(tx, number, known)
    if standing.finished:
        return entry.task
    refuse(standing, number)
    questions = questions_of(tx, standing.campaign, standing.protocol_hash)
    refuse_early_finish(tx, standing, questions, entry.task.page)
    is_plain = all(questions.sheet(entry.task.page, item).plain for item in entry.task.items)
    if not (takes_nothing_back and is_plain and all(item.done for item in tx.tasks.item_progress(number))):
        lacking = _missing(tx, questions, entry)
        if lacking:
            raise UnfinishedError(number, lacking)
    _record_consent(tx, questions, entry, finished_at)
    _set_finished(tx, questions, entry, finished_at)
    announce_finished(tx, entry, finished_at)
    return replace(entry.task, finished_at=finished_at)


def _record_consent(tx: Transaction, questions: Questions, entry: AssignedTask, at: datetime) -> None:
    """Keep which version of a text its judge has agreed to, or that they have not, in the transaction that finishes the
    page of it: no answer may be left without that."""
    gates = [stage.gate for stage in questions.gates if stage.page_id == entry.task.page]
    if not gates or entry.judge is None:
        return
    protocol = questions.protocol
    given = answers_of_task(tx, entry, protocol.hash)[0].earlier
    # the hash tells one wording from another where both are called the same
    version = f"{protocol.label} {protocol.hash}" if all(holds(gate, given) for gate in gates) else None
    tx.judges.set_consent(entry.judge, version, at)


def finish_answered(
    tx: Transaction, questions: Questions, entry: AssignedTask, at: datetime, given: Container[AnswerKey] = ()
) -> None:
    """Finish a task for its judge where nothing is missing, after the answers `given` just now."""
    if entry.task.finished_at is None and not _missing(tx, questions, entry):
        _set_finished(tx, questions, entry, at, given)
        announce_finished(tx, entry, at)


def _set_finished(
    tx: Transaction, questions: Questions, entry: AssignedTask, at: datetime, given: Container[AnswerKey] = ()
) -> None:
    """Finish a task. What its judge answered before on pages that depend on its answers, as ratings do on labels, is
    open again where these have changed since, and taken back where it is not asked any more."""
    tx.tasks.set_finished(entry.task.id, at)
    _check_dependent(tx, questions, entry, at, given)


def _check_dependent(
    tx: Transaction, questions: Questions, entry: AssignedTask, at: datetime, given: Container[AnswerKey]
) -> None:
    """Check again what the judge of a task has saved on pages that depend on its answers."""
    pages = questions.dependent_pages[entry.task.page]
    if not pages or entry.judge is None:
        return
    others = tx.tasks.saved_about(entry.judge, pages, entry.documents)
    if others:
        tx.tasks.lock_of(entry.judge)  # before the campaign, as saves do
    for other in others:
        _check_again(tx, questions, other, at, given)


def _check_again(
    tx: Transaction, questions: Questions, entry: AssignedTask, at: datetime, given: Container[AnswerKey]
) -> bool:
    """Take back what a task no longer asks, reopen it where it asks for more, and return whether it is finished."""
    standing = tx.tasks.standing(entry.task.id)  # from now on nobody else changes it
    is_finished = standing is not None and standing.finished
    take_back_unasked(tx, questions, entry, at, given)
    lacking = {each.item for each in _missing(tx, questions, entry)}
    if lacking:
        tx.tasks.set_open(entry.task.id, lacking)
        if is_finished:
            tx.tasks.set_finished(entry.task.id, None)
            tx.events.add("finish_taken_back", at, campaign=entry.campaign, seat=entry.judge, task=entry.task.id)
    return is_finished and not lacking


def tick_off(tx: Transaction, campaign: Campaign, judgements: Iterable[Judgement], at: datetime) -> None:
    """Mark items as done, and tasks as finished, whose answers were imported. Where these revise answers of a finished
    task, it and those that depend on it are checked again, as when its judge revises it."""
    questions = questions_of(tx, campaign.id, campaign.protocol_hash)
    stages = {question.id: stage for stage, question in questions.protocol.questions}
    entries = list(judgements)
    tasks = {}
    for judge in dict.fromkeys(judgement.judge for judgement in entries):
        if own_tasks := tx.tasks.of_judge(tx.judges.get(campaign, judge).number):
            tasks[judge] = own_tasks
    by_judge: dict[str, dict[AnswerKey, list[Judgement]]] = {}
    for judgement in entries:
        if judgement.judge in tasks:
            item = Item(judgement.document, judgement.segment, judgement.systems, judgement.role)
            key = answer_key(item, judgement.question, stages[judgement.question])
            by_judge.setdefault(judgement.judge, {}).setdefault(key, []).append(judgement)
    for judge, answers in by_judge.items():
        revised = []
        for entry in tasks[judge]:
            answered = {}
            for place, item in enumerate(entry.task.items):
                keys = [answer_key(item, q.id, stage) for stage, q in questions.questions(entry.task.page, item)]
                if own := [judgement for key in keys for judgement in answers.get(key, ())]:
                    answered[place] = (
                        max(judgement.elapsed_seconds or 0.0 for judgement in own),
                        max(judgement.active_seconds or 0.0 for judgement in own),
                    )
            if answered and entry.task.finished_at is not None:
                revised.append(entry)
            elif answered:
                take_back_unasked(tx, questions, entry, at, answers)
                _tick_off_items(tx, questions, entry, answered, at)
                finish_answered(tx, questions, entry, at, answers)
        for entry in revised:
            if _check_again(tx, questions, entry, at, answers):
                _check_dependent(tx, questions, entry, at, answers)


def _tick_off_items(
    tx: Transaction,
    questions: Questions,
    entry: AssignedTask,
    answered: Mapping[int, tuple[float, float]],
    at: datetime,
) -> None:
    def save(done: Callable[[int], bool]) -> None:
        changes = [SavedProgress(entry.task.id, place, done(place), *spent) for place, spent in answered.items()]
        tx.tasks.set_saved(changes, micros(at))

    save(lambda _place: False)  # where nothing is required, what is missing depends on whether the item was saved
    lacking = {each.item for each in _missing(tx, questions, entry)}
    save(lambda place: place not in lacking)


def reopen_task(store: Store, number: int, *, account: int | None = None, at: datetime | None = None) -> None:
    """Let a judge go on with a finished task."""
    with store.writing() as tx:
        entry = _get_task(tx, number)
        tx.tasks.set_finished(number, None)
        detail = {"seat": entry.judge, "task": number}
        tx.events.add("task_reopened", at or now(), campaign=entry.campaign, account=account, **detail)


def take_back_finish(store: Store, number: int, *, at: datetime | None = None) -> None:
    """Let a judge take back that a task is finished, for a while: a key pressed once too often ends no work. Where the
    campaign lets answers be revised until they are submitted, that while lasts until the last task is finished."""
    moment = at or now()

    def work(tx: Transaction) -> None:
        standing = tx.tasks.standing(number)
        entry = _get_task(tx, number)
        if standing is None or entry.task.finished_at is None:
            return
        refuse(standing._replace(finished=False), number)
        if moment - entry.task.finished_at > TAKE_BACK and not _until_submitted(tx, entry):
            minutes = round(TAKE_BACK.total_seconds() / 60)
            raise CampaignError(
                f"Task {number} was finished more than {minutes} minutes ago.",
                code="final",
                next_step="Ask the organiser to reopen it.",
            )
        tx.tasks.set_finished(number, None)
        tx.events.add("finish_taken_back", moment, campaign=entry.campaign, seat=entry.judge, task=number)

    store.write(work)


def _until_submitted(tx: Transaction, entry: AssignedTask) -> bool:
    """Whether this campaign lets judges revise everything until they have finished their last task, and this judge has
    not: `revision = "until_submitted"` among its settings."""
    settings = tx.campaigns.get(entry.campaign).settings
    if settings.get("revision") != UNTIL_SUBMITTED or entry.judge is None:
        return False
    return any(other.task.finished_at is None for other in tx.tasks.of_judge(entry.judge))


def _get_task(tx: Transaction, number: int, known: AssignedTask | None = None) -> AssignedTask:
    entry = tx.tasks.get(number, known)
    if entry is None:
        raise no_task(number)
    return entry


def _missing(tx: Transaction, questions: Questions, entry: AssignedTask) -> list[OpenItem]:
    page = entry.task.page
    progress = tx.tasks.item_progress(entry.task.id)
    pages: dict[int, Mapping[str, set[str]]] = {}
    missing = []
    for at, (item, rows) in enumerate(zip(entry.task.items, rows_of(tx, entry), strict=True)):
        answers = questions.answers(page, item, questions.heads(rows))
        saved = progress[at].saved_at is not None
        lacking = questions.open(page, item, answers, saved=saved)
        if lacking and entry.judge is not None:  # an answer that nobody will ask this judge for is not waited for
            document = entry.documents[at]
            if document not in pages:
                pages[document] = tx.tasks.pages_about(entry.judge, document)
            theirs = pages[document].get(item.segment, set())
            lacking = questions.open(page, item, answers, saved=saved, pages=theirs)
        if lacking:
            missing.append(OpenItem(at, item.document, item.segment, tuple(lacking)))
    return missing
