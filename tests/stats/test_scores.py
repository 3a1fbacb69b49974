"""Scores of outputs, averages of systems, presets of shared tasks."""

import inspect
from dataclasses import replace
from functools import cache

import polars as pl
import pytest
from scipy.stats import zscore

from data_sets import data_dir
from lanner import protocols, registry
from lanner.analysis.material import Material, from_file
from lanner.errors import StatisticError
from lanner.protocols.derived import weighted_spans
from lanner.stats import ranking, scores
from lanner.stats.scores import Averaging, Items, at, items


def table(rows: list[tuple[str, str, str, str, float | None]]) -> pl.DataFrame:
    names = ["judge", "system", "document", "segment", "score"]
    return pl.DataFrame(rows, schema=names, orient="row").with_columns(question=pl.lit("score"))


ROWS = [
    ("a", "oak", "d1", "1", 10.0),
    ("a", "oak", "d1", "2", 20.0),
    ("a", "elm", "d1", "1", 30.0),
    ("b", "oak", "d1", "1", 50.0),
    ("b", "elm", "d1", "1", 50.0),
]


def scores_of(data: pl.DataFrame, **options: object) -> dict[tuple[str, str], float]:
    found = items(data, "score", **options)  # type: ignore[arg-type]
    return {(row["system"], row["segment"]): row["score"] for row in found.table.to_dicts()}


def test_judges_are_averaged_on_each_output() -> None:
    assert scores_of(table(ROWS)) == {("oak", "1"): 30, ("oak", "2"): 20, ("elm", "1"): 40}


def test_z_per_judge_with_the_stated_degrees_of_freedom() -> None:
    """Judge a gives 10, 20, 30: mean 20, s = 10 with ddof 1, √(200/3) with ddof 0. Judge b is constant."""
    assert scores_of(table(ROWS), standardise=True) == {("oak", "1"): -1, ("oak", "2"): 0, ("elm", "1"): 1}
    population = scores_of(table(ROWS), standardise=True, ddof=0)
    assert population["elm", "1"] == pytest.approx(10 / (200 / 3) ** 0.5)


def test_a_constant_judge_is_left_out_or_counts_nought_and_it_is_said() -> None:
    assert scores_of(table(ROWS), standardise=True, constant="zero")["elm", "1"] == 0.5
    assert "1 judge gave one score only (2 answers): left out." in items(table(ROWS), "score", standardise=True).notes


@pytest.mark.parametrize("unit", [1e-14, 1.0, 1e9])
def test_standard_scores_do_not_depend_on_the_unit_of_the_scores(unit: float) -> None:
    rows = [("ann", "d", str(at), "A", unit * at) for at in range(4)]
    data = pl.DataFrame(rows, schema=["judge", "document", "segment", "system", "score"], orient="row")
    scores = items(data, "score", standardise=True).table["score"].to_list()
    assert scores == pytest.approx(zscore(range(4), ddof=1).tolist())


def test_of_repeated_answers_the_latest_counts_or_the_mean() -> None:
    twice = table([ROWS[0], ("a", "oak", "d1", "1", 40.0)])
    assert scores_of(twice)["oak", "1"] == 40
    assert scores_of(twice, repeats="mean")["oak", "1"] == 25
    backwards = twice.with_columns(answered_at=pl.Series([2, 1]).cast(pl.Datetime("us", "UTC")))
    assert scores_of(backwards)["oak", "1"] == 10


def test_flags_roles_domains_and_missing_scores() -> None:
    data = table([*ROWS, ("a", "fir", "d1", "1", None)]).with_columns(
        flags=pl.Series([["dup"], [], [], [], [], []], dtype=pl.List(pl.String)),
        role=pl.Series(["main", "main", "control", "main", "main", "main"]),
        domain=pl.Series(["", "", "", "canary", "", ""]),
    )
    found = items(data, "score", without_flags=["dup"], without_domains=["canary"])
    assert found.table.select("system", "score").rows() == [("elm", 50), ("oak", 20)]
    assert any("no score" in note for note in found.notes)
    assert any("flagged dup" in note for note in found.notes)


