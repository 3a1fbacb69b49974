"""Figures of papers drawn again: a study file names the kind, the data gives the numbers, the caption the finding."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from lanner.figures.charts import (
    Bar,
    DomainPanel,
    EstimateRow,
    ModelPanel,
    Pair,
    Preference,
    bars,
    effects_of,
    forest,
    heat_map,
    histogram,
    intervals,
    preference,
    shares,
    throughput,
)
from lanner.model import Grid, Json, Result
from lanner.model.messages import estimate, from_to, interval, leading, name_or_count, number, p_value, plural, words
from lanner.model.protocol import Wording
from lanner.reports.parts import Figure, predictors
from lanner.stats import ranking
from lanner.stats.agreement import kappa, percent
from lanner.stats.coefficients import pairwise
from lanner.stats.preference import sign_test
from lanner.stats.resample import Resampling
from lanner.studies import computations, error_spans, simulation
from lanner.studies.study import CellResult, Data, PublishedFigure

_HOW = Resampling(n=1000)
_LEVEL = 0.05
_SHADES = ("h1", "h3", "h5", "h7", "h9")
Made = tuple[str, str, list[dict[str, Json]], str]
"""The drawing, the finding for the caption, the data, the signature."""


def draw(drawing: PublishedFigure, data: Data) -> tuple[Figure, str]:
    """One figure, whose caption opens with what the numbers say, and that finding by itself."""
    svg, finding, rows, signature = KINDS[drawing.kind](data, **drawing.options)
    caption = f"{finding} {drawing.caption}".strip() + f" Drawn after {drawing.where}."
    name = "".join(c if c.isalnum() else "-" for c in drawing.where.lower())
    return Figure(f"figure-{drawing.kind.replace('_', '-')}-{name}", caption, svg, rows, signature), finding


def pairs(
    data: Data, *, part: str, question: str, judges: Sequence[str], people: int, names: Mapping[str, str]
) -> Made:
    """κ of every two judges with its interval, and how often they give the same answer."""
    table, options = data.table(part, judges), data.labels(part, question)
    result = pairwise(table, question, of=kappa, resampling=_HOW, **options)
    same = {frozenset(r.labels.values()): r.value for r in pairwise(table, question, of=percent, resampling=_HOW)}
    cells = {
        (names[r.labels["judge"]], names[r.labels["other"]]): Pair(
            r.value, r.low, r.high, same.get(frozenset(r.labels.values())), r.counts.get("items", 0)
        )
        for r in result
    }
    best, *equal = leading(result, lambda r: -math.inf if r.value is None else r.value)
    highest = [f"{names[r.labels['judge']]} and {names[r.labels['other']]}" for r in (best, *equal)]
    value = number(best.value, 2) if equal else estimate(best.value, best.low, best.high, 2)
    finding = f"The highest κ is that of {name_or_count(highest, 'pair')}, {value} ({_sizes(best)})."
    svg = str(heat_map([names[judge] for judge in judges], people, cells))
    return svg, finding, [dict(r.row()) for r in result], str(best.signature or "")


def differing(
    data: Data, *, part: str, question: str, pairs: Sequence[Sequence[str]], names: Mapping[str, str]
) -> Made:
    """The labels of each side on the sentences where two judges differ."""
    labels = data.labels(part, question)["labels"]
    words_of = _words(data, part, question)
    panels, rows, sentences = [], list[dict[str, Json]](), []
    for one, other in pairs:
        keys = ["document", "segment"]
        first, second = (data.table(part, [j], question=question).select(*keys, "label") for j in (one, other))
        differ = first.join(second, on=keys, suffix="_other").filter(pl.col("label") != pl.col("label_other"))
        for judge, column in ((one, "label"), (other, "label_other")):
            counts = Counter(differ[column].to_list())
            parts = [(_SHADES[k % 5], float(counts[name]), words_of[name]) for k, name in enumerate(labels)]
            panels.append(Bar(f"{names[judge]}, against {names[other if judge == one else one]}", parts))
            rows += [{"judge": judge, "pair": f"{one}–{other}", "label": n, "count": counts[n]} for n in labels]
            top = leading(counts, counts.__getitem__)
            share = f"{100 * counts[top[0]] / counts.total():.1f} % of {counts.total()}"
            sentences.append(
                f"{names[judge]} {name_or_count([words_of[name].lower() for name in top], 'label')} ({share})"
            )
    finding = f"Most frequent where two differ: {words(sentences)}."
    return (
        str(bars("Labels where two judges differ", panels)),
        finding,
        rows,
        f"counts of sentences · {part} {question}",
    )


def skill_shares(data: Data, *, part: str, question: str, judges: Sequence[str], names: Mapping[str, str]) -> Made:
    """How often each label was chosen, per domain and judge."""
    protocol = data.part(part).protocol
    pair = protocol.find(question) if protocol else None
    options = pair[1].choices if pair else ()
    words_of = _words(data, part, question)
    labels = [(o.id, words_of[o.id], o.group or "") for o in options]
    panels, rows, lines = [], list[dict[str, Json]](), []
    for domain in dict.fromkeys(document.domain for document in data.documents(part)):
        shares_by_judge: dict[str, dict[str, float]] = {}
        for judge in judges:
            answers = computations.given(data, part, question, judge, domain)
            shares_by_judge[names[judge]] = {o.id: sum(o.id in one for one in answers) / len(answers) for o in options}
            rows += [
                {"domain": domain, "judge": judge, "label": k, "share": v}
                for k, v in shares_by_judge[names[judge]].items()
            ]
        panels.append(DomainPanel(domain, sum(len(d.segments) for d in data.documents(part, domain)), shares_by_judge))
        mean = {o.id: sum(row[o.id] for row in shares_by_judge.values()) / len(shares_by_judge) for o in options}
        top = leading(mean, mean.__getitem__)
        most = name_or_count([words_of[label].lower() for label in top], "label")
        lines.append(f"{domain} {most} ({100 * mean[top[0]]:.0f} % of sentences)")
    svg = str(shares(labels, panels, [names[judge] for judge in judges]))
    return svg, f"Most often chosen: {words(lines)}.", rows, f"% of sentences with label · {part} {question}"


def coefficients(
    data: Data, *, part: str, outcome: str, blocks: Sequence[str], judges: Mapping[str, Mapping[str, Any]]
) -> Made:
    """Coefficients without and with the second block, classical intervals as in the paper. `judges` have options."""
    panels, rows, sentences = [], list[dict[str, Json]](), []
    for judge, about in judges.items():
        fill = about.get("fill")
        first = computations.model(data, part, judge, outcome, blocks[:1], fill=fill)
        full = computations.model(data, part, judge, outcome, blocks, fill=fill)
        r_squared = [(blocks[0], first.value or 0.0), (" + ".join(blocks), full.value or 0.0)]
        note = f"n {full.counts.get('items', 0)}"
        panels.append(ModelPanel(about["name"], note, effects_of(first.rows), effects_of(full.rows), r_squared))
        rows += [{"judge": judge, "model": "all blocks", **row} for row in full.rows]
        sentences.append(f"{about['name']} R² {number(r_squared[0][1], 2)}, then {number(r_squared[1][1], 2)}")
    terms = predictors(
        data.part(part).protocol,
        blocks,
        lambda name: name.replace("_", " ").capitalize(),
        lambda name, row: _words(data, part, name)[row],
    )
    svg = str(forest(terms, panels, f"points of {outcome} for one step more"))
    return svg, f"{'; '.join(sentences)} with the sentence score.", rows, "least squares · classical intervals"


def numbers(data: Data, *, part: str, question: str, judges: Mapping[str, str], what: str) -> Made:
    """How many labels were chosen on one item."""
    panels = [(n, dict(Counter(computations.numbers_chosen(data, part, question, j)))) for j, n in judges.items()]
    rows: list[dict[str, Json]] = [
        {"judge": name, "number": size, "items": n} for name, counts in panels for size, n in sorted(counts.items())
    ]
    modes = [(name, leading(sorted(counts), counts.__getitem__)) for name, counts in panels if counts]
    lines = [f"{name} {name_or_count([str(size) for size in sizes], 'number')}" for name, sizes in modes]
    least = min((min(counts) for _, counts in panels if counts), default=0)
    finding = f"Most frequent: {words(lines)}; no sentence has fewer than {least}."
    return str(histogram(panels, what)), finding, rows, f"count · {part} {question}"


def speed(data: Data, *, part: str, of: str, judges: Mapping[str, str], without: str = "") -> Made:
    """Sentences a minute per judge and domain."""
    values = {name: computations.rates(data, part, judge, of, without=without) for judge, name in judges.items()}
    domains = list(dict.fromkeys(d for rates in values.values() for d in rates if d != "all"))
    rows: list[dict[str, Json]] = [
        {"judge": name, "domain": domain, "per_minute": rate}
        for name, rates in values.items()
        for domain, rate in rates.items()
    ]
    lines = [
        f"{name} {rates['all']:.2f} a minute, slowest in {min(domains, key=lambda d: rates.get(d, 99.0))}"
        for name, rates in values.items()
    ]
    svg = str(throughput(domains, {n: {d: r for d, r in rs.items() if d != "all"} for n, rs in values.items()}))
    return svg, f"{'; '.join(lines)}.", rows, "60 / mean seconds, items over 10,000 s left out · mean over domains"


def preferences(data: Data, *, part: str, rows: Sequence[Mapping[str, str]], documents: str = "") -> Made:
    """Which side is preferred in each condition, with sign tests."""
    panels, rows_with_tests, sentences = [], list[dict[str, Json]](), []
    signature = ""
    for row in rows:
        result = sign_test(data.table(part, (), documents), row["question"], favour="human", resampling=_HOW)
        values = next(entry for entry in result.rows if entry["judge"] == "all")
        signature = str(result.signature or "")
        panels.append(
            Preference(
                row["group"],
                row["label"],
                int(values["losses"]),
                int(values["ties"]),
                int(values["wins"]),
                values["p_drop"],
            )
        )
        rows_with_tests.append({**row, **values})
        sentences.append(
            (f"{row['group'].lower()} of {row['label']}s ({p_value(values['p_drop'])})", values["p_drop"] < _LEVEL)
        )
    clear, open_ = ([text for text, sure in sentences if sure is is_sure] for is_sure in (True, False))
    finding = f"The human translation is preferred in {words(clear)}." if clear else ""
    finding += f" No preference is shown in {words(open_)}." if open_ else ""
    return str(preference(panels, "MT", "human")), finding, rows_with_tests, signature


def metrics(data: Data, *, give: str = "acc_eq") -> Made:
    """How well each metric orders translations as gold does."""
    result = computations.evaluated(data)
    rows = [dict(row) for row in result.rows]
    panels = [
        EstimateRow(str(row["metric"]), row[give], note=f"pairs {row['sys_pairwise_accuracy']:.3f}") for row in rows
    ]
    best = leading(rows, lambda row: row[give])
    names = name_or_count([str(row["metric"]) for row in best], "metric")
    finding = f"Segments are ordered best by {names} ({number(best[0][give], 3)}; {_sizes(result)})."
    return str(intervals("Metrics against gold", panels, digits=3)), finding, rows, str(result.signature or "")


def systems(data: Data, *, part: str, of: str) -> Made:
    """Systems by score, with document intervals and clusters."""
    protocol = data.part(part).protocol
    plans = protocol.analyses if protocol else ()
    options = next((a.options for a in plans if a.statistic == "ranking.systems" and a.of == of), {})
    result = ranking.systems(data.part(part).table, of, resampling=_HOW, **{**options, "per_words": None})
    rows = [dict(row) for row in result.rows]
    panels = [
        EstimateRow(str(r["system"]), r["score"], r["low"], r["high"], from_to(r["rank_low"], r["rank_high"]))
        for r in rows
    ]
    first = [row for row in rows if row["rank"] == rows[0]["rank"]]
    low, high = (rows[0][end] if len(first) == 1 else None for end in ("low", "high"))  # equals differ in theirs
    best = estimate(rows[0]["score"], low, high, 2, bounded=False)
    who = f"{name_or_count([row['system'] for row in first], 'system')} {'has' if len(first) == 1 else 'have'}"
    finding = f"{who} the best mean, {best}; {_told_apart(rows)} ({_sizes(result)})."
    svg = str(intervals(f"{of} by system", panels, bounded=False))
    return svg, finding, rows, str(result.signature or "")


def effort(data: Data, *, parts: Mapping[str, str]) -> Made:
    """Seconds and spans a segment in each protocol."""
    panels, rows, sentences, sizes = [], list[dict[str, Json]](), [], []
    for name, part in parts.items():
        seconds = error_spans.seconds_per_segment(data, part=part)
        spans = error_spans.spans_per_segment(data, part=part)
        if isinstance(seconds.value, float) and isinstance(spans.value, float):
            panels.append(EstimateRow(name, seconds.value, seconds.low, seconds.high, f"{spans.value:.2f} spans"))
            rows.append(
                {
                    "protocol": name,
                    **{"seconds": seconds.value, "seconds_low": seconds.low, "seconds_high": seconds.high},
                    **{"spans": spans.value, "spans_low": spans.low, "spans_high": spans.high, "n": seconds.detail},
                }
            )
            took = f"{seconds.value:.0f} s {interval(seconds.low, seconds.high, 0, bounded=False)}"
            marks = estimate(spans.value, spans.low, spans.high, 2, bounded=False)
            sentences.append(f"{took} in {name} ({marks} spans)")
            sizes.append(f"{name} {seconds.detail}")
    svg = str(intervals("Seconds a segment", panels, bounded=False, digits=1))
    signature = f"mean of judges' means · 95 % intervals by document · n {'; '.join(sizes)}"
    return svg, f"A segment takes {words(sentences)}.", rows, signature


def scenarios(data: Data, *, families: Mapping[str, str]) -> Made:
    """α of each question and scenario with its interval, the known truth at the right. `families` have a level of α."""
    values = {
        f"{family}, {name}": simulation.scenario_agreement(
            data, family=family, scenario=scenario, statistic="alpha", level=level
        )
        for family, level in families.items()
        for scenario, name in (("rs", "single sentences"), ("sc", "in context"), ("ds", "documents"))
    }
    return _draw_recovery(values, "Krippendorff's α, both sets", bounded=True)


def refusals(data: Data, *, places: Sequence[str]) -> Made:
    """For how many sentences so many judges say no, in both phases."""
    values = {
        f"phase {name}, {words_of}": simulation.no_agreement(data, phase=phase, place=place)
        for phase, name in (("one", "I"), ("two", "II"))
        for place, words_of in enumerate(places)
    }
    return _draw_recovery(values, "% of sentences", bounded=False)


def _draw_recovery(values: Mapping[str, CellResult], what: str, *, bounded: bool) -> Made:
    digits = 2 if bounded else 1
    panels = [
        EstimateRow(name, float(f.value), f.low, f.high, f"true {number(f.truth, digits, bounded=bounded)}")
        for name, f in values.items()
        if isinstance(f.value, float)
    ]
    rows: list[dict[str, Json]] = [
        {"what": name, "value": f.value, "low": f.low, "high": f.high, "truth": f.truth} for name, f in values.items()
    ]
    hits = sum(f.truth is not None and f.low is not None and f.low <= f.truth <= (f.high or 0) for f in values.values())
    finding = f"{hits} of {len(values)} intervals hold the truth, which stands at the right."
    svg = str(intervals(what, panels, bounded=bounded, digits=digits))
    return svg, finding, rows, f"{what} · 99 % intervals by document · simulated judges"


def _told_apart(rows: Sequence[Mapping[str, Any]]) -> str:
    """How many pairs of systems differ, in words."""
    apart, pairs_of = sum(row["wins"] for row in rows), len(rows) * (len(rows) - 1) // 2
    return f"{apart or 'none'} of the {pairs_of} pairs of systems {'is' if apart == 1 else 'are'} told apart"


def _sizes(result: Result) -> str:
    """What a finding rests on."""
    names = (("segments", "segment"), ("items", "item"), ("systems", "system"), ("documents", "document"))
    return "n " + ", ".join(plural(result.counts[key], one) for key, one in names if result.counts.get(key))


def _words(data: Data, part: str, question: str) -> dict[str, str]:
    protocol = data.part(part).protocol
    pair = protocol.find(question) if protocol else None
    if protocol is None or pair is None:
        return {}
    wording = Wording(protocol)
    options = pair[1].rows if isinstance(pair[1], Grid) else pair[1].choices
    return {option.id: wording.option(question, option.id).label for option in options}


KINDS: dict[str, Callable[..., Made]] = {
    made.__name__: made
    for made in (
        pairs,
        differing,
        skill_shares,
        coefficients,
        numbers,
        speed,
        preferences,
        metrics,
        systems,
        effort,
        scenarios,
        refusals,
    )
}
