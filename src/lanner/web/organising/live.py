"""The live page: a campaign's status in the reader's words and figures, the page that shows it, and news for it."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from lanner import designs
from lanner.campaign import protocol as protocol_of
from lanner.campaign.people import JudgeMessage, messages_in
from lanner.campaign.settings import local_time
from lanner.model import EQUAL, MARKED, NOTHING, Campaign, Judge, Signature
from lanner.model.messages import estimate, from_to, message, number
from lanner.monitor.snapshot import (
    COMPARED,
    FEWEST,
    MODELS,
    PEOPLE,
    AgreementMeasure,
    Divergence,
    ExclusionPreview,
    RemainingWork,
    Snapshot,
)
from lanner.monitor.status import CampaignStatus, JudgeStatus, campaign_status, measure_labels, option_labels
from lanner.monitor.verdict import NOTABLE, is_offered
from lanner.store import Participant, Store
from lanner.web.organising import figures
from lanner.web.organising.campaigns import campaign_of
from lanner.web.organising.figures import AgreementRow
from lanner.web.organising.files import FORMATS
from lanner.web.organising.log import LogLine, log_lines
from lanner.web.organising.results import DecidedPanel, decided_panel
from lanner.web.rendering import page
from lanner.web.site import Site
from lanner.web.speech import amount, apart, comma, day, language, listed, mark, say, translate

STATES = {
    "draft": ("Draft", "wait"),
    "open": ("Running", "run"),
    "paused": ("Paused", "wait"),
    "closed": ("Closed", "shut"),
}
HEARTBEAT = 15.0
LONGEST = 3600.0
"""Seconds a stream stays open. A browser comes back by itself; nobody forgotten stays for ever."""
_MOST_LINES = 500


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One line of the progress table: where a judge stands, and how that is said and drawn."""

    status: JudgeStatus
    about: str
    bar: Markup
    parts: str
    finish: str
    late: str
    early: str
    spark: Markup | None
    cost_in_all: float | None
    hours_in_all: float | None


@dataclass(frozen=True, slots=True)
class ExclusionOffer:
    """The offer to leave out a judge whom a rule calls: what it would change, and reasons to choose from."""

    name: str
    price: ExclusionPreview
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LivePage:
    """Everything the template of the live page is given: where the campaign stands, and how that is said and drawn."""

    status: CampaignStatus
    state: tuple[str, str]
    about: str
    people: tuple[JudgeRow, ...]
    models: tuple[JudgeRow, ...]
    decided: DecidedPanel | None
    """What is decided, in an adaptive campaign."""
    agreement: Markup | None
    signature: str
    """Of the main question."""
    signatures: str
    """Of all questions together."""
    questions: tuple[tuple[str, str], ...]
    comparison: ComparisonFigures
    messages: tuple[tuple[str, JudgeMessage], ...]
    activity: tuple[LogLine, ...]
    main_label: str
    """What the question is called that the verdict is about."""
    axis: Markup | None
    """Agreement on the main question, its rows and what it is without each judge, on one axis."""
    leaving_out: ExclusionOffer | None
    unaided: str
    """Agreement on what was judged without the marks of a model that judges started from."""

    @property
    def made_at(self) -> datetime | None:
        """When the numbers were made; None while there are none."""
        return self.status.snapshot.made_at if self.status.ready else None

    @property
    def begun(self) -> int:
        """How many people have judged something."""
        return sum(judge.progress.done > 0 for judge in self.status.people)

    @property
    def rest_assigned(self) -> bool:
        return any(event.kind == "rest_assigned" for event in self.status.events)

    @property
    def is_aided(self) -> bool:
        """Whether judges started from marks of a model."""
        return any(measure.is_aided for measure in self.status.snapshot.measures)


