"""Settings an organiser may change while a campaign runs: what they are called, and which values make sense."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from lanner.errors import InputError
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
