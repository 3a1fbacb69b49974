"""The description is true: it is checked by a program that reads it and tries what it promises."""

from __future__ import annotations

import importlib
import os
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from lanner import campaign
from lanner.campaign.accounts import SCOPES, issue
from lanner.store import Store
from lanner.web.api import OPERATIONS, Operation, description
from lanner.web.server import server
from lanner.web.site import ServerSettings
from ports import free_port
from web_clients import another, complete, open_campaign, sign_in

EXAMPLES = int(os.environ.get("LANNER_SOAK", "0")) or 2


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """A real server on a free port, and a token for everything."""
    with Store.open(tmp_path_factory.mktemp("api") / "lanner.sqlite") as store:
        open_campaign(store)
        campaign.submit(store, campaign.tasks(store, "trial", "J1")[0].id, 0, complete(), submission="one-submission")
        token = issue(store, "tester", SCOPES)[1]
        port = free_port()
        serving = server(store, port=port, settings=ServerSettings(processes=False))
        thread = threading.Thread(target=serving.run, daemon=True)
        thread.start()
        while not serving.started:
            threading.Event().wait(0.01)
        yield f"http://127.0.0.1:{port}/api/v1", {"authorization": f"Bearer {token}"}
        serving.should_exit = True
        thread.join(20)


def test_every_operation_is_described_once(client: TestClient) -> None:
    told = client.get("/api/v1/openapi.json").json()
    described = {(method.upper(), path) for path, found in told["paths"].items() for method in found}
    assert described == {(row.method, row.path) for row in OPERATIONS}
    names = [found["operationId"] for path in told["paths"].values() for found in path.values()]
    assert len(names) == len(set(names))
    for shape in told["components"]["schemas"].values():
        Draft202012Validator.check_schema(shape)


@pytest.fixture(scope="module")
def trials(asked: tuple[str, dict[str, str]]) -> dict[tuple[str, str], Callable[[], None]]:
    """For each operation, what tries it. Thought up by the one process that does so: that takes seconds."""
    address, headers = asked
    openapi = importlib.import_module("schemathesis.openapi")
    checks = importlib.import_module("schemathesis.specs.openapi.checks")
    importlib.import_module("schemathesis.checks").load_all_checks()
    # That a token is needed is tested in `test_api`; what fits the description can still name a protocol there is not.
    elsewhere = [checks.ignored_auth, checks.positive_data_acceptance]

    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    def call(case: Any) -> None:
        if "campaign" in case.path_parameters and len(str(case.path_parameters["campaign"])) % 2:
            case.path_parameters["campaign"] = "trial"  # otherwise nearly everything would be a 404
        if isinstance(case.path_parameters.get("task"), int):
            case.path_parameters["task"] = 1
        case.call_and_validate(base_url=address, headers=headers, excluded_checks=elsewhere)

    tests = importlib.import_module("schemathesis.pytest.lazy").get_all_tests(
        schema=openapi.from_dict(description()), test_func=call, settings=None, given_kwargs=None
    )
    return {(operation.method.upper(), operation.path): test for operation, test in (each.ok() for each in tests)}


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: f"{row.method} {row.path}")
def test_what_is_promised_is_kept(row: Operation, trials: dict[tuple[str, str], Callable[[], None]]) -> None:
    """Whatever fits the description, and what does not, gets an answer of a described kind; never a server's error."""
    trials[row.method, row.path]()


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: f"{row.method} {row.path}")
def test_each_operation_needs_its_scope_and_no_other(
    row: Operation, client: TestClient, store: Store, program: Callable[..., TestClient]
) -> None:
    """Every operation × every scope; a signed-in owner without a token is nobody here."""
    open_campaign(store)
    place = re.sub(
        r"\{\w+\}", lambda found: {"{campaign}": "trial", "{format}": "nothing", "{task}": "9"}[found[0]], row.place
    )
    assert row.scope in SCOPES
    for scope in SCOPES:
        answer = program(scope).request(row.method, place, json={} if row.takes else None)
        assert (answer.status_code == 403) == (scope != row.scope), (scope, answer.status_code)
    owner = another(client)
    sign_in(owner, store)
    assert owner.request(row.method, place, json={} if row.takes else None).status_code == 401
