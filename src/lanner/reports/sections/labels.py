"""How labels were used and what was marked: shares by domain and judge, marked passages and their links."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from statistics import median

import polars as pl

from lanner.analysis import FEWEST_ITEMS
from lanner.figures.charts import Bar, Panel, bars, histogram, shares
from lanner.figures.typeset import count, percent, plural
from lanner.model import Choice, Grid, Json, Labels, Question, Spans
from lanner.protocols.derived import chosen_rows
from lanner.reports.parts import Block, Column, Figure, Section, Table
from lanner.reports.view import View


def section(view: View) -> Section | None:
    """A figure for each question with labels; for label sets also how many were chosen."""
    blocks: list[Block] = []
    for _, question in view.protocol.questions:
        name = chosen_rows(question) or question.id
        if isinstance(question, Choice | Labels | Grid) and name in view.answered:
            blocks += _figures(view, question, name)
    return Section("labels", "Labels used", blocks, list(_findings(view))) if blocks else None


def _findings(view: View) -> Iterator[str]:
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
        top = total.most_common(1)[0][0]
        ends = sorted(100 * own.get(top, 0.0) for own in shares.values())
        low, high = f"{ends[0]:.0f}", f"{ends[-1]:.0f}"
        share = f"{high} %" if low == high else f"{low} to {high} %"
        label = view.inside(view.words.option(question.id, top).label)
        yield f"On {view.short(question.id)}, people chose **{label} for {share} of the items**."


def _figures(view: View, question: Question, name: str) -> list[Block]:
    table = view.answers(name)
    options = question.rows if isinstance(question, Grid) else question.choices
    labels = [(o.id, view.words.option(question.id, o.id).label, o.group or "") for o in options]
    column = "label" if isinstance(question, Choice) else "labels"
    rows = table.filter(pl.col(column).is_not_null())
    panels = []
    for domain in view.domains[:4] or [""]:
        part = rows.filter(pl.col("domain") == domain) if view.domains else rows
        items = part.select("document", "segment", "system").unique().height
        panels.append(Panel(domain or "All", items, _shares(part, column)))
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
    for judge, label, number in counts.iter_rows():
        by_way[judge][label] = number / totals[judge]
    return by_way


def _finding(view: View, panels: list[Panel], labels: list[tuple[str, str, str]]) -> str:
    """Which label people use most in each domain."""
    sentences = []
    for panel in panels:
        people = [panel.shares[judge] for judge in view.people if judge in panel.shares]
        if people and panel.n >= FEWEST_ITEMS:
            top = max(labels, key=lambda label: sum(row.get(label[0], 0.0) for row in people))
            mean = sum(row.get(top[0], 0.0) for row in people) / len(people)
            sentences.append(f"{panel.title}: {view.inside(top[1])} ({100 * mean:.0f} %)")
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
    least = f"Every item has at least {smallest}" if smallest else "Some items have none"
    means = sorted((_mean(counts), judge) for judge, counts in panels if sum(counts.values()) >= FEWEST_ITEMS)
    text = ""
    if len(means) > 1 and f"{means[0][0]:.2f}" != f"{means[-1][0]:.2f}":
        (few, who), (many, other) = means[0], means[-1]
        text = f"; {other} finds most (mean {many:.2f}), {who} fewest ({few:.2f})"
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
        if isinstance(question, Spans) and question.id in view.answered:
            answers = view.answers(question.id).filter(pl.col("spans").is_not_null())
            if len(answers):
                marks = _marks(answers)
                blocks += _question(view, question, answers, marks)
                if len(answers) >= FEWEST_ITEMS:
                    findings.append(_finding_marks(view, question, answers, marks))
    return Section("marks", "What was marked", blocks, findings) if blocks else None


def _finding_marks(view: View, question: Spans, answers: pl.DataFrame, marks: list[Mark]) -> str:
    """How many items carry a mark, and which kind is the most frequent."""
    items = len({(mark["judge"], mark["item"]) for mark in marks})
    sentence = f"Something was marked on **{percent(items / len(answers), 0)} of {count(len(answers))} answers**"
    for field in ("category", "severity"):
        kinds = Counter(str(mark.get(field) or "") for mark in marks)
        if len(kinds) > 1 and len(marks) >= FEWEST_ITEMS:
            top, number = kinds.most_common(1)[0]
            if top and number / len(marks) >= _WORTH_SAYING:
                kind = view.inside(_option_label(view, question, top))
                return f"{sentence}, most often {kind} ({_share(number / len(marks))} of marks)."
    return f"{sentence} ({view.short(question.id)})."


def _marks(answers: pl.DataFrame) -> list[Mark]:
    return [
        {"judge": judge, "system": system, "item": (document, segment, system), **span}
        for judge, document, segment, system, text in answers.select(
            "judge", "document", "segment", "system", "spans"
        ).iter_rows()
        if text != "[]"
        for span in json.loads(text)
        if span.get("outcome") != "removed"
    ]


def _question(view: View, question: Spans, answers: pl.DataFrame, marks: list[Mark]) -> Iterator[Block]:
    yield _by_judge(view, question, answers, marks)
    if len({(mark.get("category"), mark.get("severity")) for mark in marks}) > 1:
        yield _by_kind(view, question, marks)


def _by_judge(view: View, question: Spans, answers: pl.DataFrame, marks: list[Mark]) -> Table:
    items = dict(answers.group_by("judge").len().iter_rows())
    data: list[dict[str, Json]] = []
    for judge in view.judges:
        if judge.id not in items:
            continue
        own = [mark for mark in marks if mark["judge"] == judge.id]
        items_with_marks = len({mark["item"] for mark in own})
        lengths = sorted(int(mark["end"]) - int(mark["start"]) for mark in own if _placed(mark))
        data.append(
            {
                "judge": view.names[judge.id],
                "items": items[judge.id],
                "marked": items_with_marks,
                "share": items_with_marks / items[judge.id],
                "marks": len(own),
                "per_item": len(own) / items[judge.id],
                "median_length": lengths[len(lengths) // 2] if lengths else None,
            }
        )
    data.sort(key=lambda row: -row["share"])
    rows = [
        {
            **row,
            "share": percent(row["share"], 0),
            "per_item": f"{row['per_item']:.2f}",
            **{name: count(row[name]) for name in ("items", "marked", "marks", "median_length")},
        }
        for row in data[:_MOST_JUDGES]
    ]
    columns = [
        Column("judge", "Judge"),
        Column("items", "Items"),
        Column("marked", "with marks"),
        Column("share", "Share"),
        Column("marks", "Marks"),
        Column("per_item", "per item"),
        Column("median_length", "Median length, characters", quiet=True),
    ]
    shares = sorted(row["share"] for row in data if row["items"] >= FEWEST_ITEMS)
    sentence = "how often each judge marks something"
    if shares:
        low, high = percent(shares[0], 0), percent(shares[-1], 0)
        span = low if low == high else f"{low.removesuffix(' %')} to {high}"
        sentence = f"judges mark something on {span} of their items"
    left = len(data) - len(rows)
    more = f" The {plural(left, 'judge')} who mark least are in the CSV file." if left else ""
    caption = f"{view.label(question.id)}: {sentence}, most first.{more}"
    signature = f"marks · {view.protocol.label} {question.id} · n {len(answers):,} answers · judges {len(data)}"
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
    kind_names = [kind for kind, _ in kinds.most_common(_MOST_KINDS)]
    kind_bars = [
        Bar(
            _option_label(view, question, kind) or "all marks",
            [
                (_STYLES[min(place, len(_STYLES) - 1)], float(pairs[kind, one]), _option_label(view, question, one))
                for place, one in enumerate(reversed(order))
            ],
            f"{kinds[kind]:,} ({_share(kinds[kind] / len(marks))})",
        )
        for kind in kind_names
    ]
    fields = ("system", "category", "severity")
    systems = Counter(tuple(str(mark.get(field) or "") for field in fields) for mark in marks)
    data = [
        {"system": system, "category": kind, "severity": severity, "marks": number}
        for (system, kind, severity), number in sorted(systems.items())
    ]
    top = view.inside(_option_label(view, question, kind_names[0]))
    first = (
        f"The most frequent kind is {top} ({kinds[kind_names[0]]:,} of {plural(len(marks), 'mark')})"
        if top
        else f"{plural(len(marks), 'mark')} by severity"
    )
    left = len(kinds) - len(kind_names)
    more = f" {plural(left, 'rarer kind')} left out." if left else ""
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
    blocks: list[Block] = []
    for _, question in view.protocol.questions:
        if isinstance(question, Spans) and question.link and question.id in view.answered:
            table = _table(view, question)
            blocks += [table] if table else []
    return Section("linked", "Marks that lead elsewhere", blocks) if blocks else None


def _table(view: View, question: Spans) -> Table | None:
    places = {(d.id, s.id): n for d in view.material.documents for n, s in enumerate(d.segments)}
    answers = view.answers(question.id).filter(pl.col("spans").is_not_null())
    mark_counts: dict[str, int] = defaultdict(int)
    reach: dict[str, list[int]] = defaultdict(list)
    for document, segment, text in answers.select("document", "segment", "spans").iter_rows():
        for span in json.loads(text):
            category = str(span.get("category") or "")
            mark_counts[category] += 1
            target = str((span.get("link") or {}).get("segment"))
            if (document, segment) in places and (document, target) in places:
                reach[category].append(places[document, target] - places[document, segment])
    if not mark_counts:
        return None
    data: list[dict[str, Json]] = []
    for category, number in sorted(mark_counts.items(), key=lambda entry: -entry[1]):
        steps = reach[category]
        data.append(
            {
                "category": category,
                "marks": number,
                "linked": len(steps),
                "back": sum(step < 0 for step in steps),
                "same": sum(step == 0 for step in steps),
                "on": sum(step > 0 for step in steps),
                "median_distance": median(map(abs, steps)) if steps else None,
            }
        )
    total, link_count = sum(mark_counts.values()), sum(map(len, reach.values()))
    words = view.words
    rows = [
        {**row, "category": words.option(question.id, row["category"]).label if row["category"] else "all"}
        for row in data
    ]
    columns = [
        Column("category", "Category"),
        Column("marks", "Marks"),
        Column("linked", "Linked"),
        Column("back", "to earlier"),
        Column("same", "same sentence"),
        Column("on", "to later"),
        Column("median_distance", "Sentences away (median)", quiet=True),
    ]
    share = percent(link_count / total, 0)
    caption = f"{plural(link_count, 'mark')} of {total} ({share}) lead to another place of the document."
    signature = f"links · {view.protocol.label} {question.id} · n {total} marks"
    return Table(f"linked-{question.id}", caption, columns, rows, data, signature)
