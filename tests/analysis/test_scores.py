from __future__ import annotations

import math
import statistics
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.stats
from scipy import stats

import lanner
from analysis.plain_oracle import raw
from lanner import protocols
from lanner.analysis import counted
from lanner.analysis.material import from_file
from lanner.analysis.scores import (
    MEAN_OF_PEOPLE,
    bounds_of,
    choice_bias,
    corrected_scores,
    counts_some,
    gold_question,
    keep_on_scale,
    on_scale,
    planned_rankings,
    probabilities,
    profile,
    rank_systems,
    scored_rows,
    scored_set,
)
from lanner.errors import InputError
from lanner.model import Document, Grid, Interval, JudgeKind, Judgement, Result, Segment, Signature
from lanner.protocols.guessing import guess
from lanner.stats.resample import Resampling
from reports.world import material


def test_scores_have_the_ends_of_their_scale() -> None:
    falcon = protocols.load("h_falcon")
    assert bounds_of(falcon, "holistic") == bounds_of(falcon, "holistic_score") == (1, 10)
    assert bounds_of(protocols.load("esa"), "score") == (0, 100)
    assert bounds_of(falcon, "skill_sum") is None


def test_a_metric_beside_people_changes_nothing_of_theirs_and_is_on_no_scale(tmp_path: Path) -> None:
    people = [(f"d{n}", judge, 1 + (n * 2 + k) % 5) for n in range(6) for k, judge in enumerate(("Ana", "Ben"))]
    metric = [(f"d{n}", "COMET", n / 10) for n in range(6)]

    def ranked(rows: list[tuple[str, str, float]], *judges: str) -> Result:
        path = tmp_path / "scores.csv"
        lines = [f"{document},1,x,{judge},{score}\n" for document, judge, score in rows]
        path.write_text("document,segment,system,judge,score\n" + "".join(lines), encoding="utf-8")
        [part] = from_file(path)
        part = part.only(judges) if judges else part
        return rank_systems(scored_rows(part, judges_named=bool(judges)), "score", part.protocol).systems

    [alone], [beside] = ranked(people).rows, ranked([*people, *metric]).rows
    assert beside == alone and "1 to 5" in str(ranked([*people, *metric]).signature)
    [row] = ranked([*people, *metric], "COMET").rows
    reach = stats.t.ppf(0.975, 5) * stats.sem([n / 10 for n in range(6)])
    assert (row["low"], row["high"]) == pytest.approx((0.25 - reach, 0.25 + reach))


def test_an_interval_of_a_bounded_mean_stays_on_its_scale() -> None:
    low, high = on_scale(7.5, 4.32, 10.68, (1, 10))
    assert low is not None and high is not None
    assert 1 < low < 7.5 < high < 10
    share = 6.5 / 9
    step = 3.18 / 9 / (share * (1 - share))
    assert low == pytest.approx(1 + 9 / (1 + math.exp(-(math.log(share / (1 - share)) - step))))
    narrow = on_scale(5.5, 5.4, 5.6, (1, 10))
    assert narrow == pytest.approx((5.4, 5.6), abs=1e-3), "in the middle it hardly changes"
    assert on_scale(10.0, 9.0, 11.0, (1, 10)) == (None, None)
    assert on_scale(7.5, 4.0, 11.0, None) == (4.0, 11.0)
    low, high = on_scale(0.25, -0.05, 0.55, (0.0, math.inf))
    assert low is not None and high is not None
    assert low > 0 and low * high == pytest.approx(0.25**2), "as far on both sides of the logarithm"
    assert math.log(high / 0.25) == pytest.approx(0.3 / 0.25)
    assert on_scale(0.0, 0.0, 0.0, (0.0, math.inf)) == (None, None)
    assert on_scale(1.0, -3.6, 5.6, (0.0, math.inf))[1] == pytest.approx(math.exp(4.6))
    assert on_scale(1.0, -3.7, 5.7, (0.0, math.inf)) == (None, None), "a hundred times higher or lower"
    assert on_scale(1e-9, -12.7, 12.7 + 2e-9, (0.0, math.inf)) == (None, None)
    assert on_scale(7.5, 5.0, 8.0, (1, 10)) == (5.0, 8.0), "resampled: it is on the scale already"


