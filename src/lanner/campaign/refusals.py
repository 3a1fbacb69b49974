"""Who may answer what now, and the reason where they may not."""

from __future__ import annotations

from collections.abc import Sequence

from lanner.campaign.asking import Asking
from lanner.campaign.submission import Submission
from lanner.errors import CampaignError
from lanner.model import CampaignState, Item, JudgeKind
from lanner.protocols.flow import holds
from lanner.store import JUDGE_ITSELF, Answer, Place, Standing, Transaction

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


def refuse_stranger(place: Place, given: Submission) -> int:
    """Refuse answers to someone else's task. The number of the judge whose it is."""
    mine, asks = place.standing.judge, given.judge
    if mine is None or not (asks in (None, mine, place.judge) or (isinstance(asks, tuple) and mine in asks)):
        raise CampaignError(f"Task {given.task} belongs to someone else.", code="not_assigned")
    return mine


def refuse_gated(asked: Asking, page: str, kind: JudgeKind, about_judge: Sequence[Answer]) -> None:
    """Refuse answers to pages behind one that has not been agreed to. `about_judge` is what the judge has said about
    themselves, consent included."""
    if not _agreed(asked, page, kind, about_judge):
        raise CampaignError("This cannot begin before an earlier page has been agreed to.", code="gate")


def gate_open(tx: Transaction, campaign: int, judge: int, asked: Asking, page: str) -> bool:
    """Whether every page before this one that lets judges go on only with certain answers (consent) has them. Models
    are not asked for consent."""
    if not asked.gates_before(page):
        return True
    seat = tx.judges.numbered(judge)
    about_judge = tx.documents.numbers(campaign)[JUDGE_ITSELF]
    kind = seat.judge.kind if seat is not None else JudgeKind.PERSON
    unit = (judge, about_judge, "")
    answers = tx.judgements.heads_of([(*unit, *parts) for parts in asked.lookups(Item(""))])
    return _agreed(asked, page, kind, answers.get(unit, ()))


def _agreed(asked: Asking, page: str, kind: JudgeKind, about_judge: Sequence[Answer]) -> bool:
    if kind is JudgeKind.MODEL:
        return True
    answers = asked.answers(page, Item(""), asked.heads(about_judge))
    return all(holds(stage.gate, answers) for stage in asked.gates_before(page))
