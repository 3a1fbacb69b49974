"""Tasks for promoted units."""

from __future__ import annotations

import numpy as np
import pytest

from design_setups import corpus
from lanner import protocols
from lanner.designs.promoting import promote
from lanner.errors import DesignError
from lanner.model import Judge

SURVEY = protocols.load("context_survey")
TEXTS = corpus([30, 4])


def test_everyone_gets_the_promoted_sentences_in_order() -> None:
    units = {"": [("d1", "3"), *(("d0", str(n)) for n in range(0, 30, 2))]}
    judges = [Judge("a"), Judge("b"), Judge("c", attributes={"analyst": True, "judge": False})]
    tasks = promote("phase_two", units, TEXTS, judges, SURVEY, rng=np.random.default_rng(0), sentences_per_task=10)
    assert [task.judge for task in tasks] == ["a", "a", "b", "b"]
    flat = [(i.document, i.segment) for task in tasks[:2] for i in task.items]
    assert flat == [*(("d0", str(n)) for n in range(0, 30, 2)), ("d1", "3")]


def test_an_analyst_gets_the_units_of_their_language() -> None:
    units = {"pt": [("d0", "1")], "sr": [("d0", "2"), ("d1", "0")]}
    judges = [
        Judge("a"),
        *(Judge(code, attributes={"analyst": True, "target_language": code}) for code in ("pt", "sr")),
    ]
    tasks = promote("span", units, TEXTS, judges, SURVEY, rng=np.random.default_rng(0))
    assert {task.judge: len(task.items) for task in tasks} == {"pt": 1, "sr": 2}


def test_an_unknown_page() -> None:
    with pytest.raises(DesignError, match="no page"):
        promote("phase_three", {}, TEXTS, [], SURVEY, rng=np.random.default_rng(0))