def test_one_system_alone_is_not_standardised() -> None:
    """z scores of one system have a mean of 0 whatever it is worth."""
    rows = scored_rows(material("da", documents=4))
    assert rows.table["system"].n_unique() > 1
    [several] = planned_rankings(protocols.load("da"), rows.table)
    assert several.options["standardise"]
    only = rows.table.filter(system=rows.table["system"][0])
    [alone] = planned_rankings(protocols.load("da"), only)
    assert "standardise" not in alone.options
    of_one = rank_systems(replace(rows, table=only), "score", protocols.load("da"), **alone.options)
    table = only.filter(question="score").to_pandas()
    mean = table.groupby(["document", "segment"])["score"].mean().mean()
    assert of_one.systems.rows[0]["score"] == pytest.approx(mean)


def test_a_plan_is_obeyed_whatever_its_protocol_is_called() -> None:
    """`ratings` is also the name of protocols that are made from answers."""
    da = protocols.load("da")
    own = da.model_copy(update={"name": "ratings"})
    rows = scored_rows(material("da", documents=4))
    assert planned_rankings(own, rows.table) == planned_rankings(da, rows.table)
    assert bounds_of(own, "score") == bounds_of(da, "score")
    assert not own.is_guessed and not da.is_guessed
    answers = [Judgement("j", "rating", "mood", f"d{value}", "", ("A",), value) for value in (1, 2, 3, 5)]
    one = guess(answers, {"mood": "Mood"})
    assert one.protocol.is_guessed and one.protocol.name == own.name


def test_where_all_people_are_left_out_the_models_are_scored() -> None:
    everyone = material("da", documents=4)
    first, *others = everyone.judges
    judges = (replace(first, kind=JudgeKind.MODEL), *others)
    people = {judge.id: "a test" for judge in others}
    assert set(scored_rows(replace(everyone, judges=judges)).table["judge"]) == set(people)
    assert set(scored_rows(replace(everyone, judges=judges, left_out=people)).table["judge"]) == {first.id}


def test_a_ranking_is_the_mean_of_raw_rows_and_says_how_its_intervals_were_made() -> None:
    world = material("h_falcon", judges=3, documents=4)
    made = rank_systems(counted(world.table, "scores"), "holistic_score", world.protocol)
    rows = raw(world.judgements)
    means = rows[rows["question"] == "holistic"].assign(value=lambda t: t["value"].astype(float))
    oracle = means.groupby("systems")["value"].mean()
    for row in made.systems.rows:
        assert row["score"] == pytest.approx(oracle[row["system"]])
        assert 1 <= row["low"] <= row["score"] <= row["high"] <= 10
    assert "main items by people" in str(made.systems.signature)
    assert "logit" in str(made.systems.signature)
    (pair,) = made.pairs.rows
    assert abs(pair["difference"]) == pytest.approx(abs(oracle["oak"] - oracle["elm"]))


def test_a_score_that_leaves_answers_out_says_how_many_count() -> None:
    world = material("falcon", judges=3, documents=4)
    rows = raw(world.judgements)
    level = rows[rows["question"] == "context"].set_index(["judge", "document", "segment"])["value"]
    rated = rows[rows["question"] == "ratings"].set_index(["judge", "document", "segment"]).index
    counting = sum(level[place] != "sentence_level" for place in rated)
    table = counted(world.table, "scores").table
    told = counts_some(table, "skill_mean", world.protocol)
    assert told is not None and told.startswith(f"{counting} of {len(rated)} judgements")
    assert 0 < counting < len(rated)
    assert counts_some(table.filter(pl.col("question") == "skill_mean"), "skill_mean", world.protocol) is None
    assert counts_some(table, "ratings", world.protocol) is None


