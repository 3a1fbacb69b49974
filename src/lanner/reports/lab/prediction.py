"""How much of the holistic score does each protocol explain, block by block?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from lanner.errors import LannerError
from lanner.model import Scale
from lanner.reports.figures.bars import Bar, bars
from lanner.reports.lab.answer import Answer, Lab, Value, gathered
from lanner.reports.lab.sides import Side, item_key
from lanner.reports.parts import Figure
from lanner.reports.typeset import estimate, words
from lanner.stats import regression

BLOCKS = "regression.blocks"
_LONG_SCALE = 9
ALL = "all people"


def prediction(lab: Lab) -> Answer:
    """R² of a holistic score (one number for the whole impression) on what each side recorded besides.

    A side whose plan has a block model is read by that model, judge by judge. Any other side predicts the mean holistic
    score of an item of the side that has one from its own mean scores, on shared items.
    """
    title = "How much of the holistic score is explained?"
    target = next(((side, of) for side in lab.sides if (of := holistic(side))), None)
    if target is None:
        return Answer(title, missing="no side asks for a holistic score.")
    found = [_planned(side, lab) or _across(side, target, lab) for side in lab.sides]
    if not any(found):
        return Answer(title, missing="no side recorded anything else that could explain it.")
    rows = [row for one in found for row in one]
    values = [(row, Value(row["r2"], row["low"], row["high"], row["n"])) for row in rows]
    lines = gathered(lab, [(f"R² of {row['of']}: {row['block']}", row["side"], value) for row, value in values])
    drawn = [
        Bar(
            f"{row['side']}: {row['block']}",
            (("a1", row["r2"], ""), ("trk", 1 - row["r2"], "")),
            estimate(row["r2"], row["low"], row["high"], 2),
        )
        for row in rows
    ]
    said = _sentence(rows)
    absent = [side.name for side, one in zip(lab.sides, found, strict=True) if not one]
    why = f" {words(absent)}: not computable, no shared items with a holistic score." if absent else ""
    figure = Figure(
        "lab-prediction", f"{said}{why} Bars: R² from 0 to 1.", str(bars("Share explained", drawn, most=1.0)), rows,
        f"OLS R² · {lab.resampling.n:,} resamples of documents, seed {lab.resampling.seed}",
    )  # fmt: skip
    return Answer(title, lines, figure, said + why, data=rows)


def holistic(side: Side) -> str | None:
    """The holistic score of a side: what its block model explains, else a long scale asked of the text."""
    planned = [analysis.of for analysis in side.protocol.analyses if analysis.statistic == BLOCKS]
    answered = set(side.table["question"])
    long = [q.id for q in side.questions if isinstance(q, Scale) and not q.for_each and q.max - q.min >= _LONG_SCALE]
    return next((of for of in [*planned, *long] if of in answered), None)


def _planned(side: Side, lab: Lab) -> list[dict[str, Any]]:
    rows = []
    for analysis in side.protocol.analyses:
        if analysis.statistic != BLOCKS or analysis.of not in set(side.table["question"]):
            continue
        steps = regression.blocks(side.by_people, analysis.of, analysis.options["blocks"], resampling=lab.resampling)
        names = {judge.id: judge.name or judge.id for judge in side.material.judges}
        rows += [
            _row(side, analysis.of, row["step"], str(names.get(row["judge"], row["judge"])), row) for row in steps.rows
        ]
    return rows


def _row(side: Side, of: str, block: str, who: str, row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "side": side.name, "who": who, "of": side.says(of), "block": _block(block, who), "r2": row["r2"],
        "low": row.get("r2_low"), "high": row.get("r2_high"), "n": row["n"],
    }  # fmt: skip


def _block(block: str, who: str) -> str:
    return block.replace("_", " ") + (f" ({who})" if who != ALL else "")


def _across(side: Side, target: tuple[Side, str], lab: Lab) -> list[dict[str, Any]]:
    holder, of = target
    if side is not holder and lab.shared < 10:
        return []
    key = item_key(lab.sides)
    outcome = _means(holder, [of], key).rename({of: "holistic"})
    scores = [score.id for score in side.protocol.scores if score.rule != "value" and score.id != of]
    measure = [side.measure.of] if side.measure and side.measure.of != of and side is not holder else []
    wanted = [name for name in dict.fromkeys([*measure, *scores]) if name in set(side.table["question"])]
    if side is not holder and (own := holistic(side)) and own not in wanted:
        wanted.append(own)
    rows = []
    for name in wanted:
        table = outcome.join(_means(side, [name], key).rename({name: "predictor"}), on=key).drop_nulls()
        try:
            result = regression.regress(table, "holistic", ["predictor"], resampling=lab.resampling)
        except LannerError:
            continue
        if result.value is not None:
            found = {"r2": result.value, "r2_low": result.low, "r2_high": result.high, "n": len(table)}
            rows.append(_row(holder, of, side.says(name), ALL, found) | {"side": side.name})
    return rows


def _means(side: Side, questions: list[str], key: list[str]) -> pl.DataFrame:
    table = side.by_people.filter(pl.col("question") == questions[0], pl.col("row") == "")
    return table.group_by(key, maintain_order=True).agg(pl.col("score").mean().alias(questions[0]))


def _sentence(rows: list[dict[str, Any]]) -> str:
    best: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row["side"] not in best or row["r2"] > best[row["side"]]["r2"]:
            best[row["side"]] = row
    said = [f"{side} explains up to {100 * row['r2']:.0f} % ({row['block']})" for side, row in best.items()]
    return f"Of the holistic score {words(said)}."
