"""How the judging went: whether judges can be relied on, how long it took, and what came of a model's marks.

- Control items missed, and how far judges agree with themselves on repeated items.
- How long each item took, and items a minute per judge and domain.
- Judging with a model's marks to start from: what became of them, time saved, and how far judges relied on them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from lanner.analysis import FEWEST_ITEMS, GROUPS, CountedRows, plan
from lanner.analysis.assistance import Assistance, Comparison, assistance
from lanner.designs.expected import Misses, control_limit, missed_controls, misses, outcomes, share_interval
from lanner.errors import StatisticError
from lanner.figures.charts import Row, intervals
from lanner.figures.charts import throughput as draw
from lanner.figures.drawing import Drawing
from lanner.figures.typeset import duration, estimate, interval, number, p_number, percent, plural, words
from lanner.model import Item, Json, Judgement, Rank, Result, Role, Task
from lanner.reports.parts import Block, Column, Figure, Paragraph, Section, Table
from lanner.reports.view import View
from lanner.stats import effort
from lanner.stats.diagnosis import self_agreement
from lanner.stats.effort import throughput

_SPOILED = "spam"  # the name under which a document says which of its outputs is nonsense


def check_section(view: View) -> Section | None:
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


# Time


_MOST_TOGETHER, _MOST_ROWS, _SAYS_NOTHING = 6, 60, 10


def effort_section(view: View) -> Section | None:
    """Nothing where no times were kept, or where the judges are not people."""
    if not view.people:
        return None
    counted_rows = view.counted("effort", of="people")
    try:
        work, way = times(counted_rows.table)
        result = counted_rows.sign(throughput(work, resampling=view.resampling))
    except StatisticError:
        return None
    rows = [row for row in result.rows if row["value"] is not None]
    if not rows:
        return None
    overall = {row["judge"]: row for row in rows if row["domain"] == "all"}
    by_pace = sorted(overall, key=lambda judge: overall[judge]["value"])
    hours, items = (sum(row[name] for row in overall.values()) for name in ("hours", "n"))
    sentence = _pace(view, [overall[judge] for judge in by_pace if overall[judge]["n"] >= FEWEST_ITEMS])
    pace = f"Judges worked at {sentence}; " if sentence else "The work took "
    caption = f"{pace}{duration(hours)} in all (n {items:,} timed items)."
    domains = " A judge's figure is the plain mean over domains." if len(view.domains) > 1 else ""
    remark = f" {BETWEEN.capitalize()}." if way == BETWEEN else ""
    figure = Figure(
        "throughput",
        f"{caption}{_domains(view, rows)}{domains}{remark} {' '.join(result.notes)}".rstrip(),
        str(_draw(view, rows, [overall[judge] for judge in by_pace])),
        [dict(row) for row in result.rows],
        view.signature(result, judges=len(overall)),
    )
    finding = f"The work took **{duration(hours)}**, at {sentence}."
    return Section("effort", "Effort", [figure], [finding] if sentence else [])


def _pace(view: View, rows: Sequence[Mapping[str, Any]]) -> str:
    """From the slowest to the fastest of the judges with enough timed items, in words; empty where there are none."""
    if not rows:
        return ""
    slow, fast = (f"{row['value']:.1f} ({view.names[row['judge']]})" for row in (rows[0], rows[-1]))
    if f"{rows[0]['value']:.1f}" != f"{rows[-1]['value']:.1f}":
        return f"{slow} to {fast} items a minute"
    return f"{slow.split()[0] if len(rows) > 1 else slow} items a minute"


def _domains(view: View, rows: Sequence[Mapping[str, Any]]) -> str:
    """Which domain is slowest, if it is so for every judge."""
    by_judge: dict[str, dict[str, float]] = {}
    for row in rows:
        if row["domain"] != "all" and row["n"] >= FEWEST_ITEMS:
            by_judge.setdefault(row["judge"], {})[row["domain"]] = row["value"]
    slowest = {min(rates, key=lambda domain: rates[domain]) for rates in by_judge.values() if len(rates) > 1}
    if not slowest:
        return ""
    if len(slowest) > 1:
        return f" No domain is the slowest for everybody ({words(sorted(slowest))}, by judge)."
    who = "every judge" if len(by_judge) > 1 else view.names[next(iter(by_judge))]
    return f" The slowest domain for {who} is {next(iter(slowest))}."


def _ends(row: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """The interval; none where so few documents were timed that it says nothing."""
    low, high = row["low"], row["high"]
    return (low, high) if high is not None and high < _SAYS_NOTHING * row["value"] else (None, None)


def _draw(view: View, rows: Sequence[Mapping[str, Any]], overall: Sequence[Mapping[str, Any]]) -> Drawing:
    """Each judge in each domain; where judges are many, a row for each with its interval."""
    if len(overall) > _MOST_TOGETHER:
        lines = [
            Row(view.names[row["judge"]], row["value"], *_ends(row), f"n {row['n']:,}") for row in overall[:_MOST_ROWS]
        ]
        return intervals("Items a minute, judge by judge", lines, bounded=False)
    domains = {row["domain"] for row in rows if row["domain"] != "all"}
    shown = [domain for domain in view.domains if domain in domains] or ["all"]
    rates: dict[str, dict[str, float]] = {}
    for row in rows:
        if row["domain"] in shown:
            rates.setdefault(view.names[row["judge"]], {})[row["domain"]] = row["value"]
    return draw(shown, rates, "items a minute")


_INSTANT, _TOO_MANY_INSTANT, _BREAK = 0.5, 0.2, 600.0
OWN, BETWEEN = "time of each item", "time from one answer to the next, breaks over 10 min left out"


def times(table: pl.DataFrame) -> tuple[effort.Work, str]:
    """The items with their seconds, and how these were found.

    Where too many items carry no time worth the name (a page that stamps all its sentences at once), the time between
    one answer and the judge's next is taken instead; ten minutes and more are a break.
    """
    work = effort.items(table)
    timed_items = work.table.filter(pl.col("seconds").is_not_null(), pl.col("seconds") <= effort.LIMIT)
    seconds = timed_items["seconds"]
    instant = float((seconds < _INSTANT).mean() or 0.0) if len(seconds) else 1.0  # type: ignore[arg-type]
    if instant <= _TOO_MANY_INSTANT or not work.table["at"].is_not_null().any():
        return (work, OWN) if instant <= _TOO_MANY_INSTANT else (work._replace(table=timed_items.head(0)), "")
    between = work.table.sort("judge", "at", maintain_order=True).with_columns(
        pl.col("at").diff().over("judge").dt.total_milliseconds().truediv(1000).alias("seconds")
    )
    return work._replace(table=between.filter(pl.col("seconds").is_between(_INSTANT, _BREAK))), BETWEEN


# Working from a model's marks


_DIGITS = {"seconds": 1}


def assistance_section(view: View) -> Section | None:
    """For a campaign whose judges started from a model's marks."""
    results = assistance(view.material, resampling=view.resampling)
    if not results:
        return None
    blocks: list[Block] = []
    for result in results:
        blocks += [Paragraph(_methods(result)), _fates(view, result), _comparison_table(view, result)]
    return Section("assistance", "Marks offered by a model", blocks, _assistance_findings(results))


