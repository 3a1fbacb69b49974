"""The log of a campaign in words: who did what, when, and what it was before and after. One line a change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from lanner.campaign.drawing import DRAWN, LEFT
from lanner.campaign.people import KIND as JUDGE_MESSAGE
from lanner.campaign.practice import PRACTISED
from lanner.model import Json
from lanner.model.messages import shorten
from lanner.store import Event
from lanner.web.speech import amount, comma, say

Detail = Mapping[str, Json]
_LONGEST = 120
SETTINGS = {
    "title": "title",
    "deadline": "Deadline",
    "time_zone": "Time zone of the deadline",
    "note": "Note to judges",
    "minimum_agreement": "Planned minimum of α",
    "margin": "Largest difference that does not matter",
    "practice_agreement": "Agreement to be reached in practice",
    "control_limit": "Share of control items a judge may miss",
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
OWN_ACTS = (JUDGE_MESSAGE, PRACTISED, "finish_taken_back")
"""What judges do themselves."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """One change: when, by whom ("" for the command line), what, and where it is known the value before and after."""

    at: datetime
    who: str
    what: str
    before: str = ""
    after: str = ""


def setting(name: str) -> str:
    """What a setting is called in the reader's language."""
    return say(SETTINGS[name]) if name in SETTINGS else name.replace("_", " ")


def log_lines(events: Sequence[Event], accounts: Mapping[int, str], judges: Mapping[int, str]) -> list[LogLine]:
    """The log, newest first. `accounts` and `judges` are names by their numbers."""
    lines: list[LogLine] = []
    for event in events:
        if event.kind == DRAWN:
            continue  # one for each document would bury everything else
        who = _author(event, accounts, judges)
        changes = event.detail.get("changes")
        if event.kind == "configured" and isinstance(changes, dict):
            for name, (before, after) in changes.items():
                lines.append(LogLine(event.at, who, setting(name), _value(before), _value(after)))
        elif event.kind == "settled":
            before, after = (_answers(event.detail.get(name)) for name in ("before", "after"))
            lines.append(LogLine(event.at, who, describe_event(event, judges), before, after))
        else:
            lines.append(LogLine(event.at, who, describe_event(event, judges)))
    return lines[::-1]


def _author(event: Event, accounts: Mapping[int, str], judges: Mapping[int, str]) -> str:
    if event.kind in OWN_ACTS:
        return judges.get(int(event.detail["seat"]), "")
    return "" if event.account is None else accounts.get(event.account, f"#{event.account}")


def describe_event(event: Event, judges: Mapping[int, str] | None = None) -> str:
    """One event as a sentence without its end."""
    words = _WORDS.get(event.kind)
    if words is None:
        return event.kind.replace("_", " ").capitalize()
    participant = None if event.kind in OWN_ACTS else event.detail.get("seat")
    name = (judges or {}).get(participant, "") if isinstance(participant, int) else ""
    text = words(event.detail)
    return f"{name}: {text}" if name else text


def _value(value: Json) -> str:
    if value is None:
        return "–"
    text = comma().join(_value(entry) for entry in value) if isinstance(value, list) else str(value)
    text = f"{value:.12g}" if isinstance(value, float) else text
    return shorten(text, _LONGEST)


def _answers(answers: Json) -> str:
    """Agreed answers in a few words: marks are counted."""
    if not isinstance(answers, dict):
        return ""
    return "; ".join(f"{question}: {_answer(value)}" for question, value in answers.items())


def _answer(value: Json) -> str:
    if isinstance(value, list) and all(isinstance(entry, dict) for entry in value):
        return amount(len(value), "{n} mark", "{n} marks")
    if isinstance(value, dict):
        return shorten(comma().join(f"{name} {_value(entry)}" for name, entry in value.items()), _LONGEST)
    return _value(value)


def _count(detail: Detail, key: str) -> int:
    value = detail.get(key, 0)
    return len(value) if isinstance(value, list) else int(value or 0)


def _tasks(detail: Detail) -> str:
    return amount(_count(detail, "tasks"), "{n} task", "{n} tasks")


def _judgements(detail: Detail) -> str:
    return amount(_count(detail, "judgements"), "{n} judgement", "{n} judgements")


def _names(value: Json) -> str:
    if not isinstance(value, list) or not value:
        return say("title")
    return comma().join(dict.fromkeys(setting(str(name)) for name in value))


def _note_text(detail: Detail) -> str:
    place = comma().join(str(detail[key]) for key in ("document", "segment", "system") if detail.get(key))
    note = _value(str(detail.get("note", "")))
    return "".join([f" ({place})" if place else "", f": {note}" if note else ""])


_WORDS: Mapping[str, Callable[[Detail], str]] = {
    "created": lambda d: say("Made, with {tasks}", tasks=_tasks(d)),
    "redefined": lambda d: say("Made anew, with {tasks}", tasks=_tasks(d)),
    "prefilled": lambda d: say(
        "Marks of {model} offered, and withheld in {n} texts",
        model=str(d.get("model")),
        n=_count(d, "unassisted_texts"),
    ),
    "opened": lambda _: say("Opened"),
    "paused": lambda _: say("Paused"),
    "reopened": lambda _: say("Went on"),
    "closed": lambda _: say("Closed"),
    "brought_back": lambda _: say("Brought back from a copy"),
    "configured": lambda d: say("Settings changed: {names}", names=_names(d.get("settings"))),
    "judges_added": lambda d: say(
        "{judges} added, {tasks}", judges=amount(_count(d, "judges"), "{n} judge", "{n} judges"), tasks=_tasks(d)
    ),
    "judge_removed": lambda _: say("A judge was removed"),
    "judge_replaced": lambda d: say("A judge took over {tasks}", tasks=_tasks(d)),
    "judge_erased": lambda _: say("A judge’s identity was erased"),
    "judge_withdrew": lambda d: say("A judge withdrew: {judgements} deleted", judgements=_judgements(d)),
    "judge_left_out": lambda d: say("left out of all results: {reason}", reason=str(d.get("reason", ""))),
    "judge_counted_again": lambda _: say("counted again"),
    PRACTISED: lambda d: say(
        "practised: {n} of {all} as the reference", n=_count(d, "right"), all=_count(d, "answers")
    ),
    "overlap_added": lambda d: say("Overlap added: {tasks}", tasks=_tasks(d)),
    "rest_assigned": lambda d: say("After the calibration round: {tasks} assigned", tasks=_tasks(d)),
    "calibration_assigned": lambda d: say("Calibration on disputed sentences: {tasks} assigned", tasks=_tasks(d)),
    "finish_taken_back": lambda _: say("went on with a finished task"),
    "task_reopened": lambda _: say("A finished task was reopened"),
    "imported": lambda d: say(
        "{judgements} imported", judgements=amount(_count(d, "rows"), "{n} judgement", "{n} judgements")
    ),
    "settled": lambda d: say("A disagreement was settled") + _note_text(d),
    LEFT: lambda d: say("{a} – {b} left open", a=str(d["pair"][0]), b=str(d["pair"][1])),
    "reminded": lambda d: say("Reminders sent: {n}", n=_count(d, "judges")),
    "link_issued": lambda _: say("new link"),
    "link_revoked": lambda _: say("link revoked"),
    JUDGE_MESSAGE: lambda d: say("wrote: {words}", words=_value(str(d.get("text", "")))),
}
