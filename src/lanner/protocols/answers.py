"""Whether an answer is one its question allows, wherever it comes from: a page, a model, a file.

People and models are checked strictly: the first violation raises `AnswerError`. Files of others are read leniently:
a violation becomes a flag on the judgement, an alias is resolved and counted, and only what cannot be understood at
all (an unknown label) is an error. Nothing is repaired silently and nothing is dropped.
"""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import combinations
from random import Random
from statistics import fmean
from typing import Any

from lanner.errors import AnswerError, InputError, Where, did_you_mean
from lanner.model import (
    Condition,
    Document,
    Item,
    Json,
    Judge,
    JudgeKind,
    Judgement,
    Labels,
    Object,
    Protocol,
    Question,
    Role,
    Scale,
    Segment,
    Stage,
    Text,
    Unit,
)
from lanner.model.messages import plural
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
    fold,
    resolve,
)
from lanner.protocols.prefilled import of_text

__all__ = [
    "Accepted",
    "JudgedTexts",
    "Rule",
    "accept",
    "answer_page",
    "answers_from_fields",
    "applicable",
    "as_asked",
    "check",
    "chosen_labels",
    "combine",
    "consistency",
    "fold",
    "holds",
    "likeness",
    "missing",
    "question_schema",
    "resolve",
    "simulate_answer",
    "stage_schema",
    "texts_of",
]


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


# Which questions of a page apply, given the answers so far, and which of those still lack one.


def holds(condition: Condition | None, answers: Mapping[str, Json]) -> bool:
    """Whether an earlier answer meets the condition. An answer not given meets none; no condition always holds."""
    if condition is None:
        return True
    value = answers.get(condition.question)
    if value is None:
        return False
    values = {str(entry) for entry in value} if isinstance(value, list | dict) else {str(value)}
    if condition.is_ and not values & set(condition.is_):
        return False
    if condition.is_not and values & set(condition.is_not):
        return False
    if condition.at_least is not None or condition.at_most is not None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        low = condition.at_least if condition.at_least is not None else float("-inf")
        high = condition.at_most if condition.at_most is not None else float("inf")
        return low <= value <= high
    return True


def applicable(protocol: Protocol, page: str, answers: Mapping[str, Json]) -> Iterator[tuple[Stage, Question]]:
    """The questions of a page that are asked, in order. `answers` are this judge's about the same unit, from this
    page and from the ones before it."""
    for stage in protocol.pages[page]:
        if not holds(stage.when, answers):
            continue
        for question in stage.questions:
            if holds(question.when, answers) and (not question.for_each or chosen_labels(protocol, question, answers)):
                yield stage, question


def answer_page(
    protocol: Protocol, page: str, earlier: Mapping[str, Json], answer: Callable[[Question, Sequence[str]], Json]
) -> dict[str, Json]:
    """Answers to every question of a page that applies, one after another: what applies depends on those before, and
    on those of `earlier` pages about the same unit. `answer` gets a question and the labels it is asked for."""
    known, answers = dict(earlier), dict[str, Json]()
    while pending := [question for _, question in applicable(protocol, page, known) if question.id not in answers]:
        question = pending[0]
        answers[question.id] = known[question.id] = answer(question, chosen_labels(protocol, question, known))
    return answers


def chosen_labels(protocol: Protocol, question: Question, answers: Mapping[str, Json]) -> Sequence[str]:
    """The labels that a `for_each` question is repeated for; an exclusive label ("none") asks for nothing."""
    if not question.for_each:
        return ()
    value = answers.get(question.for_each)
    if not isinstance(value, list | dict):
        return ()
    match = protocol.find(question.for_each)
    exclusive = match[1].exclusive if match and isinstance(match[1], Labels) else None
    return [label for label in value if label != exclusive]


def missing(protocol: Protocol, page: str, answers: Mapping[str, Json]) -> list[str]:
    """Ids of the required questions that apply and have no answer yet, and of those with marks to look at."""
    return [
        question.id
        for _, question in applicable(protocol, page, answers)
        if (question.required and answers.get(question.id) is None)
        or kind_of(question).is_unreviewed(question, answers.get(question.id))
    ]


# Judgements that were made elsewhere, checked leniently by their protocol: the one way in for files.
#
# Aliases become ids and are counted; broken rules become flags and are counted; a label nobody knows is an error that
# names the file and line. Either every judgement is taken in or none.


