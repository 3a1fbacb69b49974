from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.testclient import TestClient

from lanner import campaign
from lanner.campaign import accounts, invitations
from lanner.errors import StoreError
from lanner.store import Account, AccountRole, Participant, Store, Transaction
from lanner.store.accounts import Sessions as SessionRows
from lanner.web import access, auth
from lanner.web.access import (
    ACCOUNT_COOKIE,
    ACCOUNT_DAYS,
    JUDGE_COOKIE,
    JUDGE_DAYS,
    SessionCache,
    Visitor,
    judge_cookie,
)
from web_clients import HOST, PASSWORD, another, open_campaign, sign_in, token_in


def account(store: Store) -> int:
    with store.writing() as tx:
        return tx.accounts.add("Ann", "!", "owner", datetime.now(UTC))


def test_only_the_hash_of_a_token_is_kept(store: Store) -> None:
    sessions = SessionCache(store)
    token = sessions.open(account=account(store))
    assert len(token) >= 43
    with store.reading() as tx:
        assert tx.sessions.find(token, datetime.now(UTC)) is None
    assert sessions.find(token) is not None


def test_a_closed_session_is_closed_everywhere(store: Store) -> None:
    here, there = SessionCache(store), SessionCache(store)
    number = account(store)
    token = here.open(account=number)
    assert there.find(token) is not None
    here.close(token)
    assert here.find(token) is None
    there._known.clear()  # the ten seconds another process may believe it
    assert there.find(token) is None


def test_a_session_is_remembered_for_seconds_not_for_ever(store: Store) -> None:
    sessions = SessionCache(store)
    token = sessions.open(account=account(store))
    assert sessions.cached(token) is None
    sessions.find(token)
    assert sessions.cached(token) is not None
    found, _ = sessions._known.popitem()[1]
    assert found.expires_at <= datetime.now(UTC) + timedelta(days=ACCOUNT_DAYS)