def test_how_often_a_row_matters_and_how_well_it_is_handled_are_two_numbers() -> None:
    world = material("h_falcon", judges=3, documents=5)
    grid = world.protocol.find("skills")[1]  # type: ignore[union-attr, index]
    assert isinstance(grid, Grid) and grid.preselected
    worth = {option.id: option.value for option in grid.options}
    rows = raw(world.judgements)
    rows = rows[rows["question"] == "skills"]
    cells = pd.DataFrame(
        [
            {"system": row.systems, "row": name, "matters": label != grid.preselected, "worth": worth[label]}
            for row in rows.itertuples()
            for name, label in row.value.items()  # type: ignore[union-attr, attr-defined]
        ]
    )
    often = cells.groupby(["row", "system"])["matters"].mean()
    well = cells[cells["matters"]].groupby(["row", "system"])["worth"].mean()
    for entry in profile(counted(world.table, "scores"), grid, resampling=Resampling()):
        assert entry.matters.value == pytest.approx(often[entry.row, entry.system])
        if entry.quality.value is not None:
            assert entry.quality.value == pytest.approx(well[entry.row, entry.system])
            assert entry.quality.value >= 1, "an answer that does not matter is not averaged as 0"
        assert not np.isnan(entry.matters.value or 0)


def test_the_same_seed_gives_the_same_intervals_of_a_profile() -> None:
    """Documents came in another order each time, and the draws of a bootstrap with them."""
    world = material("h_falcon", judges=1, documents=20)
    assert world.protocol is not None
    _, grid = world.protocol.find("skills") or (None, None)
    assert grid is not None
    how = Resampling(method="percentile", n=50, seed=1)
    first, *others = [profile(counted(world.table, "scores"), grid, resampling=how) for _ in range(4)]
    assert all(other == first for other in others)


def test_only_rows_of_systems_are_kept_on_the_scale() -> None:
    system = {"kind": "system", "value": 98.0, "low": 93.0, "high": 103.0}
    judge = {"kind": "judge", "value": 1.0, "low": -4.0, "high": 6.0}
    verdict = {"kind": "verdict", "people": 3}
    first = Result("facets", 98.0, Interval(93.0, 103.0), rows=[system, judge], signature=Signature("facets"))
    kept = keep_on_scale(first, (0.0, 100.0))
    assert 0 < kept.rows[0]["low"] < 98 < kept.rows[0]["high"] < 100
    assert kept.interval is not None and kept.interval.high == kept.rows[0]["high"]
    assert dict(kept.rows[1]) == judge
    assert "scale" in dict(kept.signature.parts if kept.signature else ())
    rate = Result("replacement", 0.5, Interval(0.1, 0.9), rows=[verdict, system])
    assert keep_on_scale(rate, (0.0, 100.0)).interval == Interval(0.1, 0.9), "it is not about a score"
    assert dict(keep_on_scale(rate, (0.0, 100.0)).rows[0]) == verdict


@pytest.mark.parametrize(
    ("row", "bounds", "reason"),
    [
        ({"score": 1.0, "low": -11.7, "high": 13.7}, (0.0, math.inf), "a hundred times"),
        ({"score": 103.0, "low": 99.0, "high": 107.0}, (0.0, 100.0), "not between the ends of its scale (0 and 100)"),
    ],
)
def test_an_interval_that_is_lost_on_the_scale_has_a_reason(
    row: dict[str, float], bounds: tuple[float, float], reason: str
) -> None:
    result = Result("mean score", row["score"], Interval(row["low"], row["high"]), rows=[row], notes=("first",))
    kept = keep_on_scale(result, bounds)
    assert (kept.interval, kept.rows[0]["low"], kept.rows[0]["high"]) == (None, None, None)
    first, note = kept.notes
    assert first == "first" and reason in note
    missing = replace(result, interval=None, rows=[{"score": 0.0, "low": None, "high": None}])
    assert keep_on_scale(missing, bounds).notes == ("first",), "it had none before, and a note that says why"


COLUMNS = ["document", "segment", "system", "question", "role", "score"]


