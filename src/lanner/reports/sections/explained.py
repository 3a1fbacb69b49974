"""What a score is made of: a forest plot of coefficients, and how much of the variance each block explains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lanner.model import Analysis, Grid
from lanner.reports.figures.forest import Effect, Panel, forest
from lanner.reports.parts import Block, Figure, Paragraph, Section
from lanner.reports.typeset import estimate, number
from lanner.reports.view import View
from lanner.stats.regression import blocks as block_model
from lanner.stats.regression import regress

STATISTIC = "regression.blocks"


def section(view: View) -> Section | None:
    """For every model of this kind in the protocol's analysis plan that has answers."""
    blocks: list[Block] = []
    findings: list[str] = []
    for analysis in view.protocol.analyses:
        if analysis.statistic == STATISTIC and analysis.of in view.answered:
            blocks += _model(view, analysis, findings)
    return Section("explained", "What the score is made of", blocks, findings) if blocks else None


def _model(view: View, analysis: Analysis, findings: list[str]) -> list[Block]:
    names: Sequence[str] = analysis.options["blocks"]
    data, by, how = view.material.table, ("judge",), view.resampling
    steps = block_model(data, analysis.of, names, by=by, resampling=how)
    if not steps.rows:
        return [Paragraph(f"{view.label(analysis.of)} cannot be explained yet: {' '.join(steps.notes)}")]
    first = regress(data, analysis.of, names[:1], by=by, resampling=how)
    full = regress(data, analysis.of, names, by=by, resampling=how)
    judges = [judge for judge in view.people if any(row["judge"] == judge for row in steps.rows)]
    panels = [_panel(view, judge, first.rows, full.rows, steps.rows) for judge in judges]
    terms = _terms(view, names)
    drawing = forest(terms, panels, f"points of {view.label(analysis.of).lower()} for one step more")
    said = [
        f"{view.names[judge]}: R² {number(found[0]['r2'], 2)} with {view.label(names[0]).lower()}"
        f", {number(found[-1]['r2'], 2)} with all"
        for judge in judges
        if (found := [row for row in steps.rows if row["judge"] == judge])
    ]
    findings.append(_finding(view, analysis.of, names, steps.rows))
    strongest = _strongest(full.rows)
    caption = f"{'; '.join(said)}. {strongest} Bars: 95 % intervals, errors clustered by document; * p < .05."
    return [
        Figure(
            f"explained-{analysis.of}",
            caption,
            str(drawing),
            [dict(row) for row in full.rows],
            f"{full.signature} · {view.protocol.label}",
        )
    ]


def _finding(view: View, of: str, names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """How much of the score each block explains, as a range over judges."""
    first = sorted(row["r2"] for row in rows if row["step"] == names[0])
    last = sorted(row["r2"] for row in rows if row["step"] != names[0])
    share = _range(first)
    said = f"The {view.short(names[0])} alone explain **{share} of the {view.short(of)}**"
    more = " and ".join(view.short(name) for name in names[1:])
    return said + (f", together with the {more} {_range(last)}." if last else ".")


def _range(shares: Sequence[float]) -> str:
    low, high = f"{100 * shares[0]:.0f}", f"{100 * shares[-1]:.0f}"
    return f"{low} %" if low == high else f"{low} to {high} %"


def _strongest(rows: Sequence[Mapping[str, Any]]) -> str:
    terms = [row for row in rows if row["term"] != "intercept"]
    if not terms:
        return ""
    top = max(terms, key=lambda row: abs(row["value"]))
    numbers = estimate(top["value"], top["low"], top["high"], 2, bounded=False)
    name = str(top["term"]).rpartition(".")[2].replace("_", " ")
    return f"The largest coefficient is that of {name} ({numbers})."


def _terms(view: View, names: Sequence[str]) -> list[tuple[str, str, str]]:
    """Single predictors first, then the rows of grids in their groups."""
    single, rows = [], []
    for name in names:
        found = view.protocol.find(name)
        if found and isinstance(found[1], Grid):
            rows += [
                (f"{name}.{row.id}", view.words.option(name, row.id).label, row.group or "") for row in found[1].rows
            ]
        else:
            single.append((name, view.label(name), ""))
    return single + rows


def _panel(
    view: View,
    judge: str,
    first: Sequence[Mapping[str, Any]],
    full: Sequence[Mapping[str, Any]],
    steps: Sequence[Mapping[str, Any]],
) -> Panel:
    mine = [row for row in steps if row["judge"] == judge]
    return Panel(
        view.names[judge],
        f"n {mine[-1]['n']}",
        _effects(first, judge),
        _effects(full, judge),
        [(str(row["step"]).replace("_", " "), float(row["r2"])) for row in mine],
    )


def _effects(rows: Sequence[Mapping[str, Any]], judge: str) -> dict[str, Effect]:
    return {
        str(row["term"]): Effect(row["value"], row["low"], row["high"], row["p"])
        for row in rows
        if row["judge"] == judge and row["low"] is not None and row["term"] != "intercept"
    }
