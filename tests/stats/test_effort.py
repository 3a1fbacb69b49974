from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from scipy.stats import t

from data_set_frames import falcon, h_falcon
from data_sets import data_dir
from lanner.errors import StatisticError
from lanner.stats.effort import BETWEEN, OWN, cost, fatigue, items, throughput, times, with_seconds
from lanner.stats.resample import Resampling

QUICK = Resampling(n=200)


def figures(result, domain="all"):
    return {row["judge"]: row["value"] for row in result.rows if row["domain"] == domain}


@pytest.mark.data
class TestKim2025Figures7And8:
    def test_falcon(self):
        result = throughput(falcon(data_dir("h-falcon")), resampling=QUICK)
        assert figures(result) == pytest.approx({"J1": 1.52, "J2": 2.68, "J3": 3.13}, abs=0.005)
        assert figures(result, "social")["J1"] > figures(result, "literary")["J1"]
        assert figures(result, "literary")["J2"] > figures(result, "news")["J2"]  # literary is not the slowest

    def test_h_falcon_leaves_three_breaks_out(self):
        result = throughput(h_falcon(data_dir("h-falcon")), resampling=QUICK)
        assert figures(result) == pytest.approx({"J2": 0.88, "J3": 1.23}, abs=0.005)
        assert "3 items took longer than 10,000 s" in result.notes[0]
        assert result.rows[0]["n"] == 295

    def test_pooled_over_all_items(self):
        pooled = figures(throughput(falcon(data_dir("h-falcon")), pooled=True, resampling=QUICK))
        assert pooled["J1"] == pytest.approx(1.63, abs=0.005)
        assert pooled["J3"] == pytest.approx(3.11, abs=0.005)

    def test_every_figure_lies_in_its_interval(self):
        for row in throughput(falcon(data_dir("h-falcon")), resampling=QUICK).rows:
            assert row["low"] < row["value"] < row["high"]


START = datetime(2026, 1, 1, tzinfo=UTC)


