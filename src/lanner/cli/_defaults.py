"""`lanner.toml`: what a folder's commands take where an option is not given.

Its keys are the names of options, without the dashes in front: `store`, `protocol`, `languages`, `base-url`. A table
with the name of a command holds for that command alone. The file is searched for in the folder and in those above it.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from lanner.errors import InputError, LannerError, Where, did_you_mean

FILE = "lanner.toml"


def find(folder: Path) -> Path | None:
    """The settings of a folder: its own or those of the nearest folder above."""
    return next((place / FILE for place in (folder, *folder.parents) if (place / FILE).is_file()), None)


def read(path: Path) -> dict[str, Any]:
    """The settings in a file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"The settings cannot be read: {error}.", where=Where(path)) from error


def for_command(settings: Mapping[str, Any], name: str, command: click.Command, path: Path) -> dict[str, Any]:
    """The defaults of one command: the settings that are options of it. A path to a store is meant from the file."""
    options = {
        option.lstrip("-").replace("-", "_"): parameter
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
    }
    common = {key: value for key, value in settings.items() if not isinstance(value, dict)}
    own = settings.get(name, {})
    if not isinstance(own, dict):
        own = {}
    defaults: dict[str, Any] = {}
    for key, value in {**common, **own}.items():
        parameter = options.get(key.replace("-", "_"))
        if parameter is None:
            if key in own:
                hint = did_you_mean(key, sorted(options))
                raise LannerError(f"`lanner {name}` has no option {key!r}.", where=Where(path), next_step=hint)
            continue
        if key == "store":
            if os.environ.get("LANNER_STORE"):
                continue
            value = value if "://" in str(value) else str(path.parent / str(value))  # noqa: PLW2901
        defaults[str(parameter.name)] = value
    return defaults
