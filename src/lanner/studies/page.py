"""A study as a page: what agrees and what does not in plain sentences, the paper's figures drawn again, its tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from importlib import import_module

from lanner.figures.typeset import number, plural
from lanner.model import Json
from lanner.reports.parts import Block, Column, Paragraph, Report, Section, Table
from lanner.studies.reproduce import (
    AGREES,
    DIFFERS,
    MISSED,
    NOT_COMPUTABLE,
    NOT_PRINTED,
    RECOVERED,
    Check,
    summary,
)
from lanner.studies.study import Data, Study

MARKS = {AGREES: "✓", DIFFERS: "△", NOT_COMPUTABLE: "–", NOT_PRINTED: "·", RECOVERED: "◇", MISSED: "◆"}
PROVISO = "*"
"""Stands after ✓ where a value agrees only by a tolerance, a fill, or numbers that the paper itself prints."""
_MOST_NAMED, _LONG = 4, 20
_WITH_INTERVAL = ("spans_per_segment", "seconds_per_segment", "mean_score", "protocols_agree")
_AT_MOST_ONE = {
    *(f"agreement {name}" for name in ("kappa", "jaccard", "micro_f1", "wmt")),
    *(f"correlation {name}" for name in ("pearson", "spearman", "kendall_b")),
    *(f"protocols_agree {name}" for name in ("pearson", "spearman", "kendall")),
    *(f"metric {name}" for name in ("acc_eq", "sys_pairwise_accuracy", "segment_pearson")),
    *(f"scenario_agreement {name}" for name in ("kappa", "fleiss", "alpha")),
    "merged",
    "regress r2",
    "preferred p_drop",
}


def page(study: Study, checks: Sequence[Check], data: Data) -> Report:
    """The report of a study. Every value stands in a table; what differs stands together, first; where nothing
    does, what cannot be computed comes after the results."""
    draw = import_module("lanner.studies.figures").draw  # who only wants the values waits for no drawing
    drawings = [draw(drawing, data) for drawing in study.drawings]
    figures = Section("figures", "Figures drawn again", [figure for figure, _ in drawings]) if drawings else None
    opening = [sentences for (_, sentences), drawing in zip(drawings, study.drawings, strict=True) if drawing.opens]
    odd, tables = _differences(checks), _tables(study, checks)
    differs = any(check.verdict == DIFFERS for check in checks)
    sections = [odd, figures, *tables] if differs else [figures, *tables, odd]
    sections.append(_remarks(study))
    kicker = f"Reproduction · {study.citation}" + (" · simulated judges" if study.simulated else "")
    return Report(
        study.title,
        kicker,
        f"{plural(len(checks), 'value')} in {plural(len({c.cell.where for c in checks}), 'table')} · {study.data}",
        [*findings(study, checks), *opening],
        [section for section in sections if section is not None],
    )


def findings(study: Study, checks: Sequence[Check]) -> list[str]:
    """What came of it, in sentences computed from the verdicts."""
    if study.simulated:
        return _describe_recovery(checks)
    sentences = [f"**{summary(checks)}**"]
    whole = [where for where in _wheres(checks) if {c.verdict for c in checks if c.cell.where == where} == {AGREES}]
    if whole and len(whole) < len(_wheres(checks)):
        text = "; ".join(whole[:_MOST_NAMED]) + ("; …" if len(whole) > _MOST_NAMED else "")
        sentences.append(f"Every value agrees in {plural(len(whole), 'table')} ({text}).")
    differ = Counter(c.cell.where for c in checks if c.verdict == DIFFERS)
    if len(differ) > 1:
        most = [f"{where} ({times})" for where, times in differ.most_common(_MOST_NAMED)]
        sentences.append(f"Most of those that differ: {'; '.join(most)}.")
    elif differ.total() == 1:
        [odd] = [c for c in checks if c.verdict == DIFFERS]
        values = f"{typed(odd.cell.paper, odd.cell.digits)}, recomputed {typed(odd.value, odd.cell.digits + 1)}"
        sentences.append(f"{odd.cell.row} differs: printed {values}.")
    claims = [c for c in checks if c.verdict == DIFFERS and isinstance(c.value, str)]
    if claims:
        sentences.append(
            f"{plural(len(claims), 'claim')} made in words {_are(claims)} not borne out by the released data."
        )
    return sentences


def _describe_recovery(checks: Sequence[Check]) -> list[str]:
    simulated_checks = [check for check in checks if check.cell.simulated]
    hits = [check for check in simulated_checks if check.verdict == RECOVERED]
    misses = [
        f"{check.cell.where}, {check.cell.row}, {check.cell.column}" for check in simulated_checks if check not in hits
    ]
    return [
        "**The judges are simulated; no figure of the paper is recomputed.**",
        f"**{len(hits)} of {len(simulated_checks)} known truths lie within the 99 % interval around their estimate.**",
        f"Not recovered: {'; '.join(misses)}." if misses else "",
    ]


def _are(several: Sequence[object]) -> str:
    return "is" if len(several) == 1 else "are"


def _wheres(checks: Sequence[Check]) -> list[str]:
    return list(dict.fromkeys(check.cell.where for check in checks))


def _differences(checks: Sequence[Check]) -> Section | None:
    """What differs or cannot be computed, with both values and the reason: numbers first, then claims in words."""
    odd = [check for check in checks if check.verdict in (DIFFERS, NOT_COMPUTABLE)]
    odd_claims = [check for check in odd if isinstance(check.value, str)]
    numbers = [check for check in odd if not isinstance(check.value, str)]
    differ = sum(check.verdict == DIFFERS for check in numbers)
    lacking = len(numbers) - differ
    sentences = (
        f"{plural(differ, 'number')} {'differs' if differ == 1 else 'differ'} from what was printed" if differ else ""
    )
    sentences += "; " if differ and lacking else ""
    sentences += f"{plural(lacking, 'printed value')} cannot be computed." if lacking else "."
    claims = f"{plural(len(odd_claims), 'claim')} made in words that the data does not bear out."
    blocks: list[Block] = _odd_tables("differences", sentences, numbers, worded=False) if numbers else []
    blocks += _odd_tables("claims", claims, odd_claims, worded=True) if odd_claims else []
    return Section("differences", "What differs or cannot be computed", blocks) if blocks else None


def _odd_tables(name: str, caption: str, checks: Sequence[Check], *, worded: bool) -> list[Block]:
    """A table in groups. What is known about a value is a numbered note, since many values share one."""
    notes = list(dict.fromkeys(check.cell.note for check in checks if check.cell.note))
    rows: list[dict[str, Json]] = []
    for where in _wheres(checks):
        rows.append({"group": where})
        rows += [
            {
                "row": check.cell.row,
                "column": check.cell.column,
                "paper": typed(check.cell.paper, check.cell.digits, bounded=_bounded(check)),
                "ours": ours(check) if not worded else typed(check.value, check.cell.digits + 1),
                "difference": _difference(check),
                "numbers": check.result.detail,
                "note": notes.index(check.cell.note) + 1 if check.cell.note else "",
            }
            for check in checks
            if check.cell.where == where
        ]
    last = [Column("numbers", "The numbers", text=True)] if worded else [Column("difference", "Difference", quiet=True)]
    columns = [
        Column("row", ""),
        Column("column", "", text=True),
        Column("paper", "Printed", text=worded),
        Column("ours", "Recomputed", text=worded),
        *last,
        *([Column("note", "Note", quiet=True)] if notes else []),
    ]
    blocks: list[Block] = [Table(name, caption, columns, rows, _data(checks), plural(len(checks), "value"))]
    if notes:
        blocks.append(Paragraph(" ".join(f"**{place}** {_sentence(note)}" for place, note in enumerate(notes, 1))))
    return blocks


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:]}."


def _difference(check: Check) -> str:
    if check.difference is None:
        return ""
    sign = "+" if check.difference > 0 else ""
    return sign + number(check.difference, check.cell.digits + 1, bounded=_bounded(check))


def _data(checks: Sequence[Check]) -> list[dict[str, Json]]:
    return [{**check.row(), "reason": check.reason} for check in checks]


def _tables(study: Study, checks: Sequence[Check]) -> list[Section]:
    """The tables in the paper's shape, printed and recomputed side by side."""
    blocks: list[Block] = []
    for place, where in enumerate(_wheres(checks), start=1):
        blocks.append(_table(study, f"values-{place}", where, [c for c in checks if c.cell.where == where]))
    legend = Paragraph(
        "✓ agrees to the printed digits; ✓* agrees, but only with the proviso under the table; △ differs; "
        "– cannot be computed; · was not printed."
    )
    simulation_legend = Paragraph(
        "◇ the 99 % interval around the estimate holds what is true of the simulated judges; ◆ it does not. What the "
        "paper prints stands by and is compared with nothing."
    )
    return [Section("tables", "Every table", [legend, *([simulation_legend] if study.simulated else []), *blocks])]


