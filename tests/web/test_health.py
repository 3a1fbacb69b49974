from __future__ import annotations

from starlette.testclient import TestClient

from lanner.errors import StoreError
from lanner.store import Store


def test_alive_and_ready(client: TestClient) -> None:
    assert client.get("/healthz").text == "ok"
    assert client.get("/readyz").text == "ready"


def test_alive_but_not_ready_without_the_database(client: TestClient, store: Store, monkeypatch) -> None:
    def gone(self):
        raise StoreError("gone")

    monkeypatch.setattr(Store, "reading", gone)
    assert client.get("/healthz").status_code == 200
    assert client.get("/readyz").status_code == 503
