"""Documents at once: which sentences one call asks about, and what its reply says of each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from lanner.judges.asking import MISSING, PARTIAL, VALID
from lanner.judges.replies import Asked, Verdict, judged, parse
from lanner.model import Json
from lanner.store import Assigned


class Loaded(Protocol):
    """A task, as far as it matters here."""

    @property
    def assigned(self) -> Assigned: ...
    @property
    def waiting(self) -> frozenset[int]: ...


T = TypeVar("T", bound=Loaded)


def touched(tasks: Sequence[T], steps: Sequence[tuple[T, int]]) -> list[tuple[T, list[int]]]:
    """The groups of items that one call asks about (of one task, one document, the same outputs and role) of which at
    least one is among the steps. A group is whole, open or not, but for items that wait for an earlier page: asked
    again after a crash, it is the same call."""
    wanted = {(task.assigned.task.id, place) for task, place in steps}
    found = []
    for task in tasks:
        groups: dict[tuple[object, ...], list[int]] = {}
        for place, item in enumerate(task.assigned.task.items):
            if place in task.waiting:
                continue
            groups.setdefault((item.document, item.systems, item.role), []).append(place)
        number = task.assigned.task.id
        found += [(task, places) for places in groups.values() if any((number, place) in wanted for place in places)]
    return found


def by_place(places: Sequence[int], answers: Mapping[str, Json] | None) -> dict[int, Mapping[str, Json]]:
    """Answers by the sentence's number in the call, as answers by the item's place in its task."""
    given = answers or {}
    return {place: given[str(number)] for number, place in enumerate(places, 1) if str(number) in given}


def verdict(
    text: str, asked: Sequence[Asked], schemas: Mapping[str, Mapping[str, Json]], good: dict[str, Json]
) -> tuple[Verdict, str]:
    """Sentence by sentence; what was right once stays right when the rest is asked again."""
    try:
        value, repairs = parse(text)
    except (ValueError, RecursionError) as error:
        value, repairs, wrong = {}, 0, [("json", f"The reply is not JSON: {error}.")]
    else:
        wrong = []
    if not isinstance(value, dict):
        value, wrong = {}, [("schema", "The reply is not a JSON object.")]
    for (number, schema), about in zip(schemas.items(), asked, strict=True):
        entry = value.get(number)
        if not isinstance(entry, dict):
            if number not in good and not (wrong and wrong[0][0] == "json"):
                wrong.append(("schema", f"Sentence {number} has no answer."))
            continue
        found = judged(entry, about, schema)
        repairs += found.repairs
        if found.answers is not None:
            good[number] = found.answers
        elif number not in good:
            wrong.append((found.step, f"Sentence {number}: {found.problem}"))
    step = "" if len(good) == len(schemas) else wrong[0][0] if wrong else "schema"
    problem = " ".join(problem for _, problem in wrong[:10]) if step else ""
    outcome = VALID if not step else PARTIAL if good else MISSING
    return Verdict(dict(good) or None, repairs, step, problem), outcome  # type: ignore[arg-type]
