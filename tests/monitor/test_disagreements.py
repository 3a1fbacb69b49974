from __future__ import annotations

import pytest

from lanner import protocols
from lanner.analysis.rows import counted
from lanner.model import Judge, JudgeKind, Judgement
from lanner.monitor.disagreements import list_disagreements, unit_answers
from lanner.monitor.snapshot import DisagreementFilter
from lanner.stats.frame import frame

H_FALCON = protocols.load("h_falcon")
PEOPLE = ["a", "b"]
JUDGES = [Judge("a"), Judge("b"), Judge("m", JudgeKind.MODEL), Judge("agreed", JudgeKind.ADJUDICATED)]


def judgement(judge: str, question: str, segment: str, value: object, document: str = "d") -> Judgement:
    return Judgement(judge, "rating", question, document, segment, ("sys",), value, active_seconds=9.0)


def grid(level: str) -> dict[str, str]:
    return {row.id: level for row in H_FALCON.find("skills")[1].rows}  # type: ignore[index, union-attr]


GIVEN = [
    judgement("a", "holistic", "1", 10), judgement("b", "holistic", "1", 1),
    judgement("a", "holistic", "2", 5), judgement("b", "holistic", "2", 5),
    judgement("a", "holistic", "3", 5), judgement("b", "holistic", "3", 8),
    judgement("a", "skills", "3", grid("low")), judgement("b", "skills", "3", grid("high")),
    judgement("a", "holistic", "4", 5), judgement("m", "holistic", "4", 9),
    judgement("agreed", "holistic", "3", 7),
]  # fmt: skip
TABLE = frame(GIVEN, H_FALCON, (), JUDGES)
ROWS = counted(TABLE, of="people").table
SETTLED = {("d", "3", "sys")}


def test_the_furthest_apart_come_first_and_models_do_not_count() -> None:
    found = list_disagreements(ROWS, SETTLED, H_FALCON, DisagreementFilter(show="all"))
    assert [(entry.segment, entry.distance) for entry in found.entries] == [
        ("1", pytest.approx(1.0)),
        ("3", pytest.approx((3 / 9 + 2 / 3) / 2)),
    ]
    assert (found.found, found.settled, found.shared) == (2, 1, 3)


def test_the_parts_are_the_questions_own_distances() -> None:
    entry = list_disagreements(ROWS, SETTLED, H_FALCON, DisagreementFilter(show="settled")).entries[0]
    assert entry.parts == {"skills": pytest.approx(2 / 3), "holistic": pytest.approx(1 / 3)}
    assert entry.settled


def test_filters() -> None:
    assert [s.segment for s in list_disagreements(ROWS, SETTLED, H_FALCON, DisagreementFilter()).entries] == ["1"]
    assert [
        s.segment for s in list_disagreements(ROWS, SETTLED, H_FALCON, DisagreementFilter("skills", show="all")).entries
    ] == ["3"]
    assert list_disagreements(ROWS, SETTLED, H_FALCON, DisagreementFilter(document="other")).entries == ()
    assert list_disagreements(ROWS, SETTLED, H_FALCON, DisagreementFilter(domain="news")).entries == ()
    assert list_disagreements(ROWS, SETTLED, H_FALCON, DisagreementFilter(judges=("a", "m"))).shared == 0
    both = list_disagreements(ROWS, SETTLED, H_FALCON, DisagreementFilter("holistic", labels=("10", "1"), show="all"))
    assert [entry.given for entry in both.entries] == [(("a", "10"), ("b", "1"))]


def test_nothing_shared_is_nothing_found() -> None:
    assert list_disagreements(frame([], H_FALCON), set(), H_FALCON, DisagreementFilter()).found == 0


def test_one_unit_with_everything_said_about_it() -> None:
    said = unit_answers(TABLE, H_FALCON, ("d", "3", "sys"), PEOPLE)
    assert said.given["holistic"] == {"a": 5, "b": 8}
    assert said.given["skills"]["a"] == grid("low")
    assert said.settled == {"holistic": 7}
    assert said.seconds == {"a": 9.0, "b": 9.0}
    assert said.distance == pytest.approx(0.5)
    with_model = unit_answers(TABLE, H_FALCON, ("d", "4", "sys"), PEOPLE)
    assert with_model.given["holistic"] == {"a": 5, "m": 9}
    assert with_model.distance is None
