import pytest

from lanner import protocols
from lanner.analysis.distances import distances
from lanner.model import Judgement
from lanner.stats.frame import frame


def apart(protocol: str, stage: str, question: str, *values: object, systems: tuple[str, ...] = ()) -> float:
    loaded = protocols.load(protocol)
    given = [Judgement(f"j{n}", stage, question, "d", "1", systems, value) for n, value in enumerate(values)]
    [distance] = distances(frame(given, loaded), loaded)["distance"]
    return float(distance)


def test_each_kind_of_answer_has_its_own_distance() -> None:
    assert apart("falcon", "source", "context", "local", "local", "global") == pytest.approx(2 / 3)
    assert apart("h_falcon", "rating", "holistic", 1, 10, systems=("oak",)) == 1
    assert apart("h_falcon", "rating", "holistic", 4, 7, systems=("oak",)) == pytest.approx(1 / 3)
    ranked = apart("parity", "adequacy_sentence", "adequacy_of_sentence", [1, 2], [2, 1], systems=("a", "b"))
    assert ranked == 1


def mark(start: int, end: int, severity: str = "minor", category: str = "grammar") -> dict[str, object]:
    return {"side": "target", "start": start, "end": end, "severity": severity, "category": category}


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ([], [], 0.0),
        ([mark(0, 4)], [mark(0, 4)], 0.0),
        ([mark(0, 4)], [], 1.0),
        ([mark(0, 4)], [mark(4, 8)], 1.0),
        ([mark(0, 4)], [mark(0, 12)], 0.5),  # F1 of characters is 2 · 4 / (4 + 12)
        ([mark(0, 4)], [mark(0, 4, "major")], 0.5),
        ([mark(0, 4)], [mark(0, 4, category="style")], 0.5),
    ],
)
def test_marks_are_apart_in_place_severity_and_category(one: object, other: object, distance: float) -> None:
    assert apart("mqm", "marking", "errors", one, other, systems=("oak",)) == pytest.approx(distance)


def test_one_judge_is_at_no_distance() -> None:
    loaded = protocols.load("falcon")
    assert distances(frame([Judgement("j", "source", "context", "d", "1", (), "local")], loaded), loaded).is_empty()
