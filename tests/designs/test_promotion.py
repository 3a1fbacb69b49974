"""Units that go on: more than a share of their judges, per language where asked; and the tasks for them."""

from __future__ import annotations

import numpy as np
import pytest

from design_setups import corpus
from lanner import protocols
from lanner.designs.promotion import promote, promoted, standings
from lanner.errors import DesignError
from lanner.model import Judge, Judgement, Promotion, Role

SURVEY = protocols.load("context_survey")
TEXTS = corpus([30, 4])


def said(judge: str, segment: str, value: str | None, role: Role = Role.MAIN) -> Judgement:
    return Judgement(judge, "phase_one", "translatable", "d", segment, (), value, role)


def rule(stage: str) -> Promotion:
    found = next(s.promotion for s in SURVEY.stages if s.id == stage)
    assert found is not None
    return found


def test_more_than_two_fifths_and_not_exactly_two_fifths() -> None:
    votes = {"1": "nnyyy", "2": "nnnyy", "3": "yyyyy", "4": "n"}
    answers = [
        said(f"j{at}", segment, "no" if vote == "n" else "yes")
        for segment, given in votes.items()
        for at, vote in enumerate(given)
    ]
    found = standings(rule("phase_two"), answers)
    assert [(s.segment, s.votes, s.judges, s.promoted) for s in found] == [
        ("1", 2, 5, False), ("2", 3, 5, True), ("3", 0, 5, False), ("4", 1, 1, True),
    ]  # fmt: skip
    assert promoted(found) == {"": [("d", "2"), ("d", "4")]}
    assert found[0].share == 0.4


def test_the_latest_answer_counts_and_controls_and_gaps_do_not() -> None:
    answers = [
        said("j0", "1", "no"),
        said("j0", "1", "yes"),
        said("j1", "1", None),
        said("j2", "1", "no", Role.CONTROL),
    ]
    (only,) = standings(rule("phase_two"), answers)
    assert (only.votes, only.judges) == (0, 1)


def test_each_language_has_units_of_its_own() -> None:
    judges = [Judge(f"j{n}", attributes={"target_language": "pt" if n < 3 else "sr"}) for n in range(4)]
    answers = [said(f"j{n}", "1", "no" if n in (0, 3) else "yes") for n in range(4)]
    answers += [said(f"j{n}", "2", "no" if n < 2 else "yes") for n in range(4)]
    assert promoted(standings(rule("span"), answers, judges)) == {"sr": [("d", "1")], "pt": [("d", "2")]}


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
