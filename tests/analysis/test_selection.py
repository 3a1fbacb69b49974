"""Scores on documents chosen for difficulty, corrected by their probabilities."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from lanner.analysis.selection import corrected_scores, probabilities
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
    by_name = {(one.system, one.other): one for one in result}
    assert by_name["a", ""].value == pytest.approx((30 + 80 * 4) / (2 + 4))
    assert by_name["a", ""].chosen == pytest.approx(110 / 3)
    assert by_name["a", "b"].value == pytest.approx((-10 - 4 * 4) / (2 + 4))
    assert by_name["a", "b"].low < by_name["a", "b"].value < by_name["a", "b"].high


def test_the_interval_holds_the_mean_of_all_texts() -> None:
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(200):
        hard = rng.random(300) < 0.3
        truth = np.where(hard, 40.0, 80.0) + rng.normal(0, 8, 300)
        chances = np.where(hard, 0.5, 0.12)
        drawn = np.flatnonzero(rng.random(300) < chances)
        scores = {"a": {f"d{at}": [float(truth[at])] for at in drawn}}
        (one,) = corrected_scores(table(scores), "score", {f"d{at}": float(chances[at]) for at in drawn})
        held += one.low <= 68.0 <= one.high
        assert one.chosen < 68.0
    assert 0.9 <= held / 200 <= 0.99


def test_equal_probabilities_give_the_plain_mean() -> None:
    scores = {"a": {"x": [1.0, 2.0], "y": [6.0]}}
    (one,) = corrected_scores(table(scores), "score", {"x": 0.3, "y": 0.3})
    assert one.value == pytest.approx(3.0) == one.chosen


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
