"""A campaign lived through HTTP by an organiser and simulated judges, and the ways its numbers can be read."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from starlette.testclient import TestClient

from cli.command import Command
from lanner import campaign
from lanner.model import Item, Task
from lanner.store import Store
from lanner.web.api.callers import issue
from life.oracle import raw_rows
from web_clients import another, enter, save, sign_in

Answers = Callable[[str, Task, Item], dict[str, Any]]
"""What a judge answers about an item."""


class CampaignLife:
    """One campaign on one server: judges work over HTTP, numbers are read from page, commands, API and export."""

    def __init__(self, name: str, client: TestClient, store: Store, path: Path, lanner: Command) -> None:
        self.name, self.client, self.store, self.path, self.lanner = name, client, store, path, lanner
        self.token = sign_in(client, store)
        self.links: dict[str, str] = {}
        self._api = issue(store, "life", ["judgements"])[1]

    def work(self, judge: str, answers: Answers, seconds: Callable[[str, Item], float]) -> None:
        """Open the link and do everything that waits, as the page does."""
        browser = another(self.client)
        for number in enter(browser, self.links[judge]):
            task = campaign.task(self.store, number)
            if task.finished_at is not None:
                continue
            for place, item in enumerate(task.items):
                spent = seconds(judge, item)
                response = save(browser, number, place, answers(judge, task, item), active=spent, elapsed=spent)
                assert response.status_code == 200, response.text
            campaign.finish(self.store, number)

    def post(self, path: str, **fields: str) -> Any:
        response = self.client.post(f"/campaigns/{self.name}{path}", data={"token": self.token, **fields})
        assert response.status_code in (200, 303), response.text
        return response

    def page(self, question: str) -> str:
        """The live page, when its numbers are those of now."""
        live = self.client.app.state.site.live  # type: ignore[attr-defined]
        live._rested.clear()
        live._took.clear()
        assert self.client.portal is not None
        number = campaign.get(self.store, self.name).id
        self.client.portal.call(partial(live.snapshot, number, question, wait=60.0))
        return self.client.get(f"/campaigns/{self.name}").text

    def command(self, *words: str) -> list[dict[str, Any]]:
        """The rows that a command prints as JSON."""
        rows: list[dict[str, Any]] = self.lanner(*words, "--store", str(self.path), "--json").envelope["rows"]
        return rows

    def check(self, about: str) -> list[dict[str, Any]]:
        rows = self.command("campaign", "check", self.name)
        return [row for row in rows if row["about"] == about]

    def agreements(self) -> dict[str, dict[str, float | None]]:
        """The headline of every question on every road: live numbers, `lanner agreement`, API and report."""
        live = {row["question"]: row["value"] for row in self.check("agreement") if not row["row"]}
        printed = {row["question"]: row["value"] for row in self.command("agreement", self.name) if row["headline"]}
        browser = another(self.client)
        browser.headers["authorization"] = f"Bearer {self._api}"
        api = browser.get(f"/api/v1/campaigns/{self.name}/agreement").json()["agreement"]
        report = self.report_rows("agreement")
        return {
            "live": live,
            "command": printed,
            "api": {row["question"]: row["value"] for row in api if not row.get("row")},
            "report": {row["question"]: _number(row["value"]) for row in report},
        }

    def report_rows(self, table: str) -> list[dict[str, str]]:
        """A table of the report as its CSV file."""
        folder = self.path.parent / "report"
        ran = self.lanner("report", self.name, "--store", str(self.path), "--out", str(folder))
        assert ran.code == 0, ran.err
        path = next(folder.rglob(f"{table}.csv"), None)
        if path is None:  # nothing of the kind to report yet
            return []
        return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))

    def report(self) -> str:
        response = self.client.get(f"/campaigns/{self.name}/report")
        assert response.status_code == 200
        return response.text

    def findings(self) -> str:
        """The sentences at the head of the report, without mark-up."""
        match = re.search(r'<section[^>]*class="findings".*?</section>', self.report(), re.DOTALL)
        assert match, "the report has findings"
        return re.sub(r"<[^>]+>", "", match[0])

    def raw(self, role: str = "main", left_out: tuple[str, ...] = ()) -> pd.DataFrame:
        """The answers of people about texts, as they lie in the store."""
        rows = raw_rows(campaign.judgements(self.store, self.name))
        people = {judge.id for judge in campaign.judges(self.store, self.name) if judge.kind == "person"}
        return rows[(rows["role"] == role) & rows["judge"].isin(people - set(left_out)) & (rows["document"] != "")]


def _number(text: str) -> float | None:
    return float(text) if text else None