def live_page(status: CampaignStatus, now: datetime, accounts: Mapping[int, str] | None = None) -> LivePage:
    """The page of one campaign in the reader's language."""
    labels = {key: translate(label) for key, label in measure_labels(status.snapshot.measures, status.wording).items()}
    answers = {MARKED: say("marked"), NOTHING: say("nothing marked"), EQUAL: say("neither")}
    answer_labels = option_labels(status.protocol, status.wording, status.chosen.main, answers)
    return LivePage(
        status=status,
        state=STATES[str(status.campaign.state)],
        about=_about(status, now),
        people=tuple(judge_row(judge, status.to_come) for judge in sorted(status.people, key=_trouble_first)),
        models=tuple(judge_row(judge) for judge in status.models),
        decided=decided_panel(status.snapshot.decisions) if status.snapshot.decisions else None,
        agreement=_agreement(status, labels),
        signature=_signature(status, [status.main] if status.main else []),
        signatures=_signature(status, status.snapshot.measures),
        questions=_comparable_questions(status),
        comparison=comparison(status.chosen.divergence, status.names, status.participants, answer_labels),
        messages=_messages(status),
        activity=tuple(log_lines(status.events, accounts or {}, _participant_names(status.participants))[:_MOST_LINES]),
        main_label=labels.get((status.main.question, ""), "") if status.main else "",
        axis=_axis(status, labels),
        leaving_out=_leaving_out(status),
        unaided=_unaided(status, labels),
    )


def _trouble_first(judge: JudgeStatus) -> tuple[bool, bool, bool]:
    """Judges with something to look at first, then those who will be late, then those who have not begun."""
    return not judge.alarms, not (judge.days_late or 0) > 0, bool(judge.progress.done)


def _participant_names(participants: Sequence[Participant]) -> dict[int, str]:
    return {participant.number: participant.judge.name or participant.judge.id for participant in participants}


def _messages(status: CampaignStatus) -> tuple[tuple[str, JudgeMessage], ...]:
    """What judges wrote to the organiser, newest first, each with the judge's name."""
    names = _participant_names(status.participants)
    return tuple((names.get(entry.participant, f"#{entry.participant}"), entry) for entry in messages_in(status.events))


def judge_row(judge: JudgeStatus, to_come: RemainingWork | None = None) -> JudgeRow:
    """The line of one judge: how far, how fast, when done, at what cost."""
    progress = judge.progress
    finish, late, early = _finish(judge, has_more=bool(to_come and to_come.items))
    is_person = judge.participant.judge.kind in PEOPLE
    pace = say("items per minute over ten equal parts of the work")
    return JudgeRow(
        status=judge,
        about=_attributes(judge.participant.judge),
        bar=figures.progress_bar(judge.name, progress.domains)
        if is_person
        else figures.model_bar(judge.name, progress.share),
        parts=" · ".join(f"{count}/{whole}" for _, count, whole in progress.domains[:5]),
        finish=finish,
        late=late,
        early=early,
        spark=figures.sparkline(progress.pace.parts, pace) if progress.pace.parts else None,
        cost_in_all=None if to_come and to_come.items else judge.cost_in_all,
        hours_in_all=None if to_come and to_come.items else judge.hours_in_all,
    )


def _attributes(judge: Judge) -> str:
    values = [str(value) for value in judge.attributes.values() if isinstance(value, str | int) and str(value)]
    return comma().join([*([say("simulated")] if judge.kind == "simulated" else []), *values])[:60]


def _finish(judge: JudgeStatus, *, has_more: bool = False) -> tuple[str, str, str]:
    """When, and how that compares with the deadline: late or early. Where judges take what comes next, nobody is done
    before all is."""
    if judge.is_done:
        return say("up to date") if has_more else say("done"), "", ""
    if judge.progress.finish is None:
        return say("not begun") if not judge.progress.done else "…", "", ""
    when = day(judge.progress.finish.date())
    days = judge.days_late
    if days is None:
        return when, "", ""
    if days > 0:
        return when, amount(days, "{n} day late", "{n} days late"), ""
    return when, "", amount(-days, "{n} day early", "{n} days early") if days else say("on the day")


