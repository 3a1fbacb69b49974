"""What a score is made of, estimated three ways, and whether judges rank alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import polars as pl

from lanner.analysis import FEWEST_ITEMS
from lanner.errors import LannerError
from lanner.figures.charts import Effect, Estimator, Group, ModelPanel, estimators, forest
from lanner.figures.typeset import count, estimate, interval, number, p_number, p_value, plural
from lanner.model import Analysis, Grid, Json, Result, Scale
from lanner.reports.parts import Block, Column, Figure, Paragraph, Section, Table, capital, printed
from lanner.reports.view import View
from lanner.stats.association import correlations
from lanner.stats.frame import Wide
from lanner.stats.mixed import mixed
from lanner.stats.regression import blocks as block_model
from lanner.stats.regression import regress

STATISTIC = "regression.blocks"


def section(view: View) -> Section | None:
    """For every model of this kind in the protocol's analysis plan that has answers."""
    findings: list[str] = []
    blocks = [block for analysis in _models(view) for block in _model(view, analysis, findings)]
    return Section("explained", "What the score is made of", blocks, findings) if blocks else None


def _models(view: View) -> list[Analysis]:
    return [one for one in view.protocol.analyses if one.statistic == STATISTIC and one.of in view.answered]


def details(view: View) -> Section | None:
    """For the appendix: every coefficient estimated three ways, and the sentences for a paper."""
    blocks = [block for analysis in _models(view) for block in _model(view, analysis, [], detailed=True)]
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
    more = f"with {' and '.join(view.inside(view.label(name)) for name in names[1:])} added"
    models = (f"{view.inside(view.label(names[0]))} only", more if len(names) > 1 else "")
    drawing = forest(terms, panels, f"points of {view.inside(view.label(analysis.of))} for one step more", models)
    sentences = [
        f"{view.names[judge]}: R² {number(judge_steps[0]['r2'], 2)} with {view.inside(view.label(names[0]))}"
        f", {number(judge_steps[-1]['r2'], 2)} with all"
        for judge in judges
        if (judge_steps := [row for row in steps.rows if row["judge"] == judge])
    ]
    steps_with_items = [row for row in steps.rows if row["n"] >= FEWEST_ITEMS]
    if steps_with_items:
        findings.append(_finding(view, analysis.of, names, steps_with_items))
    labels = {term: label for term, label, _ in terms}
    strongest = _strongest(view, full.rows, labels)
    marks = "Bars: 95 % intervals, errors clustered by document; * p < .05 with all predictors."
    caption = f"{'; '.join(sentences)}. {strongest} {marks}"
    figure = Figure(
        f"explained-{analysis.of}",
        caption,
        str(drawing),
        full.rows,
        view.signature(full, judges=len(judges)),
    )
    table = _blocks_table(view, analysis.of, steps)
    if not detailed:
        return [figure, table]
    sentences = list(_apa(view, analysis.of, judges, full.rows, labels))
    apa = [Paragraph(f"**For a paper.** {' '.join(sentences)}")] if sentences else []
    return [*three_ways(view, analysis.of, names, judges, terms, full.rows), *apa]


def _apa(
    view: View, of: str, judges: Sequence[str], rows: Sequence[Mapping[str, Any]], labels: Mapping[str, str]
) -> Iterator[str]:
    """The clearest coefficient of each judge in APA style."""
    for judge in judges:
        own = [row for row in _slopes(rows) if row["judge"] == judge and row["p"] is not None]
        if not own:
            continue
        top = min(own, key=lambda row: row["p"])
        name = view.inside(labels.get(str(top["term"]), str(top["term"])))
        t = top["value"] / top["error"] if top["error"] else float("nan")
        b, error, df, t_text = (
            number(value, digits, bounded=False)
            for value, digits in ((top["value"], 2), (top["error"], 2), (top["df"], 1), (t, 2))
        )
        yield (
            f"For {view.names[judge]}, {name} predicted the {view.short(of)}, b = {b}, SE = {error}, "
            f"t({df}) = {t_text}, {p_value(top['p'])}, 95 % CI {interval(top['low'], top['high'], bounded=False)}."
        )


