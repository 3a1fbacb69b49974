from __future__ import annotations

import pytest

from lanner import protocols
from lanner.model import Judge, JudgeKind, Judgement
from lanner.stats.frame import frame
from lanner.web.making.disagreement import answers, listing
from lanner.web.picture.told import Wanted

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


def test_the_furthest_apart_come_first_and_models_do_not_count() -> None:
    found = listing(TABLE, H_FALCON, PEOPLE, Wanted(show="all"))
    assert [(spot.segment, spot.distance) for spot in found.spots] == [
        ("1", pytest.approx(1.0)),
        ("3", pytest.approx((3 / 9 + 2 / 3) / 2)),
    ]
    assert (found.found, found.settled, found.shared) == (2, 1, 3)


def test_the_parts_are_the_questions_own_distances() -> None:
    spot = listing(TABLE, H_FALCON, PEOPLE, Wanted(show="settled")).spots[0]
    assert spot.parts == {"skills": pytest.approx(2 / 3), "holistic": pytest.approx(1 / 3)}
    assert spot.settled


def test_filters() -> None:
    assert [s.segment for s in listing(TABLE, H_FALCON, PEOPLE, Wanted()).spots] == ["1"]
    assert [s.segment for s in listing(TABLE, H_FALCON, PEOPLE, Wanted("skills", show="all")).spots] == ["3"]
    assert listing(TABLE, H_FALCON, PEOPLE, Wanted(document="other")).spots == ()
    assert listing(TABLE, H_FALCON, PEOPLE, Wanted(domain="news")).spots == ()
    assert listing(TABLE, H_FALCON, PEOPLE, Wanted(judges=("a", "m"))).shared == 0
    both = listing(TABLE, H_FALCON, PEOPLE, Wanted("holistic", labels=("10", "1"), show="all"))
    assert [spot.given for spot in both.spots] == [(("a", "10"), ("b", "1"))]


def test_nothing_shared_is_nothing_found() -> None:
    assert listing(frame([], H_FALCON), H_FALCON, PEOPLE, Wanted()).found == 0


def test_one_unit_with_everything_said_about_it() -> None:
    said = answers(TABLE, H_FALCON, ("d", "3", "sys"), PEOPLE)
    assert said.given["holistic"] == {"a": 5, "b": 8}
    assert said.given["skills"]["a"] == grid("low")
    assert said.settled == {"holistic": 7}
    assert said.seconds == {"a": 9.0, "b": 9.0}
    assert said.distance == pytest.approx(0.5)
    with_model = answers(TABLE, H_FALCON, ("d", "4", "sys"), PEOPLE)
    assert with_model.given["holistic"] == {"a": 5, "m": 9}
    assert with_model.distance is None