def _about(status: CampaignStatus, now: datetime) -> str:
    campaign, corpus, deadline = status.campaign, status.corpus, status.targets.deadline
    sentences = amount(corpus.sentences, "{n} sentence", "{n} sentences")
    inside = amount(corpus.documents, "in {n} document", "in {n} documents")
    parts = [status.wording.title, f"{sentences} {inside}"]
    domains = [f"{apart(domain)} {documents}" for domain, documents, _ in corpus.domains if domain]
    if len(domains) > 1:
        parts[-1] += f" ({', '.join(domains[:6])})"
    parts.append(say(designs.titles().get(campaign.design, campaign.design)).rstrip("."))
    if campaign.opened_at:
        first, today = (local_time(campaign.settings, at).date() for at in (campaign.opened_at, now))
        since, days = day(first), (today - first).days + 1
        if deadline:
            parts.append(say("since {day} to {end}, day {n}", day=since, end=day(deadline), n=days))
        else:
            parts.append(say("since {day}, day {n}", day=since, n=days))
    return " · ".join(parts)


def _axis(status: CampaignStatus, labels: Mapping[tuple[str, str], str]) -> Markup | None:
    """Agreement on the main question with its rows and without each judge; None before there is any."""
    main, snapshot = status.main, status.snapshot
    if main is None or main.value is None or main.items < FEWEST:
        return None
    rows = [m for m in snapshot.measures if m.question == main.question and m.part == "row" and m.value is not None]
    without = [(status.names.get(judge, judge), value) for judge, value in snapshot.without.items()]
    if not rows and not without:
        return None
    price = snapshot.leaving_out
    notable = price is not None and (price.change or 0.0) >= NOTABLE
    return figures.one_judge_or_one_question(
        AgreementRow(labels[main.question, main.row], main.value, main.low, main.high),
        [(labels[row.question, row.row], row.value or 0.0, row.group) for row in rows],
        without,
        status.names.get(price.judge, price.judge) if price is not None and notable else "",
        status.targets.minimum,
    )


REASONS = {
    "controls": message("Missed control items"),
    "speed": message("Too fast to have read the texts"),
    "differs": message("Answers unlike all the others"),
    "straight_line": message("One and the same answer throughout"),
    "swap": message("Labels swapped"),
}


def reasons_for(alarms: Sequence[str]) -> tuple[str, ...]:
    """Reasons for leaving a judge out that an alarm gives, to choose from."""
    return (*(translate(REASONS[code]) for code in alarms), say("Asked to be left out"))


def _leaving_out(status: CampaignStatus) -> ExclusionOffer | None:
    """The offer to leave a judge out while the campaign runs, where there is reason to."""
    price = status.snapshot.leaving_out
    judge = next(
        (judge for judge in status.people if price is not None and judge.participant.judge.id == price.judge), None
    )
    closed = str(status.campaign.state) == "closed"
    if price is None or judge is None or closed or not is_offered(price, judge.alarms):
        return None
    return ExclusionOffer(judge.name, price, reasons_for(judge.alarms))


def _agreement(status: CampaignStatus, labels: Mapping[tuple[str, str], str]) -> Markup | None:
    measures = status.snapshot.measures
    if not any(measure.value is not None and measure.items >= FEWEST for measure in measures):
        return None
    headings = _headings(status, labels)
    rows = [
        AgreementRow(
            label=labels[m.question, m.row],
            value=m.value if m.items >= FEWEST else None,
            low=m.low,
            high=m.high,
            expected_low=m.expected_low,
            expected_high=m.expected_high,
            group=m.group,
            main=m.main,
            heading=heading,
        )
        for m, heading in zip(measures, headings, strict=True)
    ]
    return figures.agreement(rows, status.targets.minimum)


def _unaided(status: CampaignStatus, labels: Mapping[tuple[str, str], str]) -> str:
    """How far judges agree who did not start from a model's marks."""
    aided = [measure for measure in status.snapshot.measures if measure.is_aided]
    parts = [
        f"{labels[m.question, m.row]} α {estimate(*m.unaided[:3])} (n {m.unaided[3]:,})"
        for m in aided
        if m.unaided is not None and m.unaided[3] >= FEWEST
    ]
    if parts:
        return say("Without these marks: {parts}.", parts="; ".join(parts))
    return say("Too few items were judged without these marks to tell how far judges agree unaided.") if aided else ""


