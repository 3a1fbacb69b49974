from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import polars as pl
import pytest

from lanner import campaign
from lanner.analysis.material import from_campaign
from lanner.errors import LannerError
from lanner.model import Document, Item, Json, Judge, JudgeKind, Segment
from lanner.stats.agreement import COEFFICIENTS
from lanner.stats.resample import Resampling
from lanner.studies.reproduce import MISSED, RECOVERED, check, read
from lanner.studies.simulation import (
    LANGUAGES,
    SCENARIOS,
    SETS,
    SURVEY,
    Answering,
    ScenarioWorld,
    SurveyWorld,
    answer_all,
    coefficient,
    collapsed,
    dice,
    passing_store,
    together,
)
from lanner.studies.study import Data, load


def test_dice_depend_on_what_they_are_about() -> None:
    assert dice(1, "a", "b").random() == dice(1, "a", "b").random()
    assert dice(1, "a", "b").random() != dice(1, "ab").random()
    assert dice(1, "a").random() != dice(2, "a").random()


def test_every_open_task_is_answered_through_the_campaign() -> None:
    document = Document("d", (Segment("1", "A sentence."), Segment("2", "Another.")), source_language="en")
    judges = [Judge("a", JudgeKind.SIMULATED), Judge("b", JudgeKind.SIMULATED)]

    def answer(judge: Judge, question: str, item: Item) -> Json:
        said = {"translatable": "no" if judge.id == "a" else "yes", "reasons": ["gender"]}
        return said.get(question)

    with passing_store() as store:
        made = campaign.create(store, "s", [document], "context_survey", judges)
        campaign.open(store, made.id)
        assert answer_all(store, "s", answer) == 4
        assert answer_all(store, "s", answer) == 0
        table = from_campaign(store, "s").table
    assert table.filter(judge="a", question="reasons")["labels"].to_list() == [["gender"], ["gender"]]
    assert table.filter(judge="b", question="reasons").is_empty()


GRADED = Answering(("1", "2", "3", "4"), (0.1, 0.2, 0.3, 0.4), 0.6)
QUICK = Resampling(n=1, method="none")


def answers(how: Answering, items: int = 6000, judges: int = 3) -> pl.DataFrame:
    rng = Random(1)
    rows = []
    for item in range(items):
        truth = how.truth(rng)
        rows += [{"item": str(item), "judge": f"j{k}", "score": float(how.answer(truth, rng))} for k in range(judges)]
    return pl.DataFrame(rows)


@pytest.mark.parametrize(
    ("statistic", "options"),
    [
        ("percent", {}),
        ("kappa", {}),
        ("kappa", {"weights": "linear"}),
        ("kappa", {"weights": "quadratic"}),
        ("fleiss", {}),
        ("alpha", {"level": "nominal"}),
        ("alpha", {"level": "ordinal"}),
    ],
)
def test_many_answers_come_to_the_known_value(statistic: str, options: dict[str, str]) -> None:
    more = {"over": "pairs"} if statistic == "percent" else {}
    table = answers(GRADED)
    found = COEFFICIENTS[statistic](table, "", resampling=QUICK, labels=[1, 2, 3, 4], **options, **more).value
    assert found == pytest.approx(coefficient(GRADED.joint, statistic, **options), abs=0.012)


def test_the_ends_of_reliability() -> None:
    sure = Answering(GRADED.labels, GRADED.shares, 1.0).joint
    blind = Answering(GRADED.labels, GRADED.shares, 0.0).joint
    for statistic in ("kappa", "fleiss", "alpha"):
        assert coefficient(sure, statistic) == pytest.approx(1)
        assert coefficient(blind, statistic) == pytest.approx(0)
    assert coefficient(blind, "percent") == pytest.approx(1 / 4)


def test_answers_taken_together_and_kinds_of_items() -> None:
    joint = GRADED.joint
    assert joint.sum() == pytest.approx(1)
    two = collapsed(joint, [[0, 1], [2, 3]])
    assert two.shape == (2, 2)
    assert two.sum() == pytest.approx(1)
    assert two[0, 0] == pytest.approx(joint[:2, :2].sum())
    assert np.allclose(together([joint, joint]), joint)


