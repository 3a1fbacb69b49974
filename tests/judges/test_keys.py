"""A key goes to the host it is for, and to no other."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from lanner.judges.keys import key_for, where_keys_are


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LANNER_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(sys.modules, "keyring", None)


def test_openais_key_goes_to_openai_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a")
    assert key_for("api.openai.com") == "a"
    assert key_for("example.org") == ""
    assert key_for("example.org", "OPENAI_API_KEY") == "a"  # unless one says so


def test_our_own_variable_goes_first_and_a_named_one_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANNER_API_KEY", "own")
    monkeypatch.setenv("OPENAI_API_KEY", "a")
    assert key_for("api.openai.com") == "own"
    assert key_for("api.openai.com", "NOT_SET") == ""


def test_the_keyring_is_asked_last(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_service: str, _user: str) -> str:
        raise RuntimeError("no desktop")

    monkeypatch.setitem(sys.modules, "keyring", SimpleNamespace(get_password=lambda service, user: f"{service}@{user}"))
    assert key_for("example.org") == "lanner@example.org"
    monkeypatch.setitem(sys.modules, "keyring", SimpleNamespace(get_password=broken))
    assert key_for("example.org") == ""


def test_where_a_key_is_looked_for_is_said() -> None:
    assert "LANNER_API_KEY or OPENAI_API_KEY" in where_keys_are("api.openai.com")
    assert where_keys_are("h", "MINE").startswith("Set MINE in the environment")


def test_with_several_servers_a_key_that_says_not_whose_goes_to_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANNER_API_KEY", "own")
    monkeypatch.setenv("LANNER_API_KEY_MY_SERVER_ORG", "mine")
    assert key_for("example.org") == "own"
    assert key_for("example.org", only=False) == ""
    assert key_for("my-server.org", only=False) == "mine"
