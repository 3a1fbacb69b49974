"""Frames as analysts have them: odd indices, types and missing values. Numbers are checked with numpy, pandas and
scipy."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.stats

import lanner
import lanner.library
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
        (FRAME[["judge", "score"]], "no column says which text each is about"),
        (pd.concat([FRAME, FRAME[["score"]]], axis=1), "same name"),
        (FRAME.assign(judge=pd.Series(["\ud800"] * len(FRAME), dtype=object)), "half of a surrogate pair"),
    ],
)
def test_what_cannot_be_read_is_said_of_the_frame(frame: pd.DataFrame, words: str) -> None:
    with pytest.raises(InputError, match=words) as refused:
        lanner.agreement(frame)
    assert "parquet" not in str(refused.value) and "tmp" not in str(refused.value)


def other_ratings() -> pd.DataFrame:
    """The same items by the same judges on another day."""
    noise = np.random.default_rng(1).normal(0, 8, len(FRAME))
    return FRAME.assign(score=np.clip(FRAME["score"] + noise, 0, 100).round())


@cache
def comparison() -> lanner.library.Table:
    return lanner.compare(FRAME, other_ratings(), names=("first", "second"), resamples=20)


@cache
def scores() -> lanner.library.Table:
    return lanner.scores(FRAME)


def test_a_comparison_is_that_of_alpha_and_of_correlations_over_items() -> None:
    other, result = other_ratings(), comparison()
    rows = {(row["measure"], row["side"]): row for row in result.table.to_dicts()}
    first, second = rows["Score, α interval", "first"], rows["Score, α interval", "second"]
    assert (first["value"], second["value"]) == pytest.approx((alpha(FRAME), alpha(other)), abs=1e-12)
    assert second["difference"] == pytest.approx(alpha(FRAME) - alpha(other), abs=1e-12)
    assert second["difference_low"] < second["difference"] < second["difference_high"]
    items = [frame.groupby(KEYS)["score"].mean() for frame in (FRAME, other)]
    pearson = rows["Pearson r of first and second, by item", "second"]
    kendall = rows["Kendall τ-b of first and second, by item", "second"]
    assert pearson["value"] == pytest.approx(scipy.stats.pearsonr(*items)[0])
    assert kendall["value"] == pytest.approx(scipy.stats.kendalltau(*items)[0])
    assert len(items[0]) == pearson["n"]


def metrics() -> pd.DataFrame:
    """The means of the judges as the gold scores, and two metrics, one of which has ties."""
    gold = FRAME.groupby(KEYS)["score"].mean().reset_index()
    noise = np.random.default_rng(5)
    scores = {"gold": gold["score"], "near": gold["score"] + noise.normal(0, 3, len(gold))}
    scores["coarse"] = (gold["score"] + noise.normal(0, 20, len(gold))).round(-1)
    return pd.concat([gold.assign(judge=name, score=values) for name, values in scores.items()])


def pairwise_accuracy(gold: pd.Series, metric: pd.Series) -> float:
    """The best share of pairs of systems within a segment that a metric orders as the gold scores do, ties included,
    over all thresholds below which it counts two outputs as equal; the mean over segments."""
    differences: list[list[tuple[float, float]]] = []
    for _, own in gold.groupby(["document", "segment"]):
        pairs = list(combinations(own.index, 2))
        differences.append([(gold[a] - gold[b], metric[a] - metric[b]) for a, b in pairs])
    thresholds = {0.0, *(abs(m) for pairs in differences for _, m in pairs)}

    def accuracy(threshold: float) -> float:
        return float(
            np.mean(
                [np.mean([np.sign(g) == (np.sign(m) if abs(m) > threshold else 0) for g, m in p]) for p in differences]
            )
        )

    return max(map(accuracy, thresholds))


def test_meta_evaluation_is_that_of_scipy_and_of_counting_pairs() -> None:
    frame = metrics()
    rows = {row["metric"]: row for row in lanner.metaeval(frame, "gold").table.to_dicts()}
    by_item = frame.pivot_table(index=KEYS, columns="judge", values="score")
    by_system = by_item.groupby("system").mean()
    assert set(rows) == {"near", "coarse"}
    for name, row in rows.items():
        assert row["segment_pearson"] == pytest.approx(scipy.stats.pearsonr(by_item["gold"], by_item[name])[0])
        assert row["segment_spearman"] == pytest.approx(scipy.stats.spearmanr(by_item["gold"], by_item[name])[0])
        assert row["segment_kendall"] == pytest.approx(scipy.stats.kendalltau(by_item["gold"], by_item[name])[0])
        assert row["sys_pearson"] == pytest.approx(scipy.stats.pearsonr(by_system["gold"], by_system[name])[0])
        same = [
            np.sign(by_system["gold"][a] - by_system["gold"][b]) == np.sign(by_system[name][a] - by_system[name][b])
            for a, b in combinations(by_system.index, 2)
        ]
        assert row["sys_pairwise_accuracy"] == pytest.approx(np.mean(same))
        assert row["acc_eq"] == row["value"] == pytest.approx(pairwise_accuracy(by_item["gold"], by_item[name]))
        assert row["low"] <= row["value"] <= row["high"]


def test_figures_draw_the_numbers_of_their_tables() -> None:
    """Every estimate with an interval is a mark, and marks lie on a straight scale."""
    for result in (scores(), lanner.metaeval(metrics(), "gold"), comparison()):
        figure = result.plot()
        assert figure.table["value"].to_list() == result.table["value"].to_list()
        values = result.table.filter(pl.col("low").is_not_null())["value"].to_numpy()
        marks = np.array([float(x) for x in re.findall(r'<circle cx="([\d.]+)"', figure.svg)])
        assert len(marks) == len(values) > 1
        scale = (marks.max() - marks.min()) / (values.max() - values.min())
        assert marks - marks.min() == pytest.approx((values - values.min()) * scale, abs=0.2)


def test_a_report_prints_the_numbers_of_the_definitions(tmp_path: Path) -> None:
    report = lanner.report(FRAME, tmp_path / "report", resamples=20)
    tables = tmp_path / "report" / "tables"
    agreement = pd.read_csv(tables / "agreement.csv")
    assert agreement["value"].to_list() == pytest.approx([alpha(FRAME)])
    pairs = pd.read_csv(tables / "agreement-score.csv").set_index(["judge", "other"])["value"].to_dict()
    assert pairs == pytest.approx(
        {(a, b): alpha(FRAME[FRAME["judge"].isin([a, b])]) for a, b in combinations(("ann", "ben", "cyd"), 2)}
    )
    ranking = pd.read_csv(tables / "ranking-score.csv").set_index("system")
    means = FRAME.groupby("system")["score"].mean()
    assert ranking["score"].to_dict() == pytest.approx(means.to_dict())
    documents = FRAME.pivot_table(index="document", columns="system", values="score")
    assert ranking.loc["oak", "difference"] == pytest.approx((documents["oak"] - documents["ash"]).mean())
    page = report.path.read_text(encoding="utf-8")
    assert f"{alpha(FRAME):.2f}".lstrip("0") in page
    assert f"{means['oak']:.2f}" in page


def test_a_frame_with_a_column_for_each_system_says_what_to_name() -> None:
    pivot = FRAME.pivot_table(index=["judge", "document", "segment"], columns="system", values="score")
    with pytest.raises(InputError, match=r"which system it is about[^$]*answer:score about \w+=\w+"):
        lanner.scores(pivot)
    columns = {f"answer:score about {name}": name for name in pivot.columns}
    expected = scores().table.sort("system")["value"].to_list()
    assert lanner.scores(pivot, columns=columns).table.sort("system")["value"].to_list() == pytest.approx(expected)


@pytest.mark.parametrize("shape", ["series", "levels", "several values", "nameless levels"])
def test_a_series_or_a_frame_with_several_levels_of_names_is_read_as_its_rows(shape: str) -> None:
    keys = ["document", "segment", "system", "judge"]
    pivot = FRAME.pivot_table(index=["document", "segment"], columns=["system", "judge"], values="score")
    data = {
        "series": FRAME.set_index(keys)["score"],
        "levels": pivot,
        "several values": FRAME.assign(fluency=FRAME["score"] - 1).pivot_table(
            index=["document", "segment", "judge"], columns="system", values=["score", "fluency"]
        ),
        "nameless levels": pivot.rename(columns="annotator {}".format, level=1).rename_axis(columns=[None, None]),
    }[shape]
    before = data.copy()
    expected = scores().table.sort("system")["value"].to_list()
    values = lanner.scores(data, question="score").table.sort("system")["value"].to_list()
    assert values == pytest.approx(expected)
    agreement = lanner.agreement(data, question="score", resamples=20).table["value"].to_list()
    assert agreement == pytest.approx([alpha(FRAME)])
    assert data.equals(before) and list(data.index.names) == list(before.index.names)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (FRAME.to_dict("records"), "list of dict"),
        (FRAME.to_dict("list"), "dict"),
        ([], "list"),
        ([FRAME], "list of DataFrame"),
    ],
)
def test_data_that_is_no_frame_says_how_it_becomes_one(data: Any, kind: str) -> None:
    """Rows as dictionaries were taken for paths, and the message was Python's."""
    with pytest.raises(InputError, match=f"Data of type {kind} cannot be read") as refused:
        lanner.agreement(data)
    assert "pandas.DataFrame" in refused.value.next_step


