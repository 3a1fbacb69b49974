from __future__ import annotations

from dataclasses import replace

from lanner.model import Judge, JudgeKind
from lanner.monitor.snapshot import Divergence, OddOnes, Swap
from lanner.store import Seat
from lanner.web.organising.comparison import Comparison, comparison
from lanner.web.organising.figures import Cell

SEATS = [
    Seat(at, 1, Judge(name, kind))
    for at, (name, kind) in enumerate(
        [("o3", JudgeKind.MODEL), ("a", JudgeKind.PERSON), ("b", JudgeKind.PERSON), ("<c>", JudgeKind.PERSON)]
    )
]
NAMES = {name: name.upper() for name in ("o3", "a", "b", "<c>")}
LABEL = {"low": "Low <l>", "mid": "Mid", "high": "High"}


def apart(units: int = 40, swaps: tuple[Swap, ...] = ()) -> Divergence:
    pairs = {
        ("a", "b"): Cell(0.52, 40),
        ("a", "<c>"): Cell(0.38, 40),
        ("b", "<c>"): Cell(0.42, 40),
        ("o3", "a"): Cell(0.2, 40),
    }
    odd = OddOnes(units, units - 9, (("<c>", 7), ("a", 2)), 0, 0, (("low", "high", 5), ("mid", "high", 1)))
    shares = dict.fromkeys(NAMES, (0.5, 0.25, 0.25))
    merges = (("low", "mid", 0.06), ("low", "high", -0.1))
    return Divergence(
        "q", ("a", "b", "<c>"), "κ", pairs, units, ("low", "mid", "high"), shares, odd, 0.45, merges, swaps
    )


def test_nothing_to_compare_draws_nothing() -> None:
    assert comparison(None, {}, [], {}) == Comparison()


def test_too_few_draw_no_shares_and_no_bar() -> None:
    few = comparison(apart(units=9), NAMES, SEATS, LABEL)
    assert (few.shares, few.odd, few.merging) == (None, None, None)
    assert few.heat is not None


def test_words_for_the_pairs() -> None:
    shown = comparison(apart(), NAMES, SEATS, LABEL)
    assert shown.heat_note.startswith("A and B agree best (.52), A and <C> least (.38).")
    assert "No model agrees with people as well" in shown.heat_note
    assert shown.heat and "people with people: .38 to .52" in shown.heat
    alike = replace(apart(), pairs={("a", "b"): Cell(0.781, 10), ("b", "<c>"): Cell(0.784, 10)})
    assert comparison(alike, NAMES, SEATS, LABEL).heat_note == "", "nobody agrees least with the same number"


def test_people_stand_before_models_and_names_are_escaped() -> None:
    shown = comparison(apart(), NAMES, SEATS, LABEL)
    assert shown.heat
    assert shown.heat.index(">A<") < shown.heat.index(">O3<")
    assert "<C>" not in shown.heat
    assert shown.shares and "Low &lt;l&gt;" in shown.shares


def test_on_what_the_odd_one_differs() -> None:
    shown = comparison(apart(), NAMES, SEATS, LABEL)
    assert shown.odd_note == (
        "Where the others agree and &lt;C&gt; does not: <b>Low &lt;l&gt;</b> where they say High (5 times), "
        "<b>Mid</b> where they say High (once)."
    )


def test_swaps_and_mergers_in_words() -> None:
    shown = comparison(apart(swaps=(Swap("b", ("low", "high"), 12, 1),)), NAMES, SEATS, LABEL)
    assert shown.swaps == ("B seems to swap Low <l> and High.",)
    assert shown.merging_note.startswith("Low <l> and Mid are told apart least.")
