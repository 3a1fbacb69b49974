from lanner.reports.figures.merging import Merge, merging
from reports.drawings import inside, words


def test_before_after_and_the_change_of_kappa() -> None:
    drawing = merging(
        ("sentence", "local"), [Merge("J2–J3", 133, 242, 0.49951, 0.580), Merge("J1–J2", 0, 0, None, None)]
    )
    found = words(drawing)
    assert {"133  (55 %)", "242 before", "109 after", ".500", ".580", "+.080"} <= set(found)
    assert inside(drawing)


def test_both_names_of_a_pair_are_read_in_full() -> None:
    pair = "Simulated annotator 1 – Simulated annotator 2"
    drawn = words(merging(("Local", "Global"), [Merge(pair, 3, 9, 0.4, 0.5)]))
    assert {"Simulated annotator 1 –", "Simulated annotator 2"} <= set(drawn)
