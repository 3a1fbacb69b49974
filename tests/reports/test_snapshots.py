"""What figures, the page and the tables look like, kept as files: a change of look is seen before it is shipped.

After a wanted change: LANNER_SNAPSHOTS=write pytest tests/reports/test_snapshots.py, then look at the files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from lanner.figures.charts import (
    Bar,
    Curve,
    DomainPanel,
    Effect,
    EstimateGroup,
    EstimateRow,
    Estimator,
    Merge,
    ModelPanel,
    Pair,
    Preference,
    bars,
    confusion,
    curves,
    estimators,
    forest,
    heat_map,
    histogram,
    intervals,
    merging,
    preference,
    shares,
    throughput,
)
from lanner.reports import rendering
from reports.sample import report

FOLDER = Path(__file__).parent / "snapshots"
EFFECTS = {"sentence": Effect(1.43, 1.22, 1.63, 0.0001), "style": Effect(0.1, -0.1, 0.3, 0.4)}
TERMS = [("sentence", "Sentence score", ""), ("style", "Style and register", "tenor")]
SHAPES: dict[str, Callable[[], object]] = {
    "heat_map.svg": lambda: heat_map(
        ["J1", "J2", "o3"], 2, {("J1", "J2"): Pair(0.388, 0.33, 0.44, 0.66, 809), ("J1", "o3"): Pair(0.148, n=809)}
    ),
    "heat_map_long_names.svg": lambda: heat_map(
        ["Annotator with a long name", "김민지 판정자", "another-annotator@example"], 3,
        {("Annotator with a long name", "김민지 판정자"): Pair(0.5, 0.4, 0.6, 0.7, 20)},
    ),
    "confusion.svg": lambda: confusion(["Sentence level", "Local"], "J1", "J2", [[37, 8], [5, 4]]),
    "merging.svg": lambda: merging(("Sentence level", "Local"), [Merge("J1 – J2", 133, 242, 0.5, 0.58)]),
    "preference.svg": lambda: preference([Preference("Adequacy", "documents", 74, 22, 104, 0.029)], "mt", "human"),
    "forest.svg": lambda: forest(TERMS, [ModelPanel("J2", "n 298", {}, EFFECTS, [("both", 0.47)])], "points"),
    "estimators.svg": lambda: estimators(
        TERMS, [EstimateGroup("J2", "n 298", [Estimator(n, EFFECTS) for n in ("OLS", "clustered", "mixed")])], "points"
    ),
    "histogram.svg": lambda: histogram([("J2", {1: 25, 2: 95, 3: 115})], "skills"),
    "intervals.svg": lambda: intervals(
        "Agreement", [EstimateRow("Context", 0.42, 0.37, 0.46, "n 809"), EstimateRow("Skills", None)]
    ),
    "curves.svg": lambda: curves("Along", [Curve("all people", [(1, 2.0), (2, 3.0)], [(1.5, 2.5), None])], "fifth"),
    "bars.svg": lambda: bars("Marks", [Bar("Accuracy", [("pmt", 12, "Major"), ("a1", 30, "Minor")], "42")]),
    "shares.svg": lambda: shares([("l", "Local", "")], [DomainPanel("news", 9, {"J1": {"l": 0.4}})], ["J1"], ["o3"]),
    "throughput.svg": lambda: throughput(["news", "social"], {"J1": {"news": 1.2, "social": 2.1}}),
    "report.html": lambda: re.sub(
        r"(<style>|<script>).*?(</style>|</script>)", "", rendering.render(report()), flags=re.S
    ),
    "tables.tex": lambda: rendering.latex_document(report()),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_it_still_looks_the_same(name: str) -> None:
    made = re.sub(r"(sha256-|base64,)[\w+/=]+", r"\1…", str(SHAPES[name]()))  # hashes and files inside links
    if os.environ.get("LANNER_SNAPSHOTS") == "write":
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / name).write_text(made, encoding="utf-8")
    assert made == (FOLDER / name).read_text(encoding="utf-8")
