from __future__ import annotations

import pytest

from data_sets import data_dir
from lanner import protocols
from lanner.analysis.material import from_file
from lanner.analysis.rows import counted
from lanner.model import Interval, Judge, JudgeKind, Judgement, Result
from lanner.monitor.agreement import expected, list_disagreements, measures, unit_answers
from lanner.monitor.snapshot import DisagreementFilter
from lanner.stats.frame import frame


def test_the_expected_interval_shrinks_with_the_root_of_documents() -> None:
    result = Result("alpha", 0.5, Interval(0.3, 0.6))
    assert expected(result, 9, 36) == (pytest.approx(0.4), pytest.approx(0.55))
    assert expected(result, 36, 36) == (0.3, 0.6)
    assert expected(Result("alpha", None), 3, 9) == (None, None)


def judgement(judge: str, question: str, segment: int, value: object) -> Judgement:
    stage = {"context": "context", "spans": "context", "skills": "skills", "comment": "skills"}[question]
    return Judgement(judge, stage, question, f"d{segment // 4}", str(segment), (), value)


def test_every_question_of_falcon_has_a_row_and_every_skill_below_it() -> None:
    protocol = protocols.load("falcon")
    three = ["idea_development", "style_register", "participant_focus"]
    given = []
    for judge in ("a", "b"):
        for at in range(12):
            given.append(judgement(judge, "context", at, "local" if at % 3 else "global"))
            given.append(judgement(judge, "skills", at, three))
            given.append(judgement(judge, "spans", at, [{"side": "source", "start": 0, "end": 1}] if at % 2 else []))
            given.append(judgement(judge, "comment", at, "hm"))
    found = measures(counted(frame(given, protocol), of="people"), protocol, 10)
    main = {row.question: row for row in found if row.main}
    assert main["context"].value == 1.0
    assert main["spans"].value == 1.0
    assert main["skills"].value is None or main["skills"].value == 1.0
    assert "comment" not in main
    assert main["ratings"].value is None
    assert main["ratings"].notes
    assert len([row for row in found if not row.main]) == 9


def test_people_alone_count() -> None:
    protocol = protocols.load("falcon")
    given = [
        judgement(judge, "context", at, "local" if judge != "m" or at % 2 else "global")
        for judge in "abm"
        for at in range(9)
    ]
    given += [judgement(judge, "context", 9, "global") for judge in "abm"]
    found = measures(counted(frame(given, protocol, judges=[Judge("m", JudgeKind.MODEL)]), of="people"), protocol, 3)
    assert found[0].value == 1.0
    assert found[0].judges == 2


@pytest.mark.data
def test_the_released_judges_of_both_protocols() -> None:
    for material in from_file(data_dir("h-falcon"), "h-falcon"):
        assert material.protocol
        found = measures(material.counted(of="people"), material.protocol, 2 * len(material.documents))
        by_name = {(row.question, row.row): row for row in found}
        if material.protocol.name == "falcon_labels":
            assert by_name["context", ""].value == pytest.approx(0.4175, abs=1e-4)
            assert by_name["skills", "style_register"].group == "tenor"
        else:
            assert by_name["holistic", ""].value == pytest.approx(0.607, abs=1e-3)
            few = {
                (row.question, row.row): row for row in measures(material.counted(of="people"), material.protocol, 18)
            }
            assert few["holistic", ""].needed and few["holistic", ""].needed > 18
            assert by_name["holistic", ""].needed is None, "twice as many documents will do"
        for row in found:
            if row.value is not None and row.low is not None and row.high is not None:
                assert row.expected_low is not None and row.expected_high is not None
                assert row.low <= row.expected_low <= row.value <= row.expected_high <= row.high


H_FALCON = protocols.load("h_falcon")
PEOPLE = ["a", "b"]
JUDGES = [Judge("a"), Judge("b"), Judge("m", JudgeKind.MODEL), Judge("agreed", JudgeKind.ADJUDICATED)]


def rating(judge: str, question: str, segment: str, value: object, document: str = "d") -> Judgement:
    return Judgement(judge, "rating", question, document, segment, ("sys",), value, active_seconds=9.0)


def grid(level: str) -> dict[str, str]:
    return {row.id: level for row in H_FALCON.find("skills")[1].rows}  # type: ignore[index, union-attr]


GIVEN = [
    rating("a", "holistic", "1", 10), rating("b", "holistic", "1", 1),
    rating("a", "holistic", "2", 5), rating("b", "holistic", "2", 5),
    rating("a", "holistic", "3", 5), rating("b", "holistic", "3", 8),
    rating("a", "skills", "3", grid("low")), rating("b", "skills", "3", grid("high")),
    rating("a", "holistic", "4", 5), rating("m", "holistic", "4", 9),
    rating("agreed", "holistic", "3", 7),
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
