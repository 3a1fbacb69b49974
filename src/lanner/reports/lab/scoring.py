"""Does it matter whether errors or skills are summed by weight or merely counted?"""

from __future__ import annotations

from typing import Any

from lanner.reports.figures.intervals import Row, intervals
from lanner.reports.lab.answer import Answer, Lab, Value, gathered
from lanner.reports.lab.sides import Side
from lanner.reports.parts import Figure
from lanner.reports.typeset import estimate, words
from lanner.stats.association import correlations

_SUMS, _COUNTS = ("grid_sum", "weighted_spans", "sum"), ("grid_count", "count")


def scoring(lab: Lab) -> Answer:
    """Pearson's r between two people of the weighted sum and of the count, on the items both judged."""
    title = "Sum or count?"
    found = [(side, pair) for side in lab.whole if (pair := _pair(side))]
    if not found:
        return Answer(title, missing="no side has both a sum and a count of the same answers.")
    rows: list[dict[str, Any]] = []
    for side, pair in found:
        result = correlations(side.by_people, list(pair), methods=["pearson"], resampling=lab.resampling)
        for name in pair:
            own = [row for row in result.rows if row["of"] == name and row["value"] is not None and row["n"] >= 10]
            if own:
                mean = sum(row["value"] * row["n"] for row in own) / sum(row["n"] for row in own)
                ends = (own[0]["low"], own[0]["high"]) if len(own) == 1 else (None, None)
                rows.append(
                    {
                        "side": side.name,
                        "score": side.says(name),
                        "value": mean,
                        "low": ends[0],
                        "high": ends[1],
                        "n": sum(row["n"] for row in own),
                    }
                )
    if not rows:
        return Answer(title, missing="no two people judged ten items in common.")
    values = [(row, Value(row["value"], row["low"], row["high"], row["n"])) for row in rows]
    lines = gathered(lab, [(f"r between judges, {row['score']}", row["side"], value) for row, value in values])
    drawn = [
        Row(f"{row['side']}: {row['score']}", row["value"], row["low"], row["high"], f"n {row['n']:,}") for row in rows
    ]
    by_side: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_side.setdefault(row["side"], []).append(row)
    said = " ".join(_sentence(side, own) for side, own in by_side.items())
    figure = Figure(
        "lab-scoring",
        f"{said} Bars: 95 % intervals.",
        str(intervals("Sum against count", drawn)),
        rows,
        f"Pearson r between judges · {lab.resampling.n:,} resamples",
    )
    return Answer(title, lines, figure, said, data=rows)


def _pair(side: Side) -> tuple[str, str] | None:
    """The first sum and the first count over the same question."""
    answered = set(side.table["question"])
    scores = [score for score in side.protocol.scores if score.id in answered]
    for one in scores:
        for two in scores:
            if one.rule in _SUMS and two.rule in _COUNTS and one.question == two.question:
                return one.id, two.id
    return None


def _sentence(side: str, rows: list[dict[str, Any]]) -> str:
    said = [f"{estimate(row['value'], row['low'], row['high'], 2)} for the {row['score']}" for row in rows]
    return f"Under {side} two judges go together with r {words(said)}."
