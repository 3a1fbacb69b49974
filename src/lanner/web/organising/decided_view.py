"""The numbers of the page on what is decided, set as text. Loaded by workers only: it brings statistics along."""

from __future__ import annotations

from datetime import UTC, datetime

from markupsafe import Markup

from lanner.analysis.economy import (
    NOTABLE,
    Economy,
    PairStanding,
    SystemStanding,
    economy,
    look_if_due,
    score_interval,
    score_text,
)
from lanner.figures.typeset import number
from lanner.monitor.live import decisions
from lanner.stats.goals import Goal, Kind, State
from lanner.store import Store
from lanner.web.organising.decided import DecidedPage, PairRow, SystemRow, decided_panel, state_words
from lanner.web.organising.figures import course
from lanner.web.speech import say


def decided_page(store: Store, campaign: int) -> DecidedPage:
    """Where an adaptive campaign stands. A look that is due is taken first."""
    look_if_due(store, campaign)
    now = economy(store, campaign)
    return DecidedPage(
        panel=decided_panel(decisions(now, datetime.now(UTC))),
        goal=str(now.goal),
        score=now.score,
        enough=now.enough,
        unused=now.unused,
        look=now.look,
        looks=now.looks,
        these_documents=now.goal.of_complete,
        is_about_agreement=now.goal.kind is Kind.AGREEMENT,
        skewness=score_text(now.skewness) if now.is_skewed else "",
        systems=tuple(_system(system) for system in now.systems),
        pairs=tuple(_pair(pair, now) for pair in now.pairs),
        agreement=_agreement(now),
        enough_when=_enough_when(now.goal),
        unused_hours=f"{now.hours(now.unused):.1f}",
        course=_course(now),
        tells_given_up=_tells_given_up(now),
    )


def _enough_when(goal: Goal) -> str:
    """The goal in words."""
    match goal.kind:
        case Kind.RANK if goal.margin:
            return say("every pair of systems is decided, or within ±{x}", x=f"{goal.margin:g}")
        case Kind.RANK:
            return say("every pair of systems is decided")
        case Kind.BEST:
            return say("every system but the best is beaten by another")
        case Kind.BETTER:
            return say("it is decided which of {a} and {b} is better", a=goal.first, b=goal.second)
        case Kind.NOT_WORSE:
            return say(
                "{a} is shown to be at most {x} worse than {b}", a=goal.first, b=goal.second, x=f"{goal.margin:g}"
            )
        case Kind.PRECISION:
            return say("every mean is known to ±{x}", x=f"{goal.half_width:g}")
        case Kind.AGREEMENT:
            return say("the interval of agreement lies above {x}", x=f"{goal.minimum:g}")


def _course(now: Economy) -> Markup:
    """How many open pairs more judging is expected to decide; nothing where that cannot be said."""
    if now.enough or now.forecast is None or len(now.forecast.course) < 2:
        return Markup("")
    return course([(0.0, 0.0, 0.0), *now.forecast.course], len(now.open), tells_given_up=_tells_given_up(now))


def _tells_given_up(now: Economy) -> bool:
    """Whether so many pairs are expected to be given up that the drawing shows them apart."""
    return now.forecast is not None and bool(now.forecast.course) and now.forecast.course[-1][2] >= NOTABLE


def _system(system: SystemStanding) -> SystemRow:
    return SystemRow(
        system.system,
        score_text(system.value),
        score_interval(system.low, system.high),
        score_text(system.plain),
        system.documents,
        system.shown,
    )


def _pair(pair: PairStanding, now: Economy) -> PairRow:
    savings = None if pair.spared is None else (f"{pair.spared:,.0f}", f"{now.hours(pair.spared):.1f}")
    return PairRow(
        pair.first,
        pair.second,
        pair.state is State.OPEN,
        state_words(str(pair.state)),
        pair.better,
        score_text(pair.value),
        score_interval(pair.low, pair.high),
        pair.chance_text,
        savings,
    )


def _agreement(now: Economy) -> tuple[str, str, str, str] | None:
    if now.agreement is None:
        return None
    value, low, high = now.agreement
    return number(value), number(low), number(high), f"{now.goal.minimum:g}"
