"""What organisers did with a campaign, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lanner.model import Json
from lanner.reports.typeset import plural
from lanner.store import Event

Detail = Mapping[str, Json]


def _count(detail: Detail, key: str) -> int:
    value = detail.get(key, 0)
    return len(value) if isinstance(value, list) else int(value or 0)


_WORDS: Mapping[str, Callable[[Detail], str]] = {
    "created": lambda d: f"Made, with {plural(_count(d, 'tasks'), 'task')}",
    "redefined": lambda d: f"Made anew, with {plural(_count(d, 'tasks'), 'task')}",
    "opened": lambda _: "Opened",
    "paused": lambda _: "Paused",
    "reopened": lambda _: "Went on",
    "closed": lambda _: "Closed",
    "configured": lambda d: f"Settings changed: {_names(d.get('settings'))}",
    "judges_added": lambda d: f"{plural(_count(d, 'judges'), 'judge')} added, {plural(_count(d, 'tasks'), 'task')}",
    "judge_replaced": lambda d: f"A judge took over {plural(_count(d, 'tasks'), 'task')}",
    "judge_erased": lambda _: "A judge’s identity was erased",
    "judge_withdrew": lambda d: f"A judge withdrew: {plural(_count(d, 'judgements'), 'judgement')} deleted",
    "overlap_added": lambda d: f"Overlap added: {plural(_count(d, 'tasks'), 'task')}",
    "rest_assigned": lambda d: f"After the calibration round: {plural(_count(d, 'tasks'), 'task')} assigned",
    "task_reopened": lambda _: "A finished task was reopened",
    "imported": lambda d: f"{plural(_count(d, 'judgements'), 'judgement')} imported",
    "settled": lambda d: f"A disagreement was settled{_noted(d)}",
}


def _names(value: Json) -> str:
    return ", ".join(str(name).replace("_", " ") for name in value) if isinstance(value, list) and value else "title"


def _noted(detail: Detail) -> str:
    note = str(detail.get("note", ""))
    return f": {note[:120]}" if note else ""


def said_of(event: Event) -> str:
    """One event as a sentence without its end."""
    words = _WORDS.get(event.kind)
    return words(event.detail) if words else event.kind.replace("_", " ").capitalize()
