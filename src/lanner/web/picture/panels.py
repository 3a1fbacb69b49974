"""The live page as plain data: progress from the tasks, numbers from the picture, words for both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from markupsafe import Markup

from lanner import campaign as campaigns
from lanner import designs
from lanner.model import Campaign, Json, Protocol
from lanner.protocols.wording import Wording
from lanner.store import Store
from lanner.web.page.speech import amount, day, language, say
from lanner.web.picture import figures
from lanner.web.picture.activity import said_of
from lanner.web.picture.contrasts import Contrasts, contrasts
from lanner.web.picture.figures import AgreementRow
from lanner.web.picture.forecast import outlooks
from lanner.web.picture.judge_rows import JudgeRow, judge_row
from lanner.web.picture.needs import Need, needs
from lanner.web.picture.told import (
    COMPARED,
    EQUAL,
    FEWEST,
    MARKED,
    MODELS,
    NOTHING,
    PEOPLE,
    Comment,
    Divergence,
    Measure,
    Picture,
)
from lanner.web.picture.verdict import Plan, Verdict, verdict

STATES = {
    "draft": ("Draft", "wait"),
    "open": ("Running", "run"),
    "paused": ("Paused", "wait"),
    "closed": ("Closed", "shut"),
}


NOTHING_YET = Picture(0, 0, datetime.min, 0.0, (), (), (), "", None, {}, (), 0, {})
"""Stands in for a picture that is still being made."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """How much text there is: documents and sentences by domain, in the order of the documents."""

    domains: tuple[tuple[str, int, int], ...]

    @property
    def documents(self) -> int:
        return sum(documents for _, documents, _ in self.domains)

    @property
    def sentences(self) -> int:
        return sum(sentences for _, _, sentences in self.domains)


@dataclass(frozen=True, slots=True)
class LivePage:
    """Everything the template of the live page is given."""

    campaign: Campaign
    state: tuple[str, str]
    about: str
    plan: Plan
    verdict: Verdict
    people: tuple[JudgeRow, ...]
    models: tuple[JudgeRow, ...]
    domains: tuple[str, ...]
    done: int
    total: int
    cost: float | None
    needs: tuple[Need, ...]
    measures: tuple[Measure, ...]
    agreement: Markup | None
    signature: str
    apart: Divergence | None
    questions: tuple[tuple[str, str], ...]
    question: str
    contrasts: Contrasts
    comments: tuple[Comment, ...]
    comments_in_all: int
    activity: tuple[tuple[datetime, str], ...]
    rest_assigned: bool
    names: Mapping[str, str]
    made_at: datetime | None
    fresh: bool
    shared: int


def plan_of(settings: Mapping[str, Json]) -> Plan:
    """What was planned, from the campaign's settings."""

    def figure(name: str) -> float | None:
        value = settings.get(name)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

    deadline = settings.get("deadline")
    try:
        last = date.fromisoformat(str(deadline)) if deadline else None
    except ValueError:
        last = None
    least, limit = figure("minimum_agreement"), figure("control_limit")
    return Plan(
        minimum=0.4 if least is None else least,
        deadline=last,
        control_limit=4 if limit is None else int(limit),
        hourly_rate=figure("hourly_rate"),
        currency=str(settings.get("currency", "€")),
        budget=figure("budget"),
    )


def corpus_of(store: Store, campaign: int) -> Corpus:
    """Counted by the store, without reading the texts."""
    with store.reading() as tx:
        return Corpus(tuple(tx.documents.counts(campaign)))


def live_page(
    store: Store,
    campaign: Campaign,
    picture: Picture | None,
    now: datetime,
    *,
    chosen: Picture | None = None,
    fresh: bool = True,
) -> LivePage:
    """The page of one campaign. Without a picture there is progress only, and words for what will come. `chosen` is
    the picture whose question the panels that set judges side by side are about; the verdict is about the main one."""
    with store.reading() as tx:
        shares = tx.progress.domain_shares(campaign.id)
        seats = tx.judges.all(campaign.id)
        events = tx.events.of(campaign.id)
    protocol = campaigns.protocol(store, campaign.id)
    wording = Wording(protocol, language())
    corpus = corpus_of(store, campaign.id)
    plan = plan_of(campaign.settings)
    names = {seat.judge.id: seat.judge.name or seat.judge.id for seat in seats}
    told = picture or NOTHING_YET
    side = chosen or told
    domains = tuple(domain for domain, _, _ in corpus.domains)
    found = {outlook.judge: outlook for outlook in outlooks(shares, told.paces, now, domains)}
    rows = [judge_row(seat, found[seat.judge.id], plan, told.controls) for seat in seats if seat.judge.id in found]
    people = tuple(row for row in rows if row.seat.judge.kind in PEOPLE)
    ahead = [row.outlook for row in people]
    measured = _staged([_worded(measure, wording) for measure in told.measures], protocol, wording)
    main = next((measure for measure in measured if measure.main and measure.question == told.main), None)
    label, side_label = (_labels(protocol, wording, question) for question in (told.main, side.main))
    ready = picture is not None
    return LivePage(
        campaign=campaign,
        state=STATES[str(campaign.state)],
        about=_about(campaign, wording, corpus, plan, now),
        plan=plan,
        verdict=verdict(main, ahead, told.controls, told.apart, plan=plan, names=names, ready=ready),
        people=people,
        models=tuple(row for row in rows if row.seat.judge.kind in MODELS),
        domains=domains,
        done=sum(outlook.done for outlook in ahead),
        total=sum(outlook.total for outlook in ahead),
        cost=sum(row.cost or 0 for row in people) if plan.hourly_rate else None,
        needs=needs(campaign, [row.standing for row in people], measured, told.apart, plan=plan, label=label),
        measures=measured,
        agreement=_agreement(measured, plan),
        signature=_signature(main, protocol),
        apart=side.apart,
        questions=_askable(protocol, measured, wording),
        question=side.main,
        contrasts=contrasts(side.apart, names, seats, side_label),
        comments=told.comments[:6],
        comments_in_all=told.comments_in_all,
        rest_assigned=any(event.kind == "rest_assigned" for event in events),
        activity=tuple((event.at, said_of(event)) for event in events[:-9:-1]),
        names=names,
        made_at=told.made_at if ready else None,
        fresh=fresh,
        shared=main.items if main else 0,
    )


