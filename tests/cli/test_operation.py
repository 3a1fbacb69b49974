from __future__ import annotations

import io
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from campaign_parts import opened
from cli.command import Command
from lanner.campaign.accounts import SCOPES, verify
from lanner.campaign.webhooks import EVENTS
from lanner.cli.commands import operation
from lanner.cli.commands.operation import ROLES
from lanner.store import AccountRole, Store


def test_a_taken_port_says_which_to_take(lanner: Command) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = lanner("serve", "--port", port)
    assert ran.code == 2
    assert f"--port {port + 1}" in ran.err


def test_a_copy_appears_in_the_folder_and_old_ones_go(lanner: Command, tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store)
    old = tmp_path / "safe" / "lanner-20200101T000000Z.sqlite"
    old.parent.mkdir()
    old.touch()
    ran = lanner("backup", "--folder", "safe", "--keep", 1, "--json")
    assert ran.code == 0, ran.err
    (row,) = ran.envelope["rows"]
    assert row["deleted"] == [str(Path("safe") / old.name)]
    assert [path.name for path in old.parent.iterdir()] == [Path(row["file"]).name]
    assert row["bytes"] == Path(row["file"]).stat().st_size
    assert lanner("backup", "--out", row["file"]).code == 2
    assert "the same as the store" in lanner("backup", "--out", "mine.sqlite").out


def test_where_there_is_no_store_nothing_is_made(lanner: Command, tmp_path: Path) -> None:
    assert lanner("backup").code == 2
    assert list(tmp_path.iterdir()) == []


def test_a_backup_becomes_a_store_again(lanner: Command, tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store)
    assert lanner("backup", "--out", "copy.sqlite").code == 0
    ran = lanner("restore", "copy.sqlite", "--store", "new.sqlite")
    assert ran.code == 0, ran.err
    assert "the same as in the backup" in ran.out
    assert "first" in lanner("campaign", "list", "--store", "new.sqlite").out
    again = lanner("restore", "copy.sqlite", "--store", "new.sqlite")
    assert again.code == 2
    assert "not empty" in again.err


def test_a_whole_store_and_a_damaged_one(lanner: Command, tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        opened(store)
        assert lanner("backup", "--out", "copy.sqlite").code == 0
        ran = lanner("verify", "--json")
        assert ran.code == 0
        checks = ran.envelope["rows"]
        assert {row["found"] for row in checks} == {"whole"}
        with store.filling() as connection:
            connection.exec_driver_sql("UPDATE campaign SET corpus_hash = 'x'")
    ran = lanner("verify")
    assert ran.code == 5
    assert f"1 of {len(checks)} checks" in ran.err
    assert "not those it was made with" in ran.out
    assert lanner("verify", "copy.sqlite").code == 0
    nowhere = lanner("verify", "nowhere.sqlite")
    assert nowhere.code == 2 and "lanner backup" in nowhere.err and "lanner new" not in nowhere.err


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What someone sends as the password."""

    def send(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{text}\n"))

    return send


def test_made_listed_changed_and_switched_off(lanner: Command, pilot: str, typing: Any) -> None:
    assert "no accounts" in lanner("accounts", "list").out
    typing("a long enough sentence")
    assert lanner("accounts", "add", "Olga", "--role", "owner").code == 0
    typing("another long sentence")
    assert lanner("accounts", "add", "Vera", "--role", "viewer", "--campaigns", pilot).code == 0
    rows = {row["name"]: row for row in lanner("accounts", "list", "--json").envelope["rows"]}
    assert (rows["Olga"]["campaigns"], rows["Vera"]["campaigns"]) == (["all"], [pilot])
    assert lanner("accounts", "change", "Vera", "--role", "organiser", "--campaigns", "").code == 0
    rows = {row["name"]: row for row in lanner("accounts", "list", "--json").envelope["rows"]}
    assert (rows["Vera"]["role"], rows["Vera"]["campaigns"]) == ("organiser", [])
    assert lanner("accounts", "change", "Vera", "--off").code == 0
    with Store.open("lanner.sqlite", create=False) as store:
        assert verify(store, "Olga", "a long enough sentence")
        assert verify(store, "Vera", "another long sentence") is None


def test_the_last_owner_stays(lanner: Command, pilot: str, typing: Any) -> None:
    typing("a long enough sentence")
    lanner("accounts", "add", "Olga", "--role", "owner")
    assert lanner("accounts", "change", "Olga", "--off").code == 2
    assert lanner("accounts", "change", "Olga", "--role", "viewer").code == 2


def test_a_new_password(lanner: Command, pilot: str, typing: Any) -> None:
    typing("a long enough sentence")
    lanner("accounts", "add", "Olga", "--role", "owner")
    typing("a newer long sentence")
    assert lanner("accounts", "change", "Olga", "--password").code == 0
    with Store.open("lanner.sqlite", create=False) as store:
        assert verify(store, "Olga", "a newer long sentence")
        assert verify(store, "Olga", "a long enough sentence") is None


def test_what_is_not_there_or_too_short_is_refused(lanner: Command, pilot: str, typing: Any) -> None:
    typing("short")
    assert lanner("accounts", "add", "Olga").code == 2
    assert lanner("accounts", "change", "Nobody", "--role", "viewer").code == 2


def test_roles_are_those_of_the_store() -> None:
    assert list(ROLES.choices) == [role.value for role in AccountRole]


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
    assert list(SCOPES) == operation.SCOPES


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
    assert list(EVENTS) == operation.EVENTS
