"""An answer, whatever the kind of its question: whether it is allowed, how it is read from a form, put in words,
combined with others and compared with them, which JSON Schema it has, and how one is drawn at random. What depends on
the kind is in `kinds`; an answer that is given for each of several labels is treated here, label by label.

People and models are checked strictly: the first violation raises `AnswerError`. Files of others are read leniently:
a violation becomes a flag on the judgement, an alias is resolved and counted, and only what cannot be understood at
all (an unknown label) is an error. Nothing is repaired silently and nothing is dropped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import combinations
from random import Random
from statistics import fmean

from lanner.errors import did_you_mean
from lanner.model import (
    Document,
    Item,
    Json,
    Judgement,
    Object,
    Protocol,
    Question,
    Stage,
    Text,
)
from lanner.model.protocol import Wording
from lanner.protocols.kinds import kind_of
from lanner.protocols.kinds.base import (
    NOISE,
    AnswerCheck,
    JudgedTexts,
    Quality,
    Rule,
    Schema,
    SimulatedJudge,
    closed_object,
)
from lanner.protocols.prefilled import of_text


@dataclass(frozen=True, slots=True)
class Accepted:
    """An answer taken in lenient mode: the value to store, the rules it breaks, how many aliases were resolved."""

    value: Json
    flags: tuple[str, ...] = ()
    repairs: int = 0


def check(
    question: Question, value: Json, *, texts: JudgedTexts | None = None, chosen: Sequence[str] = (), outputs: int = 2
) -> Json:
    """The value in the form it is stored in, or an `AnswerError` that says what is wrong. None clears an answer that
    is not required. `chosen` are the labels a `for_each` question is repeated for."""
    return _check_answer(AnswerCheck(question, True, texts, outputs), value, chosen)


def accept(
    question: Question,
    value: Json,
    *,
    texts: JudgedTexts | None = None,
    chosen: Sequence[str] = (),
    outputs: int = 2,
    strict: bool = False,
) -> Accepted:
    """The value as far as it can be understood, with what is wrong about it as flags; when `strict`, the flags are only
    of what is unsure, since whatever breaks a rule is refused."""
    answer_check = AnswerCheck(question, strict, texts, outputs)
    answer = _check_answer(answer_check, value, chosen)
    return Accepted(answer, tuple(dict.fromkeys(answer_check.flags)), answer_check.repairs)


def texts_of(document: Document, item: Item) -> JudgedTexts:
    """What a judge sees of an item: its segment, or all segments of the document one per line."""
    segments = [s for s in document.segments if item.segment in ("", s.id)]
    targets = [item.texts.get(name, "\n".join(s.text(name) or "" for s in segments)) for name in item.systems]
    text = segments[0] if item.segment and segments else document
    marks = of_text(text, "") if "" not in item.texts else []
    marks += [
        {**span, "output": place} if len(item.systems) > 1 else span
        for place, name in enumerate(item.systems)
        if name not in item.texts
        for span in of_text(text, name)
    ]
    source = item.texts.get("", "\n".join(s.source for s in segments))
    return JudgedTexts(source, tuple(targets), tuple(marks))


def _check_answer(check: AnswerCheck, value: Json, labels: Sequence[str]) -> Json:
    question = check.question
    if value is None:
        if question.required:
            check.violation("missing", "an answer is needed.")
        return None
    if isinstance(value, str | list | dict) and not _is_writable(value):
        raise check.error("half_character", "a text holds half of a surrogate pair.", "Write the character whole.")
    kind = kind_of(question)
    if not question.for_each:
        return kind.check(question, value, check)
    if not isinstance(value, Mapping):
        raise check.error("shape", "needs an answer for each chosen label.")
    if extra := [label for label in value if label not in labels]:
        check.violation("not_chosen", f"{extra[0]!r} was not chosen before.", did_you_mean(str(extra[0]), labels))
    if lacking := [label for label in labels if value.get(label) is None]:
        check.violation("incomplete", f"{lacking[0]!r} has no answer yet.")
    order = [*labels, *(label for label in value if label not in labels)]
    return {label: kind.check(question, value[label], check) for label in order if value.get(label) is not None}


def _is_writable(value: Json) -> bool:
    """Whether every text in an answer is one that files can hold: programs send half of a surrogate pair, too."""
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return False
    return True


MOST_SECONDS = 1e7
"""Nobody spends four months on an item: a longer time, like one below zero, says that a clock was wrong."""


def is_duration(seconds: float | None) -> bool:
    """Whether somebody can have spent these seconds on an item; an unknown time is not a wrong one."""
    return seconds is None or 0 <= seconds < MOST_SECONDS


def is_moment(moment: datetime | None) -> bool:
    """Whether a store can keep this time: it lies within the years 1 to 9999 in UTC."""
    try:
        return moment is None or moment.tzinfo is None or moment.astimezone(UTC) is not None
    except OverflowError:
        return False


# Answers from plain fields, as a form without a script or a command line sends them.
#
# A field is named after its question; one of several parts (a grid's row, a repeated label, an output to rank) has the
# part's id behind a dot. An empty field says nothing.


def answers_from_fields(protocol: Protocol, page: str, fields: Mapping[str, Sequence[str]]) -> dict[str, Json]:
    """What fields say about one item of a page; questions without a field are left out."""
    answers = {}
    for stage in protocol.pages[page]:
        for question in stage.questions:
            present, value = _from_fields(question, fields)
            if present:
                answers[question.id] = value
    return answers


def _from_fields(question: Question, fields: Mapping[str, Sequence[str]]) -> tuple[bool, Json]:
    """Whether the form has the question at all, and its value."""
    parts = {
        name.removeprefix(f"{question.id}."): values
        for name, values in fields.items()
        if name.startswith(f"{question.id}.")
    }
    kind = kind_of(question)
    if not question.for_each:
        return kind.from_fields(question, fields.get(question.id), parts)
    answers = {label: kind.from_values(question, values) for label, values in parts.items()}
    return bool(parts), {label: answer for label, answer in answers.items() if answer is not None} or None


# Several answers to one question made one, with how far they agree. The rules belong to the kinds of questions.
#
# What is stored is an answer that a judge could have given: numbers are brought to the nearest step of their scale.
# Every single answer stays in the ledger.


def combine(question: Question, values: Sequence[Json], rule: Rule = "majority") -> Json:
    """One answer from several; None where there is none.

    `rule` matters for numbers: the value that most gave (the median where no value has most votes), the median, or the
    mean. Labels are always combined by majority, grids row by row, ranks by their mean.
    """
    answers = [value for value in values if value is not None]
    if len(answers) < 2:
        return answers[0] if answers else None
    kind = kind_of(question)
    if not question.for_each:
        return kind.combine(question, answers, rule)
    labels = dict.fromkeys(label for answer in answers for label in answer)
    by_label = {label: [answer[label] for answer in answers if label in answer] for label in labels}
    return {label: kind.combine(question, votes, rule) for label, votes in by_label.items()}


def reorder(stage: Stage, question: Question, value: Json, order: Sequence[int]) -> Json:
    """Rewrite an answer about several outputs for another order of them: first the one that stood at `order[0]`."""
    if stage.object is not Object.OUTPUTS or value is None:
        return value
    kind = kind_of(question)
    if question.for_each:
        return {label: kind.reorder(question, part, order) for label, part in value.items()}
    return kind.reorder(question, value, order)


def in_order(protocol: Protocol, question: str, value: Json, shown: Sequence[str], systems: Sequence[str]) -> Json:
    """Rewrite an answer about outputs that were `shown` in one order for the order of `systems`."""
    place = protocol.find(question)
    if place is None or len(shown) < 2 or tuple(shown) == tuple(systems):
        return value
    return reorder(*place, value, [shown.index(system) for system in systems])


def in_one_order(protocol: Protocol, judgement: Judgement) -> Judgement:
    """Rewrite a comparison of outputs for the order of their names: judges who saw the same outputs in different
    orders have judged the same unit."""
    systems = tuple(sorted(judgement.systems))
    value = in_order(protocol, judgement.question, judgement.value, judgement.systems, systems)
    return judgement if systems == judgement.systems else replace(judgement, systems=systems, value=value)


def in_words(question: Question, value: Json, wording: Wording) -> str:
    """An answer as a person reads it, in the words of the protocol."""
    kind = kind_of(question)
    if not isinstance(value, Mapping):
        return kind.in_words(question, value, wording)
    labels = {key: wording.option(question.for_each or question.id, key).label for key in value}
    return wording.comma.join(f"{labels[key]}: {kind.in_words(question, cell, wording)}" for key, cell in value.items())


def consistency(question: Question, values: Sequence[Json]) -> float | None:
    """Mean likeness of all pairs of answers, 1 where all are the same. None with fewer than two."""
    pairs = list(combinations([value for value in values if value is not None], 2))
    return fmean(likeness(question, one, other) for one, other in pairs) if pairs else None


def likeness(question: Question, one: Json, other: Json) -> float:
    """Between 0 and 1: equal or not; for sets and spans the F1 of what they share; for grids the share of equal rows;
    for scales one minus the distance over the scale's length."""
    kind = kind_of(question)
    if question.for_each and isinstance(one, dict) and isinstance(other, dict):
        labels = one.keys() & other.keys()
        return fmean(kind.likeness(question, one[label], other[label]) for label in labels) if labels else 0.0
    return kind.likeness(question, one, other)


