from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from lanner.store import Store
from web_clients import open_campaign, sign_in


@pytest.fixture
def token(client: TestClient, store: Store) -> str:
    open_campaign(store)
    return sign_in(client, store)


def test_a_copy_is_made_checked_and_had_as_a_file(client: TestClient, store: Store, token: str, tmp_path: Path) -> None:
    assert "No backup yet" in client.get("/server").text
    assert client.post("/server/copies", data={"token": token, "do": "make"}).status_code == 303
    (copy,) = (tmp_path / "lanner-backups").glob("*.sqlite")
    assert copy.name in client.get("/server").text
    checked = client.post("/server/copies", data={"token": token, "do": "verify", "copy": copy.name})
    assert "whole" in checked.text and f"Checked: {copy.name}" in checked.text
    had = client.get(f"/server/copies/{copy.name}")
    assert had.content.startswith(b"SQLite format 3")
    (tmp_path / "had.sqlite").write_bytes(had.content)
    with sqlite3.connect(tmp_path / "had.sqlite") as file:
        assert file.execute("SELECT count(*) FROM campaign").fetchone() == (1,)


def test_nothing_but_copies_can_be_had(client: TestClient, store: Store, token: str, tmp_path: Path) -> None:
    folder = tmp_path / "lanner-backups"
    folder.mkdir()
    (folder / "1-deleted.jsonl").write_text("{}")
    for name in ("1-deleted.jsonl", "..%2Flanner.sqlite", "lanner.sqlite"):
        assert client.get(f"/server/copies/{name}").status_code == 404
    assert client.post("/server/copies", data={"token": token, "do": "verify", "copy": "../x"}).status_code == 404
    assert client.post("/server/copies", data={"token": token, "do": "x"}).status_code == 400


def test_the_store_in_use_can_be_checked(client: TestClient, store: Store, token: str) -> None:
    assert "the store in use" in client.post("/server/copies", data={"token": token, "do": "verify"}).text


def test_a_token_is_shown_once_works_and_is_revoked(client: TestClient, store: Store, token: str) -> None:
    assert 'name="days" min="1" step="1"\n  value="90"' in client.get("/server").text, "what is shown is what one gets"
    form = {"token": token, "name": "nightly", "scope": "campaigns", "campaign": "trial", "days": "30"}
    made = client.post("/server/tokens", data=form)
    secret = re.search(r'id="secret">(lanner_[^<]+)<', made.text)
    assert secret
    assert secret[1] not in client.get("/server").text
    bearer = {"authorization": f"Bearer {secret[1]}"}
    assert client.get("/api/v1/campaigns", headers=bearer).status_code == 200
    client.post("/server/tokens", data={"token": token, "do": "revoke", "number": "1"})
    assert client.get("/api/v1/campaigns", headers=bearer).status_code == 401
    again = client.post("/server/tokens", data={"token": token, "do": "revoke", "number": "1"})
    assert again.status_code == 422
    for wrong in ({"name": ""}, {"scope": ""}, {"days": "x"}, {"campaign": "none"}):
        assert client.post("/server/tokens", data={**form, **wrong}).status_code == 422
    refused = client.post("/server/tokens", data={**form, "days": "x"}).text
    assert 'value="nightly"' in refused and "<option selected>trial</option>" in refused, "nothing is typed again"
    assert refused.count(' value="campaigns" checked>') == 1 and ' value="judgements">' in refused


def test_an_address_is_told_with_a_secret_shown_once_and_removed(client: TestClient, store: Store, token: str) -> None:
    form = {"token": token, "url": "https://example.org/hook", "event": "campaign.finished", "campaign": "trial"}
    made = client.post("/server/webhooks", data=form)
    assert 'id="secret"' in made.text
    with store.reading() as tx:
        (hook,) = tx.webhooks.all()
    assert (hook.url, hook.events) == ("https://example.org/hook", ("campaign.finished",))
    assert hook.secret not in client.get("/server").text
    gone = client.post("/server/webhooks", data={**form, "campaign": "deleted meanwhile"})
    with store.reading() as tx:
        assert gone.status_code == 422 and len(tx.webhooks.all()) == 1, "it would be told of all campaigns"
    refused = client.post("/server/webhooks", data={**form, "url": "ftp://x"})
    assert refused.status_code == 422
    assert 'value="ftp://x"' in refused.text and ' value="campaign.finished" checked>' in refused.text
    assert ' value="task.finished">' in refused.text
    client.post("/server/webhooks", data={"token": token, "do": "remove", "number": str(hook.id)})
    with store.reading() as tx:
        assert not tx.webhooks.all()
    gone = client.post("/server/webhooks", data={"token": token, "do": "remove", "number": str(hook.id)})
    assert gone.status_code == 422
