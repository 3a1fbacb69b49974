"""Declarations of the commands that read and prepare texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lanner.cli.options import (
    PORT,
    SEED,
    from_option,
    implementation,
    json_option,
    known_recipe,
    protocol_option,
    reads_files,
    store_option,
)


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
def import_(**options: Any) -> None:
    """Import files or a folder. The format is detected from the content.

    Judgements become a campaign in the store. Texts without judgements become NAME.jsonl, one document per line, ready
    for `lanner new`. Plain text files with one segment per line are read together: lanner import src.en hyp.de.

    Example: lanner import h-falcon
    """
    implementation("imports").run(**options)


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
def prepare(**options: Any) -> None:
    """Split into sentences, align, filter and sample according to a recipe. Also writes a manifest, from which the same
    bytes can be reproduced, and a list of doubtful rows to check on a page (--verify) or in a spreadsheet (--verified).

    Example: lanner prepare wmt24 --recipe wmt24 --verify
    """
    implementation("file_check").check_texts(options["path"], options["format_name"])
    implementation("prepare").run(**options)


@click.command("formats", short_help="List file formats, or show a format's options.")
@click.argument("name", required=False)
@json_option
def formats(**options: Any) -> None:
    """List all formats, built in and from installed packages. With a NAME, describe the format and show its options.

    Example: lanner formats table
    """
    implementation("imports").list_formats(**options)