def _methods(result: Assistance) -> str:
    """What was done, from the numbers and their signatures."""
    models = words([entry.model or "an unnamed program" for entry in result.models]) or "the model"
    marks = result.comparisons[0]
    with_marks, without_marks = marks.assisted.counts, marks.unaided.counts
    signature = marks.difference.signature
    parts = dict(signature.parts) if signature else {}
    interval = (
        f" Intervals: {parts['interval']}, degrees of freedom {parts['degrees of freedom']}."
        if parts.get("interval")
        else ""
    )
    return (
        f"Judges started from marks of {models} in {plural(with_marks['items'], 'answer')} about "
        f"{plural(with_marks['documents'], 'document')}. {plural(without_marks['items'], 'answer')} about "
        f"{plural(without_marks['documents'], 'document')}, drawn by chance, equally many for each system, were given "
        "without them: they show how much people mark on their own. **Differences are assisted minus unaided.** "
        "Agreement with the model is F1 by marked characters; what is higher where its marks were shown is reliance on "
        f"it, not evidence for it.{interval}"
    )


def _fates(view: View, result: Assistance) -> Table:
    rows: list[dict[str, Json]] = []
    data = [row for row in result.to_rows() if row.get("model")]
    signature = ""
    for entry in result.models:
        rows.append(
            {
                "model": entry.model or "unnamed",
                **{fate: estimate(one.value, one.low, one.high) for fate, one in entry.fates.items()},
                "n": f"{entry.offered:,}",
            }
        )
        signature = signature or view.signature(entry.fates["kept"])
    columns = [
        Column("model", "Model"),
        Column("kept", "Kept [95 %]"),
        Column("changed", "Changed [95 %]"),
        Column("removed", "Removed [95 %]"),
        Column("n", "Marks", quiet=True),
    ]
    additions = estimate(result.added.value, result.added.low, result.added.high, 2, bounded=False)
    caption = (
        f"{view.short(result.question).capitalize()}: what became of the marks that were offered, with intervals over "
        f"documents. Judges added {additions} marks to an item."
    )
    return Table(f"offered-{result.question}", caption, columns, rows, data, signature)


