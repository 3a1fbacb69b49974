"""From a model's words to answers, in three steps: is it JSON, does it fit the schema, does it mean something.

Nothing is guessed. A label in another spelling is taken if the protocol's alias table has it, and counted; anything
else that is wrong is said in a sentence, which the model is shown when it is asked again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic_core import from_json

from lanner.errors import AnswerError
from lanner.judges.schemas import mistake
from lanner.model import Json, Protocol, Question, Spans, Stage
from lanner.protocols.answers import Texts, check, chosen, holds
from lanner.protocols.kinds import kind_of

Step = Literal["", "json", "schema", "meaning", "length", "refusal"]
_FENCE = "```"
_END_OF_THOUGHT = "</think>"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reply came to: answers in their stored form, or the step at which it failed and why."""

    answers: Mapping[str, Json] | None
    repairs: int = 0
    step: Step = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """What one call asks of one item: stages, the texts shown, the answers given before, how many outputs."""

    protocol: Protocol
    stages: Sequence[Stage]
    texts: Texts | None
    known: Mapping[str, Json]
    outputs: int = 2


def parse(text: str) -> tuple[Json, int]:
    """The JSON in a reply, and whether something around it had to be taken off: thoughts before it, a code fence with
    words around. The beginning of the thoughts may be missing, where a server took it for its own mark."""
    try:
        return from_json(text), 0
    except ValueError:
        pass
    answer = text.rpartition(_END_OF_THOUGHT)[2]
    blocks = answer.split(_FENCE)[1:-1:2]  # between an opening fence and a closing one
    return from_json((blocks[-1].removeprefix("json") if blocks else answer).strip()), 1


def verdict(text: str, asked: Asked, schema: Mapping[str, Any]) -> Verdict:
    """Judge one reply about one item."""
    try:
        value, repairs = parse(text)
    except (ValueError, RecursionError) as error:
        return Verdict(None, 0, "json", f"The reply is not JSON: {error}.")
    if not isinstance(value, dict):
        return Verdict(None, repairs, "schema", "The reply is not a JSON object.")
    return judged(value, asked, schema, repairs)


def judged(value: dict[str, Json], asked: Asked, schema: Mapping[str, Any], repairs: int = 0) -> Verdict:
    """The second and third step: the schema, then the protocol's own checks in the order of the questions."""
    questions = [(stage, question) for stage in asked.stages for question in stage.questions]
    entries = value
    if mistake(schema, value):  # what fits is in the protocol's own spelling, which is nearly always so
        entries = dict(value)
        for _, question in questions:
            if question.id in entries:
                entries[question.id], number = aliased(question, entries[question.id])
                repairs += number
        if wrong := mistake(schema, entries):
            return Verdict(None, repairs, "schema", wrong)
    known: dict[str, Json] = dict(asked.known)
    answers: dict[str, Json] = {}
    for stage, question in questions:
        answer = entries.get(question.id)
        if question.for_each and isinstance(answer, dict):  # null stands for what was not chosen
            answer = {label: value for label, value in answer.items() if value is not None}
        labels = chosen(asked.protocol, question, known)
        if not (holds(stage.when, known) and holds(question.when, known)) or (question.for_each and not labels):
            if answer:
                return Verdict(None, repairs, "meaning", f"{question.id}: is not asked here; it must be null.")
            continue
        if answer is None and isinstance(question, Spans):
            nothing = "an empty list says that there is nothing to mark."
            return Verdict(None, repairs, "meaning", f"{question.id}: {nothing}")
        try:
            stored = check(question, answer, texts=asked.texts, chosen=labels, outputs=asked.outputs)
        except AnswerError as error:
            return Verdict(None, repairs, "meaning", " ".join(filter(None, (error.what, error.next_step))))
        if stored is not None:
            answers[question.id] = known[question.id] = stored
    return Verdict(answers, repairs)


def aliased(question: Question, value: Json) -> tuple[Json, int]:
    """The value with labels in the alias table's spellings replaced by their ids, and how many were."""
    kind = kind_of(question)
    if not question.for_each or not isinstance(value, dict):
        return kind.replace_aliases(question, value)
    entries = {label: kind.replace_aliases(question, entry) for label, entry in value.items()}
    return {label: entry for label, (entry, _) in entries.items()}, sum(repairs for _, repairs in entries.values())
