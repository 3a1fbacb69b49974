"""From a protocol and an item to what a model is told: the questions, the text in its context, the answer's schema, and
examples.

The words come from the protocol, the frame from a versioned template; both are part of the prompt's hash, so that a
judgement can say exactly what was asked.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random
from typing import Any

from lanner import campaign
from lanner.campaign.questions import fits, systems_of
from lanner.errors import LannerError
from lanner.judges import template as templates
from lanner.judges.schemas import describe_form
from lanner.judges.template import Template, render
from lanner.model import (
    Choice,
    Document,
    Grid,
    Item,
    Json,
    JudgeKind,
    Labels,
    Object,
    Protocol,
    Question,
    Role,
    Segment,
    Spans,
    Stage,
    Text,
    Unit,
)
from lanner.model import languages as language_names
from lanner.model.messages import words as listed
from lanner.model.protocol import Wording
from lanner.protocols.answers import as_asked, combine, in_one_order, stage_schema
from lanner.protocols.conditions import chosen_labels, holds
from lanner.protocols.context import PEOPLE, ContextLines, canonical, heading, lines_of_document
from lanner.protocols.describe import condition_in_words
from lanner.protocols.kinds import kind_of
from lanner.store import Store

RATIONALE = "rationale"
_PIECE = 2000
_FRAMES, _DOCUMENTS = 512, 128  # how many are kept for the next question


@dataclass(frozen=True)
class PromptSettings:
    """What a model is shown: the name of a context, the language of the questions, the words around them. `comments`
    asks for optional free text too."""

    context: str = PEOPLE
    language: str = "en"
    comments: bool = True
    template: Template = field(default_factory=templates.default)

    def __post_init__(self) -> None:
        object.__setattr__(self, "context", canonical(self.context))


@dataclass(frozen=True)
class Prompt:
    """One call to a model: what the system is told, what the user says, and the schema of the answer. `order` is the
    order in which options were shown where it was not the protocol's."""

    system: str
    user: str
    schema: Mapping[str, Json]
    template: str = ""
    order: Mapping[str, Sequence[str]] = field(default_factory=dict)
    known_schema_hash: str = ""
    known_system_hash: str = ""

    @cached_property
    def hash(self) -> str:
        """Changes with any word of the prompt, the schema or the template's version."""
        return _digest(self.template, self.system_hash, self.user, self.schema_hash)

    @cached_property
    def system_hash(self) -> str:
        return self.known_system_hash or _digest(self.system)

    @cached_property
    def schema_hash(self) -> str:
        return self.known_schema_hash or _digest(json.dumps(self.schema, sort_keys=True))


def _digest(*parts: str) -> str:
    """In pieces below the size at which hashing lets other threads in: handing over takes longer than the hash."""
    data, digest = "\x00".join(parts).encode(), hashlib.sha256()
    for start in range(0, len(data), _PIECE):
        digest.update(data[start : start + _PIECE])
    return digest.hexdigest()[:16]


def prompt(
    protocol: Protocol,
    stages: Sequence[Stage],
    document: Document,
    item: Item,
    *,
    answers: Mapping[str, Json] | None = None,
    settings: PromptSettings | None = None,
) -> Prompt:
    """The prompt for these stages about one item. `answers` are the model's own earlier ones about the same unit."""
    return Prompter(protocol, settings or PromptSettings()).prompt(stages, document, item, answers=answers)


def require(protocol: Protocol, settings: PromptSettings) -> None:
    """Refuse settings in which this protocol cannot be asked: a prompt for others, a language without words."""
    template = settings.template
    template.require(protocol.name)
    if template.rationale and protocol.find(RATIONALE):
        raise LannerError(
            f"{protocol.name} has a question {RATIONALE!r} of its own.",
            next_step="Use a prompt that does not ask for reasons before the scores.",
        )
    language = settings.language
    if language != "en" and not {language, language.partition("-")[0]} & set(protocol.text):  # English would be shown
        raise LannerError(
            f"{protocol.name} has no words in the language {language!r}.",
            next_step=f"It has: {', '.join(sorted(protocol.text))}.",
        )


