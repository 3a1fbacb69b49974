"""Which rows of the tidy table count for what, and why the others do not.

There is one rule for each purpose, and everything that shows a number asks here: the live page, the command line, the
report, the exports, the API and the library.

- Agreement, scores, effort, verdicts and findings look at main items. Tutorial, calibration, control and repeated
  items count only in figures about them.
- Questionnaires, whose unit is the judge, count in nothing but the account of the questionnaire.
- Settled (adjudicated) answers are nobody's judgement: never in agreement, never a judge, in scores only on request.
- People, models and metrics are never pooled with each other.
- A judge who is left out is left out everywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import polars as pl

from lanner.errors import InputError, did_you_mean
from lanner.model import JUDGE_GROUPS, Judge, JudgeKind, Judgement, Result, Role, Signature
from lanner.stats.frame import tidy

GROUPS = JUDGE_GROUPS
PEOPLE = GROUPS["people"]


class Purpose(StrEnum):
    """What rows are counted for."""

    AGREEMENT = "agreement"
    SCORES = "scores"
    EFFORT = "effort"
    REPEATS = "repeats"
    CONTROLS = "controls"
    CALIBRATION = "calibration"
    QUESTIONNAIRE = "questionnaire"


class Reason(StrEnum):
    """Why a row does not count."""

    LEFT_OUT = "judge left out"
    QUESTIONNAIRE = "questionnaire"
    NO_QUESTIONNAIRE = "no questionnaire"
    MAIN = "main item"
    REPEAT = "repeated item"
    CONTROL = "control item"
    TUTORIAL = "tutorial item"
    CALIBRATION = "calibration item"
    SETTLED = "settled answer"
    OTHER_JUDGES = "other judges"


_ROLES: dict[Purpose, tuple[Role, ...]] = {
    Purpose.AGREEMENT: (Role.MAIN,),
    Purpose.SCORES: (Role.MAIN,),
    Purpose.EFFORT: (Role.MAIN,),
    Purpose.REPEATS: (Role.MAIN, Role.REPEAT),  # a repeat is compared with the first answer
    Purpose.CONTROLS: (Role.CONTROL,),
    Purpose.CALIBRATION: (Role.CALIBRATION,),
    Purpose.QUESTIONNAIRE: tuple(Role),
}
_REASONS = {
    Role.MAIN: Reason.MAIN,
    Role.REPEAT: Reason.REPEAT,
    Role.CONTROL: Reason.CONTROL,
    Role.TUTORIAL: Reason.TUTORIAL,
    Role.CALIBRATION: Reason.CALIBRATION,
}


@dataclass(frozen=True, slots=True)
class Selection:
    """Which rows count. `groups` are the judges looked at; `settled` lets agreed answers into scores; `left_out` are
    judges who count nowhere."""

    purpose: Purpose = Purpose.AGREEMENT
    groups: tuple[str, ...] = ("people",)
    left_out: frozenset[str] = frozenset()
    settled: bool = False

    @property
    def kinds(self) -> tuple[JudgeKind, ...]:
        """The kinds of judges that count."""
        kinds = tuple(kind for group in self.groups for kind in GROUPS[group])
        return (*kinds, JudgeKind.ADJUDICATED) if self.settled and self.purpose is Purpose.SCORES else kinds

    def __str__(self) -> str:
        roles = " and ".join(str(role) for role in _ROLES[self.purpose])
        what = "questionnaires" if self.purpose is Purpose.QUESTIONNAIRE else f"{roles} items"
        parts = [f"{what} by {' and '.join(self.groups)}"]
        if self.left_out:
            parts.append(f"{len(self.left_out)} {'judge' if len(self.left_out) == 1 else 'judges'} left out")
        if JudgeKind.ADJUDICATED in self.kinds:
            parts.append("settled answers included")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class CountedRows:
    """The rows that count, by which selection, and how many rows do not for which reason."""

    table: pl.DataFrame
    selection: Selection
    excluded: Mapping[Reason, int]

    def without(self, judge: str) -> CountedRows:
        """The rows that count when one judge more is left out."""
        selection = replace(self.selection, left_out=self.selection.left_out | {judge})
        return replace(self, table=self.table.filter(pl.col("judge") != judge), selection=selection)

    def sign(self, result: Result) -> Result:
        """The same result with a signature that names the selection."""
        signature = result.signature
        return result if signature is None else replace(result, signature=signed(signature, self.selection))


def signed(signature: Signature, selection: Selection) -> Signature:
    """A signature that names the rows a number rests on."""
    others = tuple(part for part in signature.parts if part[0] != "rows")
    return replace(signature, parts=(("rows", str(selection)), *others))


def counted(
    data: Any,
    purpose: Purpose | str = Purpose.AGREEMENT,
    *,
    of: Iterable[str] | str | None = None,
    left_out: Collection[str] = (),
    settled: bool = False,
) -> CountedRows:
    """The rows of a tidy table that count for a purpose.

    `of` names the groups of judges looked at (people, models, metrics); without it the first of these that has any
    rows. Several groups may be looked at together to compare them, never to pool them. `left_out` are judges who count
    nowhere; `settled` lets the answers agreed in a meeting into scores.
    """
    table, _ = tidy(data)
    purpose_code = Purpose(purpose)
    selection = Selection(purpose_code, _groups(table, purpose_code, of, left_out), frozenset(left_out), settled)
    reasons = reasons_not_counted(table, selection)
    row_counts = {Reason(name): count for name, count in reasons.drop_nulls().value_counts().iter_rows()}
    order = {reason: row_counts[reason] for reason in Reason if reason in row_counts}
    return CountedRows(table.filter(reasons.is_null()), selection, order)


def counts(judgement: Judgement, purpose: Purpose, left_out: Collection[str]) -> bool:
    """Whether one answer about a text counts for a purpose by the same rule, whichever group its judge is of."""
    return bool(judgement.document) and judgement.role in _ROLES[purpose] and judgement.judge not in left_out


def reasons_not_counted(table: pl.DataFrame, selection: Selection) -> pl.Series:
    """Why each row does not count, by the value of a `Reason`; null where it counts."""

    def because(condition: pl.Expr, reason: Reason) -> pl.Expr:
        return pl.when(condition).then(pl.lit(str(reason)))

    asked_of_judge = (pl.col("document") == "") & (pl.col("segment") == "") & (pl.col("system") == "")
    if selection.purpose is Purpose.QUESTIONNAIRE:
        unit = because(~asked_of_judge, Reason.NO_QUESTIONNAIRE)
    else:
        unit = because(asked_of_judge, Reason.QUESTIONNAIRE)
    roles = _ROLES[selection.purpose]
    wrong_role = [
        because(pl.col("role") == str(role), reason) for role, reason in _REASONS.items() if role not in roles
    ]
    kinds = [str(kind) for kind in selection.kinds]
    is_adjudicated = (pl.col("judge_kind") == str(JudgeKind.ADJUDICATED)) & (str(JudgeKind.ADJUDICATED) not in kinds)
    reason = pl.coalesce(
        because(pl.col("judge").is_in(list(selection.left_out)), Reason.LEFT_OUT),
        because(is_adjudicated, Reason.SETTLED),
        unit,
        *wrong_role,
        because(~pl.col("judge_kind").is_in(kinds), Reason.OTHER_JUDGES),
    )
    return table.select(reason.alias("not_counted")).to_series()


def groups_in(table: pl.DataFrame) -> list[str]:
    """The groups of judges that have rows here, people first."""
    kinds = set(table["judge_kind"].unique())
    return [name for name, members in GROUPS.items() if any(str(kind) in kinds for kind in members)]


def group_of(judge: Judge) -> str | None:
    """The group a judge belongs to; None for settled answers, which are nobody's."""
    return next((name for name, kinds in GROUPS.items() if judge.kind in kinds), None)


def _groups(
    table: pl.DataFrame, purpose: Purpose, of: Iterable[str] | str | None, left_out: Collection[str]
) -> tuple[str, ...]:
    if of is None:
        everyone = Selection(purpose, tuple(GROUPS), frozenset(left_out))
        present = groups_in(table.filter(reasons_not_counted(table, everyone).is_null()))
        return (present[0],) if present else ("people",)
    names = (of,) if isinstance(of, str) else tuple(of)
    for name in names:
        if name not in GROUPS:
            raise InputError(f"There is no group of judges {name!r}.", next_step=did_you_mean(name, list(GROUPS)))
    everyone = Selection(purpose, tuple(GROUPS), frozenset(left_out))
    present = groups_in(table.filter(reasons_not_counted(table, everyone).is_null()))
    return tuple(name for name in names if name in present) or names
