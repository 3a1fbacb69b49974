"""Every statistic beside a number that somebody else printed (docs/published.toml), or a reason why there is none."""

from __future__ import annotations

import ast
import importlib
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from lanner.model import Result
from lanner.stats import association, diagnosis, effort, preference, ranking, regression
from lanner.stats.agreement import COEFFICIENTS
from lanner.stats.association import correlate
from lanner.stats.preference import bradley_terry
from lanner.stats.resample import Replicates, Resampling, replicate
from rating_tables import GOLDEN, table

ROOT = Path(__file__).parents[2]
PUBLISHED = tomllib.loads((ROOT / "docs" / "published.toml").read_text(encoding="utf-8"))
HELD = [row for row in PUBLISHED["value"] if "test" not in row]
QUICK = Resampling(n=200)
LONGLEY = {
    "y": [60323, 61122, 60171, 61187, 63221, 63639, 64989, 63761,
          66019, 67857, 68169, 66513, 68655, 69564, 69331, 70551],
    "x1": [83.0, 88.5, 88.2, 89.5, 96.2, 98.1, 99.0, 100.0, 101.2, 104.6, 108.4, 110.8, 112.6, 114.2, 115.7, 116.9],
    "x2": [234289, 259426, 258054, 284599, 328975, 346999, 365385, 363112,
           397469, 419180, 442769, 444546, 482704, 502601, 518173, 554894],
    "x3": [2356, 2325, 3682, 3351, 2099, 1932, 1870, 3578, 2904, 2822, 2936, 4681, 3813, 3931, 4806, 4007],
    "x4": [1590, 1456, 1616, 1650, 3099, 3594, 3547, 3350, 3048, 2857, 2798, 2637, 2552, 2514, 2572, 2827],
    "x5": [107608, 108632, 109773, 110929, 112075, 113270, 115094, 116219,
           117388, 118734, 120445, 121950, 123366, 125368, 127852, 130081],
    "x6": list(range(1947, 1963)),
}  # fmt: skip
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
BASEBALL = [  # games that the team of the row won against that of the column
    [0, 7, 9, 7, 7, 9, 11], [6, 0, 7, 5, 11, 9, 9], [4, 6, 0, 7, 7, 8, 12], [6, 8, 6, 0, 6, 7, 10],
    [6, 2, 6, 7, 0, 7, 12], [4, 4, 5, 6, 6, 0, 6], [2, 4, 1, 3, 1, 7, 0],
]  # fmt: skip


def rated(row: dict[str, Any]) -> pl.DataFrame:
    """The judges' answers of a row: a table of counts, one string per judge or per item, or a golden case."""
    kind = row.get("kind", "label")
    if "table" in row:
        cells = [(a, b) for a, line in enumerate(row["table"]) for b, n in enumerate(line) for _ in range(n)]
        return table(list(zip(*cells, strict=True)), kind)
    if "items" in row:
        return table(list(zip(*row["items"], strict=True)), kind)
    if "golden" in row:
        level = row.get("options", {}).get("level", "nominal")
        return table(GOLDEN[row["golden"]]["ratings"], "label" if kind == "label" and level == "nominal" else "score")
    return table(row["ratings"], kind)


def fitted(columns: dict[str, list[float]], row: dict[str, Any]) -> float:
    data = {name: [float(v) for v in values] for name, values in columns.items()}
    made = pl.DataFrame({**data, "judge": ["j"] * len(data["y"]), "item": [str(k) for k in range(len(data["y"]))]})
    found = regression.regress(
        made, "y", [name for name in columns if name != "y"], errors="classical", resampling=QUICK
    )
    if "term" not in row:
        return checked(found)
    return next(r for r in found.rows if r["term"] == row["term"])[row.get("field", "value")]


def contest(wins: list[list[int]], names: tuple[str, ...]) -> pl.DataFrame:
    games = [(a, b) for a, line in enumerate(wins) for b, n in enumerate(line) for _ in range(n)]
    return pl.DataFrame(
        {
            "judge": ["j"] * len(games),
            "document": [str(k) for k in range(len(games))],
            "segment": [str(k) for k in range(len(games))],
            "system": [f"{names[a]}|{names[b]}" for a, b in games],
            "label": ["a"] * len(games),
        }
    )