def _headings(status: CampaignStatus, labels: Mapping[tuple[str, str], str]) -> list[str]:
    """What stands above a measure: its stage, where several stages ask the same; the question, above its parts."""
    measures = status.snapshot.measures
    questions = [labels[m.question, m.row] for m in measures if m.main]
    repeated = len(set(questions)) < len(questions)
    stages = {question.id: status.wording.stage(stage.id) for stage, question in status.protocol.questions}
    headings: list[str] = []
    before: AgreementMeasure | None = None
    for measure in measures:
        heading = ""
        stage = stages.get(measure.question, "")
        if measure.main:
            heading = stage if repeated and (before is None or stages.get(before.question, "") != stage) else ""
        elif before is None or before.main:
            question = labels[measure.question, ""]
            heading = (
                say("{question}, one by one", question=question)
                if measure.part == "row"
                else say("{question}: chosen or not", question=question)
            )
        headings.append(heading)
        before = measure
    return headings


def _signature(status: CampaignStatus, measures: Sequence[AgreementMeasure]) -> str:
    """How these numbers were made, and of how many items, documents and judges they are."""
    known = [measure for measure in measures if measure.signature]
    if not known:
        return ""
    items = [measure.items for measure in known]
    documents = _range([measure.documents for measure in known], "{n} document", "{n} documents")
    judges = _range([measure.judges for measure in known], "{n} judge", "{n} judges")
    signature = Signature.together([measure.signature for measure in known if measure.signature])
    return f"{status.protocol.label} · n {from_to(min(items), max(items))} · {documents} · {judges} · {signature}"


def _range(numbers: Sequence[int], one: str, many: str) -> str:
    """So many of something, or from so many to so many."""
    low, high = min(numbers), max(numbers)
    return amount(low, one, many) if low == high else say(many, n=from_to(low, high))


def _comparable_questions(status: CampaignStatus) -> tuple[tuple[str, str], ...]:
    kinds = {question.id: question.kind for _, question in status.protocol.questions}
    question_ids = dict.fromkeys(measure.question for measure in status.snapshot.measures if measure.main)
    labels = {q: status.wording.question(q).label for q in question_ids if kinds[q] in COMPARED}
    titles = {question.id: status.wording.stage(stage.id) for stage, question in status.protocol.questions}
    alike = Counter(labels.values())
    return tuple((q, f"{label} · {titles[q]}" if alike[label] > 1 else label) for q, label in labels.items())


async def _live(request: Request) -> LivePage:
    """The live page of the campaign asked for, with the newest numbers that are there in time."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    main, question = await _questions(request, campaign)
    snapshot = await site.live.snapshot(campaign.id, main)
    question_snapshot = await site.live.snapshot(campaign.id, question) if question != main else snapshot
    return await site.read(lambda: current_page(site.store, campaign, snapshot, question_snapshot))


async def _questions(request: Request, campaign: Campaign) -> tuple[str, str]:
    """The campaign's main question, and the one whose comparisons are asked for. Numbers are kept for each, so a name
    that is no question's counts as none."""
    site: Site = request.app.state.site
    main, name = str(campaign.settings.get("main_question", "")), request.query_params.get("question", "")
    if not name or await site.read(lambda: protocol_of(site.store, campaign.id).find(name)) is None:
        return main, main
    return main, name


def current_page(
    store: Store, campaign: Campaign, snapshot: Snapshot | None, question_snapshot: Snapshot | None
) -> LivePage:
    """The live page as of now, with the numbers of two snapshots: of the main question, and of the one selected."""
    now = datetime.now(UTC)
    status = campaign_status(store, campaign, snapshot, now, chosen=question_snapshot, language=language())
    with store.reading() as tx:
        accounts = {account.id: account.name for account in tx.accounts.all()}
    return live_page(status, now, accounts)


async def campaign(request: Request) -> Response:
    """One campaign as it runs. From here one goes on to what to improve, and to what is decided."""
    site: Site = request.app.state.site
    site.files.warm("diagnosis")
    context = {"live": await _live(request), "exports": FORMATS}
    return await site.read(lambda: page(request, "campaign.html", context))


