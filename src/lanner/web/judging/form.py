"""Questions as a page shows them: words in one language, keys, groups, limits, and the form each kind takes.

The markup made from these is the contract with the page's script, which knows kinds of questions and no protocol.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import assert_never

from lanner.model import (
    Choice,
    Condition,
    Grid,
    Json,
    Labels,
    Number,
    Option,
    Protocol,
    Question,
    Rank,
    Scale,
    Spans,
    Stage,
    Text,
    Unit,
)
from lanner.model.protocol import Wording, Words
from lanner.web.speech import Messages

_SHORT = 22  # letters of a label that fit in half the rail


@dataclass(frozen=True, slots=True)
class FormOption:
    """Something that can be chosen: an option, a line of a grid, a point of a scale, an output to rank."""

    id: str
    label: str
    short: str = ""
    help: str = ""
    definition: str = ""
    key: str = ""
    group: str = ""
    parent: str = ""
    level: int = 0
    low: str = ""
    high: str = ""
    quiet: bool = False  # preselected: choosing it says nothing


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """Picks under one heading; `tone` is the number of its colour, 0 for none."""

    id: str
    label: str
    help: str
    tone: int
    picks: tuple[FormOption, ...]


@dataclass(frozen=True, slots=True)
class FormQuestion:
    """One question on the page. `display` is how its kind is drawn; `need` how many answers it wants."""

    id: str
    kind: str
    display: str
    label: str
    short: str
    help: str
    definition: str
    low: str
    high: str
    letter: str
    hint: str
    required: bool
    stage: str
    need: int = 1
    most: int | None = None
    when: str = ""
    each: str = ""
    next: str = ""
    exclusive: str = ""
    preset: str = ""
    options: tuple[FormOption, ...] = ()
    rows: tuple[FormOption, ...] = ()
    groups: tuple[OptionGroup, ...] = ()
    severities: tuple[FormOption, ...] = ()
    sides: tuple[str, ...] = ()
    missing: bool = False
    link: bool = False
    prefilled: bool = False
    numbers: Mapping[str, float] = field(default_factory=dict)  # min, max, step, lines, length
    value: Json = None
    shown: bool = True
    shown_rows: frozenset[str] = frozenset()

    @property
    def short_marks(self) -> bool:
        """Whether labelled points fit two to a line."""
        return len(self.options) % 2 == 0 and all(len(pick.label) <= _SHORT for pick in self.options)

    @property
    def direct(self) -> bool:
        """Whether digits pick a line of this grid without anything armed before."""
        return bool(self.rows) and any(row.key for row in self.rows)


MOST_BUTTONS = 11
_MOST_LISTED = 12
_MOST_ROW_LETTERS = 34  # labels that fit beside each other in the rail
_MOST_GIST = 72
_TAKEN = "jkudgiofw"  # letters of the page itself
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def asks(
    protocol: Protocol, stages: Sequence[Stage], wording: Wording, messages: Messages, outputs: int = 2
) -> tuple[FormQuestion, ...]:
    """Every question of a page in order, with letters for those that have none and the way from one to the next."""
    questions = [
        _by_kind(_base(protocol, stage, question, wording), question, wording, messages, outputs)
        for stage in stages
        for question in stage.questions
    ]
    if all(stage.unit is not Unit.JUDGE for stage in stages):
        questions = list(_assign_letters(questions))
    questions = [
        replace(ask, groups=_groups(protocol, wording, ask.rows or ask.options)) for ask in _direct_rows(questions)
    ]
    for place, ask in enumerate(questions):
        following = next((later.id for later in questions[place + 1 :] if later.letter and later.required), "")
        questions[place] = replace(ask, next="" if ask.direct else following)
    return tuple(questions)


def _base(protocol: Protocol, stage: Stage, question: Question, wording: Wording) -> FormQuestion:
    words = wording.question(question.id)
    words = replace(words, short=words.short or words.label)
    base = FormQuestion(
        id=question.id,
        kind=question.kind,
        display="",
        **asdict(words),
        letter=question.key or "",
        hint="",
        required=question.required,
        need=1 if question.required else 0,
        stage=stage.id,
        when=_condition(question.when, stage.when),
        each=question.for_each or "",
    )
    if question.for_each:
        labelled = protocol.find(question.for_each)
        assert labelled is not None and isinstance(labelled[1], Labels)
        labels = [option for option in labelled[1].options if option.id != labelled[1].exclusive]
        rows = _picks(labelled[1].id, labels, wording, keyed=False)
        base = replace(base, rows=rows)
    return base


def _by_kind(
    base: FormQuestion, question: Question, wording: Wording, messages: Messages, outputs: int
) -> FormQuestion:
    match question:
        case Scale():
            return _scale(base, question, wording, messages)
        case Number():
            return replace(base, display="number", hint=messages.get("hint.number"), numbers=_bounds(question))
        case Choice():
            options = _picks(question.id, question.options, wording, keyed=True)
            display = _choice_display(options)
            if display == "list":
                options = tuple(replace(pick, help=pick.help or _gist(pick.definition)) for pick in options)
            return replace(base, display=display, options=options, hint=messages.get("hint.one"))
        case Labels():
            return _labels(base, question, wording, messages)
        case Grid():
            return _grid(base, question, wording, messages)
        case Spans():
            return _spans(base, question, wording, messages)
        case Rank():
            return _rank(base, question, messages, outputs)
        case Text():
            limits = {"lines": float(question.lines), "length": float(question.max_length)}
            return replace(base, display="text", hint=messages.get("hint.text"), numbers=limits)
        case _:
            assert_never(question)


def _scale(base: FormQuestion, question: Scale, wording: Wording, messages: Messages) -> FormQuestion:
    numbers = {"min": question.min, "max": question.max, "step": question.step}
    points = round((question.max - question.min) / question.step) + 1 if question.step else 0
    marks = tuple(_mark(question.id, mark, wording) for mark in question.marks)
    if question.display == "slider" or not 2 <= points <= MOST_BUTTONS:
        hint = messages.get("hint.slider", low=f"{question.min:g}", high=f"{question.max:g}")
        descending = tuple(sorted(marks, key=lambda mark: -float(mark.id)))
        return replace(base, display="slider", options=descending, numbers=numbers, hint=hint)
    values = [question.min + place * question.step for place in range(points)]
    marks_by_id = {mark.id: mark for mark in marks}
    digits = _digits(values)
    options = tuple(
        replace(marks_by_id.get(f"{value:g}") or _mark(question.id, value, wording), key=key)
        for value, key in zip(values, digits, strict=True)
    )
    display = "list" if any(option.label for option in options) else "buttons"
    hint = messages.get("hint.scale", low=f"{question.min:g}", high=f"{question.max:g}")
    return replace(base, display=display, options=options, numbers=numbers, hint=hint)


def _mark(question_id: str, value: float, wording: Wording) -> FormOption:
    """A point of a scale; its label is empty where the protocol has no words for it."""
    return FormOption(f"{value:g}", wording.mark(question_id, value))


def _digits(values: Sequence[float]) -> list[str]:
    """The key for each point: its own digit, 0 for 10; by position where the points are no single digits."""
    if all(value.is_integer() and 0 <= value <= 10 for value in map(float, values)) and not {0.0, 10.0} <= set(values):
        return [f"{value % 10:g}" for value in values]
    return [_position(place) for place in range(len(values))]


def _position(place: int) -> str:
    return "1234567890"[place] if place < 10 else ""


def _labels(base: FormQuestion, question: Labels, wording: Wording, messages: Messages) -> FormQuestion:
    options = _picks(question.id, question.options, wording, keyed=True)
    exact = question.max is not None and question.max == question.min
    # that none applies is an answer, which accepting gives, except where a label of its own says so
    can_be_none = question.min == 0 and not question.exclusive
    hint = messages.get("hint.some" if exact else "hint.at_least", n=question.min)
    if question.min == 0:
        hint = messages.get("hint.one") if question.required and not can_be_none else ""
    preset = ("{}" if question.counts else "[]") if question.required and can_be_none else ""
    return replace(
        base,
        display="counts" if question.counts else "checks",
        options=options,
        need=question.min if can_be_none or not question.required else max(question.min, 1),
        most=question.max,
        exclusive=question.exclusive or "",
        preset=preset,
        hint=hint,
    )


def _grid(base: FormQuestion, question: Grid, wording: Wording, messages: Messages) -> FormQuestion:
    options = _picks(question.id, question.options, wording, keyed=True)
    by_value = [option.value for option in question.options]
    if all(value is not None and float(value).is_integer() and 0 <= value <= 9 for value in by_value):
        options = tuple(replace(o, key=f"{v:g}") for o, v in zip(options, by_value, strict=True))
    options = tuple(replace(option, quiet=option.id == question.preselected) for option in options)
    rows = _picks(question.id, question.rows, wording, keyed=False)
    preset = json.dumps({row.id: question.preselected for row in rows}) if question.preselected else ""
    return replace(
        base,
        display="grid",
        options=options,
        rows=rows,
        preset=preset,
        need=len(rows) if question.required else 0,
        hint=messages.get("hint.grid"),
    )


def severity_level(question: Spans, severity: Json) -> int:
    """How a mark is drawn, from 0 (no severity) to 4."""
    names = [option.id for option in question.severities]
    first = {0: 0, 1: 3, 2: 2, 3: 2}.get(len(names), 1)
    return min(4, first + names.index(severity)) if severity in names else 0


def _spans(base: FormQuestion, question: Spans, wording: Wording, messages: Messages) -> FormQuestion:
    severities = _picks(question.id, question.severities, wording, keyed=True)
    return replace(
        base,
        display="spans",
        preset="[]",
        hint=messages.get("hint.spans"),
        options=_picks(question.id, question.categories, wording, keyed=True),
        severities=tuple(replace(pick, level=severity_level(question, pick.id)) for pick in severities),
        sides=tuple(question.sides),
        missing=question.missing,
        link=question.link,
        prefilled=question.prefilled,
        most=question.max,
    )


def _rank(base: FormQuestion, question: Rank, messages: Messages, outputs: int) -> FormQuestion:
    letters = LETTERS[:outputs]
    if outputs == 2:
        first, second = (messages.get("rank.first", a=letter) for letter in letters)
        tie = [FormOption("1,1", messages.get("rank.tie"), short="=")] if question.ties else []
        orders = (FormOption("1,2", first, short="A"), *tie, FormOption("2,1", second, short="B"))
        options = tuple(replace(order, key=str(key)) for key, order in enumerate(orders, start=1))
        return replace(base, display="buttons", options=options, hint=messages.get("hint.one"))
    places = tuple(FormOption(str(n), "", short=str(n), key=str(n)) for n in range(1, outputs + 1))
    rows = tuple(FormOption(str(n), messages.get("doc.output", letter=letter)) for n, letter in enumerate(letters))
    hint, most = messages.get("hint.rank"), None if question.ties else 1
    said = " · ".join(filter(None, [messages.get("rank.best"), base.help]))  # whatever the protocol says
    return replace(base, display="order", options=places, rows=rows, need=outputs, most=most, hint=hint, help=said)


def _picks(question_id: str, options: Iterable[Option], wording: Wording, *, keyed: bool) -> tuple[FormOption, ...]:
    picks = []
    siblings: dict[str, int] = {}
    for option in options:
        words: Words = wording.option(question_id, option.id)
        parent = option.parent or ""
        place = siblings[parent] = siblings.get(parent, -1) + 1
        key = _position(place) if keyed else ""
        picks.append(FormOption(option.id, **asdict(words), key=key, group=option.group or "", parent=parent))
    return tuple(picks)


def _groups(protocol: Protocol, wording: Wording, picks: Sequence[FormOption]) -> tuple[OptionGroup, ...]:
    """Picks by group, in the protocol's order; those without one come first, under no heading."""
    if not any(pick.group for pick in picks):
        return ()
    order = [*protocol.groups, *(pick.group for pick in picks)]
    groups = []
    for number, name in enumerate(dict.fromkeys(["", *filter(None, order)])):
        members = tuple(pick for pick in picks if pick.group == name)
        if members:
            words = wording.group(name) if name else Words("")
            groups.append(OptionGroup(name, words.label, words.help, number, members))
    return tuple(groups)


