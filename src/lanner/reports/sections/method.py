"""What was asked of whom and how it was assigned: a paragraph that can go into a paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import polars as pl

from lanner.model import Choice, Grid, JudgeKind, Labels, Question, Rank, Scale, Spans, languages
from lanner.reports.parts import Column, Paragraph, Section, Table
from lanner.reports.typeset import count, percent, plural, words
from lanner.reports.view import View

_KINDS = {
    JudgeKind.PERSON: "judge",
    JudgeKind.MODEL: "model",
    JudgeKind.METRIC: "metric",
    JudgeKind.SIMULATED: "simulated judge",
    JudgeKind.ADJUDICATED: "adjudication",
}
_UNIT_NAMES = {
    "isolated_sentence": "a sentence alone",
    "sentence_in_context": "a sentence in context",
    "document": "a document",
    "judge": "the judge",
}
_ROLES = {"control": "answered control item", "repeat": "repeated item", "calibration": "calibration item"}
_UNITS = {
    "isolated_sentence": "one isolated sentence at a time",
    "sentence_in_context": "sentence by sentence with the document in view",
    "document": "document by document",
    "judge": "in a questionnaire",
}


def section(view: View) -> Section:
    """The method: judges, texts, questions, intervals."""
    paragraphs = [Paragraph(_who_and_what(view)), Paragraph(_assigned(view)), Paragraph(_intervals(view))]
    if view.simulated:
        paragraphs.insert(
            0,
            Paragraph(
                "**The judges of this campaign are simulated**: nothing here says anything about real translations."
            ),
        )
    if view.material.notes:  # answers withdrawn, spellings mended: what happened to the data before they were counted
        paragraphs.append(Paragraph(f"**About the data.** {' '.join(view.material.notes)}"))
    return Section("method", "What was done", [*paragraphs, _asked(view), _texts(view)])


def _who_and_what(view: View) -> str:
    kinds = Counter(judge.kind for judge in view.judges)
    who = words([plural(number, _KINDS[kind]) for kind, number in kinds.items()]) or "Nobody"
    how = words(list(dict.fromkeys(_UNITS[stage.unit.value] for stage in view.protocol.stages)))
    asked = words([view.short(q.id) for _, q in view.protocol.questions if q.kind != "text"])
    documents = view.material.documents
    pairs = Counter((d.source_language, d.target_language) for d in documents)
    named = words([f"{languages.name(source)} to {languages.name(target)}" for source, target in pairs])
    systems = list(dict.fromkeys(name for document in documents for name in document.systems))
    outputs = f", with outputs of {plural(len(systems), 'system')}" if systems else ""
    segments = sum(segment.judged for document in documents for segment in document)
    return (
        f"{who[0].upper()}{who[1:]} worked with {view.words.title} ({view.protocol.label}), {how}, on "
        f"{plural(segments, 'sentence')} in {plural(len(documents), 'document')} ({named}{outputs}). They were asked "
        f"for: {asked}. {count(len(view.material.judgements))} answers were given."
    )


def _assigned(view: View) -> str:
    """Who judged what: the design and its seed where they are known, and what came of it."""
    table = view.worked.filter(pl.col("role") == "main", pl.col("document") != "")
    if table.is_empty():
        return "No item has been judged yet."
    people = table.filter(pl.col("judge").is_in(view.people)) if view.people else table
    settings = view.material.settings
    said = []
    if design := settings.get("design"):
        seed = f" (seed {settings['seed']})" if settings.get("seed") is not None else ""
        said.append(f"Items were assigned by the design “{str(design).replace('_', ' ')}”{seed}.")
    item = people.group_by("document", "segment", "system").agg(pl.len().alias("judges"))
    few, many = int(item["judges"].min() or 0), int(item["judges"].max() or 0)  # type: ignore[arg-type]
    shared = int((item["judges"] > 1).sum())
    who = "judge" if view.people else "model"
    each = plural(few, who) if few == many else f"{few} to {plural(many, who)}"
    more = f"; {count(shared)} by more than one ({percent(shared / len(item), 0)})" if 0 < shared < len(item) else ""
    said.append(f"Each of {plural(len(item), 'item')} was judged by {each}{more}.")
    own = people.group_by("judge").agg(pl.len().alias("items"))
    low, high = int(own["items"].min() or 0), int(own["items"].max() or 0)  # type: ignore[arg-type]
    said.append(f"A {who} judged {count(low) if low == high else f'{count(low)} to {count(high)}'} items.")
    roles = Counter(dict(view.worked.group_by("role").len().iter_rows()))
    extra = [plural(roles[role], name) for role, name in _ROLES.items() if roles[role]]
    if extra:
        said.append(f"Besides there were {words(extra)}, which count in no result but those about them.")
    return " ".join(said)


def _asked(view: View) -> Table:
    """Every question with what could be answered and how many answers there are."""
    given = dict(view.material.table.filter(pl.col("row") == "").group_by("question").len().iter_rows())
    cells = view.material.table.filter(pl.col("row") != "")
    cells = cells.select("question", "judge", "document", "segment", "system").unique()
    given |= dict(cells.group_by("question").len().iter_rows())
    rows: list[dict[str, object]] = []
    for stage, question in view.protocol.questions:
        answers = given.get(question.id, 0)
        rows.append(
            {
                "question": view.label(question.id),
                "of": _UNIT_NAMES[stage.unit.value],
                "answer": _answer(view, question),
                "n": count(answers),
            }
        )
    columns = [
        Column("question", "Question"),
        Column("of", "Asked of", text=True),
        Column("answer", "Answer", text=True),
        Column("n", "Answers", quiet=True),
    ]
    caption = f"What was asked: {plural(len(rows), 'question')} of {view.words.title}{_answered(view, given)}."
    signature = f"{view.protocol.label} · hash {view.protocol.hash} · judges {len(view.judges)}"
    return Table("asked", caption, columns, rows, rows, signature)


def _answered(view: View, given: Mapping[str, int]) -> str:
    """Which question was answered most often, and which least."""
    numbers = {question.id: given.get(question.id, 0) for _, question in view.protocol.questions}
    if len(numbers) < 2 or not any(numbers.values()):
        return ""
    most, least = max(numbers, key=lambda name: numbers[name]), min(numbers, key=lambda name: numbers[name])
    if numbers[most] == numbers[least]:
        return f", each answered {count(numbers[most])} times"
    return (
        f"; answered most often: {view.short(most)} ({count(numbers[most])}), least: {view.short(least)} "
        f"({count(numbers[least])})"
    )


def _answer(view: View, question: Question) -> str:
    """What could be answered, in a few words."""
    match question:
        case Scale():
            return f"{question.min:g} to {question.max:g}"
        case Choice():
            return "one of: " + ", ".join(view.words.option(question.id, o.id).label.lower() for o in question.options)
        case Grid():
            return f"{len(question.rows)} rows, each one of {len(question.options)} levels"
        case Labels():
            least, most = question.min, question.max
            number = f"{least}" if least == most else f"{least} to {most}" if most else f"{least} or more"
            return f"{number} of {plural(len(question.choices), 'label')}"
        case Spans():
            kinds = len(question.categories)
            return "marked spans" + (f", {plural(kinds, 'category', 'categories')}" if kinds else "")
        case Rank():
            return "the better one, ties allowed" if question.ties else "the better one"
        case _:
            return {"number": "a number", "text": "free text"}.get(question.kind, question.kind)


def _intervals(view: View) -> str:
    level = f"{100 * view.resampling.level:g} %"
    if view.resampling.unit == "document":
        return (
            f"Intervals are {level} and come from resampling whole documents, since the sentences of one document are "
            f"not independent ({count(view.resampling.n)} resamples, seed {view.resampling.seed}); with fewer than "
            "twenty documents they are widened by a small-sample rule, named in the signature."
        )
    drawn = f"{count(view.resampling.n)} resamples, seed {view.resampling.seed}"
    return f"Intervals are {level} and come from resampling by {view.resampling.unit} ({drawn})."


def _texts(view: View) -> Table:
    rows = []
    for domain in view.domains or [""]:
        documents = [document for document in view.material.documents if document.domain == domain]
        rows.append(_row(domain or "all", [len(document.segments) for document in documents]))
    if len(rows) > 1:
        rows.append({**_row("All", [len(document.segments) for document in view.material.documents]), "total": True})
    columns = [
        Column("domain", "Domain"),
        Column("documents", "Documents"),
        Column("sentences", "Sentences"),
        Column("mean", "per document"),
        Column("range", "min–max", quiet=True),
    ]
    data = [{key: value for key, value in row.items() if key != "total"} for row in rows]
    signature = f"{view.protocol.label} · {view.material.name} · documents {len(view.material.documents):,}"
    return Table("texts", _lengths(view), columns, rows, data, signature)


def _lengths(view: View) -> str:
    """How long the documents are, and in which domain they are longest and shortest."""
    by_domain: dict[str, list[int]] = {}
    for document in view.material.documents:
        by_domain.setdefault(document.domain or "", []).append(len(document.segments))
    everything = [length for lengths in by_domain.values() for length in lengths]
    if not everything:
        return "There are no texts."
    if min(everything) == max(everything):
        return f"Every document has {plural(everything[0], 'sentence')}."
    means = {domain: sum(lengths) / len(lengths) for domain, lengths in by_domain.items()}
    said = f"A document has {sum(everything) / len(everything):.1f} sentences on average"
    longest, shortest = max(means, key=lambda name: means[name]), min(means, key=lambda name: means[name])
    if len(means) > 1 and longest and shortest and means[longest] > means[shortest]:
        return f"{said}, most in {longest} ({means[longest]:.1f}) and fewest in {shortest} ({means[shortest]:.1f})."
    return f"{said} ({min(everything)} to {max(everything)})."


def _row(domain: str, lengths: list[int]) -> dict[str, object]:
    return {
        "domain": domain,
        "documents": len(lengths),
        "sentences": sum(lengths),
        "mean": f"{sum(lengths) / len(lengths):.1f}" if lengths else "—",
        "range": f"{min(lengths)}–{max(lengths)}" if lengths else "—",
    }
