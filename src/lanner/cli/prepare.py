"""`lanner prepare`: from files people have to documents ready to judge, by a recipe that others can repeat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lanner.cli._options import PORT, SEED, from_option, implementation, known_recipe, reads_files
from lanner.cli._output import json_option


@click.command("prepare", short_help="Prepare documents: split, align, filter, sample.")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--recipe",
    "recipe_name",
    default="sentences",
    show_default=True,
    callback=known_recipe,
    help="A built-in recipe, or a TOML file.",
)
@click.option("--out", type=click.Path(path_type=Path), help="The corpus to write (default: PATH-RECIPE.jsonl).")
@click.option("--seed", type=SEED, help="In place of the recipe's own seed.")
@click.option("--verify", "verifying", is_flag=True, help="Check the doubtful rows in your browser.")
@click.option(
    "--port",
    type=PORT,
    default=8100,
    show_default=True,
    help="With --verify: port; the next free one is used if it is taken.",
)
@click.option(
    "--verified",
    type=click.Path(path_type=Path),
    help="The list of doubtful rows, corrected by hand.",
)
@click.option(
    "--edits",
    "edits_from",
    type=click.Path(path_type=Path),
    help="Apply edits from a log or manifest.",
)
@click.option("--by", default="", help="With --verify or --verified: your name, for the log.")
@click.option(
    "--avoid",
    type=click.Path(path_type=Path),
    help="An earlier corpus that a sample must not overlap.",
)
@click.option(
    "--difficult",
    "sentences",
    type=click.IntRange(min=1),
    help="After the recipe, draw so many sentences of hard texts.",
)
@click.option(
    "--criteria",
    default="source",
    show_default=True,
    help="With --difficult: comma-separated of source, diversity, variance, disagreement, context.",
)
@click.option("--describe-only", is_flag=True, help="Print the table of documents and sentences; write nothing.")
@click.option("--latex", is_flag=True, help="The table as LaTeX.")
@from_option
@json_option
@reads_files("path", "recipe_name", "verified", "edits_from", "avoid")
def command(**options: Any) -> None:
    """Split into sentences, align, filter and sample according to a recipe. Also writes a manifest, from which the same
    bytes can be reproduced, and a list of doubtful rows to check on a page (--verify) or in a spreadsheet (--verified).

    Example: lanner prepare wmt24 --recipe wmt24 --verify
    """
    implementation("_file_check").check_texts(options["path"], options["format_name"])
    implementation("_prepare").run(**options)
