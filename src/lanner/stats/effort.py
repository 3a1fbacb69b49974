"""How long judging takes: throughput, what slows judges down or speeds them up, and what it costs.

Times are kept with every answer as the seconds spent on its item so far, so an item's time is the longest of its
answers. Active time (the page in sight, something moving) is used where it is known, elapsed time otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl

from lanner.errors import StatisticError, check_known
from lanner.model import Interval, Json, Result
from lanner.model.messages import in_number
from lanner.stats.frame import (
    SYSTEMS,
    Numbers,
    Wide,
    check_columns,
    codes,
    distinct,
    groups,
    in_order,
    joined,
    of_rows,
    tidy,
    units,
    wide,
)
from lanner.stats.regression import Estimate, Ols, terms
from lanner.stats.resample import (
    HUNDREDFOLD,
    Array,
    Resampling,
    clustered,
    combine_results,
    group_sums,
    labelled,
    outcome,
    replicate_sums,
    sign,
    t_outcome,
    undefined,
)

Time = Literal["auto", "active", "elapsed"]
LIMIT = 10_000.0
"""Seconds beyond which an item is taken for a break and left out (Kim 2025)."""
SECONDS = "seconds"
"""What the time of an item is called among the measures."""
_INSTANT, _TOO_MANY_INSTANT, _BREAK = 0.5, 0.2, 600.0
OWN, BETWEEN = "time of each item", "time from one answer to the next, breaks over 10 min left out"
_UNITS = "_unit"
_UNIT = ("judge", "document", "segment", "system", "role", "domain")


class ItemTimes(NamedTuple):
    """What `items` found, to be given to several analyses instead of the answers; `of` and `time` are settled then."""

    table: pl.DataFrame
    notes: tuple[str, ...]
    way: str = OWN
    """How the seconds were found; empty where there are none."""


def items(data: Any, of: str | Sequence[str] = (), *, time: Time = "auto") -> ItemTimes:
    """One row per judge and item with its `seconds`, when it was finished (`at`), in the order it was worked on.

    Outputs that are compared are one item in whichever order they were shown. `of` keeps the answers to some questions
    alone. Stages that were saved with the same time were on one page.
    """
    if isinstance(data, ItemTimes):
        return data
    table, notes = tidy(data)
    table = table.with_columns(SYSTEMS)
    questions = ([of] if of else []) if isinstance(of, str) else list(of)
    all_questions = table["question"].unique().to_list()
    for name in questions:
        check_known(name, all_questions, f"No answers to a question {name!r}.", StatisticError)
    if questions:
        table = table.filter(pl.col("question").is_in(questions))
    seconds = pl.coalesce("active", "elapsed") if time == "auto" else pl.col(time)
    extra = [name for name in table.columns if name.startswith("judge_") and name not in _UNIT]
    times = table.select(seconds.cast(pl.Float64).alias("seconds"), pl.col("answered_at").alias("at"))
    unit = of_rows(table, [*_UNIT, *extra])
    page, first = in_order(joined([unit, codes(table["stage"])]))
    if len(first) < len(table):
        longest = pl.col("seconds").fill_nan(None).max()
        times = times.with_columns(page=pl.Series(page)).group_by("page").agg(longest, pl.col("at").max())
        times = times.sort("page").drop("page")
    units = table.select(*_UNIT, *extra, "stage")[first].hstack(times)
    by_unit = pl.DataFrame({"unit": unit[first], "seconds": times["seconds"]})
    if by_unit["unit"].n_unique() < len(by_unit):
        units = units.filter(by_unit.select(pl.struct("unit", "seconds").is_first_distinct()).to_series())
    return ItemTimes(
        units if units["at"].is_null().all() else units.sort("at", nulls_last=True, maintain_order=True), notes
    )


def times(data: Any) -> ItemTimes:
    """The items with their seconds, and how these were found.

    Where too many items carry no time worth the name, the time from one answer to the judge's next is taken instead;
    ten minutes and more are a break. Answers that were stamped together, as by a page that saves all its sentences at
    once, share the time since the stamp before.
    """
    work = items(data)
    seconds = work.table.filter(pl.col("seconds") <= LIMIT)["seconds"]
    instant = (seconds < _INSTANT).sum() / len(seconds) if len(seconds) else 1.0
    if instant <= _TOO_MANY_INSTANT:
        return work
    if work.table["at"].is_null().all():
        return work._replace(table=work.table.with_columns(seconds=pl.lit(None, pl.Float64)), way="")
    since = pl.col("at").diff().over("judge").dt.total_microseconds() / 1e6
    page = (pl.col("_since") >= _INSTANT).fill_null(value=True).cum_sum()
    share = (pl.col("_since").first() / pl.len()).over("judge", "_page")
    stamped = work.table.sort("judge", "at", nulls_last=True, maintain_order=True).with_columns(_since=since)
    between = stamped.with_columns(_page=page).with_columns(
        seconds=pl.when(share.is_between(0, _BREAK, closed="right")).then(share)
    )
    return work._replace(table=between.drop("_since", "_page"), way=BETWEEN)


def _signed(way: str) -> dict[str, str]:
    """For signatures: how times were found, where they are not those of the items."""
    return {"times": "from one answer to the next"} if way == BETWEEN else {}


def _usable(limit: float = np.inf) -> pl.Expr:
    seconds = pl.col("seconds")
    return seconds.is_not_null() & seconds.is_finite() & (seconds > 0) & (seconds <= limit)


def _split_by_time(table: pl.DataFrame, limit: float) -> tuple[pl.DataFrame, int, int]:
    """Items with a usable time, how many were too long, and how many have none."""
    timed_items = table.filter(_usable())
    within_limit = timed_items.filter(_usable(limit))
    return within_limit, len(timed_items) - len(within_limit), len(table) - len(timed_items)


def with_seconds(data: Any, *, limit: float = LIMIT) -> Wide:
    """The measures of each judge and item with the `seconds` it took, all its pages together; too long is no time."""
    source = wide(data)
    if SECONDS in source.table.columns:
        return source
    rows, long, _ = _split_by_time(times(data).table.filter(pl.col("role") == "main"), limit)
    if not len(rows):
        raise StatisticError("No times were kept here.", next_step="Name a question or a score instead.")
    key = ["judge", "document", "segment", "system"]
    seconds = rows.group_by(key).agg(pl.col("seconds").sum().alias(SECONDS)).rename({"system": "_systems"})
    notes = (
        (
            in_number(
                long,
                "{n} item took longer than {limit} s and has no time.",
                "{n} items took longer than {limit} s and have no time.",
                limit=f"{limit:,.0f}",
            ),
        )
        if long
        else ()
    )
    answers = source.table.with_columns(SYSTEMS.alias("_systems"))
    key = ["judge", "document", "segment", "_systems"]
    timed = answers.join(seconds, on=key, how="left", maintain_order="left").drop("_systems")
    return Wide(timed, (*source.notes, *notes))


def throughput(
    data: Any,
    of: str | Sequence[str] = (),
    *,
    by: Sequence[str] = ("judge",),
    limit: float = LIMIT,
    time: Time = "auto",
    pooled: bool = False,
    resampling: Resampling | None = None,
) -> Result:
    """Items a minute: 60 over the mean seconds of an item, for each domain; a group's figure is the plain mean over its
    domains, so that a domain with many items does not decide it (Kim 2025), or with `pooled` over all items.

    Items that took longer than `limit` seconds are left out and counted. Rows: one per group of `by` and domain ("all"
    for the group's figure, which is `pooled`: a domain may be called so), with an interval over documents, mean and
    median seconds. The Result's value is the mean of the first group.
    """
    resampling = clustered(resampling)
    table, notes, way = items(data, of, time=time)
    check_columns(table, by)
    timed_items, too_long, unknown = _split_by_time(table, limit)
    if not len(timed_items):
        return undefined("throughput", "no item has a time.", missing=1.0 if len(table) else 0.0)
    unit = pl.Series(_UNITS, units(timed_items, resampling.unit)[0])
    timed_items = timed_items.select(*dict.fromkeys(["judge", "domain", "seconds", *by])).with_columns(unit)
    if too_long:
        notes += (
            in_number(
                too_long,
                "{n} item took longer than {limit} s and is left out.",
                "{n} items took longer than {limit} s and are left out.",
                limit=f"{limit:,.12g}",
            ),
        )
    rows: list[dict[str, Json]] = []
    results: list[Result] = []
    missing = unknown / len(table)
    for labels, part in groups(timed_items, by):
        domains = [("all", part), *((d["domain"], p) for d, p in groups(part, ["domain"]))]
        if "domain" in by:  # each group is a domain already, and keeps its name
            domains = [(labels["domain"], part)]
        for place, (domain, own) in enumerate(domains if len(domains) > 2 else domains[:1]):
            result, row = _rate(own, pooled or place > 0, resampling)
            rows.append({**labels, "domain": domain, "pooled": not place, **row})
            if not place:
                results.append(labelled(replace(result, missing=missing), labels))
    how = "over all items" if pooled else "mean over domains"
    signature = sign(
        "throughput", resampling, results[0].interval, pooling=how, limit=f"{limit:.12g} s", **_signed(way)
    )
    return replace(combine_results(results[0].name, results, notes), rows=rows, signature=signature)


def _rate(part: pl.DataFrame, pooled: bool, resampling: Resampling) -> tuple[Result, dict[str, Json]]:
    labels, unit = distinct(part[_UNITS].to_numpy())
    count = len(labels)
    domain = (
        np.zeros(len(part), dtype=np.intp) if pooled else part["domain"].rank("dense").to_numpy().astype(np.intp) - 1
    )
    width = int(domain.max()) + 1
    own = np.eye(width)[domain]
    seconds = part["seconds"].to_numpy()
    sums = group_sums(np.hstack([own, own * seconds[:, None]]), unit, count)

    def finish(total: Array) -> Array:
        n, seconds = total[:, :width], total[:, width:]
        present = n > 0  # a resample may lack a domain; its figure is then the mean over the others
        rates = 60 * n / np.where(present, seconds, 1.0)
        with np.errstate(invalid="ignore"):
            return np.asarray(rates.sum(axis=1) / present.sum(axis=1))[:, None]

    replicates = replicate_sums(sums, finish, resampling)
    spread = outcome(replicates, resampling, scale="log")
    value = float(replicates.value[0])
    row: dict[str, Json] = {
        "value": value,
        **spread.ends(),
        "mean_seconds": float(seconds.mean()),
        "median_seconds": float(np.median(seconds)),
        "hours": float(seconds.sum() / 3600),
        "n": len(part),
    }
    counts = {"items": len(part), "documents": count, "judges": part["judge"].n_unique()}
    return Result("items a minute", value, spread.interval, None, counts, notes=spread.notes), row


def fatigue(
    data: Any,
    of: str | Sequence[str] = (),
    *,
    limit: float = LIMIT,
    time: Time = "auto",
    parts: int = 10,
    level: float = 0.95,
) -> Result:
    """Do judges get faster or slower? Least squares of log seconds on how far the session and the document have come.

    Each runs from 0 to 1; judges and domains have their own level, and errors are clustered by document. Effects are in
    per cent: −30 for "session" means that the last item takes 30 % less time than the first. Rows: "effect" for session
    and document, and "part" with the median seconds of each tenth of each judge's session. The Result is the session's
    effect.
    """
    table, notes, way = items(data, of, time=time)
    timed_items, _, unknown = _split_by_time(table, limit)
    if timed_items["at"].is_null().all():
        notes += ("No times of day are known: the order of the table is taken as the order of work.",)
    timed_items = timed_items.with_columns(
        pl.col("seconds").log().alias("_log"),
        pl.Series("session", _so_far(of_rows(timed_items, ["judge"]))),
        pl.Series("document_so_far", _so_far(of_rows(timed_items, ["judge", "document"]))),
    )
    name = "change of time over the session, %"
    if not len(timed_items):
        return undefined(name, "no item has a time.")
    y, design = terms(timed_items, "_log", ["session", "document_so_far", "judge", "domain"])
    unit, count = units(timed_items, "document")
    if len(y) <= design.matrix.shape[1] + 1 or "session" not in design.names or count < 2:
        return undefined(name, "there are too few items, judges or documents to tell.", counts={"items": len(y)})
    if float(np.ptp(y)) < 1e-12:
        return undefined(name, "every item took the same time.", counts={"items": len(y), "documents": count})
    fit = Ols(y, design.matrix, unit)
    rows: list[dict[str, Json]] = []
    for index, term in enumerate(design.names):
        if term in ("session", "document_so_far"):
            rows.append({"kind": "effect", "term": term, **_change(fit.contrast(np.eye(fit.p)[index]), level)})
    part_number = pl.col("session").mul(parts).floor().clip(0, parts - 1).cast(pl.Int64).alias("part")
    medians = (
        timed_items.with_columns(part_number)
        .group_by("judge", "part")
        .agg(pl.col("seconds").median(), pl.len().alias("n"))
    )
    rows += [
        {"kind": "part", "judge": judge, "part": part + 1, "value": seconds, "n": n}
        for judge, part, seconds, n in medians.sort("judge", "part").iter_rows()
    ]
    first = rows[0]
    interval = None
    if first["low"] is None:
        notes += (PERFECT if fit.contrast(np.eye(fit.p)[1]).error == 0 else ANYTHING,)
    else:
        interval = Interval(first["low"], first["high"], level, "cr2-t", "document")
    counts = {"items": len(y), "documents": count, "judges": timed_items["judge"].n_unique()}
    missing = unknown / len(table)
    signature = sign("fatigue", Resampling(level=level), interval, adjusted_for="judge, domain", **_signed(way))
    return Result(name, first["value"], interval, first["p"], counts, missing, {}, rows, notes, signature)


ANYTHING = "No interval: with so few documents the change could be anything."
PERFECT = "No interval: times follow the session without any error, so nothing tells how far off the change may be."


def _change(estimate: Estimate, level: float) -> dict[str, Json]:
    """A difference of logs in per cent; without an interval where its error is unknown or so large that items may take
    a hundred times as long, or as short."""
    ends = estimate.interval(level)
    with np.errstate(over="ignore"):
        value, low, high = (float(100 * np.expm1(v)) for v in (estimate.value, *ends))
    known = estimate.error > 0 and (ends[1] - ends[0]) / 2 <= HUNDREDFOLD
    return {"value": value, "low": low if known else None, "high": high if known else None, "p": estimate.known_p}


def _so_far(group: Numbers) -> Array:
    """How far the rows of each group have come, from 0 for its first to 1 for its last."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    sizes = np.diff(starts, append=len(group))
    values = np.empty(len(group))
    values[order] = (np.arange(len(group)) - np.repeat(starts, sizes)) / np.repeat(np.maximum(sizes - 1, 1), sizes)
    return values


def cost(
    data: Any,
    hourly: float,
    of: str | Sequence[str] = (),
    *,
    by: Sequence[str] = ("judge",),
    limit: float = LIMIT,
    time: Time = "auto",
    currency: str = "",
) -> Result:
    """What the judging cost at an hourly rate: hours of work, cost in all and per item; breaks are not paid.

    Items without a time are counted at the mean of the group. Rows: one per group; the Result's value is the total,
    and its interval says what a campaign with other documents of this kind would cost: Σ ± t √n s over the costs of the
    n documents.
    """
    table, notes, way = items(data, of, time=time)
    check_columns(table, by)
    rows: list[dict[str, Json]] = []
    paid_parts: list[pl.DataFrame] = []
    for labels, part in groups(table, by):
        timed_items, too_long, unknown = _split_by_time(part, limit)
        mean = float(timed_items["seconds"].mean()) if len(timed_items) else None  # type: ignore[arg-type]
        hours = None if mean is None else mean * len(part) / 3600
        total = None if hours is None else hours * hourly
        per_item = None if total is None else total / len(part)
        paid = pl.when(_usable(limit)).then("seconds").otherwise(mean).alias("paid")
        paid_parts.append(part.select("document", paid, _usable(limit).alias("is_timed")))
        rows.append(
            {
                **labels,
                "items": len(part),
                "hours": hours,
                "cost": total,
                "cost_per_item": per_item,
                "without_time": unknown,
                "too_long": too_long,
            }
        )
    with_cost = [row for row in rows if row["cost"] is not None]
    if not with_cost:
        return undefined("cost", "no item has a time.")
    if len(with_cost) < len(rows):
        said = ("{n} group has no times and is not in the total.", "{n} groups have no times and are not in the total.")
        notes += (in_number(len(rows) - len(with_cost), *said),)
    signature = sign(
        "cost",
        Resampling(),
        None,
        rate=f"{hourly:.12g} {currency}".strip() + " an hour",
        limit=f"{limit:.12g} s",
        **_signed(way),
    )
    units = {"judges": table["judge"].n_unique(), "documents": table["document"].n_unique()}
    counts = {"items": sum(row["items"] for row in with_cost), **units}
    total = sum(row["cost"] for row in with_cost)
    by_document = pl.concat(paid_parts).group_by("document").agg(pl.col("paid").sum(), pl.col("is_timed").any())
    shares = by_document.filter("is_timed")["paid"].to_numpy() * hourly / 3600
    interval = None
    if len(shares) > 1:  # documents without a time have the mean: they say nothing about how documents differ
        variance = len(by_document) ** 2 / len(shares) * float(shares.var(ddof=1))
        spread = t_outcome(total, variance, len(shares) - 1, Resampling())
        interval = spread.interval and replace(spread.interval, low=max(0.0, spread.interval.low), method="t")
        notes += spread.notes
    else:
        notes += ("There is only one document with times, so the spread of documents cannot be estimated.",)
    return Result("cost", total, interval, None, counts, 0.0, {}, rows, notes, signature)
