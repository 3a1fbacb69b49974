"""Which side tells systems apart, how its scores hang together, how many judges it takes and what an item costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from lanner.errors import LannerError
from lanner.figures.charts import Bar, Curve, EstimateRow, bars, curves, intervals
from lanner.model import Result, Scale
from lanner.model.messages import duration, estimate, interval, number, p_value, plural, words
from lanner.reports.comparison.sides import (
    NO_INTERVAL,
    ComparisonAnswer,
    ComparisonData,
    ComparisonLine,
    Form,
    Gap,
    Side,
    Value,
    are_judges,
    form_of,
    gap_of,
    intervals_of,
    item_key,
    lines_by_label,
    of_result,
    ratio,
    ratio_gap,
)
from lanner.reports.parts import Figure
from lanner.stats import effort, ranking, regression
from lanner.stats.association import correlations
from lanner.stats.metric_accuracy import Kind, correlation_of_segments
from lanner.stats.ranking import Ranking
from lanner.stats.resample import Array, Indices, Resampling, generator

# What an item costs


def times(side: Side) -> tuple[pl.DataFrame, str]:
    """Seconds of each item (judge, document, seconds), and how they were found."""
    try:
        work = effort.times(side.by_people)
    except LannerError:
        return pl.DataFrame({"judge": [], "document": [], "seconds": []}), ""
    items = work.table.filter(pl.col("seconds").is_between(0, effort.LIMIT, closed="right"))
    return items.select("judge", "document", "seconds"), work.way


def hours(side: Side) -> float | None:
    """Hours of work that the side's items took, items without a time counted at the mean."""
    seconds, _ = times(side)
    items = side.by_people.select("judge", "document", "segment", "system").unique().height
    return float(seconds["seconds"].mean()) * items / 3600 if len(seconds) else None  # type: ignore[arg-type]


def cost(lab: ComparisonData) -> ComparisonAnswer:
    """Seconds an item, items a minute, and what a hundred items cost at an hourly rate."""
    title = "What does it cost?"
    results = [times(side) for side in lab.sides]
    without = [side.name for side, (table, _) in zip(lab.sides, results, strict=True) if len(table) < 2]
    if without:
        return ComparisonAnswer(title, missing=f"no times were kept in {words(without)}.")
    tables = [table.with_columns(top=pl.col("seconds"), bottom=pl.lit(1.0)) for table, _ in results]
    means = [ratio(table, lab.resampling, scale="log") for table in tables]  # time is above nothing
    values = [of_result(mean) for mean in means]
    gaps = [gap_of(ratio_gap(tables[0], other, lab.resampling)) for other in tables[1:]]
    lines = [ComparisonLine("Seconds an item", values, gaps, bounded=False, digits=1)]
    rates = [Value(60 / (v.value or 1), v.high and 60 / v.high, v.low and 60 / v.low) for v in values]
    lines.append(ComparisonLine("Items a minute", rates, bounded=False))
    if lab.hourly is not None:
        each = lab.hourly / 36
        ends = [[None if end is None else end * each for end in (v.low, v.high)] for v in values]
        prices = [Value((v.value or 0) * each, low, high) for v, (low, high) in zip(values, ends, strict=True)]
        lines.append(
            ComparisonLine(f"Cost of 100 items{f', {lab.currency}' if lab.currency else ''}", prices, bounded=False)
        )
    sentence = " ".join(_sentence_cost(lab, at, values, gap) for at, gap in enumerate(gaps, start=1) if gap)
    rows = [
        EstimateRow(side.name, v.value, v.low, v.high, f"n {v.n:,}") for side, v in zip(lab.sides, values, strict=True)
    ]
    how = "; ".join(dict.fromkeys(f"{side.name}: {way}" for side, (_, way) in zip(lab.sides, results, strict=True)))
    data = [
        {"side": side.name, "seconds": v.value, "low": v.low, "high": v.high, "n": v.n, "how": way}
        for side, v, (_, way) in zip(lab.sides, values, results, strict=True)
    ]
    caption = f"{sentence} Dot: mean seconds of an item; bar: {lab.level} interval over documents. {how}."
    drawing = intervals("Seconds an item", rows, bounded=False, digits=1)
    signature = f"mean seconds · items over {effort.LIMIT:,.0f} s left out · {intervals_of(*means)}"
    return ComparisonAnswer(title, lines, Figure("lab-cost", caption, str(drawing), data, signature), sentence)


