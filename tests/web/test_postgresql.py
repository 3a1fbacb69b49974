"""The road on PostgreSQL: a link, saves at once, a finished task, the live page."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from lanner import campaign
from lanner.store import Store
from lanner.web.app import create_app
from lanner.web.site import ServerSettings
from web_clients import another, complete, enter, open_campaign, save, sign_in

pytestmark = pytest.mark.postgres


@pytest.fixture
def store(postgres_url: str) -> Iterator[Store]:
    with Store.open(postgres_url) as opened:
        yield opened


def test_judges_save_at_once_and_the_organiser_sees_it(store: Store) -> None:
    secrets = open_campaign(store)
    with TestClient(create_app(store, settings=ServerSettings(processes=False)), follow_redirects=False) as client:
        judges = {}
        for judge, secret in secrets.items():
            browser = another(client)
            judges[judge] = (browser, enter(browser, secret)[0])
        work = [(browser, task, item) for browser, task in judges.values() for item in range(3)]
        with ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(lambda given: save(*given, complete()), work))
        assert [answer.status_code for answer in answers] == [200] * 6
        assert len(campaign.judgements(store, "trial")) == 18
        browser, task = judges["J1"]
        head = {"accept": "application/json", "sec-fetch-site": "same-origin"}
        assert browser.post(f"/task/{task}/finish", headers=head).status_code == 200
        assert save(browser, task, 0, {"sentence": 1}).json()["reason"] == "finished"
        sign_in(client, store)
        page = client.get("/campaigns/trial")
        assert page.status_code == 200
        assert "Judge 1" in page.text
        assert client.get("/readyz").text == "ready"
