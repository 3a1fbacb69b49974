"""How scores go along a document, and how much context its sentences need; and context as a factor: what
people miss, how often verdicts change and how long it takes, context by context."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from lanner.analysis import FEWEST_ITEMS
from lanner.analysis.context import ContextEffect, Sign, context_dependence, context_effects
from lanner.analysis.scores import ALL, Bounds, Share, on_scale
from lanner.errors import LannerError
from lanner.figures.charts import Curve, Row, curves, intervals
from lanner.figures.typeset import estimate, number, p_value, percent, plural
from lanner.model import Analysis, Json, Result, Scale, Unit
from lanner.reports.parts import Block, Column, Figure, Paragraph, Section, Table
from lanner.reports.view import View
from lanner.stats import context
from lanner.stats.resample import Array, Replicates, Resampling, outcome, replicate_sums

_PARTS, _FEWEST_DOCUMENTS, _LEVEL, _MOST_DRAWN = 5, 3, 0.05, 8


def section(view: View) -> Section | None:
    """For every scale that is asked sentence by sentence, in documents of at least five sentences."""
    blocks: list[Block] = []
    for stage, question in view.protocol.questions:
        if isinstance(question, Scale) and not question.for_each and stage.unit is Unit.IN_CONTEXT:
            figure = _figure(view, question)
            blocks += [figure] if figure else []
    return Section("along", "Along the document", blocks) if blocks else None


def _figure(view: View, question: Scale) -> Figure | None:
    table = _scores_by_fifth(view, question.id)
    documents = table["document"].n_unique()
    if documents < _FEWEST_DOCUMENTS or table["part"].n_unique() < _PARTS:
        return None
    rows: list[dict[str, Json]] = []
    lines: list[Curve] = []
    people = view.people_asked(question.id) or [judge.id for judge in view.judges]
    for judge in [*(["all"] if len(people) > 1 else []), *people]:  # all of them in the data, some in the drawing
        own = table.filter(pl.col("judge").is_in(people if judge == "all" else [judge]))
        if own["part"].n_unique() < _PARTS:
            continue
        replicates = _means(own, view.resampling)
        name = "all people" if judge == "all" else view.names[judge]
        values = [_value(replicates, part, view.resampling, (question.min, question.max)) for part in range(_PARTS)]
        rows += [
            {"judge": name, "part": part + 1, "value": v, "low": low, "high": high}
            for part, (v, low, high) in enumerate(values)
        ]
        with_band = judge == "all" or len(people) == 1
        points = [(float(part + 1), v) for part, (v, _, _) in enumerate(values)]
        if len(lines) <= _MOST_DRAWN:
            band = [
                (low, high) if with_band and low is not None and high is not None else None for _, low, high in values
            ]
            lines.append(Curve(name, points, band))
    if not lines:
        return None
    whole = _means(table.filter(pl.col("judge").is_in(people)), view.resampling)
    caption = f"{_change(view, question.id, whole)} Each part is a fifth of every document; bars: 95 % intervals."
    return Figure(
        f"along-{question.id}",
        f"{caption} n {plural(len(table), 'score')} in {plural(documents, 'document')}.",
        str(curves(f"{view.label(question.id)} along the document", lines, "fifth of the document")),
        rows,
        f"mean by fifth · {view.protocol.label} {question.id} · documents {documents} · judges {len(people)} · "
        f"resamples {view.resampling.n:,} · seed {view.resampling.seed}",
    )


def _scores_by_fifth(view: View, question: str) -> pl.DataFrame:
    """The scores with the fifth of the document in which their sentence stands."""
    places = [
        (document.id, segment.id, at * _PARTS // len(document.segments))
        for document in view.material.documents
        if len(document.segments) >= _PARTS
        for at, segment in enumerate(document.segments)
    ]
    where = pl.DataFrame(places, schema={"document": pl.String, "segment": pl.String, "part": pl.Int64}, orient="row")
    table = view.answers(question).filter(pl.col("score").is_not_null())
    return table.select("judge", "document", "segment", "score").join(where, on=["document", "segment"])


def _means(table: pl.DataFrame, how: Resampling) -> Replicates:
    """The mean of each part, and last less first, over resamples of documents."""
    order = {name: at for at, name in enumerate(table["document"].unique(maintain_order=True))}
    sums = np.zeros((len(order), 2 * _PARTS))
    for document, part, score, n in table.group_by("document", "part").agg(pl.col("score").sum(), pl.len()).iter_rows():
        sums[order[document], [2 * part, 2 * part + 1]] = (score, n)

    def finish(total: Array) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            means = total[:, 0::2] / total[:, 1::2]
        return np.column_stack([means, means[:, -1] - means[:, 0]])

    return replicate_sums(sums, finish, how)


def _value(
    replicates: Replicates, column: int, how: Resampling, bounds: Bounds | None
) -> tuple[float, float | None, float | None]:
    value, summary = float(replicates.value[column]), outcome(replicates, how, column=column).interval
    return value, *on_scale(value, summary.low if summary else None, summary.high if summary else None, bounds)


def _change(view: View, question: str, replicates: Replicates) -> str:
    summary = outcome(replicates, view.resampling, column=_PARTS, null=0.0)
    value = float(replicates.value[_PARTS])
    low, high = (summary.interval.low, summary.interval.high) if summary.interval else (None, None)
    numbers = f"{estimate(value, low, high, 2, bounded=False)}, {p_value(summary.p)}"
    name = view.label(question)
    if summary.p is not None and summary.p < _LEVEL:
        return f"{name} {'rises' if value > 0 else 'falls'} from the first fifth of a document to the last ({numbers})."
    first = number(float(replicates.value[0]), 2, bounded=False)
    return f"{name} is not shown to change along the document (first fifth {first}; last less first {numbers})."


_MOST = 12
_NAMES = {"context.issue_shares": "label", "context.agreement_intervals": "interval", "context.spans": "span"}
_MADE: Mapping[str, Callable[..., Result]] = {
    "context.issue_shares": context.issue_shares,
    "context.agreement_intervals": context.agreement_intervals,
    "context.spans": context.spans,
}
_SAID = {
    "context.issue_shares": "What hinders translation most is {top}",
    "context.agreement_intervals": "Share of judges who gave the answer: most sentences have {top}",
    "context.spans": "What settles a sentence most often is {top}",
}


def context_needs(view: View) -> Section | None:
    """For the statistics on context that the protocol's plan names; one figure each, all groups together."""
    blocks: list[Block] = []
    findings: list[str] = []
    for analysis in view.protocol.analyses:
        if analysis.statistic in _MADE and analysis.of in view.answered:
            blocks += _figures(view, analysis, findings)
    if (table := _dependence(view)) is not None:
        blocks.append(table)
    return Section("contexts", "Context spans and issues", blocks, findings) if blocks else None


