"""`lanner regress`, `associate` and `effort`: what scores and times are made of, and what goes together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from lanner.analysis import GROUPS, CountedRows
from lanner.analysis.agreement import INFLATED
from lanner.analysis.assistance import FATES, assistance, assistance_words
from lanner.analysis.material import Material
from lanner.analysis.scores import group_rows
from lanner.cli.early_checks import names
from lanner.cli.output import Columns, Output, add_rows
from lanner.cli.scores import note_uncounted
from lanner.cli.source import Source, check_domains, shares
from lanner.errors import LannerError, StatisticError
from lanner.model import Interval, Json, Result
from lanner.model.messages import duration, estimate, p_number, p_value, percent, plural
from lanner.stats.agreement import band, reading
from lanner.stats.association import between_measures, correlations
from lanner.stats.effort import BETWEEN, SECONDS, cost, fatigue, throughput, times, with_seconds
from lanner.stats.frame import wide
from lanner.stats.mixed import mixed
from lanner.stats.regression import Clustering, regress
from lanner.stats.regression import blocks as regress_blocks
from lanner.stats.resample import Resampling


def _counted(part: Material, source: Source, *, pooled: bool = False) -> CountedRows:
    """Everybody's main items, settled answers too, since a file may hold nothing else; nothing of judges who are left
    out. Where judges are pooled, people and models are not: people alone, unless judges are named."""
    if pooled:
        return group_rows(part, judges_named=bool(source.judges))
    return part.counted("scores", of=tuple(GROUPS), settled=True)


# `lanner regress --mixed`: judges and documents as samples of many, and how much of the spread is due to which.


_WIDE = 0.4  # an R² that may lie anywhere in so much of its range is hardly known
_DUE = {"judge": "how strict the judge is", "document": "the document", "residual": "the sentence and chance"}


def print_mixed(output: Output, rows: CountedRows, domain: str, outcome: str, predictors: Sequence[str]) -> None:
    """Fixed effects, then variances with their shares, then both in words."""
    result = rows.sign(mixed(wide(rows.table), outcome, predictors))
    about: dict[str, Json] = {"domain": domain} if domain else {}
    if domain:
        output.say(domain, style="bold")
    if result.value is None:
        output.say(result.notes[0])
        return
    fixed_effects = [row for row in result.rows if row["kind"] == "fixed"]
    add_rows(output, result, ["term", "estimate", "p"], rows=fixed_effects, about=about, bounded=False)
    variances: list[dict[str, Json]] = [
        {**row, "value": row["share"], "low": row["share_low"], "high": row["share_high"], "variance": row["value"]}
        for row in result.rows
        if row["kind"] == "variance"
    ]
    output.say()
    headings = {"term": "spread between", "estimate": "share [95 %]"}
    add_rows(
        output, result, ["term", "variance", "sd", "estimate", "levels"], rows=variances, about=about, headings=headings
    )
    output.say()
    for line in _mixed_in_words(result, outcome, variances):
        output.say(line)


def _due(term: str) -> str:
    """What a share of the spread is due to: a judge's or document's own part, or that in a predictor's effect."""
    factor, _, predictor = term.partition(":")
    return f"{predictor} counting differently from {factor} to {factor}" if predictor else _DUE.get(term, term)


def _mixed_in_words(result: Result, outcome: str, variances: Sequence[Json]) -> Iterator[str]:
    assert result.value is not None
    due = [f"{percent(row['share'], 0)} to {_due(str(row['term']))}" for row in variances]
    yield f"Of how {outcome} varies once the predictors are allowed for: {', '.join(due)}."
    large = band(result.value / (1 - result.value), "cohen_f2") if result.value < 1 else "large"
    sure = f" (95 %: {percent(result.low, 0)} to {percent(result.high, 0)})" if result.interval else ""
    samples = [(row["levels"], str(row["term"])) for row in variances if row["term"] in ("judge", "document")]
    if samples and result.interval and result.interval.high - result.interval.low > _WIDE:
        sure += f", hardly known with {plural(*min(samples))}"
    yield (
        f"Predictors, judges and documents together explain {percent(result.value, 0)} of it{sure}, a {large} effect "
        "by Cohen's f² (1988). More judges make their share surer, more documents theirs; more sentences of the same "
        "documents hardly."
    )


# `lanner regress`: what a score is made of: coefficients with document-clustered intervals, R² by block.


LEVEL = 0.05
_REGRESS_WIDE = 0.5  # an R² that may lie anywhere in half of its range says next to nothing


