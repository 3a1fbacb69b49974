"""Do judges rank alike: three correlation coefficients with intervals, n per row."""

from __future__ import annotations

from lanner.model import Json, Scale
from lanner.reports.parts import Column, Section, Table
from lanner.reports.typeset import estimate, interval, number
from lanner.reports.view import View
from lanner.stats.association import correlations

_MOST_PAIRS = 6
_SHORT = {"Pearson r": "pearson", "Spearman ρ": "spearman", "Kendall τ-b": "kendall"}


def section(view: View) -> Section | None:
    """For scales and scores that at least two people gave on the same items."""
    measures = [q.id for _, q in view.protocol.questions if isinstance(q, Scale) and not q.for_each]
    measures += [score.id for score in view.protocol.scores if score.rule != "value"]
    measures = [name for name in measures if name in view.answered]
    if not measures or len(view.people) < 2:
        return None
    result = correlations(view.wide, measures, judges=view.people, resampling=view.resampling)
    defined = [row for row in result.rows if row["value"] is not None]
    rows: dict[tuple[str, str, str], dict[str, Json]] = {}
    for found in defined:
        key = (found["of"], found["x"], found["y"])
        name = _SHORT.get(str(found["statistic"]), str(found["statistic"]))
        pair = f"{view.names[key[1]]} – {view.names[key[2]]}"
        row = rows.setdefault(key, {"what": _capital(view.label(key[0])), "pair": pair})
        row |= {name: number(found["value"]), f"{name}_ci": interval(found["low"], found["high"]), "n": found["n"]}
    shown = list(rows.values())[: _MOST_PAIRS * len(measures)]
    if not shown:
        return None
    columns = [Column("what", "Measure"), Column("pair", "Judges", text=True), Column("n", "n", quiet=True)]
    for name, heading in (("pearson", "Pearson"), ("spearman", "Spearman"), ("kendall", "Kendall τ-b")):
        columns += [Column(name, heading), Column(f"{name}_ci", "95 %", quiet=True)]
    best = max(defined, key=lambda row: row["value"])
    numbers = estimate(best["value"], best["low"], best["high"], 2)
    caption = (
        f"Correlation between judges, over the items both judged. They go together best on "
        f"{view.label(best['of']).lower()} ({best['statistic']} {numbers})."
    )
    data = [dict(row) for row in result.rows]
    table = Table(
        "correlations",
        caption,
        columns,
        shown,
        data,
        f"{result.signature} · {view.protocol.label} · judges {len(view.people)}",
    )
    return Section("correlations", "Do judges rank alike?", [table])


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
