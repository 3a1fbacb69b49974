"""Settings of a run that are seldom given: from a TOML file, by `--set NAME=VALUE`, or as the options they once were.

One table says what they are; the command, its help and the file are read by it. It loads nothing else of this package,
so that help is printed at once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lanner import registry
from lanner.errors import InputError, LannerError, Where, check_known, did_you_mean


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
    "retry_missing": Setting(bool, False, "Ask again where no valid answer came, also of one model of a panel."),
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
                f"{option_of(name)} still works; now it is --set {name}={text_of(value)}, or a line of --settings."
            )
    return values, notes


def _from_file(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    table = registry.toml_table(registry.read_text(file, "settings"), file)
    try:
        return {name: _setting(name).read(name, value) for name, value in table.items()}
    except LannerError as error:
        raise InputError(error.what, where=Where(file), next_step=error.next_step) from error


def _setting(name: str) -> Setting:
    check_known(name, SETTINGS, f"There is no setting {name!r}.")
    return SETTINGS[name]


def option_of(name: str) -> str:
    """The option that the setting once was."""
    return f"--{name.replace('_', '-')}"


def text_of(value: Any) -> str:
    """The value as `--set` reads it."""
    if isinstance(value, dict):
        return json.dumps(value)
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.12g}" if isinstance(value, float) else str(value)
