"""`lanner design`: who would get what, how long it would take and what it would cost, before anything is created."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lanner.cli._options import (
    SEED,
    after_option,
    before_option,
    complete_protocol,
    contexts_option,
    from_option,
    implementation,
    known_name,
    known_protocol,
    reads_files,
    settings_option,
)
from lanner.cli._output import json_option


@click.command("design", short_help="Preview a campaign: assignments, hours, cost, overlap.")
@click.option("--texts", type=click.Path(path_type=Path), help="A file or folder in any known format.")
@click.option(
    "--protocol",
    shell_complete=complete_protocol,
    callback=known_protocol,
    help="A protocol by name, or a TOML file.",
)
@click.option("--judges", default="3", show_default=True, help="A number, comma-separated names, or a CSV file.")
@click.option(
    "--design",
    "name",
    default="full",
    show_default=True,
    callback=known_name("designs"),
    help="How items are assigned to judges.",
)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the design; repeatable.")
@contexts_option
@click.option("--systems", help="Only these systems, comma-separated.")
@settings_option
@before_option
@after_option
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
@click.option("--rate", type=float, help="Cost of an hour.")
@from_option
@json_option
@reads_files("texts", "protocol")
def command(**options: Any) -> None:
    """Preview the assignments of a campaign. Without --texts and --protocol, list the designs and their options.

    Example: lanner design --texts my.jsonl --protocol da --judges 4 --design batches --option judges_per_document=2
    """
    implementation("_file_check").check_texts(options["texts"], options["format_name"])
    implementation("_design").run(**options)
