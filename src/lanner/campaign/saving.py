"""One submission, from what the task and the protocol say to the rows that are appended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from lanner.campaign.asking import Asked, Asking, Key
from lanner.campaign.knowing import asking, assigned, no_task, texts
from lanner.campaign.refusals import refuse, refuse_gated, refuse_stranger
from lanner.campaign.submission import Conflict, Saved, Submission, reused
from lanner.errors import AnswerError, CampaignError
from lanner.model import Item, Json
from lanner.store import Answer, NewAnswer, Standing, Store, Transaction
from lanner.store.codec import dumps, loads, micros

CLEARED = dumps(["cleared"])
"""The flag of an answer that was taken back."""
NOT_ASKED = dumps(["not_asked"])
"""The flag of an answer that a revised earlier answer made pointless."""


@dataclass(slots=True)
class _Saving:
    """One submission on its way: what is known about the item and what will be written."""

    standing: Standing
    judge: int
    asking: Asking
    page: str
    item: Item
    document: int
    heads: dict[Key, Answer]
    known: dict[str, Json]
    changes: list[tuple[Asked, Json, str | None]] = field(default_factory=list)


def save(store: Store, tx: Transaction, given: Submission, received: datetime) -> Saved:
    """Check one submission and append its answers, inside the caller's transaction. What it refuses, it refuses before
    it has written anything."""
    standing = tx.tasks.standing(given.task)
    if standing is None:
        raise no_task(given.task)
    judge = refuse_stranger(tx, standing, given)
    task = assigned(store, tx, given.task)
    if not 0 <= given.item < len(task.task.items):
        raise CampaignError(f"Task {given.task} has no item {given.item}.", code="unknown_item")
    item = task.task.items[given.item]
    asked = asking(store, tx, standing.campaign, standing.protocol_hash)
    rows = tx.judgements.of_unit(judge, task.documents[given.item], item.segment)
    heads = asked.heads(rows)
    known = asked.answers(task.task.page, item, heads)
    saving = _Saving(standing, judge, asked, task.task.page, item, task.documents[given.item], heads, known)
    if any(row.submission == given.id for row in rows):
        return _repeated(store, tx, saving, given, rows)
    refuse(standing, given.task)
    refuse_gated(tx, standing.campaign, judge, asked, task.task.page)
    _check(store, tx, saving, given)
    return _append(tx, saving, given, received)


def _check(store: Store, tx: Transaction, saving: _Saving, given: Submission) -> None:
    """Check the answers in the order of the questions, so that each sees those before it."""
    asked, item = saving.asking, saving.item
    questions = asked.questions(saving.page, item)
    by_id = {question.id: (stage, question) for stage, question in questions}
    for name in given.answers:
        if name not in by_id:
            raise asked.unknown(name, saving.page, item)
    answered = [entry for entry in questions if entry[1].id in given.answers]
    seen = texts(store, tx, saving.standing, item) if asked.needs_texts(answered) else None
    for stage, question in answered:
        value = given.answers[question.id]
        if not asked.applies((stage, question), saving.known):
            if value is not None:
                raise AnswerError(
                    f"{question.id}: is not asked, given the answers before it.", question=question.id, code="not_asked"
                )
            continue
        value = asked.check(question, value, item, saving.known, seen)
        if value is None and saving.known.get(question.id) is None:
            continue
        saving.known[question.id] = value
        saving.changes.append(((stage, question), value, CLEARED if value is None else None))
    for entry in questions:
        name = entry[1].id
        if name not in given.answers and saving.known.get(name) is not None and not asked.applies(entry, saving.known):
            saving.known[name] = None
            saving.changes.append((entry, None, NOT_ASKED))


def _append(tx: Transaction, saving: _Saving, given: Submission, received: datetime) -> Saved:
    rows: list[NewAnswer] = []
    conflicts: list[Conflict] = []
    keys = saving.asking.keys(saving.item)
    judgements = tx.judgements
    numbers = judgements.reserve(len(saving.changes)) if saving.changes else ()
    received_at, answered_at = micros(received), micros(given.answered_at)
    for part, (number, ((stage, question), value, flags)) in enumerate(zip(numbers, saving.changes, strict=True)):
        key = keys[question.id]
        head = saving.heads.get(key)
        previous = head.id if head else None
        base = given.base.get(question.id, previous) if given.base is not None else previous
        if base != previous and head is not None:
            conflicts.append(Conflict(question.id, head.id, loads(head.value)))
        rows.append(
            {
                "id": number,
                "campaign": saving.standing.campaign,
                "judge": saving.judge,
                "task": given.task,
                "document": saving.document,
                "segment": saving.item.segment,
                "stage": stage.id,
                "question": question.id,
                "systems": key[1],
                "role": key[2],
                "revision": head.revision + 1 if head else 1,
                "supersedes": previous,
                "base": base,
                "value": dumps(value),
                "flags": flags,
                "submission": given.id,
                "part": part,
                "elapsed": given.elapsed,
                "active": given.active,
                "answered_at": answered_at,
                "received_at": received_at,
                "origin": "",
            }
        )
    if rows:
        judgements.add(rows)
    open_ = tuple(saving.asking.open(saving.page, saving.item, saving.known))
    times = {"elapsed": given.elapsed, "active": given.active}
    tx.tasks.set_saved(given.task, given.item, done=not open_, now=received, **times)
    return Saved({row["question"]: row["id"] for row in rows}, open_, tuple(conflicts))


def _repeated(store: Store, tx: Transaction, saving: _Saving, given: Submission, rows: Sequence[Answer]) -> Saved:
    """What the first time came to, if this is indeed the same submission."""
    asked, item = saving.asking, saving.item
    questions = {question.id: question for _, question in asked.questions(saving.page, item)}
    seen = texts(store, tx, saving.standing, item) if asked.needs_texts(asked.questions(saving.page, item)) else None
    values = {row.id: loads(row.value) for row in rows}
    keys = asked.keys(item)
    stored = [row for row in rows if row.submission == given.id]
    for row in stored:
        question = questions.get(row.question)
        if question is None or keys[row.question] != (row.question, row.systems, row.role):
            raise reused(given)
        if row.question in given.answers:
            value = given.answers[row.question]
            labels = {question.for_each: value} if question.for_each else {}
            if asked.check(question, value, item, labels, seen) != values[row.id]:
                raise reused(given)
    overtaken = [row for row in stored if row.supersedes is not None and row.base != row.supersedes]
    conflicts = tuple(Conflict(row.question, row.supersedes or 0, values[row.supersedes or 0]) for row in overtaken)
    open_ = tuple(asked.open(saving.page, item, saving.known))
    return Saved({row.question: row.id for row in stored}, open_, conflicts, repeated=True)