def test_scores_off_their_scale_count_and_it_is_said() -> None:
    data = table(ROWS).with_columns(
        flags=pl.Series([["out_of_range"], [], ["off_step"], [], []], dtype=pl.List(pl.String)),
    )
    found = items(data, "score")
    assert scores_of(data)["oak", "1"] == 30
    assert [note.split()[0] for note in found.notes if "out_of_range" in note] == ["1"]
    left = items(data, "score", without_flags=["out_of_range"])
    assert len(left.notes) == 1
    assert not items(table(ROWS), "score").notes


def test_levels() -> None:
    rows = at(items(table(ROWS), "score"), "document").rows
    assert [row["judges"] for row in rows] == [2, 2], "two judges, however many segments"
    assert [(row["system"], row["score"], row["n"]) for row in rows] == [("elm", 40, 1), ("oak", 25, 2)]
    with pytest.raises(StatisticError, match="level"):
        at(items(table(ROWS), "score"), "docment")  # type: ignore[arg-type]


def test_an_unknown_question_names_the_nearest() -> None:
    with pytest.raises(StatisticError) as caught:
        items(table(ROWS), "scor")
    assert "score" in caught.value.next_step


@cache
def ted() -> Material:
    return from_file(data_dir("mqm") / "mqm_ted_ende.tsv")[0]


@pytest.mark.data
def test_the_published_segment_scores_of_ted() -> None:
    folder, part = data_dir("mqm"), ted()
    found = {
        (row["system"], row["segment"]): row["score"]
        for row in at(items(part.table, "penalty"), "segment").rows
    }  # fmt: skip
    lines = (folder / "mqm_ted_ende.avg_seg_scores.tsv").read_text(encoding="utf-8").splitlines()[1:]
    published = [line.split() for line in lines]
    names = {"ref-A": "ref"}
    known = {(names.get(s, s), n): -float(score) for s, score, n in published if score != "None"}
    assert len(known) == len(found) == 7406
    assert all(abs(found[key] - score) < 5.1e-7 for key, score in known.items())


def mixed(*kinds: str) -> pl.DataFrame:
    rows = [(f"{kind}{n}", kind, "oak", "d1", "1", float(n)) for n, kind in enumerate(kinds)]
    names = ["judge", "judge_kind", "system", "document", "segment", "score"]
    return pl.DataFrame(rows, schema=names, orient="row").with_columns(question=pl.lit("score"))


def test_people_are_not_averaged_with_models_metrics_or_an_adjudication() -> None:
    found = items(mixed("person", "person", "model", "metric", "adjudicated"), "score")
    assert found.table["score"].to_list() == [0.5]
    assert "left out: model2, metric3, adjudicated4" in found.notes[0]
    assert scores_of(mixed("person", "model"), judges=["person0", "model1"]) == {("oak", "1"): 0.5}


def test_a_panel_of_models_has_a_mean_and_several_metrics_have_none() -> None:
    assert scores_of(mixed("model", "model")) == {("oak", "1"): 0.5}
    assert scores_of(mixed("metric")) == {("oak", "1"): 0}
    with pytest.raises(StatisticError, match="3 scorers have scales of their own") as caught:
        items(mixed("metric", "metric", "adjudicated"), "score")
    assert "adjudicated2, metric0, metric1" in str(caught.value.next_step)
    with pytest.raises(StatisticError, match="2 scorers have scales of their own"):
        items(mixed("person", "metric"), "score", judges=["person0", "metric1"])
    assert scores_of(mixed("person", "metric"), judges=["metric1"]) == {("oak", "1"): 1}


def test_the_score_of_a_whole_test_set_is_no_segment() -> None:
    whole = table([*ROWS[:2], ("a", "oak", "", "", 99.0)])
    assert scores_of(whole) == {("oak", "1"): 10, ("oak", "2"): 20}
    assert "1 score of a whole test set is left out" in items(whole, "score").notes[0]


