import io
import sys
from typing import Any

import pytest

from cli.command import Command
from lanner.campaign.accounts import verify
from lanner.cli.accounts import ROLES
from lanner.store import AccountRole, Store


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
