from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from lanner.web.verifying.server import create_app
from rows_to_review import DOCUMENT, review_session


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    made = TestClient(create_app(review_session(tmp_path / "log"), "secret"), base_url="http://127.0.0.1")
    made.get("/v/secret")
    return made


def test_the_page_shows_source_and_outputs_side_by_side_and_runs_nothing_of_the_texts(client: TestClient) -> None:
    page = client.get("/verify")
    assert page.status_code == 200
    assert "It rained." in page.text and "Llovió. Nos" in page.text and "41 %" in page.text
    assert "The &lt;rain&gt;" in page.text and "The <rain>" not in page.text
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert client.get("/verify?at=2").text.count('class="own') == 2
    assert client.get("/verify?at=3").status_code == 404


def test_an_action_answers_with_the_rows_as_they_are_now(client: TestClient) -> None:
    got = client.post("/verify/act", json={"do": "merge", "at": 0, "row": "7.1"}).json()
    assert (got["at"], got["open"], got["edits"], got["of"]) == (0, [1], 1, 2)
    assert "It rained. We slept. All day." in got["html"]
    got = client.post("/verify/act", json={"do": "undo", "at": 0}).json()
    assert got["open"] == [0, 1]
    assert client.post("/verify/suggest", json={"at": 0, "row": "7.2", "offset": 10}).json()["cut"]["source"] == 10
    assert client.post("/verify/finish", json={}).json() == {"go": "0 edits"}


def test_refusals_are_sentences(client: TestClient) -> None:
    answer = client.post("/verify/act", json={"do": "merge", "at": 0, "row": "7.3"})
    assert answer.status_code == 422
    assert "last row of its segment" in answer.json()["message"]
    assert client.post("/verify/act", data={"do": "merge"}).status_code == 415
    headers = {"content-type": "application/json"}
    assert client.post("/verify/act", content="{", headers=headers).status_code == 400
    assert client.post("/verify/act", content="[]", headers=headers).status_code == 422


def test_nothing_in_doubt(tmp_path: Path) -> None:
    client = TestClient(create_app(review_session(None, DOCUMENT, []), "s"), base_url="http://127.0.0.1")
    client.get("/v/s")
    assert "Nothing is in doubt" in client.get("/verify").text
