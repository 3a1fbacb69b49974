"""Two or more ways of judging set against each other, on one page: a table, a figure for each question, a paragraph of
conclusion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lanner import __version__
from lanner.analysis.material import Material
from lanner.model import Json, all_systems
from lanner.model.messages import count, estimate, interval, number, p_number, plural, words
from lanner.reports.comparison.agreement import agreement, misevaluation, models, preferences, same_scores, verdicts
from lanner.reports.comparison.scores import cost, prediction, scoring, separation, stability
from lanner.reports.comparison.sides import (
    Comparison,
    ComparisonAnswer,
    ComparisonData,
    ComparisonLine,
    Gap,
    Side,
    Value,
    shared,
    sides,
)
from lanner.reports.parts import Block, Column, Paragraph, Report, Section, Table, capital, with_names_kept
from lanner.stats.frame import SYSTEMS
from lanner.stats.resample import Resampling

QUESTIONS: tuple[Comparison, ...] = (
    agreement,
    cost,
    separation,
    preferences,
    same_scores,
    prediction,
    stability,
    misevaluation,
    verdicts,
    scoring,
    models,
)
_FEW = 10


def compare(
    materials: Sequence[tuple[str, Material]],
    *,
    resampling: Resampling | None = None,
    hourly: float | None = None,
    currency: str = "",
) -> tuple[Report, list[dict[str, Json]]]:
    """The comparison as a report, and as rows for programs. `materials` are named; a single one is compared by its
    scenarios."""
    whole = sides(materials)
    alike, n = shared(whole)
    lab = ComparisonData(alike, whole, n, resampling or Resampling(), hourly, currency)
    answers = [(question.__name__, question(lab)) for question in QUESTIONS]
    rows = [row for name, answer in answers for row in _rows(lab, name, answer)]
    return _page(lab, [answer for _, answer in answers]), rows


def _page(lab: ComparisonData, answers: Sequence[ComparisonAnswer]) -> Report:
    sentence = " ".join(answer.said for answer in answers if answer.said)  # what was found, in one paragraph
    first = Section("compared", "What is compared", [Paragraph(_what(lab)), _table(lab, answers)])
    questions = [
        Section(f"question-{place}", answer.title, _blocks(lab, answer))
        for place, answer in enumerate(answers, start=1)
        if not answer.missing
    ]
    left = [
        Paragraph(f"**{answer.title}** Not answered here: {answer.missing}") for answer in answers if answer.missing
    ]
    report = Report(
        title=capital(" against ".join(lab.names)),
        kicker="Protocols compared",
        byline=" · ".join(
            f"{side.name}: {side.protocol.label}, {plural(len(side.people), 'judge')}" for side in lab.whole
        ),
        findings=[sentence] if sentence else [],
        sections=[first, *questions, *([Section("left", "What could not be compared", left)] if left else [])],
        notes=[note for side in lab.whole for note in side.material.notes],
    )
    materials = [side.material for side in lab.whole]
    systems = [system for material in materials for system in all_systems(material.documents)]
    judges = [judge.name or judge.id for material in materials for judge in material.judges]
    return with_names_kept(report, [*lab.names, *systems, *judges])


def _blocks(lab: ComparisonData, answer: ComparisonAnswer) -> list[Block]:
    blocks: list[Block] = []
    if answer.figure:
        where = " · ".join(dict.fromkeys(side.protocol.label for side in lab.sides))
        judges = ", ".join(str(len(side.people)) for side in lab.sides)
        signature_parts = [answer.figure.signature, where, f"judges {judges}", f"shared items {count(lab.shared)}"]
        if "lanner" not in answer.figure.signature:
            signature_parts.append(f"lanner {__version__}")
        blocks.append(replace(answer.figure, signature=" · ".join(filter(None, signature_parts))))
    return [*blocks, answer.examples] if answer.examples and answer.examples.entries else blocks


def _what(lab: ComparisonData) -> str:
    sentences = [_about(side) for side in lab.whole]
    if lab.shared >= _FEW:
        on = f"**{count(lab.shared)} items that all of them judged**"
        return f"{' '.join(sentences)} Everything below is on the {on}, unless it says otherwise."
    return (
        f"{' '.join(sentences)} They share {plural(lab.shared, 'item')}: each is described on its own items, and "
        "differences are those of independent samples of documents."
    )


def _about(side: Side) -> str:
    table = side.by_people
    items = table.select("document", "segment", SYSTEMS).unique().height
    documents = plural(table["document"].n_unique(), "document")
    judges = plural(len(side.people), "judge")
    sentences = [f"**{side.name}** ({side.protocol.label}): {judges}, {plural(items, 'item')} in {documents}"]
    return " ".join(f"{sentence}." for sentence in (*sentences, *side.material.who_is_left_out()))


def _table(lab: ComparisonData, answers: Sequence[ComparisonAnswer]) -> Table:
    columns = [Column("measure", "Measure")]
    for place, name in enumerate(lab.names):
        columns += [Column(f"v{place}", name), Column(f"ci{place}", lab.level, quiet=True)]
        if place:
            columns += [
                Column(f"gap{place}", f"{lab.names[0]} − {name}" if len(lab.names) > 2 else "difference"),
                Column(f"p{place}", "p", quiet=True),
            ]
    rows: list[dict[str, Json]] = []
    for answer in answers:
        if answer.lines:
            rows.append({"group": answer.title})
            rows += [_table_row(line) for line in answer.lines]
    data = [row for answer in answers for row in _rows(lab, answer.title, answer)]
    caption = f"{capital(words(lab.names))} compared. Differences: the first less the other, over documents."
    labels = " · ".join(dict.fromkeys(side.protocol.label for side in lab.sides))
    signature = f"compare · {labels} · {count(lab.shared)} shared items"
    return Table("comparison", caption, columns, rows, data, signature)


def _table_row(line: ComparisonLine) -> dict[str, Json]:
    row: dict[str, Json] = {"measure": line.label}
    for place, value in enumerate(line.values):
        row[f"v{place}"] = value.text or number(value.value, line.digits, bounded=line.bounded)
        row[f"ci{place}"] = interval(value.low, value.high, line.digits, bounded=line.bounded)
    for place, gap in enumerate(line.gaps, start=1):
        if gap:
            row[f"gap{place}"] = estimate(gap.value, gap.low, gap.high, line.digits, bounded=line.bounded)
            row[f"p{place}"] = p_number(gap.p)
    return row


def _rows(lab: ComparisonData, name: str, answer: ComparisonAnswer) -> list[dict[str, Json]]:
    if answer.missing:
        return [{"question": name, "measure": "", "side": "", "value": None, "reason": answer.missing}]
    return [
        _row(name, line, side, value, line.gaps[place - 1] if 0 < place <= len(line.gaps) else None)
        for line in answer.lines
        for place, (side, value) in enumerate(zip(lab.names, line.values, strict=True))
        if value.value is not None
    ]


def _row(name: str, line: ComparisonLine, side: str, value: Value, gap: Gap | None) -> dict[str, Json]:
    numbers = {"value": value.value, "low": value.low, "high": value.high, "n": value.n}
    row: dict[str, Json] = {"question": name, "measure": line.label, "side": side, **numbers}
    if gap:
        row |= {"difference": gap.value, "difference_low": gap.low, "difference_high": gap.high, "p": gap.p}
    return row
