"""`lanner metaeval`: how well metrics and other scorers agree with gold about systems and segments."""

from __future__ import annotations

from typing import Any

import click

from lanner.cli._early_checks import refuse_missing
from lanner.cli._options import (
    SEED,
    RenamedOption,
    from_option,
    implementation,
    protocol_option,
    store_option,
)
from lanner.cli._output import json_option


@click.command("metaeval", short_help="Meta-evaluation: how well metrics agree with human scores.")
@click.argument("source", metavar="FOLDER_FILE_OR_CAMPAIGN")
@click.option(
    "--gold", help="Gold scores: a judge, or people for their mean.  [default: people; in a folder of scores, mqm]"
)
@click.option("--metrics", help="Only these metrics, judges or columns, comma-separated.")
@click.option("--with-references", is_flag=True, help="Include human references as systems.")
@click.option(
    "--question",
    "-q",
    cls=RenamedOption,
    old=["--of"],
    help="The question, in a campaign or file.  [default: score, or what the protocol ranks systems by]",
)
@click.option("--compare", is_flag=True, help="Test every pair of metrics instead.")
@click.option("--tests", "asked", metavar="NAMES", help="With --compare: the tests, comma-separated, or all.")
@click.option("--compat", is_flag=True, help="Match mt-metrics-eval where its definitions differ.")
@click.option("--as-wmt24", is_flag=True, help="Permute single scores, as the shared task did.")
@click.option(
    "--table", "layout", type=click.Choice(["latex", "tsv"]), help="Print only the table, for a paper or spreadsheet."
)
@click.option("--swaps", default=1000, show_default=True, help="Number of permutations for soft accuracy and tests.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
@from_option
@protocol_option
@store_option
@json_option
def command(source: str, store_place: str, **options: Any) -> None:
    """Compare metrics with gold scores: pairwise accuracy with ties, system-level accuracy, correlations.

    Example: lanner metaeval wmt23 --languages en-de --gold mqm
    """
    refuse_missing(source, store_place)
    implementation("_file_check").check_format(source, options["format_name"])
    implementation("_metaeval").run(source=source, store_place=store_place, **options)