def session(seconds, judge="a", documents=4, **columns):
    n = len(seconds)
    return pl.DataFrame(
        {
            "judge": [judge] * n,
            "document": [str(i * documents // n) for i in range(n)],
            "segment": [str(i) for i in range(n)],
            "question": ["q"] * n,
            "score": [1.0] * n,
            "active": seconds,
            "answered_at": [START + timedelta(minutes=i) for i in range(n)],
            **columns,
        }
    )


def test_an_item_takes_as_long_as_its_slowest_answer():
    frame = session([10.0, 20.0])
    again = frame.with_columns(question=pl.lit("other"), active=pl.col("active") + 5)
    table, *_ = items(pl.concat([frame, again]))
    assert table["seconds"].to_list() == [15.0, 25.0]


def test_stages_of_one_page_count_once_and_of_two_pages_twice():
    frame = session([10.0])
    same, later = (frame.with_columns(stage=pl.lit("two"), active=pl.lit(t)) for t in (10.0, 30.0))
    first = frame.with_columns(stage=pl.lit("one"))
    assert len(items(pl.concat([first, same], how="diagonal"))[0]) == 1
    assert len(items(pl.concat([first, later], how="diagonal"))[0]) == 2


def test_elapsed_time_is_used_where_active_time_is_not_known():
    frame = session([10.0, None]).with_columns(elapsed=pl.Series([50.0, 40.0]))
    assert items(frame)[0]["seconds"].to_list() == [10.0, 40.0]
    assert items(frame, time="elapsed")[0]["seconds"].to_list() == [50.0, 40.0]


def test_the_figure_is_the_plain_mean_over_domains():
    frame = session([30.0] * 9 + [60.0], domain=["news"] * 9 + ["social"])
    assert throughput(frame, resampling=QUICK).value == pytest.approx((2 + 1) / 2)
    assert throughput(frame, pooled=True, resampling=QUICK).value == pytest.approx(60 * 10 / 330)
    called_all = frame.with_columns(domain=pl.col("domain").replace("news", "all"))
    rows = throughput(called_all, resampling=QUICK).rows
    assert [(row["domain"], row["pooled"], row["value"]) for row in rows] == [
        ("all", True, 1.5),
        ("all", False, 2.0),
        ("social", False, 1.0),
    ]


def test_outputs_that_are_compared_are_one_item_in_whichever_order():
    shown = ["alder|birch", "birch|alder"] * 4
    answers = session([10.0, 20.0] * 4).with_columns(system=pl.Series(shown))
    assert [row["system"] for row in throughput(answers, by=["system"]).rows] == ["alder|birch"]
    measures = with_seconds(answers).table
    assert measures["seconds"].to_list() == [10.0, 20.0] * 4 and measures["system"].to_list() == shown


def test_a_judge_who_gets_faster_is_seen():
    rng = np.random.default_rng(0)
    frames = [
        session((60 * 0.5 ** np.linspace(0, 1, 200) * rng.lognormal(0, 0.2, 200)).tolist(), judge, 40) for judge in "ab"
    ]
    result = fatigue(pl.concat(frames))
    assert result.low < -50 < result.high
    assert result.p < 0.001
    parts = [row["value"] for row in result.rows if row["kind"] == "part" and row["judge"] == "a"]
    assert len(parts) == 10
    assert parts[0] > parts[-1]


def test_the_change_is_that_from_the_first_item_to_the_last():
    """Twice as slow at the end of eleven items: 100 %, in every document and so in the session."""
    seconds = [30 * 2 ** (at / 10) * (1 + 1e-4 * (-1) ** (at * document)) for document in range(8) for at in range(11)]
    result = fatigue(session(seconds, documents=8))
    within = next(row for row in result.rows if row.get("term") == "document_so_far")
    assert within["value"] == pytest.approx(100, abs=0.2)


def test_a_steady_judge_is_not_called_tired():
    rng = np.random.default_rng(1)
    result = fatigue(session(rng.lognormal(3, 0.5, 200).tolist(), documents=40))
    assert result.low < 0 < result.high


def test_cost_counts_items_without_a_time_at_the_mean():
    result = cost(session([3600.0, None, 99_999.0]), hourly=20)
    assert result.value == pytest.approx(60)
    assert result.rows[0]["without_time"] == 1
    assert result.rows[0]["too_long"] == 1
    assert result.rows[0]["cost_per_item"] == pytest.approx(20)


def test_the_interval_of_cost_is_that_of_a_sum_over_documents():
    times = [30.0, 50.0, 20.0, 90.0, 40.0, 70.0]
    result = cost(session(times, documents=3), hourly=36)
    assert result.value == pytest.approx(sum(times) / 100)
    assert result.interval is not None and result.interval.unit == "document"
    documents = session(times, documents=3)["document"].to_list()
    shares = [sum(time for time, d in zip(times, documents, strict=True) if d == name) / 100 for name in set(documents)]
    reach = t.ppf(0.975, 2) * np.sqrt(3) * np.std(shares, ddof=1)
    assert result.interval.high == pytest.approx(result.value + reach)


@pytest.mark.parametrize("statistic", [throughput, fatigue, lambda data: cost(data, 10)])
def test_without_times_there_is_no_value_but_a_reason(statistic):
    for data in (session([None, None]), session([]).head(0)):
        result = statistic(data)
        assert result.value is None
        assert result.notes


def test_one_document_gives_a_rate_without_interval():
    result = throughput(session([30.0, 30.0], documents=1))
    assert result.value == pytest.approx(2.0)
    assert result.interval is None
    assert "only one document" in " ".join(result.notes)


def test_an_unknown_question_gets_a_suggestion():
    with pytest.raises(StatisticError, match="'q'"):
        throughput(session([1.0]), "qq")


def test_seconds_are_a_measure_beside_the_others():
    rows = [
        {
            "question": q,
            "stage": stage,
            "judge": "a",
            "document": f"d{at}",
            "segment": "1",
            "score": float(at),
            "active": s,
        }
        for at, (first, second) in enumerate([(10.0, 5.0), (20.0, 5.0), (30.0, 20_000.0)])
        for q, stage, s in (("x", "one", first), ("y", "two", second))
    ]
    found = with_seconds(pl.DataFrame(rows))
    assert found.table.sort("document")["seconds"].to_list() == [15, 25, 30]
    assert "1 item took longer than 10,000 s" in found.notes[-1]
    assert "seconds" in found.measures
    with pytest.raises(StatisticError, match="No times were kept"):
        with_seconds(pl.DataFrame(rows).drop("active"))


def test_times_without_any_error_have_no_interval():
    falling = np.exp(3 - 0.02 * np.arange(24)).tolist()
    result = fatigue(session(falling, documents=6))
    effects = [row for row in result.rows if row["kind"] == "effect"]
    assert result.interval is None and result.p is None
    assert [row["low"] for row in effects] == [None, None]
    assert any("without any error" in note for note in result.notes)


def test_a_change_that_may_be_a_hundredfold_has_no_interval():
    results = [
        fatigue(session(np.random.default_rng(seed).lognormal(3, 1.5, 9).tolist(), documents=3)) for seed in range(30)
    ]
    effects = [row for result in results for row in result.rows if row["kind"] == "effect"]
    widest = max(math.log((100 + row["high"]) / (100 + row["low"])) / 2 for row in effects if row["high"] is not None)
    assert math.log(20) < widest <= math.log(100)
    for result in results:
        assert (result.interval is None) == any("could be anything" in note for note in result.notes)
    assert any(result.interval is None for result in results)


def test_the_cost_of_documents_that_do_not_differ_has_no_interval():
    even = session([10.0] * 8)
    assert cost(even, 30).value == pytest.approx(8 * 10 / 3600 * 30)
    assert cost(even, 30).interval is None


def test_documents_without_times_do_not_narrow_the_interval_of_the_cost():
    """Three documents with times, three that are taken at the mean: the spread is that of the three."""
    seconds = [10.0, 14.0, 22.0, 26.0, 40.0, 44.0, None, None, None, None, None, None]
    result = cost(session(seconds, documents=6), 3600)
    of_documents = np.array([24.0, 48.0, 84.0])
    assert result.value == pytest.approx(2 * of_documents.sum())
    reach = t.ppf(0.975, 2) * 6 * of_documents.std(ddof=1) / np.sqrt(3)
    assert result.interval.high - result.value == pytest.approx(reach)
    one = session([10.0, 14.0] + [None] * 10, documents=6)
    assert cost(one, 3600).interval is None and any("only one document" in note for note in cost(one, 3600).notes)


def stamped(seconds: list[float | None], stamps: list[float | None]) -> pl.DataFrame:
    """One judge's answers with their own seconds, given so many seconds after the start."""
    at = [None if stamp is None else START + timedelta(seconds=stamp) for stamp in stamps]
    types = {"active": pl.Float64, "answered_at": pl.Datetime("us", "UTC")}
    return session([1.0] * len(seconds), documents=1).with_columns(
        pl.Series("active", seconds, types["active"]), pl.Series("answered_at", at, types["answered_at"])
    )


def test_items_with_a_time_of_their_own() -> None:
    work = times(stamped([10.0, 20.0, 30.0], [10, 30, 60]))
    assert (work.table["seconds"].to_list(), work.way) == ([10.0, 20.0, 30.0], OWN)


def test_where_items_carry_no_time_the_gaps_between_answers_are_taken() -> None:
    work = times(stamped([0.0, 0.1, 0.0, 40.0], [0, 25, 60, 5000]))
    assert (work.table["seconds"].to_list(), work.way) == ([None, 25.0, 35.0, None], BETWEEN), "the last gap is a break"


def test_sentences_that_a_page_stamps_together_share_its_time() -> None:
    pages = [0, 0.01, 60, 60.02, 60.03, 100, 100]
    work = times(stamped([0.0] * 7, pages))
    shares = [pytest.approx(59.99 / 3)] * 3 + [pytest.approx(39.97 / 2)] * 2
    assert work.table["seconds"].to_list() == [None, None, *shares]
    result = throughput(work, resampling=QUICK)
    assert result.value == pytest.approx(60 / ((59.99 + 39.97) / 5)), "sentences a minute, not pages a minute"
    assert work.way == BETWEEN and result.missing == pytest.approx(2 / 7)
    assert "times from one answer to the next" in str(result.signature)
    assert with_seconds(stamped([0.0] * 7, pages)).table["seconds"].to_list() == work.table["seconds"].to_list()
    assert cost(work, 36).value == pytest.approx(7 * (99.96 / 5) / 100), "those without a time count at the mean"


def test_no_time_at_all() -> None:
    work = times(stamped([None, None], [None, None]))
    assert (work.table["seconds"].to_list(), work.way) == ([None, None], "")
    assert throughput(work).value is None
