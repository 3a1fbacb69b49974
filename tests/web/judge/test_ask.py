from __future__ import annotations

from dataclasses import replace

from lanner.web.judge.ask import Ask, Pick

ASK = Ask(
    id="q", kind="scale", display="list", label="Q", short="Q", help="", definition="", low="", high="",
    letter="q", hint="", required=True, stage="s",
)  # fmt: skip


def test_labelled_points_stand_two_to_a_line_where_they_fit() -> None:
    short, long = Pick("1", "bad"), Pick("2", "a label that takes more than half the rail")
    assert replace(ASK, options=(short, short)).short_marks
    assert not replace(ASK, options=(short, long)).short_marks
    assert not replace(ASK, options=(short, short, short)).short_marks


def test_a_grid_takes_digits_directly_if_its_lines_have_keys() -> None:
    assert not ASK.direct
    assert not replace(ASK, rows=(Pick("a", "A"),)).direct
    assert replace(ASK, rows=(Pick("a", "A", key="1"),)).direct
