from __future__ import annotations

import numpy as np

from lanner import metrics
from lanner.metrics import Languages, _terms
from lanner.metrics._rating import Translation
from lanner.metrics._terms import grammar, grammars, words


def test_words_between_spaces_or_pairs_of_characters():
    assert words("The well-known 3 cats’ tails.", "en") == ["the", "well-known", "cats", "tails"]
    assert words("我爱北京。", "zh-CN") == ["我爱", "爱北", "北京"]
    assert words("猫。", "ja") == ["猫"]


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
    assert _terms.stem("decisions") == _terms.stem("decision")
    metric = metrics.make("consistency", Languages("de", "en"))
    part = Translation("s", "d", ("0",), ("Ein Satz.",), ("A sentence.",), (), (True,))
    assert np.isnan(metric.score(metric.counts([part])[0][0], single=True))
