from __future__ import annotations

from pathlib import Path

from campaign_parts import opened
from cli.command import Command
from lanner.campaign.webhooks import EVENTS
from lanner.cli import webhooks
from lanner.store import Store


def test_added_listed_removed(lanner: Command, tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store)
    assert "lanner webhooks add" in lanner("webhooks", "list").out
    made = lanner("webhooks", "add", "https://example.org/hook", "--campaign", "first", "--json")
    assert made.code == 0, made.err
    secret = made.envelope["rows"][0]["secret"]
    listed = lanner("webhooks", "list")
    assert "example.org" in listed.out and secret not in listed.out
    assert lanner("webhooks", "remove", 1).code == 0
    assert lanner("webhooks", "remove", 1).code == 2
    assert lanner("webhooks", "add", "ftp://example.org").code == 2
    assert lanner("webhooks", "add", "https://example.org", "--campaign", "none").code == 2


def test_events_are_those_that_are_announced() -> None:
    assert list(EVENTS) == webhooks.EVENTS
