from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from lanner.campaign.accounts import SCOPES
from lanner.store import Store
from lanner.web.api.table import OPERATIONS, Operation
from web_clients import another, open_campaign, sign_in


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: f"{row.method} {row.path}")
def test_each_operation_needs_its_scope_and_no_other(
    row: Operation, client: TestClient, store: Store, program: Callable[..., TestClient]
) -> None:
    """Every operation × every scope; a signed-in owner without a token is nobody here."""
    open_campaign(store)
    place = re.sub(r"\{\w+\}", lambda found: {"{campaign}": "trial", "{format}": "nothing"}[found[0]], row.place)
    assert row.scope in SCOPES
    for scope in SCOPES:
        answer = program(scope).request(row.method, place, json={} if row.takes else None)
        assert (answer.status_code == 403) == (scope != row.scope), (scope, answer.status_code)
    owner = another(client)
    sign_in(owner, store)
    assert owner.request(row.method, place, json={} if row.takes else None).status_code == 401
