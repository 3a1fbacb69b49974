from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from lanner.campaign.accounts import SCOPES, issue
from lanner.store import Store
from web_clients import another


@pytest.fixture
def program(client: TestClient, store: Store) -> Iterator[Callable[..., TestClient]]:
    """A program with a token: `program("campaigns")`; without scopes, all of them."""

    def made(*scopes: str, **more: Any) -> TestClient:
        browser = another(client)
        browser.headers["authorization"] = f"Bearer {issue(store, 'test', scopes or SCOPES, **more)[1]}"
        return browser

    yield made
