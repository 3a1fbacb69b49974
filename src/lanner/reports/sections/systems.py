"""How systems score: means with intervals, clusters and rank ranges; and how each does on every skill."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from lanner.model import Analysis, Grid, Json, Question, Result
from lanner.reports.figures.estimators import Estimator, Group, estimators
from lanner.reports.figures.forest import Effect
from lanner.reports.figures.intervals import Row, intervals
from lanner.reports.lab.answer import Value
from lanner.reports.lab.ratios import ratio
from lanner.reports.parts import Block, Column, Figure, Section, Table
from lanner.reports.typeset import estimate, number, plural, words
from lanner.reports.view import View
from lanner.stats import ranking

STATISTIC = "ranking.systems"
_MOST_SYSTEMS, _MOST_FINDINGS, _MOST_PANELS, _MOST_NAMED = 30, 2, 4, 4


def section(view: View) -> Section | None:
    """For every score that the protocol's plan ranks systems by. People's answers alone, where there are any."""
    blocks: list[Block] = []
    findings: list[str] = []
    for analysis in view.protocol.analyses:
        if analysis.statistic != STATISTIC or analysis.of not in view.answered:
            continue
        result = _ranked(view, analysis)
        if result.rows:
            blocks.append(_figure(view, analysis.of, result))
            findings.append(_finding(view, analysis.of, result))
    for _, question in view.protocol.questions:
        if (table := _profile(view, question)) is not None:
            blocks += [*_panels(view, question), table]
    return Section("systems", "How the systems do", blocks, findings[:_MOST_FINDINGS]) if blocks else None


def _ranked(view: View, analysis: Analysis) -> Result:
    options: dict[str, Any] = dict(analysis.options)
    if options.get("per_words"):
        options["words"] = view.material.words
    judges = view.people_asked(analysis.of) or None
    return ranking.systems(view.material.table, analysis.of, judges=judges, resampling=view.resampling, **options)


def _figure(view: View, of: str, result: Result) -> Figure:
    rows = [dict(row) for row in result.rows[:_MOST_SYSTEMS]]
    drawn = [
        Row(
            row["system"],
            row["score"],
            row["low"],
            row["high"],
            note=_ranks(row["rank_low"], row["rank_high"]) if len(rows) > 1 else "",
            rule=at > 0 and row["cluster"] != rows[at - 1]["cluster"],
        )
        for at, row in enumerate(rows)
    ]
    documents = plural(result.counts["documents"], "document")
    how = f"{_capital(view.label(of))} of each system, best first, in {documents}. Bars: 95 % intervals, documents "
    how += "resampled; at the right the range of ranks; a line parts systems if all above beat all below."
    if len(rows) == 1:
        how = f"Bar: 95 % interval, {documents} resampled; n {plural(result.counts['items'], 'item')}."
    caption = f"{_finding(view, of, result)} {how}"
    drawing = intervals(f"{view.label(of)} by system", drawn, bounded=False)
    return Figure(f"systems-{of}", caption, str(drawing), [dict(row) for row in result.rows], view.signature(result))


def _ranks(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _finding(view: View, of: str, result: Result) -> str:
    first = [row for row in result.rows if row["cluster"] == 1]
    best, name = result.rows[0], view.short(of)
    said = estimate(best["score"], best["low"], best["high"], 2, bounded=False)
    if len(result.rows) == 1:
        return f"System {best['system']} has a mean {name} of {said}."
    if len(first) == len(result.rows):
        return f"**No group of systems is shown to be best** on {name}; {best['system']} has the best mean ({said})."
    if len(first) == 1:
        return f"On {name}, **{best['system']} beats every other system** ({said})."
    if len(first) > _MOST_NAMED:
        last = [row["system"] for row in result.rows if row["cluster"] != 1]
        who = words(last) if len(last) <= _MOST_NAMED else f"the other {len(last)}"
        return f"On {name}, **{len(first)} of {len(result.rows)} systems beat {who}**; {best['system']} leads ({said})."
    return f"On {name}, **{words([row['system'] for row in first])} beat all others**; {best['system']} leads ({said})."


def _profile(view: View, question: Question) -> Table | None:
    """Mean value of each row of a grid, or of each label that was rated, system by system."""
    judges = view.people_asked(question.id) or [judge.id for judge in view.judges]
    table = view.answers(question.id).filter(
        pl.col("role") == "main",
        pl.col("row") != "",
        pl.col("system") != "",
        pl.col("judge").is_in(judges),
        pl.col("score").is_not_null(),
    )
    if table.is_empty():
        return None
    found = table.group_by("row", "system").agg(pl.col("score").mean(), pl.len().alias("n"))
    means = {(row, system): (mean, n) for row, system, mean, n in found.iter_rows()}
    systems = sorted(table["system"].unique())[:_MOST_SYSTEMS]
    known = [row.id for row in question.rows] if isinstance(question, Grid) else []
    names = [
        row
        for row in [*known, *sorted(set(table["row"].unique()) - set(known))]
        if any((row, s) in means for s in systems)
    ]
    shown: list[dict[str, Json]] = []
    for row in names:
        cells = {s: number(means[row, s][0], 2, bounded=False) for s in systems if (row, s) in means}
        shown.append({"skill": _row_label(view, question, row), **cells})
    data = [
        {"row": row, "system": s, "mean": means[row, s][0], "n": means[row, s][1]}
        for row in names
        for s in systems
        if (row, s) in means
    ]
    low = min(data, key=lambda entry: entry["mean"])
    weakest = _row_label(view, question, low["row"]).lower()
    caption = (
        f"{view.label(question.id)}: mean of each system, all answers of people counted alike. The lowest is "
        f"{weakest} of {low['system']} ({number(low['mean'], 2, bounded=False)})."
    )
    columns = [Column("skill", view.label(question.id)), *(Column(system, system) for system in systems)]
    signature = f"mean · {view.protocol.label} {question.id} · n {table.height:,} · judges {len(judges)}"
    return Table(f"profile-{question.id}", caption, columns, shown, data, signature)


def _panels(view: View, question: Question) -> list[Figure]:
    """The profile as small panels, one for each system, on one axis; for two to four systems."""
    judges = view.people_asked(question.id) or [judge.id for judge in view.judges]
    given = view.answers(question.id).filter(
        pl.col("role") == "main", pl.col("row") != "", pl.col("system") != "", pl.col("judge").is_in(judges)
    )
    given = given.drop_nulls("score").with_columns(top=pl.col("score"), bottom=pl.lit(1.0))
    systems = sorted(given["system"].unique())
    if not 1 < len(systems) <= _MOST_PANELS:
        return []
    groups = {row.id: row.group or "" for row in question.rows} if isinstance(question, Grid) else {}
    used = set(given["row"].unique())
    rows = [row for row in groups if row in used] or sorted(used)
    parts = given.select("system", "row", "document", "top", "bottom").partition_by("system", "row", as_dict=True)
    found: dict[str, dict[str, Value]] = {
        system: {row: ratio(parts[system, row], view.resampling) for row in rows if (system, row) in parts}
        for system in systems
    }
    drawn = [
        Group(system, f"n {max((v.n or 0) for v in own.values()):,}", [Estimator("mean", _effects(own))])
        for system, own in found.items()
    ]
    means = {row: [own[row].value or 0.0 for own in found.values() if row in own] for row in rows}
    spread = {row: max(given) - min(given) for row, given in means.items() if given}
    widest = max(spread, key=lambda row: spread[row])
    values = [
        f"{system} {number(own[widest].value, 2, bounded=False)}" for system, own in found.items() if widest in own
    ]
    said = f"Systems differ most in {_row_label(view, question, widest).lower()} ({', '.join(values)})."
    terms = [(row, _row_label(view, question, row), groups.get(row, "")) for row in rows]
    data = [
        {"system": system, "row": row, "mean": v.value, "low": v.low, "high": v.high, "n": v.n}
        for system, own in found.items()
        for row, v in own.items()
    ]
    signature = (
        f"mean by document · {view.protocol.label} {question.id} · judges {len(judges)} · resamples "
        f"{view.resampling.n:,}, seed {view.resampling.seed}"
    )
    drawing = estimators(terms, drawn, f"mean of {view.label(question.id).lower()}")
    caption = f"{said} Dot: mean; bar: 95 % interval, documents resampled."
    return [Figure(f"profiles-{question.id}", caption, str(drawing), data, signature)]


def _effects(own: Mapping[str, Value]) -> dict[str, Effect]:
    return {
        row: Effect(v.value, v.low if v.low is not None else v.value, v.high if v.high is not None else v.value)
        for row, v in own.items()
        if v.value is not None
    }


def _row_label(view: View, question: Question, row: str) -> str:
    return view.words.option(question.id, row).label or row.replace("_", " ")
