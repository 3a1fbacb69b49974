"""Declarations of the commands about judges that are no people: models and metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from lanner.cli import (
    NUMBER,
    PATH,
    Group,
    about_campaign,
    answer,
    answer_from_store,
    complete_source,
    from_option,
    implementation,
    json_option,
    known_name,
    known_prompt,
    named_protocol,
    reads_files,
    refuse_unused,
    seed_option,
    store_option,
    systems_option,
)
from lanner.cli.early_checks import campaign_names, refuse_missing
from lanner.judges import providers
from lanner.judges.settings import SETTINGS, option_of, text_of

provider_option = click.option(
    "--provider",
    default=providers.DEFAULT,
    show_default=True,
    callback=known_name("judges.providers"),
    help="The server's interface.",
)


# Each setting of `lanner judge` (lanner.judges.settings) is also the option that it once was.


def old_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Each setting as the option it was, kept out of the help."""
    for name, setting in SETTINGS.items():
        kind: dict[str, Any] = {"is_flag": True, "default": None} if setting.type is bool else {"type": setting.type}
        if setting.type is dict:
            kind = {"type": str}
        if setting.choices:
            kind = {"type": click.Choice(setting.choices)}
        command = click.option(option_of(name), name, hidden=True, help=setting.help, **kind)(command)
    return command


def list_settings(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    """Print the settings with their defaults, and end."""
    if not wanted or context.resilient_parsing:
        return
    for name, setting in SETTINGS.items():
        default = "" if setting.default in (None, "", {}) else f" (default {text_of(setting.default)})"
        click.echo(f"{name:15} {setting.help}{default}")
    context.exit()


# The commands.


def check_texts_to_judge(options: Mapping[str, Any]) -> None:
    """The error where what a model is to judge is not there, or no text that can be read."""
    source, store_place = options["source"], options["store_place"]
    refuse_missing(source, store_place)
    if source not in (campaign_names(store_place) or ()):
        implementation("file_check").check_texts(source, options["format_name"])


@click.command(
    "judge",
    short_help="Run LLM judges with the same protocol as people.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("source", metavar="CAMPAIGN_OR_TEXTS", shell_complete=complete_source)
@named_protocol("The protocol, when judging a file of texts.")
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
@click.option("--max-cost", type=NUMBER, help="Stop before the run exceeds this cost.")
@click.option("--limit", type=click.IntRange(1), help="Judge at most this many items.")
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
    hidden=True,  # the help of --settings names it
    callback=list_settings,
    help="List the settings.",
)
@old_options
@from_option
@store_option
@json_option
@reads_files("protocol")
def judge(**options: Any) -> None:
    """Run LLM judges. An interrupted run resumes with the same command; what is answered is not asked again.

    Example: lanner judge pilot --model my-model --base-url http://127.0.0.1:8080/v1
    """
    if options["contexts"]:
        refuse_unused("with --compare-contexts, which names its own", "--context")
    check_texts_to_judge(options)
    answer("judge.run", options)


@click.group("prompt", cls=Group, short_help="Read the prompts of model judges, check or try your own.")
def prompt() -> None:
    """Read the prompts of model judges, check your own file, try one on a text.

    Example: lanner prompt show gemba_mqm
    """


@prompt.command("show", short_help="List the prompts, or print one.")
@click.argument("name", metavar="[NAME_OR_FILE]", default="", callback=known_prompt)
@click.option("--variables", is_flag=True, help="List the variables that a prompt may use.")
@json_option
@reads_files("name")
def prompt_show(**options: Any) -> None:
    """List the prompts that are there, or print the words of one.

    Example: lanner prompt show judge --variables
    """
    answer("model_judges.show_prompt", options)


@prompt.command("check", short_help="Check a prompt file.")
@click.argument("name", metavar="NAME_OR_FILE", callback=known_prompt)
@named_protocol("Check it with this protocol alone.", default="")
@json_option
@reads_files("name", "protocol")
def prompt_check(**options: Any) -> None:
    """Check a prompt: its form, its variables, and its words with every protocol that it is for.

    Example: lanner prompt check mine.toml
    """
    answer("model_judges.check_prompt", options)


@prompt.command("try", short_help="Fill a prompt in, and ask a model if one is named.")
@click.argument("name", metavar="NAME_OR_FILE", callback=known_prompt)
@named_protocol("What is asked.", required=True)
@click.option("--texts", type=PATH, help="A file of texts.")
@click.option("--context", default="people", show_default=True, help="What is shown around a sentence.")
@click.option("--rationale", is_flag=True, help="Let the model give its reasons before the scores.")
@click.option("--model", default="", help="A model to ask.")
@provider_option
@click.option("--base-url", default="", help="The server.")
@json_option
@reads_files("name", "protocol", "texts")
def prompt_try(**options: Any) -> None:
    """Fill a prompt in with the first text, and show the reply where a model is named. Nothing is stored.

    Example: lanner prompt try mine.toml --protocol esa --texts news.jsonl
    """
    if not options["model"]:
        refuse_unused("without --model", "--provider", "--base-url")
    implementation("file_check").check_texts(options["texts"])
    answer("model_judges.try_prompt", options)


@about_campaign("replay", "Import answers that a model gave elsewhere.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=PATH)
@click.option("--as", "judge_name", default="", help="The judge's name (default: the file's).")
@reads_files("files")
def replay(**options: Any) -> None:
    """Import a model's answers from JSON lines. Other spellings are resolved by the protocol's aliases and counted.

    Example: lanner replay pilot o4-mini.jsonl
    """
    answer_from_store("model_judges.run_replay", options)


@about_campaign("ledger", "Inspect model requests: prompts, replies, costs, failures.")
@click.argument("judge", required=False)
@click.option("--missing", is_flag=True, help="Only questions without a valid last reply.")
@click.option("--document", default="", help="Only questions about this document.")
@click.option("--segment", default="", help="Only questions about this segment.")
@click.option("--limit", default=50, show_default=True, help="Maximum number of rows.")
@click.option("--full", is_flag=True, help="Include the full request and reply.")
def ledger(**options: Any) -> None:
    """List every reply of a model judge, oldest first.

    Example: lanner ledger pilot my-model --missing
    """
    answer_from_store("model_judges.run_ledger", options)


@click.command("metric", short_help="Score systems with BLEU, chrF, COMET and other metrics.")
@click.argument("given", nargs=-1, metavar="METRIC... FILE_OR_CAMPAIGN")
@click.option("--references", help="Only these references, comma-separated. [default: all]")
@systems_option
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the metrics; repeatable.")
@click.option(
    "--out", type=PATH, help="Write texts and scores: a new folder in mt-metrics-eval's layout, or a .jsonl file."
)
@click.option("--save", metavar="NAME", help="Store the scores as a campaign.")
@click.option("--list", "listed", is_flag=True, help="List the metrics.")
@seed_option
@from_option
@store_option
@json_option
def metric(**options: Any) -> None:
    """Score every system with one or more metrics, with confidence intervals over documents.

    Example: lanner metric bleu chrf wmt23 --languages en-de --out scored
    """
    answer("model_judges.run_metric", options)
