"""The numbers of the page on what is decided, set as text. Loaded by workers only: it brings statistics along."""

from __future__ import annotations

from lanner.analysis.economy import (
    STATE_WORDS,
    Economy,
    PairStanding,
    SystemStanding,
    economy,
    look_if_due,
    score_interval,
    score_text,
)
from lanner.figures.typeset import number
from lanner.stats.goals import State
from lanner.store import Store
from lanner.web.organising.decided import DecidedPage, PairRow, SystemRow
from lanner.web.page.speech import say


def decided_page(store: Store, campaign: int) -> DecidedPage:
    """Where an adaptive campaign stands. A look that is due is taken first."""
    look_if_due(store, campaign)
    now = economy(store, campaign)
    return DecidedPage(
        goal=str(now.goal),
        score=now.score,
        enough=now.enough,
        ended=now.ended,
        settled=now.decided,
        judgements=now.judgements,
        most=now.budget or now.all_judgements,
        unused=now.unused,
        documents=now.documents,
        all_documents=now.all_documents,
        look=now.look,
        looks=now.looks,
        these_documents=now.goal.of_complete,
        systems=tuple(_system(system) for system in now.systems),
        pairs=tuple(_pair(pair) for pair in now.pairs),
        work_left=_work_left(now),
        agreement=_agreement(now),
    )


def _system(system: SystemStanding) -> SystemRow:
    return SystemRow(
        system.system,
        score_text(system.value),
        score_interval(system.low, system.high),
        score_text(system.plain),
        system.documents,
        system.shown,
    )


def _pair(pair: PairStanding) -> PairRow:
    return PairRow(
        pair.first,
        pair.second,
        pair.state is State.OPEN,
        say(STATE_WORDS[pair.state]),
        pair.better,
        score_text(pair.value),
        score_interval(pair.low, pair.high),
        pair.chance_text,
    )


def _work_left(now: Economy) -> tuple[str, str, str, str] | None:
    if now.enough or now.hours_left is None or now.forecast is None:
        return None
    expected, low, high = now.hours_left
    return f"{now.forecast.expected:,.0f}", f"{expected:.1f}", f"{low:.1f}", f"{high:.1f}"


def _agreement(now: Economy) -> tuple[str, str, str, str] | None:
    if now.agreement is None:
        return None
    value, low, high = now.agreement
    return number(value), number(low), number(high), f"{now.goal.minimum:g}"
