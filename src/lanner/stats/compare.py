"""Is one coefficient really higher than another? Differences with interval and p, paired over shared documents."""

from __future__ import annotations

import numpy as np

from lanner.model import Result
from lanner.stats.estimate import Plan, usage
from lanner.stats.outcome import Outcome, outcome, t_outcome
from lanner.stats.resample import Array, Resampling, replicate, sign


def difference(first: Plan, second: Plan, *, resampling: Resampling | None = None) -> Result:
    """first − second, with an interval and a two-sided p for no difference.

    Take plans from the statistics: `difference(kappa.plan(data, "context", judges=["a", "b"]), kappa.plan(data,
    "context", judges=["a", "model"]))`. Where the two rest on the same documents, both are computed on the same
    resamples of documents, so that what makes a document hard for both cancels out; where they share none they count as
    independent, variances add, and degrees of freedom follow Satterthwaite 1946. Always over documents.
    """
    how = resampling or Resampling()
    names = [[plan.rated.documents[at] for at in plan.documents] for plan in (first, second)]
    shared = set(names[0]) & set(names[1])
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
        made = sign("difference", how, None, **settings)
        return Result(
            name, None, counts=counts, notes=(f"Undefined: {which} undefined by itself.", *notes), signature=made
        )
    how = Resampling("document", how.n, how.seed, how.level, how.method)
    found = _paired(first, second, names, how) if shared else _independent(first, second, how)
    settings["documents"] = f"{len(shared)} shared" if shared else "none shared"
    row = {"first": values[0], "second": values[1]}
    return Result(
        name, values[0] - values[1], found.interval, found.p, counts=counts, rows=(row,), notes=notes + found.notes,
        signature=sign("difference", how, found.interval, **settings),
    )  # fmt: skip


def _paired(first: Plan, second: Plan, names: list[list[str]], resampling: Resampling) -> Outcome:
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


def _independent(first: Plan, second: Plan, resampling: Resampling) -> Outcome:
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