def table(scores: dict[str, dict[str, list[float]]]) -> pl.DataFrame:
    rows = [
        (document, str(at), system, "score", "main", score)
        for system, documents in scores.items()
        for document, values in documents.items()
        for at, score in enumerate(values)
    ]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def test_each_document_counts_one_over_its_probability() -> None:
    scores = {"a": {"hard": [10.0, 20.0], "easy": [80.0]}, "b": {"hard": [20.0, 20.0], "easy": [84.0]}}
    result = corrected_scores(table(scores), "score", {"hard": 1.0, "easy": 0.25})
    by_name = {(row["system"], row["other"]): row for row in result.rows}
    assert by_name["a", ""]["value"] == pytest.approx((30 + 80 * 4) / (2 + 4))
    assert by_name["a", ""]["chosen"] == pytest.approx(110 / 3)
    assert by_name["a", "b"]["value"] == pytest.approx((-10 - 4 * 4) / (2 + 4))
    assert "rows" not in dict(result.signature.parts) and "Hájek" in str(result.signature)


@pytest.mark.parametrize(("documents", "known"), [(2, False), (9, False), (10, True)])
def test_ten_documents_are_needed_for_an_interval(documents: int, known: bool) -> None:
    scores = {"a": {f"d{at}": [50.0 + at % 3] for at in range(documents)}}
    result = corrected_scores(table(scores), "score", {f"d{at}": 0.2 + 0.05 * at for at in range(documents)})
    assert (result.rows[0]["low"] is not None, result.rows[0]["high"] is not None) == (known, known)
    assert len(result.notes) == 1 and ("No interval" in result.notes[0]) == (not known)


def test_corrected_intervals_are_of_the_level_that_is_asked_for() -> None:
    scores = {"a": {f"d{at}": [50.0 + at % 3] for at in range(12)}}
    chances = dict.fromkeys(scores["a"], 0.5)  # equal weights: t over documents
    ends = [corrected_scores(table(scores), "score", chances, level=level) for level in (0.95, 0.9)]
    usual, narrow = (row["high"] - row["low"] for result in ends for row in result.rows)
    assert narrow / usual == pytest.approx(stats.t.ppf(0.95, 11) / stats.t.ppf(0.975, 11))
    assert "t 90%" in str(ends[1].signature)


def test_intervals_stay_on_the_scale() -> None:
    high = {f"d{at}": [100.0 if at else 40.0] for at in range(12)}
    low = {f"d{at}": [0.0 if at else 60.0] for at in range(12)}
    chances = {f"d{at}": 0.9 if at else 0.1 for at in range(12)}
    free = corrected_scores(table({"a": high, "b": low}), "score", chances)
    assert free.rows[0]["high"] > 100 and free.rows[1]["low"] < 0 and free.rows[2]["high"] > 100
    for row in corrected_scores(table({"a": high, "b": low}), "score", chances, (0.0, 100.0)).rows:
        start = -100.0 if row["other"] else 0.0
        assert start <= row["low"] < row["value"] < row["high"] <= 100


def test_the_interval_holds_the_mean_of_all_texts() -> None:
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(200):
        hard = rng.random(300) < 0.3
        truth = np.where(hard, 40.0, 80.0) + rng.normal(0, 8, 300)
        chances = np.where(hard, 0.5, 0.12)
        drawn = np.flatnonzero(rng.random(300) < chances)
        scores = {"a": {f"d{at}": [float(truth[at])] for at in drawn}}
        chance_of = {f"d{at}": float(chances[at]) for at in drawn}
        (row,) = corrected_scores(table(scores), "score", chance_of, (0.0, 100.0)).rows
        held += row["low"] <= 68.0 <= row["high"]
        assert row["chosen"] < 68.0
    assert 0.9 <= held / 200 <= 0.99


