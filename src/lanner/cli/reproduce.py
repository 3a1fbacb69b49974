"""`lanner reproduce`: recompute what a paper printed from its released data, and say where it agrees."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click

from lanner.cli._output import Output, json_option
from lanner.errors import LannerError
from lanner.figures.typeset import number
from lanner.studies.page import mark, ours, page, typed
from lanner.studies.reproduce import AGREES, DIFFERS, Check, check, read, summary
from lanner.studies.study import Study, load, names


@click.command("reproduce", short_help="Recompute a paper's figures from its released data.")
@click.argument("name", metavar="[STUDY]", required=False)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="The folder of the released data (default: this one, or the one under LANNER_DATA that fits).",
)
@click.option("--only", help="Only tables whose name contains this.")
@click.option("--report", is_flag=True, help="Also write a page with every table and the paper's figures drawn again.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for --report (default: STUDY-report).")
@click.option("--list", "listing", is_flag=True, help="List the studies and the data each needs.")
@json_option
def command(
    name: str | None,
    data: Path | None,
    only: str | None,
    report: bool,
    out: Path | None,
    listing: bool,
    as_json: bool,
) -> None:
    """Recompute the values printed in a paper and compare. Differences are reported, never adjusted.

    ✓ agrees, ✓* agrees with a proviso, △ differs, – cannot be computed, · was not printed; of simulated judges
    ◇ recovered, ◆ missed. STUDY is a name of --list, or a file of your own.

    Example: lanner reproduce kim2025 --data h-falcon
    """
    output = Output("reproduce", as_json)
    if listing:
        _list(output)
        return
    if name is None:
        raise LannerError("No study is named.", next_step=f"Name one: {', '.join(names())}. See --list.")
    study = load(name)
    _refuse_unknown_table(study, only)
    found = read(study, data)
    checks = check(study, found, only or "")
    output.rows.extend(made.row() for made in checks)
    for where in dict.fromkeys(made.cell.where for made in checks):
        shown = Output("reproduce", as_json)
        shown.table([_shown(made) for made in checks if made.cell.where == where], title=where)
        shown.say()
    output.say(f"{study.citation}: {summary(checks)}", style="bold")
    output.notes.extend(study.remarks)
    if as_json:  # people see the reasons beside the values
        output.notes.extend(made.remark for made in checks if made.remark and (made.verdict != AGREES or made.proviso))
    if report or out:
        write = import_module("lanner.reports.files").write  # only a page needs it
        written = write(page(study, checks, found), out or Path(f"{study.name}-report"))
        output.note(f"Page: {written}")
    output.signature = f"{study.name} · {len(checks)} values" + (" · simulated judges" if study.simulated else "")
    output.end()


def _list(output: Output) -> None:
    studies = [load(name) for name in names()]
    rows = [
        {"study": made.name, "paper": made.citation, "values": len(made.cells), "data": made.data} for made in studies
    ]
    output.table(rows)
    output.end()


def _refuse_unknown_table(study: Study, only: str | None) -> None:
    known = list(dict.fromkeys(cell.where for cell in study.cells))
    if only and not any(only.casefold() in where.casefold() for where in known):
        raise LannerError(f"{study.name} has no table {only!r}.", next_step=f"It has: {'; '.join(known)}.")


def _shown(made: Check) -> dict[str, str]:
    printed = typed(made.cell.paper, made.cell.digits) if made.cell.paper is not None else ""
    if made.cell.simulated:
        return {
            "row": made.cell.row,
            "column": made.cell.column,
            "paper": printed,
            "simulated truth": typed(made.found.truth, made.cell.digits),
            "simulated estimate": ours(made),
            "": mark(made),
        }
    digits = made.cell.digits + (1 if made.verdict == DIFFERS else 0)
    return {
        "row": made.cell.row,
        "column": made.cell.column,
        "printed": typed(made.cell.paper, made.cell.digits),
        "recomputed": ours(made),
        "difference": number(made.difference, digits, bounded=False) if made.difference is not None else "",
        "": mark(made),
        "reason": made.reason if made.verdict != AGREES else made.proviso,
    }
