"""What a command works on: a file or folder on disk, or a campaign in the store, by the same argument."""

from __future__ import annotations

import os
from pathlib import Path

import click

from lanner import material
from lanner.errors import InputError, did_you_mean
from lanner.material import Material
from lanner.store import Store

DEFAULT_STORE = "lanner.sqlite"

store_option = click.option(
    "--store",
    "store_place",
    metavar="PATH_OR_URL",
    default=lambda: os.environ.get("LANNER_STORE", DEFAULT_STORE),
    show_default=f"$LANNER_STORE or {DEFAULT_STORE}",
    help="The database: a SQLite file or a postgresql:// URL.",
)
from_option = click.option("--from", "format_name", metavar="FORMAT", help="The file's format, where it is not clear.")
protocol_option = click.option(
    "--protocol", metavar="NAME_OR_FILE", help="The protocol that a file's judgements answer."
)


def materials(source: str, store_place: str, format_name: str | None, protocol: str | None = None) -> list[Material]:
    """The judgements of a file, a folder or a campaign. A path that exists wins over a campaign of that name."""
    if Path(source).exists():
        return material.from_file(source, format_name, protocol)
    if not _has_store(store_place):
        raise InputError(
            f"There is no file {source!r}, and no campaigns here ({store_place} does not exist).",
            next_step="Give the path of a file, or name the database with --store.",
        )
    with Store.open(store_place, create=False) as store:
        with store.reading() as found:
            names = [campaign.name for campaign in found.campaigns.all()]
        if source not in names:
            raise InputError(
                f"There is no file and no campaign called {source!r}.", next_step=did_you_mean(source, names)
            )
        return [material.from_campaign(store, source)]


def part_that_asks(
    source: str, store_place: str, format_name: str | None, protocol: str | None, question: str
) -> Material:
    """The part of a source that asks this question or computes this score."""
    return material.with_question(materials(source, store_place, format_name, protocol), question)


def chosen_judges(part: Material, judges: str | None) -> Material:
    """Only these judges, given with commas between; all if none are given."""
    return part.only(name.strip() for name in judges.split(",")) if judges else part


def _has_store(place: str) -> bool:
    return "://" in place or Path(place).exists()
