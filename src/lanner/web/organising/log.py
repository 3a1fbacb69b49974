"""What organisers did with a campaign, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lanner.model import Json
from lanner.store import Event
from lanner.web.page.speech import amount, say

Detail = Mapping[str, Json]


def _count(detail: Detail, key: str) -> int:
    value = detail.get(key, 0)
    return len(value) if isinstance(value, list) else int(value or 0)


def _tasks(detail: Detail) -> str:
    return amount(_count(detail, "tasks"), "{n} task", "{n} tasks")


def _judgements(detail: Detail) -> str:
    return amount(_count(detail, "judgements"), "{n} judgement", "{n} judgements")


_WORDS: Mapping[str, Callable[[Detail], str]] = {
    "created": lambda d: say("Made, with {tasks}", tasks=_tasks(d)),
    "redefined": lambda d: say("Made anew, with {tasks}", tasks=_tasks(d)),
    "opened": lambda _: say("Opened"),
    "paused": lambda _: say("Paused"),
    "reopened": lambda _: say("Went on"),
    "closed": lambda _: say("Closed"),
    "configured": lambda d: say("Settings changed: {names}", names=_names(d.get("settings"))),
    "judges_added": lambda d: say(
        "{judges} added, {tasks}", judges=amount(_count(d, "judges"), "{n} judge", "{n} judges"), tasks=_tasks(d)
    ),
    "judge_replaced": lambda d: say("A judge took over {tasks}", tasks=_tasks(d)),
    "judge_erased": lambda _: say("A judge’s identity was erased"),
    "judge_withdrew": lambda d: say("A judge withdrew: {judgements} deleted", judgements=_judgements(d)),
    "overlap_added": lambda d: say("Overlap added: {tasks}", tasks=_tasks(d)),
    "rest_assigned": lambda d: say("After the calibration round: {tasks} assigned", tasks=_tasks(d)),
    "task_reopened": lambda _: say("A finished task was reopened"),
    "imported": lambda d: say("{judgements} imported", judgements=_judgements(d)),
    "settled": lambda d: say("A disagreement was settled") + _noted(d),
}


SETTINGS = {
    "title": "title",
    "deadline": "Deadline",
    "minimum_agreement": "Planned minimum of α",
    "control_limit": "Control items a judge may miss",
    "main_question": "Main question",
    "hourly_rate": "Pay per active hour",
    "currency": "Currency",
    "budget": "Budget",
    "guidelines": "Guidelines for judges",
    "guideline_notes": "Guidelines for judges",
    "idle_seconds": "Seconds without activity that count as a pause",
    "break_minutes": "Minutes until a break is suggested",
    "completion_code": "Completion code shown at the end",
    "return_link": "Link back, shown at the end",
    "archived": "Archive",
    "calibration": "Calibration round",
}
"""What a setting is called on the pages, by its id."""


def setting(name: str) -> str:
    """What a setting is called in the reader's language."""
    return say(SETTINGS[name]) if name in SETTINGS else name.replace("_", " ")


def _names(value: Json) -> str:
    return (
        ", ".join(dict.fromkeys(setting(str(name)) for name in value))
        if isinstance(value, list) and value
        else say("title")
    )


def _noted(detail: Detail) -> str:
    note = str(detail.get("note", ""))
    return f": {note[:120]}" if note else ""


def describe_event(event: Event) -> str:
    """One event as a sentence without its end."""
    words = _WORDS.get(event.kind)
    return words(event.detail) if words else event.kind.replace("_", " ").capitalize()
