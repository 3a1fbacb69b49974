"""Can the judges be relied on: control items missed, and how far judges agree with themselves on repeated items."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import polars as pl

from lanner.analysis import GROUPS, CountedRows, plan
from lanner.designs.expected import Misses, control_limit, missed_controls, misses, outcomes, share_interval
from lanner.figures.typeset import estimate, interval, number, percent, plural, words
from lanner.model import Item, Json, Judgement, Rank, Role, Task
from lanner.reports.parts import Block, Column, Section, Table
from lanner.reports.view import View
from lanner.stats.diagnosis import self_agreement

_SPOILED = "spam"  # the name under which a document says which of its outputs is nonsense


def section(view: View) -> Section | None:
    """Nothing where there were neither control items nor repeats."""
    blocks: list[Block] = []
    misses_by_judge = _by_judge(list(view.material.controls) or _misses_in_file(view), view.material.left_out)
    if misses_by_judge:
        blocks.append(_controls(view, misses_by_judge))
    repeats = view.counted("repeats", of=tuple(GROUPS))
    if (repeats.table["role"] == "repeat").any():
        blocks += [figure] if (figure := _repeats(view, repeats)) else []
    return Section("checks", "Controls and repeats", blocks, _findings(view, misses_by_judge)) if blocks else None


def _misses_in_file(view: View) -> list[Misses]:
    """Control items of a file: comparisons in which one output is nonsense and has to be ranked last."""
    nonsense = {d.id: str(d.meta[_SPOILED]) for d in view.material.documents if d.meta.get(_SPOILED)}
    ranks = {question.id for _, question in view.protocol.questions if isinstance(question, Rank)}
    answers = [
        j
        for j in view.material.judgements
        if j.role is Role.CONTROL and j.question in ranks and nonsense.get(j.document) in j.systems
    ]
    return misses(outcomes(_tasks(answers, nonsense), answers))


def _tasks(judgements: Iterable[Judgement], nonsense: dict[str, str]) -> list[Task]:
    tasks = []
    for at, j in enumerate(judgements):
        rule = {j.question: {"worst": j.systems.index(nonsense[j.document])}}
        item = Item(j.document, j.segment, j.systems, Role.CONTROL, {}, rule)
        tasks.append(Task(at, j.judge, j.stage, (item,)))
    return tasks


def _by_judge(misses_of: Iterable[Misses], left_out: Collection[str]) -> dict[str, tuple[int, int, int]]:
    """Control items answered, missed, and missed by ties, of each judge who counts and has answered any."""
    by_judge: dict[str, tuple[int, int, int]] = {}
    for row in misses_of:
        if row.judge not in left_out:
            items, miss_count, ties = by_judge.get(row.judge, (0, 0, 0))
            by_judge[row.judge] = (items + row.answered, miss_count + row.missed, ties + row.ties)
    return {judge: counts for judge, counts in by_judge.items() if counts[0]}


def _findings(view: View, by_judge: Mapping[str, tuple[int, int, int]]) -> list[str]:
    """Judges who clearly miss more control items than may be missed: the limit and the test of the live page."""
    limit = control_limit(view.material.settings)
    alarms = missed_controls({judge: (miss_count, items) for judge, (items, miss_count, _) in by_judge.items()}, limit)
    failures = [
        f"{view.names.get(alarm.judge, alarm.judge)} ({by_judge[alarm.judge][1]} of {alarm.n}, "
        f"{percent(alarm.value, 0)} [{percent(alarm.low or 0, 0)}, {percent(alarm.high or 1, 0)}])"
        for alarm in alarms
        if alarm.clear
    ]
    if not failures:
        return []
    limit_text = percent(limit, 0) if limit < 1 else plural(int(limit), "item")
    return [f"**Control items were missed too often** by {words(failures)}; the limit is {limit_text}."]


def _controls(view: View, by_judge: Mapping[str, tuple[int, int, int]]) -> Table:
    data: list[dict[str, Json]] = []
    for judge, (items, miss_count, ties) in by_judge.items():
        low, high = share_interval(miss_count, items)
        name = view.names.get(judge, judge)
        counts = {"judge": name, "answered": items, "missed": miss_count, "ties": ties}
        data.append({**counts, "share": miss_count / items, "low": low, "high": high})
    data.sort(key=lambda row: -row["share"])
    miss_count, items = sum(row["missed"] for row in data), sum(row["answered"] for row in data)
    worst = data[0] if data else None
    sentence = f"{miss_count} of {plural(items, 'control item')} were missed"
    if worst and worst["missed"]:
        sentence += f", most by {worst['judge']} ({worst['missed']} of {worst['answered']})"
    rows = [
        {**row, "share": percent(row["share"], 0), "ci": f"[{percent(row['low'], 0)}, {percent(row['high'], 0)}]"}
        for row in data
    ]
    columns = [
        Column("judge", "Judge"),
        Column("answered", "Control items"),
        Column("missed", "Missed"),
        Column("ties", "of these ties"),
        Column("share", "Share missed"),
        Column("ci", "95 %", quiet=True),
    ]
    signature = f"control items · {view.protocol.label} · n {items} · judges {len(data)} · Wilson 95 %"
    return Table("controls", f"{sentence}. One broken rule misses an item.", columns, rows, data, signature)


def _repeats(view: View, repeats: CountedRows) -> Table | None:
    rows: list[dict[str, Json]] = []
    data: list[dict[str, Json]] = []
    best: list[str] = []
    signature = ""
    question_ids = set(repeats.table.filter(pl.col("role") == "repeat")["question"].unique())
    for entry in plan(view.protocol):
        coefficient = entry.pairs
        if coefficient.question not in question_ids:
            continue
        options = {**coefficient.options, "resampling": view.resampling}
        results = self_agreement(repeats.table, coefficient.question, of=coefficient.statistic, **options)
        values = [repeats.sign(result) for result in results if result.value is not None]
        signature = signature or (view.signature(values[0]) if values else "")
        for result in values:
            who = result.labels["judge"]
            name = "all judges" if who == "all" else view.names.get(who, who)
            rows.append(
                {
                    "question": view.short(coefficient.question).capitalize(),
                    "judge": name,
                    "value": f"{coefficient.sign} {number(result.value)}",
                    "ci": interval(result.low, result.high),
                    "n": result.counts.get("items", 0),
                }
            )
            data.append(
                {"question": coefficient.question, "judge": who, "coefficient": coefficient.name, **result.row()}
            )
        if values and values[0].labels["judge"] == "all":
            one = values[0]
            best.append(
                f"{view.short(coefficient.question)} {coefficient.sign} {estimate(one.value, one.low, one.high, 2)}"
            )
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