async def panels(request: Request) -> Response:
    """The panels alone, for a page that is open. All who look at the same moment are shown the same ones."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    root = request.scope.get("root_path", "")
    main, question = await _questions(request, campaign)
    version = await site.live.version(campaign.id, main, question)
    key = (campaign.id, question, f"{language()} {root}", version)
    live_panels = await site.live.panels.get(key, lambda: site.live.draw(campaign.id, main, question, root))
    headers = {"x-made-at": live_panels.made_at, "vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return HTMLResponse(live_panels.packed, headers={**headers, "content-encoding": "gzip"})
    return HTMLResponse(live_panels.body, headers=headers)


async def events(request: Request) -> Response:
    """A stream for one campaign: `changed`, and `trouble` with the reason while nothing can be saved."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_news(site, campaign.id), media_type="text/event-stream", headers=headers)


async def _news(site: Site, campaign: int) -> AsyncIterator[str]:
    loop = asyncio.get_running_loop()
    end = loop.time() + LONGEST
    yield "retry: 3000\n\n"
    async with site.live.looking(campaign) as watch:
        number, trouble = watch.number, ""
        while loop.time() < end and not site.live.closing.is_set():
            if site.trouble != trouble:
                trouble = site.trouble
                yield f"event: trouble\ndata: {json.dumps(trouble)}\n\n"
            with suppress(TimeoutError):
                await asyncio.wait_for(watch.news(number), HEARTBEAT)
            if watch.number != number:
                number = watch.number
                yield f"event: changed\ndata: {number}\n\n"
            else:
                yield ": here\n\n"


# Who agrees with whom and on what, drawn and said: the panels that set judges side by side

Names = Mapping[str, str]
"""What to call a judge or a label by its id."""


