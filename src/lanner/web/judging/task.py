"""One task as its judge sees it: with its texts and their own answers, read in one go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from lanner.campaign.questions import document, gate_open, questions_of
from lanner.campaign.tasks import Heard, heard
from lanner.model import Campaign, Document, Json, Judge, Protocol, Task
from lanner.store import Assigned, Store
from lanner.web.judging.page import Given, Progress
from lanner.web.judging.page import Settings as PageSettings

_A_DAY = timedelta(hours=16)  # a working day, wherever midnight is for the judge


@dataclass(frozen=True, slots=True)
class TaskView:
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
    gate: int | None = None
    """The task that must be agreed to before this one opens (consent); None where this one is open."""


def task_view(store: Store, number: int, assigned: Assigned | None = None) -> TaskView | None:
    """A task, which may be `assigned` as read before, with all its judge sees; None where there is none."""
    with store.reading() as tx:
        standing = tx.tasks.standing(number, to_change=False)  # a page that is open holds up no save
        if standing is None or standing.judge is None:
            return None
        entry = tx.tasks.assigned(number, assigned)
        campaign = tx.campaigns.find(standing.campaign)
        seat = tx.judges.numbered(standing.judge)
        if entry is None or campaign is None or seat is None:
            return None
        protocol = questions_of(store, tx, campaign.id, campaign.protocol_hash).protocol
        names = dict.fromkeys(item.document for item in entry.task.items if item.document)
        texts = {name: document(store, tx, standing, name) for name in names}
        overview = tx.progress.overview(seat.number)
        times = tx.tasks.spent(number)
        today = tx.tasks.active_since(seat.number, datetime.now(UTC) - _A_DAY)
        answers = heard(store, tx, entry, campaign.protocol_hash)
        questions = questions_of(store, tx, campaign.id, campaign.protocol_hash)
        gates = {stage.page_id for stage in questions.gates_before(entry.task.page)}
        closed = not gate_open(tx, campaign.id, seat.number, questions, entry.task.page)
        gate = next((line.task for line in overview if line.page in gates), 0) if closed else None
    finished_tasks = sum(line.finished_at is not None for line in overview)
    return TaskView(
        campaign=campaign,
        protocol=protocol,
        judge=seat.judge,
        seat=seat.number,
        task=entry.task,
        documents=texts,
        given=_given(answers, times),
        progress=Progress(finished_tasks, len(overview), today / 60),
        gate=gate,
        settings=_settings(campaign),
    )


def _given(answers: Sequence[Heard], times: Sequence[tuple[float, float]]) -> tuple[Given, ...]:
    return tuple(
        Given(
            answers={question: answer.value for question, answer in each.current.items()},
            ids={question: answer.id for question, answer in each.current.items()},
            earlier={question: value for question, value in each.earlier.items() if question not in each.current},
            elapsed=elapsed,
            active=active,
        )
        for each, (elapsed, active) in zip(answers, times, strict=True)
    )


def _settings(campaign: Campaign) -> PageSettings:
    values = campaign.settings
    settings: dict[str, Json] = {"title": campaign.title, "guidelines": values.get("guidelines", "")}
    for name in ("idle_seconds", "break_minutes"):
        if isinstance(values.get(name), int | float):
            settings[name] = float(values[name])
    return PageSettings(**settings)
