from __future__ import annotations

from datetime import UTC, datetime, timedelta

from starlette.testclient import TestClient

from lanner.store import Store
from lanner.web.session import ACCOUNT_COOKIE, ACCOUNT_DAYS, Sessions, Visitor
from visiting import HOST, another, sign_in


def account(store: Store) -> int:
    with store.writing() as tx:
        return tx.accounts.add("Ann", "!", "owner", datetime.now(UTC))


def test_only_the_hash_of_a_token_is_kept(store: Store) -> None:
    sessions = Sessions(store)
    token = sessions.open(account=account(store))
    assert len(token) >= 43
    with store.reading() as tx:
        assert tx.sessions.find(token, datetime.now(UTC)) is None
    assert sessions.find(token) is not None


def test_a_closed_session_is_closed_everywhere(store: Store) -> None:
    here, there = Sessions(store), Sessions(store)
    number = account(store)
    token, other = here.open(account=number), here.open(account=number)
    assert there.find(token) is not None
    here.close(token)
    assert here.find(token) is None
    there._known.clear()  # the ten seconds another process may believe it
    assert there.find(token) is None
    here.close_all(account=number)
    assert here.find(other) is None


def test_a_session_is_remembered_for_seconds_not_for_ever(store: Store) -> None:
    sessions = Sessions(store)
    token = sessions.open(account=account(store))
    assert sessions.remembered(token) is None
    sessions.find(token)
    assert sessions.remembered(token) is not None
    found, _ = sessions._known.popitem()[1]
    assert found.expires_at <= datetime.now(UTC) + timedelta(days=ACCOUNT_DAYS)


def test_unknown_tokens_are_nobody(client: TestClient) -> None:
    client.cookies.set(ACCOUNT_COOKIE, "made up", domain=HOST)
    assert client.get("/login").status_code == 200


def test_two_browsers_have_two_sessions(client: TestClient, store: Store) -> None:
    sign_in(client, store)
    assert client.get("/login").status_code == 303
    assert another(client).get("/login").status_code == 200


def test_a_judge_may_hold_several_links() -> None:
    visitor = Visitor(links=(("new", 7, 1), ("old", 3, 2)))
    assert visitor.seats == (7, 3)
    assert visitor.token_of(3) == "old"
    assert visitor.token_of(9) == ""
