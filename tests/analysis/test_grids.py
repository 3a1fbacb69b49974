from __future__ import annotations

import numpy as np
import pytest

from analysis.plain_oracle import grid_alpha, raw
from lanner.analysis.comparable import question_ratings
from lanner.analysis.grids import mean_alpha, row_ratings
from lanner.model import Grid
from lanner.stats.alpha import alpha
from lanner.stats.resample import Resampling
from reports.world import material


def test_the_mean_of_the_rows_against_pandas() -> None:
    world = material("h_falcon", judges=3, documents=5)
    grid = world.protocol.find("skills")[1]  # type: ignore[union-attr, index]
    assert isinstance(grid, Grid)
    rows = raw(world.judgements)
    mean, by_row = grid_alpha(rows[rows["question"] == "skills"], [option.id for option in grid.options])
    rated = question_ratings(world.table, grid)
    result = mean_alpha(rated, level="ordinal")
    assert result.value == pytest.approx(mean, abs=1e-12)
    assert {row: alpha(row_ratings(rated, row), level="ordinal").value for row in by_row} == pytest.approx(by_row)
    assert result.counts["items"] == 5 * 6 * 2, "an item is counted once, however many rows it has"
    assert "mean of 9 rows" in str(result.signature)
    assert alpha(rated, level="ordinal").value != pytest.approx(mean, abs=1e-4), "pooled is another number"


def test_the_interval_is_the_jackknife_over_documents_of_the_mean() -> None:
    world = material("h_falcon", judges=3, documents=6)
    grid = world.protocol.find("skills")[1]  # type: ignore[union-attr, index]
    order = [option.id for option in grid.options]  # type: ignore[union-attr]
    rows = raw(world.judgements)
    rows = rows[rows["question"] == "skills"]
    left = [grid_alpha(rows[rows["document"] != name], order)[0] for name in sorted(set(rows["document"]))]
    spread = np.sqrt(5 / 6 * np.sum((np.array(left) - np.mean(left)) ** 2))
    result = mean_alpha(question_ratings(world.table, grid), level="ordinal")
    from_t = 2.5705818366147  # t quantile, five degrees of freedom
    value = result.value
    assert value is not None
    slope = 1 - value**2  # symmetric after Fisher's transformation
    assert result.high == pytest.approx(np.tanh(np.arctanh(value) + from_t * spread / slope), abs=1e-9)
    assert result.low == pytest.approx(np.tanh(np.arctanh(value) - from_t * spread / slope), abs=1e-9)


def test_items_and_judges_can_be_the_unit() -> None:
    world = material("h_falcon", judges=4, documents=4)
    rated = question_ratings(world.table, world.protocol.find("skills")[1])  # type: ignore[union-attr, index]
    values = {
        unit: mean_alpha(rated, level="ordinal", resampling=Resampling(unit=unit, n=200))  # type: ignore[arg-type]
        for unit in ("document", "item", "judge")
    }
    assert len({round(result.value or 0, 12) for result in values.values()}) == 1
    assert len({result.low for result in values.values()}) == 3


def test_a_row_without_variation_is_passed_over_and_named() -> None:
    world = material("h_falcon", judges=2, documents=4)
    rated = question_ratings(world.table, world.protocol.find("skills")[1])  # type: ignore[union-attr, index]
    first = rated.items["row"][0]
    same = np.asarray(rated.items["row"] == first)[rated.item]
    flat = type(rated)(**{**vars(rated), "code": np.where(same, 0, rated.code).astype(np.int32)})
    result = mean_alpha(flat, level="ordinal")
    assert "1 of 9 rows" in " ".join(result.notes)
    others = [row for row in rated.items["row"].unique() if row != first]
    rest = [alpha(row_ratings(rated, row), level="ordinal").value for row in others]
    assert result.value == pytest.approx(np.mean([value for value in rest if value is not None]))


def test_nothing_to_agree_on_is_no_number() -> None:
    world = material("h_falcon", judges=1, documents=2)
    rated = question_ratings(world.table, world.protocol.find("skills")[1])  # type: ignore[union-attr, index]
    assert mean_alpha(rated, level="ordinal").value is None
    assert row_ratings(rated, "no such row").n_items == 0
