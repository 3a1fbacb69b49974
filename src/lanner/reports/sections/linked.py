"""Marks that lead to another place of the document: how many do, how far they reach, and where they lead."""

from __future__ import annotations

import json
from collections import defaultdict
from statistics import median

import polars as pl

from lanner.model import Json, Spans
from lanner.reports.parts import Block, Column, Section, Table
from lanner.reports.typeset import percent, plural
from lanner.reports.view import View


def section(view: View) -> Section | None:
    """For questions whose spans can be linked; nothing where no span was marked."""
    blocks: list[Block] = []
    for _, question in view.protocol.questions:
        if isinstance(question, Spans) and question.link and question.id in view.answered:
            table = _table(view, question)
            blocks += [table] if table else []
    return Section("linked", "Marks that lead elsewhere", blocks) if blocks else None


def _table(view: View, question: Spans) -> Table | None:
    places = {(d.id, s.id): n for d in view.material.documents for n, s in enumerate(d.segments)}
    given = view.answers(question.id).filter(pl.col("spans").is_not_null())
    marked: dict[str, int] = defaultdict(int)
    reach: dict[str, list[int]] = defaultdict(list)
    for document, segment, text in given.select("document", "segment", "spans").iter_rows():
        for span in json.loads(text):
            category = str(span.get("category") or "")
            marked[category] += 1
            target = str((span.get("link") or {}).get("segment"))
            if (document, segment) in places and (document, target) in places:
                reach[category].append(places[document, target] - places[document, segment])
    if not marked:
        return None
    data: list[dict[str, Json]] = []
    for category, number in sorted(marked.items(), key=lambda entry: -entry[1]):
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
    total, linked = sum(marked.values()), sum(map(len, reach.values()))
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
    caption = (
        f"{plural(linked, 'mark')} of {total} ({percent(linked / total, 0)}) lead to another place of the document."
    )
    signature = f"links · {view.protocol.label} {question.id} · n {total} marks"
    return Table(f"linked-{question.id}", caption, columns, rows, data, signature)
