"""`lanner facets` and `diagnose`: how severe judges and how hard questions are, and what each system should improve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from lanner.analysis.diagnosis import Diagnosis, DiagnosisCell, diagnosable_part, diagnose
from lanner.analysis.scores import ALL, group_rows, keep_on_scale, ranked_by, score_bounds
from lanner.cli.output import Columns, Output, print_kinds
from lanner.cli.scores import note_uncounted
from lanner.cli.source import Source
from lanner.errors import InputError
from lanner.figures.charts import EstimateRow, intervals
from lanner.model import Json, Result
from lanner.model.messages import estimate, number, p_value, percent, plural
from lanner.reports.parts import Report, keeping, with_names_kept, without_marks
from lanner.reports.rendering import write
from lanner.reports.sections.diagnosis import described, sentences
from lanner.reports.view import View
from lanner.stats.facets import Scale, facets
from lanner.stats.resample import FEWEST_JUDGES, Resampling

# `lanner facets`: system scores with judges' severity taken out, each judge's severity, and designs compared.


_NUMBERS = "Whole numbers with commas between, such as 2,4,8."


def run_facets(
    output: Output,
    source: Source,
    question: str | None,
    scale: Scale,
    plan_judges: str,
    plan_documents: str,
    picture: Path | None,
) -> None:
    """Take judges' severity out of the scores of systems, show how severe each judge is, and compare designs."""
    judges, documents = _whole_numbers(plan_judges), _whole_numbers(plan_documents)
    for part in source.parts():
        rows = group_rows(part, judges_named=bool(source.judges))
        note_uncounted(output, part, rows)
        for entry in ranked_by(part.protocol, rows.table, question):
            direction = str(entry.options.get("direction", "higher_is_better"))
            result = facets(
                rows.table,
                entry.of,
                scale=scale,
                judges=judges,
                documents=documents,
                direction=direction,
                of_judges=[judge.id for judge in part.judges] if source.judges else None,
            )
            result = rows.sign(result)
            result = keep_on_scale(result, score_bounds(part.protocol, entry.of, {}))
            _print(output, result, part.name, entry.of)
            if picture is not None and result.value is not None:
                picture.write_text(str(_draw(result)), encoding="utf-8")
                output.say(f"Judges' severity is drawn in {picture}.")


def _whole_numbers(text: str) -> list[int]:
    try:
        numbers = [int(word) for word in text.split(",")]
    except ValueError as error:
        raise InputError(f"{text!r} is not a list of whole numbers.", next_step=_NUMBERS) from error
    if min(numbers) < 1:
        raise InputError("Judges and documents number one or more.", next_step=_NUMBERS)
    return numbers


def _draw(result: Result) -> object:
    """Judges from the most severe to the most lenient, with intervals."""
    rows = [
        EstimateRow(row["judge"], row["value"], row["low"], row["high"], note=f"n {row['n']}")
        for row in result.rows
        if row["kind"] == "judge"
    ]
    return intervals("Points above the average judge", rows, bounded=False)


def _print(output: Output, result: Result, part: str, question: str) -> None:
    title = f"{part} · {question}"
    output.cite(result)
    if result.value is None:
        output.say(f"{title}: {result.notes[0]}")
        return
    steps = any("log_odds" in row for row in result.rows if row["kind"] == "system")
    unit = "log odds" if steps else "points"
    tables: list[tuple[str, Columns, str]] = [
        ("system", ["system", ("estimate", "score [95 %]"), *([("log_odds", "log odds")] if steps else [])], title),
        ("pair", ["system", "other", ("estimate", f"{unit} [95 %]"), "p_text", ("p_holm_text", "p (holm)")],
         "Differences"),
        ("judge", ["judge", ("estimate", f"{unit} above the average judge [95 %]"), "n"], "Judges, most severe first"),
        ("variance", [("term", "spread between"), "variance", ("share_text", "share")], "Where scores differ"),
        ("decision", ["judges", "documents", "judgements", ("margin_text", "a difference is known to"),
                      ("rho", "Eρ²"), ("phi", "Φ")], "Designs: every judge judges every document"),
    ]  # fmt: skip
    kinds = print_kinds(output, result, tables, about={"part": part, "question": question}, texts=_texts)
    for sentence in _words(result, kinds):
        output.say(sentence)


def _texts(row: Mapping[str, Json]) -> dict[str, Json]:
    """Numbers of a row as they are printed."""
    match row["kind"]:
        case "variance":
            return {"variance": round(row["value"], 4), "share_text": percent(row["share"], 0)}
        case "decision":
            numbers = {"rho": row["generalisability"], "phi": row["dependability"]}
            texts = {name: None if value is None else f"{value:.2f}" for name, value in numbers.items()}
            return {"margin_text": f"±{row['margin']:.2f}", **texts}
        case "pair":
            texts = {"p_text": p_value(row["p"]), "p_holm_text": p_value(row["p_holm"])}
            return {"estimate": estimate(row["difference"], row["low"], row["high"], 2, bounded=False), **texts}
    return {"estimate": estimate(row["value"], row["low"], row["high"], 2, bounded=False)}