class Prompter:
    """Prompts of one protocol in one setting. What does not depend on the text (the instructions, the schema) is made
    once: it is most of the words and most of the work."""

    def __init__(self, protocol: Protocol, settings: PromptSettings) -> None:
        self.protocol = protocol
        self.settings = settings
        require(protocol, settings)
        self._words = Wording(protocol, settings.language)
        self._frames: dict[tuple[object, ...], _Frame] = {}
        self._lines: dict[tuple[object, ...], ContextLines] = {}
        self._stages: dict[tuple[str, ...], tuple[Stage, ...]] = {}
        self._earlier: dict[tuple[str, ...], tuple[Question, ...]] = {}
        self._template = settings.template
        self.turns = self._template.turns

    def asked(self, stages: Sequence[Stage]) -> tuple[Stage, ...]:
        """The stages as a model is asked them: without comments, where those are not wanted."""
        if self.settings.comments:
            return tuple(stages)
        key = tuple(stage.id for stage in stages)
        if key not in self._stages:
            questions_by_stage = [
                (s, tuple(q for q in s.questions if q.required or not isinstance(q, Text))) for s in stages
            ]
            without = (
                s.model_copy(update={"questions": questions}) for s, questions in questions_by_stage if questions
            )
            self._stages[key] = tuple(without)
        return self._stages[key]

    def prompt(
        self,
        stages: Sequence[Stage],
        document: Document,
        item: Item,
        *,
        answers: Mapping[str, Json] | None = None,
        shuffle: int | None = None,
    ) -> Prompt:
        """The prompt about one item; with `shuffle` the options stand in an order that this number decides."""
        frame = self._frame(stages, document, answers or {}, max(2, len(item.systems)), shuffle)
        lines = self._lines_of(stages[0], document, item.systems)
        view = frame.view | {
            "document": lines.heading,
            "texts": lines.around(item),
            "answered": self._earlier_answers(stages, answers or {}),
        }
        user = render(self._template, "user", view)
        label = self._template.label
        return Prompt(frame.system, user, frame.schema, label, frame.order, frame.hash, frame.system_hash)

    def sentences(
        self,
        stages: Sequence[Stage],
        document: Document,
        items: Sequence[Item],
        *,
        answers: Sequence[Mapping[str, Json]],
    ) -> Prompt:
        """One prompt about many sentences of a document: the answer has an object for each, by its number."""
        outputs = max(2, len(items[0].systems))
        frame = self._frame(stages, document, {}, outputs, None, many=True)
        schemas = [self._frame(stages, document, known_answers, outputs, None).schema for known_answers in answers]
        numbers = {item.segment: str(place) for place, item in enumerate(items, 1)}
        lines = [
            (
                line,
                numbers.get(line.segment.id),
                self._earlier_answers(stages, answers[int(numbers[line.segment.id]) - 1]),
            )
            if line.segment.id in numbers
            else (line, None, ())
            for line in lines_of_document(self.settings.context, stages[0], document, items)
        ]
        required = list(numbers.values())
        schema = {
            "type": "object",
            "properties": dict(zip(required, schemas, strict=True)),
            "required": required,
            "additionalProperties": False,
        }
        if not self._template.sentences.strip():
            raise LannerError(
                f"The prompt {self._template.name} has no words for many sentences at once.",
                next_step="Use another mode, or give the prompt a part `sentences`.",
            )
        shown = {"document": heading(stages[0], document), "lines": lines}
        user = render(self._template, "sentences", frame.view | shown)
        return Prompt(frame.system, user, schema, template=f"{self._template.label}+sentences")

    def _lines_of(self, stage: Stage, document: Document, systems: tuple[str, ...]) -> ContextLines:
        """The document's sentences in this stage: a model is asked about one after the other."""
        key = (stage.id, document.id, systems)
        lines = self._lines.get(key)
        if lines is None or lines.document is not document:
            if len(self._lines) > _DOCUMENTS:
                self._lines.clear()
            lines = self._lines[key] = ContextLines(self.settings.context, stage, document, systems)
        return lines

    def _frame(
        self,
        stages: Sequence[Stage],
        document: Document,
        answers: Mapping[str, Json],
        outputs: int,
        shuffle: int | None,
        *,
        many: bool = False,
    ) -> _Frame:
        labels = {
            q.id: tuple(chosen_labels(self.protocol, q, answers)) for s in stages for q in s.questions if q.for_each
        }
        languages = (document.source_language, document.target_language)
        key = (_signature(stages), languages, tuple(labels.items()), outputs, shuffle, many)
        frame = self._frames.get(key)
        if frame is None:
            if len(self._frames) > _FRAMES:
                self._frames.clear()
            frame = self._frames[key] = self._make(
                stages, languages, labels, outputs=outputs, shuffle=shuffle, many=many
            )
        return frame

    def _make(
        self,
        stages: Sequence[Stage],
        languages: tuple[str, str],
        labels: Mapping[str, tuple[str, ...]],
        *,
        outputs: int,
        shuffle: int | None,
        many: bool,
    ) -> _Frame:
        stages_in_order = (
            [_shuffle(stage, Random(shuffle)) for stage in stages] if shuffle is not None else list(stages)
        )
        entries = [
            self._question(s, question, labels.get(question.id, ()), stages, many=many)
            for s in stages_in_order
            for question in s.questions
        ]
        order = {
            entry.question.id: [id_ for id_, _ in entry.options]
            for entry in entries
            if shuffle is not None and entry.question.choices
        }
        view: dict[str, Any] = {
            "words": self._words,
            "stages": stages_in_order,
            "asked": entries,
            "many": many,
            "rationale": self._template.rationale,
            "source_language": language_names.name(languages[0]),
            "target_language": language_names.name(languages[1]),
        }
        labels_by_name = {name: chosen_labels for name, chosen_labels in labels.items() if chosen_labels}
        schema = stage_schema(stages_in_order, chosen=labels_by_name, outputs=outputs)
        if self._template.rationale:
            schema = _with_rationale(schema)
        view["form"] = describe_form(schema)
        return _Frame(render(self._template, "system", view), schema, order, view)

    def _question(
        self, stage: Stage, question: Question, labels: tuple[str, ...], stages: Sequence[Stage], *, many: bool
    ) -> _PromptQuestion:
        """A question with what depends on answers that are not known yet: those of the same reply, or all of them where
        many sentences are asked about at once."""
        here = {other.id for each in stages for other in each.questions}
        conditions = [entry for entry in (stage.when, question.when) if entry and (many or entry.question in here)]
        source = self.protocol.find(question.for_each) if question.for_each and not labels else None
        return _PromptQuestion(
            question,
            self._words,
            labels,
            undecided=" and ".join(map(condition_in_words, conditions)),
            possible=tuple(option.id for option in source[1].choices) if source else (),
            is_repeated_here=question.for_each in here,
        )

    def _earlier_answers(self, stages: Sequence[Stage], answers: Mapping[str, Json]) -> list[tuple[str, str]]:
        """The judge's own earlier answers, from this page and from those that decide what it asks. Other pages (other
        scenarios, say) stay out: which of them were answered first must not change what is asked here."""
        key = tuple(question.id for stage in stages for question in stage.questions)
        if key not in self._earlier:
            self._earlier[key] = self._questions_to_repeat(stages)
        return [
            (self._words.question(question.id).label, json.dumps(answers[question.id], ensure_ascii=False))
            for question in self._earlier[key]
            if answers.get(question.id) not in (None, [], {})
        ]

    def _questions_to_repeat(self, stages: Sequence[Stage]) -> tuple[Question, ...]:
        questions = [question for stage in stages for question in stage.questions]
        conditions = [entry.when for entry in (*stages, *questions) if entry.when]
        decisive = {condition.question for condition in conditions} | {q.for_each for q in questions if q.for_each}
        pages = {stage.page_id for stage in stages}
        pages |= {stage.page_id for stage, question in self.protocol.questions if question.id in decisive}
        now = {question.id for question in questions}
        return tuple(
            question
            for stage, question in self.protocol.questions
            if stage.page_id in pages and question.id not in now and isinstance(question, Choice | Labels)
        )