def test_an_answer_that_cannot_be_read_is_found_in_the_frame() -> None:
    """A temporary file was named, which nobody has."""
    frame = FRAME.astype({"score": str})
    frame.loc[4, "score"] = "terrible"
    for analyse in (lanner.load, lanner.agreement):
        with pytest.raises(InputError) as caught:
            analyse(frame)
        assert (caught.value.where.file, caught.value.where.line) == ("the frame", 5)


def test_what_is_better_can_be_said_in_python() -> None:
    lower = lanner.scores(FRAME, better="lower").table
    higher = lanner.scores(FRAME).table
    best = [table.filter(pl.col("rank") == 1)["system"].to_list() for table in (lower, higher)]
    assert best == [["fir"], ["oak"]]
    with pytest.raises(InputError):
        lanner.scores(FRAME, better="less")  # type: ignore[arg-type]


@pytest.mark.parametrize("frame", [FRAME, pl.from_pandas(FRAME), FRAME["score"]])
def test_a_frame_that_is_read_as_a_file_says_what_reads_frames(frame: Any) -> None:
    """A column was called a missing file, or Python's own message came."""
    for read_file in (lanner.read, lanner.from_file):
        with pytest.raises(InputError, match="is no file") as refused:
            read_file(frame)
        assert "lanner.load" in refused.value.next_step
