"""Label Studio's results: what a control holds, as the value of a question, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from lanner.formats import _xml
from lanner.formats._naming import number
from lanner.formats._offsets import problems
from lanner.model import Judgement

PART = "__"
_SIDES = ("left", "tie", "right")
_RANKS = {"left": [1, 2], "tie": [1, 1], "right": [2, 1]}
_READ = ("choices", "rating", "number", "textarea", "pairwise", "taxonomy")
_REGIONS = ("labels", "hypertextlabels", "paragraphlabels")


@dataclass(slots=True)
class Controls:
    """What is known of the controls: which allow several choices."""

    several: dict[str, bool] = field(default_factory=dict)
    told: bool = False

    @staticmethod
    def of_config(path: Path) -> Controls:
        """From a labelling interface."""
        made = Controls(told=True)
        for element in _xml.elements(path, "Choices"):
            if name := element.get("name"):
                made.several[name] = element.get("choice", "single") == "multiple"
        return made

    def learn(self, results: Iterable[Any]) -> None:
        """From the results themselves, for controls that no interface tells about."""
        for result in results:
            if isinstance(result, dict) and result.get("type") == "choices":
                name = str(result.get("from_name"))
                value = result.get("value")
                chosen = value.get("choices") if isinstance(value, dict) else None
                many = (isinstance(chosen, list) and len(chosen) > 1) or result.get("lanner") == "labels"
                if not self.told or name not in self.several:
                    self.several[name] = self.several.get(name, False) or many

    def notes(self) -> list[str]:
        """What had to be guessed."""
        if self.told or not self.several:
            return []
        one = [name for name, several in self.several.items() if not several]
        return [f"Taken to allow one choice: {', '.join(one)} (config=FILE tells)."] if one else []


def read_results(
    results: Any,
    controls: Controls,
    *,
    source: str,
    outputs: Mapping[str, str],
    source_field: str,
    answered_at: Any,
    systems: tuple[str, ...],
    **shared: Any,
) -> list[Judgement]:
    """One judgement for each question that an annotation answers."""
    values: dict[str, Any] = {}
    flags: dict[str, list[str]] = {}
    about_source: set[str] = set()
    regions: dict[str, dict[str, Any]] = {}
    for result in results if isinstance(results, list) else []:
        if not isinstance(result, dict) or not isinstance(result.get("value"), dict):
            continue
        name, kind, value = str(result.get("from_name", "")), str(result.get("type", "")), result["value"]
        question, _, part = name.partition(PART)
        to_source = str(result.get("to_name", "")) in (source_field, "source", "src")
        if to_source:
            about_source.add(question)
        wrong = flags.setdefault(question, [])
        if kind in _REGIONS:
            text = source if to_source else next((outputs[s] for s in systems if s in outputs), source)
            span = _region(value, "source" if to_source else "target", text, kind, wrong)
            regions[str(result.get("id"))] = span
            values.setdefault(question, []).append(span)
        elif part == "severity" and str(result.get("id")) in regions:
            regions[str(result["id"])]["severity"] = next(iter(_choices(value)), None)
        elif part:
            grid = values.setdefault(question, {})
            if isinstance(grid, dict):
                grid[part] = next(iter(_choices(value)), number(value.get("rating", value.get("number"))))
        else:
            values[question] = _value(kind, value, several=controls.several.get(name, False), pair=len(systems) == 2)
            if result.get("lanner") == "missing":
                values[question] = None
            if values[question] is None:
                wrong.append("missing" if kind in _READ else "unread_type")
    moment = _moment(answered_at)
    return [
        Judgement(
            question=question,
            value=value,
            flags=tuple(dict.fromkeys(flags.get(question, ()))),
            systems=() if question in about_source else systems,
            answered_at=moment,
            **shared,
        )
        for question, value in values.items()
    ]


def _choices(value: Mapping[str, Any]) -> list[str]:
    chosen = value.get("choices")
    return [str(choice) for choice in chosen] if isinstance(chosen, list) else []


def _value(kind: str, value: Mapping[str, Any], *, several: bool, pair: bool) -> Any:
    match kind:
        case "choices":
            chosen = _choices(value)
            if pair and not several and chosen and chosen[0] in _SIDES:
                return list(_RANKS[chosen[0]])
            return chosen if several else next(iter(chosen), None)
        case "rating" | "number":
            return number(value.get(kind))
        case "textarea":
            text = value.get("text")
            return "\n".join(map(str, text)) if isinstance(text, list) else text
        case "pairwise":
            return _RANKS.get(str(value.get("selected")))
        case "taxonomy":
            paths = value.get("taxonomy")
            return (
                ["/".join(map(str, path)) for path in paths if isinstance(path, list)]
                if isinstance(paths, list)
                else None
            )
        case _:
            return None


def _region(value: Mapping[str, Any], side: str, text: str, kind: str, wrong: list[str]) -> dict[str, Any]:
    start, end, words = value.get("start"), value.get("end"), value.get("text")
    start = int(start) if isinstance(start, str) and start.isdecimal() and len(start) < 19 else start
    end = int(end) if isinstance(end, str) and end.isdecimal() and len(end) < 19 else end
    labels = value.get(kind) or value.get("labels")
    wrong += problems(text, start, end, words if isinstance(words, str) else None)
    if words is None and not problems(text, start, end, None):
        words = text[start:end]
    category = labels[0] if isinstance(labels, list) and labels else None
    return {"side": side, "start": start, "end": end, "text": words, "category": category}


def _moment(text: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None


def result_objects(judgement: Judgement) -> Iterator[dict[str, Any]]:
    """The results that hold a judgement's value."""
    name, value = judgement.question, judgement.value
    shared = {"from_name": name, "to_name": "shown1" if judgement.systems else "source"}
    match value:
        case None:
            yield {**shared, "type": "choices", "lanner": "missing", "value": {"choices": []}}
        case str():
            yield {**shared, "type": "choices", "value": {"choices": [value]}}
        case bool() | int() | float():
            yield {**shared, "type": "number", "value": {"number": value}}
        case dict():
            for row, option in value.items():
                chosen = {"choices": [option]} if isinstance(option, str) else {"number": option}
                kind = "choices" if isinstance(option, str) else "number"
                yield {**shared, "from_name": f"{name}{PART}{row}", "type": kind, "value": chosen}
        case list() if value and all(isinstance(part, Mapping) for part in value):
            yield from _region_objects(judgement)
        case list() if len(value) == 2 and all(isinstance(part, int) for part in value):
            side = _SIDES[(value[0] > value[1]) - (value[0] < value[1]) + 1]
            yield {**shared, "type": "choices", "value": {"choices": [side]}}
        case _:
            labels = [str(part) for part in value] if isinstance(value, Sequence) else []
            yield {**shared, "type": "choices", "lanner": "labels", "value": {"choices": labels}}


def _region_objects(judgement: Judgement) -> Iterator[dict[str, Any]]:
    for at, span in enumerate(judgement.value):
        side = span.get("side", "target")
        region = f"{judgement.judge}-{judgement.question}-{at}"
        place = {key: span.get(key) for key in ("start", "end", "text")}
        shared = {"id": region, "to_name": "source" if side == "source" else "shown1"}
        labels = [span["category"]] if span.get("category") else []
        yield {**shared, "from_name": judgement.question, "type": "labels", "value": {**place, "labels": labels}}
        if span.get("severity"):
            chosen = {**place, "choices": [span["severity"]]}
            yield {**shared, "from_name": f"{judgement.question}{PART}severity", "type": "choices", "value": chosen}