def _signature(stages: Sequence[Stage]) -> tuple[object, ...]:
    """What tells stages of one protocol apart: a call may ask a part of one, a question or a row."""
    return tuple((s.id, *((q.id, len(q.choices), q.choices[:1]) for q in s.questions)) for s in stages)


@dataclass(frozen=True)
class _Frame:
    system: str
    schema: Mapping[str, Json]
    order: Mapping[str, Sequence[str]]
    view: dict[str, Any]

    @cached_property
    def hash(self) -> str:
        return _digest(json.dumps(self.schema, sort_keys=True))

    @cached_property
    def system_hash(self) -> str:
        return _digest(self.system)


def _with_rationale(schema: Mapping[str, Json]) -> dict[str, Json]:
    """The schema with reasons first: a model writes in the order of the properties."""
    return {
        **schema,
        "properties": {RATIONALE: {"type": "string"}, **schema["properties"]},
        "required": [RATIONALE, *schema["required"]],
    }


def _shuffle(stage: Stage, dice: Random) -> Stage:
    """The stage with its unordered options in another order."""
    questions: list[Question] = []
    for question in stage.questions:
        name = "rows" if isinstance(question, Grid) else "options"
        options = list(getattr(question, name, ()))
        dice.shuffle(options)
        questions.append(question.model_copy(update={name: tuple(options)}) if options else question)
    return stage.model_copy(update={"questions": tuple(questions)})


