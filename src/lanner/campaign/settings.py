"""The settings of a campaign: what they are called, which can change while it runs, which values make sense, and when
by them its work is due."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache
from math import inf
from typing import Annotated, Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, available_timezones

from pydantic import BaseModel, Field, ValidationError

from lanner.errors import NOWHERE, InputError, Where, check_known, did_you_mean
from lanner.model import Json, Protocol, Unit

NUMBERS = (
    "minimum_agreement",
    "margin",
    "practice_agreement",
    "control_limit",
    "hourly_rate",
    "budget",
    "idle_seconds",
    "break_minutes",
)
TEXTS = ("deadline", "time_zone", "note", "currency", "guidelines", "main_question", "completion_code", "return_link")

CHANGEABLE = (*NUMBERS, *TEXTS, "practice", "revision")
NOTES = "guideline_notes"
"""Additions to the guidelines, stored with the settings and written by `adjudication` alone."""
AT_CREATION = ("before", "after", "controls", "tutorial", "calibration", "contexts", "wording", "prefill")
"""What is frozen with texts, protocol and tasks."""

_EXAMPLES = {
    "before": 'before = ["consent", "background"]',
    "after": 'after = ["post_task"]',
    "controls": "controls = {shuffled = 5, repeats = 0.05}",
    "tutorial": 'tutorial = {items = [{document = "d0", segment = "1", systems = ["A"], expected = {score = 100}}]}',
    "calibration": 'calibration = ["d1", "d2"], the ids of documents',
    "contexts": 'contexts = ["none", "whole"]',
    "wording": 'wording = "published"',
    "prefill": 'prefill = {model = "gemba", from = "models", unassisted = 0.2}',
}
_RANGES: tuple[tuple[str, Callable[[float], bool], str, str, str], ...] = (
    (
        "minimum_agreement",
        lambda value: 0 < value < 1,
        "The planned minimum of agreement lies between 0 and 1.",
        "bad_minimum",
        "",
    ),
    (
        "margin",
        lambda value: value > 0,
        "The largest difference that does not matter is a number above 0.",
        "bad_margin",
        "",
    ),
    (
        "practice_agreement",
        lambda value: 0 < value <= 1,
        "The agreement to be reached in practice lies between 0 and 1.",
        "bad_practice",
        "Write 0.8 for four of five answers as the reference has them.",
    ),
    (
        "control_limit",
        lambda value: value < 1,
        "The share of control items a judge may miss lies below 1.",
        "bad_control_limit",
        "0.25 means one of four.",
    ),
)
_Number = Annotated[float, Field(ge=0)]
_Amount = _Number | dict[str, _Number]


class _KnownItem(BaseModel, extra="forbid"):
    document: str = ""
    segment: str | int = ""
    systems: list[str] = []
    texts: dict[str, str] = {}
    expected: dict[str, Any] = {}


class _Tutorial(BaseModel, extra="forbid"):
    page: str = ""
    items: list[_KnownItem] = []


class _Controls(BaseModel):
    shuffled: _Amount = 0
    swapped: _Amount = 0
    degraded: _Amount = 0
    repeats: _Amount = 0
    gold: list[_KnownItem] = []
    in_place: bool = True
    spacing: Annotated[int, Field(ge=0)] = 0


class _Prefill(BaseModel, extra="forbid"):
    model: Annotated[str, Field(min_length=1)]
    source: str = Field(default="", alias="from")
    unassisted: Annotated[float, Field(ge=0, lt=1)] = 0.2


class _Created(BaseModel):
    """The shapes of what is decided when a campaign is created."""

    before: list[str] = []
    after: list[str] = []
    controls: _Controls | None = None
    tutorial: _Tutorial | None = None
    calibration: list[str] = []
    contexts: list[str] = []
    wording: str = ""
    prefill: _Prefill | None = None


def check_names(names: Iterable[str], *, where: Where = NOWHERE, running: bool = False) -> None:
    """Refuse a setting that nothing reads, so that a misspelt one is not taken for granted; and in a running campaign
    one that could no longer change anything."""
    for name in names:
        if running and name in AT_CREATION:
            raise InputError(
                f"{name!r} is decided when a campaign is created.",
                where=where,
                next_step="Duplicate the campaign and change the draft.",
            )
        known = CHANGEABLE if running else (*CHANGEABLE, *AT_CREATION)
        check_known(name, known, f"There is no setting {name!r}.", InputError, where=where)


def check_settings(settings: Mapping[str, Json]) -> None:
    """Refuse settings that no page could make sense of, wherever they come from."""
    _check_shapes(settings)
    _check_types(settings)
    _check_ranges(settings)
    revision = settings.get("revision")
    if revision not in (None, "", "until_submitted"):
        raise InputError(
            f"{revision!r} is no way of revising.",
            code="bad_revision",
            next_step='Write "until_submitted", or leave it out: then a task can be taken back for ten minutes.',
        )
    _check_due_date(settings)
    link = settings.get("return_link")
    if link is not None and not _is_address(str(link)):
        raise InputError(
            "The return link must begin with https://",
            code="bad_return_link",
            next_step="Write the whole address, such as https://example.org/done.",
        )
    practice = settings.get("practice")
    if practice is not None and not isinstance(practice, bool):
        raise InputError(f"The setting practice is true or false, not {practice!r}.", code="bad_practice_switch")


def _check_shapes(settings: Mapping[str, Json]) -> None:
    at_creation = {name: value for name, value in settings.items() if name in AT_CREATION and value is not None}
    try:
        _Created.model_validate(at_creation)
    except ValidationError as error:
        first = error.errors()[0]
        name, place = str(first["loc"][0]), ".".join(map(str, first["loc"]))
        raise InputError(
            f"The setting {place} cannot be {first['input']!r}: {first['msg'][0].lower()}{first['msg'][1:]}.",
            code="bad_setting",
            names={"name": place, "given": repr(first["input"])},
            next_step=f"Write it like this: {_EXAMPLES[name]}",
        ) from None


def _check_types(settings: Mapping[str, Json]) -> None:
    for name in TEXTS:
        value = settings.get(name)
        if value is not None and not isinstance(value, str | date):
            raise InputError(
                f"The setting {name} is a text, not {value!r}.",
                code="not_a_text",
                next_step="Write it in quotation marks.",
            )
    for name in NUMBERS:
        value = settings.get(name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and -inf < value < inf
        if value is not None and not is_number:
            raise not_a_number(name, value)


def _check_ranges(settings: Mapping[str, Json]) -> None:
    for name, is_sensible, what, code, next_step in _RANGES:
        value = settings.get(name)
        if value is not None and not is_sensible(value):
            raise InputError(what, code=code, next_step=next_step)
    if below := next((name for name in NUMBERS if (settings.get(name) or 0) < 0), None):
        raise InputError(
            f"The setting {below} cannot be {settings[below]}.",
            code="negative_setting",
            names={"name": below.replace("_", " "), "given": str(settings[below])},
            next_step="Give a number from 0 up, or leave it out.",
        )


def _check_due_date(settings: Mapping[str, Json]) -> None:
    deadline = settings.get("deadline")
    if deadline is not None:
        try:
            date.fromisoformat(str(deadline))
        except ValueError:
            raise InputError(
                "The deadline is not a date.", code="bad_deadline", next_step="Write it as 2026-11-18."
            ) from None
    zone = settings.get("time_zone")
    if zone is not None and _time_zone(str(zone)) is None:
        raise InputError(
            f"There is no time zone {zone!r}.",
            code="bad_time_zone",
            names={"given": str(zone)},
            next_step=did_you_mean(str(zone), time_zones()) or "Write it as Europe/Berlin.",
        )


def _is_address(link: str) -> bool:
    try:
        parts = urlsplit(link)
    except ValueError:
        return False
    return parts.scheme in ("https", "http") and bool(parts.hostname) and not any(map(str.isspace, link))


def comparable_questions(protocol: Protocol) -> list[str]:
    """The ids of the questions by whose answers judges of the same texts can be compared."""
    return [q.id for s, q in protocol.questions if q.kind != "text" and not q.for_each and s.unit is not Unit.JUDGE]


def check_main_question(settings: Mapping[str, Json], protocol: Protocol) -> None:
    """Refuse a main question that the protocol does not ask, or that answers cannot be compared by: another one would
    stand in for it unnoticed."""
    if name := settings.get("main_question"):
        what = f"{name!r} is no question of {protocol.name} by which answers can be compared."
        check_known(str(name), comparable_questions(protocol), what, InputError)


@dataclass(frozen=True, slots=True)
class DueDate:
    """The day by which judges are to be done, and the moment at which it ends by the organiser's clocks."""

    day: date
    end: datetime
    zone: str

    def days_left(self, at: datetime) -> int:
        """Whole days until the last one, in the organiser's time zone: 0 on the day itself, below it afterwards."""
        return (self.day - at.astimezone(self.end.tzinfo).date()).days


