from lanner import metrics
from lanner.metrics import Languages, chains, rate
from metrics.texts import documents


def test_links_are_words_of_two_sentences_with_their_sentences():
    assert chains.links([["a", "b"], ["a"], ["c"]]) == {("a", 0), ("a", 1)}


def test_f1_against_the_best_reference():
    own = [["a"], ["a"], ["b"]]
    assert chains.parts(own, [[["a"], ["c"], ["a"]]]) == (2, 4)
    assert chains.parts(own, [[["x"], ["x"], ["b"]], own]) == (4, 4)
    assert chains.parts([["a"]], [[["b"]]]) == (0, 0)


def test_keeping_the_chains_of_the_reference_is_better():
    rows = rate(documents(), metrics.make("chains", Languages("de", "en"))).result.rows
    assert rows[0]["system"] == "good"
