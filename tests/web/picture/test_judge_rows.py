from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from lanner.model import Judge, JudgeKind
from lanner.store import Seat
from lanner.web.picture.forecast import Outlook
from lanner.web.picture.judge_rows import judge_row
from lanner.web.picture.told import Pace
from lanner.web.picture.verdict import Plan

LAST_DAY = date(2026, 11, 18)


def outlook(done: int, finish: int | None = None) -> Outlook:
    """Ten items of an hour each; `finish` is a day of November."""
    when = datetime(2026, 11, finish, 9, tzinfo=UTC) if finish else None
    parts = (("news", done, 10),)
    return Outlook("ann", done, 10, parts, Pace(3600.0 * done, parts=(1.0, 2.0)), 3600.0 * done, None, None, when)


@pytest.mark.parametrize(
    ("ahead", "plan", "said"),
    [
        (outlook(0), Plan(), ("not begun", "", "")),
        (outlook(10), Plan(deadline=LAST_DAY), ("done", "", "")),
        (outlook(4), Plan(), ("…", "", "")),
        (outlook(4, 18), Plan(), ("Wed 18 Nov", "", "")),
        (outlook(4, 18), Plan(deadline=LAST_DAY), ("Wed 18 Nov", "", "on the day")),
        (outlook(4, 19), Plan(deadline=LAST_DAY), ("Thu 19 Nov", "1 day late", "")),
        (outlook(4, 16), Plan(deadline=LAST_DAY), ("Mon 16 Nov", "", "2 days early")),
    ],
)
def test_when_a_judge_is_done_beside_what_was_planned(ahead: Outlook, plan: Plan, said: tuple[str, str, str]) -> None:
    row = judge_row(Seat(1, 1, Judge("ann")), ahead, plan, {})
    assert (row.finish, row.late, row.early) == said


def test_hours_cost_and_controls() -> None:
    ahead = Outlook("ann", 5, 10, (), Pace(), 7200.0, 3600.0, 4.0, None)
    row = judge_row(Seat(1, 1, Judge("ann", name="Ann")), ahead, Plan(hourly_rate=30), {"ann": (1, 4)})
    assert (row.cost, row.cost_in_all, row.hours_in_all) == (60, 90, 10800.0)
    assert (row.name, row.missed, row.asked, row.standing.missed) == ("Ann", 1, 4, 1)
    free = judge_row(Seat(1, 1, Judge("ann")), ahead, Plan(), {})
    assert (free.name, free.cost, free.cost_in_all, free.missed) == ("ann", None, None, 0)


def test_what_is_said_of_a_judge() -> None:
    seat = Seat(1, 1, Judge("sim", kind=JudgeKind.SIMULATED, attributes={"native": "ko", "years": 3}))
    assert judge_row(seat, outlook(4), Plan(), {}).about == "simulated, ko, 3"
