from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace

import pytest

from lanner.store import AccountRole, CollisionError, Store
from store_rows import NOW


def test_accounts_and_the_campaigns_they_belong_to(store: Store, filled: SimpleNamespace) -> None:
    with store.writing() as tx:
        assert tx.accounts.count_owners() == 0
        number = tx.accounts.add("organiser@example.org", "argon2-hash", AccountRole.ORGANISER, NOW)
        tx.accounts.join(number, filled.campaign)
        tx.accounts.join(number, filled.campaign)
    with store.writing() as tx:
        found = tx.accounts.find("organiser@example.org")
        assert found is not None and (found.id, found.role, found.disabled_at) == (number, AccountRole.ORGANISER, None)
        assert [c.name for c in tx.campaigns.of_account(number)] == ["first"]
        tx.accounts.set_role(number, AccountRole.OWNER)
        tx.accounts.set_password(number, "other-hash")
        tx.accounts.leave(number, filled.campaign)
        tx.accounts.disable(number, NOW)
    with store.reading() as tx:
        assert not tx.accounts.belongs(number, filled.campaign)
        (account,) = tx.accounts.all()
        assert account == tx.accounts.by_number(number)
        assert (account.password, account.role, account.disabled_at) == ("other-hash", AccountRole.OWNER, NOW)
    with pytest.raises(CollisionError), store.writing() as tx:
        tx.accounts.add("organiser@example.org", "x", AccountRole.VIEWER, NOW)


def test_sessions_of_judges_and_accounts(store: Store, filled: SimpleNamespace) -> None:
    later = NOW + timedelta(hours=1)
    with store.writing() as tx:
        account = tx.accounts.add("a", "hash", AccountRole.VIEWER, NOW)
        tx.sessions.add("judge-token", later, NOW, judge=filled.judges["ana"])
        tx.sessions.add("account-token", later, NOW, account=account)
        tx.sessions.add("other-token", later, NOW, account=account)
    with store.reading() as tx:
        session = tx.sessions.find("judge-token", NOW)
        assert session is not None
        assert (session.judge, session.campaign, session.account) == (filled.judges["ana"], filled.campaign, None)
        assert session.expires_at == later
        assert tx.sessions.find("judge-token", later) is None and tx.sessions.find("guess", NOW) is None
    with store.writing() as tx:
        tx.sessions.remove("other-token")
        tx.sessions.remove_of(judge=filled.judges["ana"])
        assert tx.sessions.find("judge-token", NOW) is None
        assert tx.sessions.find("account-token", NOW) is not None
        assert tx.sessions.remove_expired(later) == 1


def test_a_token_is_found_by_its_hash_until_it_ends(store: Store, filled: SimpleNamespace) -> None:
    with store.writing() as tx:
        first = tx.tokens.add("ours", "h1", ["write", "campaigns", "write"], NOW, campaign=filled.campaign)
        tx.tokens.add("short", "h2", [], NOW, expires_at=NOW + timedelta(hours=1))
    with store.reading() as tx:
        found = tx.tokens.find("h1", NOW)
        assert found and (found.name, found.scopes, found.campaign) == ("ours", ("campaigns", "write"), filled.campaign)
        assert tx.tokens.find("h2", NOW)
        assert tx.tokens.find("h2", NOW + timedelta(hours=2)) is None
        assert tx.tokens.find("h3", NOW) is None
    with store.writing() as tx:
        assert tx.tokens.revoke(first, NOW)
        assert not tx.tokens.revoke(first, NOW)
        assert tx.tokens.find("h1", NOW) is None
        assert [token.revoked_at for token in tx.tokens.all()] == [NOW, None]


def test_a_campaign_takes_its_tokens_and_webhooks_along(store: Store, filled: SimpleNamespace) -> None:
    with store.writing() as tx:
        tx.tokens.add("ours", "h1", [], NOW, campaign=filled.campaign)
        tx.webhooks.add("https://example.org", "s", ["task.finished"], NOW, campaign=filled.campaign)
        tx.webhooks.announce(filled.campaign, "task.finished", {}, NOW)
        tx.campaigns.remove(filled.campaign)
        assert tx.tokens.all() == []
        assert tx.webhooks.all() == []
