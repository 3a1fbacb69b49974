from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.formats._shown_text import ShownText

TEXT = st.text(st.characters(exclude_categories=("Cs",)) | st.sampled_from("😀\n"), min_size=1, max_size=12)


def test_line_breaks_have_no_place_and_emoji_two() -> None:
    shown = ShownText("a😀\nbc")
    assert shown.place(0, 0) == ({"start": 0, "end": 1, "text": "a"}, ())
    assert shown.place(1, 2) == ({"start": 1, "end": 2, "text": "😀"}, ())
    assert shown.place(3, 4) == ({"start": 3, "end": 5, "text": "bc"}, ())
    assert shown.place(5, 5) == ({"missing": True}, ())
    assert shown.place(2, 9)[1] == shown.place(3, 1)[1] == shown.place(None, 1)[1] == ("bad_offsets",)


@settings(deadline=None)
@given(TEXT, st.data())
def test_both_ways(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    if text[start] == "\n" or text[end - 1] == "\n":
        return  # an edge at a line break has no place of its own
    shown = ShownText(text)
    assert shown.place(*shown.shown({"start": start, "end": end}))[0] == {
        "start": start,
        "end": end,
        "text": text[start:end],
    }
    assert shown.place(*shown.shown({"missing": True}))[0] == {"missing": True}
