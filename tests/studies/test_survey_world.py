from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from lanner.studies.reproduce import RECOVERED, check, read
from lanner.studies.study import Data, load
from lanner.studies.survey_world import LANGUAGES, PART, World

STUDY = load("castilho2020")


@pytest.fixture(scope="module")
def small() -> Data:
    return read(replace(STUDY, reading={**STUDY.reading, "documents": 5, "sentences": 6, "judges": 6}), None)


def test_only_sentences_that_enough_judges_refuse_go_on(small: Data) -> None:
    first = small.table(PART, question="translatable")
    refused = first.group_by("document", "segment").agg((pl.col("label") == "no").mean().alias("no"))
    going = set(refused.filter(refused["no"] > 0.4).select("document", "segment").iter_rows())
    second = small.table(PART, question="translatable_two").select("document", "segment").unique()
    assert set(second.iter_rows()) == going
    analysts = set(small.table(PART, question="resolved_by")["judge"])
    assert analysts == {f"analyst-{code}" for code in LANGUAGES}


def test_the_truth_comes_back_in_the_shape_of_the_tables(small: Data) -> None:
    checks = [made for made in check(STUDY, small) if made.cell.simulated]
    assert len(checks) == 91
    assert all(made.result.value is not None for made in checks)
    assert sum(made.verdict == RECOVERED for made in checks) >= 0.93 * len(checks)


def test_known_shares_add_up() -> None:
    reading = {name: value for name, value in STUDY.reading.items() if name not in ("world", "documents", "sentences")}
    world = World(**reading)
    for phase in ("one", "two"):
        shares = world.agreement_shares(phase)
        assert shares[:-1].sum() == pytest.approx(1)
        labels = world.issues[phase]["reviews"]
        assert sum(world.issue_share(phase, "all", label) for label in labels) == pytest.approx(1)
    drawn = np.random.default_rng(1).binomial(world.judges, world.no["one"]["hard"], 200_000)
    assert world.going_on("hard") == pytest.approx((drawn > 0.4 * world.judges).mean(), abs=0.005)
