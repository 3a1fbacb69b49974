"""A judge's own page as plain data: the tasks in order, what is next, how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from math import ceil

from lanner.campaign import documents
from lanner.campaign.questions import gate_open, questions_of
from lanner.campaign.states import DueDate, due_date
from lanner.campaign.tasks import UNTIL_SUBMITTED, next_task
from lanner.errors import CampaignError
from lanner.model import CampaignState, Document, Protocol, Role, Unit, languages
from lanner.model.protocol import Wording
from lanner.store import Overview, Store
from lanner.web.judging.page import paragraphs

_ENOUGH = 5
"""Items after which a judge's own pace is known."""


@dataclass(frozen=True, slots=True)
class TaskLine:
    """One task: `state` is open, begun or finished. A questionnaire is about no document; `pair` are the codes of its
    languages, `minutes` what is left of it at the judge's own pace. `calibration` holds sentences of several documents
    that are judged again."""

    task: int
    number: int
    title: str
    stage: str
    items: int
    done: int
    state: str
    questionnaire: bool
    domain: str = ""
    calibration: bool = False
    pair: tuple[str, str] = ("", "")
    minutes: int = 0


@dataclass(frozen=True, slots=True)
class Home:
    """The work of one judge in one campaign. `who` names what a device keeps for this judge."""

    who: str
    campaign: str
    name: str
    state: str
    lines: tuple[TaskLine, ...]
    next: int | None
    done: int
    items: int
    minutes_today: float
    speaks: str
    completion_code: str
    return_link: str
    can_revise: bool = False
    """Whether finished tasks can still be changed."""
    waits_for_meeting: bool = False
    """Whether the calibration round is done and what follows it is not assigned yet."""
    due: DueDate | None = None
    days_left: int = 0
    """Days until the last one on which work is expected: 0 on that day, below it once it is over."""
    note: tuple[str, ...] = ()
    """What the organisers write to every judge."""
    closed: bool = False
    """Whether tasks are left out that open only once a page before them has been agreed to (consent)."""

    @property
    def current(self) -> TaskLine | None:
        """The task that comes next."""
        return next((line for line in self.lines if line.task == self.next), None)

    @property
    def guide(self) -> TaskLine | None:
        """A task whose page has the guidelines: the next one, else the first about a document."""
        lines = [line for line in (self.current, *self.lines) if line is not None]
        return next((line for line in lines if not line.questionnaire), None)

    def waiting(self) -> list[TaskLine]:
        """What is to do after that."""
        return [line for line in self.lines if line.state != "finished" and line.task != self.next]

    def done_lines(self) -> list[TaskLine]:
        return [line for line in self.lines if line.state == "finished"]

    @property
    def minutes_left(self) -> int:
        return sum(line.minutes for line in self.lines)

    @property
    def finished(self) -> bool:
        return bool(self.lines) and not self.closed and all(line.state == "finished" for line in self.lines)

    @property
    def is_due(self) -> bool:
        """Whether something is left to do by a day; work that waits for others is not late."""
        return self.due is not None and self.state == "open" and bool(self.lines) and not self.finished


def _pace(protocol: Protocol, page: str, overview: Sequence[Overview]) -> float:
    """Minutes that this judge needs for one item of a page; the protocol's guess until some were done, and where no
    time came with the answers (without a script)."""
    mine = [line for line in overview if line.page == page]
    items_done, active = sum(line.done for line in mine), sum(line.active for line in mine)
    if items_done < _ENOUGH or not active:
        return protocol.minutes(page)
    return active / 60 / items_done


def _pair(document: Document | None) -> tuple[str, str]:
    """The codes of a document's languages; empty where one of them is unknown."""
    pair = (document.source_language, document.target_language) if document else ("", "")
    return ("", "") if languages.UNDETERMINED in pair else pair


class JudgeRemovedError(CampaignError):
    """The campaign was deleted, the judge removed from it or the link revoked, while their browser was open."""


