from random import Random

import numpy as np
import polars as pl
import pytest

from lanner.errors import LannerError
from lanner.stats.agreement import COEFFICIENTS
from lanner.stats.resample import Resampling
from lanner.studies.known_truth import Answering, coefficient, collapsed, together

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
