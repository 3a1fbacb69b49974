"""What judging cost: items a minute per judge and domain."""

from __future__ import annotations

from lanner.errors import StatisticError
from lanner.reports.figures.throughput import throughput as draw
from lanner.reports.parts import Figure, Section
from lanner.reports.view import View
from lanner.stats.effort import throughput


def section(view: View) -> Section | None:
    """Nothing where no times were kept, or where the judges are not people."""
    if not view.people:
        return None
    table = view.material.table.filter(view.material.table["judge"].is_in(view.people))
    try:
        result = throughput(table, resampling=view.resampling)
    except StatisticError:
        return None
    rows = [row for row in result.rows if row["value"] is not None]
    if not rows:
        return None
    domains = [row["domain"] for row in rows if row["domain"] != "all"]
    shown = list(dict.fromkeys(domains)) or ["all"]
    rates: dict[str, dict[str, float]] = {}
    for row in rows:
        if row["domain"] in shown:
            rates.setdefault(view.names[row["judge"]], {})[row["domain"]] = row["value"]
    overall = {row["judge"]: row["value"] for row in rows if row["domain"] == "all"}
    slowest, fastest = min(overall, key=lambda j: overall[j]), max(overall, key=lambda j: overall[j])
    said = f"{view.names[slowest]} judges {overall[slowest]:.1f} sentences a minute"
    if slowest != fastest:
        said += f", {view.names[fastest]} {overall[fastest]:.1f}"
    hours = sum(row["hours"] for row in rows if row["domain"] == "all")
    notes = " ".join(result.notes)
    figure = Figure(
        "throughput",
        f"{said}; {hours:.1f} hours in all. A judge's figure is the plain mean over domains. {notes}",
        str(draw(shown, rates)),
        [dict(row) for row in result.rows],
        f"{result.signature} · {view.protocol.label} · judges {len(overall)}",
    )
    return Section("effort", "Effort", [figure])