def _sentence_cost(lab: ComparisonData, at: int, values: list[Value], gap: Gap) -> str:
    first, other = values[0].value or 0.0, values[at].value or 0.0
    slow, fast = (lab.names[0], lab.names[at]) if first > other else (lab.names[at], lab.names[0])
    times_as_long = max(first, other) / (min(first, other) or 1)
    clear = gap.p is not None and gap.p < 0.05
    more, less = f"{max(first, other):.0f} s", f"{min(first, other):.0f} s"
    shown = p_value(gap.p) or gap.why or NO_INTERVAL
    times = number(times_as_long, 1, bounded=False)
    if times == "1.0":  # two times alike are no proof that both take as long
        if are_judges(slow, fast):
            return f"An item takes {slow} {more} and {fast} {less} ({shown})."
        return f"An item takes {more} under {slow} and {less} under {fast} ({shown})."
    long = f"**{times} times as long**" if clear else f"{times} times as long"
    if are_judges(slow, fast):
        return f"An item takes {slow} {long} as {fast} ({more} against {less}; {shown})."
    return f"An item takes {long} under {slow} as under {fast} ({more} against {less}; {shown})."


_FEWEST = 3


def separation(lab: ComparisonData) -> ComparisonAnswer:
    """Pairs of systems that differ significantly (Holm), clusters, and pairs per hour of work."""
    title = "Which systems are told apart?"
    lacking = [side.name for side in lab.sides if side.measure is None]
    if lacking:
        return ComparisonAnswer(title, missing=f"there is no score that ranks systems in {words(lacking)}.")
    rankings = [_rank_side(side, lab) for side in lab.sides]
    systems = set(rankings[0].systems).intersection(*(one.systems for one in rankings[1:]))
    if len(systems) < _FEWEST:
        return ComparisonAnswer(
            title, missing=f"the sides share {plural(len(systems), 'system')}; at least three are needed."
        )
    pairs = list(combinations(sorted(systems), 2))
    pairs_apart = [{pair for pair in pairs if _apart(one, *pair)} for one in rankings]
    hours_spent = [hours(side) for side in lab.sides]
    lines = [
        ComparisonLine(
            "Pairs of systems told apart",
            [Value(len(apart), text=f"{len(apart)} of {len(pairs)}") for apart in pairs_apart],
        ),
        ComparisonLine(
            "Clusters of systems", [Value(max(one.clusters), text=str(max(one.clusters))) for one in rankings]
        ),
    ]
    if all(hours_spent):
        lines.append(ComparisonLine("Work in all", [Value(h, text=duration(h or 0)) for h in hours_spent]))
        rate = [Value(len(apart) / (h or 1)) for apart, h in zip(pairs_apart, hours_spent, strict=True)]
        lines.append(ComparisonLine("Pairs told apart per hour", rate, bounded=False))
    data = [
        {
            "system": a,
            "other": b,
            **{name: (a, b) in apart for name, apart in zip(lab.names, pairs_apart, strict=True)},
        }
        for a, b in pairs
    ]
    sentence = _sentence(lab, pairs_apart, len(pairs), hours_spent)
    caption = f"{sentence} Bars: all {len(pairs)} pairs of {len(systems)} systems; significant after Holm's correction."
    drawing = bars("Pairs of systems told apart", _bars(lab, pairs_apart, len(pairs)))
    signature = f"{rankings[0].result.signature}"
    return ComparisonAnswer(title, lines, Figure("lab-separation", caption, str(drawing), data, signature), sentence)


def _rank_side(side: Side, lab: ComparisonData) -> Ranking:
    assert side.measure is not None
    return ranking.rank(side.by_people, side.measure.of, direction=side.measure.direction, resampling=lab.resampling)


