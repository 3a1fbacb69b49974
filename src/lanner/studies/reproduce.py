"""Recompute what a paper printed and say, cell by cell, whether it agrees. Nothing is rounded until it does."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lanner.errors import InputError, LannerError
from lanner.model import Json
from lanner.studies import simulation
from lanner.studies import study as reading
from lanner.studies.computations import COMPUTATIONS
from lanner.studies.study import Cell, CellResult, Data, Study

AGREES, DIFFERS, NOT_COMPUTABLE, NOT_PRINTED = "agrees", "differs", "not computable", "not printed"
RECOVERED, MISSED = "recovered", "missed"
"""Verdicts on simulated judges: whether the interval around an estimate holds what is true of them."""


@dataclass(frozen=True, slots=True)
class Check:
    """One printed value beside the recomputed one. `known` says whether the verdict is what the study file expects;
    `reason` why it cannot be computed or how the value came about; `absent` that data it needs is not here."""

    cell: Cell
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


def _provisos(cell: Cell, result: CellResult) -> list[str]:
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


def check(study: Study, data: Data, only: str = "") -> list[Check]:
    """Every cell of the study, recomputed; or those of the tables whose name contains `only`."""
    return [_check(cell, data) for cell in study.cells if only.casefold() in cell.where.casefold()]


def reproduce(study: Study, folder: Path | None = None) -> list[Check]:
    """Every cell of the study, recomputed from the released data in `folder`."""
    return check(study, read(study, folder))


def summary(checks: Sequence[Check]) -> str:
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


def _check(cell: Cell, data: Data) -> Check:
    if cell.compute == "not_computable":
        return Check(cell, CellResult(None), NOT_COMPUTABLE, cell.note)
    try:
        value = _compute(cell.compute, data, dict(cell.options))
    except LannerError as error:
        absent = isinstance(error, InputError) and error.code == reading.ABSENT
        return Check(cell, CellResult(None), NOT_COMPUTABLE, error.what, absent=absent)
    if value.value is None:
        return Check(cell, value, NOT_COMPUTABLE, cell.note or "it is not defined on this data")
    reason = "; ".join(filter(None, (cell.note, value.detail)))
    if cell.simulated:
        return Check(cell, value, RECOVERED if _recovers(value) else MISSED, reason)
    if cell.paper is None:
        return Check(cell, value, NOT_PRINTED, reason)
    return Check(cell, value, AGREES if _agrees(cell, value) else DIFFERS, reason)


def _compute(name: str, data: Data, options: dict[str, Any]) -> CellResult:
    """One value; with `mean_over` the mean of several, each with options of its own."""
    several: Sequence[Mapping[str, Any]] = options.pop("mean_over", ())
    if not several:
        return CellResult.of(COMPUTATIONS[name](data, **options))
    values = [_compute(name, data, {**options, **own}).value for own in several]
    numbers = [value for value in values if isinstance(value, int | float)]
    return CellResult(sum(numbers) / len(numbers) if len(numbers) == len(values) else None)


def _agrees(cell: Cell, result: CellResult) -> bool:
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


def _rounds_to(cell: Cell, result: CellResult) -> bool:
    value, paper = result.value, cell.paper
    if not isinstance(value, int | float) or not isinstance(paper, int | float):
        return value == paper
    return abs(value - paper) <= 0.5 * 10.0**-cell.digits * (1 + 1e-9)


def _recovers(result: CellResult) -> bool:
    """Whether the interval around an estimate holds what is true of the simulated judges."""
    if result.truth is None or result.low is None or result.high is None:
        return False
    return result.low <= result.truth <= result.high