def _dependence(view: View) -> Table | None:
    """How far texts depend on context, by language pair and domain."""
    counted_rows = view.counted()
    results = context_dependence(counted_rows, view.protocol, resampling=view.resampling)
    places = list(dict.fromkeys((result.pair, result.domain) for result in results))
    if not results or {domain for _, domain in places} == {ALL}:
        return None
    pairs = {pair for pair, _ in places if pair != ALL}
    visible = [place for place in places if len(pairs) > 1 or place[0] == ALL]
    rows: list[dict[str, Json]] = []
    for sign in dict.fromkeys(result.sign for result in results):
        line: dict[str, Json] = {"sign": _sign_words(view, sign)}
        for result in results:
            if result.sign == sign and (result.pair, result.domain) in visible:
                line[f"{result.pair}-{result.domain}"] = percent(result.share.value, 0)
                line[f"{result.pair}-{result.domain}-ci"] = _ends(result.share.low, result.share.high)
        rows.append(line)
    columns = [Column("sign", "")]
    for pair, domain in visible:
        where = "all" if (pair, domain) == (ALL, ALL) else domain if pair == ALL else f"{pair}, {domain}"
        columns += [
            Column(f"{pair}-{domain}", "share", span=where),
            Column(f"{pair}-{domain}-ci", "95 %", quiet=True, span=where),
        ]
    caption = (
        "How far the texts depend on context: shares of judgements (of reasons: of those that give any), with "
        "intervals over documents."
    )
    signature = f"context dependence · {view.protocol.label} · rows {counted_rows.selection}"
    return Table("context-dependence", caption, columns, rows, [result.to_row() for result in results], signature)


def _sign_words(view: View, sign: Sign) -> str:
    match sign.kind:
        case "level":
            return "needs more than the sentence"
        case "marked":
            return "words marked as needing context"
        case "untranslatable":
            return f"{view.label(sign.question)}: {view.option(sign.question, sign.label)}"
        case _:
            return view.option(sign.question, sign.label)