@dataclass(frozen=True, slots=True)
class CheckedJudgements:
    """Judgements ready to be stored or analysed, and what was noticed on the way."""

    judgements: tuple[Judgement, ...]
    flags: Mapping[str, int] = field(default_factory=dict)
    repairs: Mapping[str, int] = field(default_factory=dict)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the person who imports: what was renamed, what breaks a rule."""
        parts = [
            f"{plural(number, 'answer')} to {question!r} read by another spelling that the protocol knows"
            for question, number in self.repairs.items()
        ]
        broken = [
            f"{plural(number, 'answer is', 'answers are')} flagged: {flag}"
            for flag, number in sorted(self.flags.items())
        ]
        return tuple(f"{sentence}." for sentence in (*parts, *broken))


def metrics_among(judges: Iterable[Judge]) -> set[str]:
    """The judges whose numbers are on scales of their own, whatever scale a question has."""
    return {judge.id for judge in judges if judge.kind is JudgeKind.METRIC}


def take_in(
    protocol: Protocol,
    judgements: Iterable[Judgement],
    documents: Iterable[Document] = (),
    judges: Iterable[Judge] = (),
) -> CheckedJudgements:
    """Check each judgement by the protocol and give it its stored form. The numbers of metrics among the `judges` stay
    as they are."""
    metrics = metrics_among(judges)
    questions = {question.id: (stage, question) for stage, question in protocol.questions}
    segments = {(document.id, segment.id): segment for document in documents for segment in document}
    flags: Counter[str] = Counter()
    repairs: Counter[str] = Counter()
    rows = []
    all_judgements = list(judgements)
    labels = _stored_labels(protocol, all_judgements)
    for judgement in map(_drop_impossible_times, all_judgements):
        stage, question = _find_question(protocol, questions, judgement)
        if judgement.judge in metrics and isinstance(question, Scale) and isinstance(judgement.value, int | float):
            flags.update(f"{question.id} {flag}" for flag in judgement.flags)
            rows.append(replace(judgement, stage=stage.id))
            continue
        try:
            answer = accept(
                question,
                judgement.value,
                texts=judged_texts(stage, judgement, segments.get((judgement.document, judgement.segment))),
                chosen=_labels_for(judgement, question, labels),
                outputs=max(2, len(judgement.systems)),
            )
        except AnswerError as error:
            step = error.next_step
            if not step and error.code == "not_a_number":
                step = f"Correct it, or read such answers as missing: --missing {shlex.quote(str(judgement.value))}."
            raise InputError(error.what, where=_place(judgement), next_step=step) from error
        all_flags = tuple(dict.fromkeys((*judgement.flags, *answer.flags)))
        flags.update(f"{question.id} {flag}" for flag in all_flags)
        # a protocol that was made from the answers knows no other spelling of them
        repairs.update({question.id: answer.repairs} if answer.repairs and not protocol.is_guessed else {})
        rows.append(replace(judgement, stage=stage.id, value=answer.value, flags=all_flags))
    return CheckedJudgements(tuple(rows), dict(flags), dict(repairs))


def _find_question(
    protocol: Protocol, questions: Mapping[str, tuple[Stage, Question]], judgement: Judgement
) -> tuple[Stage, Question]:
    asked_question = questions.get(judgement.question)
    if asked_question is None:
        raise InputError(
            f"{protocol.name} has no question {judgement.question!r}.",
            where=_place(judgement),
            next_step=f"{did_you_mean(judgement.question, questions)} A column that is no answer is left out with "
            f"--columns ignore:{judgement.question}=COLUMN.".strip(),
        )
    return asked_question


MOST_SECONDS = 1e7
"""Nobody spends four months on an item: a longer time, like one below zero, says that a clock was wrong."""
UNREADABLE = "unreadable_time"
"""The flag of an answer whose time was none, and was left out."""


def is_duration(seconds: float | None) -> bool:
    """Whether somebody can have spent these seconds on an item; an unknown time is not a wrong one."""
    return seconds is None or 0 <= seconds < MOST_SECONDS


def is_moment(moment: datetime | None) -> bool:
    """Whether a store can keep this time: it lies within the years 1 to 9999 in UTC."""
    try:
        return moment is None or moment.tzinfo is None or moment.astimezone(UTC) is not None
    except OverflowError:
        return False


def _drop_impossible_times(judgement: Judgement) -> Judgement:
    """Leave out times that cannot be right, and flag the judgement."""
    durations = {name: getattr(judgement, name) for name in ("elapsed_seconds", "active_seconds")}
    moments = {name: getattr(judgement, name) for name in ("answered_at", "received_at")}
    wrong = [name for name, seconds in durations.items() if not is_duration(seconds)]
    wrong += [name for name, moment in moments.items() if not is_moment(moment)]
    if not wrong:
        return judgement
    nothing: dict[str, Any] = dict.fromkeys(wrong)
    return replace(judgement, flags=tuple(dict.fromkeys((*judgement.flags, UNREADABLE))), **nothing)


_LabelsKey = tuple[str, str, str, str, Role]
"""Judge, document, segment, question and role: whose labels, about what."""


def _labels_for(judgement: Judgement, question: Question, labels: Mapping[_LabelsKey, Sequence[str]]) -> Sequence[str]:
    """The labels that an answer is about: those chosen in the same role (a repeat has its own), else those of the main
    item."""
    unit = (judgement.judge, judgement.document, judgement.segment, question.for_each or "")
    own = labels.get((*unit, judgement.role))
    return labels.get((*unit, Role.MAIN), ()) if own is None else own


def _stored_labels(protocol: Protocol, judgements: Sequence[Judgement]) -> dict[_LabelsKey, Sequence[str]]:
    """The labels that each judge chose and that later questions are repeated for, in their stored spelling."""
    sources = {question.for_each for _, question in protocol.questions if question.for_each}
    labels: dict[_LabelsKey, Sequence[str]] = {}
    for judgement in judgements:
        match = protocol.find(judgement.question) if judgement.question in sources else None
        if match and isinstance(judgement.value, list | dict):
            key = (judgement.judge, judgement.document, judgement.segment, judgement.question, judgement.role)
            try:
                labels[key] = list(accept(match[1], judgement.value).value or ())
            except AnswerError:
                continue  # reported with its place when its own turn comes
    return labels


def judged_texts(stage: Stage, judgement: Judgement, segment: Segment | None) -> JudgedTexts | None:
    """The texts a judgement was about, for checking spans; None where they are unknown, or where the judge was shown
    something other than the document's text."""
    if segment is None or stage.unit in (Unit.DOCUMENT, Unit.JUDGE) or judgement.role is Role.CONTROL:
        return None
    outputs = [text for name in judgement.systems if (text := segment.text(name)) is not None]
    if len(outputs) < len(judgement.systems) or not any((segment.source, *outputs)):  # known by its id alone
        return None
    return JudgedTexts(segment.source, tuple(outputs))


def _place(judgement: Judgement) -> Where:
    segment = f", segment {judgement.segment}" if judgement.segment else ""
    return Where(judgement.origin or None, item=f"judge {judgement.judge}, document {judgement.document}{segment}")


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