@dataclass(frozen=True)
class _PromptQuestion:
    question: Question
    words: Wording
    chosen: tuple[str, ...]
    undecided: str
    """On which answers it depends whether the question is asked."""
    possible: tuple[str, ...]
    """The labels that it may be repeated for, where it is not known for which."""
    is_repeated_here: bool

    @property
    def rules(self) -> list[str]:
        """What a page enforces by itself: when the question is asked, which answers go together."""
        return list(self._rules())

    def _rules(self) -> Iterator[str]:
        question = self.question
        if self.undecided:
            yield f"Only if {self.undecided}; else null."
        if self.possible:
            others = "; null for the others." if self.is_repeated_here else "."
            yield f"For those of these ids that are chosen in {question.for_each}{others}"
        step = getattr(question, "step", 1)
        if step not in (0, 1):
            yield f"In steps of {step:g}."
        if isinstance(question, Labels) and question.counts:
            yield "The value is how often each occurs."
        if isinstance(question, Labels) and question.exclusive:
            yield f"If {question.exclusive} is chosen, it stands alone."
        if isinstance(question, Spans) and question.max:
            yield f"{question.max} at most."
        if isinstance(question, Spans) and question.missing:
            yield (
                'For what the translation leaves out, "missing" is true and "text" quotes the source, with the side '
                '"source".'
            )

    @property
    def bounds(self) -> str:
        """The ends of a scale with their words: "from 0 (nothing) to 100 (perfect)"."""
        words = self.words.question(self.question.id)
        ends = ((getattr(self.question, "min", None), words.low), (getattr(self.question, "max", None), words.high))
        low, high = (f"{end:g} ({text})" if text else f"{end:g}" for end, text in ends if end is not None)
        return f"from {low} to {high}"

    @property
    def number(self) -> str:
        """How many labels may be given."""
        least, most = getattr(self.question, "min", 0), getattr(self.question, "max", None)
        return (f"At least {least}" if least else "Any number") + (f", at most {most}" if most else "")

    @property
    def options(self) -> list[tuple[str, Any]]:
        """Every option with its words, in the order of the protocol; for a repeated question the chosen labels."""
        own = [(option.id, self.words.option(self.question.id, option.id)) for option in self.question.choices]
        source = self.question.for_each or ""
        return own + [(label, self.words.option(source, label)) for label in self.chosen or self.possible]


