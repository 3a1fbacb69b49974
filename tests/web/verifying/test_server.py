from __future__ import annotations

from starlette.testclient import TestClient

from lanner.web.verifying.server import create_app, server
from rows_to_review import review_session


def client(**options: object) -> TestClient:
    return TestClient(
        create_app(review_session(), "secret", **options), base_url="http://127.0.0.1", follow_redirects=False
    )


def test_only_who_has_the_link_comes_in() -> None:
    made = client()
    assert made.get("/verify").status_code == 403
    assert made.post("/verify/act", json={"do": "undo", "at": 0}).status_code == 403
    assert made.get("/v/other").status_code == 404
    answer = made.get("/v/secret")
    assert answer.headers["location"] == "/verify"
    assert "HttpOnly" in answer.headers["set-cookie"] and "samesite=strict" in answer.headers["set-cookie"].lower()
    assert made.get("/verify").status_code == 200
    assert made.get("/").headers["location"] == "/verify"


def test_other_sites_are_refused() -> None:
    made = client()
    made.get("/v/secret")
    answer = made.post("/verify/act", json={"do": "undo", "at": 0}, headers={"origin": "https://elsewhere.example"})
    assert answer.status_code == 403


def test_static_files_are_served() -> None:
    made = client()
    made.get("/v/secret")
    page = made.get("/verify").text
    script = page.split('src="')[-1].split('"')[0]
    assert script.endswith("verify.js")
    assert made.get(script).headers["content-type"].startswith("text/javascript")


def test_it_ends_when_the_person_has_finished() -> None:
    told: list[bool] = []
    made = client(on_finish=lambda: told.append(True))
    made.get("/v/secret")
    assert made.post("/verify/finish", json={}).json() == {"go": "0 edits"}
    assert told == [True]


def test_it_listens_on_this_machine_only() -> None:
    assert server(review_session(), 8123, "secret").config.host == "127.0.0.1"
