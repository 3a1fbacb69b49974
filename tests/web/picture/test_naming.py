from __future__ import annotations

from lanner.reports.svg import Drawing
from lanner.web.picture.naming import LETTER, beside, called, put


def joined(shown: list[list[str]]) -> list[str]:
    return ["".join(lines) for lines in shown]


def test_names_wrap_before_they_are_cut() -> None:
    assert called(["Simulated 1", "J2"], 9 * LETTER, 2) == [["Simulated", "1"], ["J2"]]
    assert called(["Maximiliane"], 6 * LETTER, 2) == [["Maximi", "liane"]]


def test_names_that_are_cut_are_still_told_apart() -> None:
    alike = [f"A professional translator of legal texts, number {at} of the second group" for at in range(12)]
    shown = called(alike, 8 * LETTER, 3)
    assert len(set(joined(shown))) == 12
    assert all(len(lines) <= 3 for lines in shown)
    assert all("…" in words for words in joined(shown))


def test_a_cut_name_is_whole_in_its_tooltip() -> None:
    drawing = Drawing("names", 40)
    put(drawing, (0, 20), (["A…", "z"], "A to <z>"), "t", "start")
    assert str(drawing).count("<title>A to &lt;z&gt;</title>") == 2


def test_room_beside_rows_grows_with_the_names_up_to_a_limit() -> None:
    assert beside(["J1"])[0] < beside(["Judge number one"])[0] <= 118
