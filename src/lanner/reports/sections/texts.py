"""What is in the texts: how labels were used, what was marked and linked, how scores go along a document, how much
context its sentences need; and context as a factor: what people miss, how often verdicts change and how long it takes,
context by context."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from statistics import median
from typing import Any

import numpy as np
import polars as pl

from lanner.analysis import FEWEST_ITEMS
from lanner.analysis.context import ContextEffect, Sign, context_dependence, context_effects
from lanner.analysis.scores import ALL, Bounds, Share, on_scale
from lanner.errors import LannerError
from lanner.figures.charts import Bar, Curve, DomainPanel, EstimateRow, bars, curves, histogram, intervals, shares
from lanner.model import Analysis, Choice, Grid, Json, Labels, Object, Question, Result, Scale, Spans, Unit
from lanner.model.messages import count, estimate, leading, name_or_count, number, p_value, percent, plural, words
from lanner.protocols.derived import chosen_rows
from lanner.reports.parts import Block, Column, Figure, Paragraph, Section, Table, printed
from lanner.reports.view import View
from lanner.stats import context
from lanner.stats.frame import SYSTEMS
from lanner.stats.resample import Array, Outcome, Replicates, Resampling, outcome, replicate_sums, sign


def label_section(view: View) -> Section | None:
    """A figure for each question with labels; for label sets also how many were chosen."""
    blocks: list[Block] = []
    for _, question in view.protocol.questions:
        name = chosen_rows(question) if isinstance(question, Grid) else question.id
        if isinstance(question, Choice | Labels | Grid) and name in view.answered:
            blocks += _label_figures(view, question, name)
    return Section("labels", "Labels used", blocks, list(_label_findings(view))) if blocks else None


def _label_findings(view: View) -> Iterator[str]:
    """What people chose most often, as a range over people, for every question with one answer out of several."""
    for _, question in view.protocol.questions:
        people = view.people_asked(question.id) if question.id in view.answered else []
        if not isinstance(question, Choice) or not people:
            continue
        answers = view.answers(question.id).filter(pl.col("label").is_not_null())
        enough = {judge for judge, items in answers.group_by("judge").len().iter_rows() if items >= FEWEST_ITEMS}
        shares = {judge: own for judge, own in _shares(answers, "label").items() if judge in people and judge in enough}
        if not shares:
            continue
        total: Counter[str] = Counter()
        for own in shares.values():
            total.update(own)
        choices = []
        for top in leading(total, total.__getitem__):
            ends = sorted(100 * own.get(top, 0.0) for own in shares.values())
            share = " to ".join(dict.fromkeys(f"{end:.0f}" for end in (ends[0], ends[-1])))
            choices.append(f"{view.inside(view.words.option(question.id, top).label)} for {share} %")
        yield f"On {view.short(question.id)}, people chose **{words(choices)} of the items**."


def _label_figures(view: View, question: Question, name: str) -> list[Block]:
    table = view.answers(name)
    options = question.rows if isinstance(question, Grid) else question.choices
    labels = [(o.id, view.words.option(question.id, o.id).label, o.group or "") for o in options]
    column = "label" if isinstance(question, Choice) else "labels"
    rows = table.filter(pl.col(column).is_not_null())
    panels = []
    for domain in view.domains[:4] or [""]:
        part = rows.filter(pl.col("domain") == domain) if view.domains else rows
        items = part.select("document", "segment", SYSTEMS).n_unique()
        panels.append(DomainPanel(domain or "All", items, _shares(part, column)))
    judges = rows["judge"].n_unique()
    figure = Figure(
        f"labels-{name}",
        f"{view.label(question.id)}: share of items on which each was chosen. {_finding(view, panels, labels)}",
        str(shares(labels, panels, view.people, view.models, view.names)),
        [
            {"domain": p.title, "judge": j, "label": label, "share": s}
            for p in panels
            for j, row in p.shares.items()
            for label, s in row.items()
        ],
        f"% of items with label · {view.protocol.label} {name} · n {rows.height:,} · judges {judges}",
    )
    return [figure, *_how_many(view, question, name, rows)] if column == "labels" else [figure]


def _shares(part: pl.DataFrame, column: str) -> dict[str, dict[str, float]]:
    totals = dict(part.group_by("judge", maintain_order=True).len().iter_rows())
    long = part.explode(column) if column == "labels" else part
    counts = long.group_by("judge", column, maintain_order=True).len().drop_nulls()
    by_way: dict[str, dict[str, float]] = {judge: {} for judge in totals}
    for judge, label, uses in counts.iter_rows():
        by_way[judge][label] = uses / totals[judge]
    return by_way


def _finding(view: View, panels: list[DomainPanel], labels: list[tuple[str, str, str]]) -> str:
    """Which label people use most in each domain."""
    sentences = []
    for panel in panels:
        people = [panel.shares[judge] for judge in view.people if judge in panel.shares]
        if people and panel.n >= FEWEST_ITEMS:
            means = {label: sum(row.get(label[0], 0.0) for row in people) / len(people) for label in labels}
            top = leading(means, means.__getitem__)
            names = name_or_count([view.inside(words_of) for _, words_of, _ in top], "answer")
            sentences.append(f"{panel.title}: {names} ({100 * means[top[0]]:.0f} %)")
    return f"Most used by people: {'; '.join(sentences)}." if sentences else ""


def _how_many(view: View, question: Question, name: str, answers: pl.DataFrame) -> list[Block]:
    if isinstance(question, Labels) and question.min == question.max:
        return []
    panels = []
    for judge in view.judges:
        sizes = answers.filter(judge=judge.id)["labels"].list.len().value_counts()
        panels.append((view.names[judge.id], {int(size): int(number) for size, number in sizes.iter_rows()}))
    lengths = answers["labels"].list.len()
    smallest = int(lengths.min() or 0)  # type: ignore[arg-type]
    least = f"{view.heading(question.id)}: " + (
        f"at least {smallest} on every item" if smallest else "some items have none"
    )
    means = sorted((_mean(counts), judge) for judge, counts in panels if sum(counts.values()) >= FEWEST_ITEMS)
    text = ""
    if len(means) > 1 and f"{means[0][0]:.2f}" != f"{means[-1][0]:.2f}":
        few, many = means[0][0], means[-1][0]
        who, other = (
            name_or_count([name for mean, name in means if f"{mean:.2f}" == f"{end:.2f}"], "judge")
            for end in (few, many)
        )
        text = f". Most by {other} (mean {many:.2f}), fewest by {who} ({few:.2f})"
    elif means:
        text = f" (mean {means[0][0]:.2f})"
    return [
        Figure(
            f"how-many-{name}",
            f"{least}{text}. Darker: the most frequent number; triangle: mean. n {answers.height:,} answers.",
            str(histogram(panels, f"{view.inside(view.label(question.id))} on one item")),
            [
                {"judge": judge, "number": size, "items": n}
                for judge, counts in panels
                for size, n in sorted(counts.items())
            ],
            f"count · {view.protocol.label} {name} · n {answers.height:,} · judges {answers['judge'].n_unique()}",
            folded=True,
        )
    ]


def _mean(counts: Mapping[int, int]) -> float:
    return sum(size * number for size, number in counts.items()) / sum(counts.values())


_MOST_KINDS, _MOST_JUDGES = 15, 60
_ONE_PERCENT, _WORTH_SAYING = 0.005, 0.2
_STYLES = ("pmt", "a1", "a0", "trk")
Mark = dict[str, Json]


def marked_passages(view: View) -> Section | None:
    """For every question whose answers are spans; removed ones of a prefilled set do not count."""
    blocks: list[Block] = []
    findings: list[str] = []
    for _, question in view.protocol.questions:
        if isinstance(question, Spans) and not (answers := _with_spans(view.answers(question.id))).is_empty():
            marks = _marks(answers)
            blocks.append(_by_judge(view, question, answers, marks))
            if len({(mark.get("category"), mark.get("severity")) for mark in marks}) > 1:
                blocks.append(_by_kind(view, question, marks))
            findings += filter(None, [_finding_marks(view, question)])
    return Section("marks", "What was marked", blocks, findings) if blocks else None


def _finding_marks(view: View, question: Spans) -> str:
    """How many items carry a mark, and which kind is the most frequent: of people, or where nobody of them answered of
    models. Nothing of fewer answers than are needed to say anything."""
    answers = _with_spans(view.counted().table.filter(pl.col("question") == question.id))
    if len(answers) < FEWEST_ITEMS:
        return ""
    marks = _marks(answers)
    items = len({(mark["judge"], mark["item"]) for mark in marks})
    what, share = "Something" if items else "Nothing", items / len(answers)
    on = f"{percent(share, 0) if share >= 0.005 else count(items)} of " if items else ""
    sentence = f"{what} was marked on **{on}{count(len(answers))} answers**"
    for field in ("category", "severity"):
        kinds = Counter(str(mark.get(field) or "") for mark in marks)
        if len(kinds) > 1 and len(marks) >= FEWEST_ITEMS:
            (top, *equal), number = leading(kinds, kinds.__getitem__), max(kinds.values())
            if top and not equal and number / len(marks) >= _WORTH_SAYING:
                kind = view.inside(_option_label(view, question, top))
                return f"{sentence}, most often {kind} ({_rounded_share(number / len(marks))} of marks)."
    return f"{sentence} ({view.short(question.id)})."


def _with_spans(answers: pl.DataFrame) -> pl.DataFrame:
    return answers.filter(pl.col("spans").is_not_null())


def _marks(answers: pl.DataFrame) -> list[Mark]:
    return [
        {"judge": judge, "system": system, "item": (document, segment, system), **span}
        for judge, document, segment, system, text in answers.select(
            "judge", "document", "segment", "system", "spans"
        ).iter_rows()
        if text != "[]"
        for span in json.loads(text)
    ]


def _by_judge(view: View, question: Spans, answers: pl.DataFrame, marks: list[Mark]) -> Table:
    items = dict(answers.group_by("judge").len().iter_rows())
    data: list[dict[str, Json]] = []
    for judge in view.judges:
        if judge.id not in items:
            continue
        own = [mark for mark in marks if mark["judge"] == judge.id]
        items_with_marks = len({mark["item"] for mark in own})
        lengths = [int(mark["end"]) - int(mark["start"]) for mark in own if _placed(mark)]
        data.append(
            {
                "judge": view.names[judge.id],
                "items": items[judge.id],
                "marked": items_with_marks,
                "share": items_with_marks / items[judge.id],
                "marks": len(own),
                "per_item": len(own) / items[judge.id],
                "median_length": median(lengths) if lengths else None,
            }
        )
    data.sort(key=lambda row: -row["share"])

    def length(row: Mapping[str, Json]) -> str:
        middle = row["median_length"]
        return count(None) if middle is None else f"{middle:,.12g}"

    columns = [
        Column("judge", "Judge"),
        Column("items", "Items", cell=lambda row: count(row["items"])),
        Column("marked", "with marks", cell=lambda row: count(row["marked"])),
        Column("share", "Share", cell=lambda row: percent(row["share"], 0)),
        Column("marks", "Marks", cell=lambda row: count(row["marks"])),
        Column("per_item", "per item", cell=lambda row: f"{row['per_item']:.2f}"),
        Column("median_length", "Median length, characters", quiet=True, cell=length),
    ]
    shares = sorted(row["share"] for row in data if row["items"] >= FEWEST_ITEMS)
    sentence = "how often each judge marks something, most first"
    if shares and not shares[-1]:
        sentence = "judges mark nothing"
    elif shares:
        low, high = percent(shares[0], 0), percent(shares[-1], 0)
        span = low if low == high else f"{low.removesuffix(' %')} to {high}"
        sentence = f"judges mark something on {span} of their items, most first"
    left = len(data) - _MOST_JUDGES
    more = f" The {plural(left, 'judge')} who mark least are in the CSV file." if left > 0 else ""
    caption = f"{view.label(question.id)}: {sentence}.{more}"
    signature = f"marks · {view.protocol.label} {question.id} · n {len(answers):,} answers · judges {len(data)}"
    rows = printed(columns, data[:_MOST_JUDGES])
    return Table(f"marks-{question.id}", caption, columns, rows, data, signature)


def _rounded_share(share: float) -> str:
    return percent(share, 0) if share >= _ONE_PERCENT else "under 1 %"


def _placed(mark: Mark) -> bool:
    return isinstance(mark.get("start"), int) and isinstance(mark.get("end"), int)


def _by_kind(view: View, question: Spans, marks: list[Mark]) -> Figure:
    """Bars per category, split by severity; per severity alone where there are no categories."""
    severities = [str(one) for one in dict.fromkeys(mark.get("severity") or "" for mark in marks)]
    order = [option.id for option in question.severities if option.id in severities] or sorted(severities)
    order += [one for one in severities if one not in order]
    kinds = Counter(str(mark.get("category") or "") for mark in marks)
    pairs = Counter((str(mark.get("category") or ""), str(mark.get("severity") or "")) for mark in marks)
    kind_names = [kind for kind, _ in kinds.most_common(_MOST_KINDS)]
    kind_bars = [
        Bar(
            _option_label(view, question, kind) or "all marks",
            [
                (_STYLES[min(place, len(_STYLES) - 1)], float(pairs[kind, one]), _option_label(view, question, one))
                for place, one in enumerate(reversed(order))
            ],
            f"{kinds[kind]:,} ({_rounded_share(kinds[kind] / len(marks))})",
        )
        for kind in kind_names
    ]
    fields = ("system", "category", "severity")
    systems = Counter(tuple(str(mark.get(field) or "") for field in fields) for mark in marks)
    data = [
        {"system": system, "category": kind, "severity": severity, "marks": number}
        for (system, kind, severity), number in sorted(systems.items())
    ]
    most = leading(kinds, kinds.__getitem__)
    top = name_or_count([view.inside(_option_label(view, question, kind)) for kind in most], "kind")
    frequency = f"({kinds[most[0]]:,} of {plural(len(marks), 'mark')}{' each' if len(most) > 1 else ''})"
    first = (
        f"The most frequent {'kinds are' if len(most) > 1 else 'kind is'} {top} {frequency}"
        if top
        else f"{plural(len(marks), 'mark')} by severity"
    )
    left = len(kinds) - len(kind_names)
    more = f" {plural(left, 'other kind')} left out." if left else ""
    judges = len({mark["judge"] for mark in marks})
    signature = f"counts of marks · {view.protocol.label} {question.id} · n {len(marks):,} · judges {judges}"
    drawing = bars(f"Kinds of marks, {view.label(question.id)}", kind_bars)
    return Figure(
        f"kinds-{question.id}", f"{first}. Numbers are marks of all judges.{more}", str(drawing), data, signature
    )


def _option_label(view: View, question: Spans, name: str) -> str:
    return view.words.option(question.id, name).label if name else ""


def linked_marks(view: View) -> Section | None:
    """For questions whose spans can be linked; nothing where no span was marked."""
    questions = [question for _, question in view.protocol.questions if isinstance(question, Spans) and question.link]
    tables = [table for question in questions if (table := _link_table(view, question))]
    return Section("linked", "Marks that lead elsewhere", tables) if tables else None


def _link_table(view: View, question: Spans) -> Table | None:
    places = {(d.id, s.id): n for d in view.material.documents for n, s in enumerate(d.segments)}
    marks = _marks(_with_spans(view.answers(question.id)))
    if not marks:
        return None
    counts = Counter(str(mark.get("category") or "") for mark in marks)
    reach: dict[str, list[int]] = {category: [] for category in counts}
    for mark in marks:
        document, segment, _ = mark["item"]
        target = str((mark.get("link") or {}).get("segment"))
        start, end = (places.get((document, name)) for name in (segment, target))
        if start is not None and end is not None:
            reach[str(mark.get("category") or "")].append(end - start)
    data: list[dict[str, Json]] = [
        {
            "category": category,
            "marks": count_of,
            "linked": len(reach[category]),
            "back": sum(step < 0 for step in reach[category]),
            "same": sum(step == 0 for step in reach[category]),
            "on": sum(step > 0 for step in reach[category]),
            "median_distance": median(map(abs, reach[category])) if reach[category] else None,
        }
        for category, count_of in counts.most_common()
    ]
    columns = [
        Column("category", "Category", cell=lambda row: _option_label(view, question, row["category"]) or "all"),
        Column("marks", "Marks"),
        Column("linked", "Linked"),
        Column("back", "to earlier"),
        Column("same", "same sentence"),
        Column("on", "to later"),
        Column("median_distance", "Sentences away (median)", quiet=True),
    ]
    total, links = len(marks), sum(map(len, reach.values()))
    caption = f"{plural(links, 'mark')} of {total} ({percent(links / total, 0)}) lead to another place of the document."
    signature = f"links · {view.protocol.label} {question.id} · n {total} marks"
    return Table(f"linked-{question.id}", caption, columns, printed(columns, data), data, signature)


_PARTS, _FEWEST_DOCUMENTS, _LEVEL, _MOST_DRAWN = 5, 3, 0.05, 8


def document_section(view: View) -> Section | None:
    """For every scale that is asked sentence by sentence, in documents of at least five sentences."""
    questions = [
        question
        for stage, question in view.protocol.questions
        if isinstance(question, Scale) and not question.for_each and stage.unit is Unit.IN_CONTEXT
    ]
    figures = [figure for question in questions if (figure := _figure(view, question))]
    return Section("along", "Along the document", figures) if figures else None


def _figure(view: View, question: Scale) -> Figure | None:
    table = _scores_by_fifth(view, question.id)
    documents = table["document"].n_unique()
    if documents < _FEWEST_DOCUMENTS or table["part"].n_unique() < _PARTS:
        return None
    rows: list[dict[str, Json]] = []
    lines: list[Curve] = []
    judges = [judge.id for judge in view.judges if judge.id in set(table["judge"])]
    for judge in [*([""] if len(judges) > 1 else []), *judges]:  # all of them in the data, some in the drawing
        own = table.filter(pl.col("judge") == judge) if judge else table
        if own["part"].n_unique() < _PARTS:
            continue
        replicates = _means(own, view.resampling)
        name = view.names[judge] if judge else f"all {view.counted().selection.groups[0]}"
        values = [_value(replicates, part, view.resampling, (question.min, question.max)) for part in range(_PARTS)]
        rows += [
            {"judge": name, "part": part + 1, "value": v, "low": low, "high": high}
            for part, (v, low, high) in enumerate(values)
        ]
        with_band = not judge or len(judges) == 1
        points = [(float(part + 1), v) for part, (v, _, _) in enumerate(values)]
        if len(lines) <= _MOST_DRAWN:
            band = [
                (low, high) if with_band and low is not None and high is not None else None for _, low, high in values
            ]
            lines.append(Curve(name, points, band))
    if not lines:
        return None
    whole = _means(table, view.resampling)
    spread = outcome(whole, view.resampling, column=_PARTS, null=0.0)
    caption = (
        f"{_change(view, question.id, whole, spread)} Each part is a fifth of every document; bars: {view.level} "
        "intervals."
    )
    counts = {"items": len(table), "documents": documents}
    signature = sign("mean by fifth", view.resampling, spread.interval, of=question.id)
    change = Result("mean by fifth", float(whole.value[_PARTS]), spread.interval, counts=counts, signature=signature)
    return Figure(
        f"along-{question.id}",
        f"{caption} n {plural(len(table), 'score')} in {plural(documents, 'document')}.",
        str(curves(f"{view.label(question.id)} along the document", lines, "fifth of the document")),
        rows,
        view.signature(view.counted().sign(change), judges=len(judges)),
    )


def _scores_by_fifth(view: View, question: str) -> pl.DataFrame:
    """The scores of one group of judges with the fifth of the document in which their sentence stands."""
    places = [
        (document.id, segment.id, at * _PARTS // len(document.segments))
        for document in view.material.documents
        if len(document.segments) >= _PARTS
        for at, segment in enumerate(document.segments)
    ]
    where = pl.DataFrame(places, schema={"document": pl.String, "segment": pl.String, "part": pl.Int64}, orient="row")
    table = view.counted().table.filter(pl.col("question") == question, pl.col("score").is_not_null())
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


def _change(view: View, question: str, replicates: Replicates, spread: Outcome) -> str:
    value, ends = float(replicates.value[_PARTS]), spread.ends()
    numbers = f"{estimate(value, ends['low'], ends['high'], 2, bounded=False)}, {p_value(spread.p)}"
    name = view.label(question)
    if spread.p is not None and spread.p < _LEVEL:
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
            blocks += _document_figures(view, analysis, findings)
    if (table := _dependence(view)) is not None:
        blocks.append(table)
    return Section("contexts", "Context spans and issues", blocks, findings) if blocks else None


def _dependence(view: View) -> Table | None:
    """How far texts depend on context, by language pair and domain: protocols that ask about sources say so."""
    if not any(stage.object is Object.SOURCE for stage in view.protocol.stages):
        return None
    counted_rows = view.counted()
    results = context_dependence(counted_rows, view.protocol, resampling=view.resampling)
    places = list(dict.fromkeys((result.pair, result.domain) for result in results))
    if not results or {domain for _, domain in places} == {ALL}:
        return None
    pairs = {pair for pair, _ in places if pair != ALL}
    by_sign: dict[Sign, dict[tuple[str, str], Share]] = {}
    for result in results:
        by_sign.setdefault(result.sign, {})[result.pair, result.domain] = result.share
    columns = [Column("sign", "")]
    rows: list[dict[str, Json]] = [{"sign": _sign_words(view, sign)} for sign in by_sign]
    for pair, domain in places if len(pairs) > 1 else [place for place in places if place[0] == ALL]:
        key = f"{pair}-{domain}"
        where = ", ".join(name for name in (pair, domain) if name != ALL) or "all"
        columns += [Column(key, "share", span=where), Column(f"{key}-ci", view.level, quiet=True, span=where)]
        for row, own in zip(rows, by_sign.values(), strict=True):
            if share := own.get((pair, domain)):
                row |= {key: percent(share.value, 0), f"{key}-ci": _ends(share.low, share.high)}
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


def _document_figures(view: View, analysis: Analysis, findings: list[str]) -> Iterator[Block]:
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
        EstimateRow(
            _label_of(view, analysis.of, str(row[name])), row["share"], row["low"], row["high"], f"n {row['count']}"
        )
        for row in names
    ]
    # The last row of these intervals is their sum from some share on, not an interval beside the others.
    total = everyone[-1] if analysis.statistic == "context.agreement_intervals" else None
    usual = [row for row in names if row is not total] or names
    top, *equal = leading(usual, lambda row: row["share"])
    labels = [view.inside(_label_of(view, analysis.of, str(row[name]))) for row in (top, *equal)]
    share = f"{percent(top['share'], 0)}{' each' if equal else ''}"
    sentence = _SAID[analysis.statistic].format(top=f"{words(labels)} ({share})")
    if analysis.statistic != "context.agreement_intervals":
        findings.append(f"{sentence}.")
    groups = "" if equal else _groups(result.rows, name, str(top[name]))
    return Figure(
        f"{analysis.statistic.replace('.', '-')}-{analysis.of}",
        f"{view.label(analysis.of)}. {sentence}{groups}. Dot: share; bar: {view.level} interval over documents.",
        str(intervals(view.label(analysis.of), bars)),
        result.rows,
        view.signature(result),
    )


def _is_whole(row: Mapping[str, Json]) -> bool:
    return bool(row["pooled"])


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
    """For a campaign whose judges saw different amounts of context: each amount is a scenario of its protocol."""
    if not any(stage.scenario for stage in view.protocol.stages):
        return None
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
        _context_table(view, effects),
    ]
    return Section("contexts", "Context as a factor", blocks, _context_findings(view, effects))


def _context_table(view: View, effects: Sequence[ContextEffect]) -> Table:
    columns = [
        Column("context", "", cell=lambda effect: context_label(effect.context)),
        Column("missed", f"Misevaluated [{view.level}]", cell=lambda effect: _known_share(effect.misevaluated)),
        Column("perfect", "of", quiet=True, cell=lambda effect: _perfect_items(effect.misevaluated) or ""),
        Column("changed", f"Changed [{view.level}]", cell=lambda effect: _share_with_interval(effect.changed)),
        Column("within", f"Within [{view.level}]", cell=lambda effect: _share_with_interval(effect.apart)),
        Column(
            "seconds",
            f"Seconds [{view.level}]",
            cell=lambda effect: _share_with_interval(effect.seconds, 1, bounded=False),
        ),
    ]
    rows: list[dict[str, Json]] = []
    for _, own in groupby(effects, key=lambda effect: effect.question):
        of_question = list(own)
        rows += [{"group": _question_label(view, of_question[0])}, *printed(columns, of_question)]
    caption = "Judgements by the context they were made in, with intervals over documents; the fullest context is last."
    return Table("contexts", caption, columns, rows, [effect.to_row() for effect in effects])


def _perfect_items(misevaluated: Result | None) -> int:
    """How many sentences look perfect in a context; 0 in the fullest."""
    return misevaluated.counts.get("items", 0) if misevaluated else 0


def _known_share(misevaluated: Result | None) -> str:
    """The share that is not perfect, where sentences enough look so."""
    if misevaluated is None or misevaluated.value is None or _perfect_items(misevaluated) < FEWEST_ITEMS:
        return ""
    return estimate(misevaluated.value, misevaluated.low, misevaluated.high)


def _share_with_interval(share: Share | None, digits: int = 3, *, bounded: bool = True) -> str:
    if share is None or share.n < FEWEST_ITEMS:
        return ""
    return estimate(share.value, share.low, share.high, digits, bounded=bounded)


def context_label(name: str) -> str:
    """A context as it is called in print: `own_3_0` is `own ±3,0`."""
    sides, _, window = name.partition("_")
    return f"{sides} ±{window.replace('_', ',')}" if window else sides


def _question_label(view: View, effect: ContextEffect) -> str:
    return view.words.question(f"{effect.question}_{effect.context}").label


def _context_findings(view: View, effects: Sequence[ContextEffect]) -> list[str]:
    """The context that hides most, where sentences enough looked perfect in it."""
    known = [(effect, share) for effect in effects if (share := effect.misevaluated) and _known_share(share)]
    if not known:
        return []
    effect, share = max(known, key=lambda pair: pair[1].value or 0.0)
    return [
        f"**With the context {context_label(effect.context)} {percent(share.value, 0)} of the sentences that look "
        f"perfect are not** ({_question_label(view, effect).lower()}, {_known_share(share)} of "
        f"{_perfect_items(share)}), seen from the context {context_label(effect.fullest)}."
    ]