def home_page(store: Store, participant: int, language: str = "en") -> Home:
    """What this judge has to do. With no task left a free one is taken, where the design has such."""
    with store.reading() as tx:
        participant_row = tx.judges.numbered(participant)
        campaign = tx.campaigns.find(participant_row.campaign) if participant_row else None
    if participant_row is None or campaign is None or participant_row.revoked_at is not None:
        raise JudgeRemovedError("This judge is in no campaign any more.", code="not_assigned")
    following = next_task(store, campaign.id, participant_row.judge.id)
    with store.reading() as tx:
        everything = tx.progress.overview(participant)
        questions = questions_of(store, tx, campaign.id, campaign.protocol_hash)
        pages = {line.page for line in everything}
        open_pages = {page for page in pages if gate_open(tx, campaign.id, participant, questions, page)}
        items = {entry.task.id: entry.task.items for entry in tx.tasks.of_judge(participant) if entry.task.items}
        today = tx.tasks.active_since(participant, datetime.now(UTC) - timedelta(hours=16))
        key = ("documents without texts", campaign.id, tx.campaigns.corpus_hash(campaign.id))
    about: dict[str, Document] = store.facts.get(
        key, lambda: {d.id: replace(d, segments=()) for d in documents(store, campaign.id)}
    )
    overview = [line for line in everything if line.page in open_pages]
    protocol = questions.protocol
    wording = Wording(protocol, language)
    pace = {page: _pace(protocol, page, overview) for page in {line.page for line in overview}}
    lines = []
    for number, line in enumerate(overview, 1):
        mine = items.get(line.task, ())
        stages = protocol.pages[line.page]
        about_judge = stages[0].unit is Unit.JUDGE
        state = "finished" if line.finished_at else "begun" if line.done else "open"
        texts = [about[name] for name in dict.fromkeys(item.document for item in mine) if name in about]
        document = texts[0] if texts else None
        domains = {text.domain for text in texts}
        visible = stages[0].show
        minutes = 0 if state == "finished" else ceil((line.items - line.done) * pace.get(line.page, 1.0))
        lines.append(
            TaskLine(
                task=line.task,
                number=number,
                title=document.title if document and len(texts) == 1 else "",
                calibration=len(texts) > 1 and mine[0].role is Role.CALIBRATION,
                stage=wording.stage(stages[0].id),
                items=line.items,
                done=line.done,
                state=state,
                questionnaire=about_judge,
                domain=domains.pop() if len(domains) == 1 and "domain" in visible else "",
                pair=_pair(document),
                minutes=minutes,
            )
        )
    closed = len(overview) < len(everything)
    all_done = bool(lines) and not closed and all(line.state == "finished" for line in lines)
    settings = campaign.settings
    waits = all_done and bool(settings.get("calibration")) and not _rest_is_assigned(store, campaign.id)
    finished = all_done and not waits
    due = due_date(settings)
    return Home(
        who=f"{campaign.id}.{participant}",
        campaign=campaign.title or campaign.name,
        name=participant_row.judge.name or participant_row.judge.id,
        state=str(campaign.state),
        lines=tuple(lines),
        next=following.id if following and campaign.state is CampaignState.OPEN else None,
        done=sum(line.done for line in lines),
        items=sum(line.items for line in lines),
        minutes_today=today / 60,
        speaks=str(participant_row.judge.attributes.get("interface_language", "")),
        completion_code=str(settings.get("completion_code", "")) if finished else "",
        return_link=str(settings.get("return_link", "")) if finished else "",
        can_revise=settings.get("revision") == UNTIL_SUBMITTED
        and not all_done
        and campaign.state is CampaignState.OPEN,
        waits_for_meeting=waits,
        due=due,
        days_left=due.days_left(datetime.now(UTC)) if due else 0,
        note=paragraphs(str(settings.get("note") or "")),
        closed=closed,
    )


def _rest_is_assigned(store: Store, campaign: int) -> bool:
    """Whether what follows a calibration round has been given out."""
    with store.reading() as tx:
        return any(event.kind == "rest_assigned" for event in tx.events.of(campaign))
