from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from lanner.campaign.accounts import SCOPES, issue
from lanner.store import Store
from lanner.web.app import create_app
from lanner.web.site import ServerSettings, Site
from web_clients import another


@pytest.fixture(scope="session", autouse=True)
def _cold_starts() -> Iterator[None]:
    """Four connections are opened before the first judge comes: in tests that takes as long as what they do then. The
    servers that run as processes of their own do it."""

    async def begin_cold(_site: Site) -> None:
        pass

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Site, "warm_up", begin_cold)
        yield


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "lanner.sqlite") as opened:
        yield opened


@pytest.fixture
def client(store: Store) -> Iterator[TestClient]:
    app = create_app(
        store,
        settings=ServerSettings(setup_code="the-code", entry_code="come-in", entry_account="demo", processes=False),
    )
    with TestClient(app, follow_redirects=False) as opened:
        yield opened


@pytest.fixture
def program(client: TestClient, store: Store) -> Iterator[Callable[..., TestClient]]:
    """A program with a token: `program("campaigns")`; without scopes, all of them."""

    def made(*scopes: str, **more: Any) -> TestClient:
        browser = another(client)
        browser.headers["authorization"] = f"Bearer {issue(store, 'test', scopes or SCOPES, **more)[1]}"
        return browser

    yield made
