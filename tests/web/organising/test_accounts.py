from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from lanner.campaign.accounts import add_account, verify
from lanner.store import AccountRole, Store
from web_clients import PASSWORD, another, open_campaign, sign_in, token_in


@pytest.fixture
def token(client: TestClient, store: Store) -> str:
    return sign_in(client, store)


def number(store: Store, name: str) -> str:
    with store.reading() as tx:
        found = tx.accounts.find(name)
    assert found
    return str(found.id)


def test_an_owner_makes_accounts(client: TestClient, store: Store, token: str) -> None:
    fields = {"token": token, "name": "Bob", "password": PASSWORD, "role": "organiser"}
    assert client.post("/people", data=fields).status_code == 303
    found = verify(store, "Bob", PASSWORD)
    assert found and found.role is AccountRole.ORGANISER
    again = client.post("/people", data=fields)
    assert again.status_code == 422
    assert "already" in again.text
    assert client.post("/people", data={**fields, "role": "king"}).status_code == 400


def test_campaigns_are_shared_and_taken_back(client: TestClient, store: Store, token: str) -> None:
    open_campaign(store)
    bob = another(client)
    sign_in(bob, store, "Bob", "viewer")
    fields = {"token": token, "account": number(store, "Bob"), "do": "campaigns"}
    client.post("/people/change", data={**fields, "campaign": "1"})
    assert bob.get("/campaigns/trial").status_code == 200
    client.post("/people/change", data=fields)
    assert bob.get("/campaigns/trial").status_code == 404


def test_roles_change_and_the_last_owner_stays(client: TestClient, store: Store, token: str) -> None:
    own = {"token": token, "account": number(store, "Ann")}
    for deed in ({"do": "role", "role": "viewer"}, {"do": "off"}):
        answer = client.post("/people/change", data={**own, **deed})
        assert answer.status_code == 422
        assert "last owner" in answer.text
    sign_in(another(client), store, "Bob", "viewer")
    other = {"token": token, "account": number(store, "Bob"), "do": "role"}
    assert client.post("/people/change", data={**other, "role": "owner"}).status_code == 303
    assert client.post("/people/change", data={**own, "do": "role", "role": "viewer"}).status_code == 303
    assert client.get("/people").status_code == 403


def test_switched_off_is_out_at_once(client: TestClient, store: Store, token: str) -> None:
    bob = another(client)
    sign_in(bob, store, "Bob", "organiser")
    assert bob.get("/campaigns").status_code == 200
    client.post("/people/change", data={"token": token, "account": number(store, "Bob"), "do": "off"})
    assert bob.get("/campaigns").headers["location"] == "/login"


def test_a_new_password_ends_other_sessions(client: TestClient, store: Store) -> None:
    add_account(store, "Ann", PASSWORD, AccountRole.OWNER)
    token = sign_in(client, store)
    elsewhere = another(client)
    sign_in(elsewhere, store)
    wrong = client.post("/account", data={"token": token, "old": "no", "new": "another long sentence"})
    assert wrong.status_code == 422
    fields = {"token": token, "old": PASSWORD, "new": "another long sentence"}
    assert client.post("/account", data=fields).status_code == 303
    assert "changed" in client.get("/account?changed=1").text
    assert elsewhere.get("/account").status_code == 303
    assert verify(store, "Ann", "another long sentence")
    assert token_in(client.get("/account").text)
