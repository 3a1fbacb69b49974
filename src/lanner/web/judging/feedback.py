"""Whether answers to a training item are right, question by question and mark by mark, with what was expected and why.

Items of a tutorial and of the practice before the first document expect answers (`lanner.designs.expected`); a judge
reads this only after answering.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lanner.designs.expected import EXPLANATION, met
from lanner.model import Item, Json, Protocol, Role, Spans
from lanner.protocols.prefilled import live
from lanner.protocols.worked_examples import mark_in_words, rule_in_words

_KINDS = ("category", "severity")


def explanation(item: Item) -> str:
    """What a judge in training reads once they have answered."""
    if item.role is not Role.TUTORIAL:
        return ""
    texts = [rule.get(EXPLANATION) for rule in item.expected.values() if isinstance(rule, Mapping)]
    return "\n".join(str(text) for text in texts if text)


def feedback(protocol: Protocol, item: Item, answers: Mapping[str, Json], language: str) -> dict[str, Json] | None:
    """What is right and wrong in the answers to a training item; None for any other item. `right` is None where no
    rule can be checked."""
    if item.role is not Role.TUTORIAL:
        return None
    lines = [
        line
        for name, rule in item.expected.items()
        if name and (line := _line(protocol, name, rule, answers.get(name), language)) is not None
    ]
    verdicts = [line["right"] for line in lines]
    right = None if not lines else all(verdicts)
    return {"right": right, "lines": lines, "explanation": explanation(item)}


def _line(
    protocol: Protocol, name: str, rule: Mapping[str, Json], answer: Json, language: str
) -> dict[str, Json] | None:
    """The verdict on one question; None where the rule compares with something a judge has not done yet."""
    match = protocol.find(name)
    if match is None:
        return None
    question = match[1]
    label, expected = rule_in_words(protocol, name, rule, language)
    marks: list[dict[str, Json]] = []
    right: bool | None
    if isinstance(question, Spans) and isinstance(rule.get("is"), list):
        marks = [
            {**mark, "kind": mark_in_words(protocol, name, mark, language)}
            for mark in compare_marks(rule["is"], live(answer) or [])
        ]
        right = all(mark["verdict"] == "found" for mark in marks)
    else:
        lower = getattr(question, "direction", "") == "lower_is_better"
        right = met(rule, answer, lower_is_better=lower)
        if right is None and answer is not None:
            return None
    return {"question": name, "label": label, "right": bool(right), "expected": expected, "marks": marks}


def compare_marks(expected: Sequence[Mapping[str, Json]], marks: Sequence[Mapping[str, Json]]) -> list[dict[str, Json]]:
    """Every expected mark as `found`, of another `kind` (category or severity) or `missed`, then marks on words that
    are right as `extra`. A mark is found where it shares words with the expected one on the same text."""
    used: set[int] = set()
    verdicts: list[dict[str, Json]] = []
    for wanted in expected:
        candidates = [n for n, mark in enumerate(marks) if n not in used and _overlap(wanted, mark)]
        best = next((n for n in candidates if _same_kind(wanted, marks[n])), candidates[0] if candidates else None)
        if best is None:
            verdicts.append(_verdict("missed", wanted))
        else:
            used.add(best)
            verdicts.append(_verdict("found" if _same_kind(wanted, marks[best]) else "kind", wanted))
    return verdicts + [_verdict("extra", mark) for n, mark in enumerate(marks) if n not in used]


def _verdict(verdict: str, mark: Mapping[str, Json]) -> dict[str, Json]:
    return {"verdict": verdict, **dict(_fields(mark))}


def _fields(mark: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    for name in ("side", "start", "end", "text", "output", "missing", *_KINDS):
        if mark.get(name) is not None:
            yield name, mark[name]


def _overlap(wanted: Mapping[str, Json], mark: Mapping[str, Json]) -> bool:
    """Whether two marks share words; a mark without a place stands for something missing anywhere in the source."""
    same_text = wanted.get("side", "target") == mark.get("side", "target")
    if not same_text or wanted.get("output", 0) != mark.get("output", 0):
        return False
    if mark.get("start") is None or wanted.get("start") is None:
        return bool(mark.get("missing"))
    return bool(wanted["start"] < mark["end"] and mark["start"] < wanted["end"])


def _same_kind(wanted: Mapping[str, Json], mark: Mapping[str, Json]) -> bool:
    return all(wanted.get(field) == mark.get(field) for field in _KINDS if wanted.get(field))
