from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from lanner.campaign.accounts import add_account, verify
from lanner.store import AccountRole, Store
from lanner.web import access
from lanner.web.app import create_app
from web_clients import HOST, PASSWORD, another, open_campaign, sign_in, token_in


def set_up(client: TestClient, **given: str):
    token = token_in(client.get("/setup").text)
    return client.post(
        "/setup", data={"token": token, "code": "the-code", "name": "Ann", "password": PASSWORD, **given}
    )


def sign_in_by_form(client: TestClient, store: Store) -> None:
    add_account(store, "Ann", PASSWORD, AccountRole.OWNER)
    token = token_in(client.get("/login").text)
    answer = client.post("/login", data={"token": token, "name": "Ann", "password": PASSWORD})
    assert answer.status_code == 303, answer.text


def test_a_new_server_leads_to_set_up(client: TestClient) -> None:
    assert client.get("/").headers["location"] == "/setup"


def test_the_first_account_owns_everything(client: TestClient, store: Store) -> None:
    answer = set_up(client)
    assert (answer.status_code, answer.headers["location"]) == (303, "/campaigns")
    with store.reading() as tx:
        assert [account.role for account in tx.accounts.all()] == [AccountRole.OWNER]
    assert client.get("/").headers["location"] == "/campaigns"


def test_set_up_needs_the_code(client: TestClient, store: Store) -> None:
    answer = set_up(client, code="guess")
    assert answer.status_code == 422
    assert "terminal" in answer.text
    with store.reading() as tx:
        assert tx.accounts.count_owners() == 0


def test_set_up_happens_once(client: TestClient, store: Store) -> None:
    other = another(client)
    token = token_in(other.get("/setup").text)
    set_up(client)
    late = other.post("/setup", data={"token": token, "code": "the-code", "name": "Eve", "password": PASSWORD})
    assert late.status_code == 422
    assert other.get("/setup").headers["location"] == "/login"
    with store.reading() as tx:
        assert [account.name for account in tx.accounts.all()] == ["Ann"]


def test_without_a_code_nobody_sets_up(store: Store) -> None:
    with TestClient(create_app(store), follow_redirects=False) as bare:
        assert set_up(bare, code="").status_code == 422


@pytest.mark.parametrize("given", [{"password": "short"}, {"name": "  "}, {"name": "x" * 81}])
def test_poor_accounts_are_refused_in_words(client: TestClient, given: dict[str, str]) -> None:
    answer = set_up(client, **given)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text


def test_signing_in_and_out(client: TestClient, store: Store) -> None:
    sign_in_by_form(client, store)
    assert client.get("/login").headers["location"] == "/campaigns"
    kept = client.cookies[access.ACCOUNT_COOKIE]
    token = token_in(client.get("/account").text)
    assert client.post("/logout", data={"token": token}).headers["location"] == "/login"
    thief = another(client)
    thief.cookies.set(access.ACCOUNT_COOKIE, kept)
    assert thief.get("/login").status_code == 200, "the old token still opens the door"


def test_a_wrong_name_and_a_wrong_password_look_alike(client: TestClient, store: Store) -> None:
    add_account(store, "Ann", PASSWORD, AccountRole.OWNER)
    answers = []
    for name, password in (("Ann", "wrong"), ("Nobody", PASSWORD)):
        token = token_in(client.get("/login").text)
        answer = client.post("/login", data={"token": token, "name": name, "password": password})
        answers.append((answer.status_code, answer.text.replace(name, "").replace(token, "")))
    assert answers[0] == answers[1]
    assert answers[0][0] == 422


def test_guessing_is_slowed_down(client: TestClient, store: Store) -> None:
    add_account(store, "Ann", PASSWORD, AccountRole.OWNER)
    client.app.state.site.sign_ins.burst = 2
    token = token_in(client.get("/login").text)
    codes = [
        client.post("/login", data={"token": token, "name": "Ann", "password": "no"}).status_code for _ in range(4)
    ]
    assert codes == [422, 422, 429, 429]


def test_a_stranger_cannot_lock_the_owner_of_an_account_out(client: TestClient, store: Store) -> None:
    add_account(store, "Ann", PASSWORD, AccountRole.OWNER)
    client.app.state.site.sign_ins.burst = 2
    stranger = TestClient(client.app, follow_redirects=False, client=("203.0.113.9", 4711))
    stranger.portal = client.portal
    token = token_in(stranger.get("/login").text)
    for _ in range(12):
        refused = stranger.post("/login", data={"token": token, "name": "Ann", "password": "no"})
    assert refused.status_code == 429
    token = token_in(client.get("/login").text)
    assert client.post("/login", data={"token": token, "name": "Ann", "password": PASSWORD}).status_code == 303


def test_an_account_switched_off_is_out_at_once(client: TestClient, store: Store) -> None:
    sign_in_by_form(client, store)
    with store.writing() as tx:
        found = tx.accounts.find("Ann")
        assert found
        tx.accounts.disable(found.id, found.created_at)
    assert client.get("/login").status_code == 200
    assert verify(store, "Ann", PASSWORD) is None


def test_forms_need_their_token_and_their_origin(client: TestClient, store: Store) -> None:
    add_account(store, "Ann", PASSWORD, AccountRole.OWNER)
    token = token_in(client.get("/login").text)
    fields = {"name": "Ann", "password": PASSWORD}
    assert client.post("/login", data=fields).status_code == 403
    evil = {"sec-fetch-site": "cross-site"}
    assert client.post("/login", data={**fields, "token": token}, headers=evil).status_code == 403
    assert another(client).post("/login", data={**fields, "token": token}).status_code == 403


def test_signing_in_makes_a_new_token(client: TestClient, store: Store) -> None:
    client.cookies.set(access.ACCOUNT_COOKIE, "planted", domain=HOST)
    sign_in_by_form(client, store)
    assert client.cookies[access.ACCOUNT_COOKIE] != "planted"


def test_cookies_are_closed_to_scripts_and_other_sites(client: TestClient, store: Store) -> None:
    add_account(store, "Ann", PASSWORD, AccountRole.OWNER)
    secure = TestClient(client.app, base_url="https://testserver", follow_redirects=False)
    token = token_in(secure.get("/login").text)
    answer = secure.post("/login", data={"token": token, "name": "Ann", "password": PASSWORD})
    cookie = next(line for line in answer.headers.get_list("set-cookie") if line.startswith(access.ACCOUNT_COOKIE))
    assert {"httponly", "samesite=lax", "secure"} <= {part.strip().lower() for part in cookie.split(";")}


def test_a_language_that_is_asked_for_at_the_door_goes_along(client: TestClient, store: Store) -> None:
    assert client.get("/?language=ko").headers["location"] == "/setup?language=ko"
    assert client.get("/?language=xx").headers["location"] == "/setup"
    add_account(store, "Ann", PASSWORD, AccountRole.OWNER)
    assert client.get("/?language=ar").headers["location"] == "/login?language=ar"


def test_the_code_of_a_demonstration(client: TestClient, store: Store) -> None:
    assert client.get("/enter/guess").status_code == 404
    assert client.get("/enter/come-in").headers["location"] == "/campaigns"
    assert another(client).get("/enter/come-in").status_code == 303
    assert another(client).get("/enter/come-in?to=/new").headers["location"] == "/new"
    for elsewhere in ("//example.org", "https://example.org", "/\\example.org", "new", "/new%0d%0a"):
        assert another(client).get(f"/enter/come-in?to={elsewhere}").headers["location"] == "/campaigns"
    with store.reading() as tx:
        assert [account.name for account in tx.accounts.all()] == ["demo"]


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
