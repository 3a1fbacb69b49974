from lanner.model import Result
from lanner.reports.lab.answer import Gap, Value, gap_of, gathered, of_result
from reports.lab.worlds import lab, scores


def test_lines_of_the_same_label_are_one() -> None:
    made = lab(scores(title="a", gap=1), scores(title="b", gap=1))
    [one, two] = gathered(made, [("x", "a", Value(1.0)), ("y", "b", Value(2.0)), ("x", "b", Value(3.0))])
    assert [value.value for value in one.values] == [1.0, 3.0]
    assert [value.text for value in two.values] == ["—", ""]


def test_what_is_undefined_has_no_gap() -> None:
    assert gap_of(Result("x", None)) is None
    assert of_result(Result("x", 0.5, counts={"items": 4})) == Value(0.5, n=4)


def test_a_gap_without_an_interval_says_why() -> None:
    assert Gap(0.38, 0.1, 0.6, 0.01).in_words("difference") == "difference .38 [.10, .60], p = .010"
    assert Gap(0.38).in_words("difference").startswith("difference .38; no interval: ")
    gap = gap_of(Result("x", 0.38, notes=("Counted.", "No interval: there is only one document.")))
    assert gap is not None
    assert gap.in_words("difference") == "difference .38; no interval: there is only one document"
