"""How labels were used: the share of items with each label, per domain and judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import polars as pl

from lanner.model import Choice, Grid, Labels, Question
from lanner.protocols.derived import chosen_rows
from lanner.reports.figures.histogram import histogram
from lanner.reports.figures.shares import Panel, shares
from lanner.reports.parts import Block, Figure, Section
from lanner.reports.typeset import lowered
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
        given = view.answers(question.id).filter(pl.col("label").is_not_null())
        found = {judge: own for judge, own in _shares(given, "label").items() if judge in people}
        if not found:
            continue
        total: Counter[str] = Counter()
        for own in found.values():
            total.update(own)
        top = total.most_common(1)[0][0]
        ends = sorted(100 * own.get(top, 0.0) for own in found.values())
        low, high = f"{ends[0]:.0f}", f"{ends[-1]:.0f}"
        share = f"{high} %" if low == high else f"{low} to {high} %"
        label = lowered(view.words.option(question.id, top).label)
        yield f"On {view.short(question.id)}, people chose **{label} for {share} of the items**."


def _figures(view: View, question: Question, name: str) -> list[Block]:
    table = view.answers(name)
    options = question.rows if isinstance(question, Grid) else question.choices
    labels = [(o.id, view.words.option(question.id, o.id).label, o.group or "") for o in options]
    column = "label" if isinstance(question, Choice) else "labels"
    given = table.filter(pl.col(column).is_not_null())
    panels = []
    for domain in view.domains[:4] or [""]:
        part = given.filter(pl.col("domain") == domain) if view.domains else given
        items = part.select("document", "segment", "system").unique().height
        panels.append(Panel(domain or "All", items, _shares(part, column)))
    judges = given["judge"].n_unique()
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
        f"% of items with label · {view.protocol.label} {name} · n {given.height:,} · judges {judges}",
    )
    return [figure, *_how_many(view, question, name, given)] if column == "labels" else [figure]


def _shares(part: pl.DataFrame, column: str) -> dict[str, dict[str, float]]:
    totals = dict(part.group_by("judge", maintain_order=True).len().iter_rows())
    long = part.explode(column) if column == "labels" else part
    counts = long.group_by("judge", column, maintain_order=True).len().drop_nulls()
    found: dict[str, dict[str, float]] = {judge: {} for judge in totals}
    for judge, label, number in counts.iter_rows():
        found[judge][label] = number / totals[judge]
    return found


def _finding(view: View, panels: list[Panel], labels: list[tuple[str, str, str]]) -> str:
    """Which label people use most in each domain."""
    said = []
    for panel in panels:
        people = [panel.shares[judge] for judge in view.people if judge in panel.shares]
        if people:
            top = max(labels, key=lambda label: sum(row.get(label[0], 0.0) for row in people))
            mean = sum(row.get(top[0], 0.0) for row in people) / len(people)
            said.append(f"{panel.title}: {top[1].lower()} ({100 * mean:.0f} %)")
    return f"Most used by people: {'; '.join(said)}." if said else ""


def _how_many(view: View, question: Question, name: str, given: pl.DataFrame) -> list[Block]:
    if isinstance(question, Labels) and question.min == question.max:
        return []
    panels = []
    for judge in view.judges:
        sizes = given.filter(judge=judge.id)["labels"].list.len().value_counts()
        panels.append((view.names[judge.id], {int(size): int(number) for size, number in sizes.iter_rows()}))
    lengths = given["labels"].list.len()
    smallest = int(lengths.min() or 0)  # type: ignore[arg-type]
    least = f"Every item has at least {smallest}" if smallest else "Some items have none"
    means = sorted((_mean(counts), judge) for judge, counts in panels if counts)
    said = ""
    if len(means) > 1 and f"{means[0][0]:.2f}" != f"{means[-1][0]:.2f}":
        (few, who), (many, other) = means[0], means[-1]
        said = f"; {other} finds most (mean {many:.2f}), {who} fewest ({few:.2f})"
    elif means:
        said = f" (mean {means[0][0]:.2f})"
    return [
        Figure(
            f"how-many-{name}",
            f"{least}{said}. Darker: the most frequent number; triangle: mean. n {given.height:,} answers.",
            str(histogram(panels, f"{view.label(question.id).lower()} on one item")),
            [
                {"judge": judge, "number": size, "items": n}
                for judge, counts in panels
                for size, n in sorted(counts.items())
            ],
            f"count · {view.protocol.label} {name} · n {given.height:,} · judges {given['judge'].n_unique()}",
        )
    ]


def _mean(counts: Mapping[int, int]) -> float:
    return sum(size * number for size, number in counts.items()) / sum(counts.values())
