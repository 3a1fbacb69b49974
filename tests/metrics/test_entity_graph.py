import pytest

from lanner import metrics
from lanner.metrics import Languages, entity_graph, rate
from metrics.texts import documents


def test_shared_entities_count_less_the_farther_apart_they_are():
    # 1–2 share a (1), 1–3 share a and b (2/2), 2–3 share a (1): three sentences
    assert entity_graph.parts([["a", "b"], ["a"], ["b", "a", "a"]]) == (pytest.approx(3), 3)
    assert entity_graph.parts([["a"], ["b"]]) == (0, 2)


def test_nouns_and_names_are_entities():
    rating = rate(documents(), metrics.make("entity-graph", Languages("de", "en")), systems=["good"])
    by_document = {j.document: j.value for j in rating.judgements if j.stage == "document"}
    # dog in the first and third sentence; court in both
    assert by_document == {"d0": pytest.approx(1 / 2 / 3), "d1": pytest.approx(1 / 2), "d2": 0}
