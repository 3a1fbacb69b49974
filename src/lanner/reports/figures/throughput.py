"""What judging costs: sentences a minute, a labelled mark per judge, one row per domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lanner.reports.figures.axis import Axis, axis
from lanner.reports.svg import WIDTH, Drawing, fit, width

_STEP, _TOP = 54.0, 30.0
_ROW, _HEAD, _NAMES = 24.0, 30.0, 230.0


def throughput(
    domains: Sequence[str], rates: Mapping[str, Mapping[str, float]], unit: str = "sentences a minute"
) -> Drawing:
    """`rates` are per judge and domain. Labels alternate above and below, so that near marks stay readable; where
    they still would touch, each judge has a row."""
    left = min(170.0, 20 + 7.4 * max(map(len, domains), default=1))
    bottom = _TOP + _STEP * len(domains)
    drawing = Drawing("Sentences per minute per judge and domain", bottom + 42)
    values = [rate for per_domain in rates.values() for rate in per_domain.values()]
    scale = axis(values, left, WIDTH - 30, ticks=6)
    if not all(_room_for(scale, _in_domain(rates, domain)) for domain in domains):
        return _by_row(domains, rates, unit)
    scale.draw(drawing, _TOP - 8, bottom)
    for row, domain in enumerate(domains):
        y = _TOP + _STEP * row + 26
        drawing.text(left - 10, y + 4, fit(domain, left - 12), "t", "end")
        found = _in_domain(rates, domain)
        if len(found) > 1:
            drawing.line(scale.place(found[0][0]), y, scale.place(found[-1][0]), y, "rm")
        for place, (rate, judge) in enumerate(found):
            x = scale.place(rate)
            drawing.circle(x, y, 5, "fk2", f"{judge}, {domain}: {rate:.2f}")
            drawing.text(x, y + (-10 if place % 2 == 0 else 20), f"{judge} {rate:.1f}", "ts", "middle")
    drawing.text(left, bottom + 34, unit, "tm")
    return drawing


def _in_domain(rates: Mapping[str, Mapping[str, float]], domain: str) -> list[tuple[float, str]]:
    """The judges of a domain with their rates, slowest first."""
    return sorted((rate[domain], judge) for judge, rate in rates.items() if domain in rate)


def _room_for(scale: Axis, found: Sequence[tuple[float, str]]) -> bool:
    """Whether all labels fit into the drawing and none touches the next on its side of the line."""
    halves = [(scale.place(rate), width(f"{judge} {rate:.1f}", 6.6) / 2) for rate, judge in found]
    inside = all(x - half >= 0 and x + half <= WIDTH for x, half in halves)
    return inside and all(
        after[0] - before[0] > before[1] + after[1] for before, after in zip(halves, halves[2:], strict=False)
    )


def _by_row(domains: Sequence[str], rates: Mapping[str, Mapping[str, float]], unit: str) -> Drawing:
    """A row for each judge under the name of the domain, the number at its end."""
    found = [(domain, _in_domain(rates, domain)) for domain in domains]
    bottom = _TOP + sum(_HEAD + _ROW * len(rows) for _, rows in found)
    drawing = Drawing("Sentences per minute per judge and domain", bottom + 42)
    values = [rate for per_domain in rates.values() for rate in per_domain.values()]
    scale = axis(values, _NAMES, WIDTH - 70, ticks=5)
    scale.draw(drawing, _TOP - 8, bottom)
    y = _TOP
    for domain, rows in found:
        drawing.text(0, y + 14, fit(domain, _NAMES - 10), "tb")
        y += _HEAD
        for rate, judge in rows:
            drawing.text(12, y + 8, fit(judge, _NAMES - 22), "t", title=judge)
            drawing.line(_NAMES, y + 4, scale.place(rate), y + 4, "rm")
            drawing.circle(scale.place(rate), y + 4, 5, "fk2", f"{judge}, {domain}: {rate:.2f}")
            drawing.text(WIDTH - 20, y + 8, f"{rate:.1f}", "tb", "end")
            y += _ROW
    drawing.text(_NAMES, bottom + 34, unit, "tm")
    return drawing
