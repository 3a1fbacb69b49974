"""A judge's own page as plain data: the tasks in order, what is next, how far it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from math import ceil

from lanner.campaign import documents
from lanner.campaign.questions import gate_open, questions_of
from lanner.campaign.settings import DueDate, due_date
from lanner.campaign.states import awaits_rest
from lanner.campaign.tasks import UNTIL_SUBMITTED, next_task
from lanner.errors import CampaignError
from lanner.model import CampaignState, Document, Item, Protocol, Role, Stage, Unit, languages
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
        participant_row = tx.judges.by_number(participant)
        campaign = tx.campaigns.find(participant_row.campaign) if participant_row else None
    if participant_row is None or campaign is None or participant_row.revoked_at is not None:
        raise JudgeRemovedError("This judge is in no campaign any more.", code="not_assigned")
    judge, settings, is_open = participant_row.judge, campaign.settings, campaign.state is CampaignState.OPEN
    following = next_task(store, campaign.id, judge.id)
    with store.reading() as tx:
        everything = tx.progress.overview(participant)
        questions = questions_of(tx, campaign.id, campaign.protocol_hash)
        pages = {entry.page for entry in everything}
        open_pages = {page for page in pages if gate_open(tx, campaign.id, participant, questions, page)}
        items = {entry.task.id: entry.task.items for entry in tx.tasks.of_judge(participant)}
        seconds_today = tx.tasks.active_since(participant, datetime.now(UTC) - timedelta(hours=16))
        is_calibrating = awaits_rest(tx, campaign)
        key = ("documents without texts", campaign.id, tx.campaigns.corpus_hash(campaign.id))
    texts: dict[str, Document] = store.cache.get(
        key, lambda: {d.id: replace(d, segments=()) for d in documents(store, campaign.id)}
    )
    overview = [entry for entry in everything if entry.page in open_pages]
    protocol = questions.protocol
    wording = Wording(protocol, language)
    first_stages = {page: protocol.pages[page][0] for page in open_pages}
    pace = {page: _pace(protocol, page, overview) for page in open_pages}
    lines = tuple(
        _task_line(
            entry,
            items.get(entry.task, ()),
            texts,
            first_stages[entry.page],
            number=number,
            stage_name=wording.stage(first_stages[entry.page].id),
            pace=pace[entry.page],
        )
        for number, entry in enumerate(overview, 1)
    )
    closed = len(overview) < len(everything)
    all_done = bool(lines) and not closed and all(line.state == "finished" for line in lines)
    waits = all_done and is_calibrating
    finished = all_done and not waits
    due = due_date(settings)
    return Home(
        who=f"{campaign.id}.{participant}",
        campaign=campaign.title or campaign.name,
        name=judge.name or judge.id,
        state=str(campaign.state),
        lines=lines,
        next=following.id if following and is_open else None,
        done=sum(line.done for line in lines),
        items=sum(line.items for line in lines),
        minutes_today=seconds_today / 60,
        speaks=str(judge.attributes.get("interface_language", "")),
        completion_code=str(settings.get("completion_code", "")) if finished else "",
        return_link=str(settings.get("return_link", "")) if finished else "",
        can_revise=is_open and not all_done and settings.get("revision") == UNTIL_SUBMITTED,
        waits_for_meeting=waits,
        due=due,
        days_left=due.days_left(datetime.now(UTC)) if due else 0,
        note=paragraphs(str(settings.get("note") or "")),
        closed=closed,
    )


def _task_line(
    entry: Overview,
    items: Sequence[Item],
    texts: Mapping[str, Document],
    stage: Stage,
    *,
    number: int,
    stage_name: str,
    pace: float,
) -> TaskLine:
    """One task of the list, whose page begins with this stage, with `pace` minutes an item."""
    about = [texts[name] for name in dict.fromkeys(item.document for item in items) if name in texts]
    domains = {text.domain for text in about}
    state = "finished" if entry.finished_at else "begun" if entry.done else "open"
    return TaskLine(
        task=entry.task,
        number=number,
        title=about[0].title if len(about) == 1 else "",
        calibration=len(about) > 1 and items[0].role is Role.CALIBRATION,
        stage=stage_name,
        items=entry.items,
        done=entry.done,
        state=state,
        questionnaire=stage.unit is Unit.JUDGE,
        domain=domains.pop() if len(domains) == 1 and "domain" in stage.show else "",
        pair=_pair(about[0] if about else None),
        minutes=0 if state == "finished" else ceil((entry.items - entry.done) * pace),
    )