def run_regress(
    output: Output,
    source: Source,
    outcome: str,
    blocks: str,
    by: str,
    errors: Clustering,
    fill: float | None,
    coefficients: bool,
    samples: bool,
    seed: int,
) -> None:
    """Regress a score on others, block by block. A grid question stands for all of its rows."""
    parts = [[name.strip() for name in block.split("+")] for block in blocks.split(",")]
    predictors = [name for block in parts for name in block]
    part = source.part_with([outcome, *predictors])
    groups = [] if by == "-" else names(by)
    if "domain" in groups:
        check_domains(part)
    resampling = Resampling(seed=seed)
    rows = _counted(part, source, pooled=samples or "judge" not in groups)
    note_uncounted(output, part, rows)
    if samples:
        for domain, own in shares(part, "domain" if "domain" in groups else None):
            print_mixed(output, _counted(own, source, pooled=True), domain, outcome, predictors)
        return
    table = rows.table
    if coefficients:
        measures = wide(table)
        result = rows.sign(
            regress(measures, outcome, predictors, by=groups, errors=errors, fill=fill, resampling=resampling)
        )
        columns = [*groups, "term", "estimate", "p", "n"]
        add_rows(output, result, columns, bounded=False)
        _say(output, ["", *_slopes(result, outcome, groups, _first_groups(measures.table))])
        return
    result = rows.sign(
        regress_blocks(table, outcome, parts, by=groups, errors=errors, fill=fill, resampling=resampling)
    )
    steps = [
        {**row, "value": row["r2"], "low": row["r2_low"], "high": row["r2_high"], "unit": resampling.unit}
        for row in result.rows
    ]
    columns = [*groups, "step", "estimate", "added", "p", "n"]
    headings = {"estimate": "R² [95 %]", "p_text": "p of what is added"}
    add_rows(output, replace(result, rows=steps), columns, headings=headings)
    _say(output, ["", *_explain_steps(result, outcome, parts, groups)])


def _explain_steps(result: Result, outcome: str, parts: Sequence[Sequence[str]], groups: Sequence[str]) -> list[str]:
    """What the last step says, for each group, and how large the gain is by Cohen's f²."""
    words = []
    for row in result.rows[len(parts) - 1 :: len(parts)]:
        who = ", ".join(str(row[name]) for name in groups)
        alone = len(parts) == 1 and len(parts[0]) == 1
        says = f"{row['step']} explain{'s' * alone} {percent(row['r2'], 0)} of how {outcome} varies from item to item"
        if len(parts) > 1 and row["added"] is not None and row["r2"] < 1:
            large = band(row["added"] / (1 - row["r2"]), "cohen_f2")
            last = " + ".join(parts[-1])
            gain = f"add{'s' * (len(parts[-1]) == 1)} {percent(row['added'], 0)}"
            says += f"; {last} {gain} to what the others explain, a {large} effect (Cohen 1988)"
            says += f", {p_value(row['p'])}" if row["p"] is not None else ", not tested: too few documents"
        elif row["r2"] < 1:
            says += f", a {band(row['r2'] / (1 - row['r2']), 'cohen_f2')} effect (Cohen 1988)"
            wide_open = row["r2_low"] is not None and row["r2_high"] - row["r2_low"] > _REGRESS_WIDE
            says += "; the interval is too wide to rest on, more documents narrow it" if wide_open else ""
        words.append(f"{who}: {says}." if who else f"{says}.")
    if words and len(parts) > 1:
        words.append("Blocks that go together share what they explain: another order gives other gains.")
    return words


def _first_groups(table: pl.DataFrame) -> dict[str, str]:
    """The group that the others of a column of text are compared with."""
    text = [name for name in table.columns if table.schema[name] == pl.String() and table[name].is_not_null().any()]
    return {name: str(table[name].drop_nulls().min()) for name in text}


def _slopes(result: Result, outcome: str, groups: Sequence[str], first: Mapping[str, str]) -> list[str]:
    """The surest coefficients in words; the rest is in the table."""
    rows: list[Json] = [row for row in result.rows if row["term"] != "intercept" and row.get("p") is not None]
    words = []
    for who in dict.fromkeys(tuple(str(row[name]) for name in groups) for row in rows):
        mine = [row for row in rows if tuple(str(row[name]) for name in groups) == who]
        row = min(mine, key=lambda r: r["p"])
        way = "higher" if row["value"] > 0 else "lower"
        name, _, group = str(row["term"]).partition("=")
        change = f"{name} {group} rather than {first.get(name, 'the first group')}" if group else f"one more of {name}"
        says = f"{change} goes with {outcome} {abs(row['value']):.2f} {way}, all else equal"
        surest = f"the surest of {len(mine)} coefficients, each tested alone; " if len(mine) > 1 else ""
        chance = "" if row["p"] < LEVEL else "; chance alone could well give that"
        words.append(": ".join(filter(None, (", ".join(who), f"{says} ({surest}{p_value(row['p'])}{chance})."))))
    return words


