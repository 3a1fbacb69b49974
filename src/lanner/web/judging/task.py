"""One task as its judge sees it: with its texts and their own answers, read in one go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from lanner.campaign.knowing import asking, document
from lanner.campaign.tasks import Heard, heard
from lanner.designs.expected import EXPLANATION
from lanner.model import Campaign, Document, Item, Json, Judge, Protocol, Role, Task
from lanner.store import Assigned, Store
from lanner.web.judging.page import Given, Progress
from lanner.web.judging.page import Settings as PageSettings

_A_DAY = timedelta(hours=16)  # a working day, wherever midnight is for the judge
_REMEMBERED = 4000


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


class Owners:
    """Whose each task is: never changes once it is someone's, so it is remembered. A free task is nobody's yet."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[int, Assigned] = {}

    def remembered(self, task: int) -> Assigned | None:
        """Without asking the store."""
        return self._known.get(task)

    def find(self, task: int) -> Assigned | None:
        """The task as it was assigned; None where there is none, or nobody has taken it."""
        known = self._known.get(task)
        if known is not None:
            return known
        with self._store.reading() as tx:
            found = tx.tasks.assigned(task)
        if found is None or found.judge is None:
            return None
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[task] = found
        return found


def task_view(store: Store, number: int, known: Assigned | None = None) -> TaskView | None:
    """A task, which may be `known` from before, with all its judge sees; None where there is none."""
    with store.reading() as tx:
        standing = tx.tasks.standing(number, to_change=False)  # a page that is open holds up no save
        if standing is None or standing.judge is None:
            return None
        entry = tx.tasks.assigned(number, known)
        campaign = tx.campaigns.find(standing.campaign)
        seat = tx.judges.numbered(standing.judge)
        assert entry is not None and campaign is not None and seat is not None
        protocol = asking(store, tx, campaign.id, campaign.protocol_hash).protocol
        names = dict.fromkeys(item.document for item in entry.task.items if item.document)
        texts = {name: document(store, tx, standing, name) for name in names}
        overview = tx.progress.overview(seat.number)
        spent = tx.tasks.spent(number)
        today = tx.tasks.active_since(seat.number, datetime.now(UTC) - _A_DAY)
        said = heard(store, tx, entry, campaign.protocol_hash)
    finished = sum(line.finished_at is not None for line in overview)
    return TaskView(
        campaign=campaign,
        protocol=protocol,
        judge=seat.judge,
        seat=seat.number,
        task=entry.task,
        documents=texts,
        given=_given(entry.task, said, spent),
        progress=Progress(finished, len(overview), today / 60),
        settings=_settings(campaign),
    )


def explanation(item: Item) -> str:
    """What a judge in training is told once they have answered."""
    if item.role is not Role.TUTORIAL:
        return ""
    said = [rule.get(EXPLANATION) for rule in item.expected.values() if isinstance(rule, Mapping)]
    return "\n".join(str(words) for words in said if words)


def _given(task: Task, said: Sequence[Heard], spent: Sequence[tuple[float, float]]) -> tuple[Given, ...]:
    return tuple(
        Given(
            answers={question: given.value for question, given in each.current.items()},
            ids={question: given.id for question, given in each.current.items()},
            earlier={question: value for question, value in each.earlier.items() if question not in each.current},
            elapsed=elapsed,
            active=active,
            explanation=explanation(item) if each.current else "",
        )
        for item, each, (elapsed, active) in zip(task.items, said, spent, strict=True)
    )


def _settings(campaign: Campaign) -> PageSettings:
    given = campaign.settings
    known: dict[str, Json] = {"title": campaign.title, "guidelines": given.get("guidelines", "")}
    for name in ("idle_seconds", "break_minutes"):
        if isinstance(given.get(name), int | float):
            known[name] = float(given[name])
    return PageSettings(**known)
