from lanner import metrics
from lanner.metrics import Languages, cohesion, rate
from metrics.texts import documents


def test_words_of_two_sentences_count_wherever_they_stand():
    assert cohesion.parts([["cat", "dog"], ["dog", "dog"], ["tree"]]) == (3, 5)
    assert cohesion.parts([["cat", "cat"]]) == (0, 2)  # twice in one sentence ties nothing


def test_a_text_that_repeats_its_words_is_more_cohesive():
    rows = rate(documents(), metrics.make("cohesion", Languages("de", "en"))).result.rows
    assert [row["system"] for row in rows] == ["good", "bad"]


def test_documents_without_content_words_have_no_score():
    metric = metrics.make("cohesion", Languages("de", "en"))
    rating = rate(documents(), metric, systems=["bad"])
    assert {j.stage for j in rating.judgements} == {"document", "system"}
