"""What can be said about a command line before the command is loaded: loading the statistics takes seconds, and who has
mistyped the name of a file should not wait for them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from lanner.errors import InputError

DEFAULT_STORE = "lanner.sqlite"
ON_A_SOURCE = frozenset(
    {"agreement", "associate", "diagnose", "effort", "facets", "prefer", "regress", "report", "scores"}
)
"""Commands whose first argument is a file, a folder or a campaign."""


def check_source(command: str, arguments: Sequence[str]) -> None:
    """Refuse a source that is neither a file nor, for want of a store, a campaign. Only the plain form is looked at,
    `lanner COMMAND SOURCE …`; the rest is left to the command."""
    if command not in ON_A_SOURCE or not arguments or arguments[0].startswith("-"):
        return
    if any(word in ("-h", "--help") or word.startswith("--store") for word in arguments):
        return
    refuse_missing(arguments[0], os.environ.get("LANNER_STORE") or DEFAULT_STORE)


def refuse_missing(source: str, store_place: str) -> None:
    """The error where there is no such file and no store in which a campaign could have that name."""
    if not Path(source).exists() and not has_store(store_place):
        raise InputError(
            f"There is no file {source!r}, and no campaigns here ({store_place} does not exist).",
            next_step="Give the path of a file, or name the database with --store.",
        )


def has_store(place: str) -> bool:
    """Whether there is a database at this place."""
    return "://" in place or Path(place).exists()
