"""What a campaign tells, as pages: for an adaptive one, what is decided, what is open, what more judging would buy and
whether it is enough; and what each system should improve.

The numbers are those of `lanner campaign decided`, `lanner diagnose` and of the report; a worker computes them
(`results_view`).
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from lanner.campaign import drawing
from lanner.designs.adaptive import NAME as ADAPTIVE
from lanner.errors import StatisticError
from lanner.model import Campaign
from lanner.model.messages import percent
from lanner.monitor.snapshot import STATE_WORDS, Decisions
from lanner.reports.parts import Figure, Table, keeping, spans
from lanner.reports.rendering import downloads, strong
from lanner.web import forms
from lanner.web.organising.campaigns import campaign_of, to_campaign
from lanner.web.organising.figures import LadderStep, ladder
from lanner.web.problems import parts
from lanner.web.rendering import page
from lanner.web.site import Site
from lanner.web.speech import apart, day, say


@dataclass(frozen=True, slots=True)
class SystemRow:
    """One system; numbers are set as text, empty where they are not known yet."""

    system: str
    score: str
    interval: str
    plain: str
    documents: int
    shown: bool


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two systems. `chance` is that the next hundred judgements decide what is open; `spared` are the judgements and
    hours that leaving it open would spare, None where that is not known."""

    first: str
    second: str
    open: bool
    state: str
    is_decided_across_0: bool
    better: str
    difference: str
    interval: str
    chance: str
    spared: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class NextHundred:
    """What the next hundred judgements would buy: their hours, the open pairs with the chance that each is decided (as
    text and in per cent) or given up, and how many of them together are decided."""

    hours: str
    pairs: tuple[tuple[str, str, int, str], ...]
    together: str


@dataclass(frozen=True, slots=True)
class DecidedPanel:
    """What the live page and the page of its own both show of the decisions `now`. `heading` says how the campaign
    stands to its goal, `states` how many pairs of systems are in which state. `work_left` is judgements, hours and the
    range that holds nine of ten, `finish` when that is at this pace; `ladder` is a drawing, empty where there is
    nothing to draw."""

    now: Decisions
    heading: str
    states: str
    work_left: tuple[str, str, str, str] | None
    finish: str
    next_hundred: NextHundred | None
    ladder: Markup


@dataclass(frozen=True, slots=True)
class DecidedPage:
    """Everything the page shows. `agreement` is value, low, high and the planned minimum; `enough_when` is the goal in
    words; `course` is a drawing, empty where there is nothing to draw; `tells_given_up`: whether it has the dashed line
    of pairs that will be given up; `skewness` is given where it makes intervals hold too seldom."""

    panel: DecidedPanel
    goal: str
    score: str
    enough: bool
    unused: int
    look: int
    looks: int
    these_documents: bool
    is_about_agreement: bool
    skewness: str
    systems: tuple[SystemRow, ...]
    pairs: tuple[PairRow, ...]
    agreement: tuple[str, str, str, str] | None
    enough_when: str
    unused_hours: str
    course: Markup
    tells_given_up: bool


def state_words(state: str) -> str:
    """How a pair of systems stands, in the reader's language."""
    return say(STATE_WORDS[state]) if state else ""


def decided_panel(now: Decisions) -> DecidedPanel:
    """What an adaptive campaign has decided, in the reader's language."""
    counts = [f"{state_words(state)}: {now.states[state]}" for state in STATE_WORDS if now.states.get(state)]
    rungs = [LadderStep(one.system, one.ranks, state_words(one.state), one.answered) for one in now.ladder]
    return DecidedPanel(
        now=now,
        heading=_heading(now),
        states=" · ".join(counts),
        work_left=_work_left(now),
        finish=day(now.finish.date()) if now.finish else "",
        next_hundred=_next_hundred(now),
        ladder=ladder(rungs) if rungs else Markup(""),
    )


def _heading(now: Decisions) -> str:
    match now.outcome:
        case "reached":
            return say("Enough: the goal is reached")
        case "partly":
            return say("Enough, with {n} of {m} pairs not decided", n=now.unanswered, m=now.pairs)
        case "ended":
            return say("Ended without reaching the goal")
        case _:
            return say("Not enough yet")


def _work_left(now: Decisions) -> tuple[str, str, str, str] | None:
    if now.work_left is None:
        return None
    hours, fewest, most = (f"{count * now.hours_each:.1f}" for count in now.work_left)
    return f"{now.work_left[0]:,.0f}", hours, fewest, most


