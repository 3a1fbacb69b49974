"""Spoiled texts: nonsense in the middle, recognisable at the ends, the same shape."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanner import protocols
from lanner.designs.spoiling import Spoiled, can_be_shuffled, pieces, shuffled_words, with_stretch_of
from lanner.model import Document, Item, Role, Segment

SENTENCE = "The special relationship between the two countries is based on language and on values that we share today."
DOCUMENT = "\n".join(
    [SENTENCE, "A second line follows here with a few more words in it.", "", "And a third, last one."]
)
JAPANESE = "特別な関係は政府間だけでなく、共通の言語と2024年の価値観に基づいています。"
KOREAN = "특별한 관계는 정부 사이의 관계뿐 아니라 우리가 함께 나누는 말과 가치에도 바탕을 두고 있다."
THAI = "ความสัมพันธ์พิเศษนี้ตั้งอยู่บนภาษาและคุณค่าร่วมกัน"


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("text", "language"), [(SENTENCE, "en"), (DOCUMENT, ""), (JAPANESE, "ja"), (KOREAN, "ko"), (THAI, "th")]
)
@pytest.mark.parametrize("seed", range(5))
def test_the_middle_is_shuffled_and_a_tenth_stays_at_either_end(text: str, language: str, seed: int) -> None:
    spoiled = shuffled_words(text, rng(seed), language)
    before = [match.group() for match in pieces(text, language)]
    after = [match.group() for match in pieces(spoiled, language)]
    kept = max(1, round(len(before) / 10))
    assert spoiled != text
    assert Counter(before) == Counter(after)
    assert (before[:kept], before[-kept:]) == (after[:kept], after[-kept:])
    moved = sum(one != two for one, two in zip(before, after, strict=True))
    assert moved > len(before) / 3
    assert re.sub(r"\S+", "x", text) == re.sub(r"\S+", "x", spoiled), "spaces and line breaks stay where they are"


def test_scripts_without_spaces_are_seen_without_being_told() -> None:
    assert len(pieces(JAPANESE)) > 25
    assert "2024" in [match.group() for match in pieces(JAPANESE)]
    assert len(pieces(KOREAN)) == len(KOREAN.split())


@given(text=st.text(max_size=60), seed=st.integers(0, 99))
def test_any_text_keeps_its_characters(text: str, seed: int) -> None:
    spoiled = shuffled_words(text, rng(seed))
    assert Counter(spoiled) == Counter(text)
    if can_be_shuffled(text):
        assert spoiled != text


def test_texts_too_short_to_tell_are_known() -> None:
    assert can_be_shuffled(SENTENCE) and can_be_shuffled(JAPANESE, "ja")
    assert not can_be_shuffled("Thank you so much.")
    assert not can_be_shuffled("") and shuffled_words("", rng()) == ""


@given(text=st.text(alphabet="ab ", min_size=1), donor=st.text(alphabet="xy ", min_size=1), seed=st.integers(0, 99))
def test_a_stretch_of_another_text_keeps_the_length(text: str, donor: str, seed: int) -> None:
    spoiled = with_stretch_of(text, donor, rng(seed), "en")
    assert len(spoiled.split()) == len(text.split())
    if text.split() and donor.split():
        assert any(word in donor.split() for word in spoiled.split())


def test_about_a_quarter_of_a_long_text_is_replaced() -> None:
    words = " ".join(f"w{n}" for n in range(40))
    spoiled = with_stretch_of(words, " ".join(["other"] * 40), rng(), "en")
    assert spoiled.split().count("other") == 10


LONG = "one two three four five six seven eight nine ten"
TEXTS = [
    Document(d, (Segment("1", "…", {"a": LONG, "b": LONG.upper()}), Segment("2", "…", {"a": "x y z", "b": "X"})))
    for d in "pq"
]


def spoiled(kind: str, name: str = "ranking_rs") -> Spoiled:
    return Spoiled(TEXTS, protocols.load(name).stages, kind, np.random.default_rng(1))


def test_the_spoiled_output_is_the_same_on_either_side() -> None:
    made = spoiled("shuffled")
    left, right = (made.item(Item("p", "1", systems)) for systems in (("a", "b"), ("b", "a")))
    assert left.texts == right.texts and left.role is Role.CONTROL
    (system,) = left.texts
    assert left.expected["ranking_rs"]["worst"] == left.systems.index(system)
    assert right.expected["ranking_rs"]["worst"] == right.systems.index(system)


def test_what_can_be_spoiled() -> None:
    assert spoiled("shuffled").possible(("p", "1", "a", "b"))
    assert not spoiled("shuffled").possible(("p", "2", "a", "b"))
    assert spoiled("swapped").possible(("p", "2", "a", "b"))
    lonely = Spoiled(TEXTS[:1], protocols.load("da_document").stages, "swapped", np.random.default_rng(1))
    assert not lonely.possible(("p", "", "a"))


def test_swapped_and_degraded() -> None:
    ((system, text),) = spoiled("swapped").item(Item("p", "1", ("a", "b"))).texts.items()
    assert text == {"a": "x y z", "b": "X"}[system]
    item = spoiled("degraded", "da").item(Item("p", "1", ("a",)))
    assert item.expected == {"score": {"below_original": True}}
    assert sum(word in "xyz" for word in item.texts["a"].split()) == 3
