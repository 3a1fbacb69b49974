"""The settings of a campaign: what they are called, which can change while it runs, and which values make sense."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from lanner.errors import NOWHERE, InputError, Where, did_you_mean
from lanner.model import Json

NUMBERS = (
    "minimum_agreement",
    "practice_agreement",
    "control_limit",
    "hourly_rate",
    "budget",
    "idle_seconds",
    "break_minutes",
)
TEXTS = ("deadline", "currency", "guidelines", "main_question", "completion_code", "return_link")

CHANGEABLE = (*NUMBERS, *TEXTS, "practice", "revision")
AT_CREATION = ("before", "after", "controls", "tutorial", "calibration", "contexts", "wording")
"""What is frozen with texts, protocol and tasks."""


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
        if name not in known:
            raise InputError(f"There is no setting {name!r}.", where=where, next_step=did_you_mean(name, known))


def check_settings(settings: Mapping[str, Json]) -> None:
    """Refuse settings that no page could make sense of, wherever they come from."""
    for name in NUMBERS:
        value = settings.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise not_a_number(name, value)
    minimum = settings.get("minimum_agreement")
    if minimum is not None and not 0 < minimum < 1:
        raise InputError("The planned minimum of agreement lies between 0 and 1.", code="bad_minimum")
    practice = settings.get("practice_agreement")
    if practice is not None and not 0 < practice <= 1:
        raise InputError(
            "The agreement to be reached in practice lies between 0 and 1.",
            code="bad_practice",
            next_step="Write 0.8 for four of five answers as the reference has them.",
        )
    revision = settings.get("revision")
    if revision not in (None, "", "until_submitted"):
        raise InputError(
            f"{revision!r} is no way of revising.",
            code="bad_revision",
            next_step='Write "until_submitted", or leave it out: then a task can be taken back for ten minutes.',
        )
    deadline = settings.get("deadline")
    if deadline is not None:
        try:
            date.fromisoformat(str(deadline))
        except ValueError:
            raise InputError(
                "The deadline is not a date.", code="bad_deadline", next_step="Write it as 2026-11-18."
            ) from None
    link = settings.get("return_link")
    if link is not None and not str(link).startswith(("https://", "http://")):
        raise InputError("The return link must begin with https://", code="bad_return_link")


def not_a_number(name: str, value: object) -> InputError:
    """The error for a setting that must be a number and is not."""
    return InputError(
        f"{value!r} is not a number.",
        code="not_a_number",
        names={"given": repr(value), "name": name},
        next_step=f"Correct {name.replace('_', ' ')}.",
    )
