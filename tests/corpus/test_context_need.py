from __future__ import annotations

import csv

import numpy as np
import pytest

from data_sets import data_dir
from lanner.corpus.context_need import FEATURES, features, need, probability
from lanner.errors import InputError
from lanner.model import Document, Segment


def value(text: str, name: str, **more: bool) -> float:
    return features(text, **more)[list(FEATURES).index(name)]


def test_features_are_what_they_are_called() -> None:
    assert value("She told him so.", "third_person") == pytest.approx(2 / 4)
    assert value("She told him so.", "pronoun_first") == 1
    assert value("Anna said that Ben left.", "pronoun_first") == 0
    assert value("However, it rained.", "connective") == 1
    assert value("It rained, however.", "connective") == 0
    assert value("Too many of them.", "elliptic") == pytest.approx(1 / 4)
    assert value("No way!", "fragment") == 1 and value("We were late.", "fragment") == 0
    assert value("No way!", "exclamation") == 1 and value("No way!", "short") == 1
    assert value("I don’t know, gonna ask.", "informal") == pytest.approx(2 / 5)
    assert value("The EPA met Tim Whitehouse.", "acronym") == pytest.approx(1 / 5)
    assert value("The EPA met Tim Whitehouse.", "name") == pytest.approx(2 / 5)
    assert value("Great #news today", "emoji") == 1
    assert value("Hello.", "opening", opens_document=True) == 1
    assert all(np.isfinite(features("")))


def test_a_sentence_full_of_pronouns_needs_more_than_one_that_names_everything() -> None:
    vague = probability(features("They gave it to them, and so did the others."))
    named = probability(features("Tim Whitehouse praised the Biden administration for improvements on enforcement."))
    assert 0 < named < vague < 1


def test_other_languages_have_no_weights() -> None:
    german = Document("d", (Segment("1", "Sie kam.", {}), Segment("2", "Er ging.", {})), "de", "en")
    with pytest.raises(InputError, match="not for de"):
        need(german)
    english = Document("d", (Segment("1", "She came.", {}), Segment("2", "He left.", {})), "en-GB", "de")
    assert len(need(english)) == 2


def test_the_weights_tell_released_labels_apart_better_than_chance() -> None:
    folder = data_dir("h-falcon")
    with (folder / "data" / "evalset.csv").open(encoding="utf-8", newline="") as file:
        texts = [row["source"] for row in csv.DictReader(file)]
    votes = np.zeros(len(texts))
    for judge in (1, 2, 3):
        with (folder / "human" / "evalset" / f"judge{judge}.csv").open(encoding="utf-8", newline="") as file:
            votes += [row["context"] in ("Local", "Extended", "Global") for row in csv.DictReader(file)]
    chances = np.array([probability(features(text)) for text in texts])
    needing, others = chances[votes >= 2], chances[votes < 2]
    auc = (needing[:, None] > others[None, :]).mean()
    assert auc > 0.6
    assert chances.mean() == pytest.approx((votes >= 2).mean(), abs=0.02)