@dataclass(frozen=True, slots=True)
class FigureTable:
    """A figure as a table: names in full, to be read aloud, sorted and copied."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class ComparisonFigures:
    """Figures with their notes; None where there is too little to draw."""

    heat: Markup | None = None
    heat_note: str = ""
    shares: Markup | None = None
    odd: Markup | None = None
    odd_note: Markup | None = None
    swaps: tuple[str, ...] = ()
    merging: Markup | None = None
    merging_note: str = ""
    heat_sheet: FigureTable | None = None
    shares_sheet: FigureTable | None = None


_MOST_DRAWN = 12


def comparison(
    divergence: Divergence | None, names: Names, participants: Sequence[Participant], label: Names
) -> ComparisonFigures:
    """The panels for one question."""
    if divergence is None:
        return ComparisonFigures()
    judges = _in_order(divergence, participants)
    left_out = len(judges[_MOST_DRAWN:])
    more = amount(left_out, "{n} more judge is in the table.", "{n} more judges are in the table.") if left_out else ""
    return ComparisonFigures(
        heat=_heat(divergence, names, judges[:_MOST_DRAWN]),
        heat_note=" ".join(filter(None, (_heat_note(divergence, names), more))),
        shares=_shares(divergence, names, participants, label),
        odd=_odd(divergence, names),
        odd_note=_odd_note(divergence, names, label),
        swaps=tuple(
            say(
                "{name} seems to swap “{one}” and “{other}”.",
                name=names.get(swap.judge, swap.judge),
                one=label[swap.labels[0]],
                other=label[swap.labels[1]],
            )
            for swap in divergence.swaps
        ),
        merging=_merging(divergence, label),
        merging_note=_merging_note(divergence, label),
        heat_sheet=_heat_sheet(divergence, names),
        shares_sheet=_shares_sheet(divergence, names, participants, label),
    )


def _in_order(divergence: Divergence, participants: Sequence[Participant]) -> list[tuple[str, bool]]:
    """People first, then models, each in the order they were added."""
    present = {judge for pair in divergence.pairs for judge in pair} | set(divergence.shares) | set(divergence.spreads)
    people = [
        participant.judge.id
        for participant in participants
        if participant.judge.id in present and participant.judge.id in divergence.people
    ]
    models = [
        participant.judge.id
        for participant in participants
        if participant.judge.id in present and participant.judge.kind in MODELS
    ]
    return [*((judge, False) for judge in people), *((judge, True) for judge in models)]


def _heat(divergence: Divergence, names: Mapping[str, str], judges: Sequence[tuple[str, bool]]) -> Markup | None:
    if not any(cell.value is not None for cell in divergence.pairs.values()):
        return None
    place = {judge: at for at, (judge, _) in enumerate(judges)}
    cells = {}
    for (one, other), cell in divergence.pairs.items():
        if one in place and other in place:
            cells[min(place[one], place[other]), max(place[one], place[other])] = cell
    return figures.heat_map([(names[judge], model) for judge, model in judges], cells, _blocks(divergence))


def _blocks(divergence: Divergence) -> list[str]:
    """Ranges of agreement: people with people, people with models, models with models."""
    kinds = {2: say("people with people"), 1: say("people with models"), 0: say("models with models")}
    sentences = []
    for count, name in kinds.items():
        values = [
            cell.value
            for pair, cell in divergence.pairs.items()
            if cell.value is not None and sum(judge in divergence.people for judge in pair) == count
        ]
        if values:
            low, high = number(min(values), 2), number(max(values), 2)
            sentences.append(
                f"{name}: {low}" if low == high else say("{name}: {low} to {high}", name=name, low=low, high=high)
            )
    return sentences


def _heat_note(divergence: Divergence, names: Mapping[str, str]) -> str:
    cells = [(cell.value, pair) for pair, cell in divergence.pairs.items() if cell.value is not None]
    own = [(value, pair) for value, pair in cells if set(pair) <= set(divergence.people)]
    if len(own) < 2:
        return ""
    best, worst = max(own), min(own)
    high, low = number(best[0], 2), number(worst[0], 2)
    sentences = []
    if high != low:
        sentences.append(
            say(
                "{best} agree best ({high}), {worst} least ({low}).",
                best=listed([names[judge] for judge in best[1]]),
                high=high,
                worst=listed([names[judge] for judge in worst[1]]),
                low=low,
            )
        )
    person_model_values = [value for value, pair in cells if len(set(pair) & set(divergence.people)) == 1]
    if person_model_values and max(person_model_values) < worst[0]:
        sentences.append(
            say(
                "No model agrees with people as well as the weakest two people ({best} at best).",
                best=number(max(person_model_values), 2),
            )
        )
    if divergence.not_compared:
        sentences.append(
            amount(
                divergence.not_compared,
                "{n} judge with fewer answers is not compared here.",
                "{n} judges with fewer answers are not compared here.",
            )
        )
    return " ".join(sentences)


def _heat_sheet(divergence: Divergence, names: Names) -> FigureTable:
    heads = (say("Judge"), say("Other judge"), divergence.coefficient, say("from"), say("to"), say("Same answer"), "n")
    rows = [
        (
            names[one],
            names[other],
            number(cell.value, 2),
            number(cell.low, 2),
            number(cell.high, 2),
            "" if cell.same is None else f"{100 * cell.same:.0f} %",
            f"{cell.n}",
        )
        for (one, other), cell in divergence.pairs.items()
    ]
    return FigureTable(heads, tuple(rows))


def _shares_sheet(
    divergence: Divergence, names: Names, participants: Sequence[Participant], label: Names
) -> FigureTable:
    judges = [judge for judge, _ in _in_order(divergence, participants)]
    if divergence.bounds is not None:
        heads = (
            say("Judge"),
            say("Lower quarter"),
            say("median"),
            say("Upper quarter"),
            say("Points above the others"),
        )
        above = {row.judge: f"{row.value:+.1f}".replace("-", "−") for row in divergence.leanings}
        spread = [(judge, divergence.spreads[judge]) for judge in judges if judge in divergence.spreads]
        return FigureTable(
            heads, tuple((names[j], f"{s.low:g}", f"{s.middle:g}", f"{s.high:g}", above.get(j, "")) for j, s in spread)
        )
    rows = [
        (names[j], *(f"{100 * share:.1f} %" for share in divergence.shares[j]))
        for j in judges
        if j in divergence.shares
    ]
    return FigureTable((say("Judge"), *(label[name] for name in divergence.labels)), tuple(rows))


def _shares(
    divergence: Divergence, names: Mapping[str, str], participants: Sequence[Participant], label: Mapping[str, str]
) -> Markup | None:
    if divergence.shared < FEWEST:
        return None
    order = _in_order(divergence, participants)
    caption = say("% of the answers on the {n} that all {m} have judged", n=f"{divergence.shared:,}", m=len(order))
    if divergence.bounds is not None:
        rows = [(names[j], model, divergence.spreads[j]) for j, model in order if j in divergence.spreads]
        about = say("the {n} that all {m} have judged", n=f"{divergence.shared:,}", m=len(rows))
        return figures.distributions(rows, divergence.bounds, about)
    options = list(zip([label[name] for name in divergence.labels], figures.ramp(len(divergence.labels)), strict=True))
    judges = [(names[j], model, divergence.shares[j]) for j, model in order if j in divergence.shares]
    return figures.label_shares(options, judges, caption)


def _odd(divergence: Divergence, names: Mapping[str, str]) -> Markup | None:
    if divergence.leanings and divergence.leanings[0].items >= FEWEST:
        return figures.leanings([(names[row.judge], row) for row in divergence.leanings])
    if divergence.odd is None or divergence.odd.units < FEWEST:
        return None
    odd = divergence.odd
    return figures.odd_one_out(odd.all_agree, [(names[j], n) for j, n in odd.alone], odd.none_alike, odd.divided)


def _odd_note(divergence: Divergence, names: Mapping[str, str], label: Mapping[str, str]) -> Markup | None:
    """On what the judge most often alone differs, in words; names and labels are escaped by the format."""
    if divergence.leanings:
        return _leaning_note(divergence, names)
    if divergence.odd is None or not divergence.odd.alone or not divergence.odd.on_what:
        return None
    sentences = [
        mark(
            "<b>{own}</b> where they say {theirs} ({times})",
            own=_answer(own, label),
            theirs=_answer(theirs, label),
            times=_times(n),
        )
        for own, theirs, n in divergence.odd.on_what
    ]
    where = mark("Where the others agree and {name} does not:", name=names[divergence.odd.alone[0][0]])
    return where + Markup(" ") + Markup(comma()).join(sentences) + Markup(".")


def _leaning_note(divergence: Divergence, names: Names) -> Markup | None:
    clear = [
        row for row in divergence.leanings if row.low is not None and row.high is not None and row.low * row.high > 0
    ]
    if not clear:
        return mark("Nobody scores clearly higher or lower than the others on the same texts.")
    sentences = [
        mark(
            "<b>{name}</b> {points} points {where}",
            name=names[row.judge],
            points=f"{abs(row.value):.1f}",
            where=say("higher") if row.value > 0 else say("lower"),
        )
        for row in clear[:3]
    ]
    return mark("Than the others on the same texts:") + Markup(" ") + Markup(comma()).join(sentences) + Markup(".")


def _answer(answer: str, label: Names) -> str:
    """An answer in words; a set is written as its labels."""
    if answer.startswith("{") and answer.endswith("}"):
        return " + ".join(label[part] for part in answer[1:-1].split(", ") if part) or "∅"
    return label[answer]


def _times(count: int) -> str:
    return amount(count, "once", "{n} times")


def _merging(divergence: Divergence, label: Mapping[str, str]) -> Markup | None:
    if divergence.now is None or not divergence.merges or (divergence.odd and divergence.odd.units < FEWEST):
        return None
    pairs = [(f"{label[one]} + {label[other]}", change) for one, other, change in divergence.merges]
    return figures.merging(divergence.now, pairs)


def _merging_note(divergence: Divergence, label: Mapping[str, str]) -> str:
    if not divergence.merges or divergence.merges[0][2] <= 0:
        return ""
    one, other, _ = divergence.merges[0]
    return say(
        "“{one}” and “{other}” are told apart least. A higher α is no reason to merge by itself:",
        one=label[one],
        other=label[other],
    )