def _next_hundred(now: Decisions) -> NextHundred | None:
    """None where nothing is open, or where too little is judged to look ahead."""
    if not now.next_hundred:
        return None
    rows = tuple(
        (f"{apart(first)} – {apart(second)}", percent(chance, 0), round(100 * chance), percent(lost, 0) if lost else "")
        for first, second, chance, lost in now.next_hundred
    )
    return NextHundred(f"{100 * now.hours_each:.1f}", rows, f"{now.expected_decided:.1f}")


async def _adaptive_campaign(request: Request) -> Campaign:
    """The campaign that the address names; one with a fixed design has nothing to decide."""
    campaign = await campaign_of(request)
    if campaign.design != ADAPTIVE:
        raise HTTPException(404)
    return campaign


async def decided(request: Request) -> Response:
    """What is decided, and what is open."""
    site: Site = request.app.state.site
    campaign = await _adaptive_campaign(request)
    standing: DecidedPage = await site.files.ask("decided", campaign.id)
    return page(request, "decided.html", {"campaign": campaign, "standing": standing})


async def leave_open(request: Request) -> Response:
    """Spend no more work on an open pair of systems."""
    site: Site = request.app.state.site
    campaign = await _adaptive_campaign(request)
    form = await forms.form_of(request)
    first, _, second = forms.text(form, "pair").partition("|")
    account: int = request.state.visitor.account.id
    await site.write(lambda: drawing.leave_open(site.store, campaign.id, first, second, account=account))
    return to_campaign(request, campaign, "/decided")


@dataclass(frozen=True, slots=True)
class SystemAdvice:
    """What one system should improve. `place` is empty where nothing is shown; `letter` is its name in the picture."""

    system: str
    letter: str
    place: str
    reason: str
    rest: str


@dataclass(frozen=True, slots=True)
class JudgeRating:
    """What one judge gave; `steps` are those reached and those there are, where the rating is a short scale."""

    judge: str
    text: str
    steps: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class RatedOutput:
    """A translation of the sentence with what judges gave it."""

    system: str
    text: str
    ratings: tuple[JudgeRating, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence behind the cell that is looked at: why it was chosen, its source and its translations, the judged
    system's first."""

    why: str
    document: str
    segment: str
    source: str
    outputs: tuple[RatedOutput, ...]
    languages: tuple[str, str]

    @property
    def address(self) -> str:
        """Where its document is shown with every answer."""
        system = self.outputs[0].system if self.outputs else ""
        return "?" + urlencode({"at": self.document, "segment": self.segment, "system": system, "show": "all"})


@dataclass(frozen=True, slots=True)
class DiagnosisPage:
    """Everything the page shows. `questions` are those that systems can be diagnosed by, with their labels; `cells` can
    be chosen, those to improve first; the chosen one has its numbers in words."""

    protocol: str
    simulated: bool
    question: str
    questions: tuple[tuple[str, str], ...]
    errors: bool
    advice: tuple[SystemAdvice, ...]
    figure: Figure | None
    cells: tuple[tuple[str, str], ...]
    cell: str
    summary: str
    sentences: tuple[Sentence, ...]
    tables: tuple[Table, ...]
    notes: tuple[str, ...]


async def diagnosis(request: Request) -> Response:
    """The page; where nothing can be diagnosed it says so, and what would help."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    query = request.query_params
    result: DiagnosisPage | None = None
    refusal = ("", "")
    try:
        result = await site.files.ask("diagnosis", campaign.id, query.get("question", ""), query.get("cell", ""))
    except StatisticError as error:
        what, _, next_step = parts(error)
        refusal = (what, next_step)
    keep_names = keeping(entry.system for entry in result.advice) if result else str
    context = {
        "campaign": campaign,
        "diagnosis": result,
        "refusal": refusal,
        "svg": Markup(result.figure.svg) if result and result.figure else "",  # drawn by us, its texts are escaped
        "rule": say(
            "Chosen by rule, not by hand: lowest and highest mean over judges, then the widest gap to the other "
            "systems; largest distance between judges."
        ),
        "strong": lambda text: strong(keep_names(text)),
        "spans": spans,
        "downloads": downloads,
    }
    return page(request, "diagnosis.html", context)