def _slopes(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Coefficients that rest on items enough to say anything."""
    return [row for row in rows if row["term"] != "intercept" and row["n"] >= FEWEST_ITEMS]


def _blocks_table(view: View, of: str, steps: Result) -> Table:
    """R² block by block, with the joint test of what each adds."""

    def test(row: Mapping[str, Any]) -> str:
        return f"F({row['df1']:.0f}, {row['df2']:.1f}) = {row['f']:.2f}" if _tested(row) else "—"

    columns = [
        Column("judge", "Judge", cell=lambda row: view.names[row["judge"]]),
        Column("step", "Predictors", text=True, cell=lambda row: str(row["step"]).replace("_", " ")),
        Column("r2", "R²", cell=lambda row: number(row["r2"])),
        Column("ci", "95 %", quiet=True, cell=lambda row: interval(row["r2_low"], row["r2_high"])),
        Column("added", "added", cell=lambda row: number(row["added"])),
        Column("f", "Joint test", cell=test),
        Column("p", "p", quiet=True, cell=lambda row: p_number(row["p"]) if _tested(row) else ""),
        Column("n", "n", quiet=True, cell=lambda row: count(row["n"])),
    ]
    gains = sorted(row["added"] for row in steps.rows if row["added"] != row["r2"])
    more = f" The last block adds {_range(gains)} of the variance." if gains else ""
    has_untested = any(not _tested(row) for row in steps.rows)
    why = " A dash stands where there are too few documents for a joint test." if has_untested else ""
    caption = f"How much of the {view.short(of)} each block of predictors explains.{more}{why}"
    signature = view.signature(steps, judges=len({row["judge"] for row in steps.rows}))
    return Table(f"blocks-{of}", caption, columns, printed(columns, steps.rows), steps.rows, signature)


def _tested(row: Mapping[str, Any]) -> bool:
    """A joint test with hardly a degree of freedom (few documents, many terms) says nothing."""
    return row["f"] is not None and row["df2"] >= 2


def _finding(view: View, of: str, names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """How much of the score each block explains, as a range over judges."""
    first = sorted(row["r2"] for row in rows if row["step"] == names[0])
    last = sorted(row["r2"] for row in rows if row["step"] != names[0])
    share = _range(first)
    sentence = f"The {view.short(names[0])} alone explain **{share} of the {view.short(of)}**"
    more = " and ".join(view.short(name) for name in names[1:])
    return sentence + (f", together with the {more} {_range(last)}." if last else ".")


def _range(shares: Sequence[float]) -> str:
    low, high = f"{100 * shares[0]:.0f}", f"{100 * shares[-1]:.0f}"
    return f"{low} %" if low == high else f"{low} to {high} %"


def _strongest(view: View, rows: Sequence[Mapping[str, Any]], labels: Mapping[str, str]) -> str:
    terms = _slopes(rows)
    if not terms:
        return ""
    top = max(terms, key=lambda row: abs(row["value"]))
    numbers = estimate(top["value"], top["low"], top["high"], 2, bounded=False)
    name = view.inside(labels.get(str(top["term"]), str(top["term"])))
    return f"The largest coefficient is that of {name} for {view.names[top['judge']]} ({numbers}, n {top['n']:,})."


def _terms(view: View, names: Sequence[str]) -> list[tuple[str, str, str]]:
    """Single predictors first, then the rows of grids in their groups."""
    single, rows = [], []
    for name in names:
        entry = view.protocol.find(name)
        if entry and isinstance(entry[1], Grid):
            rows += [
                (f"{name}.{row.id}", view.words.option(name, row.id).label, row.group or "") for row in entry[1].rows
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
) -> ModelPanel:
    mine = sorted((row for row in steps if row["judge"] == judge), key=lambda row: float(row["r2"]))
    return ModelPanel(
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


Rows = Sequence[Mapping[str, Any]]
WAYS = ("OLS", "clustered", "mixed")
_LEVEL = 0.05


def three_ways(
    view: View,
    of: str,
    names: Sequence[str],
    judges: Sequence[str],
    terms: Sequence[tuple[str, str, str]],
    clustered: Rows,
) -> list[Block]:
    """A figure and a table of all coefficients of the full model, judge by judge. `clustered` are the rows of that
    model with errors clustered by document, which are known already."""
    quick = replace(view.resampling, method="none")
    plain = regress(view.wide, of, names, by=("judge",), errors="classical", resampling=quick).rows
    by_way: dict[str, dict[str, Rows]] = {}
    for judge in judges:
        own, own_clustered = ([row for row in rows if row["judge"] == judge] for rows in (plain, clustered))
        if own:
            by_way[judge] = dict(zip(WAYS, (own, own_clustered, _fit_mixed(view, of, names, judge)), strict=True))
    groups = [
        Group(
            view.names[judge],
            f"n {own['OLS'][0]['n']:,}",
            [Estimator(way, _effects([{**row, "judge": judge} for row in rows], judge)) for way, rows in own.items()],
        )
        for judge, own in by_way.items()
    ]
    if not groups:
        return []
    labels = {term: words for term, words, _ in terms}
    data = list(_coefficient_rows(view, by_way, ("intercept", *labels)))
    disputed_terms = _find_disputed_terms(view, data, labels)
    slopes = sum(row["term"] != "intercept" for row in data)
    sentence = (
        f"Of {plural(slopes, 'coefficient')}, {len(disputed_terms)} would be called significant in one way and not in "
        "another" + (f" ({'; '.join(disputed_terms[:3])})" if disputed_terms else "")
    )
    unit = f"points of {view.inside(view.label(of))} for one step more"
    signature = (
        f"OLS, CR2 by document, REML with random documents (Satterthwaite) · {view.protocol.label} {of} · "
        f"judges {len(groups)} · t intervals {view.resampling.level:.0%}"
    )
    figure = Figure(
        f"three-ways-{of}",
        f"{sentence}. Hollow circle: least squares, sentences taken as independent; filled: errors clustered by "
        "document; diamond: mixed model, documents random.",
        str(estimators(terms, groups, unit)),
        data,
        signature,
    )
    return [figure, _table(view, of, labels, data, signature, f"{sentence}.")]


def _fit_mixed(view: View, of: str, names: Sequence[str], judge: str) -> Rows:
    own = Wide(view.wide.table.filter(pl.col("judge") == judge), view.wide.notes)
    try:
        model = mixed(own, of, names, random=("document",), level=view.resampling.level)
    except LannerError:
        return ()
    return [row for row in model.rows if row["kind"] == "fixed"]


def _coefficient_rows(
    view: View, rows_by_judge: Mapping[str, Mapping[str, Rows]], terms: Sequence[str]
) -> Iterator[dict[str, Json]]:
    """Every coefficient of every judge with what each way says of it."""
    for judge, own in rows_by_judge.items():
        by_way = {way: {str(row["term"]): row for row in rows} for way, rows in own.items()}
        for term in terms:
            numbers = {
                f"{way}_{key}": rows[term][key]
                for way, rows in by_way.items()
                if term in rows
                for key in ("value", "low", "high", "error", "df", "p")
            }
            if numbers:
                yield {"judge": view.names[judge], "term": term, **numbers}


def _table(
    view: View, of: str, labels: Mapping[str, str], data: list[dict[str, Json]], signature: str, answers: str
) -> Table:
    columns = [Column("term", "Term", cell=lambda row: labels.get(row["term"], "Intercept"))]
    for way, span in zip(WAYS, ("OLS", "Clustered by document", "Mixed, document random"), strict=True):
        columns += _way_columns(way, span)
    rows: list[dict[str, Json]] = []
    for judge, own in groupby(data, key=lambda row: row["judge"]):
        rows += [{"group": judge}, *printed(columns, own)]
    caption = f"Coefficients of {view.inside(view.label(of))} on all predictors, estimated three ways. {answers}"
    return Table(f"coefficients-{of}", caption, columns, rows, data, signature)


def _way_columns(way: str, span: str) -> Iterator[Column]:
    def ends(row: Mapping[str, Json]) -> str:
        return interval(row.get(f"{way}_low"), row.get(f"{way}_high"), bounded=False)

    def value(row: Mapping[str, Json]) -> str:
        return number(row[f"{way}_value"], 2, bounded=False) if f"{way}_value" in row else ""

    if way != "clustered":  # the estimate is that of OLS: only its uncertainty differs
        yield Column(f"{way}_b", "b", span=span, cell=value)
    yield Column(f"{way}_ci", "95 %", quiet=True, span=span, cell=ends)
    yield Column(f"{way}_p", "p", quiet=True, span=span, cell=lambda row: p_number(row.get(f"{way}_p")))


def _find_disputed_terms(view: View, data: Sequence[Mapping[str, Json]], labels: Mapping[str, str]) -> list[str]:
    """Terms whose p crosses .05 between the ways."""
    texts = []
    for row in data:
        values = [row[f"{way}_p"] for way in WAYS if row.get(f"{way}_p") is not None]
        if row["term"] != "intercept" and len({p < _LEVEL for p in values}) > 1:
            term = view.inside(labels.get(str(row["term"]), str(row["term"])))
            texts.append(f"{row['judge']}, {term}")
    return texts


_MOST_PAIRS = 6
_COEFFICIENTS = ("Pearson r", "Spearman ρ", "Kendall τ-b")


def correlated_judges(view: View) -> Section | None:
    """For scales and scores that at least two people gave on the same items."""
    measures = [q.id for _, q in view.protocol.questions if isinstance(q, Scale) and not q.for_each]
    measures += [score.id for score in view.protocol.scores if score.rule != "value"]
    measures = [name for name in measures if name in view.answered]
    if not measures or len(view.people) < 2:
        return None
    result = view.counted().sign(correlations(view.wide, measures, judges=view.people, resampling=view.resampling))
    # A correlation of fewer items than anything is said of is no number to print: with two items it is 1 or −1.
    values = [row for row in result.rows if row["value"] is not None and row["n"] >= FEWEST_ITEMS]
    if not values:
        return None
    columns = [Column("what", "Measure"), Column("pair", "Judges", text=True), Column("n", "n", quiet=True)]
    for statistic in _COEFFICIENTS:
        columns.append(Column(statistic, statistic.removesuffix(" r").removesuffix(" ρ")))
        columns.append(Column(f"{statistic}_ci", "95 %", quiet=True))
    rows: dict[tuple[str, str, str], dict[str, Json]] = {}
    for row in values:
        pair = f"{view.names[row['x']]} – {view.names[row['y']]}"
        line = rows.setdefault((row["of"], row["x"], row["y"]), {"what": capital(view.label(row["of"])), "pair": pair})
        name = str(row["statistic"])
        line |= {name: number(row["value"]), f"{name}_ci": interval(row["low"], row["high"]), "n": row["n"]}
    best = max(values, key=lambda row: row["value"])
    numbers = estimate(best["value"], best["low"], best["high"], 2)
    caption = (
        "Correlation between judges, over the items both judged. They go together best on "
        f"{view.inside(view.label(best['of']))} ({best['statistic']} {numbers})."
    )
    signature = view.signature(result, judges=len(view.people))
    shown = list(rows.values())[: _MOST_PAIRS * len(measures)]
    table = Table("correlations", caption, columns, shown, result.rows, signature)
    return Section("correlations", "Do judges rank alike?", [table])
