from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.formats._offsets import from_utf16, problems, to_utf16

TEXT = st.text(st.characters(exclude_categories=("Cs",)) | st.sampled_from("😀𝄞"), max_size=12)


@settings(deadline=None)
@given(TEXT, st.data())
def test_both_ways(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    units = len(text[:offset].encode("utf-16-le")) // 2
    assert to_utf16(text, offset) == units
    assert from_utf16(text, units) == offset


def test_inside_a_pair_and_beyond_the_end() -> None:
    assert from_utf16("a😀b", 2) == 1
    assert from_utf16("😀", 1) == 0
    assert from_utf16("a😀b", 4) == 3
    assert from_utf16("a😀b", 6) == 5
    assert from_utf16("abc", 9) == 9


def test_problems() -> None:
    assert problems("a😀bc", 2, 4, "bc") == ()
    assert problems("a😀bc", 2, 4, "😀b") == ("text_mismatch",)
    assert problems("abc", 2, 4, None) == ("bad_offsets",)
    assert problems("abc", 2, 2, "") == ("bad_offsets",)
    assert problems("abc", "1", 2, None) == ("bad_offsets",)
    assert problems(None, 5, 9, "words") == ()
