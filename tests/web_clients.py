"""Visitors of the web app, for its tests."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from starlette.testclient import TestClient

from lanner import campaign, protocols
from lanner.model import Document, Grid, Judge, Segment
from lanner.store import AccountRole, Store
from lanner.web.access import ACCOUNT_COOKIE, Visitor

PASSWORD = "a sentence nobody guesses"
HOST = "testserver.local"


def token_in(page: str) -> str:
    """The token of the first form on a page."""
    found = re.search(r'name="token" value="([^"]+)"', page)
    assert found, page
    return found[1]


def another(client: TestClient) -> TestClient:
    """Another browser on the same running app, in the same event loop."""
    browser = TestClient(client.app, follow_redirects=False)
    browser.portal = client.portal
    return browser


def sign_in(client: TestClient, store: Store, name: str = "Ann", role: str = "owner") -> str:
    """A browser with the session of such an account, made without the slow work of a password. Its form token."""
    with store.writing() as tx:
        known = tx.accounts.find(name)
        number = known.id if known else tx.accounts.add(name, "!", AccountRole(role), datetime.now(UTC))
        account = tx.accounts.by_number(number)
    token: str = client.app.state.site.sessions.open(account=number)
    client.cookies.set(ACCOUNT_COOKIE, token, domain=HOST)
    return Visitor(account=account).form_token


SYSTEMS = ("secret-system-one", "secret-system-two")


def documents(count: int = 2, segments: int = 3) -> list[Document]:
    """Small texts with outputs of two systems whose names no judge may see."""
    return [
        Document(
            id=f"doc{number}",
            segments=tuple(
                Segment(
                    id=str(at),
                    source=f"Source {number}.{at}",
                    outputs={name: f"Text {number}.{at} by {place}" for place, name in enumerate(SYSTEMS)},
                )
                for at in range(segments)
            ),
            source_language="en",
            target_language="ko",
            domain="news" if number % 2 else "social",
            title=f"Title {number}",
        )
        for number in range(count)
    ]


def open_campaign(
    store: Store, name: str = "trial", protocol: str = "h_falcon", judges: int = 2, **more: Any
) -> dict[str, str]:
    """An open campaign; the secrets of its judges."""
    people = [Judge(f"J{number}", name=f"Judge {number}") for number in range(1, judges + 1)]
    given = {"documents": documents(), "design": "full", "seed": 1, **more}
    texts = given.pop("documents")
    campaign.create(store, name, texts, protocols.load(protocol), people, **given)
    campaign.open(store, name)
    return campaign.invitations.issue_all(store, name)


def enter(client: TestClient, secret: str) -> list[int]:
    """Open a judge's link; the tasks of that judge."""
    assert client.get(f"/j/{secret}").headers["location"] == "/work"
    page = client.get("/work").text
    return sorted({int(number) for number in re.findall(r'href="/task/(\d+)(?:/practice)?"', page)})


def complete(protocol: str = "h_falcon") -> dict[str, Any]:
    """Answers to everything asked about one item."""
    if protocol == "h_falcon":
        grid = protocols.load(protocol).find("skills")
        assert grid and isinstance(grid[1], Grid)
        return {"skills": {row.id: "not_relevant" for row in grid[1].rows}, "sentence": 4, "holistic": 8}
    return {"context": "local", "skills": ["idea_development", "style_register", "participant_focus"]}


def save(client: TestClient, task: int, item: int, answers: dict[str, Any], **more: Any) -> Any:
    """Post answers as the page does."""
    body = {"submission": uuid4().hex, "item": item, "answers": answers, **more}
    return client.post(f"/task/{task}/answers", json=body, headers={"sec-fetch-site": "same-origin"})


def sent_back(page: str) -> dict[str, Any]:
    """The form of the page on columns as a browser would send it back."""
    fields: dict[str, Any] = {
        "column": [html.unescape(name) for name in re.findall(r'name="column" value="([^"]*)"', page)]
    }
    for name, menu in re.findall(r'<select name="([^"]+)"[^>]*>(.*?)</select>', page, re.DOTALL):
        chosen = re.search(r'<option value="([^"]*)" selected', menu)
        fields[name] = chosen[1] if chosen else re.findall(r'<option value="([^"]*)"', menu)[0]
    for name, value in re.findall(r'<input type="text" name="(name\.\d+)" value="([^"]*)"', page):
        fields[name] = html.unescape(value)
    header = re.search(r'name="header"\s+value="(\d*)"\s+checked', page)
    return fields | ({"header": header[1]} if header else {})
