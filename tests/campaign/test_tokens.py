from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lanner.campaign.tokens import SCOPES, digest, issue
from lanner.errors import LannerError
from lanner.store import Store


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
