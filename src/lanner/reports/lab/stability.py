"""Would fewer judges have said the same? Judges are drawn at random, again and again, and compared with all of them."""

from __future__ import annotations

import numpy as np
import polars as pl

from lanner.reports.figures.curves import Curve, curves
from lanner.reports.lab.answer import Answer, Lab, Line, Value
from lanner.reports.lab.matching import LABELS, kind_of
from lanner.reports.lab.sides import Side
from lanner.reports.parts import Figure
from lanner.reports.typeset import interval, number, words
from lanner.stats.metric_accuracy import correlation
from lanner.stats.resample import Array, generator

_NEARLY = 0.9  # of τ, r or the share of items; below it a reader should not rely on half of the judges
_MIDDLE = (0.025, 0.975)
_DRAWS, _STREAM, _MOST_STEPS, _FEWEST_SYSTEMS = 200, 11, 8, 3


def stability(lab: Lab) -> Answer:
    """With three systems or more: Kendall's τ between the order by k judges and by all. Else for scores the
    correlation of item means, for labels the share of items with the same majority. Each is the mean over draws, with
    the middle 95 % of them."""
    title = "Would fewer judges say the same?"
    found = [_curve(side, lab.resampling.seed) for side in lab.sides]
    if not any(points for _, points in found):
        return Answer(title, missing="no side has two people on the same question.")
    lines, data, said = [], [], []
    middle: list[Value] = []
    kinds: dict[str, None] = {}
    for side, (what, points) in zip(lab.sides, found, strict=True):
        data += [{"side": side.name, "what": what, "judges": k, "value": v, "low": low, "high": high}
                 for k, v, low, high in points]  # fmt: skip
        half = min(points, key=lambda point: (abs(point[0] - len(side.people) / 2), point[0])) if points else None
        middle.append(Value(half[1], half[2], half[3], half[0]) if half else Value(None))
        if half:
            said.append(
                f"{side.name} with {half[0]} of {len(side.people)} judges {number(half[1], 2)} "
                f"{interval(half[2], half[3])}"
            )
            kinds[what] = None
    lines.append(Line("Same with half the judges", middle))
    text = f"Half of the judges would say nearly the same as all ({words(list(kinds), 'or')}): {'; '.join(said)}."
    if min(value.value for value in middle if value.value is not None) < _NEARLY:
        text = (
            f"Half of the judges would not quite say the same as all ({words(list(kinds), 'or')}): {'; '.join(said)}."
        )
    drawn = [
        Curve(f"{side.name}: {what}", [p[:2] for p in points], [p[2:] for p in points])
        for side, (what, points) in zip(lab.sides, found, strict=True)
        if points
    ]
    figure = Figure(
        "lab-stability", f"{text} 1 is what all judges together say. Mean and middle 95 % of {_DRAWS} draws.",
        str(curves("Stability under fewer judges", drawn, "judges", top=1.0)), data,
        f"judges drawn without replacement · {_DRAWS} draws, seed {lab.resampling.seed}",
    )  # fmt: skip
    return Answer(title, lines, figure, text, data=data)


def _curve(side: Side, seed: int) -> tuple[str, list[tuple[int, float, float, float]]]:
    judges = side.people
    if len(judges) < 2:
        return "", []
    rng = generator(seed, _STREAM)
    half = max(1, len(judges) // 2)
    steps = np.unique([*np.linspace(1, len(judges) - 1, _MOST_STEPS).round().astype(int), half])
    if side.measure:
        table = side.by_people.filter(pl.col("question") == side.measure.of, pl.col("score").is_not_null())
        by_system = table["system"].n_unique() >= _FEWEST_SYSTEMS
        unit = ["system"] if by_system else ["document", "segment", "system"]
        sums, counts = _spread(table, unit, judges)
        what = "τ of the systems' order" if by_system else "r of item scores"
        same = _order if by_system else _pearson
        whole = _mean(sums, counts)
    else:
        name = next((found[0] for q in side.questions if (found := kind_of(q)) and found[1] is LABELS), None)
        if name is None:
            return "", []
        sums, counts = _votes(side.by_people.filter(pl.col("question") == name), judges)
        what, same, whole = "share with the same majority", _majority, sums.sum(axis=0)
    points = []
    for k in steps:
        drawn = [rng.choice(len(judges), int(k), replace=False) for _ in range(_DRAWS)]
        kept = [same(_mean(sums[d], counts[d]) if counts.size else sums[d].sum(axis=0), whole) for d in drawn]
        values = np.array([value for value in kept if np.isfinite(value)])
        if len(values):
            low, high = (float(end) for end in np.quantile(values, _MIDDLE))
            points.append((int(k), float(values.mean()), low, high))
    return what, points


def _spread(table: pl.DataFrame, unit: list[str], judges: list[str]) -> tuple[Array, Array]:
    """judges × units: sums of scores and how many."""
    place = {name: at for at, name in enumerate(judges)}
    units = table.select(unit).unique(maintain_order=True).with_row_index("unit")
    found = table.join(units, on=unit).group_by("judge", "unit").agg(pl.col("score").sum(), pl.len())
    sums, counts = (np.zeros((len(judges), len(units))) for _ in range(2))
    for judge, at, score, n in found.iter_rows():
        sums[place[judge], at], counts[place[judge], at] = score, n
    return sums, counts


def _votes(table: pl.DataFrame, judges: list[str]) -> tuple[Array, Array]:
    """judges × items × labels: who chose what."""
    place = {name: at for at, name in enumerate(judges)}
    answer = pl.coalesce("label", pl.col("ranks").cast(pl.List(pl.String)).list.join(","))
    table = table.with_columns(answer.alias("answer")).drop_nulls("answer")
    items = table.select("document", "segment").unique(maintain_order=True).with_row_index("item")
    labels = {label: at for at, label in enumerate(table["answer"].unique().sort())}
    made = np.zeros((len(judges), len(items), len(labels)))
    for judge, item, label in (
        table.join(items, on=["document", "segment"]).select("judge", "item", "answer").iter_rows()
    ):
        made[place[judge], item, labels[label]] = 1
    return made, np.empty(0)


def _mean(sums: Array, counts: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums.sum(axis=0) / counts.sum(axis=0))


def _order(some: Array, whole: Array) -> float:
    known = np.isfinite(some)
    return (
        correlation(whole[None, known], some[None, known], "kendall")
        if known.sum() >= _FEWEST_SYSTEMS
        else float("nan")
    )


def _pearson(some: Array, whole: Array) -> float:
    known = np.isfinite(some)
    if known.sum() < _FEWEST_SYSTEMS or np.ptp(some[known]) == 0 or np.ptp(whole[known]) == 0:
        return float("nan")
    return float(np.corrcoef(some[known], whole[known])[0, 1])


def _majority(some: Array, whole: Array) -> float:
    """The share of items whose most frequent answer is the same; where several are as frequent, any of them counts in
    part."""
    voted = some.sum(axis=1) > 0
    a = some[voted] == some[voted].max(axis=1, keepdims=True)
    b = whole[voted] == whole[voted].max(axis=1, keepdims=True)
    both, either = (a & b).sum(axis=1), (a | b).sum(axis=1)
    return float((both / either).mean()) if voted.any() else float("nan")
