"""Scores weighted by the probabilities of their tokens: what a model would answer on average, from one reply.

A score that is written as one token has alternatives with probabilities; their mean says more than the likeliest one.
Where a number is several tokens, or a short number might be the beginning of a longer one, nothing is weighted.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lanner.judges.providers import Reply, Token
from lanner.model import Json

_NUMBERS = re.compile(r'"(?:\\.|[^"\\])*"|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)')
_SEPARATOR = "."


def weighted(reply: Reply, schema: Mapping[str, Any]) -> dict[str, float]:
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


def with_weights(answers: Mapping[str, Json], means: Mapping[str, float]) -> dict[str, Json]:
    """The answers with weighted scores in place of whole ones, rounded as the scale asks; the exact ones are in the
    ledger."""
    weighed: dict[str, Json] = dict(answers)
    for place, mean in means.items():
        name, _, label = place.partition(_SEPARATOR)
        value = weighed.get(name)
        if not label and isinstance(value, int) and not isinstance(value, bool):
            weighed[name] = round(mean)
        elif label and isinstance(value, dict) and isinstance(value.get(label), int):
            weighed[name] = {**value, label: round(mean)}
    return weighed


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


def _starts(tokens: Sequence[Token]) -> dict[int, Token]:
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


def _mean(token: Token, bounds: tuple[float, float], number: float) -> float | None:
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
