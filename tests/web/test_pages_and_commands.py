"""The table of docs/pages-and-commands.md against the commands and the pages there are."""

from __future__ import annotations

import re
from pathlib import Path

import click

from lanner.cli import lanner as cli
from lanner.cli.commands.campaign import campaign as campaign_group
from lanner.web.app import ROUTES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "pages-and-commands.md"
ROWS = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `lanner")]


def named() -> set[str]:
    return {found for row in ROWS for found in re.findall(r"`(lanner [a-z -]+?)`", row.split("|")[1])}


def test_every_command_has_a_row() -> None:
    context = click.Context(cli)
    commands = {f"lanner {name}" for name in cli.list_commands(context) if name != "campaign"}
    commands |= {f"lanner campaign {name}" for name in campaign_group.list_commands(context)}
    assert commands - named() == set(), "a command needs a page, or a reason why there is none"
    assert named() - commands == set(), "there are no such commands"


def test_every_page_named_is_served() -> None:
    served = {way.path for way in ROUTES}
    for row in ROWS:
        for address in re.findall(r"`(/[^`]*)`", row):
            assert address in served, row


def test_every_page_of_a_campaign_is_in_the_table_or_belongs_to_one_that_is() -> None:
    """Parts of pages: what they fetch, and steps of the same form."""
    parts = ("panels", "events", "preview", "{upload}")
    told = " ".join(ROWS)
    own = {way.path for way in ROUTES if way.path.startswith("/campaigns/{name}/")}
    missing = {path for path in own if not any(part in path for part in parts) and f"`{path}`" not in told}
    assert missing == set()
