"""Marked stretches of text, in code points: in bounds, saying what stands there, with category and severity."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from lanner.errors import AnswerError
from lanner.model import Json, Object, Option, Spans, Stage, Unit
from lanner.model.languages import places_of
from lanner.model.protocol import Wording, Words
from lanner.protocols.kinds.base import (
    AnswerCheck,
    JudgedTexts,
    Level,
    Mistake,
    QuestionKind,
    Rule,
    Schema,
    SimulatedJudge,
    closed_object,
    describe_options,
    most_central,
    one_of,
    overlap,
    pick_option,
    replace_alias,
)
from lanner.protocols.prefilled import SOURCES, is_waiting, judged_marks, live, with_origins, without_source

_FIELDS = {
    *("side", "output", "start", "end", "text", "category", "severity", "missing", "link"),
    *("note", "correction"),
    *SOURCES,
}
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""What models are told that several outputs are called."""
SEVERAL_PLACES = "several_places"
"""The flag of an answer with a mark whose words stand in the text more than once."""
TEXT_NOT_FOUND = "text_not_found"
"""The code of an answer with a mark whose words stand nowhere in the text; the flag of one that came in a file."""
_LONGEST_REMARK = 1000
_MOST_SIMULATED = 4
_Place = tuple[str, int, str]  # a side, the number of the output, the text there


