from __future__ import annotations

import polars as pl
import pytest

from lanner import protocols
from lanner.analysis.measures import Part, main_question, plan, plan_question, plan_table
from lanner.errors import InputError
from lanner.model import Choice, Labels, Option, Question, Scale, Text, Unit
from lanner.stats.frame import tidy

AB = (Option(id="a"), Option(id="b"))


def signs(question: Question) -> list[str]:
    entry = plan_question(question)
    return [measure.sign for measure in entry.measures] if entry else []


def test_the_kind_of_a_question_decides() -> None:
    assert signs(Choice(id="c", options=AB)) == ["α", "κ", "% same", "AC1"]
    assert signs(Choice(id="c", options=AB, ordered=True))[-1] == "α ordinal"
    assert signs(Scale(id="s", min=1, max=4))[0] == "α ordinal"
    assert signs(Scale(id="s", min=0, max=100))[0] == "α interval"
    assert signs(Labels(id="l", options=AB)) == ["α Jaccard", "α", "α", "mean Jaccard", "micro-F1"]
    assert not signs(Text(id="t"))


def test_labels_that_are_counted_are_compared_by_which_they_are_and_their_number_stands_apart() -> None:
    entry = plan_question(Labels(id="l", options=AB, counts=True))
    assert entry is not None
    assert entry.headline.sign == "α Jaccard"
    assert [measure.options.get("value") for measure in entry.measures if measure.part is Part.COUNT] == [("score",)]


def test_the_protocols_own_analysis_is_obeyed() -> None:
    entries = {entry.id: entry for entry in plan(protocols.load("h_falcon"))}
    assert entries["holistic"].headline.options["level"] == "interval"  # though the scale has ten points
    assert entries["sentence"].headline.options["level"] == "ordinal"
    scenarios = {entry.id: entry for entry in plan(protocols.load("scenarios"))}
    linear = scenarios["adequacy_rs"]
    assert linear.others[0].options["weights"] == "linear"
    assert [measure.name for measure in linear.others].count("kappa") == 1
    assert {measure.name for measure in linear.others} >= {"fleiss", "percent"}
    assert linear.headline.options["level"] == "ordinal"
    assert "penalty" in {entry.id for entry in plan(protocols.load("mqm"))}, (
        "a score that the protocol plans to compare"
    )


def test_a_grid_is_told_by_the_mean_of_its_rows_and_the_pooled_one_has_its_own_name() -> None:
    (entry,) = [entry for entry in plan(protocols.load("h_falcon")) if entry.id == "skills"]
    assert entry.headline.part is Part.MEAN_OF_ROWS
    assert [measure.part for measure in entry.parts] == [Part.ROW] * 9
    (pooled,) = [measure for measure in entry.others if measure.part is Part.POOLED_ROWS]
    assert pooled.sign != entry.headline.sign
    assert entry.pairs is entry.headline


@pytest.mark.parametrize("name", protocols.names())
def test_every_built_in_protocol_has_a_plan_without_questionnaires(name: str) -> None:
    protocol = protocols.load(name)
    of_judges = {question.id for stage, question in protocol.questions if stage.unit is Unit.JUDGE}
    entries = plan(protocol)
    assert not of_judges & {entry.id for entry in entries}
    for entry in entries:
        assert len({(m.name, m.question, m.row, m.part) for m in entry.measures}) == len(entry.measures)
    chosen = main_question(protocol)
    assert chosen is None or chosen.id in {entry.id for entry in entries}


def test_the_main_question_is_asked_of_texts() -> None:
    chosen = main_question(protocols.load("esa"))
    assert chosen is not None and chosen.id == "score"
    named = main_question(protocols.load("h_falcon"), "holistic")
    assert named is not None and named.id == "holistic"


def answers(**columns: list[object]) -> pl.DataFrame:
    n = len(next(iter(columns.values())))
    places = {"judge": ["a", "b"] * (n // 2), "document": [str(i // 2) for i in range(n)], "segment": ["1"] * n}
    return tidy(pl.DataFrame({**places, **columns}))[0]


def test_without_a_protocol_the_answers_decide() -> None:
    tables = {
        "α": answers(label=["x", "y"]),
        "α ordinal": answers(score=[1.0, 2.0]),
        "α interval": answers(score=[float(i) for i in range(42)]),
        "α Jaccard": answers(labels=[["x"], []]),
        "α any marked": answers(spans=['[{"start": 0, "end": 2}]', "[]"]),
    }
    for sign, table in tables.items():
        assert plan_table(table)[0].headline.sign == sign
    with pytest.raises(InputError, match="no answers"):
        plan_table(tables["α"], "nothing")
