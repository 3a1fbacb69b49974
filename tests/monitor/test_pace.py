from __future__ import annotations

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from lanner.model import Role
from lanner.monitor.pace import paces

NOW = datetime(2026, 11, 13, 12, tzinfo=UTC)


def times(judge: str, seconds: list[float], start: datetime = NOW - timedelta(days=2)) -> pl.DataFrame:
    rows = [
        {"judge": judge, "document": "d", "segment": str(at), "system": "", "role": "main", "domain": "news",
         "active": second, "elapsed": 2 * second, "answered_at": start + timedelta(minutes=at)}
        for at, second in enumerate(seconds)
    ]  # fmt: skip
    return pl.DataFrame(rows)


def test_a_pace_counts_each_item_once_at_its_longest() -> None:
    table = pl.concat([times("a", [30.0] * 30), times("a", [60.0] * 30)])
    pace = paces(table)["a"]
    assert pace.active == 1800
    assert pace.median == 60
    assert pace.per_minute == pytest.approx(1)
    assert pace.parts == pytest.approx([1.0] * 10)


def test_how_fast_a_judge_is_counts_main_items_domain_by_domain_and_active_time_everything() -> None:
    news, talks = times("a", [30.0] * 10), times("a", [60.0] * 30).with_columns(domain=pl.lit("talks"))
    controls = times("a", [1.0] * 5).with_columns(role=pl.lit("control"))
    calibration = times("a", [120.0] * 3).with_columns(role=pl.lit("calibration"))
    table = pl.concat([news, talks, controls, calibration])
    pace = paces(table)["a"]
    assert (pace.active, pace.median) == (300 + 1800 + 5 + 360, 60)
    assert pace.per_minute == pytest.approx((2 + 1) / 2), "as in the report"
    assert paces(table, Role.CALIBRATION)["a"].per_minute == pytest.approx(0.5)


def test_ten_parts_show_who_becomes_faster() -> None:
    parts = paces(times("a", [float(x) for x in range(40, 0, -1)]))["a"].parts
    assert list(parts) == sorted(parts)


def test_few_items_have_no_parts_and_nothing_has_no_pace() -> None:
    assert paces(times("a", [30.0] * 5))["a"].parts == ()
    assert paces(pl.DataFrame()) == {}


def test_elapsed_time_stands_in_where_activity_is_not_known() -> None:
    table = times("a", [30.0] * 4).with_columns(active=pl.lit(None, pl.Float64))
    assert paces(table)["a"].active == 240
