from __future__ import annotations

import pytest

from data_sets import data_dir
from lanner import protocols
from lanner.analysis.material import from_file
from lanner.analysis.rows import counted
from lanner.model import Interval, Judge, JudgeKind, Judgement, Result
from lanner.monitor.agreement import expected, measures
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
