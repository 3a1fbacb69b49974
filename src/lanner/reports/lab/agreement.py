"""Do judges agree more under one protocol than under another? And do the protocols say the same?"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from lanner.errors import LannerError
from lanner.model import Json, Result
from lanner.reports.figures.intervals import Row, intervals
from lanner.reports.lab.answer import Answer, Gap, Lab, Line, Value, are_judges, gap_of, of_result
from lanner.reports.lab.matching import Matched, matched
from lanner.reports.lab.sides import Side, item_key
from lanner.reports.parts import Figure
from lanner.reports.typeset import estimate, words
from lanner.stats.association import correlations
from lanner.stats.diagnosis import difference

_LEVEL = 0.05


def agreement(lab: Lab) -> Answer:
    """The chance-corrected agreement of people on each pair of questions that answer to each other."""
    title = "Do judges agree?"
    pairs = matched(lab.sides)
    if not pairs:
        return Answer(title, missing="the protocols have no questions of the same kind.")
    lines: list[Line] = []
    rows: list[Row] = []
    said: list[tuple[str, bool]] = []
    data: list[dict[str, Json]] = []
    for pair in pairs:
        results = [_coefficient(side, pair, place, lab) for place, side in enumerate(lab.sides)]
        values = [of_result(result) for result in results]
        if all(value.value is None for value in values):
            continue
        gaps = [_gap(lab, pair, other) for other in range(1, len(lab.sides))]
        name = f"{pair.label.capitalize()}, {pair.kind.sign}"
        lines.append(Line(name, values, gaps))
        rows += [
            Row(
                f"{pair.label.capitalize()}: {side.name}",
                v.value,
                v.low,
                v.high,
                f"n {v.n:,}" if v.n else "",
                rule=not place and bool(rows),
            )
            for place, (side, v) in enumerate(zip(lab.sides, values, strict=True))
        ]
        data += [
            {"question": pair.label, "side": side.name, **result.row()}
            for side, result in zip(lab.sides, results, strict=True)
        ]
        said += [_sentence(lab.names[0], lab.names[at], pair, gap) for at, gap in enumerate(gaps, start=1) if gap]
    if not lines:
        return Answer(title, missing="no item was judged by two people on either side.")
    clear = [sentence for sentence, weight in said if weight] or [sentence for sentence, _ in said]
    opening = " ".join(clear[:3]) or "Agreement of people on each question."
    caption = f"{opening} Dot: coefficient; bar: 95 % interval, documents resampled; n: items two people judged."
    figure = Figure("lab-agreement", caption, str(intervals("Agreement of judges", rows)), data, _signature(lab, pairs))
    return Answer(title, lines, figure, " ".join(clear[:2]), data=data)


def _coefficient(side: Side, pair: Matched, place: int, lab: Lab) -> Result:
    try:
        return pair.kind.statistic(
            side.by_people, pair.questions[place], resampling=lab.resampling, **pair.kind.options
        )
    except LannerError as error:
        return Result(pair.kind.statistic.name, None, notes=(error.what,))


def _gap(lab: Lab, pair: Matched, other: int) -> Gap | None:
    plan = pair.kind.statistic.plan
    try:
        plans = [plan(lab.sides[at].by_people, pair.questions[at], **pair.kind.options) for at in (0, other)]
        return gap_of(difference(*plans, resampling=lab.resampling))
    except LannerError:
        return None


def _sentence(first: str, other: str, pair: Matched, gap: Gap) -> tuple[str, bool]:
    clear = gap.p is not None and gap.p < _LEVEL
    numbers = gap.in_words("difference")
    if not clear:
        return f"On {pair.label} no difference in agreement between {first} and {other} is shown ({numbers}).", False
    more, less = (first, other) if gap.value > 0 else (other, first)
    if are_judges(more, less):
        return f"On {pair.label} {more} agree **more with each other than {less} do** ({numbers}).", True
    return f"On {pair.label} judges agree **more under {more} than under {less}** ({numbers}).", True


def _signature(lab: Lab, pairs: list[Matched]) -> str:
    kinds = dict.fromkeys(pair.kind.sign for pair in pairs)
    return f"{', '.join(kinds)} · {lab.resampling.n:,} resamples of documents, seed {lab.resampling.seed}"


def _turned(lab: Lab, row: Mapping[str, Json]) -> bool:
    """Whether one of two sides counts errors and the other quality, which makes agreement negative."""
    known = {side.name: side.measure.direction for side in lab.sides if side.measure}
    return known[str(row["x"])] != known[str(row["y"])]


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
        .group_by(key, maintain_order=True).agg(pl.col("score").mean())
        .with_columns(pl.lit(side.name).alias("judge"), pl.lit("measure").alias("question"))
        for side in lab.sides
    ]  # fmt: skip
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
    drawn = [
        Row(f"{row['x']} – {row['y']}", row["value"], row["low"], row["high"], str(row["statistic"]).split()[0])
        for row in rows
    ]
    top = rows[0]
    said = (
        f"Item by item, {top['x']} and {top['y']} go together with {top['statistic']} "
        f"{estimate(top['value'], top['low'], top['high'], 2)} (n {top['n']:,}"
        f"{'; the lower the better in one of them, so that the sign is turned' if _turned(lab, top) else ''})."
    )
    figure = Figure(
        "lab-same",
        f"{said} Bars: 95 % intervals.",
        str(intervals("How far scores go together", drawn)), rows, str(result.signature or ""),
    )  # fmt: skip
    return Answer(title, lines, figure, said, data=rows)
