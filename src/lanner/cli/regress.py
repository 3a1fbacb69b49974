"""`lanner regress`: what a score is made of: coefficients with document-clustered intervals, R² by block."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import click

from lanner.cli._output import Output, json_option, print_rows
from lanner.cli._source import chosen_judges, from_option, part_that_asks, protocol_option, store_option
from lanner.stats.regression import Clustering, regress
from lanner.stats.regression import blocks as regress_blocks
from lanner.stats.resample import Resampling


@click.command("regress", short_help="What a score is made of: coefficients and R² by block.")
@click.argument("source", metavar="FILE_OR_CAMPAIGN")
@click.option("--outcome", required=True, help="The question or score to explain.")
@click.option("--blocks", required=True, help="Predictors, added block by block, with commas between; + joins a block.")
@click.option("--by", default="judge", show_default=True, help="A model for each judge, domain, system; - for one.")
@click.option("--errors", type=click.Choice(get_args(Clustering)), default="document", show_default=True)
@click.option("--fill", type=float, help="Take missing outcomes as this number (it is noted).")
@click.option("--judges", help="Only these judges, with commas between.")
@click.option("--coefficients", is_flag=True, help="The coefficients of the full model instead of R² by block.")
@click.option("--seed", default=0, show_default=True)
@from_option
@protocol_option
@store_option
@json_option
def command(
    source: str,
    outcome: str,
    blocks: str,
    by: str,
    errors: Clustering,
    fill: float | None,
    judges: str | None,
    coefficients: bool,
    seed: int,
    format_name: str | None,
    protocol: str | None,
    store_place: str,
    as_json: bool,
) -> None:
    """Explain a score by others, block by block. A grid stands for all of its rows.

    Example: lanner regress h-falcon --outcome holistic --blocks skills,sentence
    """
    part = chosen_judges(part_that_asks(source, store_place, format_name, protocol, outcome), judges)
    groups = [] if by == "-" else [name.strip() for name in by.split(",")]
    parts = [[name.strip() for name in block.split("+")] for block in blocks.split(",")]
    resampling = Resampling(seed=seed)
    output = Output("regress", as_json)
    if coefficients:
        predictors = [name for block in parts for name in block]
        result = regress(
            part.table,
            outcome,
            predictors,
            by=groups,
            errors=errors,
            fill=fill,
            resampling=resampling,
        )
        print_rows(output, result, [*groups, "term", "estimate", "p", "n"], bounded=False)
        return
    result = regress_blocks(
        part.table,
        outcome,
        parts,
        by=groups,
        errors=errors,
        fill=fill,
        resampling=resampling,
    )
    rows = [
        {**row, "value": row["r2"], "low": row["r2_low"], "high": row["r2_high"], "unit": resampling.unit}
        for row in result.rows
    ]
    print_rows(output, replace(result, rows=rows), [*groups, "step", "estimate", "added", "p", "n"])
