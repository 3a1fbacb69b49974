"""`lanner regress`: what a score is made of: coefficients with document-clustered intervals, R² by block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from lanner.cli._mixed import print_mixed
from lanner.cli._options import names
from lanner.cli._output import Output, print_rows
from lanner.cli._source import Source, check_domains, shares
from lanner.figures.typeset import p_value, percent
from lanner.model import Json, Result
from lanner.stats.reading import band
from lanner.stats.regression import Clustering, regress
from lanner.stats.regression import blocks as regress_blocks
from lanner.stats.resample import Resampling
from lanner.stats.wide import wide

_WIDE = 0.5  # an R² that may lie anywhere in half of its range says next to nothing


def run(
    source: Source,
    outcome: str,
    blocks: str,
    by: str,
    errors: Clustering,
    fill: float | None,
    coefficients: bool,
    samples: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Regress a score on others, block by block. A grid question stands for all of its rows."""
    parts = [[name.strip() for name in block.split("+")] for block in blocks.split(",")]
    predictors = [name for block in parts for name in block]
    part = source.part_with([outcome, *predictors])
    groups = [] if by == "-" else names(by)
    if "domain" in groups:
        check_domains(part)
    resampling = Resampling(seed=seed)
    output = Output("regress", as_json)
    if samples:
        for domain, own in shares(part, "domain" if "domain" in groups else None):
            print_mixed(output, own, domain, outcome, predictors)
        output.end()
        return
    if coefficients:
        measures = wide(part.table)
        result = regress(measures, outcome, predictors, by=groups, errors=errors, fill=fill, resampling=resampling)
        columns = [*groups, "term", "estimate", "p", "n"]
        words = _slopes(result, outcome, groups, _first_groups(measures.table))
        print_rows(output, result, columns, bounded=False, words=words)
        return
    result = regress_blocks(part.table, outcome, parts, by=groups, errors=errors, fill=fill, resampling=resampling)
    rows = [
        {**row, "value": row["r2"], "low": row["r2_low"], "high": row["r2_high"], "unit": resampling.unit}
        for row in result.rows
    ]
    columns = [*groups, "step", "estimate", "added", "p", "n"]
    headings = {"estimate": "R² [95 %]", "p_text": "p of what is added"}
    words = _explained(result, outcome, parts, groups)
    print_rows(output, replace(result, rows=rows), columns, headings=headings, words=words)


def _explained(result: Result, outcome: str, parts: Sequence[Sequence[str]], groups: Sequence[str]) -> list[str]:
    """What the last step says, for each group, and how large the gain is by Cohen's f²."""
    words = []
    for row in result.rows[len(parts) - 1 :: len(parts)]:
        who = ", ".join(str(row[name]) for name in groups)
        alone = len(parts) == 1 and len(parts[0]) == 1
        says = f"{row['step']} explain{'s' * alone} {percent(row['r2'], 0)} of how {outcome} varies from item to item"
        if len(parts) > 1 and row["added"] is not None and row["r2"] < 1:
            large = band(row["added"] / (1 - row["r2"]), "cohen_f2")
            last = " + ".join(parts[-1])
            gain = f"add{'s' * (len(parts[-1]) == 1)} {percent(row['added'], 0)}"
            says += f"; {last} {gain} to what the others explain, a {large} effect (Cohen 1988)"
            says += f", {p_value(row['p'])}" if row["p"] is not None else ", not tested: too few documents"
        elif row["r2"] < 1:
            says += f", a {band(row['r2'] / (1 - row['r2']), 'cohen_f2')} effect (Cohen 1988)"
            wide_open = row["r2_low"] is not None and row["r2_high"] - row["r2_low"] > _WIDE
            says += "; the interval is too wide to rest on, more documents narrow it" if wide_open else ""
        words.append(f"{who}: {says}." if who else f"{says}.")
    if words and len(parts) > 1:
        words.append("Blocks that go together share what they explain: another order gives other gains.")
    return words


def _first_groups(table: pl.DataFrame) -> dict[str, str]:
    """The group that the others of a column of text are compared with."""
    text = [name for name in table.columns if table.schema[name] == pl.String() and table[name].is_not_null().any()]
    return {name: str(table[name].drop_nulls().min()) for name in text}


def _slopes(result: Result, outcome: str, groups: Sequence[str], first: Mapping[str, str]) -> list[str]:
    """The surest coefficients in words; the rest is in the table."""
    rows: list[Json] = [row for row in result.rows if row["term"] != "intercept" and row.get("p") is not None]
    words = []
    for who in dict.fromkeys(tuple(str(row[name]) for name in groups) for row in rows):
        mine = [row for row in rows if tuple(str(row[name]) for name in groups) == who]
        row = min(mine, key=lambda r: r["p"])
        way = "higher" if row["value"] > 0 else "lower"
        name, _, group = str(row["term"]).partition("=")
        change = f"{name} {group} rather than {first.get(name, 'the first group')}" if group else f"one more of {name}"
        says = f"{change} goes with {outcome} {abs(row['value']):.2f} {way}, all else equal"
        words.append(": ".join(filter(None, (", ".join(who), f"{says} ({p_value(row['p'])})."))))
    return words
