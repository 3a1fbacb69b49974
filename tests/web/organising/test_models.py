from __future__ import annotations

from datetime import UTC, datetime

import pytest
from starlette.testclient import TestClient

from lanner.campaign import add_judges
from lanner.model import Judge, JudgeKind
from lanner.store import Store
from web_clients import open_campaign, sign_in


@pytest.fixture
def token(client: TestClient, store: Store) -> str:
    open_campaign(store)
    return sign_in(client, store)


def test_without_models_the_page_says_how_to_get_one(client: TestClient, store: Store, token: str) -> None:
    page = client.get("/campaigns/trial/models").text
    assert "No model judges yet" in page
    assert "--model-server" in page


def test_the_command_is_ready_to_be_typed_and_quotes_what_needs_it(
    client: TestClient, store: Store, token: str
) -> None:
    asked = {"model": "a model; rm -rf /", "base_url": "https://example.org/v1", "limit": "20", "max_cost": "2,5"}
    page = client.get("/campaigns/trial/models", params=asked).text
    assert "lanner judge trial --model &#39;a model; rm -rf /&#39; --base-url https://example.org/v1" in page
    assert "--limit 20 --max-cost 2.5" in page
    for wrong in ({"base_url": "file:///etc"}, {"limit": "many"}, {"limit": "inf"}, {"model": "--help"}):
        assert client.get("/campaigns/trial/models", params={**asked, **wrong}).status_code == 422


def test_how_far_a_model_is_and_what_it_was_asked_with(client: TestClient, store: Store, token: str) -> None:
    plan = {"models": ["m-large"], "calls": "stages", "samples": 3}
    add_judges(store, "trial", [Judge("m", JudgeKind.MODEL, "M", plan)], at=datetime.now(UTC))
    page = client.get("/campaigns/trial/models").text
    assert "m-large · calls stages · samples 3" in page
    assert "0 of 12" in page


def test_models_are_started_by_owners_on_servers_that_are_allowed_and_within_limits(
    client: TestClient, store: Store, token: str
) -> None:
    form = {"token": token, "do": "start", "model": "m", "base_url": "https://example.org/v1", "limit": "5"}
    refused = client.post("/campaigns/trial/models", data=form)
    assert refused.status_code == 422
    assert "may not be asked from here" in refused.text
    assert client.post("/campaigns/trial/models", data={"token": token, "do": "x"}).status_code == 400
    assert client.post("/campaigns/trial/models", data={"token": token, "do": "stop"}).status_code == 303
    organiser = sign_in(client, store, "Bob", "organiser")
    assert client.post("/campaigns/trial/models", data={**form, "token": organiser}).status_code == 403