def _apart(one: Ranking, first: str, second: str) -> bool:
    a, b = one.systems.index(first), one.systems.index(second)
    return bool(one.beats[a, b] or one.beats[b, a])


def _bars(lab: ComparisonData, pairs_apart: list[set[tuple[str, str]]], total: int) -> list[Bar]:
    common_pairs = set.intersection(*pairs_apart)
    return [
        Bar(
            name,
            (
                ("a1", len(common_pairs), "by all"),
                ("pmt", len(side_pairs - common_pairs), "by some"),
                ("trk", total - len(side_pairs), "not"),
            ),
            f"{len(side_pairs)} of {total}",
        )
        for name, side_pairs in zip(lab.names, pairs_apart, strict=True)
    ]


def _sentence(
    lab: ComparisonData, pairs_apart: list[set[tuple[str, str]]], total: int, hours_spent: list[float | None]
) -> str:
    counts = [f"{len(side_pairs)} by {name}" for name, side_pairs in zip(lab.names, pairs_apart, strict=True)]
    sentence = f"Of {total} pairs of systems, {words(counts)} are told apart"
    if all(hours_spent):
        rates = [len(side_pairs) / (h or 1) for side_pairs, h in zip(pairs_apart, hours_spent, strict=True)]
        most = max(rates)
        if rates.count(most) == 1:  # where several tie, as with none told apart, no side is best
            name = lab.names[rates.index(most)]
            sentence += f"; per hour of work most by {name} ({number(most, 2, bounded=False)})"
    return f"{sentence}."


_SUMS, _COUNTS = ("grid_sum", "weighted_spans", "sum"), ("grid_count", "count")


def scoring(lab: ComparisonData) -> ComparisonAnswer:
    """Pearson's r between two people of the weighted sum and of the count, on the items both judged."""
    title = "Sum or count?"
    pairs = [(side, pair) for side in lab.whole if (pair := _pair(side))]
    if not pairs:
        return ComparisonAnswer(title, missing="no side has both a sum and a count of the same answers.")
    rows: list[dict[str, Any]] = []
    results: list[Result] = []
    for side, pair in pairs:
        result = correlations(side.by_people, list(pair), methods=["pearson"], resampling=lab.resampling)
        results.append(result)
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
        return ComparisonAnswer(title, missing="no two people judged ten items in common.")
    lines = lines_by_label(lab, rows, lambda row: f"r between judges, {row['score']}")
    bars = [
        EstimateRow(f"{row['side']}: {row['score']}", row["value"], row["low"], row["high"], f"n {row['n']:,}")
        for row in rows
    ]
    by_side: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_side.setdefault(row["side"], []).append(row)
    sentence = " ".join(_sentence_scoring(side, own) for side, own in by_side.items())
    figure = Figure(
        "lab-scoring",
        f"{sentence} Bars: {lab.level} intervals.",
        str(intervals("Sum against count", bars)),
        rows,
        " · ".join(filter(None, ("Pearson r between judges", intervals_of(*results)))),
    )
    return ComparisonAnswer(title, lines, figure, sentence)


def _pair(side: Side) -> tuple[str, str] | None:
    """The first sum and the first count over the same question."""
    answered_ids = set(side.table["question"])
    scores = [score for score in side.protocol.scores if score.id in answered_ids]
    for one in scores:
        for two in scores:
            if one.rule in _SUMS and two.rule in _COUNTS and one.question == two.question:
                return one.id, two.id
    return None


def _sentence_scoring(side: str, rows: list[dict[str, Any]]) -> str:
    sentence = [f"{estimate(row['value'], row['low'], row['high'], 2)} for the {row['score']}" for row in rows]
    return f"Under {side} two judges go together with r {words(sentence)}."


_NEARLY = 0.9  # of τ, r or the share of items; below it a reader should not rely on half of the judges
_DRAWS, _STREAM, _MOST_STEPS, _FEWEST_SYSTEMS = 200, 11, 8, 3


