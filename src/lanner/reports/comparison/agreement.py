"""On which side judges agree more, and whether models agree with people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from lanner.analysis import PEOPLE, Measure, QuestionPlan, measure, shared_measures, statistic_plan
from lanner.errors import LannerError
from lanner.figures.charts import Row, intervals
from lanner.figures.typeset import estimate, number, p_value, words
from lanner.model import Json, Result
from lanner.reports.comparison.sides import (
    Answer,
    Form,
    Gap,
    Lab,
    Line,
    Side,
    Value,
    are_judges,
    form_of,
    gap_of,
    item_key,
    lines_by_label,
    matched,
    of_result,
    question_label,
)
from lanner.reports.parts import Figure
from lanner.stats.association import correlations
from lanner.stats.diagnosis import difference
from lanner.stats.models import against_people

_LEVEL = 0.05
_Coefficient = tuple[Side, Measure, QuestionPlan]


def agreement(lab: Lab) -> Answer:
    """The chance-corrected agreement of people on each pair of questions that answer to each other."""
    title = "Do judges agree?"
    pairs = matched(lab.sides)
    if not pairs:
        return Answer(title, missing="the protocols have no questions of the same kind.")
    lines: list[Line] = []
    rows: list[Row] = []
    sentences: list[tuple[str, bool]] = []
    data: list[dict[str, Json]] = []
    signs: list[str] = []
    for pair in pairs:
        plans = [side.plan(question) for side, question in zip(lab.sides, pair.questions, strict=True)]
        common = shared_measures(plans)
        coefficients = list(zip(lab.sides, common or [plan.headline for plan in plans], plans, strict=True))
        results = [_result(*coefficient, lab) for coefficient in coefficients]
        values = [of_result(result) for result in results]
        if all(value.value is None for value in values):
            continue
        # α of ranks and α of distances are no two values of one thing: they stand next to each other without a gap
        gaps = [_gap(coefficients[0], other, lab) if common else None for other in coefficients[1:]]
        sign = " / ".join(dict.fromkeys(own_measure.sign for _, own_measure, _ in coefficients))
        signs.append(sign)
        label = question_label(lab.sides, [own_measure.question for _, own_measure, _ in coefficients])
        lines.append(Line(f"{label.capitalize()}, {sign}", values, gaps))
        rows += [
            Row(
                f"{label.capitalize()}: {side.name}",
                v.value,
                v.low,
                v.high,
                f"n {v.n:,}" if v.n else "",
                rule=not place and bool(rows),
            )
            for place, (side, v) in enumerate(zip(lab.sides, values, strict=True))
        ]
        data += [
            {"question": label, "side": side.name} | result.row() | {"question": label}
            for side, result in zip(lab.sides, results, strict=True)
        ]
        sentences += [_sentence(lab.names[0], lab.names[at], label, gap) for at, gap in enumerate(gaps, start=1) if gap]
    if not lines:
        return Answer(title, missing="no item was judged by two people on either side.")
    clear = [sentence for sentence, weight in sentences if weight] or [sentence for sentence, _ in sentences]
    opening = " ".join(clear[:3]) or "Agreement of people on each question."
    caption = f"{opening} Dot: coefficient; bar: 95 % interval, documents resampled; n: items two people judged."
    figure = Figure("lab-agreement", caption, str(intervals("Agreement of judges", rows)), data, _signature(lab, signs))
    return Answer(title, lines, figure, " ".join(clear[:2]), data=data)


def _result(side: Side, coefficient: Measure, entry: QuestionPlan, lab: Lab) -> Result:
    try:
        return measure(side.counted, coefficient, entry, resampling=lab.resampling)
    except LannerError as error:
        return Result(coefficient.name, None, notes=(error.what,))


def _gap(first: _Coefficient, other: _Coefficient, lab: Lab) -> Gap | None:
    try:
        plans = [statistic_plan(side.counted, coefficient, entry) for side, coefficient, entry in (first, other)]
        return gap_of(difference(*plans, resampling=lab.resampling))
    except LannerError:
        return None


def _sentence(first: str, other: str, label: str, gap: Gap) -> tuple[str, bool]:
    clear = gap.p is not None and gap.p < _LEVEL
    numbers = gap.in_words("difference")
    if not clear:
        return f"On {label} no difference in agreement between {first} and {other} is shown ({numbers}).", False
    more, less = (first, other) if gap.value > 0 else (other, first)
    if are_judges(more, less):
        return f"On {label} {more} agree **more with each other than {less} do** ({numbers}).", True
    return f"On {label} judges agree **more under {more} than under {less}** ({numbers}).", True


def _signature(lab: Lab, signs: list[str]) -> str:
    return (
        f"{', '.join(dict.fromkeys(signs))} · {lab.resampling.n:,} resamples of documents, seed {lab.resampling.seed}"
    )


def _turned(lab: Lab, row: Mapping[str, Json]) -> bool:
    """Whether one of two sides counts errors and the other quality, which makes agreement negative."""
    directions = {side.name: side.measure.direction for side in lab.sides if side.measure}
    return directions[str(row["x"])] != directions[str(row["y"])]


def same_scores(lab: Lab) -> Answer:
    """How far the measures of the sides go together, item by item and system by system."""
    title = "Do they say the same?"
    measures = [side.measure for side in lab.sides]
    if not all(measures):
        lacking = [side.name for side in lab.sides if not side.measure]
        return Answer(title, missing=f"there is no score in {words(lacking)}.")
    if lab.shared < 10:
        return Answer(title, missing="the sides share no items.")
    key = item_key(lab.sides)
    means = [
        side.by_people.filter(pl.col("question") == side.measure.of)  # type: ignore[union-attr]
        .group_by(key, maintain_order=True)
        .agg(pl.col("score").mean())
        .with_columns(pl.lit(side.name).alias("judge"), pl.lit("measure").alias("question"))
        for side in lab.sides
    ]
    result = correlations(pl.concat(means), "measure", methods=["pearson", "kendall_b"], resampling=lab.resampling)
    rows = [row for row in result.rows if row["value"] is not None]
    if not rows:
        return Answer(title, missing="one side gives the same score everywhere.")
    lines = []
    for row in rows:
        others = [lab.names.index(row["x"]), lab.names.index(row["y"])]
        values = [Value(None, text="·") for _ in lab.sides]
        values[max(others)] = Value(row["value"], row["low"], row["high"], row["n"])
        lines.append(Line(f"{row['statistic']} of {row['x']} and {row['y']}, by item", values))
    bars = [
        Row(f"{row['x']} – {row['y']}", row["value"], row["low"], row["high"], str(row["statistic"]).split()[0])
        for row in rows
    ]
    top = rows[0]
    sentence = (
        f"Item by item, {top['x']} and {top['y']} go together with {top['statistic']} "
        f"{estimate(top['value'], top['low'], top['high'], 2)} (n {top['n']:,}"
        f"{'; the lower the better in one of them, so that the sign is turned' if _turned(lab, top) else ''})."
    )
    figure = Figure(
        "lab-same",
        f"{sentence} Bars: 95 % intervals.",
        str(intervals("How far scores go together", bars)),
        rows,
        str(result.signature or ""),
    )
    return Answer(title, lines, figure, sentence, data=rows)


_NAMES = {"kappa": "κ", "jaccard": "mean Jaccard", "pearson": "r", "percent": "% same"}


def models(lab: Lab) -> Answer:
    """How much less a model agrees with people than people agree with each other."""
    title = "Do models judge like people?"
    rows: list[dict[str, Any]] = []
    for side in _with_both(lab):
        for question in side.questions:
            form = form_of(question)
            if not form or form[1] in (Form.SPANS, Form.GRID):
                continue
            try:
                result = against_people(side.table, form[0], resampling=lab.resampling)
            except LannerError:
                continue
            rows += [
                {"side": side.name, "question": side.says(form[0]), **row}
                for row in result.rows
                if row["difference"] is not None
            ]
    if not rows:
        return Answer(title, missing="no side has both two people and a model.")
    values = [(row, Value(row["difference"], row["low"], row["high"])) for row in rows]
    lines = lines_by_label(lab, [(_label(row), row["side"], value) for row, value in values])
    bars = [
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
        "lab-models",
        f"{_sentence_models(rows)} 0 is how far people agree with each other. Bars: 95 % intervals.",
        str(intervals("Agreement of models with people, less agreement among people", bars)),
        rows,
        f"model and people · {lab.resampling.n:,} resamples of documents, seed {lab.resampling.seed}",
    )
    return Answer(title, lines, figure, _sentence_models(rows), data=rows)


def _with_both(lab: Lab) -> list[Side]:
    """Sides with two people and a model. People on one side and models on another are seen together."""
    sides = [side for side in lab.whole if side.models and len(side.people) > 1]
    first = lab.whole[0]
    if sides or len({side.protocol.label for side in lab.whole}) > 1 or any(side.scenario for side in lab.whole):
        return sides
    table = pl.concat([side.table for side in lab.whole], how="diagonal")
    names = [name for side in lab.whole for name in side.people]
    both = replace(first, table=table, name=next((side.name for side in lab.whole if not _people(side)), first.name))
    return [both] if both.models and len(both.people) > 1 and len(set(names)) == len(names) else []


def _people(side: Side) -> bool:
    return bool(side.table["judge_kind"].is_in(PEOPLE).any())


def _label(row: dict[str, Any]) -> str:
    return f"{row['model']} less people, {_NAMES.get(row['measure'], row['measure'])} on {row['question']}"


def _sentence_models(rows: list[dict[str, Any]]) -> str:
    sentences = []
    for question in dict.fromkeys(row["question"] for row in rows):
        best = max((row for row in rows if row["question"] == question), key=lambda row: row["with_people"])
        levels = f"{number(best['with_people'], 2)} with people, {number(best['among_people'], 2)} among them"
        apart = Gap(best["difference"], best["low"], best["high"]).in_words("difference")
        measure = _NAMES.get(best["measure"], best["measure"])
        sentences.append(f"on {question} the closest is {best['model']} ({measure} {levels}; {apart})")
    return f"Of the models, {words(sentences)}."
