"""The diagnosis page as an organiser, a viewer and a judge meet it."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from diagnosed_campaigns import WEAK, judged_campaign
from lanner.store import Store
from lanner.web.app import create_app
from lanner.web.site import Settings
from web_clients import another, open_campaign, sign_in


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory):
    place: Path = tmp_path_factory.mktemp("diagnosis") / "lanner.sqlite"
    with Store.open(place) as store:
        judged_campaign(store, "h_falcon", "skills")
        open_campaign(store, name="scores", protocol="da")
        open_campaign(store, name="waiting")
        with TestClient(create_app(store, settings=Settings(processes=False)), follow_redirects=False) as opened:
            sign_in(opened, store)
            yield opened


def test_the_page_advises_draws_and_quotes(client: TestClient) -> None:
    page = client.get("/campaigns/skills/diagnosis").text
    assert "Improve <b>relational address in social</b>." in page
    assert page.count("<svg") == 1
    assert "birch says" in page
    assert "&lt;b&gt;." in page and "<b>." not in page, "texts are escaped"
    assert 'download="diagnosis-cells.csv"' in page and 'download="diagnosis-cells.tex"' in page
    assert "/campaigns/skills/disagreements?at=" in page


def test_another_cell_is_a_link_away(client: TestClient) -> None:
    page = client.get(f"/campaigns/skills/diagnosis?question=skills&cell=alder/{WEAK}/news").text
    assert f'value="alder/{WEAK}/news" selected' in page
    assert "There is no cell" in client.get("/campaigns/skills/diagnosis?cell=nothing").text


def test_the_campaign_leads_there_where_its_protocol_tells_skills_or_errors_apart(client: TestClient) -> None:
    assert "/campaigns/skills/diagnosis" in client.get("/campaigns/skills").text
    assert "/campaigns/scores/diagnosis" not in client.get("/campaigns/scores").text


def test_where_nothing_can_be_diagnosed_the_page_says_what_would_help(client: TestClient) -> None:
    for name in ("scores", "waiting"):
        response = client.get(f"/campaigns/{name}/diagnosis")
        assert response.status_code == 200
        assert "H-FALCON, FALCON, MQM or ESA" in response.text


def test_others_do_not_see_it(client: TestClient) -> None:
    stranger = another(client)
    assert stranger.get("/campaigns/skills/diagnosis").status_code in (303, 401)
    sign_in(stranger, client.app.state.site.store, "Bea", "viewer")
    assert stranger.get("/campaigns/skills/diagnosis").status_code == 404, "not one of this viewer's campaigns"
