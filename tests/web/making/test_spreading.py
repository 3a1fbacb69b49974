from __future__ import annotations

import numpy as np
import pytest

from lanner import protocols
from lanner.model import Question
from lanner.stats.ratings import Ratings
from lanner.web.making.spreading import BANDS, leaning, spreading


def asked(protocol: str, name: str) -> Question:
    found = protocols.load(protocol).find(name)
    assert found
    return found[1]


def rated(shift: float = 10) -> Ratings:
    rng = np.random.default_rng(2)
    truth = rng.uniform(30, 80, 60)
    table = np.stack([truth, truth + rng.normal(0, 2, 60), truth + shift], axis=1).round()
    table[0, 1] = np.nan
    return Ratings.from_matrix(table, documents=[f"d{at // 6}" for at in range(60)], judges=("a", "b", "c"))


def test_a_spread_is_of_what_all_have_judged_and_its_bands_add_up() -> None:
    n, bounds, found = spreading(rated(), asked("da", "score"))
    assert (n, bounds) == (59, (0.0, 100.0))
    for spread in found.values():
        assert len(spread.bands) == BANDS
        assert sum(spread.bands) == pytest.approx(1)
        assert spread.low <= spread.middle <= spread.high
    assert found["c"].middle == pytest.approx(found["a"].middle + 10, abs=1)


def test_the_judge_who_scores_higher_comes_first_with_an_interval() -> None:
    first = leaning(rated())[0]
    assert first.judge == "c"
    assert first.value == pytest.approx(10, abs=1)
    assert first.low is not None and first.high is not None
    assert first.low < first.value < first.high
    assert "document" in first.signature


def test_a_count_without_end_ends_where_the_answers_do() -> None:
    table = np.array([[1.0, 2.0], [1.0, 7.0]])
    _, bounds, _ = spreading(Ratings.from_matrix(table, judges=("a", "b")), asked("context_survey", "sentences_before"))
    assert bounds == (1.0, 7.0)
    assert spreading(Ratings.from_matrix([[1.0, np.nan]], judges=("a", "b")), asked("da", "score"))[0] == 0
