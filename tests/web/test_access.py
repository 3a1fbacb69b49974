"""Every route with every kind of visitor, against the table."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from lanner import campaign
from lanner.store import Store
from lanner.web.access import ANYONE, EDITORS, JUDGES, OWNERS, PROGRAMS, READERS, VisitorKind, form_token
from lanner.web.app import ROUTES, create_app
from lanner.web.organising import live
from lanner.web.site import ServerSettings
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
    with TestClient(create_app(store, settings=ServerSettings(processes=False)), follow_redirects=False) as opened:
        yield opened


@pytest.fixture(scope="module")
def signed_in() -> Visitors:
    """Whoever is signed in from an earlier walk."""
    return {}


@pytest.fixture
def visitors(
    client: TestClient,
    store: Store,
    signed_in: Visitors,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Visitors]:
    """One browser per kind of visitor, each with the form token of its session. What is posted may end a session: after
    that all sign in again."""
    monkeypatch.setattr(live, "LONGEST", 0.0)  # a stream that ends, so that it can be waited for
    if not signed_in:
        signed_in.update(_sign_in(client, store))
    yield signed_in
    if not request.node.name.rpartition("[")[2].startswith("GET "):
        signed_in.clear()


def _sign_in(client: TestClient, store: Store) -> Visitors:
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
    return browsers


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
        if VisitorKind(kind) in ACCESS[way]:
            assert status not in REFUSED or (ACCESS[way] == ANYONE and status == 403), f"{way} refuses {name}: {status}"
        else:
            assert status in REFUSED, f"{way} lets {name} in: {status}"


@pytest.mark.parametrize("way", [way for way in WALKED if "{name}" in way])
def test_campaigns_of_others_do_not_exist(way: str, visitors: Visitors, client: TestClient, store: Store) -> None:
    browser, token = visitors["stranger"]
    task = campaign.tasks(store, "trial", "J1")[0].id
    status = ask(browser, token, way, task).status_code
    assert status == (404 if VisitorKind.ORGANISER in ACCESS[way] else 403)


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
