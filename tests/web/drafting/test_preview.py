from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from lanner import campaign
from lanner.judges.simulated import Temper, fill
from lanner.store import Store
from lanner.web.drafting.preview import of_campaign
from web_clients import SYSTEMS, complete, documents, open_campaign, save, sign_in

PLACE = "/campaigns/trial/preview/task/1"


@pytest.fixture
def token(client: TestClient, store: Store) -> str:
    open_campaign(store, documents=documents(5))
    return sign_in(client, store, "Vera", "owner")


def test_the_same_page_marked_as_a_preview(client: TestClient, token: str) -> None:
    assert client.get("/campaigns/trial/preview").headers["location"] == PLACE
    page = client.get(PLACE).text
    assert "nothing is saved" in page
    assert "Source 0.0" in page
    assert f'action="{PLACE}/form"' in page
    assert "secret-system" not in page, "a preview is as blind as the real page"


def test_answers_are_checked_and_not_kept(client: TestClient, store: Store, token: str) -> None:
    body = {"submission": "12345678", "item": 0, "answers": complete()}
    told = client.post(f"{PLACE}/answers", json=body)
    assert (told.status_code, told.json()["missing"]) == (200, [])
    part = client.post(f"{PLACE}/answers", json={**body, "answers": {"sentence": 2}}).json()
    assert part["missing"] == ["skills", "holistic"]
    taken_back = client.post(f"{PLACE}/answers", json={**body, "answers": {"holistic": None}})
    assert (taken_back.status_code, taken_back.json()["missing"]) == (200, ["skills", "sentence", "holistic"])
    for wrong in ({"sentence": 9}, {"nothing": 1}):
        assert client.post(f"{PLACE}/answers", json={**body, "answers": wrong}).status_code == 422
    assert client.post(f"{PLACE}/answers", json={**body, "item": 99}).status_code == 422
    assert client.get(f"{PLACE}/answers").json()["items"] == [{}, {}, {}]
    assert campaign.history(store, "trial") == []


def test_without_a_script_and_to_the_end(client: TestClient, store: Store, token: str) -> None:
    answer = client.post(f"{PLACE}/form", data={"token": token, "item": "0", "row": "1", "sentence": "3"})
    assert answer.headers["location"] == f"{PLACE}?row=2"
    last = len(of_campaign(store, campaign.get(store, "trial"), "").tasks)
    assert client.post(f"{PLACE}/finish", data={"token": token}).headers["location"].endswith("/preview/task/2")
    end = client.post(f"/campaigns/trial/preview/task/{last}/finish", data={"token": token})
    assert "End of the preview" in end.text
    assert client.get("/campaigns/trial/preview/work").headers["location"] == "/campaigns/trial"
    assert campaign.history(store, "trial") == []


def test_a_draft_without_judges_has_a_preview_too(client: TestClient, store: Store, token: str) -> None:
    campaign.create(store, "bare", documents(1), "falcon")
    assert client.get("/campaigns/bare/preview/task/1").status_code == 200
    assert client.get("/campaigns/bare/preview/task/99").status_code == 404
    assert campaign.judges(store, "bare") == []


def test_a_judge_has_no_use_for_it(client: TestClient, store: Store, token: str) -> None:
    task = campaign.tasks(store, "trial", "J1")[0].id
    assert save(client, task, 0, {"sentence": 1}).status_code == 401


@pytest.mark.parametrize(("protocol", "design"), [("scenarios", "latin_square"), ("parity", "parity")])
def test_protocols_with_scenarios_show_each_of_them(
    store: Store, client: TestClient, protocol: str, design: str
) -> None:
    """A judge meets a text in one scenario only, the look in all; the live page counts labels pair by pair."""
    open_campaign(store, "trial", protocol, 4, documents=documents(4), design=design)
    tempers = {f"J{number}": Temper() for number in range(1, 5)}
    fill(store, "trial", tempers, dict.fromkeys(SYSTEMS, 0.5))
    sign_in(client, store, "Vera", "owner")
    asked = {stage.scenario for stage in campaign.protocol(store, "trial").stages}
    pages = {task.page for task in of_campaign(store, campaign.get(store, "trial"), "").tasks}
    assert len(pages) >= len(asked)
    assert client.get(client.get("/campaigns/trial/preview").headers["location"]).status_code == 200
    live = client.get("/campaigns/trial")
    assert live.status_code == 200
    assert "Judge 4" in live.text


def test_a_protocol_is_tried_on_uploaded_texts_before_there_is_a_campaign(
    client: TestClient, store: Store, token: str
) -> None:
    table = "document,segment,source,system:a,system:b\nd1,1,Hello there.,Hallo.,Hi.\nd1,2,Bye.,Tschüs.,Ciao.\n"
    files = {"texts": ("mine.csv", table)}
    draft = client.post("/new", data={"token": token, "from": "file"}, files=files).headers["location"]
    address = f"{draft}/preview/esa"
    assert f'href="{address}"' in client.get(draft).text
    place = client.get(address).headers["location"]
    assert "Hello there." in client.get(place).text
    body = {"submission": "12345678", "item": 0, "answers": {"errors": [], "score": 70}}
    assert client.post(f"{place}/answers", json=body).json()["missing"] == []
    assert client.post(f"{place}/answers", json={**body, "answers": {"score": 101}}).status_code == 422
    assert client.get(f"{address}/work").headers["location"] == draft
    assert "Back to the new campaign" in client.post(f"{address}/task/2/finish", data={"token": token}).text
    assert client.get(f"{draft}/preview/nothing").status_code == 404
    assert [entry.name for entry in campaign.campaigns(store)] == ["trial"], "nothing was made"
    sign_in(client, store, "Otto", "organiser")
    assert client.get(place).status_code == 404, "an upload is its owner's alone"