class SpansKind(QuestionKind[Spans]):
    """Marks in a text."""

    def mistakes(self, question: Spans, stage: Stage) -> Iterator[Mistake]:
        if "target" in question.sides and stage.object in (Object.SOURCE, Object.NONE):
            yield "sides", "Spans on the target need a stage whose object is an output."
        elif stage.unit is Unit.JUDGE:
            yield "kind", "A questionnaire shows no text to mark."

    def option_lists(self, question: Spans) -> dict[str, tuple[Option, ...]]:
        return {"categories": question.categories, "severities": question.severities}

    def describe(self, question: Spans, words: Words) -> str:
        extras = {
            "marks for missing text": question.missing,
            "links to other places": question.link,
            "some already marked": question.prefilled,
        }
        extras_text = ", ".join(name for name, applies in extras.items() if applies)
        sides = " and the ".join(question.sides)
        return f"Marks in the {sides}, any number, also none{f' ({extras_text})' if extras_text else ''}."

    def describe_choices(self, question: Spans, wording: Wording, groups: Sequence[str]) -> Iterator[str]:
        yield from describe_options(question.id, question.categories, wording)
        if question.severities:
            yield "Severity:"
            yield from describe_options(question.id, question.severities, wording)

    def schema(self, question: Spans, outputs: int) -> Schema:
        """A model quotes the words it means; where they stand is looked up in the text, since models count badly."""
        sides = list(question.sides)
        if question.missing and "source" not in sides:
            sides.append("source")
        properties: dict[str, Schema] = {"side": {"type": "string", "enum": sides}, "text": {"type": "string"}}
        if outputs > 1 and "target" in sides:
            properties["output"] = {"type": "string", "enum": list(LETTERS[:outputs])}
        for name, options in _option_fields(question):
            properties[name] = one_of(options)
        if question.missing:
            properties["missing"] = {"type": "boolean"}
        schema: Schema = {"type": "array", "items": closed_object(properties)}
        return schema | ({"maxItems": question.max} if question.max is not None else {})

    def as_asked(self, question: Spans, value: Json, outputs: int) -> Json:
        """The marks that stand, with the fields of the schema alone."""
        fields = self.schema(question, outputs)["items"]["properties"]
        filled = [{"text": "", "missing": False, **span} for span in live(value)]
        lettered = [{**span, "output": LETTERS[span.get("output", 0)]} for span in filled]
        return [{name: span.get(name) for name in fields} for span in lettered]

    def check(self, question: Spans, value: Json, check: AnswerCheck) -> Json:
        """The spans in stored form: side, start, end, text, and category, severity, missing, link where they apply;
        with the origin of each where some came with the texts. A span may quote its text without saying where it
        stands, as models do; it is then looked up."""
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise check.error("shape", f"{value!r} is not a list of spans.")
        spans = _check_spans(question, value, check)
        if question.prefilled and check.texts is not None and check.texts.prefilled is not None:
            spans = with_origins(spans, offered_spans(question, check.texts))
        elif check.strict:  # nothing was offered, so nothing can be said to have been
            spans = [without_source(span) for span in spans]
        number = sum(span.get("origin") != "removed" for span in spans)
        if question.max is not None and number > question.max:
            check.violation("too_many", f"{number} spans, at most {question.max} allowed.")
        return spans

    def is_unreviewed(self, question: Spans, value: Json) -> bool:
        return question.prefilled and is_waiting(value)

    def has_empty_answer(self, question: Spans) -> bool:
        return True

    def replace_aliases(self, question: Spans, value: Json) -> tuple[Json, int]:
        if not isinstance(value, list):
            return value, 0
        spans_and_repairs = [_replace_aliases(question, span) for span in value]
        return [span for span, _ in spans_and_repairs], sum(repairs for _, repairs in spans_and_repairs)

    def from_fields(
        self, question: Spans, values: Sequence[str] | None, parts: Mapping[str, Sequence[str]]
    ) -> tuple[bool, Json]:
        """Passages cannot be marked in a form without a script."""
        return False, None

    def simulate(self, question: Spans, simulation: SimulatedJudge) -> Json:
        rng, texts = simulation.rng, simulation.texts
        badness = 0.5 if simulation.level is None else 1 - simulation.level
        number = sum(rng.random() < badness for _ in range(min(_MOST_SIMULATED, question.max or _MOST_SIMULATED)))
        places: list[_Place] = [("source", 0, texts.source)] if "source" in question.sides else []
        places += [("target", output, text) for output, text in enumerate(texts.targets) if "target" in question.sides]
        spans = [
            _simulate_span(question, place, badness, rng) for place in places if place[2].strip() for _ in range(number)
        ]
        return rng.sample(spans, min(number, len(spans)))

    def in_words(self, question: Spans, value: Json, wording: Wording) -> str:
        marks = [(f"“{mark.get('text') or '…'}”", mark_in_words(question.id, mark, wording)) for mark in value]
        return "; ".join(f"{text} ({traits})" if traits else text for text, traits in marks) or "–"

    def reorder(self, question: Spans, value: Json, order: Sequence[int]) -> Json:
        spans = value if isinstance(value, list) else ()
        moved = [{**span, "output": order.index(span["output"])} if "output" in span else span for span in spans]
        return moved if isinstance(value, list) else value

    def level(self, question: Spans) -> Level:
        return "spans"

    def likeness(self, question: Spans, one: Json, other: Json) -> float:
        return overlap(_marked_characters(one), _marked_characters(other))

    def combine(self, question: Spans, values: Sequence[Json], rule: Rule) -> Json:
        """The marks that are most like all others: marks of several judges cannot be averaged."""
        return most_central(values, lambda one, other: self.likeness(question, one, other))

    def expected_of_nonsense(self, question: Spans, place: int) -> dict[str, Json]:
        """A mark, where errors are marked."""
        if "target" in question.sides and (question.severities or question.categories):
            return {"marks_at_least": 1}
        return {}


def mark_in_words(question_id: str, mark: Mapping[str, Json], wording: Wording) -> str:
    """Category and severity of a mark."""
    names = [mark[key] for key in ("category", "severity") if mark.get(key)]
    return wording.comma.join(wording.option(question_id, str(name)).label for name in names)


def _option_fields(question: Spans) -> list[tuple[str, tuple[Option, ...]]]:
    fields = (("category", question.categories), ("severity", question.severities))
    return [(name, options) for name, options in fields if options]