def test_equal_probabilities_give_the_plain_mean_and_interval() -> None:
    scores = {"a": {f"d{at}": [float(at % 7)] for at in range(12)}}
    (row,) = corrected_scores(table(scores), "score", {f"d{at}": 0.3 for at in range(12)}).rows
    values = np.array([at % 7 for at in range(12)], dtype=float)
    reach = stats.t.ppf(0.975, 11) * values.std(ddof=1) / np.sqrt(12)
    assert row["value"] == pytest.approx(values.mean()) == row["chosen"]
    assert (row["low"], row["high"]) == pytest.approx((values.mean() - reach, values.mean() + reach))


def test_the_bias_of_the_choice_is_stated() -> None:
    segment = (Segment("1", "A.", {}),)
    chosen = [Document("x", segment, meta={"selection": {"probability": 0.5}})]
    assert "chosen for difficulty" in str(choice_bias(chosen, {"design": "full"}))
    everything = [Document("x", segment, meta={"selection": {"probability": 1.0}})]
    assert choice_bias(everything, {"design": "full"}) is None, "all were taken"
    assert "drawn adaptively" in str(choice_bias([], {"design": "adaptive"}))
    assert choice_bias([Document("x", segment)], {"design": "random"}) is None


def test_documents_that_were_not_chosen_so_are_refused() -> None:
    scores = {"a": {"x": [1.0], "y": [6.0]}}
    with pytest.raises(InputError, match="'y' does not say"):
        corrected_scores(table(scores), "score", {"x": 0.3})
    with pytest.raises(InputError, match="No document says"):
        corrected_scores(table(scores), "score", {})
    segment = (Segment("1", "A.", {}),)
    kept = [Document("x", segment, meta={"selection": {"probability": 0.5}}), Document("y", segment)]
    assert probabilities(kept) == {"x": 0.5}
    odd = [
        Document("x", segment, meta={"selection": {"probability": 0}}),
        Document("y", segment, meta={"selection": 3}),
    ]
    assert probabilities(odd) == {}


KEYS = ["document", "segment", "system"]


def ratings(question: str = "score", sign: int = 1) -> pd.DataFrame:
    """Two people, a metric that follows them and an error rate that runs against them."""
    rng = np.random.default_rng(5)
    rows = []
    for document in range(5):
        for segment in range(3):
            for system, quality in (("oak", 70), ("ash", 60), ("elm", 45)):
                true = quality + rng.normal(0, 8)
                metric, errors = round(true / 100 + rng.normal(0, 0.03), 3), round(100 - true + rng.normal(0, 3), 1)
                for judge in ("ann", "ben"):
                    score = sign * round(true + rng.normal(0, 4))
                    rows.append((judge, f"d{document}", segment, system, score, metric, errors))
    return pd.DataFrame(rows, columns=["judge", *KEYS, question, "comet", "ter"])


def test_gold_is_the_mean_of_people_and_columns_of_metrics_are_scorers() -> None:
    frame = ratings()
    result = lanner.metaeval(frame, metrics=["comet", "ter"])
    rows = {row["metric"]: row for row in result.table.to_dicts()}
    assert set(rows) == {"comet", "ter"}
    item = frame.groupby(KEYS).mean(numeric_only=True)
    assert rows["comet"]["segment_pearson"] == pytest.approx(scipy.stats.pearsonr(item["score"], item["comet"])[0])
    assert rows["ter"]["segment_pearson"] == pytest.approx(-scipy.stats.pearsonr(item["score"], item["ter"])[0])
    assert rows["ter"]["sys_pairwise_accuracy"] == 1.0, "less of it is better"
    assert any("Less ter is better" in note for note in result.notes)
    assert any("mean of 2 people" in note for note in result.notes)


def test_points_of_error_as_gold_are_turned_round() -> None:
    frame = ratings("penalty", -1).assign(penalty=lambda table: table["penalty"] + 100)
    rows = {
        row["metric"]: row
        for row in lanner.metaeval(frame, question="penalty", metrics=["comet", "ter"]).table.to_dicts()
    }
    assert rows["comet"]["segment_pearson"] > 0.8 and rows["ter"]["segment_pearson"] > 0.8


