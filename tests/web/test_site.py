from __future__ import annotations

import asyncio
import sys
import threading

import pytest
from starlette.testclient import TestClient

from lanner.campaign import SaveQueue
from lanner.errors import StoreError
from lanner.store import Store
from lanner.web.site import ServerSettings, Site
from web_clients import complete, enter, open_campaign, save, sign_in

SUBMIT = sys.modules[SaveQueue.__module__]


def test_what_was_begun_is_finished_before_closing(store: Store) -> None:
    site = Site(store, ServerSettings())
    done: list[int] = []

    async def work() -> None:
        writes = [asyncio.create_task(site.write(lambda: done.append(1))) for _ in range(8)]
        await asyncio.sleep(0)  # the tasks hand their work over
        await site.close()
        await asyncio.gather(*writes)

    asyncio.run(work())
    assert done == [1] * 8


def test_reads_do_not_wait_for_writes(store: Store) -> None:
    site = Site(store, ServerSettings())
    release = threading.Event()

    async def work() -> str:
        held = asyncio.create_task(site.write(release.wait))
        answer = await site.read(lambda: "read")
        release.set()
        await held
        await site.close()
        return answer

    assert asyncio.run(work()) == "read"


def test_trouble_with_the_disk_is_told_until_a_save_works_again(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = open_campaign(store)
    task = enter(client, secrets["J1"])[0]
    sign_in(client, store)

    def full(*_: object, **__: object) -> None:
        raise StoreError("The disk is full, so nothing was saved.", next_step="Make room, then try again.")

    with monkeypatch.context() as without_room:
        without_room.setattr(SUBMIT, "submit_many", full)
        refused = save(client, task, 0, complete())
        assert refused.status_code == 503
        assert "kept on this device" in refused.json()["next"]
        assert client.get("/readyz").status_code == 503
        page = client.get("/campaigns").text
        assert "The disk is full" in page and "Make room" in page
        assert "The disk is full" in client.get("/campaigns/trial").text
    assert save(client, task, 0, complete()).status_code == 200
    assert client.get("/readyz").status_code == 200
    assert "The disk is full" not in client.get("/campaigns").text
    assert 'id="trouble" hidden' in client.get("/campaigns/trial").text, "an open page can be told later"


def test_alive_and_ready(client: TestClient) -> None:
    assert client.get("/healthz").text == "ok"
    assert client.get("/readyz").text == "ready"


def test_alive_but_not_ready_without_the_database(client: TestClient, store: Store, monkeypatch) -> None:
    def gone(self):
        raise StoreError("gone")

    monkeypatch.setattr(Store, "reading", gone)
    assert client.get("/healthz").status_code == 200
    assert client.get("/readyz").status_code == 503
