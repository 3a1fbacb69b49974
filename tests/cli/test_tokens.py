from __future__ import annotations

from pathlib import Path

from cli.command import Command
from lanner.campaign.tokens import SCOPES
from lanner.cli import tokens
from lanner.store import Store


def test_made_listed_revoked(lanner: Command, tmp_path: Path) -> None:
    Store.open(tmp_path / "lanner.sqlite").close()
    assert "lanner tokens add" in lanner("tokens", "list").out
    made = lanner("tokens", "add", "nightly", "--scope", "judgements", "--days", 3, "--json")
    assert made.code == 0, made.err
    (row,) = made.envelope["rows"]
    assert row["token"].startswith("lanner_")
    listed = lanner("tokens", "list")
    assert "nightly" in listed.out and row["token"] not in listed.out
    assert lanner("tokens", "revoke", row["number"]).code == 0
    assert lanner("tokens", "revoke", row["number"]).code == 2
    assert lanner("tokens", "list", "--json").envelope["rows"][0]["revoked"]


def test_a_token_for_nothing_is_refused(lanner: Command, tmp_path: Path) -> None:
    Store.open(tmp_path / "lanner.sqlite").close()
    ran = lanner("tokens", "add", "x")
    assert ran.code == 2
    assert "Missing option '--scope'" in ran.err


def test_scopes_are_those_of_the_api() -> None:
    assert list(SCOPES) == tokens.SCOPES
