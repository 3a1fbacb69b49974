"""`lanner effort`: how fast judges work, per domain, over a session, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lanner.analysis import Counted
from lanner.analysis.agreement import INFLATED
from lanner.analysis.assistance import FATES, assistance, assistance_words
from lanner.analysis.material import Material
from lanner.cli._options import names
from lanner.cli._output import Output, add_rows
from lanner.cli._source import Source, check_domains
from lanner.errors import StatisticError
from lanner.figures.typeset import duration, estimate, p_value
from lanner.model import Json, Result
from lanner.stats.effort import cost, fatigue, throughput
from lanner.stats.resample import Resampling

_BILL = {"cost_per_item": "cost an item", "without_time": "without a time", "too_long": "too long"}
_OVER = {"session": "from first to last item", "document_so_far": "within a document"}


def run(
    source: Source,
    by: str,
    limit: float,
    pooled: bool,
    rate: float | None,
    tiring: bool,
    assisted: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Items per minute, with confidence intervals. Items left open for hours are excluded and counted."""
    groups = names(by)
    output = Output("effort", as_json)
    for part in source.parts():
        if assisted:
            _print_assistance(output, part, seed)
            continue
        if "domain" in groups:
            check_domains(part)
        output.say(part.name, style="bold")
        about = {"part": part.name, "protocol": part.protocol.name if part.protocol else ""}
        rows = part.counted("effort")
        _print(output, rows, about, groups, limit=limit, pooled=pooled, rate=rate, tiring=tiring, seed=seed)
        output.say()
    output.end()


def _print(
    output: Output,
    rows: Counted,
    about: dict[str, str],
    groups: list[str],
    *,
    limit: float,
    pooled: bool,
    rate: float | None,
    tiring: bool,
    seed: int,
) -> None:
    table = rows.table
    options: dict[str, Any] = {"about": about, "bounded": False}
    if rate is not None:
        result = rows.sign(cost(table, rate, by=groups, limit=limit))
        add_rows(output, result, list(result.rows[0]) if result.rows else ["value"], headings=_BILL, **options)
        _say(output, _cost_words(result, rate))
    elif tiring:
        result = rows.sign(fatigue(table, limit=limit))
        headings = {"over": "", "estimate": "change in time, % [95 %]", "value": "median seconds", "part": "tenth"}
        effects = [{**row, "over": _OVER[row["term"]]} for row in result.rows if row["kind"] == "effect"]
        add_rows(output, result, ["over", "estimate", "p"], rows=effects, headings=headings, **options)
        tenths = [row for row in result.rows if row["kind"] == "part"]
        add_rows(output, result, ["judge", "part", "value", "n"], rows=tenths, headings=headings, **options)
        _say(output, _fatigue_words(effects))
    else:
        how = Resampling(seed=seed)
        result = rows.sign(throughput(table, by=groups, limit=limit, pooled=pooled, resampling=how))
        columns = [*groups, "domain", "estimate", "mean", "median", "hours", "n"]
        rows_with_times = [{**row, **_times(row)} for row in result.rows]
        headings = {"estimate": "items a minute [95 %]", "mean": "mean seconds", "median": "median seconds"}
        add_rows(output, result, list(dict.fromkeys(columns)), rows=rows_with_times, headings=headings, **options)
        _say(output, _speed_words(result, groups))


def _print_assistance(output: Output, part: Material, seed: int) -> None:
    """What judges made of a model's marks. Nothing to say is an error: the campaign offers none."""
    results = assistance(part, resampling=Resampling(seed=seed))
    if not results:
        raise StatisticError(
            f"Nobody in {part.name} has judged texts with a model's marks.",
            next_step="Offer them: lanner new NAME … --prefill MODEL@CAMPAIGN, or lanner campaign prefill.",
        )
    columns: list[str | tuple[str, str]] = ["what", "items", "model", ("estimate", "estimate [95 %]"), ("p_text", "p")]
    columns += ["n", "documents"]
    for result in results:
        rows = [{"part": part.name, **row, **_printed(row)} for row in result.to_rows()]
        output.table(rows, columns, title=f"{part.name} · {result.question}")
        for comparison in result.comparisons:
            output.sign(comparison.difference.signature)
        for line in assistance_words(result):
            output.say(line)
        output.notes.extend(note for note in (INFLATED,) if result.judges and note not in output.notes)
    output.say()


def _printed(row: Mapping[str, Json]) -> dict[str, Json]:
    digits = 1 if row["what"] == "seconds" else 2
    text = estimate(row["value"], row["low"], row["high"], digits, bounded=row["what"] in FATES)
    return {"estimate": text, "p_text": p_value(row["p"]).removeprefix("p ").removeprefix("= ")}


def _times(row: Json) -> dict[str, Json]:
    """Seconds as people read them."""
    return {"mean": round(row["mean_seconds"]), "median": round(row["median_seconds"])}


def _say(output: Output, words: Sequence[str]) -> None:
    for line in words:
        output.say(line)


def _speed_words(result: Result, groups: Sequence[str]) -> list[str]:
    rows: list[Json] = [row for row in result.rows if row["domain"] == "all" or "domain" in groups]
    if not rows:
        return []
    slow, fast = (end(rows, key=lambda row: row["value"]) for end in (min, max))
    line = f"An item takes {slow['median_seconds']:.0f} s or less in half of all cases for the slowest"
    if slow is not fast:
        who = [" ".join(str(row[name]) for name in groups) for row in (slow, fast)]
        line += f" ({who[0]}), {fast['median_seconds']:.0f} s for the fastest ({who[1]})"
    line += ". Means lie above medians where a few items took long; a lower --limit changes them most."
    return [f"Items a minute are 60 over the mean seconds; more documents narrow the intervals. {line}"]


def _fatigue_words(effects: Sequence[Json]) -> list[str]:
    names_of = {"session": "From the first to the last item of a session", "document_so_far": "Within a document"}
    words = []
    for row in effects:
        way = "less" if row["value"] < 0 else "more"
        sure = "more than chance would give" if (row["p"] or 1) < 0.05 else "no more than chance could give"
        chance = p_value(row["p"])
        words.append(
            f"{names_of[row['term']]} an item comes to take {abs(row['value']):.0f} % {way} time: {sure}, {chance}."
        )
    return words


def _cost_words(result: Result, rate: float) -> list[str]:
    if result.value is None:
        return []
    hours = sum(row["hours"] or 0 for row in result.rows)
    digits = 0 if result.value >= 100 else 2
    line = f"{duration(hours)} of judging at {rate:g} an hour: {result.value:,.{digits}f} in all, breaks not counted."
    if result.interval:
        low, high = (f"{end:,.{digits}f}" for end in (result.interval.low, result.interval.high))
        line += f" As many other documents of this kind would cost between {low} and {high} (95 %)."
    return [line]
