"""`lanner export`: judgements as a file: a tidy table with its codebook, or another tool's format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lanner.cli._early_checks import refuse_missing
from lanner.cli._options import (
    complete_format,
    complete_source,
    from_option,
    implementation,
    known_format,
    protocol_option,
    reads_files,
    store_option,
)
from lanner.cli._output import json_option


@click.command("export", short_help="Export judgements as CSV, JSONL or Parquet, or for another tool.")
@click.argument("source", metavar="FILE_OR_CAMPAIGN", shell_complete=complete_source)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Output file: .csv, .jsonl or .parquet.")
@click.option(
    "--to",
    "to_format",
    shell_complete=complete_format,
    callback=known_format,
    help="Write another tool's format instead of a tidy table (see `lanner formats`).",
)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of that format; repeatable.")
@click.option("--texts", "texts_only", is_flag=True, help="Write only the texts, in the format of --to.")
@click.option("--counted", is_flag=True, help="Only rows that count in results: main items, no excluded judges.")
@click.option("--identified", is_flag=True, help="Use judges' own ids (default: people are pseudonymised).")
@from_option
@protocol_option
@store_option
@json_option
@reads_files("protocol")
def command(source: str, store_place: str, **options: Any) -> None:
    """Write all current judgements, with a codebook that explains every column and value. People in a campaign are
    pseudonymised (judge-7), consistently across exports. With --texts only the texts are written, which converts one
    file format to another (see `lanner formats`).

    Example: lanner export pilot --out pilot.csv
    """
    refuse_missing(source, store_place)
    implementation("_file_check").check_format(source, options["format_name"])
    implementation("_export").run(source, store_place=store_place, **options)
