"""The settings of a campaign that an organiser chooses in a form."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from starlette.datastructures import FormData

from lanner.errors import LannerError
from lanner.model import Json
from lanner.web.page import forms
from lanner.web.page.speech import say
from lanner.web.picture.activity import setting

NUMBERS = ("minimum_agreement", "control_limit", "hourly_rate", "budget", "idle_seconds", "break_minutes")
TEXTS = ("deadline", "currency", "guidelines", "main_question", "completion_code", "return_link")


def read_settings(form: FormData) -> dict[str, Json]:
    """Settings from a form: numbers as numbers, an empty field takes a setting away."""
    found: dict[str, Json] = {}
    for name in NUMBERS:
        words = forms.text(form, name).strip().replace(",", ".")
        try:
            found[name] = float(words) if words else None
        except ValueError:
            raise LannerError(
                say("{given} is not a number.", given=repr(words)),
                next_step=say("Correct “{name}”.", name=setting(name)),
            ) from None
    for name in TEXTS:
        found[name] = forms.text(form, name).strip()[:20_000] or None
    check_settings(found)
    return found


def check_settings(found: Mapping[str, Json]) -> None:
    """Refuse settings that no page could make sense of, wherever they were given."""
    for name in NUMBERS:
        value = found.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise LannerError(
                say("{given} is not a number.", given=repr(value)),
                next_step=say("Correct “{name}”.", name=setting(name)),
            )
    least = found.get("minimum_agreement")
    if least is not None and not 0 < least < 1:
        raise LannerError(say("The planned minimum of agreement lies between 0 and 1."))
    if found.get("deadline") is not None:
        try:
            date.fromisoformat(str(found["deadline"]))
        except ValueError:
            raise LannerError(say("The deadline is not a date."), next_step=say("Write it as 2026-11-18.")) from None
    link = found.get("return_link")
    if link is not None and not str(link).startswith(("https://", "http://")):
        raise LannerError(say("The return link must begin with https://"))