def signs(wins: int, losses: int, ties: int) -> pl.DataFrame:
    labels = ["a"] * wins + ["b"] * losses + ["tie"] * ties
    n = len(labels)
    places = [str(k) for k in range(n)]
    return pl.DataFrame(
        {"judge": ["j"] * n, "document": places, "segment": places, "label": labels, "system": ["x|y"] * n}
    )


def checked(result: Result) -> float:
    """The value, after a look at what every number must carry."""
    assert result.value is not None and result.counts["items"] > 0 and 0 <= result.missing <= 1
    assert str(result.signature) and result.interval is not None and result.interval.unit in ("document", "item")
    return result.value


def computed(row: dict[str, Any]) -> float:
    module, name = row["statistic"].split(".")
    options = row.get("options", {})
    if "longley" in row or (module == "regression" and "x" in row):
        return fitted(LONGLEY if "longley" in row else {"x": row["x"], "y": row["y"]}, row)
    if "method" in row:
        return checked(
            correlate(np.array(row["x"], float), np.array(row["y"], float), methods=[row["method"]], resampling=QUICK)[
                0
            ]
        )
    if "wins" in row:
        found = {r["system"]: r["value"] for r in bradley_terry(contest(BASEBALL, TEAMS), resampling=QUICK).rows
                 if r["kind"] == "system"}  # fmt: skip
        return found[row["pair"][0]] - found[row["pair"][1]]
    if "signs" in row:
        tested = preference.sign_test(signs(*row["signs"]), favour="x", resampling=QUICK, **options)
        return tested.rows[0][f"p_{options.get('ties', 'drop')}"]  # as published: every judgement by itself
    if name in COEFFICIENTS and module == "agreement":
        return checked(COEFFICIENTS[name](rated(row), resampling=QUICK, **options))
    several = getattr(importlib.import_module(f"lanner.stats.{module}"), name)(rated(row), resampling=QUICK, **options)
    return checked(several[row["place"]])


@pytest.mark.parametrize("row", HELD, ids=lambda row: f"{row['statistic']}: {row['source']}"[:90])
def test_the_published_number_comes_out(row: dict[str, Any]) -> None:
    assert computed(row) == pytest.approx(row["value"], abs=row["tolerance"])


def test_every_public_statistic_has_a_number_or_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    reference = importlib.import_module("reference")
    public = {f"{module}.{name}" for family in reference.STATISTICS for module, name, _ in reference.offered(family)}
    rows = [row["statistic"] for row in (*PUBLISHED["value"], *PUBLISHED["definition"])]
    assert set(rows) == public
    twice = {row["statistic"] for row in PUBLISHED["value"]} & {row["statistic"] for row in PUBLISHED["definition"]}
    assert not twice, "a statistic with a published number needs no reason"


@pytest.mark.parametrize(
    "place", sorted({row["test"] for row in (*PUBLISHED["value"], *PUBLISHED["definition"]) if "test" in row})
)
def test_the_test_that_is_named_exists(place: str) -> None:
    file, *names = place.split("::")
    node: Any = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    for name in names:
        node = next((each for each in node.body if getattr(each, "name", None) == name), None)
        assert node is not None, f"{file} has no {name}"


def test_the_page_says_which_numbers_were_quoted_from_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    reference = importlib.import_module("reference")
    pages = [reference.statistic_page(family) for family in reference.STATISTICS]
    lines = [line for page in pages for line in page.splitlines() if line.startswith("- ")]
    marks = {row["source"]: row.get("seen", True) for row in PUBLISHED["value"]}
    assert all(isinstance(seen, bool) for seen in marks.values())
    assert not all(marks.values()), "without such a row this test proves nothing"
    for source, seen in marks.items():
        about = [line for line in lines if line.startswith((f"- {source}: ", f"- {source}, recomputed by"))]
        assert about and all(line.endswith(reference.UNSEEN) is not seen for line in about), source


