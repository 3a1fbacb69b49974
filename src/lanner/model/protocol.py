"""What is asked: questions of eight kinds, in stages, of a unit and an object. A protocol is data.

A protocol file is TOML; these classes are its shape. Reading files, checking answers, schemas and scores live in
`lanner.protocols`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from math import inf
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from lanner.model import Json, languages

Identifier = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_]*$")]


class Frozen(BaseModel):
    """Base of everything a protocol file is made of: unknown fields are mistakes, nothing changes afterwards."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Unit(StrEnum):
    """How much text one set of answers is about."""

    ISOLATED = "isolated_sentence"
    IN_CONTEXT = "sentence_in_context"
    DOCUMENT = "document"
    JUDGE = "judge"  # questionnaires: asked once of the judge, about no text


class Object(StrEnum):
    """What is asked about: the source alone, one output, or several outputs compared."""

    NONE = "none"
    SOURCE = "source"
    OUTPUT = "output"
    OUTPUTS = "outputs"


class Condition(Frozen):
    """True when an earlier answer of the same judge about the same unit is (not) one of these, or within bounds."""

    question: Identifier
    is_: tuple[str, ...] = Field(default=(), alias="is")
    is_not: tuple[str, ...] = ()
    at_least: float | None = None
    at_most: float | None = None


class Option(Frozen):
    """Something that can be chosen. `value` makes it a number, `group` and `parent` order it; aliases help imports."""

    id: Identifier
    value: float | None = None
    group: Identifier | None = None
    parent: Identifier | None = None
    aliases: tuple[str, ...] = ()


class _Question(Frozen):
    id: Identifier
    required: bool = True
    when: Condition | None = None
    for_each: Identifier | None = None
    """Repeat for each label chosen in that earlier question; the value is then an object from label to answer."""
    key: str | None = Field(default=None, pattern=r"^[a-z]$")
    """The letter that arms the question on the page."""

    @property
    def choices(self) -> tuple[Option, ...]:
        """Every option the question can store, for texts, aliases and columns."""
        return ()


class Scale(_Question):
    """A number between two ends. `step` 0 means continuous; `marks` are the points that carry a label."""

    kind: Literal["scale"] = "scale"
    min: float
    max: float
    step: float = Field(default=1, ge=0)
    marks: tuple[float, ...] = ()
    direction: Literal["higher_is_better", "lower_is_better", "neutral"] = "higher_is_better"
    display: Literal["buttons", "slider"] = "buttons"
    unset_start: bool = True  # no question starts answered any more; stored protocols still say it


class Number(_Question):
    """A count or a measure typed in."""

    kind: Literal["number"] = "number"
    min: float | None = None
    max: float | None = None
    integer: bool = True


class Choice(_Question):
    """Exactly one of the options."""

    kind: Literal["choice"] = "choice"
    options: tuple[Option, ...] = Field(min_length=2)
    ordered: bool = False

    @property
    def choices(self) -> tuple[Option, ...]:
        return self.options


class Labels(_Question):
    """A set of options: at least `min`, at most `max`. An `exclusive` option stands alone. With `counts` a label may
    be given several times and the value is an object from label to count."""

    kind: Literal["labels"] = "labels"
    options: tuple[Option, ...] = Field(min_length=2)
    min: int = Field(default=0, ge=0)
    max: int | None = Field(default=None, ge=1)
    exclusive: Identifier | None = None
    counts: bool = False

    @property
    def choices(self) -> tuple[Option, ...]:
        return self.options


class Grid(_Question):
    """The same ordered options for each of several rows, with an option preselected or not."""

    kind: Literal["grid"] = "grid"
    rows: tuple[Option, ...] = Field(min_length=1)
    options: tuple[Option, ...] = Field(min_length=2)
    preselected: Identifier | None = None

    @property
    def choices(self) -> tuple[Option, ...]:
        return self.rows + self.options