def stability(lab: ComparisonData) -> ComparisonAnswer:
    """With three systems or more: Kendall's τ between the order by k judges and by all. Else for scores the
    correlation of item means, for labels the share of items with the same majority. Each is the mean over draws, with
    the middle of them, as wide as the level of the intervals: none where nearly all draws say the same."""
    title = "Would fewer judges say the same?"
    rows = [_curve(side, lab.resampling) for side in lab.sides]
    if not any(points for _, points in rows):
        return ComparisonAnswer(title, missing="no side has two people on the same items of two documents or more.")
    lines, data, sentences = [], [], []
    middle: list[Value] = []
    kinds: dict[str, None] = {}
    for side, (what, points) in zip(lab.sides, rows, strict=True):
        data += [
            {
                "side": side.name,
                "what": what,
                "judges": k,
                "value": v,
                "low": band and band[0],
                "high": band and band[1],
            }
            for k, v, band in points
        ]
        half = min(points, key=lambda point: (abs(point[0] - len(side.people) / 2), point[0])) if points else None
        low, high = (half and half[2]) or (None, None)
        middle.append(Value(half[1], low, high, half[0]) if half else Value(None))
        if half:
            spread = interval(*half[2], 2) if half[2] else "in all draws or nearly all"
            sentences.append(f"{side.name} with {half[0]} of {len(side.people)} judges {number(half[1], 2)} {spread}")
            kinds[what] = None
    lines.append(ComparisonLine("Same with half the judges", middle))
    text = f"Half of the judges would say nearly the same as all ({words(list(kinds), 'or')}): {'; '.join(sentences)}."
    if min(value.value for value in middle if value.value is not None) < _NEARLY:
        joint_text = "; ".join(sentences)
        text = f"Half of the judges would not quite say the same as all ({words(list(kinds), 'or')}): {joint_text}."
    bars = [
        Curve(f"{side.name}: {what}", [p[:2] for p in points], [p[2] for p in points])
        for side, (what, points) in zip(lab.sides, rows, strict=True)
        if points
    ]
    figure = Figure(
        "lab-stability",
        f"{text} 1 is what all judges together say. Mean and middle {lab.level} of {_DRAWS} draws.",
        str(curves("Stability under fewer judges", bars, "judges", top=1.0)),
        data,
        f"judges drawn without replacement · {_DRAWS} draws, seed {lab.resampling.seed}",
    )
    return ComparisonAnswer(title, lines, figure, text)


_ITEM = ["document", "segment", "system"]
_Point = tuple[int, float, tuple[float, float] | None]