# Prompts to look at, without a campaign.


EXAMPLE = Document(
    "example",
    tuple(
        Segment(str(place), source, {"system": output, "other": output}, {"reference": output})
        for place, (source, output) in enumerate(
            (
                ("The ferry was late.", "Die Fähre war zu spät."),
                ("It had met a storm.", "Sie war in einen Sturm geraten."),
            ),
            1,
        )
    ),
    "en",
    "de",
)
"""Two sentences, to fill a prompt with where no text is given."""


def stage_prompts(
    protocol: Protocol, settings: PromptSettings, document: Document = EXAMPLE
) -> list[tuple[Stage, Item, Prompt]]:
    """The prompt of each stage of a protocol about the first sentence; questionnaires are not for models."""
    prompter = Prompter(protocol, settings)
    systems = tuple(document.systems)
    prompts: list[tuple[Stage, Item, Prompt]] = []
    for stage in prompter.asked(protocol.stages):
        if stage.unit is Unit.JUDGE:
            continue
        number = stage.outputs if stage.object is Object.OUTPUTS else 1
        names = (systems * number)[:number] if len(systems) < number else systems[:number]
        item = Item(document.id, "" if stage.unit is Unit.DOCUMENT else document.segments[0].id, names)
        if not fits(stage, item):
            continue
        item = replace(item, systems=systems_of(stage, item))
        prompts.append((stage, item, prompter.prompt([stage], document, item)))
    return prompts


# Examples for a model: items with the answer that people agreed on, shown before the question.
#
# An adjudicated answer is an example wherever it stands; answers of people are where they calibrate. An item of a
# document is never an example for the same document, nor for one that has the same sentence, or other languages.


@dataclass(frozen=True, slots=True)
class PromptExample:
    """An item, what people answered, and the document it is from."""

    document: Document
    item: Item
    answers: Mapping[str, Json]


def find_examples(store: Store, reference: str | int) -> list[PromptExample]:
    """Adjudicated items, and calibration items that people have answered, in the order of the texts. Where a question
    was adjudicated, that answer stands for all others."""
    target = campaign.get(store, reference)
    protocol = campaign.protocol(store, target.id)
    questions = {question.id: question for _, question in protocol.questions}
    kinds = {judge.id: judge.kind for judge in campaign.judges(store, target.id)}
    left_out = campaign.left_out(store, target.id)
    calibration = set(target.settings.get("calibration") or ())
    documents = {document.id: document for document in campaign.documents(store, target.id)}
    votes: dict[tuple[str, str, tuple[str, ...]], dict[str, list[Json]]] = defaultdict(lambda: defaultdict(list))
    final: dict[tuple[str, str, tuple[str, ...]], dict[str, list[Json]]] = defaultdict(lambda: defaultdict(list))
    for judgement in campaign.judgements(store, target.id):
        if judgement.value is None or judgement.document not in documents or judgement.judge in left_out:
            continue
        if kind_of(questions[judgement.question]).is_unreviewed(questions[judgement.question], judgement.value):
            continue
        entry = in_one_order(protocol, judgement)
        key = (entry.document, entry.segment, tuple(entry.systems))
        kind = kinds.get(entry.judge)
        calibrates = entry.role is Role.CALIBRATION or (entry.role is Role.MAIN and entry.document in calibration)
        if kind is JudgeKind.ADJUDICATED:
            final[key][entry.question].append(entry.value)
        elif kind is JudgeKind.PERSON and calibrates:
            votes[key][entry.question].append(entry.value)
    for key, values_by_question in final.items():
        votes[key] |= values_by_question
    units: dict[tuple[str, str], dict[str, Json]] = defaultdict(dict)
    answers_by_item = {
        key: {name: combine(questions[name], values) for name, values in values_by_question.items()}
        for key, values_by_question in votes.items()
    }
    for (document, segment, systems), answers in answers_by_item.items():
        if not systems:
            units[document, segment] |= answers
    return [
        PromptExample(documents[document], Item(document, segment, systems), {**units[document, segment], **answers})
        for (document, segment, systems), answers in answers_by_item.items()
    ]