def test_shares_must_add_up() -> None:
    with pytest.raises(LannerError, match="do not add up to 1"):
        Answering(("a", "b"), (0.5, 0.6), 0.5)


STUDY = load("castilho2021")


@pytest.fixture(scope="module")
def small() -> Data:
    size = {"documents": 12, "sentences": 5, "judges": 4}
    study = replace(STUDY, reading={**STUDY.reading, **size})
    return read(study, None)


def test_nobody_meets_a_text_in_two_scenarios(small: Data) -> None:
    alone = small.table(SCENARIOS, question="adequacy_rs").select("judge", "document").unique()
    shown = small.table(SCENARIOS, question="adequacy_sc").select("judge", "document").unique()
    assert alone.join(shown, on=["judge", "document"]).is_empty()
    assert len(alone) == len(shown) == 4 * 6
    assert {name.partition("-")[0] for name in alone["document"]} == set(SETS)


def test_the_truth_comes_back_in_the_shape_of_the_tables(small: Data) -> None:
    checks = [made for made in check(STUDY, small) if made.cell.simulated]
    tables = {made.cell.where.removeprefix("Simulated judges in the shape of ").partition(",")[0] for made in checks}
    assert tables == {f"Table {k}" for k in range(3, 14)}
    assert all(
        made.value is None and made.result.value is not None and made.result.truth is not None for made in checks
    )
    held = [made for made in checks if made.verdict == RECOVERED]
    assert len(held) >= 0.93 * len(checks)


def test_a_wrong_truth_does_not_come_back(small: Data) -> None:
    """The check can fail: judges who are less reliable than they should be are found out."""
    world = small.kept["world"]
    assert isinstance(world, ScenarioWorld)
    surer = {name: {"rs": 0.98, "sc": 0.98, "ds": 0.98} for name in SETS}
    families = {**world.families, "adequacy": {**world.families["adequacy"], "reliability": surer}}
    other = replace(small, kept={"world": replace(world, families=families)})
    checks = [made for made in check(STUDY, other, "Table 3") if made.cell.column == "RS"]
    assert sum(made.verdict == MISSED for made in checks) >= len(checks) / 2


SURVEY_STUDY = load("castilho2020")


@pytest.fixture(scope="module")
def small_survey() -> Data:
    return read(
        replace(SURVEY_STUDY, reading={**SURVEY_STUDY.reading, "documents": 5, "sentences": 6, "judges": 6}), None
    )


def test_only_sentences_that_enough_judges_refuse_go_on(small_survey: Data) -> None:
    first = small_survey.table(SURVEY, question="translatable")
    refused = first.group_by("document", "segment").agg((pl.col("label") == "no").mean().alias("no"))
    going = set(refused.filter(refused["no"] > 0.4).select("document", "segment").iter_rows())
    second = small_survey.table(SURVEY, question="translatable_two").select("document", "segment").unique()
    assert set(second.iter_rows()) == going
    analysts = set(small_survey.table(SURVEY, question="resolved_by")["judge"])
    assert analysts == {f"analyst-{code}" for code in LANGUAGES}


def test_the_truth_comes_back_in_the_shape_of_the_tables_of_the_survey(small_survey: Data) -> None:
    checks = [made for made in check(SURVEY_STUDY, small_survey) if made.cell.simulated]
    assert len(checks) == 91
    assert all(made.result.value is not None for made in checks)
    assert sum(made.verdict == RECOVERED for made in checks) >= 0.93 * len(checks)


def test_known_shares_add_up() -> None:
    reading = {
        name: value for name, value in SURVEY_STUDY.reading.items() if name not in ("world", "documents", "sentences")
    }
    world = SurveyWorld(**reading)
    for phase in ("one", "two"):
        shares = world.agreement_shares(phase)
        assert shares[:-1].sum() == pytest.approx(1)
        labels = world.issues[phase]["reviews"]
        assert sum(world.issue_share(phase, "all", label) for label in labels) == pytest.approx(1)
    drawn = np.random.default_rng(1).binomial(world.judges, world.no["one"]["hard"], 200_000)
    assert world.going_on("hard") == pytest.approx((drawn > 0.4 * world.judges).mean(), abs=0.005)
