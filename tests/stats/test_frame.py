""""""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanner.errors import StatisticError
from lanner.model import Document, Interval, Judge, JudgeKind, Judgement, Protocol, Result, Role
from lanner.stats.frame import (
    _SHORT,
    SCHEMA,
    answers,
    by_name,
    check_columns,
    codes,
    current,
    described,
    distinct,
    frame,
    groups,
    in_order,
    joined,
    laid_out,
    lists,
    of_rows,
    positions,
    shared_ranks,
    texts,
    tidy,
    to_polars,
    units,
    wide,
)
from lanner.stats.resample import combine_results, labelled, undefined


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


PROTOCOL = Protocol.model_validate(
    {
        "name": "demo",
        "version": "1",
        "stage": [
            {
                "id": "main",
                "unit": "sentence_in_context",
                "object": "output",
                "question": [
                    {"id": "score", "kind": "scale", "min": 0, "max": 100},
                    {"id": "pick", "kind": "choice", "options": [{"id": "yes", "value": 1}, {"id": "no", "value": 0}]},
                    {"id": "kinds", "kind": "labels", "options": [{"id": "a"}, {"id": "b"}]},
                    {"id": "errors", "kind": "labels", "counts": True, "options": [{"id": "x"}, {"id": "y"}]},
                    {
                        "id": "grid",
                        "kind": "grid",
                        "rows": [{"id": "r1"}, {"id": "r2"}],
                        "options": [{"id": "low", "value": 1}, {"id": "high", "value": 3}],
                    },
                    {"id": "each", "kind": "scale", "min": 1, "max": 4, "for_each": "kinds"},
                    {"id": "marks", "kind": "spans"},
                    {"id": "order", "kind": "rank"},
                    {"id": "note", "kind": "text"},
                ],
            }
        ],
    }
)


def answer(question, value, **more):
    fields = {"judge": "ann", "stage": "main", "document": "d1", "segment": "1", "systems": ("sys",), **more}
    return Judgement(question=question, value=value, **fields)


def row(table, question, **more):
    kept = table.filter(pl.col("question") == question)
    for name, value in more.items():
        kept = kept.filter(pl.col(name) == value)
    assert len(kept) == 1
    return kept.row(0, named=True)


EVERYTHING = [
    answer("score", 70),
    answer("pick", "yes"),
    answer("kinds", ["b", "a", "b"]),
    answer("errors", {"x": 2, "y": 0}),
    answer("grid", {"r1": "high", "r2": "low"}),
    answer("each", {"a": 4, "b": 2}),
    answer("marks", [{"side": "target", "start": 0, "end": 3}]),
    answer("order", [2, 1], systems=("s1", "s2")),
    answer("note", "fine"),
]


def test_every_kind_of_answer_finds_its_column():
    table = frame(EVERYTHING, PROTOCOL)
    assert table.columns == list(SCHEMA)
    assert row(table, "score")["score"] == 70
    assert (row(table, "pick")["label"], row(table, "pick")["score"]) == ("yes", 1)
    assert row(table, "kinds")["labels"] == ["a", "b"]
    assert (row(table, "errors")["labels"], row(table, "errors")["score"]) == (["x"], 2)
    assert (row(table, "grid", row="r1")["label"], row(table, "grid", row="r1")["score"]) == ("high", 3)
    assert row(table, "each", row="b")["score"] == 2
    assert json.loads(row(table, "marks")["spans"]) == [{"side": "target", "start": 0, "end": 3}]
    assert (row(table, "order")["ranks"], row(table, "order")["system"]) == ([2, 1], "s1|s2")
    assert row(table, "note")["text"] == "fine"


def test_without_a_protocol_the_answers_tell():
    table = frame([e for e in EVERYTHING if e.question not in ("errors", "note")])
    known = frame([e for e in EVERYTHING if e.question not in ("errors", "note")], PROTOCOL)
    assert table.drop("score").equals(known.drop("score"))
    assert row(table, "pick")["score"] is None


def test_missing_is_null_and_empty_is_empty():
    table = frame(
        [answer("kinds", []), answer("kinds", None, segment="2"), answer("marks", []), answer("grid", None)], PROTOCOL
    )
    assert row(table, "kinds", segment="1")["labels"] == []
    assert row(table, "kinds", segment="2")["labels"] is None
    assert row(table, "marks")["spans"] == "[]"
    assert row(table, "grid")["row"] == ""
    guessed = frame([answer("kinds", []), answer("marks", []), answer("marks", [{"start": 0, "end": 1}], segment="2")])
    assert row(guessed, "kinds")["labels"] == []
    assert row(guessed, "marks", segment="1")["spans"] == "[]"


