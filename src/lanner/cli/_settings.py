"""What a campaign adds to its design, from a TOML file and from options: questionnaires, controls, tutorial."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from lanner.campaign.settings import check_names, check_settings
from lanner.errors import InputError, Where

if TYPE_CHECKING:
    from lanner.model import Json


def settings_from(path: Path | None, before: str, after: str) -> dict[str, Json]:
    """The settings of a campaign; an option counts more than the file."""
    values: dict[str, Json] = {}
    if path is not None:
        try:
            values = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise InputError(f"The settings cannot be read: {error}.", where=Where(path)) from error
        check_names(values, where=Where(path))
        check_settings(values)
    for name, text in (("before", before), ("after", after)):
        if text:
            values[name] = [entry.strip() for entry in text.split(",") if entry.strip()]
    return values
