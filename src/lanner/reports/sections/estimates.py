"""One regression estimated three ways: rows as independent, errors clustered by document, documents as random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from lanner.errors import LannerError
from lanner.model import Json
from lanner.reports.figures.estimators import Estimator, Group, estimators
from lanner.reports.figures.forest import Effect
from lanner.reports.parts import Block, Column, Figure, Table
from lanner.reports.typeset import interval, number, p_value, plural
from lanner.reports.view import View
from lanner.stats.mixed import mixed
from lanner.stats.regression import regress
from lanner.stats.wide import Wide

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
    found: dict[str, dict[str, Rows]] = {}
    for judge in judges:
        own = {"OLS": _of(plain, judge), "clustered": _of(clustered, judge), "mixed": _mixed(view, of, names, judge)}
        found[judge] = {way: rows for way, rows in own.items() if rows}
    groups = [
        Group(view.names[judge], f"n {own['OLS'][0]['n']:,}", [_estimator(way, own.get(way, ())) for way in WAYS])
        for judge, own in found.items()
        if own.get("OLS")
    ]
    if not groups:
        return []
    shown = {term: words for term, words, _ in terms}
    rows, data_rows = _table_rows(view, found, shown)
    changed = _changed(data_rows, shown)
    slopes = sum(row["term"] != "intercept" for row in data_rows)
    said = (
        f"Of {plural(slopes, 'coefficient')}, {len(changed)} would be called significant in one way and not in "
        "another" + (f" ({'; '.join(changed[:3])})" if changed else "")
    )
    unit = f"points of {view.label(of).lower()} for one step more"
    signature = (
        f"OLS, CR2 by document, REML with random documents (Satterthwaite) · {view.protocol.label} {of} · "
        f"judges {len(groups)} · t intervals 95 %"
    )
    figure = Figure(
        f"three-ways-{of}",
        f"{said}. Hollow circle: least squares, sentences taken as independent; filled: errors clustered by document; "
        "diamond: mixed model, documents random.",
        str(estimators(terms, groups, unit)), data_rows, signature,
    )  # fmt: skip
    return [figure, _table(view, of, rows, data_rows, signature, f"{said}.")]


def _of(rows: Rows, judge: str) -> Rows:
    return [row for row in rows if row["judge"] == judge]


def _mixed(view: View, of: str, names: Sequence[str], judge: str) -> Rows:
    own = Wide(view.wide.table.filter(pl.col("judge") == judge), view.wide.notes)
    try:
        made = mixed(own, of, names, random=("document",), level=view.resampling.level)
    except LannerError:
        return ()
    return [row for row in made.rows if row["kind"] == "fixed"]


def _estimator(way: str, rows: Rows) -> Estimator:
    return Estimator(
        way,
        {
            str(row["term"]): Effect(row["value"], row["low"], row["high"], row["p"])
            for row in rows
            if row["low"] is not None and row["term"] != "intercept"
        },
    )


def _table_rows(
    view: View, found: Mapping[str, Mapping[str, Rows]], shown: Mapping[str, str]
) -> tuple[list[dict[str, Json]], list[dict[str, Json]]]:
    rows: list[dict[str, Json]] = []
    data: list[dict[str, Json]] = []
    for judge, own in found.items():
        by_way = {way: {str(row["term"]): row for row in made} for way, made in own.items()}
        rows.append({"group": view.names[judge]})
        for term in ("intercept", *shown):
            entry: dict[str, Json] = {"judge": view.names[judge], "term": term}
            line: dict[str, Json] = {"term": shown.get(term, "Intercept")}
            for way in WAYS:
                row = by_way.get(way, {}).get(term)
                if row is None:
                    continue
                entry |= {f"{way}_{key}": row[key] for key in ("value", "low", "high", "error", "df", "p")}
                line |= {
                    f"{way}_b": number(row["value"], 2, bounded=False),
                    f"{way}_ci": interval(row["low"], row["high"], bounded=False),
                    f"{way}_p": p_value(row["p"]).removeprefix("p ").removeprefix("= "),
                }
            if len(entry) > 2:
                rows.append(line)
                data.append(entry)
    return rows, data


def _table(
    view: View, of: str, rows: list[dict[str, Json]], data: list[dict[str, Json]], signature: str, said: str
) -> Table:
    columns = [Column("term", "Term")]
    for way, span in zip(WAYS, ("OLS", "Clustered by document", "Mixed, document random"), strict=True):
        if way != "clustered":  # the estimate is that of OLS: only its uncertainty differs
            columns.append(Column(f"{way}_b", "b", span=span))
        columns += [
            Column(f"{way}_ci", "95 %", quiet=True, span=span),
            Column(f"{way}_p", "p", quiet=True, span=span),
        ]
    caption = f"Coefficients of {view.label(of).lower()} on all predictors, estimated three ways. {said}"
    return Table(f"coefficients-{of}", caption, columns, rows, data, signature)


def _changed(data: Sequence[Mapping[str, Json]], shown: Mapping[str, str]) -> list[str]:
    """Terms whose p crosses .05 between the ways."""
    made = []
    for row in data:
        values = [row[f"{way}_p"] for way in WAYS if row.get(f"{way}_p") is not None]
        if row["term"] != "intercept" and len({p < _LEVEL for p in values}) > 1:
            term = shown.get(str(row["term"]), str(row["term"])).lower()
            made.append(f"{row['judge']}, {term}")
    return made