def test_documents_and_judges_add_what_they_know():
    documents = [Document("d1", (), "en", "ko", "news")]
    judges = [Judge("ann", JudgeKind.MODEL, attributes={"level": 3, "group": "x"})]
    known, unknown = frame(
        [answer("score", 1), answer("score", 2, judge="bob", document="d2")], PROTOCOL, documents, judges
    ).rows(named=True)
    assert (known["domain"], known["source_language"], known["target_language"]) == ("news", "en", "ko")
    assert (known["judge_kind"], known["judge_level"], known["judge_group"]) == ("model", "3", "x")
    assert (unknown["domain"], unknown["source_language"]) == ("", "und")
    assert (unknown["judge_kind"], unknown["judge_level"]) == ("person", None)


def test_superseded_answers_are_left_out_and_the_rest_kept_in_order():
    table = frame(
        [answer("score", 1, id=1), answer("score", 5, segment="2", id=2), answer("score", 9, id=3, supersedes=1)]
    )
    assert table["score"].to_list() == [5, 9]


def test_times_are_utc_and_flags_are_kept():
    berlin = datetime(2026, 1, 1, 12, tzinfo=timezone(timedelta(hours=1)))
    table = frame([answer("score", 1, answered_at=berlin, flags=("late",), active_seconds=2.5, role=Role.REPEAT)])
    (one,) = table.rows(named=True)
    assert one["answered_at"] == datetime(2026, 1, 1, 11, tzinfo=UTC)
    assert (one["flags"], one["active"], one["role"]) == (["late"], 2.5, "repeat")
    assert frame([answer("score", 1, answered_at=datetime(2026, 1, 1))])["answered_at"][0].tzinfo is not None


def test_no_judgements_make_an_empty_table_with_every_column():
    assert frame([]).columns == list(SCHEMA)
    assert len(frame([])) == 0


def test_a_plain_table_is_completed_and_notes_say_how():
    table, notes = tidy({"judge": ["a", "b"], "item": [1, 1], "label": ["x", "y"]})
    assert set(SCHEMA) <= set(table.columns)
    assert table["document"].to_list() == ["1", "1"]
    assert "every item counts as a document of its own" in notes[0]
    _, silent = tidy({"judge": ["a"], "document": ["d"], "segment": ["1"], "score": [3]})
    assert silent == ()


def test_pandas_comes_in_as_it_is():
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame({"judge": ["a", "b"], "item": ["1", "1"], "score": [1.5, float("nan")]})
    assert to_polars(data)["score"].to_list() == [1.5, None]
    assert tidy(data)[0]["score"].to_list() == [1.5, None]


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ({"rater": ["a"], "item": ["1"], "label": ["x"]}, "no column `judge`"),
        ({"judge": ["a"], "label": ["x"]}, "what was judged"),
        ({"judge": ["a"], "item": ["1"]}, "no answers"),
        ([1, 2], "Polars or pandas"),
    ],
)
def test_tables_that_lack_something_are_told_what(data, what):
    with pytest.raises(StatisticError, match=what):
        tidy(data)


def _without_sentences(labels: list[str | None], **columns: list[object]) -> dict[str, list[object]]:
    n = len(labels)
    return {"judge": ["ann"] * n, "document": ["d1"] * n, "system": ["A|B"] * n, "label": [*labels], **columns}


def test_answers_about_sentences_that_nothing_names_are_refused():
    """All but the last would be lost, and the number would rest on one sentence of each document."""
    with pytest.raises(StatisticError, match="ann gives different answers about d1") as refused:
        tidy(_without_sentences(["a", "b"]))
    assert refused.value.code == "unnamed_sentences"


@pytest.mark.parametrize(
    "table",
    [
        _without_sentences(["a", "a"]),
        _without_sentences(["a", None]),
        _without_sentences(["a", "b"], segment=["1", "2"]),
        _without_sentences(["a", "b"], item=["1", "2"]),
        _without_sentences(["a", "b"], role=["main", "repeat"]),
        _without_sentences(["a", "b"], answered_at=[datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2)]),
        _without_sentences(["a", "b"]) | {"system": ["A|B", "A|C"]},
        _without_sentences(["a", "b"]) | {"judge": ["ann", "bea"]},
    ],
)
def test_answers_that_are_told_apart_or_alike_are_kept(table):
    assert len(tidy(table)[0]) == 2


