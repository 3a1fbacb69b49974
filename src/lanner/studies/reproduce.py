"""Recompute what a paper printed and say, cell by cell, whether it agrees. Nothing is rounded until it does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lanner.errors import InputError, LannerError, Where
from lanner.material import Material, from_file
from lanner.model import Json
from lanner.studies.computations import COMPUTATIONS
from lanner.studies.study import Cell, Study

AGREES, DIFFERS, NOT_COMPUTABLE = "agrees", "differs", "not computable"


@dataclass(frozen=True, slots=True)
class Check:
    """One printed value beside the recomputed one. `known` says whether the verdict is what the study file expects."""

    cell: Cell
    value: float | None
    verdict: str
    reason: str = ""

    @property
    def known(self) -> bool:
        expected = NOT_COMPUTABLE if self.cell.expected == "unknown" else self.cell.expected
        return self.verdict == expected

    def row(self) -> dict[str, Json]:
        """A row of the --json envelope."""
        printed = self.cell.paper
        difference = self.value - printed if self.value is not None and isinstance(printed, int | float) else None
        return {
            "where": self.cell.where,
            "row": self.cell.row,
            "column": self.cell.column,
            "paper": printed,
            "value": self.value,
            "difference": difference,
            "verdict": self.verdict,
            "reason": self.reason or self.cell.note,
        }


def reproduce(study: Study, folder: Path) -> list[Check]:
    """Every cell of the study, recomputed from the released data in `folder`."""
    if all(cell.compute == "not_computable" for cell in study.cells):
        return [_check(cell, {}) for cell in study.cells]
    if not folder.exists():
        raise InputError("There is no such folder.", where=Where(folder), next_step=f"It should hold: {study.data}.")
    parts = {part.name: part for part in from_file(folder)}
    return [_check(cell, parts) for cell in study.cells]


def summary(checks: Sequence[Check]) -> str:
    """How many agree, differ and cannot be computed, in a sentence."""
    found = Counter(check.verdict for check in checks)
    said = [f"{found[verdict]} of {len(checks)} {words}" for verdict, words in _WORDS.items() if found[verdict]]
    surprising = [check for check in checks if not check.known]
    said += [f"{len(surprising)} are not as this file expects"] if surprising else []
    return "; ".join(said) + "."


_WORDS = {AGREES: "agree", DIFFERS: "differ", NOT_COMPUTABLE: "cannot be computed"}


def _check(cell: Cell, parts: dict[str, Material]) -> Check:
    if cell.compute == "not_computable":
        return Check(cell, None, NOT_COMPUTABLE, cell.note)
    try:
        value = COMPUTATIONS[cell.compute](parts, **cell.options)
    except LannerError as error:
        return Check(cell, None, NOT_COMPUTABLE, error.what)
    if value is None:
        return Check(cell, None, NOT_COMPUTABLE, cell.note or "It is not defined on the released data.")
    return Check(cell, value, AGREES if _agrees(cell, value) else DIFFERS)


def _agrees(cell: Cell, value: float) -> bool:
    """Whether the value rounds to what was printed, or lies within the stated tolerance of it. "<.05" is a bound."""
    if isinstance(cell.paper, str):
        return value < float(cell.paper.removeprefix("<"))
    half = 0.5 * 10.0**-cell.digits
    return abs(value - cell.paper) <= max(half, cell.tolerance) * (1 + 1e-9)
