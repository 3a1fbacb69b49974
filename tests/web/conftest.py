from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from lanner.store import Store
from lanner.web.app import create_app
from lanner.web.site import Settings


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "lanner.sqlite") as opened:
        yield opened


@pytest.fixture
def client(store: Store) -> Iterator[TestClient]:
    app = create_app(
        store, settings=Settings(setup_code="the-code", entry_code="come-in", entry_account="demo", processes=False)
    )
    with TestClient(app, follow_redirects=False) as opened:
        yield opened