def _replace_aliases(question: Spans, span: Json) -> tuple[Json, int]:
    if not isinstance(span, dict):
        return span, 0
    ids_and_repairs = {
        name: replace_alias(span[name], options) for name, options in _option_fields(question) if name in span
    }
    ids = {name: option_id for name, (option_id, _) in ids_and_repairs.items()}
    return {**span, **ids}, sum(repairs for _, repairs in ids_and_repairs.values())


def offered_spans(question: Spans, texts: JudgedTexts) -> list[dict[str, Any]]:
    """The spans a judge starts from: those offered for this question that fit it and the text. One that does not must
    neither be shown nor be a reason to refuse an answer."""
    check = AnswerCheck(question, True, texts)
    spans: list[dict[str, Any]] = []
    for span in (texts.prefilled or ()) if question.prefilled else ():
        if span.get("question", question.id) != question.id:
            continue
        try:
            valid_spans = _check_spans(question, [span], check)
        except AnswerError:
            continue
        model = {"model": str(span["model"])} if span.get("model") else {}
        spans += [{**without_source(each), **model} for each in valid_spans]
    return spans


def _check_spans(question: Spans, value: Sequence[Json], check: AnswerCheck) -> list[dict[str, Any]]:
    texts = check.texts
    spans: list[dict[str, Any]] = []
    for span in value:
        if not isinstance(span, Mapping):
            raise check.error("shape", f"{span!r} is not a span.")
        if unknown := [key for key in span if key not in _FIELDS]:
            check.violation("unknown_field", f"a span has no field {unknown[0]!r}.")
        side = _check_side(question, span, len(texts.targets) if texts else 0, check)
        text = _text_on(side, texts)
        starts = [s["start"] for s in spans if "start" in s and all(s.get(name) == side.get(name) for name in side)]
        located = _locate(span, text, starts, check)
        place = _check_place(located, text, allow_nowhere=bool(span.get("missing")), check=check)
        spans.append({**side, **place, **_check_marks(question, span, check)})
    return spans


def _check_side(question: Spans, span: Mapping[str, Any], outputs: int, check: AnswerCheck) -> dict[str, Any]:
    missing = bool(span.get("missing", False))
    if missing and not question.missing:
        check.violation("missing_not_allowed", "this question has no marks for missing text.")
    side = span.get("side", "source" if missing and "source" in question.sides else question.sides[0])
    if side not in ("source", "target") or (side not in question.sides and not missing):
        check.violation("wrong_side", f"spans are marked on the {' and '.join(question.sides)}, not on {side!r}.")
    if side != "target" or outputs < 2:
        return {"side": side}
    output = span.get("output", 0)
    if isinstance(output, str) and output and output in LETTERS:
        output = LETTERS.index(output)
    if isinstance(output, bool) or not isinstance(output, int) or not 0 <= output < outputs:
        what = f"{output!r} is not the number of an output; the first is 0, the last {outputs - 1}."
        raise check.error("shape", what)
    return {"side": side, "output": output}


def _check_marks(question: Spans, span: Mapping[str, Any], check: AnswerCheck) -> dict[str, Any]:
    marks: dict[str, Any] = {}
    for name, options in _option_fields(question):
        if span.get(name) is None:
            check.violation(f"no_{name}", f"a span has no {name}.")
        else:
            marks[name] = check.option(span[name], options)
    if span.get("missing"):
        marks["missing"] = True
    if span.get("link") is not None:
        marks["link"] = _check_link(question, span["link"], check)
    for name in ("origin", "model"):
        if span.get(name):
            marks[name] = str(span[name])
    for name in ("note", "correction"):
        if span.get(name):
            marks[name] = str(span[name]).strip()
            if len(marks[name]) > _LONGEST_REMARK:
                check.violation("too_long", f"a {name} has at most {_LONGEST_REMARK} characters.")
    if isinstance(span.get("was"), Mapping):
        marks["was"] = dict(span["was"])
    return marks


