from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm, t
from statsmodels.stats.proportion import proportion_confint

from data_set_frames import h_falcon
from data_sets import data_dir
from lanner.errors import StatisticError
from lanner.stats.context import _shares, agreement_intervals, distribution, issue_shares, misevaluations, spans
from lanner.stats.resample import Resampling

QUICK = Resampling(n=200)
SCHEMA = {
    "judge": pl.String,
    "document": pl.String,
    "segment": pl.String,
    "question": pl.String,
    "label": pl.String,
    "score": pl.Float64,
    "labels": pl.List(pl.String),
    "domain": pl.String,
}


def rows(*answers):
    """(judge, sentence, question, answer): sentences are their own documents; domain is the sentence's first letter."""
    made = []
    for judge, sentence, question, answer in answers:
        kind = "labels" if isinstance(answer, list) else "label" if isinstance(answer, str) else "score"
        made.append(
            {"judge": judge, "document": sentence, "segment": sentence, "question": question, "domain": sentence[0]}
            | {kind: answer}
        )
    return pl.DataFrame(made, schema=SCHEMA)


SURVEY = rows(
    ("a", "n1", "translatable", "no"),
    ("b", "n1", "translatable", "yes"),
    ("a", "n2", "translatable", "yes"),
    ("b", "n2", "translatable", "yes"),
    ("a", "s1", "translatable", "no"),
    ("b", "s1", "translatable", "no"),
    ("a", "n1", "reasons", ["ambiguity", "gender"]),
    ("a", "s1", "reasons", ["ambiguity"]),
    ("b", "s1", "reasons", ["terminology"]),
)


def test_shares_rest_on_no_more_answers_than_there_are():
    marks = np.repeat([1.0, 0.0] * 6, [5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6, 4])[:, None]
    table = pl.DataFrame({"document": [f"d{at // 10}" for at in range(60)], "segment": [str(at) for at in range(60)]})
    [share] = _shares(marks, table, Resampling())
    reach = 2 * norm.sf(t.ppf(0.975, 5))
    expected = proportion_confint(31, 60, alpha=reach, method="wilson")
    assert (share.row()["low"], share.row()["high"]) == pytest.approx(expected)


def test_issue_shares_are_of_all_issues_named():
    result = issue_shares(SURVEY, resampling=QUICK)
    shares = {(row["domain"], row["label"]): row["share"] for row in result.rows}
    assert shares["all", "ambiguity"] == result.value == pytest.approx(2 / 4)
    assert shares["all", "gender"] == pytest.approx(1 / 4)
    assert shares["s", "terminology"] == pytest.approx(1 / 2)
    assert shares["n", "terminology"] == 0
    assert sum(v for (domain, _), v in shares.items() if domain == "all") == pytest.approx(1)
    sentences = {(row["domain"], row["label"]): row["sentences"] for row in result.rows}
    assert sentences["all", "ambiguity"] == 1.0
    assert {(row["domain"], row["pooled"]) for row in result.rows} == {("all", True), ("n", False), ("s", False)}


def test_sentences_fall_into_intervals_of_agreement():
    result = agreement_intervals(SURVEY, resampling=QUICK)
    found = {(row["domain"], row["interval"]): row["count"] for row in result.rows}
    assert result.value == pytest.approx(2 / 3)
    assert found["all", "0 %"] == 1
    assert found["all", "over 40% to 60%"] == 1
    assert found["all", "over 80% to 100%"] == 1
    assert found["s", "over 40%"] == 1
    assert found["n", "0 %"] == 1


def test_exactly_forty_per_cent_is_not_over_forty_per_cent():
    data = rows(*((f"j{k}", "x", "translatable", "no" if k < 2 else "yes") for k in range(5)))
    result = agreement_intervals(data, by=(), resampling=QUICK)
    assert result.value == 0
    assert {row["interval"]: row["count"] for row in result.rows}["over 20% to 40%"] == 1


def test_spans_are_counted_with_their_numbers():
    data = rows(
        ("x", "n1", "resolved_by", ["preceding"]),
        ("x", "n1", "sentences_before", 2),
        ("x", "n2", "resolved_by", ["preceding"]),
        ("x", "n2", "sentences_before", 1),
        ("x", "n3", "resolved_by", ["following", "preceding"]),
        ("x", "n3", "sentences_before", 1),
        ("x", "n3", "sentences_after", 3),
        ("x", "s1", "resolved_by", ["global_context"]),
    )
    result = spans(data, by=("domain",), resampling=QUICK)
    table = {(row["domain"], row["span"]): row for row in result.rows}
    assert result.value == pytest.approx(3 / 4)
    assert table["all", "+1 preceding"]["covered"] == pytest.approx(1 / 4)
    assert table["all", "+2 preceding"]["covered"] == pytest.approx(2 / 4)
    assert table["all", "+1 preceding, +3 following"]["count"] == 1
    assert table["all", "global_context"]["covered"] is None
    assert table["s", "global_context"]["share"] == 1.0


