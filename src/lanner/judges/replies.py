"""From a model's words to answers, in three steps: is it JSON, does it fit the schema, does it mean something.

Nothing is guessed. A label in another spelling is taken if the protocol's alias table has it, and counted; anything
else that is wrong is said in a sentence, which the model is shown when it is asked again.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from pydantic_core import from_json

from lanner.errors import AnswerError
from lanner.judges.providers import Reply, ReplyToken
from lanner.judges.schemas import mistake
from lanner.model import Json, Number, Protocol, Question, Scale, Spans, Stage
from lanner.protocols.answers import accept
from lanner.protocols.conditions import chosen_labels, holds
from lanner.protocols.kinds import kind_of
from lanner.protocols.kinds.base import JudgedTexts

Step = Literal["", "json", "schema", "meaning", "length", "refusal"]
_FENCE = "```"
_BYTE_ORDER_MARK = "\ufeff"
_THOUGHT = re.compile(r"<(/?)(?:think|thinking|thoughts?|reasoning|reflection|scratchpad)>", re.IGNORECASE)


class ReplyVerdict(NamedTuple):
    """What a reply came to: answers in their stored form, or the step at which it failed and why. `flags` say by
    question what is unsure about its answer; of a reply about many sentences by their numbers first."""

    answers: Mapping[str, Json] | None
    repairs: int = 0
    step: Step = ""
    problem: str = ""
    flags: Mapping[str, Json] = MappingProxyType({})


class ItemRequest(NamedTuple):
    """What one call asks of one item: stages, the texts shown, the answers given before, how many outputs."""

    protocol: Protocol
    stages: Sequence[Stage]
    texts: JudgedTexts | None
    known: Mapping[str, Json]
    outputs: int = 2


class AmbiguousError(ValueError):
    """A reply that gives two different answers to one question."""


def parse(text: str) -> tuple[Json, int]:
    """The JSON in a reply, and whether something around it had to be removed: thoughts before it, a code fence with
    words around. The opening mark of the thoughts may be missing, where a server took it for its own."""
    try:
        return _unambiguous(text), 0
    except AmbiguousError:
        raise
    except ValueError:
        pass
    answer = _after_thoughts(text)
    parts = answer.split(_FENCE)
    if len(parts) > 2 and len(parts) % 2 == 0:
        raise ValueError("a code fence is not closed")
    blocks = [block.strip().removeprefix("json").strip() for block in parts[1:-1:2]]
    objects = [block for block in blocks if block.startswith("{")] or blocks[-1:]
    values = [_unambiguous(block) for block in objects or [answer.strip().removeprefix(_BYTE_ORDER_MARK)]]
    if any(value != values[0] for value in values):
        raise AmbiguousError("The reply has several JSON objects, which differ.")
    return values[0], 1


def _after_thoughts(text: str) -> str:
    """What follows the thoughts. A draft among thoughts that were cut off is no answer."""
    marks = list(_THOUGHT.finditer(text))
    if not marks:
        return text
    if not marks[-1][1]:
        raise ValueError("it ends among the model's thoughts")
    return text[marks[-1].end() :]


def _unambiguous(text: str) -> Json:
    """The value of a text, unless a key occurs twice with different values: a parser takes the last, and nobody knows
    which one is meant."""
    value: Json = from_json(text)
    json.loads(text, object_pairs_hook=unambiguous_entries)
    return value


def unambiguous_entries(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """The entries of an object, unless a key occurs twice with different values."""
    entries = dict(pairs)
    if len(entries) != len(pairs):
        for name, value in pairs:
            if entries[name] != value:
                raise AmbiguousError(f'"{name}" is given twice, with different values.')
    return entries


def verdict(text: str, scope: ItemRequest, schema: Mapping[str, Any]) -> ReplyVerdict:
    """Judge one reply about one item."""
    try:
        value, repairs = parse(text)
    except AmbiguousError as error:
        return ReplyVerdict(None, 0, "schema", str(error))
    except (ValueError, RecursionError) as error:
        return ReplyVerdict(None, 0, "json", f"The reply is not JSON: {error}.")
    if not isinstance(value, dict):
        return ReplyVerdict(None, repairs, "schema", "The reply is not a JSON object.")
    return check_reply(value, scope, schema, repairs)


def check_reply(
    value: dict[str, Json], scope: ItemRequest, schema: Mapping[str, Any], repairs: int = 0
) -> ReplyVerdict:
    """Check a reply that is JSON: by the schema, then by the protocol in the order of the questions."""
    questions = [(stage, question) for stage in scope.stages for question in stage.questions]
    entries = value
    if mistake(schema, value):  # what fits is in the protocol's own spelling, which is nearly always so
        entries = dict(value)
        for _, question in questions:
            if question.id in entries:
                entries[question.id], number = replace_aliases(question, entries[question.id])
                repairs += number
        if wrong := mistake(schema, entries):
            return ReplyVerdict(None, repairs, "schema", wrong)
    earlier_answers: dict[str, Json] = dict(scope.known)
    answers: dict[str, Json] = {}
    flags: dict[str, Json] = {}
    for stage, question in questions:
        answer = entries.get(question.id)
        if question.for_each and isinstance(answer, dict):  # null stands for what was not chosen
            answer = {label: value for label, value in answer.items() if value is not None}
        labels = chosen_labels(scope.protocol, question, earlier_answers)
        if not (holds(stage.when, earlier_answers) and holds(question.when, earlier_answers)) or (
            question.for_each and not labels
        ):
            if answer:
                return ReplyVerdict(None, repairs, "meaning", f"{question.id}: is not asked here; it must be null.")
            continue
        if answer is None and isinstance(question, Spans):
            nothing = "an empty list says that there is nothing to mark."
            return ReplyVerdict(None, repairs, "meaning", f"{question.id}: {nothing}")
        try:
            taken = accept(question, answer, texts=scope.texts, chosen=labels, outputs=scope.outputs, strict=True)
        except AnswerError as error:
            return ReplyVerdict(None, repairs, "meaning", " ".join(filter(None, (error.what, error.next_step))))
        if taken.value is not None:
            answers[question.id] = earlier_answers[question.id] = taken.value
            flags |= {question.id: list(taken.flags)} if taken.flags else {}
    return ReplyVerdict(answers, repairs, flags=flags)


def replace_aliases(question: Question, value: Json) -> tuple[Json, int]:
    """Replace labels in spellings of the alias table by their ids. Return the value and how many were replaced."""
    kind = kind_of(question)
    if not question.for_each or not isinstance(value, dict):
        return kind.replace_aliases(question, value)
    entries = {label: kind.replace_aliases(question, entry) for label, entry in value.items()}
    return {label: entry for label, (entry, _) in entries.items()}, sum(repairs for _, repairs in entries.values())


# Scores weighted by the probabilities of their tokens: what a model would answer on average, from one reply.
#
# A score that is written as one token has alternatives with probabilities; their mean says more than the likeliest one.
# Where a number is several tokens, or a short number might be the beginning of a longer one, nothing is weighted.

_NUMBERS = re.compile(r'"(?:\\.|[^"\\])*"|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)')
_SEPARATOR = "."


def weighted_means(reply: Reply, schema: Mapping[str, Any]) -> dict[str, float]:
    """The mean of each bounded number of a reply over its alternatives, by its place ("ratings.tenor")."""
    text = reply.text
    if not reply.tokens or "".join(token.text for token in reply.tokens) != text:
        return {}
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    places = [match.span(1) for match in _NUMBERS.finditer(text) if match[1]]
    leaves = list(_leaves(value, ()))
    if len(places) != len(leaves):
        return {}
    starts = _starts(reply.tokens)
    means: dict[str, float] = {}
    for (path, number), (start, end) in zip(leaves, places, strict=True):
        bounds = _bounds(schema, path)
        token = starts.get(start) or starts.get(start - 1)  # a token may begin with the space before the number
        if bounds is None or token is None or token.text.strip() != text[start:end]:
            continue
        mean = _mean(token, bounds, float(number))
        if mean is not None:
            means[_SEPARATOR.join(path)] = mean
    return means


def with_weights(answers: Mapping[str, Json], means: Mapping[str, float], protocol: Protocol) -> dict[str, Json]:
    """The answers with weighted scores in place of whole ones, each on the nearest step of its scale. The exact ones
    are in the ledger."""
    weighed: dict[str, Json] = dict(answers)
    for place, mean in means.items():
        name, _, label = place.partition(_SEPARATOR)
        value = weighed.get(name)
        if not label and isinstance(value, int) and not isinstance(value, bool):
            weighed[name] = _nearest(protocol, name, mean)
        elif label and isinstance(value, dict) and isinstance(value.get(label), int):
            weighed[name] = {**value, label: _nearest(protocol, name, mean)}
    return weighed


def _nearest(protocol: Protocol, name: str, mean: float) -> Json:
    place = protocol.find(name)
    if place is None or not isinstance(place[1], Scale | Number):
        return round(mean)
    return kind_of(place[1]).combine(place[1], [mean], "mean")


def _leaves(value: Json, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], float]]:
    """Numbers in the order in which they are written, with their places."""
    if isinstance(value, Mapping):
        for name, entry in value.items():
            yield from _leaves(entry, (*path, str(name)))
    elif isinstance(value, list):
        for number, entry in enumerate(value):
            yield from _leaves(entry, (*path, str(number)))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def _starts(tokens: Sequence[ReplyToken]) -> dict[int, ReplyToken]:
    starts, place = {}, 0
    for token in tokens:
        starts[place] = token
        place += len(token.text)
    return starts


def _bounds(schema: Mapping[str, Any], path: Sequence[str]) -> tuple[float, float] | None:
    for name in path:
        if "anyOf" in schema:
            schema = next((entry for entry in schema["anyOf"] if entry.get("type") == "object"), {})
        schema = (schema.get("properties") or {}).get(name) or {}
    if "anyOf" in schema:
        schema = next((entry for entry in schema["anyOf"] if entry.get("type") in ("integer", "number")), {})
    if schema.get("type") == "integer" and "minimum" in schema and "maximum" in schema:
        return float(schema["minimum"]), float(schema["maximum"])
    return None


def _mean(token: ReplyToken, bounds: tuple[float, float], number: float) -> float | None:
    low, high = bounds
    weights: dict[float, float] = {}
    longest = len(token.text.strip())
    for text, logprob in token.alternatives:
        digits = text.strip()
        if digits.isascii() and digits.isdigit() and low <= float(digits) <= high:
            weights[float(digits)] = weights.get(float(digits), 0.0) + math.exp(logprob)
            longest = max(longest, len(digits))
    total = sum(weights.values())
    if number not in weights or total <= 0 or (high > 9 and longest < 2):
        return None
    return sum(value * weight for value, weight in weights.items()) / total
