"""`lanner campaign decided`: what an adaptive campaign has settled, what is open, what more judging would buy."""

from __future__ import annotations

from lanner import campaign
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
from lanner.cli._output import Output
from lanner.figures.typeset import estimate
from lanner.model import Json
from lanner.stats.goals import Kind
from lanner.store import Store


def decided(name: str, store_place: str, as_json: bool) -> None:
    """Say where an adaptive campaign stands: which systems are told apart, what the next hundred judgements would
    buy, how much work is left, and whether it is enough."""
    output = Output("campaign decided", as_json)
    with Store.open(store_place, create=False) as store:
        entry = campaign.get(store, name)
        look_if_due(store, entry.id)
        now = economy(store, entry.id)
    output.sign(f"{entry.protocol_name} · {now.score} · goal {now.goal} · look {now.look} of {now.looks}")
    output.say(_summary(now), style="bold")
    output.table(
        [_system(one) for one in now.systems],
        ["system", "score", "interval", "plain", "documents", "shown"],
        title=f"Systems by {now.score}",
    )
    if now.pairs:
        output.say()
        columns: list[str | tuple[str, str]] = ["pair", "state", "better", "difference", "interval"]
        columns.append(("chance", "settled by the next 100"))
        output.table([_pair(pair) for pair in now.pairs], columns, title="Pairs")
    for line in _outlook(now):
        output.say(line)
    output.end()


def _summary(now: Economy) -> str:
    budget_text = f"{now.judgements:,} of at most {now.budget or now.all_judgements:,} judgements"
    if now.enough:
        return f"Enough: the goal is reached after {budget_text}; {now.unused:,} are not needed."
    if now.ended:
        return f"Ended without reaching the goal: {budget_text}."
    pairs_text = f"{now.decided} of {len(now.pairs)} pairs settled, " if now.pairs else ""
    return f"Not yet: {pairs_text}{budget_text}, {now.documents} of {now.all_documents} documents."


def _system(one: SystemStanding) -> dict[str, Json]:
    return {
        "kind": "system",
        "system": one.system,
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "score": score_text(one.value),
        "interval": score_interval(one.low, one.high),
        "plain": score_text(one.plain),
        "documents": one.documents,
        "shown": "yes" if one.shown else "no more",
    }


def _pair(pair: PairStanding) -> dict[str, Json]:
    return {
        "kind": "pair",
        "pair": f"{pair.first} – {pair.second}",
        "state": STATE_WORDS[pair.state],
        "code": str(pair.state),
        "better": pair.better,
        "value": pair.value,
        "low": pair.low,
        "high": pair.high,
        "difference": score_text(pair.value),
        "interval": score_interval(pair.low, pair.high),
        "chance": pair.chance_text,
    }


def _outlook(now: Economy) -> list[str]:
    lines = []
    if now.agreement is not None:
        value, low, high = now.agreement
        lines.append(f"Agreement {estimate(value, low, high)}; planned above {now.goal.minimum:g}.")
    if now.hours_left is not None and now.forecast is not None and not now.enough:
        hours, low, high = now.hours_left
        lines.append(
            f"To the end about {now.forecast.expected:,.0f} judgements, {hours:.1f} h [{low:.1f}, {high:.1f}]."
        )
    if now.goal.kind is not Kind.AGREEMENT:
        about = "these documents only" if now.goal.of_complete else "documents of this kind"
        lines.append(f"Decisions are about {about}; errors count all pairs and all looks.")
    return lines