def _table(study: Study, name: str, where: str, checks: Sequence[Check]) -> Table:
    columns = [Column("row", "")]
    heads = list(dict.fromkeys(check.cell.column for check in checks))
    any_simulated = any(check.cell.simulated for check in checks)
    for place, head in enumerate(heads):
        own = [check for check in checks if check.cell.column == head]
        if any(check.cell.paper is not None for check in own):
            heading = "paper" if any_simulated else "printed"
            columns.append(Column(f"paper{place}", heading, quiet=True, span=head, text=_worded(own)))
        if any_simulated:
            columns.append(Column(f"true{place}", "simulated truth", span=head))
        heading = "simulated estimate" if any_simulated else "recomputed"
        columns.append(Column(f"ours{place}", heading, span=head, text=_worded(own)))
    rows: list[dict[str, Json]] = []
    for row in dict.fromkeys(check.cell.row for check in checks):
        cells: dict[str, Json] = {"row": row}
        for check in checks:
            if check.cell.row == row:
                place = heads.index(check.cell.column)
                cells[f"paper{place}"] = (
                    typed(check.cell.paper, check.cell.digits, bounded=_bounded(check))
                    if check.cell.paper is not None
                    else ""
                )
                if any_simulated:
                    cells[f"true{place}"] = typed(check.result.truth, check.cell.digits, bounded=_bounded(check))
                cells[f"ours{place}"] = f"{ours(check)} {mark(check)}" if check.result.value is not None else "–"
        rows.append(cells)
    agree = sum(check.verdict == AGREES for check in checks)
    truths = sum(check.verdict == RECOVERED for check in checks)
    printed_values = sum(check.cell.paper is not None for check in checks)
    sentences = f"{agree} of {printed_values} agree." if printed_values else "not printed in the paper."
    if any_simulated:
        sentences = f"{truths} of {len(checks)} simulated truths recovered."
    if provisos := list(dict.fromkeys(check.proviso for check in checks if check.proviso)):
        sentences += f" {PROVISO} {'; '.join(provisos)}."
    if all(check.verdict == NOT_COMPUTABLE for check in checks):
        sentences = "it cannot be computed." if len(checks) == 1 else f"none of {len(checks)} can be computed."
    return Table(name, f"“{where}”: {sentences}", columns, rows, _data(checks), f"{study.name} · {where}")