NAMES = st.lists(st.tuples(st.sampled_from(["", "a", "b", "ä"]), st.sampled_from(["1", "10", "2"])), min_size=1)


@given(NAMES)
def test_rows_are_numbered_as_their_names_are_ordered(rows):
    table = pl.DataFrame(rows, schema=["x", "y"], orient="row")
    index, first = by_name(table, ["x", "y"])
    known = table.unique().sort("x", "y").rows()
    assert [known[k] for k in index] == rows
    assert [rows[k] for k in first] == known
    assert list(first) == [rows.index(row) for row in known]


@given(NAMES)
def test_in_order_follows_first_appearance(rows):
    table = pl.DataFrame(rows, schema=["x", "y"], orient="row")
    index, first = in_order(of_rows(table, ["x", "y"]))
    known = list(dict.fromkeys(rows))
    assert [known[k] for k in index] == rows
    assert [rows[k] for k in first] == known


def test_long_runs_are_looked_at_once_and_give_the_same_numbers():
    column = pl.Series([name for name in "bacab" for _ in range(400)])
    names = sorted(set(column))
    assert [names[k] for k in positions(column, names)] == column.to_list()
    numbers = codes(column)
    assert len(set(zip(numbers.tolist(), column, strict=True))) == 3


@given(st.lists(st.one_of(st.integers(-50, 50), st.floats(-5, 5, allow_nan=False)), min_size=1), st.integers(1, 1200))
def test_distinct_values_are_those_of_a_sort(values, times):
    data = np.tile(np.array(values, dtype=float), times)[:4000]
    found, index = distinct(data)
    expected, places = np.unique(data, return_inverse=True)
    assert np.array_equal(found, expected) and np.array_equal(index, places.reshape(-1))


def test_numbers_that_would_grow_too_large_are_renumbered():
    wide = np.array([2**40, 0, 2**40, 5], dtype=np.int64)
    made = joined([wide, wide, wide])
    assert np.array_equal(np.unique(made, return_inverse=True)[1].reshape(-1), [2, 0, 2, 1])


@given(st.lists(st.sampled_from(["", "a", "B", "ä", "é", "한", "😀", "~"]), min_size=1, max_size=20))
def test_short_columns_give_what_long_ones_do(names):
    short, long = pl.Series(names), pl.Series(names * _SHORT)
    assert texts(short) == texts(long) == short.unique().sort().to_list()
    known = texts(short)
    assert np.array_equal(positions(short, known), positions(long, known)[: len(names)])


def test_a_text_that_is_none_of_the_names_is_an_error():
    for times in (1, _SHORT):
        with pytest.raises(pl.exceptions.PolarsError, match="c"):
            positions(pl.Series(["a", "c"] * times), ["a", "b"])
    assert texts(pl.Series(["b", None, "a"])) == [None, "a", "b"]


def test_missing_names_count_as_one():
    assert len(set(codes(pl.Series(["a", None, "b", None])).tolist())) == 3


@pytest.mark.parametrize(
    ("scores", "ranks"),
    [
        ([], []),
        ([50.0, 50.0], [1, 1]),
        ([3.0, 2.0, 2.0 - 1e-13, 1.0], [1, 2, 2, 4]),
        ([1e-9, 0.9e-9], [1, 2]),
        ([1.0, 3.0], [1, 2]),
    ],
)
def test_equal_scores_share_a_rank(scores, ranks):
    assert shared_ranks(scores) == ranks


TABLE = pl.DataFrame({"domain": ["news", "art", "news"], "x": [1, 2, 3]})


def test_groups_come_in_the_order_of_their_names():
    assert [(labels, part["x"].to_list()) for labels, part in groups(TABLE, ["domain"])] == [
        ({"domain": "art"}, [2]),
        ({"domain": "news"}, [1, 3]),
    ]


def test_no_columns_make_one_group_without_a_name():
    [(labels, part)] = groups(TABLE, [])
    assert labels == {}
    assert len(part) == 3


def test_a_column_that_is_not_there_gets_a_suggestion():
    with pytest.raises(StatisticError, match="domain"):
        check_columns(TABLE, ["domian"])


def test_several_results_become_the_rows_of_one():
    first = labelled(Result("r", 0.5, Interval(0.1, 0.9), notes=("few",)), {"judge": "a"})
    second = labelled(Result("r", None), {"judge": "b"})
    whole = combine_results("all", [first, second], ("note",))
    assert (whole.name, whole.value, whole.low) == ("all", 0.5, 0.1)
    assert [row["judge"] for row in whole.rows] == ["a", "b"]
    assert whole.notes == ("note", "a: few")


