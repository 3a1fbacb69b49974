from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.corpus import split
from lanner.corpus.boundaries import ENDS, candidates, ending


def strengths(text: str, code: str = "en") -> dict[str, float]:
    found = candidates(text, code, split.cuts(text, code))
    return {
        text[offset:].split(maxsplit=1)[0]: float(odds)
        for offset, odds in zip(found.offsets[1:-1], found.strengths[1:-1], strict=True)
    }


def test_a_full_stop_is_likelier_than_a_comma_and_a_comma_than_nothing():
    odds = strengths("We came home late. Then, tired as we were, nobody spoke about it.")
    assert odds["Then,"] > 0 > odds["tired"] > odds["spoke"]


def test_a_small_word_with_a_capital_likely_begins_a_sentence():
    odds = strengths("Council opens new bridge The mayor thanked Anna Berg for it")
    assert odds["The"] > max(odds["Anna"], odds["Berg"])


def test_quoted_speech_holds_together():
    plain, quoted = strengths("It is over. Go home.")["Go"], strengths('"It is over. Go home."')["Go"]
    assert plain > quoted


def test_line_breaks_are_the_strongest():
    assert max(strengths("no stop here\nnext. Third.").items(), key=lambda item: item[1])[0] == "next."


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Really?", "question"),
        ('he said."', "stop"),
        ("真的吗？", "question"),
        ("Wait...", "ellipsis"),
        ("nice 😂", "emoji"),
        ("first\n", "line"),
        ("(later)", "close"),
        ("word", "word"),
        ("वह गया।", "stop"),
    ],
)
def test_endings(text, kind):
    assert ending(text) == kind
    assert kind in ENDS


@settings(deadline=None)
@given(st.text(alphabet='ab C.!?,。、！\n"”😂다', max_size=50), st.sampled_from(["en", "ko", "zh"]))
def test_candidates_are_in_order_with_both_ends(text, code):
    found = candidates(text, code, split.cuts(text, code))
    assert found.offsets[0] == 0
    assert found.offsets[-1] == len(text)
    assert list(found.offsets[1:-1]) == sorted(set(found.offsets[1:-1]))
    assert list(found.lengths) == [sum(not c.isspace() for c in text[:offset]) for offset in found.offsets]
