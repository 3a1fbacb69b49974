"""`lanner import`: judgements from files become a campaign, texts become a corpus file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lanner.cli._options import from_option, implementation, protocol_option, reads_files, store_option
from lanner.cli._output import json_option


@click.command("import", short_help="Import texts or judgements from files or a folder.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option("--name", help="Name of the campaign or corpus (default: the file's).")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the format; repeatable.")
@click.option("--force", is_flag=True, help="Overwrite an existing corpus file.")
@click.option("--yes", is_flag=True, help="Accept guessed columns without asking.")
@from_option
@protocol_option
@store_option
@json_option
@reads_files("paths", "protocol")
def command(**options: Any) -> None:
    """Import files or a folder. The format is detected from the content.

    Judgements become a campaign in the store. Texts without judgements become NAME.jsonl, one document per line, ready
    for `lanner new`. Plain text files with one segment per line are read together: lanner import src.en hyp.de.

    Example: lanner import h-falcon
    """
    if not options["options"]:
        implementation("_file_check").check_import(options["paths"], options["format_name"])
    implementation("_import").run(**options)
