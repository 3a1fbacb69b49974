"""Visitors of the web app, for its tests."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from starlette.testclient import TestClient

from lanner.store import AccountRole, Store
from lanner.web import origin
from lanner.web.session import ACCOUNT_COOKIE

PASSWORD = "a sentence nobody guesses"
HOST = "testserver.local"


def token_in(page: str) -> str:
    """The token of the first form on a page."""
    found = re.search(r'name="token" value="([^"]+)"', page)
    assert found, page
    return found[1]


def another(client: TestClient) -> TestClient:
    """Another browser on the same running app."""
    return TestClient(client.app, follow_redirects=False)


def sign_in(client: TestClient, store: Store, name: str = "Ann", role: str = "owner") -> str:
    """A browser with the session of such an account, made without the slow work of a password. Its form token."""
    with store.writing() as tx:
        known = tx.accounts.find(name)
        number = known.id if known else tx.accounts.add(name, "!", AccountRole(role), datetime.now(UTC))
    token: str = client.app.state.site.sessions.open(account=number)
    client.cookies.set(ACCOUNT_COOKIE, token, domain=HOST)
    return origin.form_token(token)
