"""Averages of statements and shares of answers, over judges."""

from __future__ import annotations

import polars as pl
import pytest

from lanner import protocols
from lanner.errors import StatisticError
from lanner.model import Judge, Judgement
from lanner.stats.frame import frame
from lanner.stats.questionnaire import averages, shares

PROTOCOL = protocols.load("post_task_scenarios")
STATEMENTS = [row.id for row in PROTOCOL.stages[0].questions[0].rows]  # type: ignore[union-attr]


def said(judge: str, question: str, value: object) -> Judgement:
    return Judgement(judge, "about_rs", question, "", "", (), value)


def table(*values: int):
    """Judges answer every statement about random sentences alike, and one point higher about context."""
    answers = []
    for n, value in enumerate(values):
        answers.append(said(f"t{n}", "effort_rs", dict.fromkeys(STATEMENTS, str(value))))
        answers.append(said(f"t{n}", "effort_sc", {**dict.fromkeys(STATEMENTS, str(value + 1)), "fatigue": "6"}))
        answers.append(said(f"t{n}", "reread_adequacy", "both_texts" if n else "not_reread"))
    people = [Judge(f"t{n}", attributes={"experience": "long" if n else "short"}) for n in range(len(values))]
    return frame(answers, PROTOCOL, judges=people)


def test_the_average_of_each_statement_in_each_scenario() -> None:
    found = averages(table(2, 3, 5, 4), ["effort_sc", "effort_rs"])
    rows = {(row["question"], row["row"]): row for row in found.rows}
    assert len(rows) == 20
    assert rows["effort_rs", "confidence"]["mean"] == 3.5
    assert rows["effort_sc", "confidence"]["mean"] == 4.5
    assert rows["effort_sc", "fatigue"]["mean"] == 6 and rows["effort_sc", "fatigue"]["sd"] == 0
    one = rows["effort_rs", "difficulty"]
    assert one["low"] < 3.5 < one["high"] and one["n"] == 4 and one["median"] == 3.5
    assert one["sd"] == pytest.approx(1.29099, abs=1e-5)
    # the t interval by hand: 3.5 ± t(3, .975)·sd/√4
    assert one["high"] == pytest.approx(3.5 + 3.18245 * 1.29099 / 2, abs=1e-4)
    assert found.counts["judges"] == 4


def test_counts_and_shares_of_answers() -> None:
    found = shares(table(2, 3, 5, 4), "reread_adequacy")
    assert [(row["label"], row["count"], row["share"], row["n"]) for row in found.rows] == [
        ("both_texts", 3, 0.75, 4), ("not_reread", 1, 0.25, 4),
    ]  # fmt: skip
    assert found.value == 0.75
    split = shares(table(2, 3, 5, 4), "reread_adequacy", by=["judge_experience"])
    assert {(row["judge_experience"], row["label"], row["share"]) for row in split.rows} == {
        ("long", "both_texts", 1.0), ("short", "not_reread", 1.0),
    }  # fmt: skip


def test_of_equally_common_answers_the_order_of_rows_decides_nothing() -> None:
    asked = table(2, 3)  # one judge gave each
    found, again = shares(asked, "reread_adequacy"), shares(asked.reverse(), "reread_adequacy")
    assert [row["label"] for row in found.rows] == [row["label"] for row in again.rows] == ["both_texts", "not_reread"]


def test_label_sets_count_for_each_label() -> None:
    protocol = protocols.load("background")
    chosen = (["cat_tool"], ["cat_tool", "word_processor"], [])
    answers = [Judgement(f"t{n}", "background", "tools", "", "", (), tools) for n, tools in enumerate(chosen)]
    found = shares(frame(answers, protocol), "tools")
    counts = [(row["label"], row["count"], row["n"]) for row in found.rows]
    assert counts == [("cat_tool", 2, 3), ("word_processor", 1, 3)]


def test_one_judge_nothing_answered_and_an_unknown_question() -> None:
    found = averages(table(3), "effort_rs")
    assert found.value == 3 and found.interval is None
    with pytest.raises(StatisticError) as caught:
        averages(table(3), "effort")
    assert "effort_" in caught.value.next_step
    assert averages(table(3), "reread_adequacy").value is None


def test_an_answer_given_again_counts_once() -> None:
    once = table(2, 3, 5, 4)
    twice = pl.concat([once, once.filter(judge="t1")])
    for statistic, question in ((averages, "effort_rs"), (shares, "reread_adequacy")):
        expected, found = statistic(once, question), statistic(twice, question)
        assert (found.value, found.interval, found.rows) == (expected.value, expected.interval, expected.rows)
        assert any("given again" in note for note in found.notes)
