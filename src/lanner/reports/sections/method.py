"""What was asked of whom and how it was assigned: a paragraph that can go into a paper."""

from __future__ import annotations

from collections import Counter

from lanner.model import JudgeKind, languages
from lanner.reports.parts import Column, Paragraph, Section, Table
from lanner.reports.typeset import count, plural, words
from lanner.reports.view import View

_KINDS = {
    JudgeKind.PERSON: "judge",
    JudgeKind.MODEL: "model",
    JudgeKind.METRIC: "metric",
    JudgeKind.SIMULATED: "simulated judge",
    JudgeKind.ADJUDICATED: "adjudication",
}
_UNITS = {
    "isolated_sentence": "one isolated sentence at a time",
    "sentence_in_context": "sentence by sentence with the document in view",
    "document": "document by document",
    "judge": "in a questionnaire",
}


def section(view: View) -> Section:
    """The method: judges, texts, questions, intervals."""
    paragraphs = [Paragraph(_who_and_what(view)), Paragraph(_intervals(view))]
    if view.simulated:
        paragraphs.insert(
            0,
            Paragraph(
                "**The judges of this campaign are simulated**: nothing here says anything about real translations."
            ),
        )
    return Section("method", "What was done", [*paragraphs, _texts(view)])


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
    return Table("texts", "The texts.", columns, rows, data, f"{view.protocol.label} · {view.material.name}")


def _row(domain: str, lengths: list[int]) -> dict[str, object]:
    return {
        "domain": domain,
        "documents": len(lengths),
        "sentences": sum(lengths),
        "mean": f"{sum(lengths) / len(lengths):.1f}" if lengths else "—",
        "range": f"{min(lengths)}–{max(lengths)}" if lengths else "—",
    }
