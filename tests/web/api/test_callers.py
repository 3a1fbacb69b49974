from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from starlette.testclient import TestClient

from lanner.campaign.accounts import issue
from lanner.store import AccountRole, Store
from web_clients import another, open_campaign

Program = Callable[..., TestClient]


def test_what_does_not_work_is_401(client: TestClient, store: Store, program: Program) -> None:
    past = datetime.now(UTC) - timedelta(days=1)
    number, text = issue(store, "gone", ["campaigns"])
    with store.writing() as tx:
        tx.tokens.revoke(number, datetime.now(UTC))
        account = tx.accounts.add("left", "!", AccountRole.OWNER, past)
    tried = ["", "Basic x", "Bearer", "Bearer lanner_wrong", f"Bearer {text}", "Bearer \x7f", "bearer lanner_ x"]
    browser = another(client)
    for given in tried:
        browser.headers["authorization"] = given
        answer = browser.get("/api/v1/campaigns")
        assert answer.status_code == 401, given
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.json()["message"]
    assert program("campaigns", expires_at=past).get("/api/v1/campaigns").status_code == 401
    mine = program("campaigns", account="left")
    assert mine.get("/api/v1/campaigns").status_code == 200
    with store.writing() as tx:
        tx.accounts.disable(account, datetime.now(UTC))
    assert mine.get("/api/v1/campaigns").status_code == 401


def test_wrong_tokens_are_slowed_down(client: TestClient) -> None:
    browser = another(client)
    browser.headers["authorization"] = "Bearer lanner_wrong"
    assert {browser.get("/api/v1/campaigns").status_code for _ in range(60)} == {401, 429}


def test_an_account_and_a_campaign_limit_what_is_seen(store: Store, program: Program) -> None:
    open_campaign(store)
    open_campaign(store, "other")
    with store.writing() as tx:
        for role in (AccountRole.VIEWER, AccountRole.ORGANISER):
            number = tx.accounts.add(role.value, "!", role, datetime.now(UTC))
            trial = tx.campaigns.find("trial")
            assert trial
            tx.accounts.join(number, trial.id)

    def seen(browser: TestClient) -> list[str]:
        return [entry["name"] for entry in browser.get("/api/v1/campaigns").json()["campaigns"]]

    assert seen(program()) == ["other", "trial"]
    assert seen(program(campaign="other")) == ["other"]
    assert seen(program(account="organiser")) == ["trial"]
    assert program(account="organiser").get("/api/v1/campaigns/other").status_code == 404
    assert program(campaign="other").get("/api/v1/campaigns/trial").status_code == 404
    move = {"state": "paused"}
    assert program(account="viewer").post("/api/v1/campaigns/trial/state", json=move).status_code == 403
    assert program(account="organiser").post("/api/v1/campaigns/trial/state", json=move).status_code == 200