def test_one_judge_can_be_gold_and_the_others_are_scorers() -> None:
    [part] = lanner.load(ratings(), columns="measure:ter=ter")
    scored = scored_set(part, gold="ann")
    assert (scored.gold.name, scored.scorers[0].name) == ("ann", "ben")
    assert scored.documents == tuple(f"d{n}" for n in range(5) for _ in range(3))
    chosen = scored_set(part, gold="ann", names=["ter"])
    assert [scorer.name for scorer in chosen.scorers] == ["ter"]
    assert gold_question(part) == "score"


def panel_with_a_copy(of: str, levels: int, segments: int, *, differs_once: bool = False) -> pl.DataFrame:
    """Scores by two people and by two models, one of which says what `of` says: a person, or the mean of both."""
    rng = np.random.default_rng(levels)
    rows = []
    for at in range(segments):
        quality = int(rng.integers(1, levels + 1))
        scores = {name: float(np.clip(quality + rng.integers(-1, 2), 1, levels)) for name in ("ann", "ben", "other")}
        scores["copy"] = scores[of] if of in scores else (scores["ann"] + scores["ben"]) / 2
        if differs_once and at == 7:
            scores["copy"] += 0.5
        for name, score in scores.items():
            kind = "person" if name in ("ann", "ben") else "model"
            rows.append((name, kind, f"d{at // 6}", str(at), "oak" if at % 2 else "elm", score))
    columns = ["judge", "judge_kind", "document", "segment", "system", "score"]
    return pl.DataFrame(rows, schema=columns, orient="row")


@pytest.mark.parametrize(("of", "gold"), [("ann", None), ("ann", "ann"), ("mean", None)])
def test_a_copy_of_gold_is_no_scorer(of: str, gold: str | None) -> None:
    [part] = lanner.load(panel_with_a_copy(of, 60, 60))
    found = scored_set(part, gold=gold)
    assert "copy" not in [scorer.name for scorer in found.scorers] and "other" in [s.name for s in found.scorers]
    whose = "ann" if of == "ann" else MEAN_OF_PEOPLE
    assert any(note.startswith(f"Left out: copy. It gives the very scores of {whose}") for note in found.notes)
    with pytest.raises(InputError, match="nothing to compare"):
        scored_set(part, gold=gold, names=["copy"])


@pytest.mark.parametrize(("levels", "segments", "differs"), [(5, 36, False), (60, 60, True)])
def test_who_says_the_same_on_few_segments_or_once_something_else_is_no_copy(
    levels: int, segments: int, differs: bool
) -> None:
    [part] = lanner.load(panel_with_a_copy("ann", levels, segments, differs_once=differs))
    found = scored_set(part, gold="ann")
    assert {scorer.name for scorer in found.scorers} == {"ben", "copy", "other"}
    assert not any("copy" in note for note in found.notes)


def test_a_column_that_is_no_answer_is_a_scorer_where_it_is_named() -> None:
    frame = ratings().rename(columns={"comet": "width of the page"})
    rows = lanner.metaeval(frame, metrics=["width of the page"]).table.to_dicts()
    assert [row["metric"] for row in rows] == ["width_of_the_page"]


def test_what_does_not_exist_is_named() -> None:
    [part] = lanner.load(ratings())
    with pytest.raises(InputError, match="no judge 'anne'"):
        scored_set(part, gold="anne")
    with pytest.raises(InputError, match="no scorer 'bleu'"):
        scored_set(part, gold=MEAN_OF_PEOPLE, names=["bleu"])
    with pytest.raises(InputError, match="no numbers for 'skore'"):
        scored_set(part, "skore")
    [people] = lanner.load(ratings().drop(columns=["comet", "ter"]))
    with pytest.raises(InputError, match="nothing to compare"):
        scored_set(people)


