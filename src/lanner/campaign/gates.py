"""When a page of a campaign takes answers: while the campaign runs and the task is not finished, after the pages that
must be agreed to (consent), and after practice that has reached the agreement the campaign asks for.

Every way in uses these functions: a judge's page, the form without scripts, the interface for programs, finishing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from lanner.campaign.questions import Questions
from lanner.errors import CampaignError
from lanner.model import Campaign, CampaignState, Item, Json, JudgeKind, Protocol
from lanner.protocols.answers import holds
from lanner.protocols.context import page_in_any_context
from lanner.protocols.worked_examples import has_examples
from lanner.store import JUDGE_ITSELF, Answer, Standing, Store, Transaction

# Practice until a stated agreement: a judge goes on to the texts once enough answers are those of the reference.


AGREEMENT = "practice_agreement"
"""The setting: a share above 0, at most 1. Without it nobody has to practise."""
PRACTISED = "practised"
"""The kind of event that a finished round is kept as."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round of practice on a page: how many answers had a reference, how many were like it."""

    page: str
    right: int
    answers: int
    at: datetime

    @property
    def share(self) -> float:
        return self.right / self.answers if self.answers else 0.0


def required_agreement(settings: Mapping[str, Json]) -> float | None:
    """The agreement a judge must reach; None where nobody has to."""
    value = settings.get(AGREEMENT)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else None


def rounds(tx: Transaction, campaign: int, seat: int, protocol: Protocol, page: str) -> list[Round]:
    """The rounds a judge has finished on a page, in order. The same page in several contexts is practised once."""
    name = page_in_any_context(protocol, page)
    return [
        Round(page, int(event.detail["right"]), int(event.detail["answers"]), event.at)
        for event in tx.events.of(campaign, kinds=[PRACTISED])
        if event.detail["seat"] == seat and page_in_any_context(protocol, event.detail["page"]) == name
    ]


def record_round(store: Store, campaign: int, seat: int, entry: Round) -> None:
    """Keep how a round went."""
    detail: dict[str, Json] = {"seat": seat, "page": entry.page, "right": entry.right, "answers": entry.answers}
    with store.writing() as tx:
        tx.events.add(PRACTISED, entry.at, campaign=campaign, **detail)


def has_reached(finished: Sequence[Round], required: float) -> bool:
    """Whether any round was as good as it must be."""
    return any(entry.share >= required - 1e-9 for entry in finished)


# When a page of a campaign takes answers: while the campaign runs and the task is not finished, after the pages that
# must be agreed to (consent), and after practice that has reached the agreement the campaign asks for.
#
# Every way in uses these functions: a judge's page, the form without scripts, the interface for programs, finishing.


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


def refuse_early(
    store: Store,
    tx: Transaction,
    standing: Standing,
    asked: Questions,
    *,
    page: str,
    kind: JudgeKind,
    about_judge: Sequence[Answer],
) -> None:
    """Refuse answers to a page whose turn has not come yet. `about_judge` is what the judge has said about themselves,
    consent included."""
    if not _agreed(asked, page, kind, about_judge):
        raise CampaignError("This cannot begin before an earlier page has been agreed to.", code="gate")
    if kind is not JudgeKind.PERSON:
        return
    number, seat = standing.campaign, standing.judge

    def read_required() -> float | None:
        campaign = tx.campaigns.find(number)
        return required_agreement(campaign.settings) if campaign is not None else None

    # the version counts every change of the settings; who has reached an agreement has reached it for good
    required: float | None = store.facts.get(("practice", number, standing.campaign_version), read_required)
    if required is None or seat is None or not has_examples(asked.protocol, page):
        return

    def require_practice() -> None:
        if not has_reached(rounds(tx, number, seat, asked.protocol, page), required):
            raise CampaignError(
                "The texts open after practice that agrees with the reference answers.",
                code="practice",
                names={"n": f"{100 * required:.0f}"},
                next_step=f"Open your work and practise until {required:.0%} of the answers agree.",
            )

    store.facts.get(("practised", seat, page, required), require_practice)


def refuse_early_finish(store: Store, tx: Transaction, standing: Standing, asked: Questions, page: str) -> None:
    """The same before a task is finished, whose questions may all be optional."""
    if standing.judge is None:
        return
    kind, about_judge = _about_judge(tx, standing.campaign, standing.judge, asked)
    refuse_early(store, tx, standing, asked, page=page, kind=kind, about_judge=about_judge)


def gate_open(tx: Transaction, campaign: int, judge: int, asked: Questions, page: str) -> bool:
    """Whether every page before this one that lets judges go on only with certain answers (consent) has them. Models
    are not asked for consent."""
    return not asked.gates_before(page) or _agreed(asked, page, *_about_judge(tx, campaign, judge, asked))


def must_practise(tx: Transaction, campaign: Campaign, judge: int, asked: Questions, page: str) -> bool:
    """Whether a page opens only after practice, and this judge has not reached the agreement it takes."""
    required = required_agreement(campaign.settings)
    if required is None or not has_examples(asked.protocol, page):
        return False
    seat = tx.judges.numbered(judge)
    if seat is None or seat.judge.kind is not JudgeKind.PERSON:
        return False
    return not has_reached(rounds(tx, campaign.id, judge, asked.protocol, page), required)


def _about_judge(tx: Transaction, campaign: int, judge: int, asked: Questions) -> tuple[JudgeKind, Sequence[Answer]]:
    """What a judge is, and what they have said about themselves."""
    seat = tx.judges.numbered(judge)
    kind = seat.judge.kind if seat is not None else JudgeKind.PERSON
    if not asked.gates:
        return kind, ()
    unit = (judge, tx.documents.number(campaign, JUDGE_ITSELF) or 0, "")
    answers = tx.judgements.heads_of([(*unit, *parts) for parts in asked.lookups(Item(""))])
    return kind, answers.get(unit, ())


def _agreed(asked: Questions, page: str, kind: JudgeKind, about_judge: Sequence[Answer]) -> bool:
    gates = asked.gates_before(page)
    if kind is JudgeKind.MODEL or not gates:
        return True
    answers = asked.answers(page, Item(""), asked.heads(about_judge))
    return all(holds(stage.gate, answers) for stage in gates)
