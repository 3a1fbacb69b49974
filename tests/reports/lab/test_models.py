from dataclasses import replace

from lanner.reports.lab.models import models
from reports.lab.worlds import answered, lab, noise, parity


def test_a_model_that_answers_at_random_agrees_less_than_people_do() -> None:
    labels = ["sentence_level", "local", "extended"]

    def value(q: str, judge: str, system: str, d: int, s: int, _: str) -> str:
        return labels[noise(judge, d, s, "m") % 3 if judge == "dice" else noise(d, s) % 3]

    made = [answered("falcon", ["context"], value, systems=((),), models=["dice"], title=name) for name in ("a", "b")]
    found = models(lab(*made))
    assert found.lines[0].values[0].value is not None
    assert found.lines[0].values[0].value < -0.5
    assert "closest is dice" in found.said


def test_people_on_one_side_and_models_on_the_other() -> None:
    labels = ["sentence_level", "local", "extended"]

    def value(q: str, judge: str, system: str, d: int, s: int, _: str) -> str:
        return labels[noise(judge, d, s, "m") % 3 if judge == "dice" else noise(d, s) % 3]

    made = answered("falcon", ["context"], value, systems=((),), models=["dice"], title="all")
    people, machines = made.only(["j0", "j1"]), made.only(["dice"])
    found = models(lab(replace(people, name="people"), replace(machines, name="models")))
    assert "closest is dice" in found.said
    assert found.lines[0].values[0].value is None  # it is said of the models' side
    assert found.lines[0].values[1].value is not None


def test_people_alone() -> None:
    assert models(lab(parity())).missing == "no side has both two people and a model."