# The JSON Schema of a page's or stage's answers, for models that can be held to one and for our own check.
#
# What a schema cannot say (three distinct labels, a span's text at its place) is checked by `answers` afterwards.


def stage_schema(
    stages: Sequence[Stage], *, chosen: Mapping[str, Sequence[str]] | None = None, outputs: int = 2
) -> Schema:
    """The schema of one object that answers every question of these stages. `chosen` gives the labels that each
    `for_each` question is repeated for, where they are known. Where the labels are chosen in the same object, every
    label on offer has an answer, which is null for those that are not chosen."""
    properties: dict[str, Schema] = {}
    options = {question.id: [option.id for option in question.choices] for s in stages for question in s.questions}
    for stage in stages:
        for question in stage.questions:
            labels = (chosen or {}).get(question.id)
            shown = outputs if stage.object is Object.OUTPUTS else 1
            schema = _for_each(question, labels, options.get(question.for_each or "", []), shown)
            optional = not question.required and not kind_of(question).has_empty_answer(question)
            if optional or question.when or stage.when:
                schema = {"anyOf": [schema, {"type": "null"}]}
            properties[question.id] = schema
    return closed_object(properties)


def question_schema(question: Question, *, outputs: int = 2) -> Schema:
    """The schema of one answer (one repetition of it, where the question is asked for each of several labels)."""
    return kind_of(question).schema(question, outputs)