def require_examples(examples: Sequence[PromptExample], number: int, documents: Iterable[Document] = ()) -> None:
    """Refuse to go on without the examples that were asked for: the model would be another judge than was meant. Each
    language pair of the `documents` needs its own."""
    if number and not examples:
        raise LannerError(
            "There are no examples to show: no item was adjudicated, and no person answered a calibration item.",
            next_step="Let people judge a calibration round first, or leave out few_shot.",
        )
    pairs = {example.document.language_pair for example in examples}
    lacking = sorted({document.language_pair for document in documents} - pairs)
    if number and lacking:
        raise LannerError(
            f"There are no examples for {listed(lacking)}: what was adjudicated or calibrated has other languages.",
            next_step="Let people calibrate in each language pair, or leave out few_shot.",
        )


class PromptExamples:
    """The examples of one run, as messages for each call."""

    def __init__(self, examples: Sequence[PromptExample], prompter: Prompter, number: int) -> None:
        self._examples = examples if number else ()
        self._prompter = prompter
        self._number = number
        self._turns: dict[tuple[object, ...], list[tuple[PromptExample, tuple[Mapping[str, str], ...]]]] = {}
        if number and prompter.settings.template.rationale:
            raise LannerError(
                "Examples have no reasons, so they would teach the model to leave them out.",
                next_step="Leave out few_shot, or the reasons before the scores.",
            )

    def messages(self, stages: Sequence[Stage], document: Document) -> tuple[Mapping[str, str], ...]:
        """Question and answer of so many examples from other documents."""
        if not self._examples:
            return ()
        key = _signature(stages)
        if key not in self._turns:
            pairs = [(example, self._question_and_reply(stages, example)) for example in self._examples]
            self._turns[key] = [(example, turns) for example, turns in pairs if turns]
        others = [
            turns
            for example, turns in self._turns[key]
            if example.document.language_pair == document.language_pair and not _leaks(example, document)
        ]
        return tuple(turn for turns in others[: self._number] for turn in turns)

    def _question_and_reply(self, stages: Sequence[Stage], example: PromptExample) -> tuple[Mapping[str, str], ...]:
        if not all(fits(stage, example.item) for stage in stages):
            return ()
        answers = example.answers
        answer: dict[str, Json] = {}
        for stage in stages:
            for question in stage.questions:
                applies = holds(stage.when, answers) and holds(question.when, answers)
                value = answers.get(question.id) if applies else None
                if applies and value is None and (question.required or kind_of(question).has_empty_answer(question)):
                    return ()
                answer[question.id] = as_asked(stage, question, value, outputs=max(2, len(example.item.systems)))
        item = replace(example.item, systems=systems_of(stages[0], example.item))
        prompt = self._prompter.prompt(stages, example.document, item, answers=answers)
        reply = json.dumps(answer, ensure_ascii=False)
        return ({"role": "user", "content": prompt.user}, {"role": "assistant", "content": reply})


def _leaks(example: PromptExample, document: Document) -> bool:
    """Whether an example would tell the answer: it is from this document, or its sentence stands in it as well."""
    if example.document.id == document.id:
        return True
    segment = example.document.segment(example.item.segment) if example.item.segment else None
    return segment is not None and any(other.source == segment.source for other in document.segments)