PAIRED = rows(
    *((judge, "n1", "adequacy_rs", 4) for judge in "abcde"),
    *((judge, "n1", "adequacy_sc", 2) for judge in "fg"),
    *((judge, "n2", "adequacy_rs", 4) for judge in "abcd"),
    ("e", "n2", "adequacy_rs", 3),
    ("f", "n2", "adequacy_sc", 4),
    ("g", "n2", "adequacy_sc", 4),
    *((judge, "n3", "adequacy_rs", 3) for judge in "abcde"),
    ("f", "n3", "adequacy_sc", 1),
    *((judge, "n4", "adequacy_rs", 4) for judge in "abcde"),
)


def test_a_sentence_perfect_alone_and_wrong_in_context_is_found():
    result = misevaluations(PAIRED, "adequacy_rs", "adequacy_sc", resampling=QUICK)
    assert [row["segment"] for row in result.rows] == ["n1"]
    assert result.rows[0] | {} == {
        "document": "n1",
        "segment": "n1",
        "system": "",
        "perfect": 1.0,
        "flawed": 1.0,
        "judges": 5,
        "judges_in_context": 2,
    }
    assert result.value == pytest.approx(1 / 2)  # n2 looks perfect too (four of five) and is right in context


def test_several_questions_must_all_be_perfect():
    marked = [(judge, "n1", "errors_rs", ["word_order"] if judge == "a" else ["no_errors"]) for judge in "abcde"]
    data = pl.concat(
        [PAIRED, rows(*marked, ("f", "n1", "errors_sc", []), ("g", "n1", "errors_sc", ["mistranslation"]))]
    )
    both = {"of": ["adequacy_rs", "errors_rs"], "in_context": ["adequacy_sc", "errors_sc"]}
    assert misevaluations(data, **both, resampling=QUICK).rows[0]["perfect"] == pytest.approx(0.8)
    strict = misevaluations(data, **both, nearly=1.0, resampling=QUICK)
    assert strict.value is None
    assert "looks perfect alone" in strict.notes[0]


@pytest.mark.data
def test_kim_2025_figure_6():
    result = distribution(h_falcon(data_dir("h-falcon")), "count(skills)", resampling=QUICK)
    shares = {(row["judge"], row["value"]): row["share"] for row in result.rows}
    assert shares["J2", 3.0] == pytest.approx(0.386, abs=0.0005)
    assert shares["J3", 2.0] == pytest.approx(0.487, abs=0.0005)
    assert result.value == shares["J2", 3.0]
    assert ("J2", 0.0) not in shares


def test_nothing_answered_has_a_reason():
    silent = SURVEY.with_columns(label=pl.lit(None, dtype=pl.String), labels=pl.lit(None, dtype=pl.List(pl.String)))
    for result in (issue_shares(silent), agreement_intervals(silent), spans(silent, "reasons")):
        assert result.value is None
        assert result.notes


def test_an_unknown_question_gets_a_suggestion():
    with pytest.raises(StatisticError, match="reasons"):
        issue_shares(SURVEY, "reason")


def test_an_answer_given_again_counts_once():
    again = pl.concat([SURVEY, SURVEY.filter(judge="a", question="translatable")])
    expected, result = (agreement_intervals(table, resampling=QUICK) for table in (SURVEY, again))
    assert (result.value, result.interval, result.rows) == (expected.value, expected.interval, expected.rows)
    assert any("3 answers were given again" in note for note in result.notes)


def test_the_distance_is_that_of_the_answer_it_belongs_to():
    main = [rows(("a", s, "resolved_by", ["preceding"]), ("a", s, "sentences_before", 1.0)) for s in ("n1", "n2")]
    repeated = rows(("a", "n1", "resolved_by", ["preceding"]), ("a", "n1", "sentences_before", 5.0))
    data = pl.concat(
        [*(part.with_columns(role=pl.lit("main")) for part in main), repeated.with_columns(role=pl.lit("repeat"))]
    )
    data = data.with_columns(target_language=pl.lit("de"))
    assert {row["span"] for row in spans(data, resampling=QUICK).rows} == {"+1 preceding"}
