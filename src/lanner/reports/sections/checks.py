"""Can the judges be relied on: control items missed, and how far judges agree with themselves on repeated items."""

from __future__ import annotations

from collections.abc import Iterable

from lanner.designs.expected import Misses, misses, outcomes
from lanner.model import Item, Json, Judgement, Rank, Role, Task
from lanner.reports.coefficients import coefficients
from lanner.reports.parts import Block, Column, Section, Table
from lanner.reports.typeset import estimate, interval, number, percent, plural
from lanner.reports.view import View
from lanner.stats.diagnosis import self_agreement

_SPOILED = "spam"  # the name under which a document says which of its outputs is nonsense


def section(view: View) -> Section | None:
    """Nothing where there were neither control items nor repeats."""
    blocks: list[Block] = []
    found = list(view.material.controls) or _spoiled(view)
    if found:
        blocks.append(_controls(view, found))
    if (view.material.table["role"] == "repeat").any():
        blocks += [made] if (made := _repeats(view)) else []
    return Section("checks", "Controls and repeats", blocks) if blocks else None


def _spoiled(view: View) -> list[Misses]:
    """Control items of a file: comparisons in which one output is nonsense and has to be ranked last."""
    nonsense = {d.id: str(d.meta[_SPOILED]) for d in view.material.documents if d.meta.get(_SPOILED)}
    ranks = {question.id for _, question in view.protocol.questions if isinstance(question, Rank)}
    given = [
        j
        for j in view.material.judgements
        if j.role is Role.CONTROL and j.question in ranks and nonsense.get(j.document) in j.systems
    ]
    return misses(outcomes(_tasks(given, nonsense), given))


def _tasks(given: Iterable[Judgement], nonsense: dict[str, str]) -> list[Task]:
    made = []
    for at, j in enumerate(given):
        rule = {j.question: {"worst": j.systems.index(nonsense[j.document])}}
        item = Item(j.document, j.segment, j.systems, Role.CONTROL, {}, rule)
        made.append(Task(at, j.judge, j.stage, (item,)))
    return made


def _controls(view: View, found: Iterable[Misses]) -> Table:
    by_judge: dict[str, list[Misses]] = {}
    for row in found:
        by_judge.setdefault(row.judge, []).append(row)
    data: list[dict[str, Json]] = []
    for judge, own in by_judge.items():
        answered, missed = sum(row.answered for row in own), sum(row.missed for row in own)
        if answered:
            data.append(
                {"judge": view.names.get(judge, judge), "answered": answered, "missed": missed,
                 "ties": sum(row.ties for row in own), "share": missed / answered}
            )  # fmt: skip
    data.sort(key=lambda row: -row["share"])
    missed, answered = sum(row["missed"] for row in data), sum(row["answered"] for row in data)
    worst = data[0] if data else None
    said = f"{missed} of {plural(answered, 'control item')} were missed"
    if worst and worst["missed"]:
        said += f", most by {worst['judge']} ({worst['missed']} of {worst['answered']})"
    rows = [{**row, "share": percent(row["share"], 0)} for row in data]
    columns = [
        Column("judge", "Judge"),
        Column("answered", "Control items"),
        Column("missed", "Missed"),
        Column("ties", "of these ties"),
        Column("share", "Share missed"),
    ]
    signature = f"control items · {view.protocol.label} · n {answered} · judges {len(data)}"
    return Table("controls", f"{said}. One broken rule misses an item.", columns, rows, data, signature)


def _repeats(view: View) -> Table | None:
    rows: list[dict[str, Json]] = []
    data: list[dict[str, Json]] = []
    best: list[str] = []
    signature = ""
    for _, question in view.protocol.questions:
        usable = [c for c in coefficients(question) if c.pairwise and not c.row and c.question in view.answered]
        if not usable or not _repeated(view, usable[0].question):
            continue
        asked = usable[0]
        options = {**asked.options, "resampling": view.resampling}
        found = [
            r for r in self_agreement(view.material.table, asked.question, of=asked.statistic, **options)
            if r.value is not None
        ]  # fmt: skip
        signature = signature or (view.signature(found[0]) if found else "")
        for result in found:
            who = result.labels["judge"]
            name = "all judges" if who == "all" else view.names.get(who, who)
            rows.append(
                {"question": view.short(asked.question).capitalize(), "judge": name,
                 "value": f"{asked.sign} {number(result.value)}", "ci": interval(result.low, result.high),
                 "n": result.counts.get("items", 0)}
            )  # fmt: skip
            data.append({"question": asked.question, "judge": who, "coefficient": asked.name, **result.row()})
        if found and found[0].labels["judge"] == "all":
            one = found[0]
            best.append(f"{view.short(asked.question)} {asked.sign} {estimate(one.value, one.low, one.high, 2)}")
    if not rows:
        return None
    columns = [
        Column("question", "Question"),
        Column("judge", "Judge", text=True),
        Column("value", "Agreement"),
        Column("ci", "95 %", quiet=True),
        Column("n", "n", quiet=True),
    ]
    caption = f"How far judges agree with themselves on items that they met twice: {'; '.join(best)}."
    return Table("repeats", caption, columns, rows, data, signature)


def _repeated(view: View, question: str) -> bool:
    table = view.material.table
    return bool(((table["question"] == question) & (table["role"] == "repeat")).any())
