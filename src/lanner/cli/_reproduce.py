"""`lanner reproduce`: recompute what a paper printed from its released data, and say where it agrees."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from lanner.cli._output import Output
from lanner.errors import LannerError
from lanner.figures.typeset import number
from lanner.studies.page import mark, ours, page, typed
from lanner.studies.reproduce import AGREES, DIFFERS, Check, check, read, summary
from lanner.studies.study import Study, load, names


def run(
    name: str | None,
    data: Path | None,
    only: str | None,
    report: bool,
    out: Path | None,
    listing: bool,
    as_json: bool,
) -> None:
    """Recompute the values printed in a paper and compare. Differences are reported, never adjusted."""
    output = Output("reproduce", as_json)
    if listing:
        _list(output)
        return
    if name is None:
        raise LannerError("No study is named.", next_step=f"Name one: {', '.join(names())}. See --list.")
    study = load(name)
    _refuse_unknown_table(study, only)
    released = read(study, data)
    checks = check(study, released, only or "")
    output.rows.extend(check_row.row() for check_row in checks)
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
        path = write(page(study, checks, released), out or Path(f"{study.name}-report"))
        output.note(f"Page: {path}")
    output.sign(f"{study.name} · {len(checks)} values" + (" · simulated judges" if study.simulated else ""))
    output.end()


def _list(output: Output) -> None:
    studies = [load(name) for name in names()]
    rows = [
        {"study": study.name, "paper": study.citation, "values": len(study.cells), "data": study.data}
        for study in studies
    ]
    output.table(rows)
    output.end()


def _refuse_unknown_table(study: Study, only: str | None) -> None:
    tables = list(dict.fromkeys(cell.where for cell in study.cells))
    if only and not any(only.casefold() in where.casefold() for where in tables):
        raise LannerError(f"{study.name} has no table {only!r}.", next_step=f"It has: {'; '.join(tables)}.")


def _shown(check_row: Check) -> dict[str, str]:
    paper_value = typed(check_row.cell.paper, check_row.cell.digits) if check_row.cell.paper is not None else ""
    if check_row.cell.simulated:
        return {
            "row": check_row.cell.row,
            "column": check_row.cell.column,
            "paper": paper_value,
            "simulated truth": typed(check_row.found.truth, check_row.cell.digits),
            "simulated estimate": ours(check_row),
            "": mark(check_row),
        }
    digits = check_row.cell.digits + (1 if check_row.verdict == DIFFERS else 0)
    return {
        "row": check_row.cell.row,
        "column": check_row.cell.column,
        "printed": typed(check_row.cell.paper, check_row.cell.digits),
        "recomputed": ours(check_row),
        "difference": number(check_row.difference, digits, bounded=False) if check_row.difference is not None else "",
        "": mark(check_row),
        "reason": check_row.reason if check_row.verdict != AGREES else check_row.proviso,
    }