def _worded(measure: Measure, wording: Wording) -> Measure:
    """A measure in the reader's language: it was made where nobody reads."""
    asked = wording.question(measure.question).label
    if measure.main:
        marked = measure.label.endswith(": any marked")
        return replace(measure, label=say("{question}: any marked", question=asked) if marked else asked)
    known = wording.option(measure.question, measure.row).label
    if not measure.heading:
        return replace(measure, label=known)
    rows = measure.heading.endswith("one by one")
    text = say("{question}, one by one", question=asked) if rows else say("{question}: chosen or not", question=asked)
    return replace(measure, label=known, heading=text)


def _staged(measured: Sequence[Measure], protocol: Protocol, wording: Wording) -> tuple[Measure, ...]:
    """Where several stages ask the same, the first measure of each stage is headed by the stage's title."""
    asked = [measure.label for measure in measured if measure.main]
    if len(set(asked)) == len(asked):
        return tuple(measured)
    titles = {question.id: wording.stage(stage.id) for stage, question in protocol.questions}
    found: list[Measure] = []
    before = ""
    for measure in measured:
        title = titles.get(measure.question, "")
        found.append(replace(measure, heading=title) if measure.main and title != before else measure)
        before = title
    return tuple(found)


def _labels(protocol: Protocol, wording: Wording, question: str) -> Mapping[str, str]:
    """What to call an answer. Where outputs are ranked the answers are names of systems, which stay as they are."""
    own = {MARKED: say("marked"), NOTHING: say("nothing marked"), EQUAL: say("neither")}
    ranked = any(asked.id == question and asked.kind == "rank" for _, asked in protocol.questions)

    class Labels(dict[str, str]):
        def __missing__(self, option: str) -> str:
            return own.get(option) or (option if ranked else wording.option(question, option).label)

    return Labels()


def _about(campaign: Campaign, wording: Wording, corpus: Corpus, plan: Plan, now: datetime) -> str:
    sentences = amount(corpus.sentences, "{n} sentence", "{n} sentences")
    inside = amount(corpus.documents, "in {n} document", "in {n} documents")
    parts = [wording.title, f"{sentences} {inside}"]
    named = [f"{domain} {documents}" for domain, documents, _ in corpus.domains if domain]
    if len(named) > 1:
        parts[-1] += f" ({', '.join(named[:6])})"
    parts.append(say(designs.titles().get(campaign.design, campaign.design)).rstrip(".").lower())
    if campaign.opened_at:
        since, days = day(campaign.opened_at.date()), (now.date() - campaign.opened_at.date()).days + 1
        if plan.deadline:
            parts.append(say("since {day} to {end}, day {n}", day=since, end=day(plan.deadline), n=days))
        else:
            parts.append(say("since {day}, day {n}", day=since, n=days))
    return " · ".join(parts)


def _agreement(measured: Sequence[Measure], plan: Plan) -> Markup | None:
    if not any(measure.value is not None and measure.items >= FEWEST for measure in measured):
        return None
    rows = [
        AgreementRow(
            m.label, m.value if m.items >= FEWEST else None, m.low, m.high,
            m.expected_low, m.expected_high, m.group, m.main, m.heading,
        )
        for m in measured
    ]  # fmt: skip
    return figures.agreement(rows, plan.minimum)


def _signature(main: Measure | None, protocol: Protocol) -> str:
    if main is None or not main.signature:
        return ""
    documents = amount(main.documents, "{n} document", "{n} documents")
    counts = f"n {main.items:,} · {documents} · {amount(main.judges, '{n} judge', '{n} judges')}"
    return f"{protocol.label} · {counts} · {main.signature}"


def _askable(protocol: Protocol, measured: Sequence[Measure], wording: Wording) -> tuple[tuple[str, str], ...]:
    named = dict.fromkeys(measure.question for measure in measured if measure.main)
    kinds = {question.id: question.kind for _, question in protocol.questions}
    labels = {q: wording.question(q).label for q in named if kinds[q] in COMPARED}
    titles = {question.id: wording.stage(stage.id) for stage, question in protocol.questions}
    alike = Counter(labels.values())
    return tuple((q, f"{label} · {titles[q]}" if alike[label] > 1 else label) for q, label in labels.items())
