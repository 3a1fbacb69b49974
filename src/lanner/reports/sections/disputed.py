"""The sentences on which people differ most, in their context, with who said what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from lanner.analysis.distances import UNIT, distances
from lanner.model import Document, Grid, Json, Question, Spans, Text, languages
from lanner.reports.parts import Paragraph, Quotes, Section
from lanner.reports.typeset import count, number, percent, words
from lanner.reports.view import View

_MOST, _AROUND, _MOST_JUDGES = 5, 1, 8
_FAR, _BEGINNING, _LONGEST_WORD = 0.5, 220, 30


def section(view: View) -> Section | None:
    """Nothing where no two people answered the same item. At most one sentence of each document is shown."""
    if len(view.people) < 2:
        return None
    main = view.counted(of="people").table
    apart = distances(main, view.protocol)
    if apart.is_empty():
        return None
    order = {name: place for place, name in enumerate(document.id for document in view.material.documents)}
    units = (
        apart.group_by(UNIT, maintain_order=True)
        .agg(pl.col("distance").mean(), pl.col("question"), pl.col("distance").alias("parts"))
        .with_columns(pl.col("document").replace_strict(order, default=len(order)).alias("place"))
        .sort("distance", "place", descending=[True, False], maintain_order=True)
    )
    far = units.filter(pl.col("distance") > _FAR)
    alike = units.filter(pl.col("distance") == 0)
    shown = units.filter(pl.col("distance") > 0).unique("document", keep="first", maintain_order=True).head(_MOST)
    summary = (
        f"People give the same answers on {count(len(alike))} of {count(len(units))} shared items "
        f"({percent(len(alike) / len(units), 0)}), and lie more than half of the way apart on {count(len(far))} "
        f"({percent(len(far) / len(units), 0)}). The distance of two answers is 0 or 1 for a choice, one less the "
        "share of labels in common for a set, and the share of the scale for a number; an item's is the mean over "
        "its questions and pairs of people."
    )
    if shown.is_empty():
        return Section("disputed", "Most disputed sentences", [Paragraph(summary)])
    documents = {document.id: document for document in view.material.documents}
    entries = [_entry(view, main, documents.get(row["document"]), row) for row in shown.iter_rows(named=True)]
    caption = "The furthest apart, at most one of each document; grey: the sentences around."
    return Section("disputed", "Most disputed sentences", [Paragraph(summary), Quotes("disputed", caption, entries)])


def _entry(view: View, main: pl.DataFrame, document: Document | None, row: Mapping[str, Json]) -> dict[str, Json]:
    place = (pl.col("document") == row["document"]) & (pl.col("segment") == row["segment"])
    given = main.filter(place & (pl.col("system") == row["system"]))
    answers = [
        (view.names[judge], " · ".join(said))
        for judge in view.people
        if (said := list(_answers(view, given.filter(pl.col("judge") == judge))))
    ][:_MOST_JUDGES]
    parts = [
        f"{view.short(question)} {number(part, 2)}"
        for question, part in zip(row["question"], row["parts"], strict=True)
        if part
    ]
    place_words = [str(row["document"]), *([f"sentence {row['segment']}"] if row["segment"] else [])]
    head = f"{', '.join(place_words)} · distance {number(row['distance'], 2)} ({words(parts)})"
    return {"head": head, "lines": lines(document, str(row["segment"]), str(row["system"])), "answers": answers}


def lines(document: Document | None, segment: str, system: str, around: int = _AROUND) -> list[dict[str, Json]]:
    """The sentence with its translation, and its neighbours in grey."""
    if document is None:
        return []
    if not segment and document.segments:
        return _whole(document, system)
    at = next((place for place, one in enumerate(document.segments) if one.id == segment), None)
    if at is None:
        return []
    made: list[dict[str, Json]] = []
    near = range(max(0, at - around), min(len(document.segments), at + around + 1))
    for place in near:
        made.append(_line(document.segments[place].source, document.source_language, context=place != at))
    for name in system.split("|") if system else list(document.systems)[:1]:
        if target := document.segments[at].text(name):
            made.append({**_line(target, document.target_language), "name": name if "|" in system else ""})
    return made


def _whole(document: Document, system: str) -> list[dict[str, Json]]:
    """How a document begins, and how its outputs do."""
    first = document.segments[0]
    made = [_line(_begun(first.source), document.source_language, context=True)]
    for name in system.split("|") if system else []:
        if target := first.text(name):
            made.append({**_line(_begun(target), document.target_language), "name": name if "|" in system else ""})
    return made


def _begun(text: str) -> str:
    """The first words; languages written without spaces are cut between characters."""
    if len(text) <= _BEGINNING:
        return text
    whole, _, cut = text[:_BEGINNING].rpartition(" ")
    return f"{(whole if whole and len(cut) < _LONGEST_WORD else text[:_BEGINNING]).rstrip()} …"


def _line(text: str, language: str, *, context: bool = False) -> dict[str, Json]:
    return {"text": text, "language": language, "direction": languages.direction(language), "context": context}


def _answers(view: View, given: pl.DataFrame) -> Iterator[str]:
    """What one judge said, question by question, in the words of the protocol."""
    for _, question in view.protocol.questions:
        rows = given.filter(pl.col("question") == question.id)
        if isinstance(question, Text | Spans) or rows.is_empty():
            continue
        said = list(_said(view, question, list(rows.iter_rows(named=True))))
        if said:
            yield f"{view.short(question.id)}: {', '.join(said)}"


def _said(view: View, question: Question, rows: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    for row in rows:
        if isinstance(question, Grid) or (row["row"] and row["label"] is not None):
            lowest = question.options[0].id if isinstance(question, Grid) else ""
            if row["label"] and row["label"] != lowest:
                what = view.words.option(question.id, row["row"]).label
                yield f"{what.lower()} {view.words.option(question.id, row['label']).label.lower()}"
        elif row["labels"] is not None:
            yield from (view.words.option(question.id, label).label.lower() for label in row["labels"])
        elif row["ranks"] is not None:
            best = min(row["ranks"])
            first = [name for name, rank in zip(row["system"].split("|"), row["ranks"], strict=False) if rank == best]
            yield first[0] if len(first) == 1 else "tie"
        elif row["label"] is not None:
            yield view.words.option(question.id, row["label"]).label.lower()
        elif row["score"] is not None:
            yield f"{row['score']:g}"