# `lanner associate`: do judges rank alike, and do two measures go together: correlations with document intervals.


def run_associate(
    output: Output,
    source: Source,
    of: str | None,
    first: str | None,
    second: str | None,
    given: str,
    by: str,
    resamples: int,
    seed: int,
) -> None:
    """Correlate a question or score between judges, or two measures with each other."""
    if bool(of) == bool(first and second):
        step = f"Give --question MEASURE, or --x MEASURE and --y MEASURE. {_list_measures(source)}"
        raise LannerError("Say what to correlate.", next_step=step.strip())
    measures = names(of) or [str(first), str(second)]
    question_names = [name for name in (*measures, *names(given)) if name != SECONDS]
    # judges are compared only on what they were asked
    find_part = source.part_with if first else lambda measures: source.part_that_asks(measures[0])
    part = find_part(question_names) if question_names else source.parts()[0]
    if "domain" in names(by):
        check_domains(part)
    rows = _counted(part, source, pooled=not of and "judge" not in names(by))
    table = with_seconds(rows.table) if SECONDS in (*measures, *names(given)) else rows.table
    resampling = Resampling(n=resamples, seed=seed)
    if of:
        result = correlations(table, measures, by=names(by), resampling=resampling)
    else:
        result = between_measures(
            table, measures[0], measures[1], by=names(by), given=names(given), resampling=resampling
        )
    columns = ["of", "x", "y", *names(by), "statistic", "estimate", "p", "n"]
    note_uncounted(output, part, rows)
    add_rows(output, rows.sign(result), columns)
    _say(output, ["", *_association_in_words(result, names(by))])


def _list_measures(source: Source) -> str:
    """The measures one could name; a source or a judge that is not there is told first."""
    measures = list(
        dict.fromkeys(name for part in source.parts() for name in wide(_counted(part, source).table).measures)
    )
    return f"Measures here: {', '.join(measures[:12])}{', …' if len(measures) > 12 else ''}." if measures else ""


def _association_in_words(result: Result, groups: Sequence[str]) -> list[str]:
    """What each kind of coefficient says, by its first row."""
    spellings: dict[str, str] = {}
    for row in result.rows:
        name = str(row["statistic"]).removeprefix("partial ")
        if name not in spellings and row["value"] is not None:
            about = ", ".join(str(row[key]) for key in ("of", "x", "y", *groups) if row.get(key))
            spellings[name] = f"{about}: {reading(_read(row, name))}"
    return list(spellings.values())


def _read(row: Json, name: str) -> Result:
    interval = None if row["low"] is None else Interval(row["low"], row["high"])
    return Result(name, row["value"], interval, counts={"documents": row.get("n_documents") or 0})


# `lanner effort`: how fast judges work, per domain, over a session, and what it costs.


_BILL = {"cost_per_item": "cost an item", "without_time": "without a time", "too_long": "too long"}
_MOST_NAMED = 3
_OVER = {"session": "from first to last item", "document_so_far": "within a document"}


def run_effort(
    output: Output,
    source: Source,
    by: str,
    limit: float,
    pooled: bool,
    rate: float | None,
    tiring: bool,
    assisted: bool,
    seed: int,
) -> None:
    """Items per minute, with confidence intervals. Items left open for hours are excluded and counted."""
    groups = names(by)
    for part in source.parts():
        rows = part.counted("effort", of=tuple(GROUPS) if source.judges else None)
        note_uncounted(output, part, rows)
        if assisted:
            _print_assistance(output, part, seed)
            continue
        if "domain" in groups:
            check_domains(part)
        output.say(part.name, style="bold")
        about = {"part": part.name, "protocol": part.protocol.name if part.protocol else ""}
        _print(output, rows, about, groups, limit=limit, pooled=pooled, rate=rate, tiring=tiring, seed=seed)
        output.say()


