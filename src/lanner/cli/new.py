"""`lanner new`: make a campaign from texts, a protocol and judges, and hand out the judges' links."""

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
    store_option,
)
from lanner.cli._output import json_option


@click.command("new", short_help="Create a campaign and its judges' links.")
@click.argument("name", required=False)
@click.option(
    "--texts",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A file or folder in any known format; repeatable (--texts src.en --texts hyp.de).",
)
@click.option(
    "--protocol",
    shell_complete=complete_protocol,
    callback=known_protocol,
    help="A protocol by name, or a TOML file.",
)
@click.option("--published", is_flag=True, help="Use the wording of the protocol's paper.")
@click.option("--judges", help="A number, comma-separated names, or a CSV file (id, name, attributes).")
@click.option(
    "--design",
    default="full",
    show_default=True,
    callback=known_name("designs"),
    help="How items are assigned to judges.",
)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the design; repeatable.")
@click.option(
    "--goal",
    help="What an adaptive campaign is for: rank, best, better:A,B, not-worse:A,B,MARGIN, "
    "precision:X, agreement:MINIMUM; with it the design is adaptive.",
)
@click.option("--budget", type=int, help="How many judgements an adaptive campaign may cost. [default: all]")
@contexts_option
@click.option(
    "--prefill",
    metavar="MODEL@SOURCE",
    help="Let judges start from the marks of a model judge in another campaign or a file.",
)
@click.option(
    "--unassisted",
    type=click.FloatRange(0, 1, max_open=True),
    help="With --prefill: the share of each system's documents that is judged without them.  [default: 0.2]",
)
@click.option("--systems", help="Only these systems, comma-separated.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Same seed, same tasks.")
@click.option("--title", default="", help="The title that judges see.")
@settings_option
@before_option
@after_option
@click.option("--draft", is_flag=True, help="Create a draft, which can still be changed, instead of opening it.")
@click.option(
    "--base-url", default="http://127.0.0.1:8000", show_default=True, help="Address of the server, for the links."
)
@from_option
@store_option
@json_option
@reads_files("texts", "protocol")
def command(**options: Any) -> None:
    """Create a campaign. Missing options are prompted for.

    Example: lanner new pilot --texts my.csv --protocol h_falcon --judges "Ana, Ben"
    """
    implementation("_file_check").check_texts(options["texts"], options["format_name"])
    implementation("_new").run(**options)
