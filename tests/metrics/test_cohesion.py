from __future__ import annotations

import numpy as np
import pytest

from lanner import metrics
from lanner.metrics import Languages, _cohesion, rate
from lanner.metrics._cohesion import grammar, grammars, words
from lanner.metrics._rating import Translation
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


def test_words_between_spaces_or_pairs_of_characters():
    assert words("The well-known 3 cats’ tails.", "en") == ["the", "well-known", "cats", "tails"]
    assert words("我爱北京。", "zh-CN") == ["我爱", "爱北", "北京"]
    assert words("猫。", "ja") == ["猫"]


def test_marks_belong_to_the_letter_before_them():
    """Vowel signs, points and tones are no letters; a word is not cut at them."""
    assert words("हिन्दी में लिखा", "hi") == ["हिन्दी", "में", "लिखा"]
    assert words("كَتَبَ الوَلَدُ", "ar") == ["كَتَبَ", "الوَلَدُ"]
    assert words("ที่นี่", "th") == ["ที", "ี่", "่น", "นี", "ี่"]
    assert words("e\u0301te\u0301 2", "fr") == ["e\u0301te\u0301"]


def test_what_most_sentences_hold_is_grammar():
    lines = [["the", f"word{n}"] for n in range(50)] + [["rare"], ["rare"], ["x"]]
    assert grammar(lines) == {"the", "x"}
    assert grammar([["a1", "b1"], ["a1"], ["a1"]]) == {"a1"}


def test_every_system_has_a_grammar_of_its_own():
    parts = [Translation(name, "d", ("1",), ("s",), ("o",), (), (True,)) for name in ("a", "b", "a")]
    found = grammars(parts, [[["aa", "xx"], ["aa"]], [["bb"]] * 3, [["aa"]]])
    assert found == {"a": {"aa"}, "b": {"bb"}}


def test_terms_that_an_earlier_sentence_holds():
    metric = metrics.make("repetition", Languages("de", "en"))
    lines = ("The court met.", "A court sat there.", "Something else happened.", "Nobody saw it.", "They all left.")
    part = Translation("s", "d", tuple("01234"), ("",) * 5, lines, (), (True,) * 5)
    rows = metric.counts([part])[0]
    assert rows[1].tolist() == [1, 3]  # court comes back; "a" is too short to be a term
    assert metric.score(rows.sum(axis=0), single=False) == 1 / 15
    assert metric.score(rows[0] * 0, single=True) != metric.score(rows[0] * 0, single=True)  # NaN: nothing to count


def test_other_scripts():
    metric = metrics.make("repetition", Languages("en", "zh"))
    part = Translation("s", "d", ("0", "1"), ("", ""), ("法院开会", "法院休会"), (), (True, True))
    assert metric.counts([part])[0].tolist() == [[0, 3], [1, 3]]


SOURCE = ("Das Gericht tagte.", "Dann rief man.", "Das Gericht schwieg.", "Alles endete spät.", "Das Gericht urteilte.")


def score(*lines):
    metric = metrics.make("consistency", Languages("de", "en"))
    parts = [Translation("s", "d", tuple("01234"), SOURCE, lines, (), (True,) * 5)]
    for n in "abcdefghijklmnopqrstuvwxyz":  # other documents: a collection in which grammar is told from terms
        parts.append(Translation("s", n, ("0",), (f"Das ist Satz {n}{n}.",), (f"The text {n}{n} here.",), (), (True,)))
    return metric.score(metric.counts(parts)[0][0], single=True)


def test_a_term_translated_alike_is_consistent():
    rest = ("Then people called.", "Everything ended late.")
    same = score("The court met.", rest[0], "The court was silent.", rest[1], "The courts decided.")
    two = score("The court met.", rest[0], "The dish was silent.", rest[1], "The court decided.")
    none = score("The court met.", rest[0], "A dish kept quiet.", rest[1], "Tribunals decided.")
    assert (same, two, none) == (1, 0.5, 0)


def test_a_word_that_is_everywhere_says_nothing_about_the_term():
    assert score("Folk met.", "Folk called.", "Folk hushed.", "Folk ended.", "Folk ruled.") == 0


def test_inflected_forms_are_alike_and_documents_without_terms_have_no_score():
    assert _cohesion.stem("decisions") == _cohesion.stem("decision")
    metric = metrics.make("consistency", Languages("de", "en"))
    part = Translation("s", "d", ("0",), ("Ein Satz.",), ("A sentence.",), (), (True,))
    assert np.isnan(metric.score(metric.counts([part])[0][0], single=True))
