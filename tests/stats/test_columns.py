from datetime import UTC, datetime, timedelta, timezone

import polars as pl

from lanner.model import Document, Judge, Judgement
from lanner.stats.columns import SCHEMA, answers, current, described, laid_out, lists


def said(value: object, **more: object) -> Judgement:
    fields = {"judge": "ann", "stage": "s", "question": "q", "document": "d", "segment": "1", "systems": ("x",)}
    return Judgement(**{**fields, **more}, value=value)  # type: ignore[arg-type]


def test_answers_that_a_later_one_supersedes_are_left_out() -> None:
    first, second, other = said(1, id=7), said(2, id=8, supersedes=7), said(3)
    assert current([first, second, other]) == [second, other]


def test_points_in_time_keep_their_microseconds_and_are_utc() -> None:
    east = timezone(timedelta(hours=9))
    moments = [datetime(2026, 5, 1, 12, 0, 0, 123457, tzinfo=UTC), datetime(2026, 5, 1, 21, 0, 0, 1, tzinfo=east), None]
    table = described([said(1, answered_at=moment) for moment in moments])
    assert table["answered_at"].to_list() == moments
    assert table.schema["answered_at"] == SCHEMA["answered_at"]


def test_what_is_known_of_documents_and_judges_stands_beside_each_judgement() -> None:
    texts = [Document("d", (), "en", "ko", domain="news")]
    table = described([said(1), said(1, document="other")], texts, [Judge("ann", attributes={"years": 3})])
    assert table["domain"].to_list() == ["news", ""]
    assert table["target_language"].to_list() == ["ko", "und"]
    assert table["judge_years"].to_list() == ["3", "3"]


def test_lists_are_read_once_each() -> None:
    read: list[list[str]] = []

    def sort(labels: list[str]) -> list[str]:
        read.append(labels)
        return sorted(labels)

    column = lists("labels", [["b", "a"], None, ["b", "a"], []], pl.List(pl.String), sort)
    assert column.to_list() == [["a", "b"], None, ["a", "b"], []]
    assert read == [["b", "a"], []]


def test_numbers_in_words_are_numbers_and_objects_become_rows() -> None:
    given = [said(3), said("4.5"), said(None), said({"r1": "low", "r2": "high"}, question="grid")]
    made = answers(given, None)
    assert made["_at"].to_list() == [0, 1, 2, 3, 3]
    assert made["score"].to_list() == [3.0, 4.5, None, None, None]
    assert made["row"].to_list() == ["", "", "", "r1", "r2"]
    assert made["label"].to_list() == [None, None, None, "low", "high"]


def test_derived_values_can_bring_their_own_question() -> None:
    facts = described([said(1), said(2)])
    values = answers([said(9)], None).with_columns(
        pl.lit(1, dtype=pl.UInt32).alias("_at"), pl.lit("sum").alias("question")
    )
    table = laid_out(facts, values)
    assert table.columns == list(SCHEMA)
    assert table.select("judge", "question", "score").rows() == [("ann", "sum", 9.0)]
