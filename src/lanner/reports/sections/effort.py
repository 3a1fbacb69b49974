"""What judging cost: how long each item took, and items a minute per judge and domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from lanner.analysis import FEWEST_ITEMS
from lanner.errors import StatisticError
from lanner.figures.bars import throughput as draw
from lanner.figures.drawing import Drawing
from lanner.figures.intervals import Row, intervals
from lanner.figures.typeset import duration, words
from lanner.reports.parts import Figure, Section
from lanner.reports.view import View
from lanner.stats import effort
from lanner.stats.effort import throughput

_MOST_TOGETHER, _MOST_ROWS, _SAYS_NOTHING = 6, 60, 10


def section(view: View) -> Section | None:
    """Nothing where no times were kept, or where the judges are not people."""
    if not view.people:
        return None
    counted_rows = view.counted("effort", of="people")
    try:
        work, way = times(counted_rows.table)
        result = counted_rows.sign(throughput(work, resampling=view.resampling))
    except StatisticError:
        return None
    rows = [row for row in result.rows if row["value"] is not None]
    if not rows:
        return None
    overall = {row["judge"]: row for row in rows if row["domain"] == "all"}
    by_pace = sorted(overall, key=lambda judge: overall[judge]["value"])
    hours, items = (sum(row[name] for row in overall.values()) for name in ("hours", "n"))
    sentence = _pace(view, [overall[judge] for judge in by_pace if overall[judge]["n"] >= FEWEST_ITEMS])
    pace = f"Judges worked at {sentence}; " if sentence else "The work took "
    caption = f"{pace}{duration(hours)} in all (n {items:,} timed items)."
    domains = " A judge's figure is the plain mean over domains." if len(view.domains) > 1 else ""
    remark = f" {BETWEEN.capitalize()}." if way == BETWEEN else ""
    figure = Figure(
        "throughput",
        f"{caption}{_domains(view, rows)}{domains}{remark} {' '.join(result.notes)}".rstrip(),
        str(_draw(view, rows, [overall[judge] for judge in by_pace])),
        [dict(row) for row in result.rows],
        view.signature(result, judges=len(overall)),
    )
    finding = f"The work took **{duration(hours)}**, at {sentence}."
    return Section("effort", "Effort", [figure], [finding] if sentence else [])


def _pace(view: View, rows: Sequence[Mapping[str, Any]]) -> str:
    """From the slowest to the fastest of the judges with enough timed items, in words; empty where there are none."""
    if not rows:
        return ""
    slow, fast = (f"{row['value']:.1f} ({view.names[row['judge']]})" for row in (rows[0], rows[-1]))
    if f"{rows[0]['value']:.1f}" != f"{rows[-1]['value']:.1f}":
        return f"{slow} to {fast} items a minute"
    return f"{slow.split()[0] if len(rows) > 1 else slow} items a minute"


def _domains(view: View, rows: Sequence[Mapping[str, Any]]) -> str:
    """Which domain is slowest, if it is so for every judge."""
    by_judge: dict[str, dict[str, float]] = {}
    for row in rows:
        if row["domain"] != "all" and row["n"] >= FEWEST_ITEMS:
            by_judge.setdefault(row["judge"], {})[row["domain"]] = row["value"]
    slowest = {min(rates, key=lambda domain: rates[domain]) for rates in by_judge.values() if len(rates) > 1}
    if not slowest:
        return ""
    if len(slowest) > 1:
        return f" No domain is the slowest for everybody ({words(sorted(slowest))}, by judge)."
    who = "every judge" if len(by_judge) > 1 else view.names[next(iter(by_judge))]
    return f" The slowest domain for {who} is {next(iter(slowest))}."


def _ends(row: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """The interval; none where so few documents were timed that it says nothing."""
    low, high = row["low"], row["high"]
    return (low, high) if high is not None and high < _SAYS_NOTHING * row["value"] else (None, None)


def _draw(view: View, rows: Sequence[Mapping[str, Any]], overall: Sequence[Mapping[str, Any]]) -> Drawing:
    """Each judge in each domain; where judges are many, a row for each with its interval."""
    if len(overall) > _MOST_TOGETHER:
        lines = [
            Row(view.names[row["judge"]], row["value"], *_ends(row), f"n {row['n']:,}") for row in overall[:_MOST_ROWS]
        ]
        return intervals("Items a minute, judge by judge", lines, bounded=False)
    domains = {row["domain"] for row in rows if row["domain"] != "all"}
    shown = [domain for domain in view.domains if domain in domains] or ["all"]
    rates: dict[str, dict[str, float]] = {}
    for row in rows:
        if row["domain"] in shown:
            rates.setdefault(view.names[row["judge"]], {})[row["domain"]] = row["value"]
    return draw(shown, rates, "items a minute")


_INSTANT, _TOO_MANY_INSTANT, _BREAK = 0.5, 0.2, 600.0
OWN, BETWEEN = "time of each item", "time from one answer to the next, breaks over 10 min left out"


def times(table: pl.DataFrame) -> tuple[effort.Work, str]:
    """The items with their seconds, and how these were found.

    Where too many items carry no time worth the name (a page that stamps all its sentences at once), the time between
    one answer and the judge's next is taken instead; ten minutes and more are a break.
    """
    work = effort.items(table)
    timed_items = work.table.filter(pl.col("seconds").is_not_null(), pl.col("seconds") <= effort.LIMIT)
    seconds = timed_items["seconds"]
    instant = float((seconds < _INSTANT).mean() or 0.0) if len(seconds) else 1.0  # type: ignore[arg-type]
    if instant <= _TOO_MANY_INSTANT or not work.table["at"].is_not_null().any():
        return (work, OWN) if instant <= _TOO_MANY_INSTANT else (work._replace(table=timed_items.head(0)), "")
    between = work.table.sort("judge", "at", maintain_order=True).with_columns(
        pl.col("at").diff().over("judge").dt.total_milliseconds().truediv(1000).alias("seconds")
    )
    return work._replace(table=between.filter(pl.col("seconds").is_between(_INSTANT, _BREAK))), BETWEEN
