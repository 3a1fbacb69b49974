"""A campaign with ESA from consent to export: a better system, a careless judge and missed controls, rightly told."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

from lanner import campaign, protocols
from lanner.model import Document, Item, Judge, Role, Segment, Task
from life.campaign_life import CampaignLife
from life.oracle import alpha, by_system, decided_pairs, means
from web_clients import another

NAME = "esa-life"
BETTER, WORSE = "oak", "elm"
CARELESS = "cem"


def texts() -> list[Document]:
    words = "the ferry left before the tide had turned and nobody on the pier waited for it"
    return [
        Document(
            f"d{number}",
            tuple(
                Segment(str(at), f"Sentence {at} of text {number}: {words}.", {BETTER: f"A {at} {words}", WORSE: words})
                for at in range(12 if number == 0 else 4)
            ),
            "en",
            "de",
        )
        for number in range(10)
    ]


class World:
    """Judges whose answers follow a truth: one system is 25 points better, one judge answers by chance and fast."""

    def __init__(self) -> None:
        self.dice = Random(11)

    def answer(self, judge: str, _task: Task, item: Item) -> dict[str, Any]:
        if not item.document:
            return {"consent": "agree"}
        if item.role is Role.CONTROL:
            if judge == CARELESS:
                return {"errors": [], "score": self.dice.randint(60, 100)}
            return {"errors": self._marks(True), "score": self.dice.randint(0, 5)}
        truth = Random(f"{item.document}.{item.segment}").randint(30, 65) + (25 if item.systems == (BETTER,) else 0)
        if judge == CARELESS:
            return {"errors": self._marks(self.dice.random() < 0.5), "score": self.dice.randint(0, 100)}
        return {"errors": self._marks(truth < 60), "score": truth + self.dice.randint(-4, 4)}

    def _marks(self, wrong: bool) -> list[dict[str, Any]]:
        return [{"side": "target", "start": 0, "end": 1, "severity": "major"}] if wrong else []

    def seconds(self, judge: str, item: Item) -> float:
        return 1.0 if not item.document else 4.0 if judge == CARELESS else 40.0


def expected_agreement(raw: pd.DataFrame) -> dict[str, float | None]:
    """α of the score as an interval, α of whether anything was marked, from the raw rows."""
    scores = raw[raw["question"] == "score"]
    marks = raw[raw["question"] == "errors"]
    marks = marks.assign(value=marks["value"].map(lambda spans: float(bool(spans))))
    return {"score": alpha(scores, "interval"), "errors": alpha(marks, "nominal")}


def compare(
    life: CampaignLife, role: str = "main", left_out: tuple[str, ...] = (), *, everywhere: bool = False
) -> dict[str, float | None]:
    """Live numbers against the raw rows; for results also the commands, the API and the report."""
    expected = expected_agreement(life.raw(role, left_out))
    roads = life.agreements() if everywhere else {"live": life.live_agreement()}
    for road, values in roads.items():
        for question, value in expected.items():
            assert values[question] == pytest.approx(value, abs=1e-9), (road, question)
    shown = f"{abs(expected['score'] or 0):.2f}".removeprefix("0")
    assert shown in life.page("score")
    return expected


def test_a_whole_life(live: Callable[[str], CampaignLife]) -> None:
    life, world = live(NAME), World()
    people = [Judge(name, name=name.title()) for name in ("ana", "ben", CARELESS)]
    settings = {
        "before": ["consent"],
        "calibration": ["d0"],
        "controls": {"shuffled": 6},
        "main_question": "score",
    }
    campaign.create(life.store, NAME, texts(), protocols.load("esa"), people, seed=1, settings=settings)
    campaign.open(life.store, NAME)
    life.links = campaign.invitations.issue_all(life.store, NAME)

    # Calibration is seen while it lasts, and is no result.
    for judge in life.links:
        life.work(judge, world.answer, world.seconds)
    assert "The calibration round is done." in life.page("score")
    before = compare(life, "calibration")
    assert life.report()
    judge = another(life.client)
    judge.get(f"/j/{life.links['ana']}")
    assert "The calibration round is done." in judge.get("/work").text, "judges are told to wait for the meeting"

    # A meeting settles one unit: nothing that is agreement changes.
    life.post("/settle", document="d0", segment="1", system=BETTER, score="50", note="Half is understood.")
    assert compare(life, "calibration") == before

    # The rest; a judge who comes late gets it too.
    life.post("/state", to="rest")
    response = life.post("/judges", judges="Dora")
    life.links["dora"] = re.findall(r"/j/([\w-]+)", response.text)[0]
    for judge in life.links:
        life.work(judge, world.answer, world.seconds)
    shares = life.raw().query("question == 'score'").groupby("judge").size()
    assert shares["dora"] == shares["ana"], "the judge who came late judged as much of the main part as the others"
    whole = compare(life)
    settle_again = life.post("/settle", document="d1", segment="1", system=BETTER, score="50", note="")
    assert settle_again.status_code in (200, 303)
    assert compare(life, everywhere=True) == whole, "a settled answer is nobody's judgement"

    # Scores: the command, the report's table and the raw rows say the same, and the better system leads.
    scores = means(life.raw().query("question == 'score'"))
    assert scores[BETTER] > scores[WORSE] + 10
    printed = {row["system"]: row["micro"] for row in life.command("scores", NAME) if row["question"] == "score"}
    assert printed == pytest.approx(scores)
    assert f"{BETTER} beats every other system" in life.findings()

    # Controls and speed: the careless judge, and nobody else.
    judges = {row["judge"]: row for row in life.check("judge")}
    raw_controls = life.raw("control")
    control_scores = raw_controls[raw_controls["question"] == "score"]
    missed = control_scores[control_scores["value"].astype(float) > 50]
    assert set(missed["judge"]) == {CARELESS}
    assert {"controls", "speed"} <= set(judges[CARELESS]["alarms"])
    for judge in ("ana", "ben", "dora"):
        assert not judges[judge]["alarms"], judge
        timed = life.raw().query(f"judge == '{judge}' and question == 'score'")
        assert judges[judge]["a minute"] == pytest.approx(60 / np.mean(timed["active"].astype(float)), abs=0.006)
    assert "control items were missed" in life.report()

    # Left out with a reason, counted again; the late judge is in both.
    [price] = [row for row in life.check("leaving out") if row["judge"] == CARELESS]
    assert price["without"] == judges[CARELESS]["without"]
    shown = life.page("score")
    life.post("/judge", judge=CARELESS, do="leave_out", reason="answers by chance")
    without = compare(life, left_out=(CARELESS,), everywhere=True)
    assert (without["score"] or 0) > (whole["score"] or 0) + 0.1
    assert judges[CARELESS]["without"] == pytest.approx(without["score"], abs=1e-9)
    printed = {row["system"]: row["micro"] for row in life.command("scores", NAME) if row["question"] == "score"}
    assert printed == pytest.approx(means(life.raw(left_out=(CARELESS,)).query("question == 'score'")))
    assert "answers by chance" in life.report()
    for decided, left_out in (("decided", ()), ("without_decided", (CARELESS,))):
        pairs, apart = decided_pairs(by_system(life.raw(left_out=left_out).query("question == 'score'")))
        assert (price["pairs"], price[decided]) == (pairs, len(apart))
        assert re.search(rf'Pairs decided</th>.*?<td class="n">{len(apart)} of {pairs}</td>', shown, re.DOTALL)
    [lead] = [row for row in life.report_table("ranking-score") if row["difference"]]
    assert (lead["state"] == "decided") == bool(price["without_decided"])
    life.post("/judge", judge=CARELESS, do="count_again")
    assert compare(life) == whole

    # Pause, finish, export: every answer once, the rows that count told apart.
    life.post("/state", to="pause")
    assert "The campaign is paused." in life.page("score")
    life.post("/state", to="reopen")
    life.post("/state", to="close")
    assert re.search(r'data-panel="needs" hidden', life.page("score")), "a closed campaign advises nothing"
    exported = life.exported()
    assert expected_agreement(exported) == pytest.approx(whole)
    stored = life.raw()
    counts = stored.groupby("question").size().to_dict()  # the file has derived scores as well
    assert {name: n for name, n in exported.groupby("question").size().items() if name in counts} == counts
    assert means(exported[exported["question"] == "score"]) == pytest.approx(scores)
