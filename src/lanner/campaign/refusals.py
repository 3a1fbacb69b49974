"""Who may answer what now, and the reason where they may not."""

from __future__ import annotations

from lanner.campaign.asking import Asking
from lanner.campaign.submission import Submission
from lanner.errors import CampaignError
from lanner.model import CampaignState, Item, JudgeKind
from lanner.protocols.flow import holds
from lanner.store import JUDGE_ITSELF, Standing, Transaction

_STATES = {
    CampaignState.DRAFT: ("draft", "The campaign has not been opened yet.", "Come back when the organiser opens it."),
    CampaignState.PAUSED: ("paused", "The campaign is paused.", "Your answers are kept here and sent when it goes on."),
    CampaignState.CLOSED: ("closed", "The campaign is closed.", "Ask the organiser to reopen it."),
}


def refuse(standing: Standing, task: int) -> None:
    """Refuse answers to a campaign that does not run and to a task that is finished."""
    if standing.state in _STATES:
        code, what, next_step = _STATES[standing.state]
        raise CampaignError(what, code=code, next_step=next_step)
    if standing.finished:
        raise CampaignError(
            f"Task {task} is finished.", code="finished", next_step="The organiser can reopen it for you."
        )


def refuse_stranger(tx: Transaction, standing: Standing, given: Submission) -> int:
    """Refuse answers to someone else's task. The number of the judge whose it is."""
    mine = standing.judge
    if isinstance(given.judge, str) and mine is not None:
        found = tx.judges.find(standing.campaign, given.judge)
        stranger = found is None or found.number != mine
    else:
        stranger = mine is None or given.judge not in (None, mine)
    if mine is None or stranger:
        raise CampaignError(f"Task {given.task} belongs to someone else.", code="not_assigned")
    return mine


def refuse_gated(tx: Transaction, campaign: int, judge: int, asked: Asking, page: str) -> None:
    """Refuse answers to pages behind one that has not been agreed to."""
    if not gate_open(tx, campaign, judge, asked, page):
        raise CampaignError("This cannot begin before an earlier page has been agreed to.", code="gate")


def gate_open(tx: Transaction, campaign: int, judge: int, asked: Asking, page: str) -> bool:
    """Whether every page before this one that lets judges go on only with certain answers (consent) has them. Models
    are not asked for consent."""
    pages = list(asked.protocol.pages) if asked.gates else []
    before = [stage for stage in asked.gates if pages.index(stage.page_id) < pages.index(page)]
    if not before:
        return True
    seat = tx.judges.numbered(judge)
    if seat is not None and seat.judge.kind is JudgeKind.MODEL:
        return True
    about_judge = tx.documents.numbers(campaign)[JUDGE_ITSELF]
    answers = asked.answers(page, Item(""), asked.heads(tx.judgements.of_unit(judge, about_judge, "")))
    return all(holds(stage.gate, answers) for stage in before)
