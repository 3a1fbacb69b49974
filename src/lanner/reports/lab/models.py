"""Do models judge like people, under each protocol?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from lanner.analysis import PEOPLE
from lanner.errors import LannerError
from lanner.reports.figures.intervals import Row, intervals
from lanner.reports.lab.answer import Answer, Gap, Lab, Value, gathered
from lanner.reports.lab.matching import SPANS, kind_of
from lanner.reports.lab.sides import Side
from lanner.reports.parts import Figure
from lanner.reports.typeset import number, p_value, words
from lanner.stats.models import against_people

_NAMES = {"kappa": "κ", "jaccard": "mean Jaccard", "pearson": "r", "percent": "% same"}


def models(lab: Lab) -> Answer:
    """How much less a model agrees with people than people agree with each other."""
    title = "Do models judge like people?"
    rows: list[dict[str, Any]] = []
    for side in _with_both(lab):
        for question in side.questions:
            found = kind_of(question)
            if not found or found[1] is SPANS:
                continue
            try:
                result = against_people(side.table, found[0], resampling=lab.resampling)
            except LannerError:
                continue
            rows += [
                {"side": side.name, "question": side.says(found[0]), **row}
                for row in result.rows
                if row["difference"] is not None
            ]
    if not rows:
        return Answer(title, missing="no side has both two people and a model.")
    values = [(row, Value(row["difference"], row["low"], row["high"])) for row in rows]
    lines = gathered(lab, [(_label(row), row["side"], value) for row, value in values])
    drawn = [
        Row(
            f"{row['model']}, {row['question']}",
            row["difference"],
            row["low"],
            row["high"],
            p_value(row["p"]),
            hollow=True,
        )
        for row in rows
    ]
    figure = Figure(
        "lab-models", f"{_sentence(rows)} 0 is how far people agree with each other. Bars: 95 % intervals.",
        str(intervals("Agreement of models with people, less agreement among people", drawn)), rows,
        f"model and people · {lab.resampling.n:,} resamples of documents, seed {lab.resampling.seed}",
    )  # fmt: skip
    return Answer(title, lines, figure, _sentence(rows), data=rows)


def _with_both(lab: Lab) -> list[Side]:
    """Sides with two people and a model. People on one side and models on another are seen together."""
    found = [side for side in lab.whole if side.models and len(side.people) > 1]
    first = lab.whole[0]
    if found or len({side.protocol.label for side in lab.whole}) > 1 or any(side.scenario for side in lab.whole):
        return found
    table = pl.concat([side.table for side in lab.whole], how="diagonal")
    names = [name for side in lab.whole for name in side.people]
    joined = replace(first, table=table, name=next((side.name for side in lab.whole if not _people(side)), first.name))
    return [joined] if joined.models and len(joined.people) > 1 and len(set(names)) == len(names) else []


def _people(side: Side) -> bool:
    return bool(side.table["judge_kind"].is_in(PEOPLE).any())


def _label(row: dict[str, Any]) -> str:
    return f"{row['model']} less people, {_NAMES.get(row['measure'], row['measure'])} on {row['question']}"


def _sentence(rows: list[dict[str, Any]]) -> str:
    said = []
    for question in dict.fromkeys(row["question"] for row in rows):
        best = max((row for row in rows if row["question"] == question), key=lambda row: row["with_people"])
        levels = f"{number(best['with_people'], 2)} with people, {number(best['among_people'], 2)} among them"
        apart = Gap(best["difference"], best["low"], best["high"]).in_words("difference")
        measure = _NAMES.get(best["measure"], best["measure"])
        said.append(f"on {question} the closest is {best['model']} ({measure} {levels}; {apart})")
    return f"Of the models, {words(said)}."
