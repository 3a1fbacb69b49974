from __future__ import annotations

from random import Random

import pytest

from lanner import protocols
from lanner.errors import StatisticError
from lanner.model import Grid, Json, Judgement, Labels, Protocol, Question
from lanner.monitor.answers import AnswerTable, comparable, in_order, is_fine, kinds, of_row, yes_no
from lanner.monitor.snapshot import EQUAL, NOTHING
from lanner.stats.alpha import alpha
from lanner.stats.frame import frame
from lanner.stats.resample import Resampling


def asked(protocol: str, name: str) -> Question:
    found = protocols.load(protocol).find(name)
    assert found
    return found[1]


@pytest.mark.parametrize(
    ("protocol", "question", "fine"),
    [("da", "score", True), ("sqm", "score", False), ("h_falcon", "holistic", False), ("h_falcon", "skills", False),
     ("context_survey", "sentences_before", True), ("mqm", "errors", False)],
)  # fmt: skip
def test_scales_of_many_points_and_counts_are_fine(protocol: str, question: str, fine: bool) -> None:
    found = asked(protocol, question)
    assert is_fine(found) is fine
    if fine:
        assert in_order(found) is None


def test_coarse_scales_and_choices_have_all_their_answers_in_order() -> None:
    assert in_order(asked("sqm", "score")) == [0, 1, 2, 3, 4, 5, 6]
    assert in_order(asked("falcon", "context"))[:2] == ["sentence_level", "local"]


def spans(protocol: str, value: Json) -> list[str]:
    given = [Judgement("a", "errors", "errors", "d", "1", ("x",), value)]
    table = frame(given, protocols.load(protocol))
    return comparable(table, asked(protocol, "errors"))["labels"].to_list()[0]


def test_marked_passages_are_sets_of_their_widest_kinds() -> None:
    place = {"side": "target", "start": 0, "end": 1}
    two = [
        {**place, "category": "grammar", "severity": "minor"},
        {**place, "category": "omission", "severity": "major"},
    ]
    assert spans("mqm", two) == ["accuracy", "fluency"]
    assert spans("esa", [{**place, "severity": "minor"}, {**place, "severity": "minor"}]) == ["minor"]
    assert spans("esa", []) == [NOTHING]
    assert kinds(asked("esa", "errors")) == ("minor", "major", NOTHING)
    assert kinds(asked("falcon", "spans")) == ("needs_context", NOTHING)
    assert "grammar" not in kinds(asked("mqm", "errors"))


def test_ranks_are_who_was_preferred_whatever_the_order_shown() -> None:
    given = [
        Judgement("a", "ranking_rs", "ranking_rs", "d", "1", ("oak", "elm"), [1, 2]),
        Judgement("b", "ranking_rs", "ranking_rs", "d", "1", ("elm", "oak"), [2, 1]),
        Judgement("a", "ranking_rs", "ranking_rs", "d", "2", ("oak", "elm"), [1, 1]),
    ]
    found = comparable(frame(given, protocols.load("ranking_rs")), asked("ranking_rs", "ranking_rs"))
    assert found["label"].to_list() == ["oak", "oak", EQUAL]
    assert found["system"].unique().to_list() == ["elm|oak"]
    assert comparable(found.clear(), asked("ranking_rs", "ranking_rs")).is_empty()


QUICK = Resampling(n=50, seed=1)


def question_of(protocol: Protocol, name: str) -> Question:
    found = protocol.find(name)
    assert found
    return found[1]


def test_a_row_of_a_grid_gives_what_the_row_alone_gives() -> None:
    protocol = protocols.load("h_falcon")
    grid = question_of(protocol, "skills")
    assert isinstance(grid, Grid)
    dice = Random(3)
    levels = [option.id for option in grid.options]
    given = [
        Judgement(
            j, "sentence", "skills", f"d{at // 5}", str(at), ("x",), {row.id: dice.choice(levels) for row in grid.rows}
        )
        for j in ("a", "b", "c")
        for at in range(30)
        if not (j == "c" and at % 4 == 0)
    ]
    table = frame(given, protocol)
    whole = AnswerTable(table).of(grid)
    for row in grid.rows:
        alone = alpha(table, "skills", row=row.id, labels=levels, level="ordinal", resampling=QUICK)
        taken = alpha(of_row(whole, row.id), level="ordinal", resampling=QUICK)
        assert (taken.value, taken.low, taken.high) == pytest.approx((alone.value, alone.low, alone.high))
        assert taken.counts == alone.counts


def test_whether_a_label_was_chosen_is_read_from_the_sets() -> None:
    protocol = protocols.load("falcon")
    skills = question_of(protocol, "skills")
    assert isinstance(skills, Labels)
    given = [
        Judgement(j, "skills", "skills", "d", str(at), (), [skills.options[0].id, skills.options[1 + (at + n) % 3].id])
        for n, j in enumerate(("a", "b"))
        for at in range(9)
    ]
    rated = AnswerTable(frame(given, protocol)).of(skills)
    part = yes_no(rated, skills.options[0].id)
    assert set(part.code.tolist()) == {1}
    assert yes_no(rated, skills.options[5].id).code.sum() == 0


def test_a_question_without_answers_says_so_each_time() -> None:
    protocol = protocols.load("falcon")
    given = AnswerTable(frame([Judgement("a", "context", "context", "d", "1", (), "local")], protocol))
    for _ in range(2):
        with pytest.raises(StatisticError):
            given.of(question_of(protocol, "skills"))
    assert given.only(question_of(protocol, "context"), ["a", "nobody"]).judges == ("a",)
    assert not given.is_empty
