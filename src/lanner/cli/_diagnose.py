"""`lanner diagnose`: what each system should improve, aspect by aspect and domain by domain."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

from lanner.analysis.diagnosis import Diagnosis, diagnosable_part, diagnose
from lanner.analysis.scores import ALL
from lanner.cli._output import Output
from lanner.cli._source import Source
from lanner.figures.typeset import estimate, number, percent
from lanner.reports.files import write
from lanner.reports.parts import Report
from lanner.reports.sections.diagnosis import described, sentences
from lanner.reports.view import View
from lanner.stats.resample import Resampling


def run(
    source: Source,
    question: str,
    domain: str,
    cell: str | None,
    out: Path | None,
    language: str,
    seed: int,
    as_json: bool,
) -> None:
    """Say for each system how often every skill matters, how well it is handled there, in which the system is behind"""
    output = Output("diagnose", as_json)
    part = diagnosable_part(source.parts(), question).under_code_names()
    result = diagnose(part, question, resampling=Resampling(seed=seed))
    assert part.protocol is not None
    view = View(part, part.protocol, Resampling(seed=seed), language)
    if cell:
        _say_examples(output, result, cell)
    else:
        _say_cells(output, view, result, domain)
    if out is not None:
        section = described(view, result)
        kicker = f"Diagnosis · {view.words.title}" + (" · simulated judges" if view.simulated else "")
        page = write(Report(part.name, kicker, result.signature, section.findings, [section]), out)
        output.note(f"Page: {page}")
    output.notes.extend(map(str, result.notes))
    output.sign(result.signature)
    output.end()


def _say_cells(output: Output, view: View, result: Diagnosis, domain: str) -> None:
    if domain:
        result.cell(result.systems[0], result.aspects[0].id, domain)  # an unknown domain is said by name
    for sentence in chain(*sentences(view, result)):
        output.say(sentence.replace("**", ""))
    output.say()
    output.rows.extend(
        {**entry.to_row(), "priority": _priority(result, entry.system, entry.aspect, entry.domain)}
        for entry in result.cells
        if not domain or entry.domain == domain
    )
    often, well = (
        ("occurs", f"{result.unit} a judgement") if result.errors else ("matters", "mean where it matters [95 %]")
    )
    occurring = {aspect.id for aspect in result.occurring}
    for name in [domain] if domain else result.domains:
        table_output = Output("diagnose", output.as_json)
        table_output.table(
            [
                {
                    "system": entry.system,
                    "aspect": entry.aspect.replace("_", " "),
                    often: percent(entry.matters.value, 0),
                    well: estimate(entry.quality.value, entry.quality.low, entry.quality.high, 2, bounded=False)
                    if entry.enough
                    else "too few",
                    "n": entry.quality.n,
                    "better": ", ".join(contrast.other for contrast in entry.contrasts if contrast.shown),
                    "improve": _priority(result, entry.system, entry.aspect, entry.domain) or "",
                }
                for entry in result.cells
                if entry.domain == name and entry.aspect in occurring
            ],
            title="All domains" if name == ALL else name,
        )
        table_output.say()


def _priority(result: Diagnosis, system: str, aspect: str, domain: str) -> int | None:
    """Which place a cell has in what its system should improve, from 1."""
    for place, priority in enumerate(result.priorities.get(system, ()), start=1):
        if (priority.cell.aspect, priority.cell.domain) == (aspect, domain):
            return place
    return None


def _say_examples(output: Output, result: Diagnosis, cell: str) -> None:
    system, aspect, *rest = (part.strip() for part in cell.split("/")) if "/" in cell else (cell, "")
    found = result.cell(system, aspect, rest[0] if rest else ALL)
    for example in result.examples(found):
        output.rows.append(example.to_row())
        ratings = ", ".join(
            f"{judge} {'not relevant' if value is None else number(value, 0, bounded=False)}"
            for judge, value in example.ratings.get(system, {}).items()
        )
        output.say(f"{example.why.capitalize()} ({example.document}, {example.segment}): {ratings}", style="bold")
        output.say(f"  {example.source}")
        output.say(f"  {example.outputs.get(system, '')}")
        output.say()
