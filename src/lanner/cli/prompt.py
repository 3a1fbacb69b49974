"""`lanner prompt`: read the prompts of model judges, check one's own, try one on a text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lanner.cli._options import complete_protocol, implementation, known_name, known_prompt, known_protocol, reads_files
from lanner.cli._output import json_option
from lanner.judges import providers


@click.group("prompt", short_help="Read the prompts of model judges, check or try your own.")
def command() -> None:
    """Read the prompts of model judges, check your own file, try one on a text.

    Example: lanner prompt show gemba_mqm
    """


@command.command("show", short_help="List the prompts, or print one.")
@click.argument("name", metavar="[NAME_OR_FILE]", default="", callback=known_prompt)
@click.option("--variables", is_flag=True, help="List the variables that a prompt may use.")
@json_option
@reads_files("name")
def show(**options: Any) -> None:
    """List the prompts that are there, or print the words of one.

    Example: lanner prompt show judge --variables
    """
    implementation("_prompt").show(**options)


@command.command("check", short_help="Check a prompt file.")
@click.argument("name", metavar="NAME_OR_FILE", callback=known_prompt)
@click.option(
    "--protocol",
    default="",
    metavar="NAME_OR_FILE",
    shell_complete=complete_protocol,
    callback=known_protocol,
    help="Check it with this protocol alone.",
)
@json_option
@reads_files("name", "protocol")
def check(**options: Any) -> None:
    """Check a prompt: its form, its variables, and its words with every protocol that it is for.

    Example: lanner prompt check mine.toml
    """
    implementation("_prompt").check(**options)


@command.command("try", short_help="Fill a prompt in, and ask a model if one is named.")
@click.argument("name", metavar="NAME_OR_FILE", callback=known_prompt)
@click.option(
    "--protocol",
    required=True,
    metavar="NAME_OR_FILE",
    shell_complete=complete_protocol,
    callback=known_protocol,
    help="What is asked.",
)
@click.option("--texts", type=click.Path(path_type=Path), help="A file of texts.")
@click.option("--context", default="people", show_default=True, help="What is shown around a sentence.")
@click.option("--rationale", is_flag=True, help="Let the model give its reasons before the scores.")
@click.option("--model", default="", help="A model to ask.")
@click.option(
    "--provider",
    default=providers.DEFAULT,
    show_default=True,
    callback=known_name("judges.providers"),
    help="The server's interface.",
)
@click.option("--base-url", default="", help="The server.")
@json_option
@reads_files("name", "protocol", "texts")
def try_(**options: Any) -> None:
    """Fill a prompt in with the first text, and show the reply where a model is named. Nothing is stored.

    Example: lanner prompt try mine.toml --protocol esa --texts news.jsonl
    """
    implementation("_file_check").check_texts(options["texts"])
    implementation("_prompt").try_(**options)
