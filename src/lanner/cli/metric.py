"""`lanner metric`: rate systems automatically, print their scores, keep them for all other commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lanner.cli._options import SEED, from_option, implementation, store_option
from lanner.cli._output import json_option


@click.command("metric", short_help="Score systems with BLEU, chrF, COMET and other metrics.")
@click.argument("given", nargs=-1, metavar="METRIC... FILE_OR_CAMPAIGN")
@click.option("--references", help="Only these references, comma-separated. [default: all]")
@click.option("--systems", help="Only these systems, comma-separated.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the metrics; repeatable.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write texts and scores: a new folder in mt-metrics-eval's layout, or a .jsonl file.",
)
@click.option("--save", metavar="NAME", help="Store the scores as a campaign.")
@click.option("--list", "listed", is_flag=True, help="List the metrics.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
@from_option
@store_option
@json_option
def command(**options: Any) -> None:
    """Score every system with one or more metrics, with confidence intervals over documents.

    Example: lanner metric bleu chrf wmt23 --languages en-de --out scored
    """
    implementation("_metric").run(**options)