def as_asked(stage: Stage, question: Question, value: Json, *, outputs: int = 2) -> Json:
    """A stored answer as `stage_schema` asks for it, where the labels of a repeated question are known."""
    shown = outputs if stage.object is Object.OUTPUTS else 1
    kind = kind_of(question)
    if value is None or not question.for_each:
        return value if value is None else kind.as_asked(question, value, shown)
    return {label: kind.as_asked(question, entry, shown) for label, entry in value.items()}


def _for_each(question: Question, labels: Sequence[str] | None, options: Sequence[str], outputs: int) -> Schema:
    schema = question_schema(question, outputs=outputs)
    if not question.for_each:
        return schema
    if labels is not None:
        return closed_object(dict.fromkeys(labels, schema))
    if options:
        return closed_object({label: {"anyOf": [schema, {"type": "null"}]} for label in options})
    return {"type": "object", "additionalProperties": schema}


# Random valid answers to any question: for demonstrations, contract tests and simulations, never for results.
#
# Without `quality` every allowed answer can come up. With it the answers lean: a quality of 1 draws the good end of
# scales, few errors and high grades, 0 the opposite, with some noise between judges. A rank needs one quality per
# output shown.

_REMARK = 0.15  # how often a judge writes a remark that nobody requires


def simulate_answer(
    question: Question,
    *,
    rng: Random,
    texts: JudgedTexts | None = None,
    chosen: Sequence[str] = (),
    outputs: int = 2,
    quality: Quality = None,
) -> Json:
    """A valid answer in stored form; None now and then where none is required."""
    if not question.required and isinstance(question, Text) and rng.random() > _REMARK:
        return None

    def one_answer() -> Json:
        simulation = SimulatedJudge(rng, texts or JudgedTexts(), outputs, quality, _level(quality, rng))
        return kind_of(question).simulate(question, simulation)

    value = {label: one_answer() for label in chosen} if question.for_each else one_answer()
    return check(question, value, texts=texts, chosen=chosen, outputs=outputs)


def _level(quality: Quality, rng: Random) -> float | None:
    """This judge's view of the quality, within 0 and 1."""
    if quality is None:
        return None
    centre = quality if isinstance(quality, int | float) else sum(quality) / len(quality)
    return min(max(rng.gauss(centre, NOISE), 0.0), 1.0)
