"""A campaign lived through HTTP by an organiser and simulated judges, and the ways its numbers can be read."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from starlette.testclient import TestClient

from cli.command import Command
from lanner import campaign
from lanner.campaign.accounts import issue
from lanner.model import Item, Task
from lanner.store import Store
from life.oracle import raw_rows
from web_clients import another, enter, save, sign_in

FEW = ("--resamples", "100")
"""For commands whose values are looked at and not their intervals."""
Answers = Callable[[str, Task, Item], dict[str, Any]]
"""What a judge answers about an item."""


class CampaignLife:
    """One campaign on one server: judges work over HTTP, numbers are read from page, commands, API and export."""

    def __init__(self, name: str, client: TestClient, store: Store, path: Path, lanner: Command) -> None:
        self.name, self.client, self.store, self.path, self.lanner = name, client, store, path, lanner
        self.token = sign_in(client, store)
        self.links: dict[str, str] = {}
        self._api = issue(store, "life", ["judgements"])[1]
        self._printed: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        self._report = ""

    def work(self, judge: str, answers: Answers, seconds: Callable[[str, Item], float]) -> None:
        """Open the link and do everything that waits, as the page does; finishing one thing may open others."""
        self._forget()
        browser = another(self.client)
        while waiting := [
            task
            for task in (campaign.task(self.store, number) for number in enter(browser, self.links[judge]))
            if task.finished_at is None
        ]:
            for task in waiting:
                for place, item in enumerate(task.items):
                    spent = seconds(judge, item)
                    response = save(browser, task.id, place, answers(judge, task, item), active=spent, elapsed=spent)
                    assert response.status_code == 200, response.text
                campaign.finish(self.store, task.id)

    def _forget(self) -> None:
        """What was read before something happened is no longer true."""
        self._printed.clear()
        self._report = ""

    def post(self, path: str, **fields: str) -> Any:
        self._forget()
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
        """The rows that a command prints as JSON; asked again of a campaign in which nothing happened, the same."""
        if words not in self._printed:
            self._printed[words] = self.lanner(*words, "--store", str(self.path), "--json").envelope["rows"]
        return self._printed[words]

    def check(self, about: str) -> list[dict[str, Any]]:
        rows = self.command("campaign", "check", self.name)
        return [row for row in rows if row["about"] == about]

    def live_agreement(self) -> dict[str, float | None]:
        """The headline of every question among the live numbers."""
        return {row["question"]: row["value"] for row in self.check("agreement") if not row["row"]}

    def agreements(self) -> dict[str, dict[str, float | None]]:
        """The headline of every question wherever it is told: live numbers, `lanner agreement`, API and report."""
        printed = {
            row["question"]: row["value"] for row in self.command("agreement", self.name, *FEW) if row["headline"]
        }
        browser = another(self.client)
        browser.headers["authorization"] = f"Bearer {self._api}"
        api = browser.get(f"/api/v1/campaigns/{self.name}/agreement").json()["agreement"]
        report = self.report_rows("agreement")
        return {
            "live": self.live_agreement(),
            "command": printed,
            "api": {row["question"]: row["value"] for row in api if not row.get("row")},
            "report": {row["question"]: _number(row["value"]) for row in report},
        }

    def report_rows(self, table: str) -> list[dict[str, str]]:
        """A table of a new report as its CSV file."""
        folder = self.path.parent / "report"
        ran = self.lanner("report", self.name, "--store", str(self.path), "--out", str(folder), "--svg-only", *FEW)
        assert ran.code == 0, ran.err
        return self.report_table(table)

    def report_table(self, table: str) -> list[dict[str, str]]:
        """A table of the last report."""
        path = next((self.path.parent / "report").rglob(f"{table}.csv"), None)
        if path is None:  # nothing of the kind to report yet
            return []
        return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))

    def report(self) -> str:
        if not self._report:
            response = self.client.get(f"/campaigns/{self.name}/report")
            assert response.status_code == 200
            self._report = response.text
        return self._report

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

    def exported(self, role: str = "main") -> pd.DataFrame:
        """The same from the file that the page exports: what somebody else computes with."""
        archive = zipfile.ZipFile(io.BytesIO(self.client.get(f"/campaigns/{self.name}/export/csv").content))
        name = next(name for name in archive.namelist() if name.endswith(".csv") and "codebook" not in name)
        rows = [
            {
                "judge": row["judge"],
                "question": row["question"],
                "row": row["row"],
                "unit": (row["document"], row["segment"], row["system"]),
                "document": row["document"],
                "value": _value(row),
            }
            for row in csv.DictReader(io.StringIO(archive.read(name).decode("utf-8-sig")))
            if row["role"] == role and row["judge_kind"] == "person" and row["document"]
        ]
        table = pd.DataFrame(rows)
        cells = table[table["row"] != ""]
        grids = [
            {
                "judge": judge,
                "question": question,
                "unit": unit,
                "document": unit[0],
                "value": dict(zip(group["row"], group["value"], strict=True)),
            }
            for (judge, question, unit), group in cells.groupby(["judge", "question", "unit"])
        ]
        return pd.concat([table[table["row"] == ""].drop(columns="row"), pd.DataFrame(grids)], ignore_index=True)


def _value(row: dict[str, str]) -> Any:
    """The answer in a row of the exported table."""
    for column in ("spans", "labels", "ranks"):
        if row.get(column):
            return json.loads(row[column])
    if row.get("row") or not row.get("score"):
        return row.get("label") or row.get("text")
    return float(row["score"])


def _number(text: str) -> float | None:
    return float(text) if text else None
