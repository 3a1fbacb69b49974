from __future__ import annotations

import pytest

from lanner.campaign.keys import is_sealed, seal, server_key, unseal
from lanner.store import Store

KEY, OTHER = b"k" * 32, b"o" * 32


def test_only_the_key_opens_what_it_sealed() -> None:
    sealed = seal(KEY, "a-secret-of-thirty-two-letters-x")
    assert is_sealed(sealed) and "secret" not in sealed
    assert unseal(KEY, sealed) == "a-secret-of-thirty-two-letters-x"
    assert unseal(OTHER, sealed) is None


def test_the_same_secret_is_never_sealed_alike() -> None:
    assert seal(KEY, "secret") != seal(KEY, "secret")


def test_what_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="longer"):
        seal(KEY, "x" * 33)


def test_the_key_comes_from_the_variable_where_there_is_one(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANNER_LINK_KEY", "one")
    first = server_key(store)
    monkeypatch.setenv("LANNER_LINK_KEY", "two")
    assert first and server_key(store) and server_key(store) != first
