"""The numbers of the page on what is decided, set as text. Loaded by workers only: it brings statistics along."""

from __future__ import annotations

from datetime import UTC, datetime

from markupsafe import Markup

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
from lanner.stats.goals import Goal, Kind, State
from lanner.store import Store
from lanner.web.organising.decided import DecidedPage, NextHundred, PairRow, SystemRow
from lanner.web.organising.figures import Rung, course, ladder
from lanner.web.page.speech import day, say


def decided_page(store: Store, campaign: int) -> DecidedPage:
    """Where an adaptive campaign stands. A look that is due is taken first."""
    look_if_due(store, campaign)
    now = economy(store, campaign)
    return DecidedPage(
        goal=str(now.goal),
        score=now.score,
        enough=now.enough,
        outcome=str(now.outcome),
        settled=now.decided,
        left=len(now.left),
        unanswered=now.unanswered,
        judgements=now.judgements,
        most=now.budget or now.all_judgements,
        unused=now.unused,
        documents=now.documents,
        all_documents=now.all_documents,
        look=now.look,
        looks=now.looks,
        these_documents=now.goal.of_complete,
        systems=tuple(_system(system) for system in now.systems),
        pairs=tuple(_pair(pair, now) for pair in now.pairs),
        work_left=_work_left(now),
        finish=day(finish.date()) if (finish := now.finish(datetime.now(UTC))) else "",
        agreement=_agreement(now),
        enough_when=_enough_when(now.goal),
        unused_hours=f"{now.hours(now.unused):.1f}",
        next_hundred=_next_hundred(now),
        ladder=_ladder(now),
        course=_course(now),
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


def _next_hundred(now: Economy) -> NextHundred | None:
    """None where nothing is open, or where too little is judged to look ahead."""
    open_pairs = [pair for pair in now.open if pair.chance is not None]
    if now.enough or now.ended or not open_pairs:
        return None
    by_chance = sorted(open_pairs, key=lambda pair: -(pair.chance or 0.0))
    rows = tuple(
        (f"{pair.first} – {pair.second}", pair.chance_text, round(100 * (pair.chance or 0.0))) for pair in by_chance
    )
    return NextHundred(f"{now.hours(100):.1f}", rows, f"{now.expected_settled:.1f}")


def _ladder(now: Economy) -> Markup:
    """Systems from best to worst, and what is settled between neighbours; nothing before there is a score."""
    if not now.pairs or any(system.value is None for system in now.systems):
        return Markup("")
    ranges = now.rank_ranges
    between = {frozenset((pair.first, pair.second)): pair for pair in now.pairs}
    rungs = [
        Rung(
            above.system,
            ranges[above.system],
            say(STATE_WORDS[pair.state]) if (pair := between.get(frozenset((above.system, below)))) else "",
            bool(pair and pair.state in (State.DECIDED, State.WITHIN)),
        )
        for above, below in zip(now.systems, [*(one.system for one in now.systems[1:]), ""], strict=True)
    ]
    return ladder(rungs)


def _course(now: Economy) -> Markup:
    """How many open pairs more judging is expected to settle; nothing where that cannot be said."""
    if now.enough or now.forecast is None or len(now.forecast.course) < 2:
        return Markup("")
    return course([(0.0, 0.0), *now.forecast.course], len(now.open))


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
        say(STATE_WORDS[pair.state]),
        pair.better,
        score_text(pair.value),
        score_interval(pair.low, pair.high),
        pair.chance_text,
        savings,
    )


def _work_left(now: Economy) -> tuple[str, str, str, str] | None:
    if now.judgements_left is None:
        return None
    judgements, low, high = now.judgements_left
    hours, fewest, most = (f"{now.hours(count):.1f}" for count in (judgements, low, high))
    return f"{judgements:,.0f}", hours, fewest, most


def _agreement(now: Economy) -> tuple[str, str, str, str] | None:
    if now.agreement is None:
        return None
    value, low, high = now.agreement
    return number(value), number(low), number(high), f"{now.goal.minimum:g}"
