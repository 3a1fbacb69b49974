"""Whether an answer is one its question allows, wherever it comes from: a page, a model, a file.

People and models are checked strictly: the first violation raises `AnswerError`. Files of others are read leniently:
a violation becomes a flag on the judgement, an alias is resolved and counted, and only what cannot be understood at
all (an unknown label) is an error. Nothing is repaired silently and nothing is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lanner.errors import did_you_mean
from lanner.model import Document, Item, Json, Question
from lanner.protocols.kinds import kind_of
from lanner.protocols.kinds.base import Check, Texts
from lanner.protocols.kinds.options import fold, resolve
from lanner.protocols.prefilled import of_text

__all__ = ["Accepted", "Texts", "accept", "check", "fold", "resolve", "texts_of"]


@dataclass(frozen=True, slots=True)
class Accepted:
    """An answer taken in lenient mode: the value to store, the rules it breaks, how many aliases were resolved."""

    value: Json
    flags: tuple[str, ...] = ()
    repairs: int = 0


def check(
    question: Question, value: Json, *, texts: Texts | None = None, chosen: Sequence[str] = (), outputs: int = 2
) -> Json:
    """The value in the form it is stored in, or an `AnswerError` that says what is wrong. None clears an answer that
    is not required. `chosen` are the labels a `for_each` question is repeated for."""
    return _answer(Check(question, True, texts, outputs), value, chosen)


def accept(
    question: Question, value: Json, *, texts: Texts | None = None, chosen: Sequence[str] = (), outputs: int = 2
) -> Accepted:
    """The value as far as it can be understood, with what is wrong about it as flags."""
    lenient = Check(question, False, texts, outputs)
    stored = _answer(lenient, value, chosen)
    return Accepted(stored, tuple(dict.fromkeys(lenient.flags)), lenient.repairs)


def texts_of(document: Document, item: Item) -> Texts:
    """What a judge sees of an item: its segment, or all segments of the document one per line."""
    segments = [s for s in document.segments if item.segment in ("", s.id)]
    targets = [item.texts.get(name, "\n".join(s.text(name) or "" for s in segments)) for name in item.systems]
    text = segments[0] if item.segment and segments else document
    prefilled = of_text(text, "") if "" not in item.texts else []
    prefilled += [
        {**span, "output": place} if len(item.systems) > 1 else span
        for place, name in enumerate(item.systems)
        if name not in item.texts
        for span in of_text(text, name)
    ]
    source = item.texts.get("", "\n".join(s.source for s in segments))
    return Texts(source, tuple(targets), tuple(prefilled))


def _answer(check: Check, value: Json, chosen: Sequence[str]) -> Json:
    question = check.question
    if value is None:
        if question.required:
            check.violation("missing", "an answer is needed.")
        return None
    kind = kind_of(question)
    if not question.for_each:
        return kind.check(question, value, check)
    if not isinstance(value, Mapping):
        raise check.error("shape", "needs an answer for each chosen label.")
    if extra := [label for label in value if label not in chosen]:
        check.violation("not_chosen", f"{extra[0]!r} was not chosen before.", did_you_mean(str(extra[0]), chosen))
    if lacking := [label for label in chosen if value.get(label) is None]:
        check.violation("incomplete", f"{lacking[0]!r} has no answer yet.")
    order = [*chosen, *(label for label in value if label not in chosen)]
    return {label: kind.check(question, value[label], check) for label in order if value.get(label) is not None}
