"""Drawing documents: probabilities that are known, never below the floor, and learn where answers tell most."""

from __future__ import annotations

import numpy as np
import pytest

from lanner import protocols
from lanner.designs.adaptive import (
    FLOOR,
    LARGEST,
    DocumentInWork,
    document_for,
    draw,
    features_of,
    most_tasks,
    probabilities,
    refuse_goal,
    tilt,
)
from lanner.errors import DesignError
from lanner.model import Document, Judge, Segment


def test_probabilities_sum_to_one_and_keep_the_floor() -> None:
    rng = np.random.default_rng(5)
    for _ in range(50):
        weights = rng.exponential(size=30) ** 3
        available = rng.random(30) < 0.6
        available[3] = True
        chances = probabilities(weights, available)
        assert chances.sum() == pytest.approx(1)
        assert (chances[~available] == 0).all()
        assert (chances[available] >= FLOOR / available.sum() - 1e-12).all()


def test_weights_of_nothing_are_equal_chances() -> None:
    assert probabilities(np.zeros(4), np.array([True, True, False, True])) == pytest.approx([1 / 3, 1 / 3, 0, 1 / 3])


def test_draws_follow_their_probabilities() -> None:
    rng = np.random.default_rng(5)
    chances = np.array([0.0, 0.5, 0.2, 0.0, 0.3, 0.0])
    counts = np.bincount([draw(chances, number) for number in rng.random(20_000)], minlength=6) / 20_000
    assert counts == pytest.approx(chances, abs=0.02)
    assert draw(chances, 0.0) == 1
    assert draw(chances, 1 - 1e-17) == 4


def test_without_answers_every_document_weighs_the_same() -> None:
    rng = np.random.default_rng(5)
    weights = tilt(rng.integers(1, 9, 20).astype(float), rng.normal(size=(20, 2)), np.array([], int), np.array([]))
    assert weights == pytest.approx(np.ones(20))


def test_the_tilt_learns_where_answers_are_far_from_expected() -> None:
    rng = np.random.default_rng(5)
    feature = rng.normal(size=200)
    sizes = np.full(200, 3.0)
    order = np.arange(100)
    squares = np.exp(1.5 * feature[:100]) * rng.chisquare(3, 100) / 3
    weights = tilt(sizes, feature[:, None], order, squares)
    assert np.corrcoef(np.log(weights), feature)[0, 1] > 0.9
    assert weights.max() <= LARGEST + 1e-9
    useless = tilt(sizes, feature[:, None], order, rng.chisquare(3, 100) / 3)
    assert useless.std() < 0.15


def test_features_say_how_bad_and_how_different_outputs_are() -> None:
    sizes = np.array([1.0, 2.0])
    predictions = np.array([[1.0, 3.0, 100.0], [2.0, 2.0, 100.0]])
    assert features_of(predictions, sizes, np.array([0, 1])) == pytest.approx(np.array([[-2.0, 1.0], [-1.0, 0.0]]))
    assert features_of(None, sizes, np.array([0, 1])).shape == (2, 0)


def test_agreement_needs_documents_with_two_judges() -> None:
    with pytest.raises(DesignError, match="two judges"):
        refuse_goal("agreement:0.4", ["oak", "elm"], 1, 0.0)
    refuse_goal("agreement:0.4", ["oak", "elm"], 2, 0.0)
    refuse_goal("agreement:0.4", ["oak", "elm"], 1, 0.25)
    refuse_goal("best", ["oak", "elm"], 1, 0.0)


def test_a_plan_counts_the_documents_that_one_judge_more_gets() -> None:
    documents = [Document(f"d{n}", (Segment("1", "A", {"oak": "B", "elm": "C"}),)) for n in range(8)]
    judges = [Judge("a"), Judge("b")]
    for overlap, expected in ((0.0, 16), (0.25, 20), (1.0, 32)):
        tasks = most_tasks(
            documents,
            judges,
            protocols.load("esa"),
            systems=["oak", "elm"],
            overlap=overlap,
            rng=np.random.default_rng(1),
        )
        assert sum(len(task.items) for task in tasks) == expected


def test_judges_keep_to_the_documents_they_have_begun() -> None:
    mine, theirs = DocumentInWork({1}, at_work=True, places=1), DocumentInWork({2}, at_work=True, places=1)
    assert document_for(1, {7: theirs, 8: mine}, most=2) == 8
    assert document_for(1, {7: theirs}, most=2) is None, "a document of their own is drawn"
    assert document_for(1, {7: theirs}, most=1) == 7, "enough documents are in work"
    assert document_for(1, {7: theirs}, most=0) == 7, "nothing is left to draw"
    assert document_for(1, {}, most=0) is None
    gone, lacking = DocumentInWork({2}, at_work=False, places=1), DocumentInWork({2}, at_work=True, places=2)
    assert document_for(1, {7: theirs, 8: gone}, most=9) == 8
    assert document_for(1, {7: theirs, 8: lacking}, most=9) == 8
    assert document_for(1, {7: lacking, 8: mine}, most=9) == 8, "what is begun comes first"
