"""What judges said about themselves and their work: averages of statements, how many gave which answer."""

from __future__ import annotations

from lanner.model import Choice, Grid, Json, Labels, Number, Scale, Unit
from lanner.reports.parts import Block, Column, Section, Table
from lanner.reports.typeset import interval, number
from lanner.reports.view import View
from lanner.stats.questionnaire import averages, shares


def section(view: View) -> Section | None:
    """Nothing where no stage asks the judges themselves."""
    answered = set(view.counted("questionnaire").table["question"].unique())
    asked = [
        question
        for stage in view.protocol.stages
        if stage.unit is Unit.JUDGE
        for question in stage.questions
        if question.id in answered
    ]
    scored = [q.id for q in asked if isinstance(q, Scale | Number | Grid)]
    chosen = [q.id for q in asked if isinstance(q, Choice | Labels)]
    blocks: list[Block] = []
    if scored:
        blocks.append(_averages(view, scored))
    if chosen:
        blocks.append(_shares(view, chosen))
    return Section("questionnaire", "What the judges said", blocks) if blocks else None


def _averages(view: View, questions: list[str]) -> Table:
    result = averages(view.counted("questionnaire").table, questions)
    rows: list[dict[str, Json]] = [
        {
            "statement": view.words.option(row["question"], row["row"]).label
            if row["row"]
            else view.label(row["question"]),
            "mean": number(row["mean"], 2, bounded=False),
            "ci": interval(row["low"], row["high"], bounded=False),
            "median": number(row["median"], 1, bounded=False),
            "n": row["n"],
        }
        for row in result.rows
    ]
    columns = [
        Column("statement", "Statement"),
        Column("mean", "Mean"),
        Column("ci", "95 %", quiet=True),
        Column("median", "Median"),
        Column("n", "n", quiet=True),
    ]
    data = [dict(row) for row in result.rows]
    rated = [(row, found) for row, found in zip(rows, result.rows, strict=True) if found["mean"] is not None]
    caption = "Average answers of the judges."
    if len(rated) > 1:
        high, low = (pick(rated, key=lambda pair: pair[1]["mean"])[0] for pick in (max, min))
        caption = (
            f"Average answers of the judges: highest on “{high['statement']}” ({high['mean']} {high['ci']}), lowest on "
            f"“{low['statement']}” ({low['mean']} {low['ci']})."
        ).replace(" )", ")")
    return Table("statements", caption, columns, rows, data, str(result.signature or ""))


def _shares(view: View, questions: list[str]) -> Table:
    result = shares(view.counted("questionnaire").table, questions)
    rows: list[dict[str, Json]] = [
        {
            "question": view.label(row["question"]),
            "answer": view.words.option(row["question"], row["label"]).label,
            "count": row["count"],
            "n": row["n"],
        }
        for row in result.rows
    ]
    columns = [
        Column("question", "Question"),
        Column("answer", "Answer", text=True),
        Column("count", "Judges"),
        Column("n", "of", quiet=True),
    ]
    data = [dict(row) for row in result.rows]
    top = max(rows, key=lambda row: row["count"] / max(1, row["n"]), default=None)
    caption = "How many judges gave which answer."
    if top is not None:
        caption += f" The most unanimous: “{top['answer']}” to “{top['question']}” ({top['count']} of {top['n']})."
    return Table("answers", caption, columns, rows, data, str(result.signature or ""))
