"""What a score is made of: a forest plot of coefficients, and how much of the variance each block explains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lanner.model import Analysis, Grid, Json, Result
from lanner.reports.figures.forest import Effect, Panel, forest
from lanner.reports.parts import Block, Column, Figure, Paragraph, Section, Table
from lanner.reports.sections.estimates import three_ways
from lanner.reports.typeset import count, estimate, interval, number, p_value
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


def details(view: View) -> Section | None:
    """For the appendix: every coefficient estimated three ways, and the sentences for a paper."""
    blocks: list[Block] = []
    for analysis in view.protocol.analyses:
        if analysis.statistic == STATISTIC and analysis.of in view.answered:
            blocks += _model(view, analysis, [], detailed=True)
    return Section("coefficients", "Coefficients in detail", blocks) if blocks else None


def _model(view: View, analysis: Analysis, findings: list[str], *, detailed: bool = False) -> list[Block]:
    names: Sequence[str] = analysis.options["blocks"]
    data, by, how = view.wide, ("judge",), view.resampling
    steps = block_model(data, analysis.of, names, by=by, resampling=how)
    if not steps.rows:
        return [Paragraph(f"{view.label(analysis.of)} cannot be explained yet: {' '.join(steps.notes)}")]
    quick = replace(how, method="none")  # where R² is drawn without an interval
    first = regress(data, analysis.of, names[:1], by=by, resampling=quick)
    full = regress(data, analysis.of, names, by=by, resampling=how)
    judges = [judge for judge in view.people if any(row["judge"] == judge for row in steps.rows)]
    alone = [
        {**row, "step": f"{name} alone"}
        for name in names[1:]
        for row in block_model(data, analysis.of, [name], by=by, errors="classical", resampling=quick).rows
    ]
    panels = [_panel(view, judge, first.rows, full.rows, [*alone, *steps.rows]) for judge in judges]
    terms = _terms(view, names)
    more = f"with {' and '.join(view.label(name).lower() for name in names[1:])} added"
    models = (f"{view.label(names[0]).lower()} only", more if len(names) > 1 else "")
    drawing = forest(terms, panels, f"points of {view.label(analysis.of).lower()} for one step more", models)
    said = [
        f"{view.names[judge]}: R² {number(found[0]['r2'], 2)} with {view.label(names[0]).lower()}"
        f", {number(found[-1]['r2'], 2)} with all"
        for judge in judges
        if (found := [row for row in steps.rows if row["judge"] == judge])
    ]
    findings.append(_finding(view, analysis.of, names, steps.rows))
    shown = {term: label for term, label, _ in terms}
    strongest = _strongest(view, full.rows, shown)
    marks = "Bars: 95 % intervals, errors clustered by document; * p < .05 with all predictors."
    caption = f"{'; '.join(said)}. {strongest} {marks}"
    figure = Figure(
        f"explained-{analysis.of}",
        caption,
        str(drawing),
        [dict(row) for row in full.rows],
        f"{full.signature} · {view.protocol.label} · judges {len(judges)}",
    )
    table = _blocks_table(view, analysis.of, steps)
    apa = Paragraph(f"**For a paper.** {' '.join(_apa(view, analysis.of, judges, full.rows, shown))}")
    return [figure, table] if not detailed else [*three_ways(view, analysis.of, names, judges, terms, full.rows), apa]


def _apa(
    view: View, of: str, judges: Sequence[str], rows: Sequence[Mapping[str, Any]], shown: Mapping[str, str]
) -> Iterator[str]:
    """The clearest coefficient of each judge in APA style."""
    for judge in judges:
        own = [row for row in rows if row["judge"] == judge and row["term"] != "intercept" and row["p"] is not None]
        if not own:
            continue
        top = min(own, key=lambda row: row["p"])
        name = shown.get(str(top["term"]), str(top["term"])).lower()
        t = top["value"] / top["error"] if top["error"] else float("nan")
        yield (
            f"For {view.names[judge]}, {name} predicted the {view.short(of)}, b = "
            f"{number(top['value'], 2, bounded=False)}, SE = {number(top['error'], 2, bounded=False)}, "
            f"t({number(top['df'], 1, bounded=False)}) = {number(t, 2, bounded=False)}, {p_value(top['p'])}, 95 % CI "
            f"{interval(top['low'], top['high'], bounded=False)}."
        )


def _blocks_table(view: View, of: str, steps: Result) -> Table:
    """R² block by block, with the joint test of what each adds."""
    rows: list[dict[str, Json]] = [
        {
            "judge": view.names[row["judge"]],
            "step": str(row["step"]).replace("_", " "),
            "r2": number(row["r2"]),
            "ci": interval(row["r2_low"], row["r2_high"]),
            "added": number(row["added"]),
            "f": f"F({row['df1']:.0f}, {row['df2']:.1f}) = {row['f']:.2f}" if _tested(row) else "—",
            "p": p_value(row["p"]).removeprefix("p ").removeprefix("= ") if _tested(row) else "",
            "n": count(row["n"]),
        }
        for row in steps.rows
    ]
    columns = [
        Column("judge", "Judge"),
        Column("step", "Predictors", text=True),
        Column("r2", "R²"),
        Column("ci", "95 %", quiet=True),
        Column("added", "added"),
        Column("f", "Joint test"),
        Column("p", "p", quiet=True),
        Column("n", "n", quiet=True),
    ]
    gains = sorted(row["added"] for row in steps.rows if row["added"] != row["r2"])
    more = f" The last block adds {_range(gains)} of the variance." if gains else ""
    untested = any(not _tested(row) for row in steps.rows)
    why = " A dash stands where there are too few documents for a joint test." if untested else ""
    caption = f"How much of the {view.short(of)} each block of predictors explains.{more}{why}"
    data = [dict(row) for row in steps.rows]
    judges = len({row["judge"] for row in steps.rows})
    signature = f"{steps.signature} · {view.protocol.label} · judges {judges}"
    return Table(f"blocks-{of}", caption, columns, rows, data, signature)


def _tested(row: Mapping[str, Any]) -> bool:
    """A joint test with hardly a degree of freedom (few documents, many terms) says nothing."""
    return row["f"] is not None and row["df2"] >= 2


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


def _strongest(view: View, rows: Sequence[Mapping[str, Any]], shown: Mapping[str, str]) -> str:
    terms = [row for row in rows if row["term"] != "intercept"]
    if not terms:
        return ""
    top = max(terms, key=lambda row: abs(row["value"]))
    numbers = estimate(top["value"], top["low"], top["high"], 2, bounded=False)
    name = shown.get(str(top["term"]), str(top["term"])).lower()
    return f"The largest coefficient is that of {name} for {view.names[top['judge']]} ({numbers}, n {top['n']:,})."


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
    mine = sorted((row for row in steps if row["judge"] == judge), key=lambda row: float(row["r2"]))
    return Panel(
        view.names[judge],
        f"n {mine[-1]['n']}",
        _effects(first, judge),
        _effects(full, judge),
        [(str(row["step"]).replace("_", " "), max(0.0, float(row["r2"]))) for row in mine],
    )


def _effects(rows: Sequence[Mapping[str, Any]], judge: str) -> dict[str, Effect]:
    return {
        str(row["term"]): Effect(row["value"], row["low"], row["high"], row["p"])
        for row in rows
        if row["judge"] == judge and row["low"] is not None and row["term"] != "intercept"
    }
