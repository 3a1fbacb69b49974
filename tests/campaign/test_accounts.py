from __future__ import annotations

import resource
from datetime import UTC, datetime
from importlib.util import find_spec, module_from_spec
from pathlib import Path

import pytest
from argon2 import extract_parameters
from argon2.profiles import RFC_9106_LOW_MEMORY

from lanner.campaign.accounts import (
    SCOPES,
    add_account,
    digest,
    disable,
    hash_password,
    is_sealed,
    issue,
    seal,
    server_key,
    set_campaigns,
    set_role,
    unseal,
    verify,
)
from lanner.errors import LannerError, StoreError
from lanner.store import Account, AccountRole, Store
from store_rows import fill

PASSWORD = "a long enough sentence"


def account(store: Store, name: str) -> Account:
    with store.reading() as tx:
        entry = tx.accounts.find(name)
    assert entry
    return entry


def test_names_are_taken_once(store: Store) -> None:
    add_account(store, "Ann", PASSWORD, AccountRole.OWNER)
    with pytest.raises(LannerError, match="already"):
        add_account(store, " Ann ", PASSWORD, AccountRole.VIEWER)


def test_passwords_are_not_kept(store: Store) -> None:
    add_account(store, "Ann", PASSWORD, AccountRole.OWNER)
    with store.reading() as tx:
        account = tx.accounts.find("Ann")
    assert account
    assert account.password.startswith("$argon2id$")
    assert PASSWORD not in account.password


def test_passwords_cost_what_the_standard_recommends_whether_or_not_somebody_is_known() -> None:
    """The program as it is, without the cheap passwords of tests."""
    spec = find_spec("lanner.campaign.accounts")
    assert spec and spec.loader
    program = module_from_spec(spec)
    spec.loader.exec_module(program)
    assert extract_parameters(program.hash_password(PASSWORD)) == RFC_9106_LOW_MEMORY
    assert extract_parameters(program._NOBODY) == RFC_9106_LOW_MEMORY


@pytest.mark.parametrize(
    ("name", "password", "code"),
    [
        ("Ann", "short", "short_password"),
        ("  ", PASSWORD, "bad_account_name"),
        ("x" * 81, PASSWORD, "bad_account_name"),
    ],
)
def test_what_is_refused_has_a_code(store: Store, name: str, password: str, code: str) -> None:
    with pytest.raises(LannerError) as refused:
        add_account(store, name, password, AccountRole.OWNER)
    assert refused.value.code == code


def test_a_password_has_at_least_ten_characters() -> None:
    assert hash_password("0123456789")
    with pytest.raises(LannerError):
        hash_password("012345678")


def test_name_and_password_belong_together(store: Store) -> None:
    add_account(store, "Zoe\u0301", PASSWORD, AccountRole.VIEWER)
    entry = verify(store, " Zo\u00e9 ", PASSWORD)
    assert entry and entry.role is AccountRole.VIEWER
    assert verify(store, "Zo\u00e9", PASSWORD + "!") is None
    assert verify(store, "Zoe", PASSWORD) is None


def test_the_first_account_is_made_once(store: Store) -> None:
    add_account(store, "Ann", PASSWORD, AccountRole.OWNER, first=True)
    with pytest.raises(LannerError) as refused:
        add_account(store, "Eve", PASSWORD, AccountRole.OWNER, first=True)
    assert refused.value.code == "already_set_up"


@pytest.mark.postgres
def test_two_owners_do_not_take_the_role_from_each_other_at_once(postgres_url: str) -> None:
    """On SQLite nobody else writes anyway."""
    with Store.open(postgres_url) as store:
        for name in ("Ann", "Bo"):
            add_account(store, name, PASSWORD, AccountRole.OWNER)
        ann, bo = account(store, "Ann"), account(store, "Bo")
        with store.writing() as tx:
            set_role(tx, ann, AccountRole.VIEWER)
            with pytest.raises(StoreError), store.writing() as other:
                other.connection.exec_driver_sql("SET LOCAL lock_timeout = '1ms'")
                set_role(other, bo, AccountRole.VIEWER)
        with pytest.raises(LannerError) as refused, store.writing() as tx:
            set_role(tx, bo, AccountRole.VIEWER)
        assert refused.value.code == "last_owner"


def test_the_last_owner_stays(store: Store) -> None:
    for name, role in (("Ann", AccountRole.OWNER), ("Bob", AccountRole.OWNER)):
        add_account(store, name, PASSWORD, role)
    with store.writing() as tx:
        set_role(tx, account(store, "Bob"), AccountRole.ORGANISER)
    ann = account(store, "Ann")
    for change in (lambda tx: set_role(tx, ann, AccountRole.VIEWER), lambda tx: disable(tx, ann)):
        with pytest.raises(LannerError) as refused, store.writing() as tx:
            change(tx)
        assert refused.value.code == "last_owner"
    with store.writing() as tx:
        set_role(tx, ann, AccountRole.OWNER)
        disable(tx, account(store, "Bob"))
    assert verify(store, "Bob", PASSWORD) is None


def test_campaigns_are_exactly_those_named(store: Store) -> None:
    campaign_id = fill(store).campaign
    add_account(store, "Bob", PASSWORD, AccountRole.VIEWER)
    bob = account(store, "Bob")
    for chosen in ([campaign_id], []):
        with store.writing() as tx:
            set_campaigns(tx, bob, chosen)
            assert [entry.id for entry in tx.campaigns.of_account(bob.id)] == chosen


def test_only_the_hash_is_kept(store: Store) -> None:
    number, text = issue(store, "ours", ["campaigns"])
    assert len(text) > 40
    with store.reading() as tx:
        found = tx.tokens.find(digest(text), datetime.now(UTC))
        assert found and found.id == number
        assert text not in repr(tx.tokens.all())


def test_mistakes_when_issuing_are_said(store: Store) -> None:
    with pytest.raises(LannerError, match="scope"):
        issue(store, "x", ["everything"])
    with pytest.raises(LannerError, match="account"):
        issue(store, "x", SCOPES, account="nobody")
    with pytest.raises(LannerError, match="campaign"):
        issue(store, "x", SCOPES, campaign="none")


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


def test_a_key_that_could_not_be_written_is_none(tmp_path: Path) -> None:
    """On a full disk an empty file would be left, and everything would be sealed with nothing."""
    with Store.open(tmp_path / "lanner.db") as store:
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
        try:
            with pytest.raises(OSError, match="large"):
                server_key(store, create=True)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert server_key(store) is None
        (tmp_path / "lanner.db.key").touch()
        assert server_key(store) is None
        (tmp_path / "lanner.db.key").unlink()
        assert len(server_key(store, create=True) or b"") == 32
