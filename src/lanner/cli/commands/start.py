"""Declarations of the commands one starts with: the demo, a check of the installation, protocols, one's texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lanner.cli import (
    PATH,
    PORT,
    SEED,
    Group,
    answer,
    from_option,
    implementation,
    json_option,
    known_protocol,
    known_recipe,
    protocol_option,
    reads_files,
    refuse_unused,
    store_option,
)


@click.command("demo", short_help="Try Lanner: judging page, live campaign and report.")
@click.option(
    "--folder", type=PATH, default=Path("lanner-demo"), show_default=True, help="Folder for the demo's files."
)
@click.option(
    "--port", type=PORT, default=8000, show_default=True, help="Port; the next free one is used if it is taken."
)
@click.option("--serve/--no-serve", "serving", default=True, help="Serve the pages, or only write the files.")
@click.option(
    "--open/--no-open", "opening", default=None, help="Open the start page in a browser (default: in a terminal)."
)
def demo(**options: Any) -> None:
    """Start a tour: judge three sentences, watch judgements arrive, read a report, then use your own file. The other
    judges are simulated. Nothing leaves this machine.

    Example: lanner demo
    """
    answer("demo.run", options)


@click.command("doctor", short_help="Check the installation: what is missing and how to get it.")
@store_option
@json_option
def doctor(**options: Any) -> None:
    """Check versions, database, disk, browser, fonts and optional packages. Changes nothing. The exit code is 2 only if
    something is broken; missing optional packages are not an error.

    Example: lanner doctor
    """
    answer("doctor.run", options)


@click.command("protocols", short_help="List the available protocols.")
@json_option
def protocols(**options: Any) -> None:
    """List all protocols, built in and from installed packages.

    Example: lanner protocols
    """
    answer("protocols.list_protocols", options)


@click.group("protocol", cls=Group, short_help="Show a protocol, or validate your own.")
def protocol() -> None:
    """Show a protocol, or validate your own file.

    Example: lanner protocol show h_falcon
    """


@protocol.command("show", short_help="Print a protocol in readable form.")
@click.argument("name", metavar="NAME_OR_FILE", callback=known_protocol)
@click.option("--language", default="en", show_default=True, help="Language of the questions.")
@click.option("--published", is_flag=True, help="Use the wording of the paper, with sources.")
@json_option
@reads_files("name")
def protocol_show(**options: Any) -> None:
    """Print a protocol in readable form.

    Example: lanner protocol show h_falcon --language ko
    """
    answer("protocols.show", options)


@protocol.command("check", short_help="Validate a protocol file.")
@click.argument("name", metavar="FILE", callback=known_protocol)
@json_option
@reads_files("name")
def protocol_check(**options: Any) -> None:
    """Validate a protocol file. Errors name the file and line.

    Example: lanner protocol check mine.toml
    """
    answer("protocols.check", options)


@click.command("import", short_help="Import texts or judgements from files or a folder.")
@click.argument("paths", nargs=-1, required=True, type=PATH, metavar="PATH...")
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
    answer("imports.run", options)


@click.command("prepare", short_help="Prepare documents: split, align, filter, sample.")
@click.argument("path", type=PATH)
@click.option(
    "--recipe",
    "recipe_name",
    default="sentences",
    show_default=True,
    callback=known_recipe,
    help="A built-in recipe, or a TOML file.",
)
@click.option("--out", type=PATH, help="The corpus to write (default: PATH-RECIPE.jsonl).")
@click.option("--seed", type=SEED, help="In place of the recipe's own seed.")
@click.option("--verify", "verifying", is_flag=True, help="Check the doubtful rows in your browser.")
@click.option(
    "--port",
    type=PORT,
    default=8100,
    show_default=True,
    help="With --verify: port; the next free one is used if it is taken.",
)
@click.option("--verified", type=PATH, help="The list of doubtful rows, corrected by hand.")
@click.option("--edits", "edits_from", type=PATH, help="Apply edits from a log or manifest.")
@click.option("--by", default="", help="With --verify or --verified: your name, for the log.")
@click.option("--avoid", type=PATH, help="An earlier corpus that a sample must not overlap.")
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
    if options["describe_only"]:
        writes = ("--out", "--seed", "--verify", "--verified", "--edits", "--by", "--avoid", "--difficult")
        refuse_unused("with --describe-only", *writes)
    if not options["verifying"]:
        refuse_unused("without --verify", "--port")
    if not (options["verifying"] or options["verified"]):
        refuse_unused("without --verify or --verified", "--by")
    if options["sentences"] is None:
        refuse_unused("without --difficult", "--criteria")
    implementation("file_check").check_texts(options["path"], options["format_name"])
    answer("prepare.run", options)


@click.command("formats", short_help="List file formats, or show a format's options.")
@click.argument("name", required=False)
@json_option
def formats(**options: Any) -> None:
    """List all formats, built in and from installed packages. With a NAME, describe the format and show its options.

    Example: lanner formats table
    """
    answer("imports.list_formats", options)