def _print(
    output: Output,
    rows: CountedRows,
    about: dict[str, str],
    groups: list[str],
    *,
    limit: float,
    pooled: bool,
    rate: float | None,
    tiring: bool,
    seed: int,
) -> None:
    work = times(rows.table)
    if work.way == BETWEEN:
        output.note(f"Too many items carry next to no time of their own. Taken instead: {BETWEEN}.")
    options: dict[str, Any] = {"about": about, "bounded": False}
    if rate is not None:
        result = rows.sign(cost(work, rate, by=groups, limit=limit))
        add_rows(output, result, list(result.rows[0]) if result.rows else ["value"], headings=_BILL, **options)
        _say(output, _cost_words(result, rate))
    elif tiring:
        result = rows.sign(fatigue(work, limit=limit))
        headings = {"over": "", "estimate": "change in time, % [95 %]", "value": "median seconds", "part": "tenth"}
        effects = [{**row, "over": _OVER[row["term"]]} for row in result.rows if row["kind"] == "effect"]
        add_rows(output, result, ["over", "estimate", "p"], rows=effects, headings=headings, **options)
        tenths = [row for row in result.rows if row["kind"] == "part"]
        add_rows(output, result, ["judge", "part", "value", "n"], rows=tenths, headings=headings, **options)
        _say(output, _fatigue_words(effects))
    else:
        how = Resampling(seed=seed)
        result = rows.sign(throughput(work, by=groups, limit=limit, pooled=pooled, resampling=how))
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
            next_step="Offer them: lanner new NAME … --set prefill=MODEL@CAMPAIGN, or lanner campaign prefill.",
        )
    columns: Columns = ["what", "items", "model", ("estimate", "estimate [95 %]"), ("p_text", "p")]
    columns += ["n", "documents"]
    for result in results:
        rows = [{"part": part.name, **row, **_format_row(row)} for row in result.to_rows()]
        output.table(rows, columns, title=f"{part.name} · {result.question}")
        for comparison in result.comparisons:
            output.sign(comparison.difference.signature)
        for line in assistance_words(result):
            output.say(line)
        output.notes.extend(note for note in (INFLATED,) if result.judges and note not in output.notes)
    output.say()


def _format_row(row: Mapping[str, Json]) -> dict[str, Json]:
    digits = 1 if row["what"] == "seconds" else 2
    text = estimate(row["value"], row["low"], row["high"], digits, bounded=row["what"] in FATES)
    return {"estimate": text, "p_text": p_number(row["p"])}


def _times(row: Json) -> dict[str, Json]:
    """Seconds as people read them."""
    return {"mean": round(row["mean_seconds"]), "median": round(row["median_seconds"])}


def _say(output: Output, words: Sequence[str]) -> None:
    for line in words:
        output.say(line)


def _speed_words(result: Result, groups: Sequence[str]) -> list[str]:
    rows: list[Json] = [row for row in result.rows if row["pooled"]]
    if not rows:
        return []
    names_by_median: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: -row["median_seconds"]):
        names_by_median.setdefault(f"{row['median_seconds']:.0f}", []).append(" ".join(str(row[g]) for g in groups))
    (slow, slowest), *_, (fast, fastest) = [*names_by_median.items()] * 2
    line = f"Half of the items take {slow} s or less"
    if slow != fast:
        line += f" with the slowest ({_who(slowest)}), {fast} s with the fastest ({_who(fastest)})"
    line += ". Means lie above medians where a few items took long; a lower --limit changes them most."
    return [f"Items a minute are 60 over the mean seconds; more documents narrow the intervals. {line}"]


def _who(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= _MOST_NAMED else f"{len(names)} of them"


def _fatigue_words(effects: Sequence[Json]) -> list[str]:
    names_of = {"session": "From the first to the last item of a session", "document_so_far": "Within a document"}
    words = []
    for row in effects:
        way = "less" if row["value"] < 0 else "more"
        sure = "there is too little to tell whether by chance"
        if row["p"] is not None:
            than_chance = "more than chance would give" if row["p"] < LEVEL else "no more than chance could give"
            sure = f"{than_chance}, {p_value(row['p'])}"
        words.append(f"{names_of[row['term']]} an item comes to take {abs(row['value']):.0f} % {way} time: {sure}.")
    return words


def _cost_words(result: Result, rate: float) -> list[str]:
    if result.value is None:
        return []
    hours = sum(row["hours"] or 0 for row in result.rows)
    digits = 0 if result.value >= 100 else 2
    line = (
        f"{duration(hours)} of judging at {rate:.12g} an hour: {result.value:,.{digits}f} in all, breaks not counted."
    )
    if result.interval:
        low, high = (f"{end:,.{digits}f}" for end in (result.interval.low, result.interval.high))
        line += f" As many other documents of this kind would cost between {low} and {high} (95 %)."
    return [line]
