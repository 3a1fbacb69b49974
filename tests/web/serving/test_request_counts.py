from __future__ import annotations

import logging

import pytest
from starlette.testclient import TestClient

from lanner.campaign.accounts import issue
from lanner.store import Store
from lanner.web.serving.request_counts import BOUNDS, RequestCounts, memory
from web_clients import complete, enter, open_campaign, save


def test_requests_are_counted_by_what_answered_them(client: TestClient, store: Store) -> None:
    secrets = open_campaign(store)
    task = enter(client, secrets["J1"])[0]
    save(client, task, 0, complete())
    client.get("/nowhere/at/all")
    client.headers["authorization"] = f"Bearer {issue(store, 'watch', ['metrics'])[1]}"
    told = client.get("/api/v1/metrics")
    assert told.headers["content-type"].startswith("text/plain")
    assert 'lanner_requests_total{what="save",status="200"} 1' in told.text
    assert 'lanner_requests_total{what="nothing",status="404"} 1' in told.text
    assert 'lanner_request_seconds_bucket{what="save",le="+Inf"} 1' in told.text
    assert "\nlanner_saves_total 1\n" in told.text
    assert "\nlanner_saving_works 1\n" in told.text
    assert secrets["J1"] not in told.text and "J1" not in told.text and "trial" not in told.text


def test_lines_name_neither_secrets_nor_people(
    client: TestClient, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    secrets = open_campaign(store)
    with caplog.at_level(logging.INFO, "lanner.web.requests"):
        task = enter(client, secrets["J1"])[0]
        save(client, task, 0, {**complete(), "comment": "my private remark"})
        client.get("/campaigns/trial")
    told = [record.fields for record in caplog.records]
    assert {entry["what"] for entry in told} >= {"open_link", "home", "save", "campaign"}
    words = repr(told) + caplog.text
    assert not [secret for secret in (*secrets.values(), "Judge 1", "private", "127.0.0.1", "trial") if secret in words]


def test_each_time_falls_into_one_of_the_steps() -> None:
    counts = RequestCounts()
    for seconds in (0.001, BOUNDS[0], 0.3, 99.0):
        counts.note("x", 200, seconds)
    assert counts.slower["x"][0] == 2
    assert counts.slower["x"][-1] == 1
    assert sum(counts.slower["x"]) == counts.requests["x", 200] == 4


def test_memory_is_of_this_process() -> None:
    assert 10 * 2**20 < memory() < 10 * 2**30
