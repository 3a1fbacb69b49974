"""`lanner effort`: how fast judges work, per domain, over a session, and what it costs."""

from __future__ import annotations

import click

from lanner.cli._output import Output, json_option, print_rows
from lanner.cli._source import chosen_judges, from_option, materials, protocol_option, store_option
from lanner.stats.effort import cost, fatigue, throughput
from lanner.stats.resample import Resampling


@click.command("effort", short_help="How fast judges work, and what it costs.")
@click.argument("source", metavar="FILE_OR_CAMPAIGN")
@click.option("--judges", help="Only these judges, with commas between.")
@click.option("--by", default="judge", show_default=True, help="judge, system, stage, with commas between.")
@click.option("--limit", default=10_000.0, show_default=True, help="Items that took longer, in seconds, are left out.")
@click.option("--pooled", is_flag=True, help="Over all items, instead of the mean over domains.")
@click.option("--rate", type=float, help="What an hour costs: print the cost instead.")
@click.option("--fatigue", "tiring", is_flag=True, help="How speed changes over a document and a session instead.")
@click.option("--seed", default=0, show_default=True)
@from_option
@protocol_option
@store_option
@json_option
def command(
    source: str,
    judges: str | None,
    by: str,
    limit: float,
    pooled: bool,
    rate: float | None,
    tiring: bool,
    seed: int,
    format_name: str | None,
    protocol: str | None,
    store_place: str,
    as_json: bool,
) -> None:
    """Items a minute, with intervals; items that took hours (someone left) are left out and counted.

    Example: lanner effort h-falcon
    """
    groups = [name.strip() for name in by.split(",") if name.strip()]
    resampling = Resampling(seed=seed)
    for part in materials(source, store_place, format_name, protocol):
        table = chosen_judges(part, judges).table
        output = Output("effort", as_json)
        output.say(part.name, style="bold")
        if rate is not None:
            result = cost(table, rate, by=groups, limit=limit)
            print_rows(output, result, list(result.rows[0]) if result.rows else ["value"], bounded=False)
        elif tiring:
            result = fatigue(table, limit=limit)
            print_rows(output, result, ["judge", "term", "estimate", "p", "n"], bounded=False)
        else:
            result = throughput(table, by=groups, limit=limit, pooled=pooled, resampling=resampling)
            shown = [*groups, "domain", "estimate", "mean_seconds", "median_seconds", "hours", "n"]
            print_rows(output, result, shown, bounded=False)
