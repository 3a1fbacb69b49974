"""A campaign with H-FALCON from consent to report, through HTTP, each number held against the raw rows."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

from lanner import campaign, protocols
from lanner.model import Document, Grid, Item, Judge, Segment, Task
from life.campaign_life import CampaignLife
from life.oracle import grid_alpha, ordinal_alpha

NAME = "life"
LEVELS = ["low", "medium", "high"]
WEAK, CARELESS = "style_register", "cem"
"""The row on which judges differ most, and the judge who answers by chance, in this world."""


def skills() -> Grid:
    found = protocols.load("h_falcon").find("skills")
    assert found and isinstance(found[1], Grid)
    return found[1]


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


class World:
    """Judges whose answers follow a truth; on one row they differ more than on others, and one answers by chance."""

    def __init__(self) -> None:
        self.dice = Random(7)

    def answer(self, judge: str, _task: Task, item: Item) -> dict[str, Any]:
        if not item.document:
            return {"consent": "agree"}
        careless = judge == CARELESS
        levels = {}
        for row in skills().rows:
            level = Random(f"{item.document}.{item.segment}.{row.id}").randrange(3)
            doubt = 1.0 if careless else 0.5 if row.id == WEAK else 0.1
            levels[row.id] = LEVELS[self.dice.randrange(3) if self.dice.random() < doubt else level]
        quality = Random(f"{item.document}.{item.segment}").randrange(3)
        sentence = self.dice.randint(1, 4) if careless else 1 + quality + (self.dice.random() < 0.2)
        return {"skills": levels, "sentence": sentence, "holistic": 3 + 2 * quality}

    def seconds(self, judge: str, item: Item) -> float:
        return 1.0 if not item.document else 5.0 if judge == CARELESS else 30.0


def expected_rows(raw: pd.DataFrame) -> dict[str, float]:
    """α of each row of the grid."""
    points = {o.id: float(at if o.value is None else o.value) for at, o in enumerate(skills().options)}
    return grid_alpha(raw[raw["question"] == "skills"], points)


def expected_agreement(raw: pd.DataFrame) -> dict[str, float]:
    """α of the scale by its order; of the grid the mean of its rows."""
    scale = raw[raw["question"] == "sentence"]
    return {"sentence": ordinal_alpha(scale), "skills": float(np.mean(list(expected_rows(raw).values())))}


def fraction(value: float) -> str:
    """A coefficient as pages print it."""
    return f"{value:.2f}".removeprefix("0")


def compare(
    life: CampaignLife, role: str = "main", left_out: tuple[str, ...] = (), *, everywhere: bool = False
) -> dict[str, float]:
    """Live numbers, row by row, against the raw rows; for results also the commands, the API and the report."""
    raw = life.raw(role, left_out)
    expected, rows = expected_agreement(raw), expected_rows(raw)
    live = {(row["question"], row["row"]): row for row in life.check("agreement")}
    for row, value in rows.items():
        assert live["skills", row]["value"] == pytest.approx(value, abs=1e-9)
    assert live["skills", ""]["weakest"] == min(rows, key=lambda row: rows[row])
    for road, values in (life.agreements() if everywhere else {"live": life.live_agreement()}).items():
        for question, value in expected.items():
            assert values[question] == pytest.approx(value, abs=1e-9), (road, question)
    printed = f"{abs(expected['sentence']):.2f}".removeprefix("0")
    assert f"α {'−' if expected['sentence'] < 0 else ''}{printed}" in life.page("sentence")
    return expected


def test_a_whole_life(live: Callable[[str], CampaignLife]) -> None:
    life, world = live(NAME), World()
    people = [Judge(name, name=name.title()) for name in ("ana", "ben", CARELESS)]
    settings = {"before": ["consent"], "calibration": ["d0"], "main_question": "sentence"}
    campaign.create(life.store, NAME, texts(), protocols.load("h_falcon"), people, seed=1, settings=settings)
    campaign.open(life.store, NAME)
    life.links = campaign.invitations.issue_all(life.store, NAME)

    # Calibration: seen while it lasts, named as what it is, the rest waiting to be assigned.
    for judge in life.links:
        life.work(judge, world.answer, world.seconds)
    page = life.page("sentence")
    assert "Calibration" in page and "The calibration round is done." in page
    before = compare(life, "calibration")
    disputed = life.client.get(f"/campaigns/{NAME}/disagreements?question=sentence").text
    assert 'name="segment"' in disputed, "the meeting has something to look at"

    # The meeting settles one unit: that is nobody's judgement.
    life.post("/settle", document="d0", segment="1", system="oak", sentence="2", note="Count idioms.")
    assert compare(life, "calibration") == before

    # The rest is assigned; a judge comes late and gets the rest too.
    life.post("/state", to="rest")
    response = life.post("/judges", judges="Dora")
    life.links["dora"] = re.findall(r"/j/([\w-]+)", response.text)[0]
    for judge in life.links:
        life.work(judge, world.answer, world.seconds)
    whole = compare(life, everywhere=True)
    shares = life.raw().groupby("judge").size()
    assert shares["dora"] == shares["ana"], "the judge who came late judged as much of the main part as the others"
    assert next(row["weakest"] for row in life.check("agreement") if row["question"] == "skills") == WEAK
    rounds = {row["round"]: row for row in life.report_table("calibration") if row["question"] == "sentence"}
    calibrated = expected_agreement(life.raw("calibration"))  # with the judge who came late
    assert float(rounds["calibration"]["value"]) == pytest.approx(calibrated["sentence"], abs=1e-9)
    assert float(rounds["main"]["value"]) == pytest.approx(whole["sentence"], abs=1e-9)
    judges = {row["judge"]: row for row in life.check("judge")}
    assert judges["ana"]["a minute"] == 2.0, "consent is no work"

    # The careless judge is found, left out with a reason, counted again.
    assert "speed" in judges[CARELESS]["alarms"]
    assert not judges["ana"]["alarms"] and not judges["ben"]["alarms"]
    [price] = life.check("leaving out")
    assert price["judge"] == CARELESS
    asked = life.client.get(f"/campaigns/{NAME}/judge?id={CARELESS}").text
    life.post("/judge", judge=CARELESS, do="leave_out", reason="answers by chance")
    without = compare(life, left_out=(CARELESS,))
    # The price that was named before is what came: agreement and its interval, shared items, answers.
    [after] = [row for row in life.check("agreement") if row["question"] == "sentence"]
    assert price["value"] == pytest.approx(whole["sentence"], abs=1e-9)
    assert price["without"] == pytest.approx(without["sentence"], abs=1e-9)
    for end in ("low", "high", "items"):
        assert price[f"without_{end}"] == pytest.approx(after[end], abs=1e-9), end
    for part, left_out in (("answers", ()), ("answers then", (CARELESS,))):
        counted = life.raw(left_out=left_out)
        assert price[part] == (counted["question"] == "sentence").sum()
        assert f'<td class="n">{price[part]}</td>' in asked
    assert f'<td class="n"><b>{fraction(without["sentence"])}</b></td>' in asked
    assert judges[CARELESS]["without"] == pytest.approx(without["sentence"], abs=1e-9)
    assert "left out" in life.page("sentence")
    assert "answers by chance" in life.report()
    life.post("/judge", judge=CARELESS, do="count_again")
    assert compare(life) == whole

    # Pause, close: nothing is advised any more, and the exported file has the same numbers in it.
    life.post("/state", to="pause")
    assert "The campaign is paused." in life.page("sentence")
    life.post("/state", to="reopen")
    life.post("/state", to="close")
    closed = life.page("sentence")
    assert "Closed." in closed
    assert re.search(r'data-panel="needs" hidden', closed)
    assert expected_agreement(life.exported()) == pytest.approx(whole)
