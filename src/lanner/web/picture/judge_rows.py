"""The lines of the progress table: one for each judge, person or model."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from lanner.model import Judge
from lanner.store import Seat
from lanner.web.page.speech import amount, day, say
from lanner.web.picture import figures
from lanner.web.picture.forecast import Outlook
from lanner.web.picture.needs import Standing
from lanner.web.picture.told import PEOPLE
from lanner.web.picture.verdict import Controls, Plan


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One line of the progress table."""

    seat: Seat
    name: str
    about: str
    outlook: Outlook
    bar: Markup
    parts: str
    finish: str
    late: str
    early: str
    spark: Markup | None
    cost: float | None
    cost_in_all: float | None
    missed: int
    asked: int

    @property
    def standing(self) -> Standing:
        return Standing(self.seat.judge.id, self.name, self.outlook, self.late, self.missed, self.asked)

    @property
    def hours_in_all(self) -> float | None:
        left = self.outlook.active_left
        return None if left is None else self.outlook.active + left


def judge_row(seat: Seat, outlook: Outlook, plan: Plan, controls: Controls) -> JudgeRow:
    """The line of one judge: how far, how fast, when done, at what cost."""
    name = seat.judge.name or seat.judge.id
    finish, late, early = _finish(outlook, plan)
    rate, active = plan.hourly_rate, outlook.active / 3600
    left = outlook.active_left
    missed, asked = controls.get(seat.judge.id, (0, 0))
    pace = say("items per minute over ten equal parts of the work")
    return JudgeRow(
        seat=seat,
        name=name,
        about=_attributes(seat.judge),
        outlook=outlook,
        bar=figures.progress_bar(name, outlook.domains)
        if seat.judge.kind in PEOPLE
        else figures.model_bar(name, outlook.share),
        parts=" · ".join(f"{done}/{whole}" for _, done, whole in outlook.domains[:5]),
        finish=finish,
        late=late,
        early=early,
        spark=figures.sparkline(outlook.pace.parts, pace) if outlook.pace.parts else None,
        cost=rate * active if rate is not None else None,
        cost_in_all=rate * (active + left / 3600) if rate is not None and left is not None else None,
        missed=missed,
        asked=asked,
    )


def _attributes(judge: Judge) -> str:
    shown = [str(value) for value in judge.attributes.values() if isinstance(value, str | int) and str(value)]
    return ", ".join([*([say("simulated")] if judge.kind == "simulated" else []), *shown])[:60]


def _finish(outlook: Outlook, plan: Plan) -> tuple[str, str, str]:
    """When, and how that compares with the plan: late or early."""
    if outlook.done >= outlook.total:
        return say("done"), "", ""
    if outlook.finish is None:
        return say("not begun") if not outlook.done else "…", "", ""
    when = outlook.finish.date()
    if plan.deadline is None:
        return day(when), "", ""
    apart = (when - plan.deadline).days
    if apart > 0:
        return day(when), amount(apart, "{n} day late", "{n} days late"), ""
    return day(when), "", amount(-apart, "{n} day early", "{n} days early") if apart else say("on the day")