def due_date(settings: Mapping[str, Json]) -> DueDate | None:
    """The deadline of a campaign; None where there is none, or none that can be read."""
    name = str(settings.get("time_zone") or "UTC")
    zone = _time_zone(name)
    try:
        day = date.fromisoformat(str(settings.get("deadline")))
        following = day + timedelta(days=1)
    except (ValueError, OverflowError):
        return None
    if zone is None:
        name, zone = "UTC", UTC
    # the last minute of the day, as people write it
    end = datetime.combine(following, time.min, zone) - timedelta(minutes=1)
    return DueDate(day, end, name)


def local_time(settings: Mapping[str, Json], at: datetime) -> datetime:
    """The moment by the organiser's clocks, by which days are counted; one without a time zone is by these already."""
    zone = _time_zone(str(settings.get("time_zone") or "UTC")) or UTC
    return at.replace(tzinfo=zone) if at.tzinfo is None else at.astimezone(zone)


@cache
def time_zones() -> tuple[str, ...]:
    """The names of time zones that an organiser can choose from."""
    areas = ("Africa/", "America/", "Antarctica/", "Asia/", "Atlantic/", "Australia/", "Europe/", "Indian/", "Pacific/")
    return ("UTC", *sorted(name for name in available_timezones() if name.startswith(areas)))


def _time_zone(name: str) -> tzinfo | None:
    """A time zone by its name in the time zone database; UTC is known without one."""
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown; a path outside the database; a folder of it
        return None


def not_a_number(name: str, value: object) -> InputError:
    """The error for a setting that must be a number and is not."""
    return InputError(
        f"{value!r} is not a number.",
        code="not_a_number",
        names={"given": repr(value), "name": name},
        next_step=f"Correct {name.replace('_', ' ')}.",
    )
