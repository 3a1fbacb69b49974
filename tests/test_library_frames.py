"""Frames as analysts have them: odd indices, types and missing values. Numbers are checked with numpy and pandas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import lanner
from lanner.errors import InputError

_random = np.random.default_rng(3)
FRAME = pd.DataFrame(
    [
        (
            judge,
            f"d{d:02d}",
            segment,
            system,
            int(np.clip(base + 9 * (d % 4) + severity + _random.normal(0, 6), 0, 100)),
        )
        for d in range(10)
        for segment in range(2)
        for system, base in (("oak", 62), ("ash", 54), ("fir", 40))
        for judge, severity in (("ann", 4), ("ben", -3), ("cyd", 0))
    ],
    columns=["judge", "document", "segment", "system", "score"],
)
KEYS = ["document", "segment", "system"]


def alpha(frame: pd.DataFrame) -> float:
    """Krippendorff's α for numbers, by its definition: disagreement within items over that among all answers."""
    answers = frame.dropna(subset=["score"])
    items = [group.to_numpy(float) for _, group in answers.groupby(KEYS, observed=True)["score"]]
    items = [values for values in items if len(values) > 1]
    pooled = np.concatenate(items)
    within = sum(((v[:, None] - v[None, :]) ** 2).sum() / (len(v) - 1) for v in items) / len(pooled)
    among = ((pooled[:, None] - pooled[None, :]) ** 2).sum() / (len(pooled) * (len(pooled) - 1))
    return float(1 - within / among)


def _with_missing(kind: str) -> pd.DataFrame:
    frame = FRAME.astype({"score": kind})
    frame.loc[::7, "score"] = pd.NA if kind == "Int64" else np.nan
    return frame


FRAMES: dict[str, Callable[[], Any]] = {
    "an index of two levels": lambda: FRAME.set_index(["document", "segment"], append=True),
    "shuffled": lambda: FRAME.sample(frac=1, random_state=1),
    "categories": lambda: FRAME.astype({"judge": "category", "system": "category", "document": "category"}),
    "nullable whole numbers": lambda: FRAME.astype({"score": "Int64", "segment": "Int64"}),
    "judges by number": lambda: FRAME.assign(judge=FRAME["judge"].map({"ann": 1, "ben": 2, "cyd": 3})),
    "Polars categories": lambda: pl.from_pandas(FRAME).with_columns(pl.col("judge", "system").cast(pl.Categorical)),
    "lazy": lambda: pl.from_pandas(FRAME).lazy(),
    "Korean names": lambda: FRAME.set_axis(["평가자", "문서", "문장", "시스템", "점수"], axis=1),
    "Arabic names": lambda: FRAME.set_axis(["المقيم", "المستند", "الجملة", "النظام", "الدرجة"], axis=1),
    "a column per judge": lambda: FRAME.pivot_table(index=KEYS, columns="judge", values="score").reset_index(),
    "a pivot with its index": lambda: FRAME.pivot_table(index=KEYS, columns="judge", values="score"),
    "missing nullable numbers": lambda: _with_missing("Int64"),
    "missing numbers": lambda: _with_missing("float"),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", FRAMES)
def test_agreement_is_that_of_the_definition(name: str) -> None:
    (row,) = lanner.agreement(FRAMES[name](), resamples=20).table.to_dicts()
    reference = _with_missing("float") if name.startswith("missing") else FRAME
    assert row["value"] == pytest.approx(alpha(reference), abs=1e-12)
    assert row["low"] < row["value"] < row["high"]


@pytest.mark.parametrize("name", ["shuffled", "Korean names", "missing nullable numbers"])
def test_scores_are_means_and_not_standardised_by_a_guess(name: str) -> None:
    result = lanner.scores(FRAMES[name]())
    reference = _with_missing("float") if name.startswith("missing") else FRAME
    items = reference.dropna().groupby(["system", "document", "segment"])["score"].mean()
    means = items.groupby("system").mean().to_dict()
    assert {row["system"]: row["value"] for row in result.table.to_dicts()} == pytest.approx(means)
    assert result.title == "Scores"
    assert any("z per judge" in note for note in result.notes) == (name != "Korean names"), "no protocol fits those"


def test_standardised_scores_say_so() -> None:
    z = FRAME.assign(
        score=FRAME.groupby("judge")["score"].transform(lambda values: (values - values.mean()) / values.std())
    )
    for result in (lanner.scores(FRAME, standardise=True), lanner.scores(FRAME, protocol="da")):
        assert result.title == "Scores, z per judge"
        assert {row["system"]: row["value"] for row in result.table.to_dicts()} == pytest.approx(
            z.groupby("system")["score"].mean().to_dict()
        )


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (pd.DataFrame(), "no rows"),
        (FRAME[["judge", "score"]], "not clear what its columns hold: judge, score"),
        (pd.concat([FRAME, FRAME[["score"]]], axis=1), "same name"),
    ],
)
def test_what_cannot_be_read_is_said_of_the_frame(frame: pd.DataFrame, words: str) -> None:
    with pytest.raises(InputError, match=words) as refused:
        lanner.agreement(frame)
    assert "parquet" not in str(refused.value) and "tmp" not in str(refused.value)
