from __future__ import annotations

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
from lanner.studies.simulation import Answering, answer_all, coefficient, collapsed, dice, passing_store, together


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