def test_what_is_undefined_says_why_and_how_it_would_have_been_made():
    result = undefined("κ", "nobody answered.", counts={"items": 0})
    assert result.value is None
    assert result.notes == ("Undefined: nobody answered.",)
    assert "κ" in str(result.signature)


def tidy_rows(*rows):
    names = ("judge", "document", "segment", "stage", "question", "row", "score", "label")
    return pl.DataFrame([dict(zip(names, row, strict=True)) for row in rows], infer_schema_length=None)


GRID = tidy_rows(
    ("a", "d", "1", "s", "skills", "x", 3.0, "high"),
    ("a", "d", "1", "s", "skills", "y", 0.0, "none"),
    ("a", "d", "1", "s", "holistic", "", 7.0, None),
    ("b", "d", "1", "s", "skills", "x", 1.0, "low"),
    ("b", "d", "1", "s", "level", "", None, "local"),
)


def test_one_row_per_judge_and_item_one_column_per_measure():
    table = wide(GRID)
    assert table.table.height == 2
    assert set(table.measures) == {"skills.x", "skills.y", "holistic", "level"}
    assert table.table.row(0, named=True)["skills.x"] == 3.0
    assert table.table.row(1, named=True)["level"] == "local"


def test_summaries_over_a_grid_need_all_its_rows():
    table = wide(GRID).with_measures(["sum(skills)", "mean(skills)", "count(skills)"]).table
    assert table.select("sum(skills)", "mean(skills)", "count(skills)").row(0) == (3.0, 1.5, 1.0)
    assert table.select("sum(skills)", "mean(skills)", "count(skills)").row(1) == (None, None, None)


def test_a_question_asked_in_two_stages_is_named_with_its_stage():
    data = tidy_rows(("a", "d", "1", "rs", "adequacy", "", 4.0, None), ("a", "d", "1", "sc", "adequacy", "", 2.0, None))
    assert set(wide(data).measures) == {"rs/adequacy", "sc/adequacy"}


def test_of_two_answers_the_latest_counts_and_is_noted():
    data = tidy_rows(("a", "d", "1", "s", "q", "", 1.0, None), ("a", "d", "1", "s", "q", "", 4.0, None))
    table = wide(data)
    assert table.table["q"].to_list() == [4.0]
    assert "1 answer was given again" in table.notes[0]


def test_control_items_are_left_out():
    data = GRID.with_columns(role=pl.Series(["main", "main", "control", "main", "main"]))
    assert "holistic" not in wide(data).measures


def test_a_wide_table_stays_as_it_is():
    table = wide({"judge": ["a", "b"], "item": ["1", "2"], "score_a": [1.0, 2.0]})
    assert table.measures == ["score_a"]
    assert "every item counts as a document" in table.notes[0]


def test_units_are_numbered_by_name_not_by_order_of_appearance():
    table = pl.DataFrame({"document": ["b", "a", "b"], "segment": ["1", "1", "1"], "judge": ["x", "y", "x"]})
    index, count = units(table, "document")
    assert index.tolist() == [1, 0, 1]
    assert count == 2
    assert units(table, "item")[1] == 2
    assert np.array_equal(units(table, "judge")[0], [0, 1, 0])


def test_a_misspelt_measure_gets_a_suggestion():
    with pytest.raises(StatisticError, match="holistic"):
        wide(GRID).with_measures(["holistik"])
    assert wide(GRID).expand(["skills"]) == ["skills.x", "skills.y"]


def test_rows_and_columns_come_in_the_order_of_the_answers_and_none_are_mixed_up():
    rng = np.random.default_rng(0)
    rows = [
        (
            f"j{rng.integers(4)}",
            f"d{rng.integers(9)}",
            f"s{rng.integers(9)}",
            "x",
            f"q{rng.integers(3)}",
            "",
            float(i),
            None,
        )
        for i in range(400)
    ]
    table = wide(tidy_rows(*rows)).table
    expected: dict = {}
    for judge, document, segment, _, question, _, score, _ in rows:
        expected.setdefault((judge, document, segment), {})[question] = score
    assert table.select("judge", "document", "segment").rows() == list(expected)
    for (_, values), row in zip(expected.items(), table.iter_rows(named=True), strict=True):
        assert {q: row[q] for q in ("q0", "q1", "q2") if row[q] is not None} == values
