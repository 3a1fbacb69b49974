"""Why judges disagree: which labels they confuse, who leans which way, what a number owes to prevalence,
how far judges agree with themselves, and whether one coefficient is really higher than another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from lanner.model import Result
from lanner.stats.coefficients import alpha, corrected, fleiss, gwet, kappa, percent, ratio
from lanner.stats.estimate import Entry, RowCounts, SparseTable, Statistic, StatisticPlan, estimate, statistic, usage
from lanner.stats.frame import SYSTEMS, tidy
from lanner.stats.ratings import EVERY_KIND, Ratings, ratings
from lanner.stats.resample import (
    Array,
    Outcome,
    Resampling,
    labelled,
    number_or_none,
    outcome,
    replicate,
    sign,
    t_outcome,
    undefined,
)

_FIRST, _AGAIN = "first", "again"


def repeated(data: Any) -> pl.DataFrame:
    """The items that a judge met twice, as a table where "judge" is the occasion: first or again.

    The judge's name goes into the item, so that any statistic of two judges becomes one of a judge with himself.
    Outputs that were compared are the same item again in whichever order they were shown.
    """
    table, _ = tidy(data)
    table = table.with_columns(SYSTEMS.alias("_systems"))
    key = ["judge", "question", "stage", "document", "segment", "row", "_systems"]
    again = table.filter(pl.col("role") == "repeat")
    first = table.filter(pl.col("role") == "main").join(again.select(key).unique(), on=key, how="semi")
    occasion = pl.when(pl.col("role") == "repeat").then(pl.lit(_AGAIN)).otherwise(pl.lit(_FIRST))
    both = pl.concat([first, again]).drop("_systems")
    return both.with_columns(
        segment=pl.concat_str("segment", "judge", separator="\x1f"), by=pl.col("judge"), judge=occasion
    )


def self_agreement(
    data: Any, question: str = "", *, of: Statistic | Sequence[Statistic] = kappa, **options: Any
) -> list[Result]:
    """A statistic between the first and the second time, for all judges together and for each.

    For labels κ or percent, for scores the ICC or α, for label sets Jaccard: any statistic of two judges. An item
    counts once per judge who met it twice. WMT reports the same as intra-annotator agreement (Bojar et al. 2016).
    """
    table = repeated(data)
    if question:  # who met other questions twice does not count here
        table = table.filter(pl.col("question") == question)
    statistics = [of] if isinstance(of, Statistic) else list(of)
    results = []
    for coefficient in statistics:
        if question and table.is_empty():
            results.append(labelled(undefined(coefficient.name, "no item was put twice."), {"judge": "all"}))
            continue
        results.append(_one(coefficient, table, question, "all", options))
        for judge in table["by"].unique().sort():
            results.append(_one(coefficient, table.filter(pl.col("by") == judge), question, judge, options))
    return results


def _one(statistic: Statistic, table: pl.DataFrame, question: str, judge: str, options: dict[str, Any]) -> Result:
    result = statistic(table, question, roles=("main", "repeat"), **options)
    judges = table["by"].n_unique()
    return labelled(replace(result, counts={**result.counts, "judges": judges}), {"judge": judge})


def difference(first: StatisticPlan, second: StatisticPlan, *, resampling: Resampling | None = None) -> Result:
    """first − second, with an interval and a two-sided p for no difference.

    Take plans from the statistics: `difference(kappa.plan(data, "context", judges=["a", "b"]), kappa.plan(data,
    "context", judges=["a", "model"]))`. Where the two rest on the same documents, both are computed on the same
    resamples of documents, so that what makes a document hard for both cancels out; where they share none they count as
    independent, variances add, and degrees of freedom follow Satterthwaite 1946. Always over documents.
    """
    how = resampling or Resampling()
    names = [[plan.rated.documents[at] for at in plan.documents] for plan in (first, second)]
    common = set(names[0]) & set(names[1])
    values = [float(plan.value()[0]) for plan in (first, second)]
    counts = {
        "items": min(usage(p)["items"] for p in (first, second)),
        "judges": len({*first.rated.judges, *second.rated.judges}),
        "documents": len(set(names[0]) | set(names[1])),
    }
    name = f"{first.name} − {second.name}" if first.name != second.name else f"difference in {first.name}"
    notes = tuple(dict.fromkeys(first.rated.notes + first.notes + second.rated.notes + second.notes))
    settings = {"of": first.name if first.name == second.name else f"{first.name}, {second.name}"}
    if not np.isfinite(values).all():
        which = "both are" if not np.isfinite(values).any() else "one is"
        signature = sign("difference", how, None, **settings)
        result = undefined(name, f"{which} undefined by itself.", counts=counts, signature=signature)
        return replace(result, notes=(*result.notes, *notes))
    how = Resampling("document", how.n, how.seed, how.level, how.method)
    estimate = _compare_pairs(first, second, names, how) if common else _independent(first, second, how)
    settings["documents"] = f"{len(common)} shared" if common else "none shared"
    row = {"first": values[0], "second": values[1]}
    return Result(
        name,
        values[0] - values[1],
        estimate.interval,
        estimate.p,
        counts=counts,
        rows=(row,),
        notes=notes + estimate.notes,
        signature=sign("difference", how, estimate.interval, **settings),
    )


def _compare_pairs(
    first: StatisticPlan, second: StatisticPlan, names: list[list[str]], resampling: Resampling
) -> Outcome:
    units = sorted(set(names[0]) | set(names[1]))
    at = {name: place for place, name in enumerate(units)}
    places = [np.array([at[name] for name in one], dtype=np.intp) for one in names]
    statistics = [plan.by_document()[0] for plan in (first, second)]

    def apart(weights: Array) -> Array:
        mine, theirs = (
            statistic(weights[:, place])[:, :1] for statistic, place in zip(statistics, places, strict=True)
        )
        return np.asarray(mine - theirs)

    return outcome(replicate(apart, len(units), resampling), resampling, scale="difference", null=0.0)


def _independent(first: StatisticPlan, second: StatisticPlan, resampling: Resampling) -> Outcome:
    plain = Resampling(level=resampling.level, method="t")
    replicates = [plan.replicate(plain) for plan in (first, second)]
    if min(r.units for r in replicates) < 2:
        return Outcome(None, None, ("No interval: each side needs at least two documents.",))
    variances = [float(r.variance()[0]) for r in replicates]
    total = sum(variances)
    pieces = sum(v**2 / (r.units - 1) for v, r in zip(variances, replicates, strict=True))
    df = total**2 / pieces if pieces > 0 else 1.0
    value = float(replicates[0].value[0] - replicates[1].value[0])
    return t_outcome(value, total, df, plain, scale="difference", null=0.0)


def _pairs(data: Any, question: str, select: dict[str, Any]) -> Iterable[Ratings]:
    """The answers of each two judges who share items."""
    if "judges" not in select:
        select = {"kinds": EVERY_KIND, **select}
    return ratings(data, question, **select).couples()


def _confusions(two: Ratings) -> tuple[RowCounts, SparseTable]:
    """Shared items × (first's label, second's label), one 1 in each row."""
    pairs, q = two.pairs, len(two.labels)
    cell = pairs.first.astype(np.int64) * q + pairs.second
    return RowCounts.of_items(two, pairs.item), SparseTable(((np.arange(len(cell)), cell, 1.0),), len(cell), q * q)


def _names(two: Ratings) -> dict[str, str]:
    return {"judge": two.judges[0], "other": two.judges[1]}


def merging(data: Any, question: str = "", *, resampling: Resampling | None = None, **select: Any) -> list[Result]:
    """κ after two labels are taken as one, for every two labels and every two judges, best first.

    A large gain says that these two judges do not tell these labels apart. Merging x and y adds the confusions to the
    agreement, Pₒ + pₓᵧ + pᵧₓ, and the crossed shares to chance, Pₑ + pₓ₊ p₊ᵧ + pᵧ₊ p₊ₓ, so all merges come from one
    confusion matrix. `rows` hold κ before, and the gain with its interval.
    """
    how = resampling or Resampling()
    results = [result for two in _pairs(data, question, select) if two.shown is None for result in _merges(two, how)]
    return sorted(
        results, key=lambda r: (r.labels["judge"], r.labels["other"], -(r.value if r.value is not None else -2))
    )


def _merges(two: Ratings, resampling: Resampling) -> list[Result]:
    q = len(two.labels)
    x, y = np.triu_indices(q, 1)
    rows, parts = _confusions(two)

    def finish(sums: Array) -> Array:
        table = sums.reshape(len(sums), q, q)
        n = table.sum(axis=(1, 2))[:, None]
        first, second = table.sum(axis=2), table.sum(axis=1)
        same = np.trace(table, axis1=1, axis2=2)[:, None]
        chance = (first * second).sum(axis=1)[:, None]
        before = corrected(ratio(same, n), ratio(chance, n**2))
        same = same + table[:, x, y] + table[:, y, x]
        chance = chance + first[:, x] * second[:, y] + first[:, y] * second[:, x]
        after = corrected(ratio(same, np.broadcast_to(n, same.shape)), ratio(chance, np.broadcast_to(n**2, same.shape)))
        return np.concatenate([after, after - before, before], axis=1)

    merged_names = [f"{two.labels[a]} + {two.labels[b]}" for a, b in zip(x, y, strict=True)]
    outcomes = tuple({**_names(two), "merged": name} for name in merged_names)
    plan = StatisticPlan("merging", two, rows, finish, parts, outcomes=outcomes)
    replicates = plan.replicate(resampling)
    before = number_or_none(replicates.value[-1])
    reasons = ("after merging only one label is left.",) * len(merged_names)
    results = []
    for column, result in enumerate(estimate(replace(plan, reasons=reasons), resampling, replicates=replicates)):
        gain = outcome(replicates, resampling, column=len(merged_names) + column, null=0.0)
        row = {
            "merged": merged_names[column],
            "before": before,
            "gain": number_or_none(replicates.value[len(merged_names) + column]),
            **gain.ends(),
            "p": gain.p,
        }
        results.append(replace(result, rows=(row,)))
    return results


def disagreements(
    data: Any, question: str = "", *, resampling: Resampling | None = None, **select: Any
) -> list[Result]:
    """Label shares among the items on which two judges differ: of each judge, and the mean of the two.

    A label with a large share is where disagreement happens; sides that differ show who prefers what.
    """
    how = resampling or Resampling()
    return [result for two in _pairs(data, question, select) for result in _disagreement_shares(two, how)]


def _disagreement_shares(two: Ratings, resampling: Resampling) -> list[Result]:
    q = len(two.labels)
    pairs = two.pairs
    differ = pairs.first != pairs.second
    first, second, items = pairs.first[differ], pairs.second[differ], pairs.item[differ]
    at = np.arange(len(items))
    parts = SparseTable(((at, first, 1.0), (at, q + second, 1.0)), len(items), 2 * q)

    def finish(sums: Array) -> Array:
        n = sums.sum(axis=1, keepdims=True) / 2
        sides = ratio(sums, np.broadcast_to(n, sums.shape))
        return np.concatenate([(sides[:, :q] + sides[:, q:]) / 2, sides], axis=1)

    names = ("both", *two.judges)
    outcomes = tuple({**_names(two), "side": side, "label": label} for side in names for label in two.labels)
    plan = StatisticPlan(
        "disagreements",
        two,
        RowCounts.of_items(two, items),
        finish,
        parts,
        outcomes=outcomes,
        scale="share",
        reasons=("these judges never differ.",) * len(outcomes),
    )
    results = estimate(plan, resampling)
    by_side = [results[start : start + q] for start in range(0, 3 * q, q)]
    return [result for side in by_side for result in sorted(side, key=lambda r: -(r.value or 0))]


def confusion(data: Any, question: str = "", *, resampling: Resampling | None = None, **select: Any) -> list[Result]:
    """Confusion matrices: for every two judges how often one gave label k where the other gave l.

    `value` is their agreement; each of `rows` is a label of the first judge with the counts of the second's labels.
    """
    how = resampling or Resampling()
    results = []
    for two in _pairs(data, question, select):
        q = len(two.labels)
        _, parts = _confusions(two)
        table = parts.total().reshape(q, q).astype(int)
        rows = tuple(
            {"label": name, **dict(zip(two.labels, line.tolist(), strict=True))}
            for name, line in zip(two.labels, table, strict=True)
        )
        result = percent(two, resampling=how)
        results.append(replace(result, name="confusion", labels=_names(two), rows=rows))
    return results


@statistic("score", "label")
def _lean(answers: Ratings, *, shares: bool = False) -> StatisticPlan:
    """Σ over items of a judge's answer less the mean of the others' answers to the same item, over their number."""
    judges = len(answers.judges)
    items = np.flatnonzero(answers.per_item >= 2)
    place = np.full(answers.n_items, -1)
    place[items] = np.arange(len(items))
    inside = place[answers.item] >= 0
    item, judge, code = place[answers.item[inside]], answers.judge[inside], answers.code[inside]
    values = np.eye(len(answers.labels))[code] if shares else answers.points[code][:, None]
    kinds = values.shape[1]
    m = answers.per_item[items].astype(float)
    base = judge.astype(np.int64) * (kinds + 1)
    entries: list[Entry] = [(item, base + kinds, 1.0)]
    for kind in range(kinds):
        x = values[:, kind]
        total = np.bincount(item, weights=x, minlength=len(items))
        others = (total[item] - x) / (m[item] - 1)
        entries.append((item, base + kind, x - others))
    parts = SparseTable(tuple(entries), len(items), judges * (kinds + 1))

    def finish(sums: Array) -> Array:
        table = sums.reshape(len(sums), judges, kinds + 1)
        n = np.broadcast_to(table[:, :, [kinds]], table[:, :, :kinds].shape)
        out = np.full(n.shape, np.nan)
        return np.asarray(np.divide(table[:, :, :kinds], n, out=out, where=n > 0)).reshape(len(sums), -1)

    names = [{"label": name} for name in answers.labels] if shares else [{}]
    outcomes = tuple({"judge": judge_name, **name} for judge_name in answers.judges for name in names)
    counts = []
    for at, _name in enumerate(answers.judges):
        mine = item[judge == at]
        n_documents = len(np.unique(answers.document[items[mine]]))
        counts += [{"items": len(mine), "judges": len(answers.judges), "documents": n_documents}] * len(names)
    reason = "this judge shares no item with another."
    return StatisticPlan(
        "bias" if shares else "severity",
        answers,
        RowCounts.of_items(answers, items),
        finish,
        parts,
        outcomes=outcomes,
        counts=tuple(counts),
        reasons=(reason,) * len(outcomes),
        scale="plain",
    )


def bias(data: Any, question: str = "", *, resampling: Resampling | None = None, **select: Any) -> list[Result]:
    """How much more often a judge gives each label than the others do on the same items, as a difference of shares."""
    answers = ratings(data, question, **select)
    return _test_each(_lean.plan(answers, shares=True), resampling or Resampling())


def severity(data: Any, question: str = "", *, resampling: Resampling | None = None, **select: Any) -> list[Result]:
    """How much higher a judge scores than the mean of the others on the same items; negative is stricter.

    p is for the hypothesis that the judge scores as the others do.
    """
    answers = ratings(data, question, **{"value": ("score", "label"), **select})
    return _test_each(_lean.plan(answers), resampling or Resampling())


def _test_each(plan: StatisticPlan, resampling: Resampling) -> list[Result]:
    how = resampling if resampling.unit == "item" else replace(resampling, unit="document")
    replicates = plan.replicate(how)
    results = estimate(plan, how, replicates=replicates)
    judge_results = []
    for column, result in enumerate(results):
        units = result.counts["documents"] if how.unit == "document" else replicates.units
        test = outcome(replace(replicates, units=units), how, column=column, scale=plan.scale, null=0.0)
        judge_results.append(replace(result, p=test.p))
    return judge_results


def leave_one_out(
    data: Any,
    question: str = "",
    *,
    of: Statistic = alpha,
    resampling: Resampling | None = None,
    **options: Any,
) -> list[Result]:
    """A coefficient without each judge in turn. A judge whose absence raises it agrees least with the rest.

    `rows` hold the value with everyone, and the change. Largest rise first.
    """
    how = resampling or Resampling()
    everyone = of.plan(data, question, **options)
    full = number_or_none(everyone.value()[0])
    rest = {name: value for name, value in options.items() if name in ("level", "weights", "form", "over", "cells")}
    results = []
    for judge in everyone.rated.judges:
        plan = replace(of.plan(everyone.rated.without(judge), **rest), outcomes=({"without": judge},))
        result = estimate(plan, how)[0]
        change = None if full is None or result.value is None else result.value - full
        results.append(replace(result, rows=({"without": judge, "everyone": full, "change": change},)))
    return sorted(results, key=lambda r: -(r.rows[0]["change"] if r.rows[0]["change"] is not None else -9))


PARTED = 0.2  # how far AC1 and κ may lie apart before a reader must be told why


def prevalence(data: Any, question: str = "", *, resampling: Resampling | None = None, **select: Any) -> list[Result]:
    """Percent agreement, κ, AC1 and the share of the commonest label side by side, with a note where they part.

    Where one label prevails, chance agreement is high and κ falls however often judges agree (Feinstein & Cicchetti
    1990, Journal of Clinical Epidemiology 43); AC1 does not. Neither is wrong: they mean different things by chance.
    The row of the second result names the case: `one_label` (κ undefined) or `prevalence` (κ far below AC1).
    """
    how = resampling or Resampling()
    answers = ratings(data, question, **select)
    coefficient = kappa if len(answers.judges) == 2 else fleiss
    share = estimate(_commonest(answers), how)[0]
    results = [
        percent(answers, resampling=how),
        coefficient(answers, resampling=how),
        gwet(answers, resampling=how),
        share,
    ]
    agreement, corrected_value, ac1, top = (result.value for result in results)
    code, note = "", ""
    if corrected_value is None and agreement is not None:
        code = "one_label"
        note = (
            "κ is undefined here because there is nothing but one label; look at percent agreement and at the labels."
        )
    elif corrected_value is not None and ac1 is not None and ac1 - corrected_value > PARTED and top is not None:
        code = "prevalence"
        name = "κ" if coefficient is kappa else "Fleiss' κ"
        value = f"{corrected_value:.2f}".replace("-", "−")
        note = (
            f"Judges agree on {agreement:.0%} of items, yet {name} is only {value} (AC1 {ac1:.2f}): {top:.0%} "
            f"of all answers are {_name_commonest(share)}, so much agreement would come about by chance. κ says "
            "little about the rare labels here; report all three, and collect items where other labels occur."
        )
    if note:
        results[1] = replace(results[1], notes=(note, *results[1].notes), rows=({"code": code, "note": note},))
    return results


def _name_commonest(share: Result) -> str:
    label = share.labels["label"]
    return repr(label) if label else "the commonest one for the systems shown"


def _commonest(answers: Ratings) -> StatisticPlan:
    """The share of the commonest label; of names of systems that of the commonest in each set of systems shown, which
    together have no name."""
    told_apart, shown = answers.by_shown
    q = max(1, len(told_apart.labels))
    items = np.flatnonzero(told_apart.per_item)
    entries: tuple[Entry, ...] = ((np.searchsorted(items, told_apart.item), told_apart.code, 1.0),)
    parts = SparseTable(entries, len(items), q)
    uses = np.bincount(told_apart.code, minlength=q)
    tops = [int(own[uses[own].argmax()]) for own in shown if len(own)] or [0]

    def finish(sums: Array) -> Array:
        return ratio(sums[:, tops].sum(axis=1, keepdims=True), sums.sum(axis=1, keepdims=True))

    label = "" if len(shown) > 1 else (*told_apart.labels, "")[tops[0]]
    return StatisticPlan(
        "prevalence",
        answers,
        RowCounts.of_items(answers, items),
        finish,
        parts,
        outcomes=({"label": label},),
        scale="share",
    )
