"""Scores on documents chosen for difficulty, corrected by their probabilities."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from lanner.analysis.selection import choice_bias, corrected_scores, probabilities
from lanner.errors import InputError
from lanner.model import Document, Segment

COLUMNS = ["document", "segment", "system", "question", "role", "score"]


def table(scores: dict[str, dict[str, list[float]]]) -> pl.DataFrame:
    rows = [
        (document, str(at), system, "score", "main", score)
        for system, documents in scores.items()
        for document, values in documents.items()
        for at, score in enumerate(values)
    ]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def test_each_document_counts_one_over_its_probability() -> None:
    scores = {"a": {"hard": [10.0, 20.0], "easy": [80.0]}, "b": {"hard": [20.0, 20.0], "easy": [84.0]}}
    result = corrected_scores(table(scores), "score", {"hard": 1.0, "easy": 0.25})
    by_name = {(row["system"], row["other"]): row for row in result.rows}
    assert by_name["a", ""]["value"] == pytest.approx((30 + 80 * 4) / (2 + 4))
    assert by_name["a", ""]["chosen"] == pytest.approx(110 / 3)
    assert by_name["a", "b"]["value"] == pytest.approx((-10 - 4 * 4) / (2 + 4))
    assert "rows" not in dict(result.signature.parts) and "Hájek" in str(result.signature)


@pytest.mark.parametrize(("documents", "known"), [(2, False), (9, False), (10, True)])
def test_ten_documents_are_needed_for_an_interval(documents: int, known: bool) -> None:
    scores = {"a": {f"d{at}": [50.0 + at % 3] for at in range(documents)}}
    result = corrected_scores(table(scores), "score", {f"d{at}": 0.2 + 0.05 * at for at in range(documents)})
    assert (result.rows[0]["low"] is not None, result.rows[0]["high"] is not None) == (known, known)
    assert len(result.notes) == 1 and ("No interval" in result.notes[0]) == (not known)


def test_intervals_stay_on_the_scale() -> None:
    high = {f"d{at}": [100.0 if at else 40.0] for at in range(12)}
    low = {f"d{at}": [0.0 if at else 60.0] for at in range(12)}
    chances = {f"d{at}": 0.9 if at else 0.1 for at in range(12)}
    free = corrected_scores(table({"a": high, "b": low}), "score", chances)
    assert free.rows[0]["high"] > 100 and free.rows[1]["low"] < 0 and free.rows[2]["high"] > 100
    for row in corrected_scores(table({"a": high, "b": low}), "score", chances, (0.0, 100.0)).rows:
        start = -100.0 if row["other"] else 0.0
        assert start <= row["low"] < row["value"] < row["high"] <= 100


def test_the_interval_holds_the_mean_of_all_texts() -> None:
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(200):
        hard = rng.random(300) < 0.3
        truth = np.where(hard, 40.0, 80.0) + rng.normal(0, 8, 300)
        chances = np.where(hard, 0.5, 0.12)
        drawn = np.flatnonzero(rng.random(300) < chances)
        scores = {"a": {f"d{at}": [float(truth[at])] for at in drawn}}
        chance_of = {f"d{at}": float(chances[at]) for at in drawn}
        (row,) = corrected_scores(table(scores), "score", chance_of, (0.0, 100.0)).rows
        held += row["low"] <= 68.0 <= row["high"]
        assert row["chosen"] < 68.0
    assert 0.9 <= held / 200 <= 0.99


def test_equal_probabilities_give_the_plain_mean_and_interval() -> None:
    scores = {"a": {f"d{at}": [float(at % 7)] for at in range(12)}}
    (row,) = corrected_scores(table(scores), "score", {f"d{at}": 0.3 for at in range(12)}).rows
    values = np.array([at % 7 for at in range(12)], dtype=float)
    reach = stats.t.ppf(0.975, 11) * values.std(ddof=1) / np.sqrt(12)
    assert row["value"] == pytest.approx(values.mean()) == row["chosen"]
    assert (row["low"], row["high"]) == pytest.approx((values.mean() - reach, values.mean() + reach))


def test_the_bias_of_the_choice_is_stated() -> None:
    segment = (Segment("1", "A.", {}),)
    chosen = [Document("x", segment, meta={"selection": {"probability": 0.5}})]
    assert "chosen for difficulty" in str(choice_bias(chosen, {"design": "full"}))
    everything = [Document("x", segment, meta={"selection": {"probability": 1.0}})]
    assert choice_bias(everything, {"design": "full"}) is None, "all were taken"
    assert "drawn adaptively" in str(choice_bias([], {"design": "adaptive"}))
    assert choice_bias([Document("x", segment)], {"design": "random"}) is None


def test_documents_that_were_not_chosen_so_are_refused() -> None:
    scores = {"a": {"x": [1.0], "y": [6.0]}}
    with pytest.raises(InputError, match="'y' does not say"):
        corrected_scores(table(scores), "score", {"x": 0.3})
    with pytest.raises(InputError, match="No document says"):
        corrected_scores(table(scores), "score", {})
    segment = (Segment("1", "A.", {}),)
    kept = [Document("x", segment, meta={"selection": {"probability": 0.5}}), Document("y", segment)]
    assert probabilities(kept) == {"x": 0.5}
    odd = [
        Document("x", segment, meta={"selection": {"probability": 0}}),
        Document("y", segment, meta={"selection": 3}),
    ]
    assert probabilities(odd) == {}
