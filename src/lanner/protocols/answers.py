"""Whether an answer is one its question allows, wherever it comes from: a page, a model, a file.

People and models are checked strictly: the first violation raises `AnswerError`. Files of others are read leniently:
a violation becomes a flag on the judgement, an alias is resolved and counted, and only what cannot be understood at
all (an unknown label) is an error. Nothing is repaired silently and nothing is dropped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import assert_never

from lanner.errors import AnswerError, did_you_mean
from lanner.model import (
    Choice,
    Document,
    Grid,
    Item,
    Json,
    Labels,
    Number,
    Option,
    Question,
    Rank,
    Scale,
    Spans,
    Text,
)
from lanner.protocols.prefilled import of_segment
from lanner.protocols.spans import check_spans


@dataclass(frozen=True, slots=True)
class Texts:
    """What the judge saw, for checking that a span's text stands where the span says. `prefilled` are the spans that
    were offered to begin with; None where that is not known."""

    source: str = ""
    targets: tuple[str, ...] = ()
    prefilled: tuple[Mapping[str, Json], ...] | None = None


@dataclass(frozen=True, slots=True)
class Accepted:
    """An answer taken in lenient mode: the value to store, the rules it breaks, how many aliases were resolved."""

    value: Json
    flags: tuple[str, ...] = ()
    repairs: int = 0


@dataclass(slots=True)
class Check:
    """One check under way: either raises at the first violation, or collects flags and resolves aliases."""

    question: Question
    strict: bool
    flags: list[str] = field(default_factory=list)
    repairs: int = 0

    def violation(self, code: str, what: str, hint: str = "") -> None:
        """A rule is broken: raise when strict, else remember it."""
        if self.strict:
            raise self.error(code, what, hint)
        self.flags.append(code)

    def error(self, code: str, what: str, hint: str = "") -> AnswerError:
        return AnswerError(f"{self.question.id}: {what}", question=self.question.id, code=code, next_step=hint)

    def option(self, given: Json, options: Sequence[Option]) -> str:
        """The id that was given, or in lenient mode the id that an alias stands for."""
        if isinstance(given, str):
            for option in options:  # a loop that ends early: a save asks this for every row of a grid
                if option.id == given:
                    return given
            if not self.strict and (found := resolve(given, options)):
                self.repairs += 1
                return found
        ids = [option.id for option in options]
        spellings = ids if self.strict else [*ids, *(alias for option in options for alias in option.aliases)]
        raise self.error("unknown", f"{given!r} is not one of the answers.", did_you_mean(str(given), spellings))

    def number(self, given: Json) -> float | None:
        """A finite number; in lenient mode also one written as text."""
        if isinstance(given, str) and not self.strict:
            try:
                given = float(given.strip())
            except ValueError:
                raise self.error("not_a_number", f"{given!r} is not a number.") from None
        if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
            raise self.error("not_a_number", f"{given!r} is not a number.")
        return int(given) if float(given).is_integer() else float(given)


def check(
    question: Question, value: Json, *, texts: Texts | None = None, chosen: Sequence[str] = (), outputs: int = 2
) -> Json:
    """The value in the form it is stored in, or an `AnswerError` that says what is wrong. None clears an answer that
    is not required. `chosen` are the labels a `for_each` question is repeated for."""
    return _answer(Check(question, strict=True), value, texts, chosen, outputs)


def texts_of(document: Document, item: Item) -> Texts:
    """What a judge sees of an item: its segment, or all segments of the document one per line."""
    segments = [s for s in document.segments if item.segment in ("", s.id)]
    shown = [item.texts.get(name, "\n".join(s.text(name) or "" for s in segments)) for name in item.systems]
    offered = [
        {**span, "output": place} if len(item.systems) > 1 else span
        for place, name in enumerate(item.systems)
        for s in segments
        for span in of_segment(s, name)
        if item.segment and name not in item.texts
    ]
    source = item.texts.get("", "\n".join(s.source for s in segments))
    return Texts(source, tuple(shown), tuple(offered))


def accept(
    question: Question, value: Json, *, texts: Texts | None = None, chosen: Sequence[str] = (), outputs: int = 2
) -> Accepted:
    """The value as far as it can be understood, with what is wrong about it as flags."""
    checked = Check(question, strict=False)
    stored = _answer(checked, value, texts, chosen, outputs)
    return Accepted(stored, tuple(dict.fromkeys(checked.flags)), checked.repairs)


def fold(text: str) -> str:
    """Spelling without case and punctuation, for comparing labels: "Local  contextual" is "local contextual"."""
    return re.sub(r"[\W_]+", " ", text.casefold()).strip()


def resolve(given: str, options: Sequence[Option]) -> str | None:
    """The option meant by an id or alias in any capitals and punctuation, alone or after the name of its parent
    ("Accuracy/Omission")."""
    if not isinstance(options, tuple):
        return _meanings(options).get(fold(given))
    held, meant = _MEANT.get(id(options), ((), {}))
    if held is not options:
        if len(_MEANT) >= _MOST_MEANT:
            _MEANT.clear()
        meant = _meanings(options)
        _MEANT[id(options)] = (options, meant)
    return meant.get(_folded(given))


@lru_cache(maxsize=4096)
def _folded(text: str) -> str:
    return fold(text)


_MOST_MEANT = 256
_MEANT: dict[int, tuple[tuple[Option, ...], dict[str, str]]] = {}
"""What each spelling means, by the identity of the options, which are kept here so that it stays theirs: a file has
millions of labels, and to hash the options for each of them takes longer than all the rest."""


def _meanings(options: Sequence[Option]) -> dict[str, str]:
    """Every spelling of every option, the first option that has it."""
    by_id = {option.id: option for option in options}
    made: dict[str, str] = {}
    for option in options:
        names = _spellings(option)
        if option.parent in by_id:
            names |= {f"{above} {name}" for above in _spellings(by_id[option.parent]) for name in names}
        for name in names:
            made.setdefault(name, option.id)
    return made


def _spellings(option: Option) -> set[str]:
    return {fold(name) for name in (option.id, *option.aliases)}


def _answer(checked: Check, value: Json, texts: Texts | None, chosen: Sequence[str], outputs: int) -> Json:
    question = checked.question
    if value is None:
        if question.required:
            checked.violation("missing", "an answer is needed.")
        return None
    if question.for_each:
        return _for_each(checked, value, texts, chosen, outputs)
    return _one(checked, value, texts, outputs)


def _for_each(checked: Check, value: Json, texts: Texts | None, chosen: Sequence[str], outputs: int) -> Json:
    if not isinstance(value, Mapping):
        raise checked.error("shape", "needs an answer for each chosen label.")
    if extra := [label for label in value if label not in chosen]:
        checked.violation("not_chosen", f"{extra[0]!r} was not chosen before.", did_you_mean(str(extra[0]), chosen))
    if lacking := [label for label in chosen if value.get(label) is None]:
        checked.violation("incomplete", f"{lacking[0]!r} has no answer yet.")
    order = [*chosen, *(label for label in value if label not in chosen)]
    return {label: _one(checked, value[label], texts, outputs) for label in order if value.get(label) is not None}


def _one(checked: Check, value: Json, texts: Texts | None, outputs: int) -> Json:
    question = checked.question
    match question:
        case Scale():
            return _scale(checked, question, value)
        case Number():
            return _count(checked, question, value)
        case Choice():
            return checked.option(value, question.options)
        case Labels():
            return _labels(checked, question, value)
        case Grid():
            return _grid(checked, question, value)
        case Spans():
            if texts is None:
                return check_spans(checked, question, value, source=None, targets=())
            return check_spans(
                checked, question, value, source=texts.source, targets=texts.targets, prefilled=texts.prefilled
            )
        case Rank():
            return _rank(checked, question, value, outputs)
        case Text():
            return _text(checked, question, value)
        case _:
            assert_never(question)


def _scale(checked: Check, question: Scale, value: Json) -> Json:
    number = checked.number(value)
    if number is None or not question.min <= number <= question.max:
        checked.violation("out_of_range", f"{value!r} is not between {question.min:g} and {question.max:g}.")
    elif question.step and abs((steps := (number - question.min) / question.step) - round(steps)) > 1e-9:
        checked.violation("off_step", f"{value!r} is not on the scale's steps of {question.step:g}.")
    return number


def _count(checked: Check, question: Number, value: Json) -> Json:
    number = checked.number(value)
    assert number is not None
    if question.integer and not float(number).is_integer():
        checked.violation("not_whole", f"{value!r} is not a whole number.")
    if question.min is not None and number < question.min:
        checked.violation("out_of_range", f"{value!r} is below {question.min:g}.")
    if question.max is not None and number > question.max:
        checked.violation("out_of_range", f"{value!r} is above {question.max:g}.")
    return number


def _labels(checked: Check, question: Labels, value: Json) -> Json:
    if question.counts:
        return _counted(checked, question, value)
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise checked.error("shape", f"{value!r} is not a list of labels.")
    given = [checked.option(entry, question.options) for entry in value]
    distinct = list(dict.fromkeys(given))
    if len(distinct) < len(given):
        twice = next(label for label in given if given.count(label) > 1)
        checked.violation("repeated", f"{twice!r} is given more than once.")
    _how_many(checked, question, distinct)
    order = [option.id for option in question.options]
    return sorted(given, key=order.index)  # what a file repeats stays repeated, with its flag


def _how_many(checked: Check, question: Labels, labels: Sequence[str]) -> None:
    if question.exclusive and question.exclusive in labels:
        if len(labels) > 1:
            checked.violation("not_exclusive", f"{question.exclusive!r} stands alone.")
        return
    if len(labels) < question.min:
        checked.violation("too_few", f"{len(labels)} chosen, at least {question.min} needed.")
    if question.max is not None and len(labels) > question.max:
        checked.violation("too_many", f"{len(labels)} chosen, at most {question.max} allowed.")


def _counted(checked: Check, question: Labels, value: Json) -> Json:
    if not isinstance(value, Mapping):
        raise checked.error("shape", f"{value!r} is not an object from label to count.")
    counts: dict[str, int] = {}
    for label, number in value.items():
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise checked.error("not_a_count", f"{number!r} is not a count.")
        if number:
            name = checked.option(label, question.options)
            counts[name] = counts.get(name, 0) + number
    _how_many(checked, question, list(counts))
    return {option.id: counts[option.id] for option in question.options if option.id in counts}


def _grid(checked: Check, question: Grid, value: Json) -> Json:
    if not isinstance(value, Mapping):
        raise checked.error("shape", f"{value!r} is not an object from row to answer.")
    given = {checked.option(row, question.rows): option for row, option in value.items()}
    rated: dict[str, str] = {}
    for row in question.rows:
        if given.get(row.id) is None:
            checked.violation("incomplete", f"the row {row.id!r} has no answer.")
        else:
            rated[row.id] = checked.option(given[row.id], question.options)
    return rated


def _rank(checked: Check, question: Rank, value: Json, outputs: int) -> Json:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != outputs:
        raise checked.error("shape", f"{value!r} is not a list of {outputs} ranks.")
    if any(isinstance(rank, bool) or not isinstance(rank, int) or rank < 1 for rank in value):
        raise checked.error("shape", f"{value!r}: ranks are whole numbers from 1.")
    if not question.ties and len(set(value)) < len(value):
        checked.violation("tie", "ties are not allowed.")
    levels = sorted(set(value))
    return [levels.index(rank) + 1 for rank in value]


def _text(checked: Check, question: Text, value: Json) -> Json:
    if not isinstance(value, str):
        raise checked.error("shape", f"{value!r} is not text.")
    stripped = value.strip()
    if question.required and not stripped:
        checked.violation("missing", "an answer is needed.")
    if len(stripped) > question.max_length:
        checked.violation("too_long", f"{len(stripped)} characters, at most {question.max_length} are kept.")
    return stripped or None