def test_settled_answers_are_no_scorer_of_the_people_they_are_made_of() -> None:
    frame = ratings().drop(columns=["comet", "ter"]).assign(judge_kind="person")
    settled = frame[frame["judge"] == "ann"].assign(judge="Agreed", judge_kind="adjudicated")
    model = frame[frame["judge"] == "ben"].assign(judge="gpt", judge_kind="model")
    model["score"] += np.arange(len(model)) % 3
    [part] = lanner.load(pd.concat([frame, settled, model]))
    assert {str(judge.kind) for judge in part.judges} == {"person", "adjudicated", "model"}
    assert [scorer.name for scorer in scored_set(part).scorers] == ["gpt"]
    assert "Agreed" in [scorer.name for scorer in scored_set(part, gold="gpt").scorers]


def test_counts_have_no_upper_end_and_places_end_with_the_number_of_systems(tmp_path: Path) -> None:
    """Nobody said how many errors there may be; of three systems none is in the fourth place."""
    counts = tmp_path / "counts.csv"
    rows = [("d1", 3, 1), ("d2", 5, 0), ("d3", 2, 2)]
    counts.write_text(
        "doc,annotator,system,errors\n" + "".join(f"{d},A,elm,{a}\n{d},A,oak,{b}\n" for d, a, b in rows),
        encoding="utf-8",
    )
    result = lanner.scores(counts)
    elm = result.table.filter(pl.col("system") == "elm").row(0, named=True)
    values = [a for _, a, _ in rows]
    mean, error = statistics.mean(values), statistics.stdev(values) / math.sqrt(3)
    factor = math.exp(4.302652729911275 * error / mean)  # t of two degrees of freedom, on the logarithm
    assert (elm["low"], elm["high"]) == pytest.approx((mean / factor, mean * factor))
    assert elm["high"] > 5, "beyond the largest count so far"
    assert "scale from 0, symmetric on the logarithm" in result.signature
    places = tmp_path / "places.csv"
    places.write_text(
        "doc,judge,elm rank,oak rank,ash rank\nd1,A,2,1,3\nd2,A,3,1,2\nd3,A,2,3,1\nd4,A,2,1,3\n", encoding="utf-8"
    )
    result = lanner.scores(places)
    assert all(1 <= low < mean < high <= 3 for low, mean, high in result.table.select("low", "score", "high").rows())
    assert "scale 1 to 3," in result.signature


def _exported(people: pd.DataFrame, *, noise: float = 0.0) -> pd.DataFrame:
    """What the layout of mt-metrics-eval says of a campaign: everybody's scores and their mean alike."""
    mean = people.groupby(KEYS, as_index=False)["score"].mean().assign(judge="da")
    mean["score"] += noise * np.arange(len(mean))
    other = people[people["judge"] == "ann"].assign(judge="gpt", score=lambda table: (table["score"] * 7) % 83)
    return pd.concat([people, mean, other]).assign(judge_kind="adjudicated")


def test_a_judge_is_not_held_against_a_mean_that_holds_their_own_scores() -> None:
    people = ratings()[["judge", *KEYS, "score"]]
    [part] = lanner.load(_exported(people))
    scored = scored_set(part, gold="da")
    assert [scorer.name for scorer in scored.scorers] == ["gpt"]
    assert any("ann and ben" in note for note in scored.notes)
    assert [scorer.name for scorer in scored_set(part, gold="ann").scorers] == ["ben", "gpt"]
    with pytest.raises(InputError, match="--gold"):
        scored_set(part, gold="da", names=["ben"])
    [own] = lanner.load(_exported(people, noise=0.01))
    assert [scorer.name for scorer in scored_set(own, gold="da").scorers] == ["ann", "ben", "gpt"]


def test_a_mean_is_recognised_where_judges_share_the_work() -> None:
    people = ratings()[["judge", *KEYS, "score"]]
    late = people["document"].isin(["d3", "d4"])
    people.loc[late & (people["judge"] == "ann"), "judge"] = "cem"
    people = people[~((people["document"] == "d0") & (people["judge"] == "ben"))]
    [part] = lanner.load(_exported(people))
    assert [scorer.name for scorer in scored_set(part, gold="da").scorers] == ["gpt"]