def test_the_jackknife_error_of_the_law_schools() -> None:
    """Efron & Tibshirani 1993: the correlation of 15 law schools has a jackknife standard error of 0.1425."""
    row = next(row for row in HELD if "law schools" in row["source"])
    x, y = np.array(row["x"], float), np.array(row["y"], float)

    def correlation(weights: np.ndarray) -> np.ndarray:
        return np.array([[np.cov(x, y, aweights=w)[0, 1] / np.sqrt(np.prod(np.diag(np.cov(x, y, aweights=w))))]
                         for w in weights])  # fmt: skip

    found: Replicates = replicate(correlation, len(x), Resampling(method="t"))
    assert float(found.variance()[0]) ** 0.5 == pytest.approx(0.1425, abs=5e-5)


def study() -> pl.DataFrame:
    """Three judges, two systems, twelve documents of three sentences: a label and a score for each."""
    rng = np.random.default_rng(5)
    rows = [
        (f"j{judge}", f"d{at // 3:02}", str(at), system, float(np.clip(round(70 + rng.normal(0, 15)), 0, 100)))
        for judge in range(3)
        for at in range(36)
        for system in ("elm", "oak")
    ]
    made = pl.DataFrame(rows, schema=["judge", "document", "segment", "system", "score"], orient="row")
    return made.with_columns(active=pl.col("score") / 3 + 1, place=pl.Series(rng.normal(size=len(made))))


@pytest.mark.parametrize(
    "ask",
    [
        lambda scores, _: association.correlations(scores, "q", resampling=QUICK),
        lambda scores, _: association.between_measures(scores.drop("question"), "score", "place", resampling=QUICK),
        lambda scores, _: regression.regress(scores, "q", ["system"], resampling=QUICK),
        lambda scores, _: regression.blocks(scores, "q", ["system"], resampling=QUICK),
        lambda scores, _: ranking.systems(scores, "q", resampling=QUICK),
        lambda scores, _: effort.throughput(scores, resampling=QUICK),
        lambda scores, _: effort.fatigue(scores),
        lambda scores, _: diagnosis.severity(scores, resampling=QUICK)[0],
        lambda _, labels: diagnosis.bias(labels, resampling=QUICK)[0],
        lambda _, labels: diagnosis.merging(labels, resampling=QUICK)[0],
        lambda _, labels: diagnosis.disagreements(labels, resampling=QUICK)[0],
        lambda _, labels: diagnosis.confusion(labels, resampling=QUICK)[0],
        lambda _, labels: diagnosis.leave_one_out(labels, resampling=QUICK)[0],
        lambda _, labels: diagnosis.difference(
            COEFFICIENTS["kappa"].plan(labels, judges=["j0", "j1"]),
            COEFFICIENTS["kappa"].plan(labels),
            resampling=QUICK,
        ),
        lambda _, labels: preference.sign_test(sided(labels), resampling=QUICK),
        lambda _, labels: preference.side_bias(sided(labels), resampling=QUICK),
        *(
            (lambda _, labels, name=name: COEFFICIENTS[name](labels, resampling=QUICK))
            for name in ("percent", "kappa", "scott", "fleiss", "conger", "brennan_prediger", "gwet", "wmt", "alpha")
        ),
    ],
)
def test_every_number_says_on_what_it_rests(ask: Any) -> None:
    """Estimate, interval with its unit, items, judges and documents, missing share, signature."""
    scores = study().with_columns(question=pl.lit("q"))
    named = pl.when(pl.col("score") > 78).then(pl.lit("a")).when(pl.col("score") > 62).then(pl.lit("b"))
    labels = scores.with_columns(label=named.otherwise(pl.lit("tie")))
    result = ask(scores, labels.drop("score", "active", "place"))
    assert {"items", "judges", "documents"} <= set(result.counts)
    assert 0 < result.counts["documents"] <= 12 and 0 < result.counts["judges"] <= 3
    assert checked(result) == result.value


def sided(labels: pl.DataFrame) -> pl.DataFrame:
    return labels.filter(pl.col("system") == "elm").with_columns(system=pl.lit("elm|oak"))