def _comparison_table(view: View, result: Assistance) -> Table:
    comparisons = [*result.comparisons, *result.judges]
    rows = [_row(comparison) for comparison in comparisons]
    data = [row for row in result.to_rows() if row.get("items")]
    signature = next((view.signature(c.difference) for c in comparisons if c.difference.signature), "")
    columns = [
        Column("what", ""),
        Column("assisted", "Assisted [95 %]"),
        Column("unaided", "Unaided [95 %]"),
        Column("difference", "Difference [95 %]"),
        Column("p", "p", quiet=True),
        Column("n", "Unaided answers", quiet=True),
    ]
    caption = (
        f"{view.short(result.question).capitalize()}: items judged with the model's marks and without. Judges who "
        "start from the same marks agree with each other more than they would on their own, so **their agreement is "
        "inflated on assisted items**; the unaided ones show it as it is."
    )
    return Table(f"assistance-{result.question}", caption, columns, rows, data, signature)


def _row(comparison: Comparison) -> dict[str, Json]:
    digits = _DIGITS.get(comparison.measure, 2)

    def shown(result: Result) -> str:
        enough = result.counts.get("items", FEWEST_ITEMS) >= FEWEST_ITEMS
        return estimate(result.value, result.low, result.high, digits, bounded=False) if enough else ""

    p = p_number(comparison.difference.p)
    return {
        "what": _heading(comparison.measure),
        "assisted": shown(comparison.assisted),
        "unaided": shown(comparison.unaided),
        "difference": shown(comparison.difference),
        "p": p,
        "n": f"{comparison.unaided.counts.get('items', 0):,}",
    }


def _heading(measure: str) -> str:
    """With a capital letter, unless it begins with a coefficient's sign (α); F1 keeps its own."""
    return f"{measure[0].upper()}{measure[1:]}" if measure[0].isascii() else measure


def _assistance_findings(results: Sequence[Assistance]) -> list[str]:
    """The share kept, and reliance where its interval leaves no doubt."""
    findings = []
    for result in results:
        follows = next(c for c in result.comparisons if c.measure == "agreement with the model")
        shares_kept = [entry.fates["kept"] for entry in result.models]
        if not shares_kept or shares_kept[0].counts.get("marks", 0) < FEWEST_ITEMS:
            continue
        share = percent(shares_kept[0].value or 0.0, 0)
        sentence = f"Judges kept **{share} of the marks** that a model offered"
        low = follows.difference.low
        if low is not None and low > 0:
            gap = estimate(follows.difference.value, low, follows.difference.high, 2, bounded=False)
            sentence += f" and **follow it more than they would unaided** (F1 with the model {gap} higher)"
        findings.append(f"{sentence}.")
    return findings
