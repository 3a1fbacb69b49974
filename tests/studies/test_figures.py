from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from lanner.studies.figures import KINDS, draw
from lanner.studies.reproduce import read
from lanner.studies.study import Data, PublishedFigure, load, names
from reports.world import material

DATA = Data({"h": material("h_falcon"), "f": material("falcon"), "p": material("parity")})
NAMES = {"j0": "A", "j1": "B", "j2": "C"}


@pytest.mark.parametrize(
    ("kind", "options", "word"),
    [
        ("pairs", {"part": "f", "question": "context", "judges": list(NAMES), "people": 3, "names": NAMES}, "κ"),
        ("differing", {"part": "f", "question": "context", "pairs": [["j0", "j1"]], "names": NAMES}, "differ"),
        ("skill_shares", {"part": "f", "question": "skills", "judges": ["j0", "j1"], "names": NAMES}, "chosen"),
        (
            "coefficients",
            {"part": "h", "outcome": "holistic", "blocks": ["skills", "sentence"], "judges": {"j0": {"name": "A"}}},
            "R²",
        ),
        ("numbers", {"part": "h", "question": "skills_chosen", "judges": NAMES, "what": "skills"}, "Most frequent"),
        ("speed", {"part": "h", "of": "holistic", "judges": NAMES}, "a minute"),
    ],
)
def test_a_figure_says_what_it_shows(kind: str, options: Mapping[str, Any], word: str) -> None:
    figure, finding = draw(PublishedFigure("Figure 9 of the paper", kind, "How to read it.", options), DATA)
    assert figure.svg.startswith("<svg")
    assert word in finding
    assert figure.caption.endswith("Drawn after Figure 9 of the paper.")
    assert figure.data
    assert figure.signature


@pytest.mark.data
@pytest.mark.parametrize(("name", "folder"), [("laubli2018", "parity"), ("wmt23", "mtme/wmt23"), ("ted2021", "mqm")])
def test_figures_of_released_studies(released: Callable[[str, str], Data], name: str, folder: str) -> None:
    for drawing in load(name).drawings:
        figure, finding = draw(drawing, released(name, folder))
        assert finding
        assert len(figure.data) >= 4


@pytest.mark.parametrize("name", ["castilho2020", "castilho2021"])
def test_simulated_figures_show_the_truth_beside_the_estimate(name: str) -> None:
    study = load(name)
    small = {"documents": 4, "sentences": 3, "judges": 4}
    found = read(replace(study, reading={**study.reading, **small}), None)
    figure, finding = draw(study.drawings[0], found)
    assert "intervals hold the truth" in finding
    assert "true" in figure.svg
    assert all(row["truth"] is not None for row in figure.data)


def test_every_study_names_known_kinds() -> None:
    for name in names():
        assert {drawing.kind for drawing in load(name).drawings} <= set(KINDS)
