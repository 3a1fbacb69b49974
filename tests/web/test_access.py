"""Every route with every kind of visitor, against the table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from lanner import campaign
from lanner.campaign.accounts import issue
from lanner.store import AccountRole, Store
from lanner.web.access import ANYONE, EDITORS, JUDGES, OWNERS, PROGRAMS, READERS, Kind
from lanner.web.app import create_app
from lanner.web.organising import live
from lanner.web.routes import ROUTES
from lanner.web.session import form_token
from lanner.web.site import Settings
from web_clients import another, enter, open_campaign, sign_in

Visitors = dict[str, tuple[TestClient, str]]
ACCESS = {f"{route.method} {route.path}": route.who for route in ROUTES}
WALKED = list(ACCESS)
REFUSED = {401, 403}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Two campaigns for all walks: whatever is refused leaves them as they are."""
    with Store.open(tmp_path_factory.mktemp("walk") / "lanner.sqlite") as opened:
        open_campaign(opened)
        open_campaign(opened, "elsewhere")
        yield opened


@pytest.fixture(scope="module")
def client(store: Store) -> Iterator[TestClient]:
    with TestClient(create_app(store, settings=Settings(processes=False)), follow_redirects=False) as opened:
        yield opened


@pytest.fixture
def visitors(client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Visitors]:
    """One browser per kind of visitor, each with the form token of its session."""
    monkeypatch.setattr(live, "LONGEST", 0.0)  # a stream that ends, so that it can be waited for
    secrets = {judge: campaign.invitations.issue(store, "trial", judge) for judge in ("J1", "J2")}
    client.app.state.site.sessions.forget()
    browsers: Visitors = {"nobody": (another(client), "")}
    for judge in ("J1", "J2"):
        browser = another(client)
        enter(browser, secrets[judge])
        (cookie,) = browser.cookies.values()
        browsers[judge] = (browser, form_token(cookie))
    for role in ("viewer", "organiser", "owner"):
        browser = another(client)
        browsers[role] = (browser, sign_in(browser, store, role, role))
    stranger = another(client)
    browsers["stranger"] = (stranger, sign_in(stranger, store, "stranger", "organiser"))
    with store.writing() as tx:
        for name, where in (("viewer", "trial"), ("organiser", "trial"), ("stranger", "elsewhere")):
            found, place = tx.accounts.find(name), tx.campaigns.find(where)
            assert found and place
            tx.accounts.join(found.id, place.id)
    yield browsers


KINDS = {
    "nobody": "nobody",
    "J1": "judge",
    "J2": "judge",
    "viewer": "viewer",
    "organiser": "organiser",
    "stranger": "organiser",
    "owner": "owner",
}


def address(path: str, task: int) -> str:
    filled = {"id": str(task), "name": "trial", "secret": "x" * 32, "code": "x", "version": "v", "path": "tokens.css"}
    return re.sub(r"\{(\w+)(?::\w+)?\}", lambda found: filled.get(found[1], "1"), path)


def ask(browser: TestClient, token: str, way: str, task: int):
    method, path = way.split(" ", 1)
    place = address(path, task)
    if method == "GET":
        return browser.get(place, headers={"accept": "application/json"})
    return browser.post(place, data={"token": token}, headers={"accept": "application/json"})


def test_what_is_served_is_what_the_table_says(client: TestClient) -> None:
    served = {
        f"{method} {route.path}"
        for route in client.app.routes
        if isinstance(route, Route)
        for method in (route.methods or set()) - {"HEAD"}
    }
    assert served == set(WALKED)


@pytest.mark.parametrize("way", WALKED)
def test_the_table_is_what_happens(way: str, visitors: Visitors, client: TestClient, store: Store) -> None:
    task = campaign.tasks(store, "trial", "J1")[0].id
    for name, kind in KINDS.items():
        if name in ("J2", "stranger") and ("{id:int}" in way or "{name}" in way):
            continue  # what is not theirs does not exist for them: the next two tests
        browser, token = visitors[name]
        status = ask(browser, token, way, task).status_code
        if Kind(kind) in ACCESS[way]:
            assert status not in REFUSED or (ACCESS[way] == ANYONE and status == 403), f"{way} refuses {name}: {status}"
        else:
            assert status in REFUSED, f"{way} lets {name} in: {status}"


@pytest.mark.parametrize("way", [way for way in WALKED if "{name}" in way])
def test_campaigns_of_others_do_not_exist(way: str, visitors: Visitors, client: TestClient, store: Store) -> None:
    browser, token = visitors["stranger"]
    task = campaign.tasks(store, "trial", "J1")[0].id
    status = ask(browser, token, way, task).status_code
    assert status == (404 if Kind.ORGANISER in ACCESS[way] else 403)


@pytest.mark.parametrize("way", [way for way in WALKED if "{id:int}" in way])
def test_tasks_of_others_do_not_exist(way: str, visitors: Visitors, client: TestClient, store: Store) -> None:
    task = campaign.tasks(store, "trial", "J1")[0].id
    browser, token = visitors["J2"]
    assert ask(browser, token, way, task).status_code in (401, 404)


def test_whoever_changes_something_must_come_from_our_own_page(
    visitors: Visitors, client: TestClient, store: Store
) -> None:
    task = campaign.tasks(store, "trial", "J1")[0].id
    for way in WALKED:
        method, path = way.split(" ", 1)
        if method == "POST":
            for name in ("J1", "owner"):
                browser, token = visitors[name]
                answer = browser.post(
                    address(path, task), data={"token": token}, headers={"sec-fetch-site": "cross-site"}
                )
                refusal = 401 if ACCESS[way] == PROGRAMS else 403  # a program's token is no cookie
                assert answer.status_code == refusal, way


def test_the_groups_are_nested() -> None:
    assert OWNERS < EDITORS < READERS < ANYONE
    assert JUDGES < ANYONE
    assert not JUDGES & READERS


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