def _words(result: Result, kinds: Mapping[str, Sequence[Mapping[str, Json]]]) -> Iterator[str]:
    counts = result.counts
    severe = [row["judge"] for row in kinds["judge"] if row["leaning"] == "severe"]
    lenient = [row["judge"] for row in kinds["judge"] if row["leaning"] == "lenient"]
    if severe or lenient:
        sides = [f"more severe than average: {', '.join(severe)}"] if severe else []
        sides += [f"more lenient: {', '.join(lenient)}"] if lenient else []
        yield f"Clearly {'; '.join(sides)}."
    elif any(row["low"] is not None for row in kinds["judge"]):
        yield (
            "No judge is clearly more severe or more lenient than judges in general are. Whether they differ from each "
            "other is another question: lanner agreement --why."
        )
    else:
        yield "No judge is clearly more severe or more lenient than the others."
    yield from _equal_cost(kinds.get("decision", ()))
    seen = f"{plural(counts['judges'], 'judge')} and {plural(counts['documents'], 'document')}"
    if counts["judges"] < FEWEST_JUDGES:
        yield f"Which system is better in the eyes of other judges cannot be told from {seen}."
    else:
        yield f"This holds for judges in general, from {seen}."


def _equal_cost(designs: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    """Which of the designs with as many judgements is best, where there are several."""
    by_cost: dict[int, list[Mapping[str, Json]]] = {}
    for row in designs:
        by_cost.setdefault(row["judgements"], []).append(row)
    several = [rows for rows in by_cost.values() if len(rows) > 1]
    if several:
        largest = max(several, key=lambda own: (len(own), own[0]["judgements"]))
        rows = sorted(largest, key=lambda row: row["margin"])
        parts = [f"{row['judges']} on {plural(row['documents'], 'document')} ±{row['margin']:.2f}" for row in rows]
        yield f"For {rows[0]['judgements']:,} judgements, judges and documents give: {'; '.join(parts)}."


# `lanner diagnose`: what each system should improve, aspect by aspect and domain by domain.


def run_diagnose(
    output: Output,
    source: Source,
    question: str,
    domain: str,
    cell: str | None,
    out: Path | None,
    language: str,
    seed: int,
) -> None:
    """Say for each system how often every skill matters, how well it is handled there and what to improve."""
    part = diagnosable_part(source.parts(), question).under_code_names()  # for those who improve the systems
    rows = group_rows(part, judges_named=bool(source.judges))
    note_uncounted(output, part, rows)
    result = diagnose(part, question, rows=rows, resampling=Resampling(seed=seed))
    assert part.protocol is not None
    view = View(part, part.protocol, Resampling(seed=seed), language)
    if cell:
        _say_examples(output, result, cell)
    else:
        _say_cells(output, view, result, domain)
    if out is not None:
        section = described(view, result)
        kicker = f"Diagnosis · {view.words.title}" + (" · simulated judges" if view.simulated else "")
        report = Report(part.name, kicker, result.signature, section.findings, [section])
        page = write(with_names_kept(report, result.systems), out)
        output.note(f"Page: {page}")
    output.notes.extend(map(str, result.notes))
    output.sign(result.signature)


def _say_cells(output: Output, view: View, result: Diagnosis, domain: str) -> None:
    shown = [result.domain(domain)] if domain else result.domains
    keep_names = keeping(result.systems)
    for sentence in chain(*sentences(view, result)):
        output.say(without_marks(keep_names(sentence)))
    output.say()
    output.rows.extend(
        {**entry.to_row(), "priority": _priority(result, entry.system, entry.aspect, entry.domain)}
        for entry in result.cells
        if entry.domain in shown
    )
    often, well = (
        ("occurs", f"{result.unit} a judgement") if result.errors else ("matters", "mean where it matters [95 %]")
    )
    occurring = {aspect.id for aspect in result.occurring}
    for name in shown if occurring else ():
        output.show(
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
        output.say()


def _priority(result: Diagnosis, system: str, aspect: str, domain: str) -> int | None:
    """Which place a cell has in what its system should improve, from 1."""
    for place, priority in enumerate(result.priorities.get(system, ()), start=1):
        if (priority.cell.aspect, priority.cell.domain) == (aspect, domain):
            return place
    return None


def _named_cell(result: Diagnosis, name: str) -> DiagnosisCell:
    """The cell of SYSTEM/ASPECT/DOMAIN, each of which may have a / in its name."""
    parts = [part.strip() for part in name.split("/")]
    cells = {f"{cell.system}/{cell.aspect}/{cell.domain}".removesuffix("/"): cell for cell in result.cells}
    own = "/".join(parts)
    system, aspect, domain, *_ = (*parts, "", "")
    return cells.get(own) or cells.get(own.removesuffix("/all")) or result.cell(system, aspect, domain)


def _say_examples(output: Output, result: Diagnosis, cell: str) -> None:
    match = _named_cell(result, cell)
    for example in result.examples(match):
        output.rows.append(example.to_row())
        ratings = ", ".join(
            f"{judge} {'not relevant' if value is None else number(value, 0, bounded=False)}"
            for judge, value in example.ratings.get(match.system, {}).items()
        )
        output.say(f"{example.why.capitalize()} ({example.document}, {example.segment}): {ratings}", style="bold")
        output.say(f"  {example.source}")
        output.say(f"  {example.outputs.get(match.system, '')}")
        output.say()
