"""The same saves the short way and the general way (an address with a question mark goes there): the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from lanner import campaign
from lanner.errors import StoreError
from lanner.store import Store
from lanner.web.judging import lane
from lanner.web.session import JUDGE_COOKIE
from web_clients import enter, open_campaign

BODY = {"submission": "submission-1", "item": 0, "answers": {"sentence": 3, "holistic": 7}, "active": 4.5}
OURS = {"sec-fetch-site": "same-origin", "origin": "http://testserver"}


@pytest.fixture
def secrets(store: Store) -> dict[str, str]:
    return open_campaign(store)


@pytest.fixture
def tasks(client: TestClient, secrets: dict[str, str]) -> list[int]:
    return enter(client, secrets["J1"])


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Grows with each save that was answered the short way."""
    seen: list[int] = []

    def noted(*given: Any) -> bytes:
        seen.append(1)
        return acknowledged(*given)

    acknowledged = lane.acknowledged
    monkeypatch.setattr(lane, "acknowledged", noted)
    yield seen


def both(client: TestClient, task: int, body: object = BODY, **headers: str) -> tuple[Any, Any]:
    """The answers of both ways to the same body."""
    answers = [client.post(f"/task/{task}/answers{end}", json=body, headers=headers) for end in ("", "?general")]
    short, general = answers
    assert short.status_code == general.status_code
    assert sorted(short.headers.items()) == sorted(general.headers.items())
    return short, general


def test_both_ways_say_the_same(client: TestClient, store: Store, tasks: list[int], taken: list[int]) -> None:
    client.post(f"/task/{tasks[0]}/answers?general", json=BODY)  # the judge is known by heart from now on
    assert not taken
    short, general = both(client, tasks[0], **OURS)
    assert len(taken) == 1
    told = [{**answer.json(), "received_at": ""} for answer in (short, general)]
    assert told[0] == told[1] and told[0]["missing"] == ["skills"]
    assert len(campaign.history(store, "trial")) == 2
    plain, _ = both(client, tasks[0], {**BODY, "submission": "submission-2"}, origin="http://testserver")
    assert plain.status_code == 200 and len(taken) == 2


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({**BODY, "answers": {"sentence": 9}}, 409),
        ({**BODY, "submission": "submission-9", "answers": {"nonsense": 9}}, 422),
        ({**BODY, "item": 99}, 422),
        ({**BODY, "item": "0"}, 400),
        ({**BODY, "submission": "short"}, 400),
        ([1], 400),
        ({**BODY, "answers": {"comment": "x" * 300_000}}, 413),
    ],
)
def test_what_is_refused_is_refused_in_the_same_words(
    client: TestClient, tasks: list[int], taken: list[int], body: object, status: int
) -> None:
    both(client, tasks[0])
    short, general = both(client, tasks[0], body)
    assert short.status_code == status and short.content == general.content
    assert len(taken) == 1


def test_strangers_and_other_sites_go_nowhere(
    client: TestClient, store: Store, secrets: dict[str, str], tasks: list[int], taken: list[int]
) -> None:
    both(client, tasks[0])
    foreign = [task.id for task in campaign.tasks(store, "trial", "J2")]
    for task in (foreign[0], 10**15, 10**19):
        short, general = both(client, task)
        assert short.status_code in (401, 404) and short.content == general.content
    for said in ({"sec-fetch-site": "cross-site"}, {"origin": "http://elsewhere"}, {"origin": "null"}):
        assert both(client, tasks[0], **said)[0].status_code == 403
    assert both(client, tasks[0], **{"content-type": "text/plain"})[0].status_code == 415
    twice = [("cookie", f"{JUDGE_COOKIE}={'x' * 43}"), ("cookie", "a=b")]
    client.cookies.clear()
    assert client.post(f"/task/{tasks[0]}/answers", json=BODY, headers=twice).status_code == 401
    assert both(client, tasks[0])[0].status_code == 401
    assert len(taken) == 1 and len(campaign.history(store, "trial")) == 2


def test_a_judge_of_two_campaigns_is_known_for_both(client: TestClient, store: Store, tasks: list[int]) -> None:
    other = enter(client, open_campaign(store, "second")["J2"])
    second = [task.id for task in campaign.tasks(store, "second", "J2")]
    assert second[0] in other or other
    for task in (tasks[0], second[0]):
        assert both(client, task, {**BODY, "submission": f"of task {task}"})[0].status_code == 200


def test_a_campaign_that_pauses_and_a_link_that_is_revoked(
    client: TestClient, store: Store, tasks: list[int], taken: list[int]
) -> None:
    both(client, tasks[0])
    campaign.pause(store, "trial")
    short, general = both(client, tasks[0], {**BODY, "submission": "submission-3"})
    assert short.status_code == 409 and short.json()["reason"] == "paused" and short.content == general.content
    again, _ = both(client, tasks[0])
    assert again.status_code == 200, "what was stored before is acknowledged again"
    campaign.links.revoke(store, "trial", "J1")
    client.app.state.site.sessions.forget()
    assert both(client, tasks[0])[0].status_code == 401
    assert len(taken) == 2


def test_a_store_that_fails_is_asked_once(
    client: TestClient, tasks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    both(client, tasks[0])
    asked: list[int] = []

    def full(*_: object, **__: object) -> None:
        asked.append(1)
        raise StoreError("The disk is full, so nothing was saved.")

    monkeypatch.setattr(campaign, "submit_many", full)
    answer = client.post(f"/task/{tasks[0]}/answers", json=BODY)
    assert answer.status_code == 503 and len(asked) == 1


def test_both_ways_are_counted_alike(client: TestClient, tasks: list[int]) -> None:
    watched = client.app.state.site.watched
    before = watched.requests["save", 200]
    both(client, tasks[0])
    assert watched.requests["save", 200] == before + 2
    assert watched.running == 0
    assert client.app.state.site.saves.count == 2


def test_a_body_in_pieces_and_one_that_stops(client: TestClient, tasks: list[int], taken: list[int]) -> None:
    both(client, tasks[0])
    messages: list[dict[str, Any]] = []
    sent: list[dict[str, Any]] = []
    said = b'{"submission": "in pieces", "item": 0, "answers": {"sentence": 2}}'
    scope = {
        "type": "http", "method": "POST", "path": f"/task/{tasks[0]}/answers", "query_string": b"", "scheme": "http",
        "raw_path": b"", "root_path": "", "server": ("testserver", 80), "client": ("1.2.3.4", 5),
        "headers": [
            (b"host", b"testserver"), (b"content-type", b"application/json"),
            (b"content-length", str(len(said)).encode()),
            (b"cookie", f"a=b; {JUDGE_COOKIE}={client.cookies[JUDGE_COOKIE]}".encode()),
        ],
    }  # fmt: skip

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    def ask(*given: dict[str, Any]) -> list[dict[str, Any]]:
        messages[:], sent[:] = list(given), []
        assert client.portal is not None
        client.portal.call(client.app, dict(scope), receive, send)
        return sent

    pieces = [
        {"type": "http.request", "body": said[:20], "more_body": True},
        {"type": "http.request", "body": said[20:]},
    ]
    assert ask(*pieces)[0]["status"] == 200 and len(taken) == 2
    gone = [pieces[0], {"type": "http.disconnect"}]
    assert ask(*gone)[0]["status"] == 400 and len(taken) == 2
