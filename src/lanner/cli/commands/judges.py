"""Declarations of the commands about judges that are no people: models and metrics."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from lanner.cli import (
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
    seed_option,
    store_option,
    systems_option,
)
from lanner.cli.source import campaign_names, refuse_missing
from lanner.errors import InputError, LannerError, Where, did_you_mean
from lanner.judges import providers

provider_option = click.option(
    "--provider",
    default=providers.DEFAULT,
    show_default=True,
    callback=known_name("judges.providers"),
    help="The server's interface.",
)


# Settings of `lanner judge` that are seldom given: from a TOML file, by `--set NAME=VALUE`, or as old options.
# One table says what they are; the command, its help and the file are read by it.


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting: its type, its default, what it does; `choices` where only some words are allowed."""

    type: type
    default: Any
    help: str
    choices: tuple[str, ...] = ()

    def read(self, name: str, value: Any) -> Any:
        """The value as its type, from TOML or from text."""
        try:
            if self.type is bool:
                read: Any = {"true": True, "false": False}[str(value).lower()]
            elif self.type is dict:
                read = json.loads(value) if isinstance(value, str) else value
                if not isinstance(read, dict):
                    raise ValueError
            elif isinstance(value, bool):
                raise ValueError
            else:
                read = self.type(value)
        except (ValueError, KeyError):
            raise LannerError(f"{name} = {value!r} is not {_KINDS[self.type]}.", next_step=self.help) from None
        if self.choices and read not in self.choices:
            raise LannerError(f"{name} = {value!r} is not known.", next_step=did_you_mean(str(value), self.choices))
        return read


_KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text", dict: "a JSON object"}
SETTINGS: dict[str, Setting] = {
    "name": Setting(str, "", "The campaign's name, for a file of texts."),
    "mode": Setting(
        str,
        "stages",
        "One call for each stage, each page, each skill or row, or all sentences of a document.",
        ("stages", "pages", "skills", "documents"),
    ),
    "few_shot": Setting(int, 0, "Examples: items that were adjudicated, or that people calibrated with."),
    "samples": Setting(int, 1, "Samples per item."),
    "batch": Setting(bool, False, "Use the server's batch interface: cheaper, answers within a day."),
    "swap": Setting(bool, False, "Judge pairs in both orders."),
    "retry_missing": Setting(bool, False, "Ask again about items without a valid answer."),
    "panel": Setting(bool, False, "Combine the models into one judge."),
    "engine": Setting(str, "local", "Run in this process, or on a Ray cluster.", ("local", "ray")),
    "rationale": Setting(bool, False, "Let the model give its reasons before the scores."),
    "weighted": Setting(bool, False, "Weight scores by the probabilities of their tokens, where a server tells them."),
    "reasoning_effort": Setting(str, "", "How long the model is to think: low, medium, high."),
    "top_p": Setting(float, None, "Sample from the likeliest tokens that make up this much probability."),
    "extra_body": Setting(dict, {}, "Fields of your own for every request, as a JSON object or a TOML table."),
    "key_variable": Setting(str, "", "The environment variable that holds the key."),
    "combine": Setting(str, "majority", "How several answers become one.", ("majority", "median", "mean")),
    "shuffle": Setting(bool, False, "Show options in another order for each item and sample."),
    "language": Setting(str, "en", "Language of the questions."),
    "temperature": Setting(float, None, "How freely the model answers; 0, or 1 with several samples."),
    "seed": Setting(int, 0, "Same seed, same order of options and samples."),
    "max_tokens": Setting(int, 2000, "Maximum length of a reply in tokens."),
    "reasks": Setting(int, 2, "How often an invalid answer is asked again."),
    "in_flight": Setting(int, None, "Maximum number of concurrent requests; 64."),
    "rpm": Setting(float, None, "Requests per minute that the server allows."),
    "tpm": Setting(float, None, "Tokens per minute that the server allows."),
    "timeout": Setting(float, 120.0, "Seconds to wait for a reply."),
    "price_in": Setting(float, None, "Price of a million tokens sent."),
    "price_out": Setting(float, None, "Price of a million tokens received."),
    "price_cached": Setting(float, None, "Price of a million tokens sent that the server knew from before."),
    "prices": Setting(str, "", "A file of prices, in the form of the shipped judges/prices.toml."),
    "ray_address": Setting(str, "", "Where the Ray cluster is; RAY_ADDRESS, or the one on this machine."),
    "workers": Setting(int, 1, "Workers on each machine of a Ray cluster."),
    "reference_free": Setting(bool, False, "As it was before contexts had names: source±2."),
}


def settings_from(
    file: Path | None, assignments: Sequence[str], options: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """Every setting with its value, and notes for options that are settings now. An option or `--set` goes before the
    file, the file before the default."""
    values = {name: setting.default for name, setting in SETTINGS.items()} | _from_file(file)
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise LannerError(f"--set {assignment} has no value.", next_step="Give for instance --set temperature=0.7")
        values[name] = _setting(name).read(name, text)
    notes = []
    for name, value in options.items():
        if value is not None:
            values[name] = SETTINGS[name].read(name, value)
            notes.append(
                f"{_option(name)} still works; now it is --set {name}={_text(value)}, or a line of --settings."
            )
    return values, notes


def _from_file(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"The settings cannot be read: {error}.", where=Where(file)) from error
    try:
        return {name: _setting(name).read(name, value) for name, value in table.items()}
    except LannerError as error:
        raise InputError(error.what, where=Where(file), next_step=error.next_step) from error


def _setting(name: str) -> Setting:
    if name not in SETTINGS:
        raise LannerError(f"There is no setting {name!r}.", next_step=did_you_mean(name, list(SETTINGS)))
    return SETTINGS[name]


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return json.dumps(value)
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def old_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Each setting as the option it was, kept out of the help."""
    for name, setting in SETTINGS.items():
        kind: dict[str, Any] = {"is_flag": True, "default": None} if setting.type is bool else {"type": setting.type}
        if setting.type is dict:
            kind = {"type": str}
        if setting.choices:
            kind = {"type": click.Choice(setting.choices)}
        command = click.option(_option(name), name, hidden=True, help=setting.help, **kind)(command)
    return command


def list_settings(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    """Print the settings with their defaults, and end."""
    if not wanted or context.resilient_parsing:
        return
    for name, setting in SETTINGS.items():
        default = "" if setting.default in (None, "", {}) else f" (default {_text(setting.default)})"
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
@click.option("--max-cost", type=float, help="Stop before the run exceeds this cost.")
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
    """Run LLM judges. An interrupted run resumes with the same command; nothing is asked twice.

    Example: lanner judge pilot --model my-model --base-url http://127.0.0.1:8080/v1
    """
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