def _curve(side: Side, resampling: Resampling) -> tuple[str, list[_Point]]:
    """What is compared, and for so many judges its mean over draws and the middle of them."""
    judges = side.people
    if len(judges) < 2 or side.by_people["document"].n_unique() < 2:  # one document says nothing about others
        return "", []
    rng = generator(resampling.seed, _STREAM)
    half = max(1, len(judges) // 2)
    steps = np.unique([*np.linspace(1, len(judges) - 1, _MOST_STEPS).round().astype(int), half])
    if side.measure:
        table = side.by_people.filter(pl.col("question") == side.measure.of, pl.col("score").is_not_null())
        by_system = table["system"].n_unique() >= _FEWEST_SYSTEMS
        what = "τ of the systems' order" if by_system else "r of item scores"
        unit = ["system"] if by_system else _ITEM
        sums, counts = _spread(table, unit, judges)
        if not by_system:  # the only judge of an item always says what all say
            several = (counts > 0).sum(axis=0) > 1
            sums, counts = sums[:, several], counts[:, several]
        same: Callable[[Sequence[Indices]], Array] = partial(
            _correlations, sums, counts, "kendall" if by_system else "pearson"
        )
    else:
        name = next((form[0] for q in side.questions if (form := form_of(q)) and form[1] is Form.LABELS), None)
        if name is None:
            return "", []
        what = "share with the same majority"
        same = partial(_majorities, _votes(side.choices(name), judges))
    points: list[_Point] = []
    for k in steps:
        shares = same([rng.choice(len(judges), int(k), replace=False) for _ in range(_DRAWS)])
        values = shares[np.isfinite(shares)]
        if len(values):
            middle = (0.5 - resampling.level / 2, 0.5 + resampling.level / 2)
            low, high = (float(end) for end in np.quantile(values, middle))
            points.append((int(k), float(values.mean()), (low, high) if high - low > 1e-9 else None))
    return what, points


def _spread(table: pl.DataFrame, unit: list[str], judges: list[str]) -> tuple[Array, Array]:
    """judges × units: sums of scores and how many."""
    place = {name: at for at, name in enumerate(judges)}
    units = table.select(unit).unique(maintain_order=True).with_row_index("unit")
    cells = table.join(units, on=unit).group_by("judge", "unit").agg(pl.col("score").sum(), pl.len())
    sums, counts = (np.zeros((len(judges), len(units))) for _ in range(2))
    for judge, at, score, n in cells.iter_rows():
        sums[place[judge], at], counts[place[judge], at] = score, n
    return sums, counts


def _votes(table: pl.DataFrame, judges: list[str]) -> Array:
    """judges × items × labels: who chose what, of items that several judged: who judged one alone is all of them."""
    place = {name: at for at, name in enumerate(judges)}
    items = table.select(_ITEM).unique(maintain_order=True).with_row_index("item")
    labels = {label: at for at, label in enumerate(table["label"].unique().sort())}
    sums = np.zeros((len(judges), len(items), len(labels)))
    for judge, item, label in table.join(items, on=_ITEM).select("judge", "item", "label").iter_rows():
        sums[place[judge], item, labels[label]] = 1
    return sums[:, sums.any(axis=2).sum(axis=0) > 1]


def _mean(sums: Array, counts: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums.sum(axis=0) / counts.sum(axis=0))


def _correlations(sums: Array, counts: Array, kind: Kind, draws: Sequence[Indices]) -> Array:
    """Of the scores that each draw of judges gives and those of all judges, over the units that have both."""
    some = np.stack([_mean(sums[draw], counts[draw]) for draw in draws], axis=1)
    whole = np.broadcast_to(_mean(sums, counts)[:, None], some.shape)
    enough = np.isfinite(some).sum(axis=0) >= _FEWEST_SYSTEMS
    return np.where(enough, correlation_of_segments(whole, some, kind), np.nan)


def _majorities(votes: Array, draws: Sequence[Indices]) -> Array:
    """The share of items whose most frequent answer is the same; where several are as frequent, any of them counts in
    part."""
    whole = votes.sum(axis=0)
    shares = []
    for draw in draws:
        some = votes[draw].sum(axis=0)
        voted = some.sum(axis=1) > 0
        a, b = (own[voted] == own[voted].max(axis=1, keepdims=True) for own in (some, whole))
        shares.append(((a & b).sum(axis=1) / (a | b).sum(axis=1)).mean() if voted.any() else np.nan)
    return np.array(shares)


BLOCKS = "regression.blocks"
_LONG_SCALE = 9
ALL = "all people"


def prediction(lab: ComparisonData) -> ComparisonAnswer:
    """R² of a holistic score (one number for the whole impression) on what each side recorded besides.

    A side whose plan has a block model is read by that model, judge by judge. Any other side predicts the mean holistic
    score of an item of the side that has one from its own mean scores, on shared items.
    """
    title = "How much of the holistic score is explained?"
    target = next(((side, of) for side in lab.sides if (of := holistic(side))), None)
    if target is None:
        return ComparisonAnswer(title, missing="no side asks for a holistic score.")
    predictions = [_planned_models(side, lab) or _across(side, target, lab) for side in lab.sides]
    if not any(predictions):
        return ComparisonAnswer(title, missing="no side recorded anything else that could explain it.")
    rows = [row for one in predictions for row in one]
    lines = lines_by_label(
        lab, [{**row, "value": row["r2"]} for row in rows], lambda row: f"R² of {row['of']}: {row['block']}"
    )
    r2_bars = [
        Bar(
            f"{row['side']}: {row['block']}",
            (("a1", row["r2"], ""), ("trk", 1 - row["r2"], "")),
            estimate(row["r2"], row["low"], row["high"], 2),
        )
        for row in rows
    ]
    sentence = _sentence_prediction(rows)
    absent = [side.name for side, one in zip(lab.sides, predictions, strict=True) if not one]
    why = f" {words(absent)}: not computable, no shared items with a holistic score." if absent else ""
    figure = Figure(
        "lab-prediction",
        f"{sentence}{why} Bars: R² from 0 to 1.",
        str(bars("Share explained", r2_bars, most=1.0)),
        rows,
        " · ".join(filter(None, ("OLS R²", *dict.fromkeys(row["intervals"] for row in rows)))),
    )
    return ComparisonAnswer(title, lines, figure, sentence + why)


def holistic(side: Side) -> str | None:
    """The holistic score of a side: what its block model explains, else a long scale asked of the text."""
    outcomes = [analysis.of for analysis in side.protocol.analyses if analysis.statistic == BLOCKS]
    answered_ids = set(side.table["question"])
    long = [q.id for q in side.questions if isinstance(q, Scale) and not q.for_each and q.max - q.min >= _LONG_SCALE]
    return next((of for of in [*outcomes, *long] if of in answered_ids), None)


def _planned_models(side: Side, lab: ComparisonData) -> list[dict[str, Any]]:
    rows = []
    for analysis in side.protocol.analyses:
        if analysis.statistic != BLOCKS or analysis.of not in set(side.table["question"]):
            continue
        steps = regression.blocks(side.by_people, analysis.of, analysis.options["blocks"], resampling=lab.resampling)
        names = {judge.id: judge.name or judge.id for judge in side.material.judges}
        rows += [
            _row(side, analysis.of, row["step"], str(names.get(row["judge"], row["judge"])), row, steps)
            for row in steps.rows
        ]
    return rows


def _row(side: Side, of: str, block: str, who: str, row: Mapping[str, Any], result: Result) -> dict[str, Any]:
    return {
        "side": side.name,
        "who": who,
        "of": side.says(of),
        "block": _block(block, who),
        "r2": row["r2"],
        "low": row.get("r2_low"),
        "high": row.get("r2_high"),
        "n": row["n"],
        "intervals": intervals_of(result),
    }


def _block(block: str, who: str) -> str:
    return block.replace("_", " ") + (f" ({who})" if who != ALL else "")


def _across(side: Side, target: tuple[Side, str], lab: ComparisonData) -> list[dict[str, Any]]:
    holder, of = target
    if side is not holder and lab.shared < 10:
        return []
    key = item_key(lab.sides)
    outcome = _means(holder, [of], key).rename({of: "holistic"})
    scores = [score.id for score in side.protocol.scores if score.rule != "value" and score.id != of]
    measure = [side.measure.of] if side.measure and side.measure.of != of and side is not holder else []
    questions = [name for name in dict.fromkeys([*measure, *scores]) if name in set(side.table["question"])]
    if side is not holder and (own := holistic(side)) and own not in questions:
        questions.append(own)
    rows = []
    for name in questions:
        table = outcome.join(_means(side, [name], key).rename({name: "predictor"}), on=key).drop_nulls()
        try:
            result = regression.regress(table, "holistic", ["predictor"], resampling=lab.resampling)
        except LannerError:
            continue
        if result.value is not None:
            fit = {"r2": result.value, "r2_low": result.low, "r2_high": result.high, "n": len(table)}
            rows.append(_row(holder, of, side.says(name), ALL, fit, result) | {"side": side.name})
    return rows


def _means(side: Side, questions: list[str], key: list[str]) -> pl.DataFrame:
    table = side.by_people.filter(pl.col("question") == questions[0], pl.col("row") == "")
    return table.group_by(key, maintain_order=True).agg(pl.col("score").mean().alias(questions[0]))


def _sentence_prediction(rows: list[dict[str, Any]]) -> str:
    best: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row["side"] not in best or row["r2"] > best[row["side"]]["r2"]:
            best[row["side"]] = row
    sentence = [f"{side} explains up to {100 * row['r2']:.0f} % ({row['block']})" for side, row in best.items()]
    return f"Of the holistic score {words(sentence)}."
