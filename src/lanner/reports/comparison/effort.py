"""What does an item cost under each protocol?"""

from __future__ import annotations

import polars as pl

from lanner.errors import LannerError
from lanner.figures.intervals import Row, intervals
from lanner.figures.typeset import number, p_value
from lanner.reports.comparison.sides import (
    NO_INTERVAL,
    Answer,
    Gap,
    Lab,
    Line,
    Side,
    Value,
    are_judges,
    ratio,
    ratio_gap,
)
from lanner.reports.parts import Figure
from lanner.reports.sections import effort as timing
from lanner.stats import effort


def times(side: Side) -> tuple[pl.DataFrame, str]:
    """Seconds of each item (judge, document, seconds), and how they were found."""
    try:
        work, way = timing.times(side.by_people)
    except LannerError:
        return pl.DataFrame({"judge": [], "document": [], "seconds": []}), ""
    items = work.table.filter(pl.col("seconds").is_not_null(), pl.col("seconds") <= effort.LIMIT)
    return items.select("judge", "document", "seconds"), way


def hours(side: Side) -> float | None:
    """Hours of work that the side's items took, items without a time counted at the mean."""
    seconds, _ = times(side)
    items = side.by_people.select("judge", "document", "segment", "system").unique().height
    return float(seconds["seconds"].mean()) * items / 3600 if len(seconds) else None  # type: ignore[arg-type]


def cost(lab: Lab) -> Answer:
    """Seconds an item, items a minute, and what a hundred items cost at an hourly rate."""
    title = "What does it cost?"
    results = [times(side) for side in lab.sides]
    without = [side.name for side, (table, _) in zip(lab.sides, results, strict=True) if len(table) < 2]
    if without:
        return Answer(title, missing=f"no times were kept in {' and '.join(without)}.")
    tables = [table.with_columns(top=pl.col("seconds"), bottom=pl.lit(1.0)) for table, _ in results]
    values = [ratio(table, lab.resampling) for table in tables]
    gaps = [ratio_gap(tables[0], other, lab.resampling) for other in tables[1:]]
    lines = [Line("Seconds an item", values, gaps, bounded=False, digits=1)]
    rates = [
        Value(60 / (v.value or 1), 60 / v.high if v.high else None, 60 / v.low if v.low and v.low > 0 else None)
        for v in values
    ]
    lines.append(Line("Items a minute", rates, bounded=False))
    if lab.hourly is not None:
        each = lab.hourly / 36
        ends = [[None if end is None else end * each for end in (v.low, v.high)] for v in values]
        prices = [Value((v.value or 0) * each, low, high) for v, (low, high) in zip(values, ends, strict=True)]
        lines.append(Line(f"Cost of 100 items{f', {lab.currency}' if lab.currency else ''}", prices, bounded=False))
    sentence = " ".join(_sentence(lab, at, values, gap) for at, gap in enumerate(gaps, start=1) if gap)
    rows = [Row(side.name, v.value, v.low, v.high, f"n {v.n:,}") for side, v in zip(lab.sides, values, strict=True)]
    how = "; ".join(dict.fromkeys(f"{side.name}: {way}" for side, (_, way) in zip(lab.sides, results, strict=True)))
    data = [
        {"side": side.name, "seconds": v.value, "low": v.low, "high": v.high, "n": v.n, "how": way}
        for side, v, (_, way) in zip(lab.sides, values, results, strict=True)
    ]
    caption = f"{sentence} Dot: mean seconds of an item; bar: 95 % interval, documents resampled. {how}."
    drawing = intervals("Seconds an item", rows, bounded=False, digits=1)
    resampling = f"{lab.resampling.n:,} resamples, seed {lab.resampling.seed}"
    signature = f"mean seconds · items over {effort.LIMIT:,.0f} s left out · {resampling}"
    return Answer(title, lines, Figure("lab-cost", caption, str(drawing), data, signature), sentence, data=data)


def _sentence(lab: Lab, at: int, values: list[Value], gap: Gap) -> str:
    first, other = values[0].value or 0.0, values[at].value or 0.0
    slow, fast = (lab.names[0], lab.names[at]) if first > other else (lab.names[at], lab.names[0])
    times_as_long = max(first, other) / (min(first, other) or 1)
    clear = gap.p is not None and gap.p < 0.05
    long = f"{number(times_as_long, 1, bounded=False)} times as long"
    long = f"**{long}**" if clear else long
    seconds = f"{max(first, other):.0f} s against {min(first, other):.0f} s"
    shown = p_value(gap.p) or gap.why or NO_INTERVAL
    if are_judges(slow, fast):
        return f"An item takes {slow} {long} as {fast} ({seconds}; {shown})."
    return f"An item takes {long} under {slow} as under {fast} ({seconds}; {shown})."
