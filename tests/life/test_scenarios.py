"""A campaign in three scenarios (sentences alone, in context, whole documents) from consent and tutorial to report."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from lanner import campaign, protocols
from lanner.errors import DesignError
from lanner.model import Document, Item, Judge, Role, Segment, Task
from life.campaign_life import FEW, CampaignLife
from life.oracle import alpha, means, ordinal_alpha, set_alpha

NAME = "scenarios-life"
BETTER, WORSE, CARELESS = "oak", "elm", "cem"
TUTORIAL = {
    "page": "rs",
    "items": [
        {
            "document": "d0",
            "segment": "0",
            "systems": [BETTER],
            "expected": {"adequacy_rs": {"at_least": 3, "explanation": "Nothing is missing."}},
        }
    ],
}
SCALES = [f"{what}_{where}" for where in ("rs", "sc", "ds") for what in ("adequacy", "fluency")]


def texts() -> list[Document]:
    words = "the ferry left before the tide had turned and nobody on the pier waited for it"
    return [
        Document(
            f"d{number}",
            tuple(
                Segment(str(at), f"Sentence {at} of {number}: {words}.", {BETTER: f"A {at} {words}", WORSE: words})
                for at in range(3)
            ),
            "en",
            "de",
        )
        for number in range(5)
    ]


class World:
    """Judges whose answers follow a truth: one system is better by a point and preferred, one judge answers by chance
    and fast."""

    def __init__(self) -> None:
        self.dice = Random(5)

    def answer(self, judge: str, task: Task, item: Item) -> dict[str, Any]:
        if not item.document:
            return {"consent": "agree"}
        where = task.page.removesuffix("_ranking")
        careless = judge == CARELESS
        if task.page.endswith("_ranking"):
            best = BETTER if Random(f"{item.document}.{item.segment}").random() < 0.75 else WORSE
            first = self.dice.random() < 0.5 if careless else item.systems[0] == best
            return {f"ranking_{where}": [1, 2] if first else [2, 1]}
        if item.role is Role.CONTROL:
            score = self.dice.randint(3, 4) if careless else 1
            found = {"no_errors": 1} if careless else {"word_order": 3}
            return {f"adequacy_{where}": score, f"fluency_{where}": score, f"errors_{where}": found}
        truth = Random(f"{item.document}.{item.segment}.{where}").randint(1, 3) + (item.systems == (BETTER,))
        answers: dict[str, Any] = {
            f"{what}_{where}": self.dice.randint(1, 4) if careless else min(4, truth + (self.dice.random() < 0.15))
            for what in ("adequacy", "fluency")
        }
        if where != "ds":
            wrong = self.dice.random() < 0.5 if careless else truth < 3
            answers[f"errors_{where}"] = {"mistranslation": 1 + (truth < 2)} if wrong else {"no_errors": 1}
        return answers

    def seconds(self, judge: str, item: Item) -> float:
        return 1.0 if not item.document else 3.0 if judge == CARELESS else 30.0


def expected_agreement(raw: pd.DataFrame) -> dict[str, float | None]:
    """α of every question: of scales by their order, of labels as sets, of preferences by name."""
    expected: dict[str, float | None] = {
        question: ordinal_alpha(raw[raw["question"] == question]) for question in SCALES
    }
    for where in ("rs", "sc"):
        expected[f"errors_{where}"] = set_alpha(raw[raw["question"] == f"errors_{where}"])
    for where in ("rs", "sc", "ds"):
        ranks = raw[raw["question"] == f"ranking_{where}"]
        units = [(unit[0], unit[1]) for unit in ranks["unit"]]
        expected[f"ranking_{where}"] = alpha(
            ranks.assign(unit=units, value=[name == BETTER for name in preferred(ranks)]), "nominal"
        )
    return expected


def preferred(ranks: pd.DataFrame) -> list[str]:
    """The system that each row ranks first."""
    systems = ranks["unit"].map(lambda unit: unit[2] if isinstance(unit[2], tuple) else tuple(unit[2].split("|")))
    return [names[list(value).index(1)] for names, value in zip(systems, ranks["value"], strict=True)]


def compare(
    life: CampaignLife, role: str = "main", left_out: tuple[str, ...] = (), *, everywhere: bool = False
) -> dict[str, float | None]:
    """Live numbers against the raw rows; for results also the commands, the API and the report."""
    expected = expected_agreement(life.raw(role, left_out))
    for road, values in (life.agreements() if everywhere else {"live": life.live_agreement()}).items():
        for question, value in expected.items():
            assert values.get(question) == pytest.approx(value, abs=1e-9), (road, question)
    return expected


@pytest.mark.soak
def test_a_whole_life(live: Callable[[str], CampaignLife]) -> None:
    life, world = live(NAME), World()
    people = [Judge(name, name=name.title()) for name in ("ana", "ben", CARELESS)]
    settings = {
        "before": ["consent"],
        "tutorial": TUTORIAL,
        "calibration": ["d0"],
        "controls": {"shuffled": {"rs": 5}},
        "main_question": "adequacy_sc",
    }
    protocol = protocols.load("scenarios")
    with pytest.raises(DesignError, match="2 scenarios"):  # before anybody works, not when the rest is to be assigned
        campaign.create(life.store, NAME, texts(), protocol, people, seed=1, settings=settings)
    options = {"all_scenarios": True}
    campaign.create(life.store, NAME, texts(), protocol, people, seed=1, settings=settings, options=options)
    campaign.open(life.store, NAME)
    life.links = campaign.invitations.issue_all(life.store, NAME)

    # Consent and tutorial come first and count in nothing; calibration is seen while it lasts.
    for judge in life.links:
        life.work(judge, world.answer, world.seconds)
    tutorial = life.raw("tutorial")
    assert set(tutorial["judge"]) == {"ana", "ben", CARELESS} and set(tutorial["unit"].map(lambda u: u[0])) == {"d0"}
    assert "The calibration round is done." in life.page("adequacy_sc")
    before = compare(life, "calibration")
    life.post("/settle", document="d0", segment="1", system=BETTER, adequacy_sc="2", note="")
    assert compare(life, "calibration") == before, "what a meeting agreed on is nobody's judgement"

    # The rest; a judge who comes late practises too and gets the rest.
    life.post("/state", to="rest")
    response = life.post("/judges", judges="Dora")
    life.links["dora"] = re.findall(r"/j/([\w-]+)", response.text)[0]
    for judge in life.links:
        life.work(judge, world.answer, world.seconds)
    whole = compare(life, everywhere=True)
    raw = life.raw()
    shares = raw[raw["question"] == "adequacy_sc"].groupby("judge").size()
    assert shares["dora"] == shares["ana"], "the judge who came late judged as much of the main part as the others"

    # Pairs of judges: weighted κ as scikit-learn has it.
    sc = raw[raw["question"] == "adequacy_sc"].pivot_table(
        index="unit", columns="judge", values="value", aggfunc="first"
    )
    pair = sc[["ana", "ben"]].dropna().astype(int)
    kappa = cohen_kappa_score(pair["ana"], pair["ben"], labels=[1, 2, 3, 4], weights="linear")
    rows = life.command("agreement", NAME, "--question", "adequacy_sc", *FEW)
    values = [row["value"] for row in rows if {row.get("judge"), row.get("other")} == {"ana", "ben"}]
    assert any(value == pytest.approx(kappa, abs=1e-9) for value in values), rows

    # Scores by scenario; the better system leads in the report.
    all_scores = life.command("scores", NAME)
    for question in SCALES:
        scores = means(raw[raw["question"] == question])
        assert scores[BETTER] > scores[WORSE]
        printed_scores = [row for row in all_scores if row["question"] == question]
        assert {row["system"]: row["micro"] for row in printed_scores} == pytest.approx(scores)
        ranking = life.report_table(f"ranking-{question}")
        assert {row["system"]: float(row["micro"]) for row in ranking} == pytest.approx(scores)
        adjusted = {row["system"]: row["score"] for row in printed_scores}  # for sentences that were control items
        assert {row["system"]: float(row["score"]) for row in ranking} == pytest.approx(adjusted)
        assert [row["system"] for row in ranking] == [BETTER, WORSE]

    # The report page: what it says at its head is what the raw rows say.
    findings = life.findings().replace("\N{NO-BREAK SPACE}", " ")
    [leading] = [row["score"] for row in all_scores if (row["system"], row["question"]) == (BETTER, "adequacy_sc")]
    assert f"best on adequacy sc; {BETTER} has the best mean ({leading:.2f} [" in findings
    for where in ("rs", "sc", "ds"):
        best = preferred(raw[raw["question"] == f"ranking_{where}"])
        [(_, wins)] = Counter(best).most_common(1)
        assert f"on ranking {where} ({wins} of {len(best)} decided answers" in findings
    enough = {question: value for question, value in whole.items() if not question.endswith("_ds")}  # not 4 documents
    for bound in (min, max):
        question = bound(enough, key=lambda name: enough[name] or 0)
        shown = f"{enough[question]:.2f}".lstrip("0")
        assert f"{question.replace('_', ' ')} (α {shown} [" in findings
    controls = life.raw("control")
    missed = controls[(controls["judge"] == CARELESS) & (controls["question"] == "adequacy_rs")]
    assert (missed["value"] > 2).all(), "this judge saw nothing in any of them"
    careless = f"judge-{sorted(life.links).index(CARELESS) + 1}"
    assert f"Control items were missed too often by {careless} ({len(missed)} of {len(missed)}, 100 % [" in findings

    # The careless judge: by controls and by speed, and nobody else.
    judges = {row["judge"]: row for row in life.check("judge")}
    assert {"controls", "speed"} <= set(judges[CARELESS]["alarms"])
    for judge in ("ana", "ben", "dora"):
        assert not judges[judge]["alarms"], judge
    assert life.raw("control").groupby("judge").size().min() > 0
    life.post("/judge", judge=CARELESS, do="leave_out", reason="answers by chance")
    assert "answers by chance" in life.report(), "the reason stands in the report"
    assert "Control items were missed" not in life.findings()
    without = compare(life, left_out=(CARELESS,))
    assert (without["adequacy_sc"] or 0) > (whole["adequacy_sc"] or 0) + 0.1
    assert judges[CARELESS]["without"] == pytest.approx(without["adequacy_sc"], abs=1e-9)
    life.post("/judge", judge=CARELESS, do="count_again")
    assert compare(life) == whole

    # Pause, finish, export: the file has the same numbers in it.
    life.post("/state", to="pause")
    assert "The campaign is paused." in life.page("adequacy_sc")
    life.post("/state", to="reopen")
    life.post("/state", to="close")
    assert re.search(r'data-panel="needs" hidden', life.page("adequacy_sc")), "a closed campaign advises nothing"
    assert expected_agreement(life.exported()) == pytest.approx(whole)
    assert not (life.exported()["document"] == "d0").any(), "calibration and tutorial are no results"
    assert Role.TUTORIAL in {entry.role for entry in campaign.judgements(life.store, NAME)}
