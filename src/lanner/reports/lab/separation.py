"""How well does each protocol tell systems apart, and what does that take?"""

from __future__ import annotations

from itertools import combinations

from lanner.reports.figures.bars import Bar, bars
from lanner.reports.lab.answer import Answer, Lab, Line, Value
from lanner.reports.lab.effort import hours
from lanner.reports.lab.sides import Side
from lanner.reports.parts import Figure
from lanner.reports.typeset import duration, number, plural, words
from lanner.stats import ranking
from lanner.stats.ranking import Ranking

_FEWEST = 3


def separation(lab: Lab) -> Answer:
    """Pairs of systems that differ significantly (Holm), clusters, and pairs per hour of work."""
    title = "Which systems are told apart?"
    lacking = [side.name for side in lab.sides if side.measure is None]
    if lacking:
        return Answer(title, missing=f"there is no score that ranks systems in {words(lacking)}.")
    made = [_ranked(side, lab) for side in lab.sides]
    systems = set(made[0].systems).intersection(*(one.systems for one in made[1:]))
    if len(systems) < _FEWEST:
        return Answer(title, missing=f"the sides share {plural(len(systems), 'system')}; at least three are needed.")
    pairs = list(combinations(sorted(systems), 2))
    told = [{pair for pair in pairs if _apart(one, *pair)} for one in made]
    spent = [hours(side) for side in lab.sides]
    lines = [
        Line(
            "Pairs of systems told apart", [Value(len(found), text=f"{len(found)} of {len(pairs)}") for found in told]
        ),
        Line("Clusters of systems", [Value(max(one.clusters), text=str(max(one.clusters))) for one in made]),
    ]
    if all(spent):
        lines.append(Line("Work in all", [Value(h, text=duration(h or 0)) for h in spent]))
        rate = [Value(len(found) / (h or 1)) for found, h in zip(told, spent, strict=True)]
        lines.append(Line("Pairs told apart per hour", rate, bounded=False))
    data = [
        {"system": a, "other": b, **{name: (a, b) in found for name, found in zip(lab.names, told, strict=True)}}
        for a, b in pairs
    ]
    said = _sentence(lab, told, len(pairs), spent)
    caption = f"{said} Bars: all {len(pairs)} pairs of {len(systems)} systems; significant after Holm's correction."
    drawing = bars("Pairs of systems told apart", _bars(lab, told, len(pairs)))
    signature = f"{made[0].result.signature}"
    return Answer(title, lines, Figure("lab-separation", caption, str(drawing), data, signature), said, data=data)


def _ranked(side: Side, lab: Lab) -> Ranking:
    assert side.measure is not None
    return ranking.rank(side.by_people, side.measure.of, direction=side.measure.direction, resampling=lab.resampling)


def _apart(one: Ranking, first: str, second: str) -> bool:
    a, b = one.systems.index(first), one.systems.index(second)
    return bool(one.beats[a, b] or one.beats[b, a])


def _bars(lab: Lab, told: list[set[tuple[str, str]]], total: int) -> list[Bar]:
    shared = set.intersection(*told)
    return [
        Bar(
            name,
            (
                ("a1", len(shared), "by all"),
                ("pmt", len(found - shared), "by some"),
                ("trk", total - len(found), "not"),
            ),
            f"{len(found)} of {total}",
        )
        for name, found in zip(lab.names, told, strict=True)
    ]


def _sentence(lab: Lab, told: list[set[tuple[str, str]]], total: int, spent: list[float | None]) -> str:
    counts = [f"{name} {len(found)}" for name, found in zip(lab.names, told, strict=True)]
    said = f"Of {total} pairs of systems {words(counts)} are told apart"
    if all(spent):
        rates = [len(found) / (h or 1) for found, h in zip(told, spent, strict=True)]
        best = max(range(len(rates)), key=rates.__getitem__)
        said += f"; per hour of work {lab.names[best]} tells most apart ({number(rates[best], 2, bounded=False)})"
    return f"{said}."