def test_sessions_in_use_are_looked_up_again_together_before_they_are_forgotten(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Judges who began together would all ask the store anew in one second, and their saves wait for it."""
    clock = [100.0]
    monkeypatch.setattr(access, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    here, there = SessionCache(store), SessionCache(store)
    number = account(store)
    used, idle, ended, closed = (here.open(account=number) for _ in range(4))
    for token in (used, idle, ended, closed):
        assert here.find(token) is not None
    assert None not in [here.cached(token) for token in (used, ended, closed)]
    there.close(ended)
    found = {}
    find_all = SessionRows.find_all

    def read_slowly(rows: SessionRows, hashes: list[str], now: datetime) -> dict[str, object]:
        found.update(find_all(rows, hashes, now))
        here._known.pop(access._hash(closed))  # signed out while the store was asked
        return found

    monkeypatch.setattr(SessionRows, "find_all", read_slowly)
    clock[0] += 5
    here.look_again()
    assert len(found) == 2
    clock[0] += 5
    assert [here.cached(token) is not None for token in (used, idle, ended, closed)] == [True, False, False, False]
    clock[0] += 5
    assert here.cached(used) is None


def test_unknown_tokens_are_nobody(client: TestClient) -> None:
    client.cookies.set(ACCOUNT_COOKIE, "made up", domain=HOST)
    assert client.get("/login").status_code == 200


def test_two_browsers_have_two_sessions(client: TestClient, store: Store) -> None:
    sign_in(client, store)
    assert client.get("/login").status_code == 303
    assert another(client).get("/login").status_code == 200


def test_a_judge_may_hold_several_links() -> None:
    visitor = Visitor(links=(("new", 7, 1), ("old", 3, 2)))
    assert visitor.participants == (7, 3)
    assert visitor.token_of(3) == "old"
    assert visitor.token_of(9) == ""


def aged(store: Store, **who: int) -> str:
    """A session that was opened two days ago."""
    token = "an-old-token-" + "x" * 30
    now = datetime.now(UTC)
    days = JUDGE_DAYS if "judge" in who else ACCOUNT_DAYS
    with store.writing() as tx:
        hashed = hashlib.sha256(token.encode()).hexdigest()
        tx.sessions.add(hashed, now + timedelta(days=days - 2), now - timedelta(days=2), **who)
    return token


def test_an_old_session_of_an_account_is_renewed_by_looking(client: TestClient, store: Store) -> None:
    form = sign_in(client, store)
    old = aged(store, account=account_of(store))
    client.cookies.set(ACCOUNT_COOKIE, old, domain=HOST)
    assert client.get("/account").status_code == 200
    new = client.cookies.get(ACCOUNT_COOKIE, domain=HOST)
    assert new and new != old
    assert client.post("/logout", data={"token": form}).status_code == 303, "a page that was open can still be sent"
    late = another(client)
    late.cookies.set(ACCOUNT_COOKIE, old, domain=HOST)
    assert late.get("/account").status_code == 200, "requests on their way have two minutes"


def test_a_judges_session_is_renewed_at_home(client: TestClient, store: Store) -> None:
    open_campaign(store)
    participant = campaign.participants(store, "trial")[0].number
    old = aged(store, judge=participant)
    client.cookies.set(JUDGE_COOKIE, old, domain=HOST)
    task = campaign.tasks(store, "trial", "J1")[0].id
    client.get(f"/task/{task}")
    assert client.cookies.get(JUDGE_COOKIE, domain=HOST) == old
    client.get("/work")
    assert client.cookies.get(JUDGE_COOKIE, domain=HOST) is None, "the cookie of an earlier version"
    assert client.cookies.get(judge_cookie(participant), domain=HOST) not in (None, old)
    assert client.get(f"/task/{task}").status_code == 200


@pytest.mark.parametrize("ended_by", ["issue", "revoke"])
def test_a_link_that_ends_while_it_is_opened_opens_nothing(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch, ended_by: str
) -> None:
    secret = open_campaign(store)["J1"]
    lookup = invitations.lookup

    def end_after(store: Store, secret: str) -> Participant | None:
        found = lookup(store, secret)
        getattr(invitations, ended_by)(store, "trial", "J1")
        return found

    monkeypatch.setattr(invitations, "lookup", end_after)
    assert client.get(f"/j/{secret}").status_code == 404
    assert sessions_in(store) == 0


def test_a_password_that_changes_while_it_is_checked_lets_nobody_in(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, verify = accounts.add_account(store, "Ann", PASSWORD, AccountRole.OWNER), accounts.verify

    def change_after(store: Store, name: str, password: str) -> Account | None:
        found = verify(store, name, password)
        with store.writing() as tx:
            tx.accounts.set_password(number, "another")
            tx.sessions.remove_of(account=number)
        return found

    monkeypatch.setattr(accounts, "verify", change_after)
    form = {"token": token_in(client.get("/login").text), "name": "Ann", "password": PASSWORD}
    assert client.post("/login", data=form).headers["location"] == "/login"
    assert sessions_in(store) == 0


def test_who_is_signed_out_while_a_page_is_drawn_gets_no_new_session(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_in(client, store)
    number, draw = account_of(store), auth.page
    old = aged(store, account=number)
    client.cookies.set(ACCOUNT_COOKIE, old, domain=HOST)

    def end_then_draw(*given: Any) -> Response:
        with store.writing() as tx:
            tx.sessions.remove_of(account=number)
        return draw(*given)

    monkeypatch.setattr(auth, "page", end_then_draw)
    assert client.get("/account").status_code == 200
    assert client.cookies.get(ACCOUNT_COOKIE, domain=HOST) == old and sessions_in(store) == 0


@pytest.mark.postgres
def test_nobody_changes_a_password_while_somebody_comes_in_by_it(postgres_url: str) -> None:
    """On SQLite nobody else writes anyway."""
    with Store.open(postgres_url) as store:
        number = account(store)

        def may(_: Transaction) -> bool:
            with pytest.raises(StoreError), store.writing() as other:
                other.connection.exec_driver_sql("SET LOCAL lock_timeout = '1ms'")
                other.accounts.set_password(number, "another")
            return True

        assert SessionCache(store).open(account=number, may=may)


def sessions_in(store: Store) -> int:
    with store.snapshot() as connection:
        return int(connection.exec_driver_sql("SELECT count(*) FROM session").scalar_one())


def account_of(store: Store) -> int:
    with store.reading() as tx:
        return tx.accounts.all()[0].id


def request(**headers: str) -> Request:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "POST", "headers": raw})


@pytest.mark.parametrize(
    ("headers", "fine"),
    [
        ({"sec_fetch_site": "same-origin"}, True),
        ({"sec_fetch_site": "cross-site"}, False),
        ({"sec_fetch_site": "same-site"}, False),
        ({"sec_fetch_site": "none"}, False),
        ({"sec_fetch_site": "cross-site", "origin": "https://a.example", "host": "a.example"}, False),
        ({"origin": "https://a.example", "host": "a.example"}, True),
        ({"origin": "https://b.example", "host": "a.example"}, False),
        ({"origin": "https://a.example:81", "host": "a.example"}, False),
        ({"origin": "null", "host": "a.example"}, False),
        ({}, True),
    ],
)
def test_where_a_request_comes_from(headers: dict[str, str], fine: bool) -> None:
    assert access.same_origin(request(**headers)) is fine
    if not fine:
        with pytest.raises(HTTPException) as refused:
            access.check_origin(request(**headers))
        assert refused.value.status_code == 403


def test_a_token_fits_its_cookie_only() -> None:
    access.check_form(access.form_token("cookie"), "cookie")
    for given in (None, "", "x", access.form_token("other")):
        with pytest.raises(HTTPException):
            access.check_form(given, "cookie")


def test_a_token_does_not_give_the_cookie_away() -> None:
    assert "cookie" not in access.form_token("cookie")
