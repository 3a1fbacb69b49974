"""What context is needed for: how many sentences cannot be translated alone, why, and how far one has to look."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lanner.errors import LannerError
from lanner.model import Analysis, Json, Result
from lanner.reports.figures.intervals import Row, intervals
from lanner.reports.parts import Block, Figure, Paragraph, Section
from lanner.reports.typeset import percent
from lanner.reports.view import View
from lanner.stats import context

_MOST = 12
_NAMES = {"context.issue_shares": "label", "context.agreement_intervals": "interval", "context.spans": "span"}
_MADE: Mapping[str, Callable[..., Result]] = {
    "context.issue_shares": context.issue_shares,
    "context.agreement_intervals": context.agreement_intervals,
    "context.spans": context.spans,
}
_SAID = {
    "context.issue_shares": "What hinders translation most is {top}",
    "context.agreement_intervals": "Share of judges who gave the answer: most sentences have {top}",
    "context.spans": "What settles a sentence most often is {top}",
}


def section(view: View) -> Section | None:
    """For the statistics on context that the protocol's plan names; one figure each, all groups together."""
    blocks: list[Block] = []
    findings: list[str] = []
    for analysis in view.protocol.analyses:
        if analysis.statistic in _MADE and analysis.of in view.answered:
            blocks += _figures(view, analysis, findings)
    return Section("contexts", "Context spans and issues", blocks, findings) if blocks else None


def _figures(view: View, analysis: Analysis, findings: list[str]) -> Iterator[Block]:
    try:
        options: dict[str, Any] = dict(analysis.options)
        made = _MADE[analysis.statistic](view.counted().table, analysis.of, resampling=view.resampling, **options)
    except LannerError as error:
        yield Paragraph(f"{view.label(analysis.of)}: {error.what}")
        return
    if not made.rows:
        yield Paragraph(f"{view.label(analysis.of)}: {' '.join(made.notes)}")
        return
    yield _figure(view, analysis, made, findings)


def _figure(view: View, analysis: Analysis, made: Result, findings: list[str]) -> Figure:
    name = _NAMES[analysis.statistic]
    everyone = [row for row in made.rows if _is_whole(row)]
    named = [row for row in everyone if row["count"]] or everyone
    shown = named[:_MOST]
    drawn = [
        Row(_spoken(view, analysis.of, str(row[name])), row["share"], row["low"], row["high"], f"n {row['count']}")
        for row in shown
    ]
    usual = [row for row in shown if not str(row[name]).startswith("over 40")] or shown
    top = max(usual, key=lambda row: row["share"])
    said = _SAID[analysis.statistic].format(
        top=f"{_spoken(view, analysis.of, str(top[name])).lower()} ({percent(top['share'], 0)})"
    )
    if analysis.statistic != "context.agreement_intervals":
        findings.append(f"{said}.")
    groups = _groups(made.rows, name, str(top[name]))
    return Figure(
        f"{analysis.statistic.replace('.', '-')}-{analysis.of}",
        f"{view.label(analysis.of)}. {said}{groups}. Dot: share; bar: 95 % interval, documents resampled.",
        str(intervals(view.label(analysis.of), drawn)),
        [dict(row) for row in made.rows],
        view.signature(made),
    )


def _is_whole(row: Mapping[str, Json]) -> bool:
    return any(row.get(group) == "all" for group in ("domain", "target_language"))


def _groups(rows: Sequence[Mapping[str, Json]], name: str, top: str) -> str:
    """The same share in each group, where there are several."""
    found = [
        (str(row.get("domain") or row.get("target_language")), row["share"])
        for row in rows
        if row[name] == top and not _is_whole(row)
    ]
    if len(found) < 2:
        return ""
    return " (" + ", ".join(f"{group} {percent(share, 0)}" for group, share in found) + ")"


def _spoken(view: View, question: str, name: str) -> str:
    known = view.words.option(question, name).label if name.replace("_", "").isalpha() else name
    return known or name
