"""Judgements that were made elsewhere, checked leniently by their protocol: the one way in for files.

Aliases become ids and are counted; broken rules become flags and are counted; a label nobody knows is an error that
names the file and line. Either every judgement is taken in or none.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lanner.errors import AnswerError, InputError, Where, did_you_mean
from lanner.model import Document, Judge, JudgeKind, Judgement, Protocol, Question, Role, Scale, Segment, Stage, Unit
from lanner.model.messages import plural
from lanner.protocols.answers import Accepted, accept, is_duration, is_moment
from lanner.protocols.kinds.base import JudgedTexts


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
    all_judgements = list(judgements)
    check = _LenientCheck(protocol, all_judgements, documents, judges)
    rows = tuple(check.read(_drop_impossible_times(judgement)) for judgement in all_judgements)
    return CheckedJudgements(rows, dict(check.flags), dict(check.repairs))


class _LenientCheck:
    """Reads judgements by a protocol, and counts flags and repairs on the way."""

    def __init__(
        self,
        protocol: Protocol,
        judgements: Sequence[Judgement],
        documents: Iterable[Document],
        judges: Iterable[Judge],
    ) -> None:
        self.flags: Counter[str] = Counter()
        self.repairs: Counter[str] = Counter()
        self._protocol = protocol
        self._questions = {question.id: (stage, question) for stage, question in protocol.questions}
        self._segments = {(document.id, segment.id): segment for document in documents for segment in document}
        self._metrics = metrics_among(judges)
        self._labels = _stored_labels(protocol, judgements)

    def read(self, judgement: Judgement) -> Judgement:
        """The judgement in its stored form."""
        stage, question = self._find_question(judgement)
        is_metric = judgement.judge in self._metrics and isinstance(question, Scale)
        if is_metric and isinstance(judgement.value, int | float):
            self._count_flags(question, judgement.flags)
            return replace(judgement, stage=stage.id)
        answer = self._accept(stage, question, judgement)
        all_flags = tuple(dict.fromkeys((*judgement.flags, *answer.flags)))
        self._count_flags(question, all_flags)
        if answer.repairs and not self._protocol.is_guessed:  # one guessed from the answers knows no other spelling
            self.repairs[question.id] += answer.repairs
        return replace(judgement, stage=stage.id, value=answer.value, flags=all_flags)

    def _find_question(self, judgement: Judgement) -> tuple[Stage, Question]:
        if judgement.question in self._questions:
            return self._questions[judgement.question]
        hint = did_you_mean(judgement.question, self._questions)
        raise InputError(
            f"{self._protocol.name} has no question {judgement.question!r}.",
            where=_place(judgement),
            next_step=f"{hint} A column that is no answer is left out with "
            f"--columns ignore:{judgement.question}=COLUMN.".strip(),
        )

    def _accept(self, stage: Stage, question: Question, judgement: Judgement) -> Accepted:
        try:
            return accept(
                question,
                judgement.value,
                texts=judged_texts(stage, judgement, self._segments.get((judgement.document, judgement.segment))),
                chosen=_labels_for(judgement, question, self._labels),
                outputs=max(2, len(judgement.systems)),
            )
        except AnswerError as error:
            step = error.next_step
            if not step and error.code == "not_a_number":
                step = f"Correct it, or read such answers as missing: --missing {shlex.quote(str(judgement.value))}."
            raise InputError(error.what, where=_place(judgement), next_step=step) from error

    def _count_flags(self, question: Question, flags: Iterable[str]) -> None:
        self.flags.update(f"{question.id} {flag}" for flag in flags)


UNREADABLE = "unreadable_time"
"""The flag of an answer whose time was none, and was left out."""


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
