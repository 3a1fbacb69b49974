"""What was marked in the texts: how often each judge marks, what kinds of error, how severe, in which system."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import polars as pl

from lanner.model import Json, Spans
from lanner.reports.figures.bars import Bar, bars
from lanner.reports.parts import Block, Column, Figure, Section, Table
from lanner.reports.typeset import count, percent, plural
from lanner.reports.view import View

_MOST_KINDS, _MOST_JUDGES = 15, 60
_ONE_PERCENT, _WORTH_SAYING = 0.005, 0.2
_STYLES = ("pmt", "a1", "a0", "trk")
Mark = dict[str, Json]


def section(view: View) -> Section | None:
    """For every question whose answers are spans; removed ones of a prefilled set do not count."""
    blocks: list[Block] = []
    findings: list[str] = []
    for _, question in view.protocol.questions:
        if isinstance(question, Spans) and question.id in view.answered:
            given = view.answers(question.id).filter(pl.col("spans").is_not_null())
            if len(given):
                marks = _marks(given)
                blocks += _question(view, question, given, marks)
                findings.append(_finding(view, question, given, marks))
    return Section("marks", "What was marked", blocks, findings) if blocks else None


def _finding(view: View, question: Spans, given: pl.DataFrame, marks: list[Mark]) -> str:
    """How many items carry a mark, and which kind is the most frequent."""
    items = len({(mark["judge"], mark["item"]) for mark in marks})
    said = f"Something was marked on **{percent(items / len(given), 0)} of {count(len(given))} answers**"
    for field in ("category", "severity"):
        kinds = Counter(str(mark.get(field) or "") for mark in marks)
        if len(kinds) > 1:
            top, number = kinds.most_common(1)[0]
            if top and number / len(marks) >= _WORTH_SAYING:
                kind = _named(view, question, top).lower()
                return f"{said}, most often {kind} ({_share(number / len(marks))} of marks)."
    return f"{said} ({view.short(question.id)})."


def _marks(given: pl.DataFrame) -> list[Mark]:
    return [
        {"judge": judge, "system": system, "item": (document, segment, system), **span}
        for judge, document, segment, system, text in given.select(
            "judge", "document", "segment", "system", "spans"
        ).iter_rows()
        if text != "[]"
        for span in json.loads(text)
        if span.get("outcome") != "removed"
    ]


def _question(view: View, question: Spans, given: pl.DataFrame, marks: list[Mark]) -> Iterator[Block]:
    yield _by_judge(view, question, given, marks)
    if len({(mark.get("category"), mark.get("severity")) for mark in marks}) > 1:
        yield _by_kind(view, question, marks)


def _by_judge(view: View, question: Spans, given: pl.DataFrame, marks: list[Mark]) -> Table:
    items = dict(given.group_by("judge").len().iter_rows())
    data: list[dict[str, Json]] = []
    for judge in view.judges:
        if judge.id not in items:
            continue
        own = [mark for mark in marks if mark["judge"] == judge.id]
        marked = len({mark["item"] for mark in own})
        lengths = sorted(int(mark["end"]) - int(mark["start"]) for mark in own if _placed(mark))
        data.append(
            {"judge": view.names[judge.id], "items": items[judge.id], "marked": marked,
             "share": marked / items[judge.id], "marks": len(own), "per_item": len(own) / items[judge.id],
             "median_length": lengths[len(lengths) // 2] if lengths else None}
        )  # fmt: skip
    data.sort(key=lambda row: -row["share"])
    rows = [
        {
            **row, "share": percent(row["share"], 0), "per_item": f"{row['per_item']:.2f}",
            **{name: count(row[name]) for name in ("items", "marked", "marks", "median_length")},
        }
        for row in data[:_MOST_JUDGES]
    ]  # fmt: skip
    columns = [
        Column("judge", "Judge"),
        Column("items", "Items"),
        Column("marked", "with marks"),
        Column("share", "Share"),
        Column("marks", "Marks"),
        Column("per_item", "per item"),
        Column("median_length", "Median length, characters", quiet=True),
    ]
    shares = sorted(row["share"] for row in data)
    low, high = percent(shares[0], 0), percent(shares[-1], 0)
    said = low if low == high else f"{low.removesuffix(' %')} to {high}"
    left = len(data) - len(rows)
    more = f" The {plural(left, 'judge')} who mark least are in the CSV file." if left else ""
    caption = f"{view.label(question.id)}: judges mark something on {said} of their items, most first.{more}"
    signature = f"marks · {view.protocol.label} {question.id} · n {len(given):,} answers · judges {len(data)}"
    return Table(f"marks-{question.id}", caption, columns, rows, data, signature)


def _share(share: float) -> str:
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
    shown = [kind for kind, _ in kinds.most_common(_MOST_KINDS)]
    drawn = [
        Bar(
            _named(view, question, kind) or "all marks",
            [
                (_STYLES[min(place, len(_STYLES) - 1)], float(pairs[kind, one]), _named(view, question, one))
                for place, one in enumerate(reversed(order))
            ],
            f"{kinds[kind]:,} ({_share(kinds[kind] / len(marks))})",
        )
        for kind in shown
    ]
    fields = ("system", "category", "severity")
    systems = Counter(tuple(str(mark.get(field) or "") for field in fields) for mark in marks)
    data = [
        {"system": system, "category": kind, "severity": severity, "marks": number}
        for (system, kind, severity), number in sorted(systems.items())
    ]
    top = _named(view, question, shown[0]).lower()
    first = (
        f"The most frequent kind is {top} ({kinds[shown[0]]:,} of {plural(len(marks), 'mark')})"
        if top
        else f"{plural(len(marks), 'mark')} by severity"
    )
    left = len(kinds) - len(shown)
    more = f" {plural(left, 'rarer kind')} left out." if left else ""
    judges = len({mark["judge"] for mark in marks})
    signature = f"counts of marks · {view.protocol.label} {question.id} · n {len(marks):,} · judges {judges}"
    drawing = bars(f"Kinds of marks, {view.label(question.id)}", drawn)
    return Figure(
        f"kinds-{question.id}", f"{first}. Numbers are marks of all judges.{more}", str(drawing), data, signature
    )


def _named(view: View, question: Spans, name: str) -> str:
    return view.words.option(question.id, name).label if name else ""
