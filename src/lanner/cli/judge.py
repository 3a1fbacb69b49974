"""`lanner judge`: let models judge a campaign or a file of texts, by the same protocol as people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lanner.cli._early_checks import campaign_names, refuse_missing
from lanner.cli._judge_settings import list_settings, old_options
from lanner.cli._options import (
    complete_protocol,
    complete_source,
    from_option,
    implementation,
    known_name,
    known_protocol,
    reads_files,
    store_option,
)
from lanner.cli._output import json_option
from lanner.judges import providers


@click.command(
    "judge",
    short_help="Run LLM judges with the same protocol as people.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("source", metavar="CAMPAIGN_OR_TEXTS", shell_complete=complete_source)
@click.option(
    "--protocol",
    metavar="NAME_OR_FILE",
    shell_complete=complete_protocol,
    callback=known_protocol,
    help="The protocol, when judging a file of texts.",
)
@click.option("--model", "models", multiple=True, help="Model name; repeatable for several judges.")
@click.option(
    "--base-url",
    "base_urls",
    multiple=True,
    help="The server; once for all models, or once for each (default: OpenAI).",
)
@click.option(
    "--provider",
    default=providers.DEFAULT,
    show_default=True,
    metavar="NAME",
    callback=known_name("judges.providers"),
    help=f"The server's interface: {', '.join(providers.interfaces())}, or one of another package.",
)
@click.option("--as", "judge_name", default="", help="The judge's name (default: the model's); kim2025: as published.")
@click.option(
    "--prompt", default="", metavar="NAME_OR_FILE", show_default="judge", help="The words around the questions."
)
@click.option(
    "--context",
    default="",
    metavar="NAME",
    show_default="people",
    help="What is shown around a sentence: people, none, source±N, own±N, reference±N, whole, kim2025.",
)
@click.option(
    "--compare-contexts",
    "contexts",
    is_flag=False,
    flag_value="people,none,source±2,own±2,reference±2",
    default="",
    metavar="[NAMES]",
    help="Judge a sample in several contexts and compare them.",
)
@click.option("--max-cost", type=float, help="Stop before the run exceeds this cost.")
@click.option("--limit", type=int, help="Judge at most this many items.")
@click.option("--retry-missing", is_flag=True, help="Retry items without a valid answer.")
@click.option(
    "--replay",
    "replays",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    hidden=True,
    help="Now: lanner replay.",
)
@click.option("--dry-run", is_flag=True, help="Show three prompts and a cost estimate; send nothing.")
@click.option(
    "--settings",
    "settings_file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A TOML file of settings; `lanner judge --help-settings` lists them.",
)
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Set one setting; overrides the file.")
@click.option(
    "--help-settings",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=list_settings,
    help="List the settings.",
)
@old_options
@from_option
@store_option
@json_option
@reads_files("protocol")
def command(source: str, store_place: str, **options: Any) -> None:
    """Run LLM judges. An interrupted run resumes with the same command; nothing is asked twice.

    Example: lanner judge pilot --model my-model --base-url http://127.0.0.1:8080/v1
    """
    refuse_missing(source, store_place)
    if source not in (campaign_names(store_place) or ()):
        implementation("_file_check").check_texts(source, options["format_name"])
    implementation("_judge").run(source, store_place=store_place, **options)
