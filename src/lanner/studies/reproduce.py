"""Recompute what a paper printed and say, cell by cell, whether it agrees. Nothing is rounded until it does. As a page:
what agrees and what does not in plain sentences, the paper's figures drawn again, its tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

from lanner.errors import InputError, LannerError
from lanner.model import Json
from lanner.model.messages import number, plural
from lanner.reports.parts import Block, Column, Paragraph, Report, Section, Table
from lanner.studies import computations, simulation  # noqa: F401 - computations are what study files name
from lanner.studies import study as reading
from lanner.studies.study import COMPUTATIONS, CellResult, Data, PublishedValue, Study

AGREES, DIFFERS, NOT_COMPUTABLE, NOT_PRINTED = "agrees", "differs", "not computable", "not printed"
RECOVERED, MISSED = "recovered", "missed"
"""Verdicts on simulated judges: whether the interval around an estimate holds what is true of them."""


@dataclass(frozen=True, slots=True)
class ValueCheck:
    """One printed value beside the recomputed one. `known` says whether the verdict is what the study file expects;
    `reason` why it cannot be computed or how the value came about; `absent` that data it needs is not here."""

    cell: PublishedValue
    result: CellResult
    verdict: str
    reason: str = ""
    absent: bool = False

    @property
    def value(self) -> float | str | None:
        """The recomputed value; nothing where only simulated judges answered."""
        return None if self.cell.simulated else self.result.value

    @property
    def known(self) -> bool:
        if self.absent:
            return True
        if self.cell.simulated:
            return self.verdict == RECOVERED
        if self.cell.paper is None:
            return self.verdict == NOT_PRINTED
        verdict = NOT_COMPUTABLE if self.cell.expected == "unknown" else self.cell.expected
        return self.verdict == verdict

    @property
    def difference(self) -> float | None:
        value, paper = self.value, self.cell.paper
        if isinstance(value, int | float) and isinstance(paper, int | float):
            return value - paper
        return None

    @property
    def proviso(self) -> str:
        """On what an agreement rests beside the data: a tolerance, numbers the paper itself prints, a value put in
        for missing answers. Empty where the released data alone give the printed digits."""
        if self.verdict != AGREES:
            return ""
        return "; ".join(_provisos(self.cell, self.result))

    def row(self) -> dict[str, Json]:
        """A row of the --json envelope. What simulated judges gave never stands under `value`."""
        return {
            "where": self.cell.where,
            "row": self.cell.row,
            "column": self.cell.column,
            "paper": self.cell.paper,
            "value": self.value,
            "difference": self.difference,
            "verdict": self.verdict,
            "proviso": self.proviso,
            **(
                {"simulated_truth": self.result.truth, "simulated_estimate": self.result.value}
                if self.cell.simulated
                else {}
            ),
        }

    @property
    def remark(self) -> str:
        """Where it is, and why it differs, cannot be computed, or agrees only with a proviso."""
        text = "; ".join(filter(None, (self.reason, self.proviso)))
        return f"{self.cell.where}, {self.cell.row}, {self.cell.column}: {text}" if text else ""


def _provisos(cell: PublishedValue, result: CellResult) -> list[str]:
    provisos = []
    if cell.compute == "of_printed":
        provisos.append("the mean of numbers that the paper prints, not of the data")
    if cell.tolerance and not _rounds_to(cell, result):
        provisos.append(f"only within the tolerance of {cell.tolerance:g}")
    fills = [options.get("fill") for options in (cell.options, *cell.options.get("mean_over", ()))]
    fill_value = next((fill for fill in fills if fill is not None), None)
    if fill_value is not None:
        provisos.append(f"only with missing scores taken as {fill_value:g}")
    return provisos


_WORLDS: dict[str, Callable[..., Data]] = {"scenarios": simulation.run_scenarios, "survey": simulation.run_survey}


def read(study: Study, folder: Path | None) -> Data:
    """The data of a study: released files in `folder`, or a simulation where nothing was released."""
    if study.simulated:
        return _WORLDS[study.reading["world"]](**{k: v for k, v in study.reading.items() if k != "world"})
    if all(cell.compute == "not_computable" for cell in study.cells):
        return Data()
    place = folder or reading.find_folder(study.needs) or Path()
    reading.check_folder(place, study.needs, study.data)
    if study.reader == "metric_scores":
        return reading.metric_scores(place, **study.reading)
    return reading.judgements(place, study.more)


def check(study: Study, data: Data, only: str = "") -> list[ValueCheck]:
    """Every cell of the study, recomputed; or those of the tables whose name contains `only`."""
    return [_check(cell, data) for cell in study.cells if only.casefold() in cell.where.casefold()]


def reproduce(study: Study, folder: Path | None = None) -> list[ValueCheck]:
    """Every cell of the study, recomputed from the released data in `folder`."""
    return check(study, read(study, folder))


def summary(checks: Sequence[ValueCheck]) -> str:
    """How many agree, differ and cannot be computed, in a sentence. What a paper prints and only simulated judges were
    asked about cannot be computed."""
    counts = Counter(
        NOT_COMPUTABLE if check.cell.simulated else check.verdict
        for check in checks
        if not check.cell.simulated or check.cell.paper is not None
    )
    total = counts.total() - counts[NOT_PRINTED]
    parts = [f"{counts[verdict]} of {total} {words}" for verdict, words in _WORDS.items() if counts[verdict]]
    if provisional := sum(bool(check.proviso) for check in checks):
        parts.append(f"{provisional} of those that agree do so only with a proviso")
    if more := counts[NOT_PRINTED]:
        parts.append(f"{more} more {'was' if more == 1 else 'were'} not printed")
    if simulated_checks := [check for check in checks if check.cell.simulated]:
        recovered_truths = sum(check.verdict == RECOVERED for check in simulated_checks)
        parts.append(f"simulated judges: {recovered_truths} of {len(simulated_checks)} known truths recovered")
    surprising = [check for check in checks if not check.known]
    parts += [f"{len(surprising)} are not as this file expects"] if surprising else []
    return "; ".join(parts) + "."


_WORDS = {AGREES: "agree", DIFFERS: "differ", NOT_COMPUTABLE: "cannot be computed"}


def _check(cell: PublishedValue, data: Data) -> ValueCheck:
    if cell.compute == "not_computable":
        return ValueCheck(cell, CellResult(None), NOT_COMPUTABLE, cell.note)
    try:
        value = _compute(cell.compute, data, dict(cell.options))
    except LannerError as error:
        absent = isinstance(error, InputError) and error.code == reading.ABSENT
        return ValueCheck(cell, CellResult(None), NOT_COMPUTABLE, error.what, absent=absent)
    if value.value is None:
        return ValueCheck(cell, value, NOT_COMPUTABLE, cell.note or "it is not defined on this data")
    reason = "; ".join(filter(None, (cell.note, value.detail)))
    if cell.simulated:
        return ValueCheck(cell, value, RECOVERED if _recovers(value) else MISSED, reason)
    if cell.paper is None:
        return ValueCheck(cell, value, NOT_PRINTED, reason)
    return ValueCheck(cell, value, AGREES if _agrees(cell, value) else DIFFERS, reason)


def _compute(name: str, data: Data, options: dict[str, Any]) -> CellResult:
    """One value; with `mean_over` the mean of several, each with options of its own."""
    several: Sequence[Mapping[str, Any]] = options.pop("mean_over", ())
    if not several:
        return CellResult.of(COMPUTATIONS[name](data, **options))
    values = [_compute(name, data, {**options, **own}).value for own in several]
    numbers = [value for value in values if isinstance(value, int | float)]
    return CellResult(sum(numbers) / len(numbers) if len(numbers) == len(values) else None)


def _agrees(cell: PublishedValue, result: CellResult) -> bool:
    """Whether the value rounds to what was printed or lies within the stated tolerance of it; "<.05" is a bound, other
    words must be the same."""
    value, paper = result.value, cell.paper
    if isinstance(value, str) or isinstance(paper, str):
        if isinstance(paper, str) and isinstance(value, int | float) and paper[:1] in "<>":
            bound = float(paper[1:])
            return value < bound if paper[0] == "<" else value > bound
        return value == paper
    if value is None or paper is None or math.isnan(value):
        return False
    return _rounds_to(cell, result) or abs(value - paper) <= cell.tolerance * (1 + 1e-9)


def _rounds_to(cell: PublishedValue, result: CellResult) -> bool:
    value, paper = result.value, cell.paper
    if not isinstance(value, int | float) or not isinstance(paper, int | float):
        return value == paper
    return abs(value - paper) <= 0.5 * 10.0**-cell.digits * (1 + 1e-9)


def _recovers(result: CellResult) -> bool:
    """Whether the interval around an estimate holds what is true of the simulated judges."""
    if result.truth is None or result.low is None or result.high is None:
        return False
    return result.low <= result.truth <= result.high


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


def page(study: Study, checks: Sequence[ValueCheck], data: Data) -> Report:
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


def findings(study: Study, checks: Sequence[ValueCheck]) -> list[str]:
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


def _describe_recovery(checks: Sequence[ValueCheck]) -> list[str]:
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


def _wheres(checks: Sequence[ValueCheck]) -> list[str]:
    return list(dict.fromkeys(check.cell.where for check in checks))


def _differences(checks: Sequence[ValueCheck]) -> Section | None:
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


def _odd_tables(name: str, caption: str, checks: Sequence[ValueCheck], *, worded: bool) -> list[Block]:
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


def _difference(check: ValueCheck) -> str:
    if check.difference is None:
        return ""
    sign = "+" if check.difference > 0 else ""
    return sign + number(check.difference, check.cell.digits + 1, bounded=_bounded(check))


def _data(checks: Sequence[ValueCheck]) -> list[dict[str, Json]]:
    return [{**check.row(), "reason": check.reason} for check in checks]


def _tables(study: Study, checks: Sequence[ValueCheck]) -> list[Section]:
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


def _table(study: Study, name: str, where: str, checks: Sequence[ValueCheck]) -> Table:
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


def mark(check: ValueCheck) -> str:
    """The verdict as a sign, with another where an agreement rests on more than the data."""
    return MARKS[check.verdict] + (PROVISO if check.proviso else "")


def _worded(checks: Sequence[ValueCheck]) -> bool:
    """Whether values are words of some length, which have to be broken over lines."""
    return any(isinstance(check.value, str) and len(check.value) > _LONG for check in checks)


def ours(check: ValueCheck) -> str:
    """The recomputed or simulated value in print, one digit finer where it differs, with its interval if any."""
    digits = check.cell.digits + (1 if check.verdict == DIFFERS else 0)
    text = typed(check.result.value, digits, bounded=_bounded(check))
    if check.result.low is not None and check.result.high is not None and _has_room(check):
        ends = (number(end, digits, bounded=_bounded(check)) for end in (check.result.low, check.result.high))
        text += f" [{', '.join(ends)}]"
    return text


def _has_room(check: ValueCheck) -> bool:
    """Intervals stand beside what a simulation recovers, and beside what a paper gave no interval for."""
    return check.cell.simulated or check.cell.compute in _WITH_INTERVAL


def _bounded(check: ValueCheck) -> bool:
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
    if not exact and value and digits:
        sign, nearest = ("<", 10.0**-digits) if value > 0 else (">", -(10.0**-digits))
        return f"{sign} {number(nearest, digits, bounded=bounded)}"
    return number(float(exact), digits, bounded=bounded)