def _choice_display(options: Sequence[FormOption]) -> str:
    if len(options) > _MOST_LISTED:
        return "select"
    short = sum(len(option.short or option.label) for option in options) <= _MOST_ROW_LETTERS
    plain = not any(option.help or option.definition for option in options)
    return "buttons" if short and plain and len(options) <= 6 else "list"


def _gist(definition: str) -> str:
    """The first clause of a definition, cut at a word where it is too long to stand under its term."""
    first = re.split(r"[.:;。：；]", definition, maxsplit=1)[0].strip()
    if len(first) <= _MOST_GIST:
        return first
    cut = first[:_MOST_GIST]
    return f"{cut.rpartition(' ')[0].rstrip(' ,;') or cut} …"


def _bounds(question: Number) -> dict[str, float]:
    bounds = {"min": question.min, "max": question.max, "step": 1 if question.integer else None}
    return {name: float(value) for name, value in bounds.items() if value is not None}


def _condition(own: Condition | None, of_stage: Condition | None) -> str:
    """All conditions as the script reads them, with the names a protocol file uses."""
    conditions = [c.model_dump(by_alias=True, exclude_defaults=True) for c in (of_stage, own) if c is not None]
    return json.dumps(conditions) if conditions else ""


def _assign_letters(questions: Sequence[FormQuestion]) -> Iterator[FormQuestion]:
    letters = {*_TAKEN, *(ask.letter for ask in questions)}
    for ask in questions:
        free = next((letter for letter in ask.id if letter.isalpha() and letter not in letters), "")
        wants = not ask.letter and ask.kind not in ("grid", "spans")
        letters.add(free if wants else "")
        yield replace(ask, letter=free) if wants else ask


def _direct_rows(questions: Sequence[FormQuestion]) -> Iterator[FormQuestion]:
    """The first grid that starts out filled in takes the bare digits for its lines."""
    first = next((ask.id for ask in questions if ask.kind == "grid" and ask.preset and not ask.each), None)
    for ask in questions:
        if ask.id != first:
            yield ask
            continue
        rows = tuple(replace(row, key=_position(place)) for place, row in enumerate(ask.rows))
        yield replace(ask, rows=rows)
