"""A campaign with H-FALCON from consent to report, through HTTP, each number held against the raw rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from starlette.testclient import TestClient

from cli.command import Command
from lanner import campaign, protocols
from lanner.model import Document, Grid, Judge, Segment
from lanner.store import Store
from lanner.web.app import create_app
from lanner.web.site import Settings
from life.oracle import grid_alpha, ordinal_alpha, raw_rows
from web_clients import another, enter, save, sign_in

NAME = "life"
ROWS = [row.id for row in protocols.load("h_falcon").find("skills")[1].rows]  # type: ignore[index, union-attr]
LEVELS = ["low", "medium", "high"]
WEAK = "style_register"
"""The row on which judges differ most, in this world."""


def texts() -> list[Document]:
    return [
        Document(
            f"d{number}",
            tuple(
                Segment(str(at), f"Sentence {at} of text {number}.", {"oak": f"Satz {at}."})
                for at in range(6 if number else 12)
            ),
            "en",
            "de",
        )
        for number in range(5)
    ]


class Life:
    """The server, the organiser, and judges whose answers follow a truth that the test knows."""

    def __init__(self, client: TestClient, store: Store, place: Path, lanner: Command) -> None:
        self.client, self.store, self.place, self.lanner = client, store, place, lanner
        self.token = sign_in(client, store)
        self.dice = Random(7)
        self.links: dict[str, str] = {}

    def answers(self, judge: str, document: str, segment: str) -> dict[str, Any]:
        careless = judge == "cem"
        skills = {}
        for row in ROWS:
            level = Random(f"{document}.{segment}.{row}").randrange(3)
            doubt = 1.0 if careless else 0.5 if row == WEAK else 0.1
            skills[row] = LEVELS[self.dice.randrange(3) if self.dice.random() < doubt else level]
        quality = Random(f"{document}.{segment}").randrange(3)
        sentence = self.dice.randint(1, 4) if careless else 1 + quality + (self.dice.random() < 0.2)
        return {"skills": skills, "sentence": sentence, "holistic": 3 + 2 * quality}

    def work(self, judge: str) -> None:
        """Open the link and do everything that waits, as the page does: over HTTP."""
        browser = another(self.client)
        for number in enter(browser, self.links[judge]):
            task = campaign.task(self.store, number)
            if task.finished_at is not None:
                continue
            for place, item in enumerate(task.items):
                given = {"consent": "agree"} if not item.document else self.answers(judge, item.document, item.segment)
                seconds = 1.0 if not item.document else 5.0 if judge == "cem" else 30.0
                assert save(browser, number, place, given, active=seconds, elapsed=seconds).status_code == 200
            campaign.finish(self.store, number)

    def post(self, path: str, **fields: str) -> Any:
        answer = self.client.post(f"/campaigns/{NAME}{path}", data={"token": self.token, **fields})
        assert answer.status_code in (200, 303), answer.text
        return answer

    def page(self) -> str:
        """The live page, when its numbers are those of now."""
        live = self.client.app.state.site.live  # type: ignore[attr-defined]
        live._rested.clear()
        live._took.clear()
        assert self.client.portal is not None
        self.client.portal.call(partial(live.snapshot, campaign.get(self.store, NAME).id, "sentence", wait=60.0))
        return self.client.get(f"/campaigns/{NAME}").text

    def check(self) -> dict[str, Any]:
        """What the command line says, as JSON."""
        made: dict[str, Any] = self.lanner("campaign", "check", NAME, "--store", str(self.place), "--json").envelope
        return made

    def raw(self, role: str, left_out: tuple[str, ...] = ()) -> pd.DataFrame:
        rows = raw_rows(campaign.judgements(self.store, NAME))
        people = [judge.id for judge in campaign.judges(self.store, NAME) if judge.kind == "person"]
        return rows[(rows["role"] == role) & rows["judge"].isin(set(people) - set(left_out)) & (rows["document"] != "")]

    def compare(self, role: str = "main", left_out: tuple[str, ...] = ()) -> float:
        """α of the scale and of every row of the grid, on page and command line, against the raw rows."""
        raw = self.raw(role, left_out)
        grid = protocols.load("h_falcon").find("skills")
        assert grid and isinstance(grid[1], Grid)
        points = {
            option.id: float(at if option.value is None else option.value) for at, option in enumerate(grid[1].options)
        }
        sentence = ordinal_alpha(raw[raw["question"] == "sentence"])
        rows = grid_alpha(raw[raw["question"] == "skills"], points)
        told = {(r["question"], r["row"]): r for r in self.check()["rows"] if r["about"] == "agreement"}
        assert told["sentence", ""]["value"] == pytest.approx(sentence, abs=1e-9)
        for row, value in rows.items():
            assert told["skills", row]["value"] == pytest.approx(value, abs=1e-9)
        assert told["skills", ""]["value"] == pytest.approx(np.mean(list(rows.values())), abs=1e-9)
        assert told["skills", ""]["weakest"] == min(rows, key=lambda row: rows[row])
        printed = f"{abs(sentence):.2f}".removeprefix("0")
        assert f"α {'−' if sentence < 0 else ''}{printed}" in self.page()
        return sentence


@pytest.fixture
def life(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Life]:
    place = tmp_path / "lanner.sqlite"
    with Store.open(place) as store:
        app = create_app(store, settings=Settings(processes=False, backups=tmp_path))
        with TestClient(app, follow_redirects=False) as client:
            yield Life(client, store, place, Command(monkeypatch, capsys))


def test_a_whole_life(life: Life) -> None:
    store = life.store
    people = [Judge(name, name=name.title()) for name in ("ana", "ben", "cem")]
    settings = {"before": ["consent"], "calibration": ["d0"], "main_question": "sentence"}
    campaign.create(store, NAME, texts(), protocols.load("h_falcon"), people, seed=1, settings=settings)
    campaign.open(store, NAME)
    life.links = campaign.invitations.issue_all(store, NAME)

    # Calibration: seen while it lasts, named as what it is, the rest waiting to be assigned.
    for judge in life.links:
        life.work(judge)
    page = life.page()
    assert "Calibration" in page and "The calibration round is done." in page
    life.compare("calibration")
    found = life.client.get(f"/campaigns/{NAME}/disagreements?question=sentence").text
    assert 'name="segment"' in found, "the meeting has something to look at"
    assert life.client.get(f"/campaigns/{NAME}/report").status_code == 200

    # The meeting settles one unit: that is nobody's judgement.
    before = life.compare("calibration")
    life.post("/settle", document="d0", segment="1", system="oak", sentence="2", note="Count idioms.")
    assert life.compare("calibration") == before

    # The rest is assigned; a judge comes late and gets the rest too.
    life.post("/state", to="rest")
    answer = life.post("/judges", judges="Dora")
    life.links["dora"] = re.findall(r"/j/([\w-]+)", answer.text)[0]
    for judge in life.links:
        life.work(judge)
    whole = life.compare()
    shares = life.raw("main").groupby("judge").size()
    assert shares["dora"] == shares["ana"], "the judge who came late judged as much of the main part as the others"
    assert next(row["weakest"] for row in life.check()["rows"] if row.get("question") == "skills") == WEAK
    judges = {row["judge"]: row for row in life.check()["rows"] if row["about"] == "judge"}
    assert judges["ana"]["a minute"] == 2.0, "consent is no work"

    # The careless judge is found, left out with a reason, counted again.
    assert "speed" in judges["cem"]["alarms"]
    assert not judges["ana"]["alarms"] and not judges["ben"]["alarms"]
    without = ordinal_alpha(life.raw("main", ("cem",)).query("question == 'sentence'"))
    assert judges["cem"]["without"] == pytest.approx(without, abs=1e-9)
    life.post("/judge", judge="cem", do="leave_out", reason="answers by chance")
    assert life.compare(left_out=("cem",)) == pytest.approx(without, abs=1e-9)
    assert "left out" in life.page()
    assert "answers by chance" in life.client.get(f"/campaigns/{NAME}/report").text
    life.post("/judge", judge="cem", do="count_again")
    assert life.compare() == pytest.approx(whole, abs=1e-9)

    # Pause, close: nothing is advised any more.
    life.post("/state", to="pause")
    assert "The campaign is paused." in life.page()
    life.post("/state", to="reopen")
    life.post("/state", to="close")
    closed = life.page()
    assert "Closed." in closed
    assert re.search(r'data-panel="needs" hidden', closed)
    assert life.client.get(f"/campaigns/{NAME}/export/csv").status_code == 200
