"""What lies on a judge's desk: one task with its texts and this judge's own answers, read in one go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lanner import campaign as work
from lanner.campaign.knowing import asking, document
from lanner.model import Campaign, Document, Json, Judge, Protocol, Task
from lanner.store import Assigned, Store
from lanner.web.pages import Given, Progress
from lanner.web.pages import Settings as PageSettings


@dataclass(frozen=True, slots=True)
class Desk:
    """Everything the judging page is made from."""

    campaign: Campaign
    protocol: Protocol
    judge: Judge
    seat: int
    task: Task
    documents: Mapping[str, Document]
    given: tuple[Given, ...]
    progress: Progress
    settings: PageSettings


def owner(store: Store, task: int) -> int | None:
    """The seat a task belongs to; None where there is no such task. Never changes, so it is remembered."""
    found: Assigned | None = store.facts.get(("owner", task), lambda: _assigned(store, task))
    return found.judge if found else None


def _assigned(store: Store, task: int) -> Assigned | None:
    with store.reading() as tx:
        return tx.tasks.assigned(task)


def desk(store: Store, number: int) -> Desk | None:
    """The desk for a task; None where there is none."""
    with store.reading() as tx:
        standing = tx.tasks.standing(number)
        if standing is None or standing.judge is None:
            return None
        entry = tx.tasks.assigned(number)
        campaign = tx.campaigns.find(standing.campaign)
        seat = tx.judges.numbered(standing.judge)
        assert entry is not None and campaign is not None and seat is not None
        protocol = asking(store, tx, campaign.id, campaign.protocol_hash).protocol
        names = dict.fromkeys(item.document for item in entry.task.items if item.document)
        texts = {name: document(store, tx, standing, name) for name in names}
        overview = tx.tasks.overview(seat.number)
    finished = sum(line.finished_at is not None for line in overview)
    return Desk(
        campaign=campaign,
        protocol=protocol,
        judge=seat.judge,
        seat=seat.number,
        task=entry.task,
        documents=texts,
        given=_given(store, entry.task),
        progress=Progress(finished, len(overview), 0.0),
        settings=_settings(campaign),
    )


def _given(store: Store, task: Task) -> tuple[Given, ...]:
    answers = work.current(store, task.id)
    everything = work.earlier(store, task.id)
    return tuple(
        Given(
            answers={question: given.value for question, given in mine.items()},
            ids={question: given.id for question, given in mine.items()},
            earlier={question: value for question, value in all_.items() if question not in mine},
        )
        for mine, all_ in zip(answers, everything, strict=True)
    )


def _settings(campaign: Campaign) -> PageSettings:
    given = campaign.settings
    known: dict[str, Json] = {"title": campaign.title, "guidelines": given.get("guidelines", "")}
    for name in ("idle_seconds", "break_minutes"):
        if isinstance(given.get(name), int | float):
            known[name] = float(given[name])
    return PageSettings(**known)
