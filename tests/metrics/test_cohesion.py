from __future__ import annotations

import pytest

from lanner import metrics
from lanner.metrics import Languages, _cohesion, rate
from metrics.texts import documents


def test_words_of_two_sentences_count_wherever_they_stand():
    assert _cohesion.cohesion_parts([["cat", "dog"], ["dog", "dog"], ["tree"]]) == (3, 5)
    assert _cohesion.cohesion_parts([["cat", "cat"]]) == (0, 2)  # twice in one sentence ties nothing


def test_a_text_that_repeats_its_words_is_more_cohesive():
    rows = rate(documents(), metrics.make("cohesion", Languages("de", "en"))).result.rows
    assert [row["system"] for row in rows] == ["good", "bad"]


def test_documents_without_content_words_have_no_score():
    metric = metrics.make("cohesion", Languages("de", "en"))
    rating = rate(documents(), metric, systems=["bad"])
    assert {j.stage for j in rating.judgements} == {"document", "system"}


def test_links_are_words_of_two_sentences_with_their_sentences():
    assert _cohesion.chain_links([["a", "b"], ["a"], ["c"]]) == {("a", 0), ("a", 1)}


def test_f1_against_the_best_reference():
    own = [["a"], ["a"], ["b"]]
    assert _cohesion.chain_parts(own, [[["a"], ["c"], ["a"]]]) == (2, 4)
    assert _cohesion.chain_parts(own, [[["x"], ["x"], ["b"]], own]) == (4, 4)
    assert _cohesion.chain_parts([["a"]], [[["b"]]]) == (0, 0)


def test_keeping_the_chains_of_the_reference_is_better():
    rows = rate(documents(), metrics.make("chains", Languages("de", "en"))).result.rows
    assert rows[0]["system"] == "good"


def test_shared_entities_count_less_the_farther_apart_they_are():
    # 1–2 share a (1), 1–3 share a and b (2/2), 2–3 share a (1): three sentences
    assert _cohesion.entity_parts([["a", "b"], ["a"], ["b", "a", "a"]]) == (pytest.approx(3), 3)
    assert _cohesion.entity_parts([["a"], ["b"]]) == (0, 2)


def test_nouns_and_names_are_entities():
    rating = rate(documents(), metrics.make("entity-graph", Languages("de", "en")), systems=["good"])
    by_document = {j.document: j.value for j in rating.judgements if j.stage == "document"}
    # dog in the first and third sentence; court in both
    assert by_document == {"d0": pytest.approx(1 / 2 / 3), "d1": pytest.approx(1 / 2), "d2": 0}
