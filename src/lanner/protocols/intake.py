"""Judgements that were made elsewhere, checked leniently by their protocol: the one way in for files.

Aliases become ids and are counted; broken rules become flags and are counted; a label nobody knows is an error that
names the file and line. Either every judgement is taken in or none.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lanner.errors import AnswerError, InputError, Where, did_you_mean
from lanner.model import Document, Item, Judgement, Protocol, Question, Role, Stage, Unit
from lanner.protocols.answers import Texts, accept


@dataclass(frozen=True, slots=True)
class Intake:
    """Judgements ready to be stored or analysed, and what was noticed on the way."""

    judgements: tuple[Judgement, ...]
    flags: Mapping[str, int] = field(default_factory=dict)
    repairs: Mapping[str, int] = field(default_factory=dict)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the person who imports: what was renamed, what breaks a rule."""
        parts = [f"{number:,} spellings in {question!r} were aliases" for question, number in self.repairs.items()]
        broken = [f"{number:,} answers are flagged: {flag}" for flag, number in sorted(self.flags.items())]
        return tuple(f"{sentence}." for sentence in (*parts, *broken))


def take_in(protocol: Protocol, judgements: Iterable[Judgement], documents: Iterable[Document] = ()) -> Intake:
    """Check each judgement by the protocol and give it its stored form."""
    questions = {question.id: (stage, question) for stage, question in protocol.questions}
    texts = _Shown(documents)
    flags: Counter[str] = Counter()
    repairs: Counter[str] = Counter()
    rows = []
    all_judgements = list(judgements)
    labels = _chosen_before(protocol, all_judgements)
    for judgement in all_judgements:
        stage, question = _asked(protocol, questions, judgement)
        try:
            answer = accept(
                question,
                judgement.value,
                texts=texts.of(stage, judgement),
                chosen=labels.get(
                    (judgement.judge, judgement.document, judgement.segment, question.for_each or ""), ()
                ),
                outputs=max(2, len(judgement.systems)),
            )
        except AnswerError as error:
            step = error.next_step
            if not step and error.code == "not_a_number":
                step = f"Correct it, or read such answers as missing: --missing {json.dumps(judgement.value)}."
            raise InputError(error.what, where=_place(judgement), next_step=step) from error
        all_flags = tuple(dict.fromkeys((*judgement.flags, *answer.flags)))
        flags.update(f"{question.id} {flag}" for flag in all_flags)
        repairs.update({question.id: answer.repairs} if answer.repairs else {})
        rows.append(replace(judgement, stage=stage.id, value=answer.value, flags=all_flags))
    return Intake(tuple(rows), dict(flags), dict(repairs))


def _asked(
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


def _chosen_before(
    protocol: Protocol, judgements: Sequence[Judgement]
) -> dict[tuple[str, str, str, str], Sequence[str]]:
    """Labels that a question asked for each of them is repeated for, by judge and unit, in their stored spelling."""
    sources = {question.for_each for _, question in protocol.questions if question.for_each}
    labels: dict[tuple[str, str, str, str], Sequence[str]] = {}
    for judgement in judgements:
        match = protocol.find(judgement.question) if judgement.question in sources else None
        if match and isinstance(judgement.value, list | dict):
            key = (judgement.judge, judgement.document, judgement.segment, judgement.question)
            try:
                labels[key] = list(accept(match[1], judgement.value).value or ())
            except AnswerError:
                continue  # reported with its place when its own turn comes
    return labels


class _Shown:
    """The texts a judgement was about, for checking spans; empty where the documents are not at hand."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._segments = {(document.id, segment.id): segment for document in documents for segment in document}

    def of(self, stage: Stage, judgement: Judgement) -> Texts | None:
        segment = self._segments.get((judgement.document, judgement.segment))
        if segment is None or stage.unit in (Unit.DOCUMENT, Unit.JUDGE):
            return None
        if judgement.role is Role.CONTROL:
            return None  # what was shown is not the document's text
        outputs = [segment.text(name) for name in judgement.systems]
        if None in outputs:
            return None
        return Texts(segment.source, tuple(text for text in outputs if text is not None))


def _place(judgement: Judgement) -> Where:
    item = Item(judgement.document, judgement.segment, judgement.systems)
    subject = f"judge {judgement.judge}, document {item.document}" + (
        f", segment {item.segment}" if item.segment else ""
    )
    return Where(judgement.origin or None, item=subject)


def problems(intake: Intake) -> Iterator[Judgement]:
    """The judgements that carry a flag, for a list that a person looks through."""
    return (judgement for judgement in intake.judgements if judgement.flags)
