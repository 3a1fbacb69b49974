import numpy as np

from lanner import metrics
from lanner.metrics import Languages, Translation, consistency

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
    assert consistency.stem("decisions") == consistency.stem("decision")
    metric = metrics.make("consistency", Languages("de", "en"))
    part = Translation("s", "d", ("0",), ("Ein Satz.",), ("A sentence.",), (), (True,))
    assert np.isnan(metric.score(metric.counts([part])[0][0], single=True))
