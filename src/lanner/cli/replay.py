"""`lanner replay`: take in outputs that a model gave elsewhere, as the answers of a judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lanner.cli._early_checks import refuse_shared_name, refuse_unknown_campaign
from lanner.cli._options import complete_campaign, implementation, reads_files, store_option
from lanner.cli._output import json_option


@click.command("replay", short_help="Take in outputs that a model gave elsewhere.")
@click.argument("name", metavar="CAMPAIGN", shell_complete=complete_campaign)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--as", "judge_name", default="", help="The judge's name (default: the file's).")
@store_option
@json_option
@reads_files("files")
def command(name: str, store_place: str, **options: Any) -> None:
    """Take in files of JSON lines with a model's answers. Spellings are mended by the protocol's aliases and counted.

    Example: lanner replay pilot o4-mini.jsonl
    """
    refuse_shared_name(options["files"], options["judge_name"])
    refuse_unknown_campaign(name, store_place)
    implementation("_replay").run(name, store_place=store_place, **options)
