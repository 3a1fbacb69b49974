"""Units that go on: more than a share of their judges, per language where asked."""

from __future__ import annotations

from lanner import protocols
from lanner.model import Judge, Judgement, Promotion, Role
from lanner.protocols.promotion import promoted, standings

SURVEY = protocols.load("context_survey")


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
