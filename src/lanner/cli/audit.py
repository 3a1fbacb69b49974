"""`lanner audit`: what moves a model's judgements that should not."""

from __future__ import annotations

from typing import Any

import click

from lanner.cli._early_checks import campaign_names, refuse_missing
from lanner.cli._options import (
    complete_protocol,
    from_option,
    implementation,
    known_name,
    known_protocol,
    reads_files,
    store_option,
)
from lanner.cli._output import json_option
from lanner.judges import providers


@click.command("audit", short_help="What moves a model's judgements that should not.")
@click.argument("model")
@click.option("--texts", "source", required=True, metavar="CAMPAIGN_OR_TEXTS", help="What it judges in the audit.")
@click.option(
    "--protocol",
    metavar="NAME_OR_FILE",
    shell_complete=complete_protocol,
    callback=known_protocol,
    help="What is asked about a file of texts.",
)
@click.option("--base-url", "base_urls", multiple=True, help="The server.")
@click.option(
    "--provider",
    default=providers.DEFAULT,
    show_default=True,
    callback=known_name("judges.providers"),
    help="The server's interface.",
)
@click.option("--prompt", default="", help="The words around the questions.")
@click.option("--context", default="", help="What is shown around a sentence.")
@click.option("--sentences", default=60, show_default=True, help="How many sentences, in whole documents.")
@click.option("--samples", "repeats", default=3, show_default=True, help="How often to ask for self-consistency.")
@click.option("--language", "languages", multiple=True, help="Another language for the instructions (default: de).")
@click.option("--max-cost", type=float, help="Stop before the audit costs more.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="A setting of `lanner judge`.")
@from_option
@store_option
@json_option
@reads_files("protocol")
def command(model: str, source: str, store_place: str, **options: Any) -> None:
    """Audit a model: length, pleas in the translation, wording and language of the instructions, order, range of
    scores, agreement with itself. Each has an interval over documents and a plain verdict.

    Example: lanner audit my-model --texts pilot --base-url http://127.0.0.1:8080/v1
    """
    refuse_missing(source, store_place)
    if source not in (campaign_names(store_place) or ()):
        implementation("_file_check").check_texts(source, options["format_name"])
    implementation("_audit").run(model, source, store_place=store_place, **options)