TABLE = pl.DataFrame(
    {
        "system": ["oak"] * 4,
        "domain": ["news", "news", "news", "talk"],
        "document": ["d1", "d1", "d2", "d3"],
        "segment": ["1", "2", "1", "1"],
        "score": [1.0, 3.0, 8.0, 12.0],
        "judges": [1] * 4,
    }
)
FOUND = Items(TABLE, "score", 1)


@pytest.mark.parametrize(
    ("average", "expected"),
    [("micro", 6), ("document", 22 / 3), ("macro", (4 + 12) / 2), ("document-macro", (5 + 12) / 2)],
)
def test_the_four_ways_up(average: str, expected: float) -> None:
    [value] = Averaging.of(FOUND, ["oak"], average).values()  # type: ignore[arg-type]
    assert value == pytest.approx(expected)


def test_points_per_words() -> None:
    words = {("d1", "1"): 10, ("d1", "2"): 30, ("d2", "1"): 40, ("d3", "1"): 20}
    [value] = Averaging.of(FOUND, ["oak"], "micro", words=words, per_words=1000).values()
    assert value == pytest.approx(24 * 1000 / 100)
    with pytest.raises(StatisticError, match="number of words"):
        Averaging.of(FOUND, ["oak"], "micro", words={}, per_words=1000)


def test_an_unknown_average() -> None:
    with pytest.raises(StatisticError, match="average"):
        Averaging.of(FOUND, ["oak"], "macr")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", registry.table("stats.presets"))
def test_every_option_of_a_preset_exists(name: str) -> None:
    made = scores.preset(name)
    known = set(inspect.signature(ranking.rank).parameters) | set(inspect.signature(scores.items).parameters)
    assert made.of
    assert set(made.options) <= known
    assert made.summary
    assert made.citation


def test_what_is_checked_of_one_year_is_not_claimed_of_another() -> None:
    assert scores.preset("wmt24-esa").checked
    assert scores.preset("wmt23-mqm").options == scores.preset("wmt24-mqm").options
    assert scores.preset("wmt21-mqm").checked
    assert not scores.preset("wmt20-mqm").checked


def test_an_unknown_preset_names_the_nearest() -> None:
    with pytest.raises(StatisticError) as caught:
        scores.preset("wmt24-esaa")
    assert "wmt24-esa" in caught.value.next_step


def test_each_year_of_mqm_says_its_weights_and_where_they_come_from() -> None:
    """A source error counts as its severity says up to 2022, and not at all from 2023 on."""
    protocol = protocols.load("mqm")
    penalties = {}
    question = protocol.find("errors")[1]
    marks = [
        {"category": "source_error", "severity": "major"},
        {"category": "punctuation", "severity": "minor"},
        {"category": "non_translation", "severity": "major"},
    ]
    for name in [name for name in registry.table("stats.presets") if name.endswith("-mqm")]:
        made = scores.preset(name)
        assert made.weights_from
        [score] = [score for score in made.weigh(protocol).scores if score.id == "penalty"]
        penalties[name] = weighted_spans(question, marks, score.options)
    assert penalties == pytest.approx(
        {"wmt24-mqm": 25.1, "wmt23-mqm": 25.1, "wmt22-mqm": 30.1, "wmt21-mqm": 30.1, "wmt20-mqm": 30.1}
    )
    assert scores.preset("wmt24-esa").weigh(protocol) is protocol


@pytest.mark.data
@pytest.mark.parametrize("preset", ["wmt21-mqm", "wmt20-mqm"])
def test_the_released_segment_averages_of_ted_come_back(preset: str) -> None:
    part = ted()
    part = replace(part, protocol=scores.preset(preset).weigh(part.protocol))
    ours = {
        (s, n): v for s, n, v in items(part.table, "penalty").table.select("system", "segment", "score").iter_rows()
    }
    lines = (data_dir("mqm") / "mqm_ted_ende.avg_seg_scores.tsv").read_text(encoding="utf-8").splitlines()[1:]
    released = {(system, number): -float(value) for system, value, number in map(str.split, lines) if value != "None"}
    shared = ours.keys() & released.keys()
    assert len(shared) == 6877
    assert max(abs(ours[key] - released[key]) for key in shared) < 1e-5