def _ends(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{percent(low, 0)} – {percent(high, 0)}"


def _figures(view: View, analysis: Analysis, findings: list[str]) -> Iterator[Block]:
    try:
        options: dict[str, Any] = dict(analysis.options)
        result = _MADE[analysis.statistic](view.counted().table, analysis.of, resampling=view.resampling, **options)
    except LannerError as error:
        yield Paragraph(f"{view.label(analysis.of)}: {error.what}")
        return
    if not result.rows:
        yield Paragraph(f"{view.label(analysis.of)}: {' '.join(result.notes)}")
        return
    yield _figure_contexts(view, analysis, result, findings)


def _figure_contexts(view: View, analysis: Analysis, result: Result, findings: list[str]) -> Figure:
    name = _NAMES[analysis.statistic]
    everyone = [row for row in result.rows if _is_whole(row)]
    named = [row for row in everyone if row["count"]] or everyone
    names = named[:_MOST]
    bars = [
        Row(_label_of(view, analysis.of, str(row[name])), row["share"], row["low"], row["high"], f"n {row['count']}")
        for row in names
    ]
    # The last row of these intervals is their sum from some share on, not an interval beside the others.
    total = everyone[-1] if analysis.statistic == "context.agreement_intervals" else None
    usual = [row for row in names if row is not total] or names
    top = max(usual, key=lambda row: row["share"])
    sentence = _SAID[analysis.statistic].format(
        top=f"{view.inside(_label_of(view, analysis.of, str(top[name])))} ({percent(top['share'], 0)})"
    )
    if analysis.statistic != "context.agreement_intervals":
        findings.append(f"{sentence}.")
    groups = _groups(result.rows, name, str(top[name]))
    return Figure(
        f"{analysis.statistic.replace('.', '-')}-{analysis.of}",
        f"{view.label(analysis.of)}. {sentence}{groups}. Dot: share; bar: 95 % interval, documents resampled.",
        str(intervals(view.label(analysis.of), bars)),
        [dict(row) for row in result.rows],
        view.signature(result),
    )


def _is_whole(row: Mapping[str, Json]) -> bool:
    return any(row.get(group) == "all" for group in ("domain", "target_language"))


def _groups(rows: Sequence[Mapping[str, Json]], name: str, top: str) -> str:
    """The same share in each group, where there are several."""
    results = [
        (str(row.get("domain") or row.get("target_language")), row["share"])
        for row in rows
        if row[name] == top and not _is_whole(row)
    ]
    if len(results) < 2:
        return ""
    return " (" + ", ".join(f"{group} {percent(share, 0)}" for group, share in results) + ")"


def _label_of(view: View, question: str, name: str) -> str:
    label = view.words.option(question, name).label if name.replace("_", "").isalpha() else name
    return label or name


# Context as a factor


def context_section(view: View) -> Section | None:
    """For a campaign whose judges saw different amounts of context."""
    effects = context_effects(view.counted(), view.protocol, resampling=view.resampling)
    if not effects:
        return None
    blocks: list[Block] = [
        Paragraph(
            "Every text was judged in every context, by different judges. Each context is set against the fullest: "
            "**misevaluated** is the share of the sentences that look perfect here to at least four of five judges and "
            "have a fault for at least half of those who saw more (Castilho 2021); **changed** is how often two "
            "judges, one in each context, answer differently, and **within** how often two judges differ in the same "
            "context, which is what change there would be without any context."
        ),
        _table(view, effects),
    ]
    return Section("contexts", "Context as a factor", blocks, _findings(view, effects))


def _table(view: View, effects: Sequence[ContextEffect]) -> Table:
    rows: list[dict[str, Json]] = []
    for question in dict.fromkeys(effect.question for effect in effects):
        own = [effect for effect in effects if effect.question == question]
        rows.append({"group": _question_label(view, own[0])})
        for effect in own:
            share = effect.misevaluated
            known = share is not None and share.value is not None and share.counts.get("items", 0) >= FEWEST_ITEMS
            rows.append(
                {
                    "context": context_label(effect.context),
                    "missed": estimate(share.value, share.low, share.high) if share and known else "",
                    "perfect": share.counts.get("items", 0) if share else "",
                    "changed": _share(effect.changed),
                    "within": _share(effect.apart),
                    "seconds": estimate(effect.seconds.value, effect.seconds.low, effect.seconds.high, 1, bounded=False)
                    if effect.seconds.n >= FEWEST_ITEMS
                    else "",
                }
            )
    columns = [
        Column("context", ""),
        Column("missed", "Misevaluated [95 %]"),
        Column("perfect", "of", quiet=True),
        Column("changed", "Changed [95 %]"),
        Column("within", "Within [95 %]"),
        Column("seconds", "Seconds [95 %]"),
    ]
    caption = "Judgements by the context they were made in, with intervals over documents; the fullest context is last."
    return Table("contexts", caption, columns, rows, [effect.to_row() for effect in effects])


def _share(share: Share | None) -> str:
    return estimate(share.value, share.low, share.high) if share and share.n >= FEWEST_ITEMS else ""


def context_label(name: str) -> str:
    """A context as it is called in print: `own_3_0` is `own ±3,0`."""
    sides, _, window = name.partition("_")
    return f"{sides} ±{window.replace('_', ',')}" if window else sides


def _question_label(view: View, effect: ContextEffect) -> str:
    return view.label(f"{effect.question}_{effect.context}")


def _findings(view: View, effects: Sequence[ContextEffect]) -> list[str]:
    """The context that hides most, where sentences enough looked perfect in it."""
    shares = [
        (effect.misevaluated.value, effect)
        for effect in effects
        if effect.misevaluated is not None
        and effect.misevaluated.value is not None
        and effect.misevaluated.counts.get("items", 0) >= FEWEST_ITEMS
    ]
    if not shares:
        return []
    value, effect = max(shares, key=lambda entry: entry[0])
    share = effect.misevaluated
    assert share is not None
    return [
        f"**With the context {context_label(effect.context)} {percent(value, 0)} of the sentences that look perfect "
        f"are not** ({_question_label(view, effect).lower()}, {estimate(value, share.low, share.high)} of "
        f"{share.counts.get('items', 0)}), seen from the context {context_label(effect.fullest)}."
    ]