def mark(check: Check) -> str:
    """The verdict as a sign, with another where an agreement rests on more than the data."""
    return MARKS[check.verdict] + (PROVISO if check.proviso else "")


def _worded(checks: Sequence[Check]) -> bool:
    """Whether values are words of some length, which have to be broken over lines."""
    return any(isinstance(check.value, str) and len(check.value) > _LONG for check in checks)


def ours(check: Check) -> str:
    """The recomputed or simulated value in print, one digit finer where it differs, with its interval if any."""
    digits = check.cell.digits + (1 if check.verdict == DIFFERS else 0)
    text = typed(check.result.value, digits, bounded=_bounded(check))
    if check.result.low is not None and check.result.high is not None and _has_room(check):
        ends = (number(end, digits, bounded=_bounded(check)) for end in (check.result.low, check.result.high))
        text += f" [{', '.join(ends)}]"
    return text


def _has_room(check: Check) -> bool:
    """Intervals stand beside what a simulation recovers, and beside what a paper gave no interval for."""
    return check.cell.simulated or check.cell.compute in _WITH_INTERVAL


def _bounded(check: Check) -> bool:
    """Whether a value cannot exceed one, so that it is printed without the zero in front."""
    options = check.cell.options
    kind = str(options.get("statistic") or options.get("method") or options.get("give") or "")
    return f"{check.cell.compute} {kind}".strip() in _AT_MOST_ONE


def _remarks(study: Study) -> Section | None:
    if not study.remarks:
        return None
    return Section("remarks", "Remarks", [Paragraph(remark) for remark in study.remarks])


def typed(value: float | str | None, digits: int, *, bounded: bool = False) -> str:
    """A value as it stands in print, halves rounded up as papers do; words stay words. A number that is not zero is
    never printed as zero."""
    if value is None or isinstance(value, str):
        return value or number(None)
    if not math.isfinite(value):
        return number(value, digits, bounded=False)
    exact = Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    if not exact and value > 0 and digits:
        return f"< {number(10.0**-digits, digits, bounded=bounded)}"
    return number(float(exact), digits, bounded=bounded)
