from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.plain_oracle import raw
from lanner import protocols
from lanner.analysis import counted
from lanner.analysis.scores import (
    bounds_of,
    keep_on_scale,
    on_scale,
    planned_rankings,
    profile,
    rank_systems,
    scored_rows,
)
from lanner.model import Grid, Interval, JudgeKind, Result, Signature
from lanner.stats.resample import Resampling
from reports.world import material


def test_scores_have_the_ends_of_their_scale() -> None:
    falcon = protocols.load("h_falcon")
    assert bounds_of(falcon, "holistic") == bounds_of(falcon, "holistic_score") == (1, 10)
    assert bounds_of(protocols.load("esa"), "score") == (0, 100)
    assert bounds_of(falcon, "skill_sum") is None


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
