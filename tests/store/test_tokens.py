from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace

from lanner.store import Store
from store_rows import NOW


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
