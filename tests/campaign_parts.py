"""Small campaigns for tests: texts, judges, and answers that their protocols allow."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random
from typing import Any
from uuid import uuid4

from lanner import campaign
from lanner.model import Campaign, Document, Judge, Protocol, Segment, Task
from lanner.protocols import load
from lanner.protocols.answers import simulate_answer, texts_of
from lanner.protocols.conditions import chosen_labels
from lanner.store import Store

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
JUDGES = (Judge("ana", name="Ana"), Judge("bo", attributes={"native": "ko"}))


def corpus(sizes: tuple[int, ...] = (3, 2), systems: tuple[str, ...] = ("alder", "birch")) -> list[Document]:
    return [
        Document(
            f"d{n}",
            tuple(
                Segment(str(s), f"Sentence {s} of text {n} 🌲.", {name: f"{name} says {s} in {n}." for name in systems})
                for s in range(size)
            ),
            "en", "de", domain=("news", "talk")[n % 2], title=f"Text {n}",
        )
        for n, size in enumerate(sizes)
    ]  # fmt: skip


def opened(store: Store, protocol: str | Protocol = "h_falcon", name: str = "first", **more: Any) -> Campaign:
    """A campaign that takes answers."""
    given: dict[str, Any] = {"documents": corpus(), "judges": JUDGES, "at": NOW, **more}
    campaign.create(store, name, given.pop("documents"), protocol, given.pop("judges"), **given)
    return campaign.open(store, name, at=NOW)


def first_task(store: Store, judge: str = "ana", name: str = "first") -> Task:
    task = campaign.next_task(store, name, judge)
    assert task is not None
    return task


def valid(store: Store, task: Task, item: int = 0, seed: int = 0, name: str = "first") -> dict[str, Any]:
    """Answers to everything a page asks about an item."""
    asking = campaign.Questions(campaign.protocol(store, name))
    texts = {document.id: document for document in campaign.documents(store, name)}
    about = task.items[item]
    shown = texts_of(texts[about.document], about) if about.document else None
    known = dict(campaign.earlier(store, task.id)[item])
    given: dict[str, Any] = {}
    rng = Random(seed)
    while pending := [q for _, q in asking.applicable(task.page, about, known) if q.id not in given]:
        question = pending[0]
        labels = chosen_labels(asking.protocol, question, known)
        outputs = max(2, len(about.systems))
        answer = simulate_answer(question, rng=rng, texts=shown, chosen=labels, outputs=outputs)
        given[question.id] = known[question.id] = answer
    return given


def save(
    store: Store, task: Task, item: int = 0, answers: dict[str, Any] | None = None, **more: Any
) -> campaign.SaveResult:
    given = valid(store, task, item) if answers is None else answers
    return campaign.submit(store, task.id, item, given, **{"submission": uuid4().hex, "at": NOW, **more})


def fill(store: Store, task: Task) -> None:
    for item in range(len(task.items)):
        save(store, task, item, active=30.0, elapsed=45.0)


def scales(*questions: dict[str, Any], unit: str = "document", target: str = "output", **more: Any) -> Protocol:
    """A protocol of one stage."""
    stage = {"id": "s", "unit": unit, "object": target, "question": list(questions), **more}
    return Protocol.model_validate({"name": "mine", "version": "1", "stage": [stage]})


def known(name: str) -> Protocol:
    return load(name)