class Spans(_Question):
    """Marked stretches of text, in code points, with category and severity. `missing` allows marks for what the
    translation leaves out; `link` joins a span to another place of the document. `prefilled` starts from spans that
    came with the texts or that a model made, and stores what became of each: kept, changed, removed, beside those the
    judge added."""

    kind: Literal["spans"] = "spans"
    sides: tuple[Literal["source", "target"], ...] = ("target",)
    categories: tuple[Option, ...] = ()
    severities: tuple[Option, ...] = ()
    missing: bool = False
    link: bool = False
    prefilled: bool = False
    max: int | None = None
    required: bool = False

    @property
    def choices(self) -> tuple[Option, ...]:
        return self.categories + self.severities


class Rank(_Question):
    """An order of the outputs shown: the value is a list of ranks, 1 best, in the order of the item's systems."""

    kind: Literal["rank"] = "rank"
    ties: bool = True


class Text(_Question):
    """Free text."""

    kind: Literal["text"] = "text"
    max_length: int = 4000
    lines: int = 1
    required: bool = False


Question = Annotated[Scale | Number | Choice | Labels | Grid | Spans | Rank | Text, Field(discriminator="kind")]


LONGEST_DOCUMENT = 1000
"""More sentences than any document has."""


class Context(Frozen):
    """What surrounds a sentence. People see the whole document up to `whole_up_to` sentences, else a window that they
    can open further; a model is given `model_before` and `model_after` sentences, never across a document border."""

    whole_up_to: int = 15
    before: int = 5
    after: int = 5
    can_open: bool = True
    model_before: int = 2
    model_after: int = 2
    sides: tuple[Literal["source", "target", "reference"], ...] = ()
    """Which sides of the sentences around are shown; those that the stage shows, where this is empty."""

    @property
    def is_whole(self) -> bool:
        """Whether people see the whole document, however long it is."""
        return self.whole_up_to >= LONGEST_DOCUMENT


class Promotion(Frozen):
    """Which units go on to this stage: those where more than the share `more_than` of their judges answered `question`
    with `is`; with `per` among the judges who share that attribute, so that each language has units of its own."""

    question: Identifier
    is_: tuple[str, ...] = Field(alias="is")
    more_than: float = Field(ge=0, le=1)
    per: Identifier | None = None
    confirmed_by_organiser: bool = False


Shown = Literal["source", "target", "reference", "domain", "title", "glossary"]


class Stage(Frozen):
    """Questions asked together of one unit and object. Stages with the same `page` are answered on one page.

    `scenario` and `arm` are the factors of an experiment: a judge works in one arm only, and meets a text in one
    scenario only. `role` keeps a stage for the judges whose attribute of that name says so (an analyst). `gate` must
    hold for a judge to go on after this stage (consent).
    """

    id: Identifier
    page: Annotated[str, Field(pattern=r"^([a-z0-9][a-z0-9_]*)?$")] = ""
    unit: Unit
    object: Object
    scenario: Identifier | None = None
    arm: Identifier | None = None
    role: Identifier | None = None
    outputs: int = Field(default=2, ge=2)
    shuffled: bool = False
    show: tuple[Shown, ...] = ("source", "target", "title", "domain")
    context: Context = Context()
    when: Condition | None = None
    promotion: Promotion | None = None
    gate: Condition | None = None
    minutes_per_item: float | None = Field(default=None, gt=0)
    questions: tuple[Question, ...] = Field(min_length=1, alias="question")

    @property
    def page_id(self) -> str:
        return self.page or self.id

    @property
    def around(self) -> tuple[float, int]:
        """How much is shown around a sentence, to put contexts in order: sentences first, then sides."""
        if self.unit is Unit.ISOLATED:
            return 0, 0
        context = self.context
        return inf if context.is_whole else context.before + context.after, len(context.sides)

    @property
    def apart(self) -> bool:
        """Whether each sentence is shown for itself: isolated, or in a context that is shown on some sides only, where
        the translation of a neighbour must not be read beside it."""
        hides = "target" in self.show and bool(self.context.sides) and "target" not in self.context.sides
        adds = "reference" in self.context.sides and "reference" not in self.show
        return self.unit is Unit.ISOLATED or (self.unit is Unit.IN_CONTEXT and (hides or adds))


