"""What judging costs: sentences a minute, a labelled mark per judge, one row per domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lanner.reports.figures.axis import axis
from lanner.reports.svg import WIDTH, Drawing, fit

_STEP, _TOP = 54.0, 30.0


def throughput(
    domains: Sequence[str], rates: Mapping[str, Mapping[str, float]], unit: str = "sentences a minute"
) -> Drawing:
    """`rates` are per judge and domain. Labels alternate above and below, so that near marks stay readable."""
    left = min(170.0, 20 + 7.4 * max(map(len, domains), default=1))
    bottom = _TOP + _STEP * len(domains)
    drawing = Drawing("Sentences per minute per judge and domain", bottom + 42)
    values = [rate for per_domain in rates.values() for rate in per_domain.values()]
    scale = axis(values, left, WIDTH - 30, ticks=6)
    scale.draw(drawing, _TOP - 8, bottom)
    for row, domain in enumerate(domains):
        y = _TOP + _STEP * row + 26
        drawing.text(left - 10, y + 4, fit(domain, left - 12), "t", "end")
        found = sorted((rate[domain], judge) for judge, rate in rates.items() if domain in rate)
        if len(found) > 1:
            drawing.line(scale.place(found[0][0]), y, scale.place(found[-1][0]), y, "rm")
        for place, (rate, judge) in enumerate(found):
            x = scale.place(rate)
            drawing.circle(x, y, 5, "fk2", f"{judge}, {domain}: {rate:.2f}")
            drawing.text(x, y + (-10 if place % 2 == 0 else 20), f"{fit(judge, 90)} {rate:.1f}", "ts", "middle")
    drawing.text(left, bottom + 34, unit, "tm")
    return drawing
