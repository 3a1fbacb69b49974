"""A judge's own page as plain data: the tasks in order, what is next, how far it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from lanner.campaign import documents
from lanner.campaign.knowing import asking
from lanner.campaign.tasks import next_task
from lanner.model import CampaignState, Unit
from lanner.protocols.wording import Wording
from lanner.store import Store


@dataclass(frozen=True, slots=True)
class Line:
    """One task: `state` is open, begun or finished. A questionnaire is about no document."""

    task: int
    number: int
    title: str
    stage: str
    items: int
    done: int
    state: str
    questionnaire: bool


@dataclass(frozen=True, slots=True)
class Home:
    """The work of one judge in one campaign. `who` names what a device keeps for this judge."""

    who: str
    campaign: str
    name: str
    state: str
    lines: tuple[Line, ...]
    next: int | None
    done: int
    items: int
    minutes_today: float
    speaks: str
    completion_code: str
    return_link: str

    @property
    def finished(self) -> bool:
        return bool(self.lines) and all(line.state == "finished" for line in self.lines)


def home_page(store: Store, seat: int, language: str = "en") -> Home:
    """What this judge has to do. With no task left a free one is taken, where the design has such."""
    with store.reading() as tx:
        found = tx.judges.numbered(seat)
        assert found is not None
        campaign = tx.campaigns.find(found.campaign)
        assert campaign is not None
    following = next_task(store, campaign.id, found.judge.id)
    with store.reading() as tx:
        overview = tx.progress.overview(seat)
        first = {entry.task.id: entry.task.items[0] for entry in tx.tasks.of_judge(seat) if entry.task.items}
        protocol = asking(store, tx, campaign.id, campaign.protocol_hash).protocol
        today = tx.tasks.active_since(seat, datetime.now(UTC) - timedelta(hours=16))
        key = ("titles", campaign.id, tx.campaigns.corpus_hash(campaign.id))
    titles: dict[str, str] = store.facts.get(key, lambda: {d.id: d.title for d in documents(store, campaign.id)})
    wording = Wording(protocol, language)
    lines = []
    for number, line in enumerate(overview, 1):
        item = first.get(line.task)
        stages = protocol.pages[line.page]
        about_judge = stages[0].unit is Unit.JUDGE
        state = "finished" if line.finished_at else "begun" if line.done else "open"
        title = titles.get(item.document, "") if item else ""
        words = wording.stage(stages[0].id)
        lines.append(Line(line.task, number, title, words, line.items, line.done, state, about_judge))
    finished = bool(lines) and all(line.state == "finished" for line in lines)
    settings = campaign.settings
    return Home(
        who=f"{campaign.id}.{seat}",
        campaign=campaign.title or campaign.name,
        name=found.judge.name or found.judge.id,
        state=str(campaign.state),
        lines=tuple(lines),
        next=following.id if following and campaign.state is CampaignState.OPEN else None,
        done=sum(line.done for line in lines),
        items=sum(line.items for line in lines),
        minutes_today=today / 60,
        speaks=str(found.judge.attributes.get("interface_language", "")),
        completion_code=str(settings.get("completion_code", "")) if finished else "",
        return_link=str(settings.get("return_link", "")) if finished else "",
    )
