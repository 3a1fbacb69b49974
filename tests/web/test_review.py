from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from lanner.corpus.review import Review
from lanner.model import Segment
from lanner.web.review import create_app, group, lines, server
from rows_to_review import DOCUMENT, DOUBTS, review_session


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


def test_a_segment_stands_between_its_neighbours_with_its_doubts() -> None:
    shown = group(review_session().review, 0)
    assert [(row.id, row.own, row.doubtful, row.last) for row in shown.rows] == [
        ("6", False, False, False),
        ("7.1", True, True, False),
        ("7.2", True, False, False),
        ("7.3", True, False, True),
        ("8.1", False, False, False),
        ("8.2", False, False, False),
    ]
    assert [cell.sure for cell in shown.rows[1].cells] == [None, 0.41]
    assert (shown.row, shown.left, shown.of, shown.title) == ("7.1", 2, 2, "The <rain>")


def test_outputs_that_are_sure_are_shown_on_request() -> None:
    segments = tuple(
        replace(s, outputs={**s.outputs, **dict.fromkeys("bcde", "B")}, references={"A": "R"})
        for s in DOCUMENT.segments
    )
    review = Review.of([replace(DOCUMENT, segments=segments)], DOUBTS)
    few, all_of_them = group(review, 0), group(review, 0, "7.2", everything=True)
    assert [column.name for column in few.columns] == ["Source", "Reference A", "a"]
    assert (few.hidden, few.foldable) == (4, True)
    assert [column.name for column in all_of_them.columns] == ["Source", "Reference A", *"abcde"]
    assert (all_of_them.row, all_of_them.width) == ("7.2", 8)
    assert not group(review_session().review, 0).foldable, "a few fit beside each other"


def test_texts_keep_their_language_and_direction() -> None:
    arabic = replace(DOCUMENT, target_language="ar")
    source, target = group(Review.of([arabic], DOUBTS), 0).columns
    assert (source.direction, target.direction, target.language) == ("ltr", "rtl", "ar")
    unknown = replace(DOCUMENT, target_language="und")
    assert group(Review.of([unknown], DOUBTS), 0).columns[1].direction == "auto"
    chinese = replace(DOCUMENT, target_language="zh")
    assert [column.unspaced for column in group(Review.of([chinese], DOUBTS), 0).columns] == [False, True]


def test_the_list_is_short_and_says_what_is_settled() -> None:
    made = review_session()
    made.act({"do": "accept", "at": 0, "row": "7.1"})
    assert [(line.number, line.open) for line in lines(made.review)] == [(0, False), (1, True)]
    long = replace(DOCUMENT, segments=tuple(replace(s, source="word " * 60) for s in DOCUMENT.segments))
    assert len(lines(Review.of([long], DOUBTS))[0].text) < 100


def test_a_row_without_an_output_of_some_system_is_shown_empty() -> None:
    segments = (*DOCUMENT.segments[:-1], Segment("9", "After."))
    shown = group(Review.of([replace(DOCUMENT, segments=segments)], DOUBTS), 1)
    assert shown.rows[-1].cells[1].text == ""


def client_server(**options: object) -> TestClient:
    return TestClient(
        create_app(review_session(), "secret", **options), base_url="http://127.0.0.1", follow_redirects=False
    )


def test_only_who_has_the_link_comes_in() -> None:
    made = client_server()
    assert made.get("/verify").status_code == 403
    assert made.post("/verify/act", json={"do": "undo", "at": 0}).status_code == 403
    assert made.get("/v/other").status_code == 404
    answer = made.get("/v/secret")
    assert answer.headers["location"] == "/verify"
    assert "HttpOnly" in answer.headers["set-cookie"] and "samesite=strict" in answer.headers["set-cookie"].lower()
    assert made.get("/verify").status_code == 200
    assert made.get("/").headers["location"] == "/verify"


def test_other_sites_are_refused() -> None:
    made = client_server()
    made.get("/v/secret")
    answer = made.post("/verify/act", json={"do": "undo", "at": 0}, headers={"origin": "https://elsewhere.example"})
    assert answer.status_code == 403


def test_static_files_are_served() -> None:
    made = client_server()
    made.get("/v/secret")
    page = made.get("/verify").text
    script = page.split('src="')[-1].split('"')[0]
    assert script.endswith("verify.js")
    assert made.get(script).headers["content-type"].startswith("text/javascript")


def test_it_ends_when_the_person_has_finished() -> None:
    told: list[bool] = []
    made = client_server(on_finish=lambda: told.append(True))
    made.get("/v/secret")
    assert made.post("/verify/finish", json={}).json() == {"go": "0 edits"}
    assert told == [True]


def test_it_listens_on_this_machine_only() -> None:
    assert server(review_session(), 8123, "secret").config.host == "127.0.0.1"
