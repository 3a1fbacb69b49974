"""`lanner reproduce`: recompute what a paper printed from its released data, and say where it agrees."""

from __future__ import annotations

from pathlib import Path

import click

from lanner.cli._output import Output, json_option
from lanner.reports.typeset import number
from lanner.studies.reproduce import AGREES, DIFFERS, Check, reproduce, summary
from lanner.studies.study import load, names

_MARKS = {AGREES: "✓", DIFFERS: "△"}


@click.command("reproduce", short_help="Recompute a paper's figures from its released data.")
@click.argument("name", metavar="STUDY")
@click.option("--data", type=click.Path(path_type=Path), default=Path(), show_default=True, help="The released data.")
@click.option("--only", help="Only tables whose name contains this.")
@json_option
def command(name: str, data: Path, only: str | None, as_json: bool) -> None:
    """Set a paper's printed values beside the recomputed ones. What does not agree is said, not mended.

    Example: lanner reproduce kim2025 --data h-falcon
    """
    study = load(name)
    output = Output("reproduce", as_json)
    checks = [c for c in reproduce(study, data) if not only or only.casefold() in c.cell.where.casefold()]
    output.rows.extend(check.row() for check in checks)
    for where in dict.fromkeys(check.cell.where for check in checks):
        shown = Output("reproduce", as_json)
        shown.table([_shown(check) for check in checks if check.cell.where == where], title=where)
        shown.say()
    output.say(f"{study.citation}: {summary(checks)}", style="bold")
    output.notes.extend(study.remarks)
    output.signature = f"{study.name} · {len(checks)} values · studies known: {', '.join(names())}"
    output.end()


def _shown(check: Check) -> dict[str, str]:
    printed = check.cell.paper
    digits = check.cell.digits + (1 if check.verdict == DIFFERS else 0)
    return {
        "row": check.cell.row,
        "column": check.cell.column,
        "printed": printed if isinstance(printed, str) else number(printed, check.cell.digits, bounded=False),
        "recomputed": number(check.value, digits, bounded=False),
        "": _MARKS.get(check.verdict, "–"),
        "reason": check.row()["reason"] if check.verdict != AGREES else "",
    }
