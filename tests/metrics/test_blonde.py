import numpy as np
import pytest

from lanner import metrics
from lanner.errors import LannerError
from lanner.metrics import Languages, Translation, rate
from metrics.texts import documents

ENGLISH = Languages("de", "en")


def score(output, reference, category):
    metric = metrics.make("blonde", ENGLISH, category=category)
    part = Translation("s", "d", ("0",), ("",), (output,), ((reference,),), (True,))
    return metric.score(metric.counts([part])[0][0], single=True)


def test_each_category_sees_its_own_mistakes_only():
    reference = "However, she told Anna that the train had stopped."
    assert score(reference, reference, "all") == pytest.approx(100)
    changed = {
        "entity": "However, she told Anja that the train had stopped.",
        "tense": "However, she tells Anna that the train had stopped.",
        "pronoun": "However, he told Anna that the train had stopped.",
        "marker": "Therefore, she told Anna that the train had stopped.",
    }
    for category, text in changed.items():
        assert score(text, reference, category) < 100
        for other in changed:
            if other != category:
                assert score(text, reference, other) == pytest.approx(100), (category, other)
        assert score(text, reference, "discourse") < 100


def test_the_formula():
    # two pronouns against one, one of them matched: F = (2·1 + 1)/(2 + 1 + 1)
    assert score("She saw him.", "She saw the dog.", "pronoun") == pytest.approx(75)
    assert np.isnan(score("Rain.", "Rain.", "pronoun"))


def test_systems_are_told_apart_and_several_references_help():
    rating = rate(documents(), metrics.make("blonde", ENGLISH))
    assert [row["system"] for row in rating.result.rows] == ["good", "bad"]
    assert "tagger:english-1" in rating.judge.attributes["signature"]
    metric = metrics.make("blonde", ENGLISH, category="pronoun")
    part = Translation("s", "d", ("0",), ("",), ("He left.",), (("She left.",), ("He left.",)), (True,))
    assert metric.score(metric.counts([part])[0][0], single=True) == pytest.approx(100)


def test_mistakes_are_told():
    with pytest.raises(LannerError, match="no category 'tenses'"):
        metrics.make("blonde", ENGLISH, category="tenses")
    with pytest.raises(LannerError, match="no tagger for 'fi'") as error:
        metrics.make("blonde", Languages("en", "fi"))
    assert "lanner.taggers" in error.value.next_step
