import pytest

from lanner import protocols
from lanner.judges.simulated import Simulation, Temper
from lanner.model import Document, Item, Json, Protocol, Segment
from lanner.protocols.conditions import missing

TEXT = "The harbour master said she would wait for the tide before the ferry left."
DOCUMENT = Document(
    "d",
    tuple(
        Segment(str(n), f"{TEXT} {n}", outputs={"good": f"Gut {TEXT}", "bad": f"Schlecht {TEXT}"}) for n in range(60)
    ),
)


def answers(
    protocol: Protocol, judge: str, temper: Temper, system: str, page: str, seed: int = 1
) -> list[dict[str, Json]]:
    world = Simulation(protocol, {"good": 0.9, "bad": 0.2}, seed)
    systems = (system,) if system else ()
    return [world.answers(judge, temper, page, Item("d", str(n), systems), DOCUMENT, earlier={}) for n in range(60)]


def test_answers_are_complete_and_repeatable() -> None:
    protocol = protocols.load("h_falcon")
    once = answers(protocol, "j", Temper(), "good", "rating")
    assert once == answers(protocol, "j", Temper(), "good", "rating")
    assert once != answers(protocol, "j", Temper(), "good", "rating", seed=2)
    assert not any(missing(protocol, "rating", given) for given in once)


def test_better_systems_and_milder_judges_score_higher() -> None:
    protocol = protocols.load("h_falcon")

    def mean(temper: Temper, system: str) -> float:
        return sum(given["holistic"] for given in answers(protocol, "j", temper, system, "rating")) / 60

    assert mean(Temper(), "good") > mean(Temper(), "bad") + 3
    assert mean(Temper(severity=0.3), "good") < mean(Temper(), "good") - 1


@pytest.mark.parametrize(("reliability", "low", "high"), [(0.95, 0.85, 1.0), (0.0, 0.0, 0.45)])
def test_reliability_decides_how_often_two_judges_agree(reliability: float, low: float, high: float) -> None:
    protocol = protocols.load("falcon")
    temper = Temper(reliability=reliability)
    one, two = (answers(protocol, judge, temper, "", "label") for judge in ("j1", "j2"))
    same = sum(a["context"] == b["context"] for a, b in zip(one, two, strict=True)) / 60
    assert low <= same <= high


def test_a_judge_who_swaps_two_labels() -> None:
    protocol = protocols.load("falcon")
    steady, swapped = Temper(reliability=1.0), Temper(reliability=1.0, swaps=("local", "extended"))
    one, two = (answers(protocol, "j", temper, "", "label") for temper in (steady, swapped))
    pairs = {(a["context"], b["context"]) for a, b in zip(one, two, strict=True)}
    assert ("local", "extended") in pairs
    assert ("extended", "local") in pairs
    assert ("local", "local") not in pairs


def test_times_are_positive_and_follow_the_judges_speed() -> None:
    world = Simulation(protocols.load("h_falcon"), {}, 1)
    slow, fast = (sum(world.seconds("j", Temper(speed=s), Item("d", str(n))) for n in range(60)) for s in (0.5, 2.0))
    assert slow > 3 * fast > 0