class Score(Frozen):
    """A named rule from answers to numbers; the rules are in `lanner.protocols.derived`."""

    id: Identifier
    rule: str
    question: Identifier
    when: Condition | None = None
    options: Mapping[str, Json] = Field(default_factory=dict)


class Analysis(Frozen):
    """One line of the analysis plan: a statistic by name and the question or score it is about."""

    statistic: str
    of: Identifier
    options: Mapping[str, Json] = Field(default_factory=dict)


def _content(value: object) -> Json:
    """What was said, without fields left at their default: a release that adds a field must not change any hash."""
    if isinstance(value, BaseModel):
        fields = type(value).model_fields
        values = {name: getattr(value, name) for name in fields}
        return {
            name: _content(v)
            for name, v in values.items()
            if name == "kind" or v != fields[name].get_default(call_default_factory=True)
        }
    if isinstance(value, Mapping):
        return {str(name): _content(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_content(entry) for entry in value]
    return value


IN_CONTEXTS = "_contexts"
"""What is appended to the name of a protocol that is asked in several contexts (`lanner.protocols.context`)."""
GUESSED = "ratings"
"""The name of a protocol that is made from answers which came without one."""


class Protocol(Frozen):
    """One evaluation protocol, complete: what is asked, shown, checked, scored and analysed, in which words."""

    name: Identifier
    version: str
    citation: str = ""
    extends: str = ""
    minutes_per_item: float | None = None
    wording: Literal["", "published"] = ""
    """Whether the questions are asked in the words of the paper; empty for Lanner's own."""
    stages: tuple[Stage, ...] = Field(min_length=1, alias="stage")
    scores: tuple[Score, ...] = Field(default=(), alias="score")
    analyses: tuple[Analysis, ...] = Field(default=(), alias="analysis")
    groups: tuple[Identifier, ...] = ()
    text: Mapping[str, Mapping[str, Json]] = Field(default_factory=dict)

    @cached_property
    def hash(self) -> str:
        """Twelve digits that change whenever anything in the protocol changes, and with nothing else."""
        content = json.dumps(_content(self), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(content.encode()).hexdigest()[:12]

    @property
    def label(self) -> str:
        return f"{self.name}@{self.version}" + (f" ({self.wording} wording)" if self.wording else "")

    @property
    def is_guessed(self) -> bool:
        """Whether it was made from answers, so that nobody knows what judges were asked and shown. An organiser's own
        may have the same name: it says what is scored or analysed, or where it is from."""
        return self.name == GUESSED and not (self.scores or self.analyses or self.citation)

    @property
    def base_name(self) -> str:
        """The name of the protocol that this one asks in several contexts; any other protocol's own."""
        return self.name.removesuffix(IN_CONTEXTS)

    @property
    def contexts(self) -> dict[str, dict[str, str]]:
        """For each question that is asked in several contexts its id in each of them, the fullest context last."""
        by_question: dict[str, dict[str, str]] = {}
        stages = self.stages if self.name.endswith(IN_CONTEXTS) else ()
        for stage in sorted((stage for stage in stages if stage.scenario), key=lambda stage: stage.around):
            for question in stage.questions:
                if question.id.endswith(f"_{stage.scenario}"):
                    stem = question.id.removesuffix(f"_{stage.scenario}")
                    by_question.setdefault(stem, {})[str(stage.scenario)] = question.id
        return {stem: questions for stem, questions in by_question.items() if len(questions) > 1}

    @property
    def pages(self) -> dict[str, tuple[Stage, ...]]:
        """Stages by the page they are answered on, in order."""
        pages: dict[str, tuple[Stage, ...]] = {}
        for stage in self.stages:
            pages[stage.page_id] = (*pages.get(stage.page_id, ()), stage)
        return pages

    @property
    def questions(self) -> Iterator[tuple[Stage, Question]]:
        return ((stage, question) for stage in self.stages for question in stage.questions)

    @property
    def diagnostic(self) -> list[str]:
        """The questions that tell skills or errors of a translation apart, the best first: ratings, marked errors."""
        objects = (Object.OUTPUT, Object.OUTPUTS)
        about = [q for stage, q in self.questions if stage.unit is not Unit.JUDGE and stage.object in objects]
        ratings = [q.id for q in about if isinstance(q, Grid) or (isinstance(q, Scale) and q.for_each)]
        return ratings + [q.id for q in about if isinstance(q, Spans) and "target" in q.sides]

    def minutes(self, page: str) -> float:
        """How long one item of a page is expected to take: what its stages say together, else what the protocol says,
        else a minute."""
        minutes = [stage.minutes_per_item for stage in self.pages[page] if stage.minutes_per_item is not None]
        return sum(minutes) if minutes else self.minutes_per_item or 1.0

    def find(self, question_id: str) -> tuple[Stage, Question] | None:
        return next(((s, q) for s, q in self.questions if q.id == question_id), None)


# The words of a protocol in one language: what a judge reads, and what a model is told.


@dataclass(frozen=True, slots=True)
class Words:
    """The words for one thing. `short` is for a button, `definition` for the drawer; empty where nothing is said."""

    label: str
    short: str = ""
    help: str = ""
    definition: str = ""
    low: str = ""
    high: str = ""


class Wording:
    """Looks words up by id: in the language, then in its parent ("pt" for "pt-BR"), then in English."""

    def __init__(self, protocol: Protocol, language: str = "en") -> None:
        codes = dict.fromkeys((language, language.partition("-")[0], "en", *protocol.text))
        self._tables: list[Mapping[str, Any]] = [protocol.text[code] for code in codes if code in protocol.text]
        self.language = next((code for code in codes if code in protocol.text), "en")
        self._name = protocol.name

    @property
    def comma(self) -> str:
        """What stands between the words of a list."""
        return languages.comma(self.language)

    def _find(self, *path: str) -> Any:
        for table in self._tables:
            value: Any = table
            for part in path:
                value = value.get(part) if isinstance(value, Mapping) else None
            if value is not None:
                return value
        return None

    def _words(self, fallback: str, *paths: tuple[str, ...]) -> Words:
        fields: dict[str, str] = {}
        for path in paths:
            for key in ("label", "short", "help", "definition", "low", "high"):
                if key not in fields and isinstance(text := self._find(*path, key), str):
                    fields[key] = text.strip()
        fields.setdefault("label", fallback)
        return Words(**fields)

    @property
    def title(self) -> str:
        return self.line("title") or self._name

    def line(self, key: str) -> str:
        """A text of the whole protocol: title, summary, instructions, when_to_use."""
        text = self._find(key)
        return text.strip() if isinstance(text, str) else ""

    @property
    def sources(self) -> dict[str, str]:
        """Where the words of a published wording come from; empty for Lanner's own."""
        sources = self._find("sources")
        return {str(what): str(source) for what, source in sources.items()} if isinstance(sources, Mapping) else {}

    def stage(self, stage_id: str, key: str = "title") -> str:
        text = self._find("stages", stage_id, key)
        return text.strip() if isinstance(text, str) else ""

    def group(self, group_id: str) -> Words:
        return self._words(_as_words(group_id), ("groups", group_id))

    def question(self, question_id: str) -> Words:
        return self._words(_as_words(question_id), ("questions", question_id))

    def mark(self, question_id: str, mark: float) -> str:
        """What stands at a labelled point of a scale; "" where nothing does."""
        text = self._find("questions", question_id, "marks", f"{mark:g}")
        return text.strip() if isinstance(text, str) else ""

    def option(self, question_id: str, option_id: str) -> Words:
        """Words for an option: those of the question first, then those shared by the protocol."""
        own = ("questions", question_id, "options", option_id)
        return self._words(_as_words(option_id), own, ("options", option_id))


def _as_words(name: str) -> str:
    return name.replace("_", " ").capitalize()