def _text_on(side: Mapping[str, Any], texts: JudgedTexts | None) -> str | None:
    if texts is None:
        return None
    if side["side"] == "source":
        return texts.source
    return texts.targets[side.get("output", 0)] if texts.targets else None


def _locate(span: Mapping[str, Any], text: str | None, starts: Sequence[int], check: AnswerCheck) -> Mapping[str, Any]:
    """The span with its place, where it only quotes words that stand in the text: the first place that no earlier span
    starts at. Where there are several such places the answer is flagged, since another may be meant."""
    words = span.get("text")
    if span.get("start") is not None or span.get("end") is not None or not isinstance(words, str) or not words:
        return span
    if text is None or words not in text:
        return span
    places = places_of(words, text)
    free = [place for place in places if place not in starts] or places
    if len(free) > 1:
        check.flags.append(SEVERAL_PLACES)
    return {**span, "start": free[0], "end": free[0] + len(words)}


def _check_place(
    span: Mapping[str, Any], text: str | None, *, allow_nowhere: bool, check: AnswerCheck
) -> dict[str, Any]:
    start, end = span.get("start"), span.get("end")
    if start is None and end is None:
        if allow_nowhere:
            return {"text": str(span["text"])} if span.get("text") else {}
        if text is not None and span.get("text"):
            check.violation(TEXT_NOT_FOUND, f"{span['text']!r} does not stand in the text.")
        elif not check.strict:
            check.violation("no_place", "a span does not say where it stands.")
        if not check.strict:
            return {"text": str(span["text"])} if span.get("text") else {}
    if not isinstance(start, int) or not isinstance(end, int) or isinstance(start, bool) or isinstance(end, bool):
        raise check.error("shape", "a span needs start and end in code points.")
    if start < 0 or end < start or (start == end and not allow_nowhere):
        check.violation("bad_offsets", f"a span from {start} to {end} marks nothing.")
    elif text is not None:
        if end > len(text):
            check.violation("bad_offsets", f"a span ends at {end}, the text at {len(text)}.")
        elif span.get("text") is not None and text[start:end] != span["text"]:
            what = f"a span says {span['text']!r}, but {text[start:end]!r} stands there."
            check.violation("text_mismatch", what)
    words = span.get("text")
    if words is not None and not isinstance(words, str):
        raise check.error("shape", f"{words!r} is not the text of a span.")
    if words is None and text is not None and 0 <= start <= end <= len(text):
        words = text[start:end]
    return {"start": start, "end": end, "text": words}


def _check_link(question: Spans, link: Json, check: AnswerCheck) -> dict[str, Any]:
    if not question.link:
        check.violation("link_not_allowed", "spans of this question are not linked.")
    if not isinstance(link, Mapping) or not isinstance(link.get("segment"), str):
        raise check.error("shape", "a link needs the segment it leads to.")
    fields = {key: link[key] for key in ("segment", "side", "start", "end", "text") if link.get(key) is not None}
    if not all(isinstance(fields.get(key, 0), int) for key in ("start", "end")):
        raise check.error("shape", "a link needs start and end in code points.")
    return fields


def _simulate_span(question: Spans, place: _Place, badness: float, rng: Random) -> dict[str, Any]:
    side, output, text = place
    words = list(re.finditer(r"\S+", text))
    first = rng.randrange(len(words))
    start, end = words[first].start(), words[min(first + rng.randrange(3), len(words) - 1)].end()
    span: dict[str, Any] = {"side": side, "start": start, "end": end, "text": text[start:end], "output": output}
    if question.categories:
        span["category"] = rng.choice(question.categories).id
    if question.severities:
        span["severity"] = pick_option(question.severities, rng, None if rng.random() < 0.5 else min(badness, 1.0))
    return span


def _marked_characters(spans: Json) -> Counter[Any]:
    return Counter(
        (span.get("side"), span.get("output", 0), place)
        for span in judged_marks(spans) or ()
        for place in range(span.get("start") or 0, span.get("end") or 0)
    )


KIND = SpansKind()
