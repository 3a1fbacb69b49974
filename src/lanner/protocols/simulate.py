"""Random valid answers to any question: for demonstrations, contract tests and simulations, never for results.

Without `quality` every allowed answer can come up. With it the answers lean: a quality of 1 draws the good end of
scales, few errors and high grades, 0 the opposite, with some noise between judges. A rank needs one quality per
output shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, assert_never

from lanner.model import (
    Choice,
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
    Text,
)
from lanner.protocols.answers import Texts, check
from lanner.protocols.flow import applicable, chosen

NOISE = 0.12
"""Standard deviation of a simulated judge around the underlying quality."""
_MAX_SPANS = 4
_MAX_COUNT = 20
_RELEVANT = 0.3  # of nine skills two or three apply to a sentence
_REMARK = 0.15
_RANK_GRAIN = 8  # qualities closer than an eighth look alike: about one tie in four between equals

Quality = float | Sequence[float] | None


def page(
    protocol: Protocol,
    page_id: str,
    *,
    rng: Random,
    texts: Texts | None = None,
    answers: Mapping[str, Json] | None = None,
    outputs: int = 2,
    quality: Quality = None,
) -> dict[str, Json]:
    """Answers to every question of a page that applies, given the answers of earlier pages about the same unit."""
    known = dict(answers or {})
    given: dict[str, Json] = {}
    while pending := [q for _, q in applicable(protocol, page_id, known) if q.id not in given]:
        question = pending[0]
        labels = chosen(protocol, question, known)
        given[question.id] = known[question.id] = answer(
            question, rng=rng, texts=texts, chosen=labels, outputs=outputs, quality=quality
        )
    return given


def answer(
    question: Question,
    *,
    rng: Random,
    texts: Texts | None = None,
    chosen: Sequence[str] = (),
    outputs: int = 2,
    quality: Quality = None,
) -> Json:
    """A valid answer in stored form; None now and then where none is required."""
    if not question.required and isinstance(question, Text) and rng.random() > _REMARK:
        return None
    if question.for_each:
        value: Json = {label: _one(question, rng, texts, outputs, quality) for label in chosen}
    else:
        value = _one(question, rng, texts, outputs, quality)
    return check(question, value, texts=texts, chosen=chosen, outputs=outputs)


def _one(question: Question, rng: Random, texts: Texts | None, outputs: int, quality: Quality) -> Json:
    level = _level(quality, rng)
    match question:
        case Scale():
            return _scale(question, rng, level)
        case Number():
            low = question.min if question.min is not None else 0
            high = min(question.max if question.max is not None else low + _MAX_COUNT, low + _MAX_COUNT)
            number = rng.uniform(low, high)
            return min(max(round(number), int(-(-low // 1))), int(high // 1)) if question.integer else round(number, 2)
        case Choice():
            return _pick(question.options, rng, level if _graded(question) else None)
        case Labels():
            return _labels(question, rng, level)
        case Grid():
            return {row.id: _grade(question, rng, level) for row in question.rows}
        case Spans():
            return _spans(question, rng, texts or Texts(), level)
        case Rank():
            return _rank(question, rng, outputs, quality)
        case Text():
            return "Simulated remark." if question.required or level is None else f"Simulated remark ({level:.2f})."
        case _:
            assert_never(question)


def _level(quality: Quality, rng: Random) -> float | None:
    """This judge's view of the quality, within 0 and 1."""
    if quality is None:
        return None
    centre = quality if isinstance(quality, int | float) else sum(quality) / len(quality)
    return min(max(rng.gauss(centre, NOISE), 0.0), 1.0)


def _scale(question: Scale, rng: Random, level: float | None) -> float:
    if level is None or question.direction == "neutral":
        share = rng.random()
    else:
        share = 1 - level if question.direction == "lower_is_better" else level
    if not question.step:
        return round(question.min + share * (question.max - question.min), 1)
    steps = int((question.max - question.min) / question.step + 1e-9)
    taken = round(share * steps) if level is not None else int(share * (steps + 1))
    return question.min + taken * question.step


def _graded(question: Choice) -> bool:
    return all(option.value is not None for option in question.options)


def _by_value(options: Sequence[Option]) -> list[Option]:
    return sorted(options, key=lambda option: option.value if option.value is not None else 0.0)


def _pick(options: Sequence[Option], rng: Random, level: float | None) -> str:
    """One of the options, at random or, where they are worth something, near the level."""
    if level is None:
        return rng.choice(options).id
    return _by_value(options)[round(level * (len(options) - 1))].id


def _grade(question: Grid, rng: Random, level: float | None) -> str:
    if question.preselected and rng.random() > _RELEVANT:
        return question.preselected
    rated = [option for option in question.options if option.id != question.preselected] or list(question.options)
    return _pick(rated, rng, level if all(option.value is not None for option in rated) else None)


def _labels(question: Labels, rng: Random, level: float | None) -> Json:
    clean = level if level is not None else 0.5
    if question.exclusive and rng.random() < clean:
        return {question.exclusive: 1} if question.counts else [question.exclusive]
    open_to = [option.id for option in question.options if option.id != question.exclusive]
    least = max(question.min, 1 if question.exclusive else 0)
    most = min(question.max or len(open_to), len(open_to))
    if level is not None and question.min != question.max:
        most = max(least, round((1 - level) * most))
    picked = rng.sample(open_to, rng.randint(min(least, most), most))
    return {label: rng.choice((1, 1, 1, 2)) for label in picked} if question.counts else picked


def _rank(question: Rank, rng: Random, outputs: int, quality: Quality) -> list[int]:
    if quality is None:
        seen = [float(rng.randrange(outputs)) for _ in range(outputs)]
        if not question.ties:
            seen = [float(place) for place in rng.sample(range(outputs), outputs)]
    else:
        known = [quality, 0.5] if isinstance(quality, int | float) else list(quality)
        noisy = [rng.gauss(known[place % len(known)], NOISE) for place in range(outputs)]
        seen = [-float(round(entry * _RANK_GRAIN)) if question.ties else -entry for entry in noisy]
    levels = sorted(set(seen))
    return [levels.index(entry) + 1 for entry in seen]


def _spans(question: Spans, rng: Random, texts: Texts, level: float | None) -> list[dict[str, Any]]:
    bad = 0.5 if level is None else 1 - level
    wanted = sum(rng.random() < bad for _ in range(min(_MAX_SPANS, question.max or _MAX_SPANS)))
    places = [("source", 0, texts.source)] if "source" in question.sides else []
    places += [("target", number, text) for number, text in enumerate(texts.targets) if "target" in question.sides]
    marked = [_mark(question, rng, place, bad) for place in places if place[2].strip() for _ in range(wanted)]
    return rng.sample(marked, min(wanted, len(marked)))


def _mark(question: Spans, rng: Random, place: tuple[str, int, str], bad: float) -> dict[str, Any]:
    side, output, text = place
    words = list(re.finditer(r"\S+", text))
    first = rng.randrange(len(words))
    start, end = words[first].start(), words[min(first + rng.randrange(3), len(words) - 1)].end()
    span: dict[str, Any] = {"side": side, "start": start, "end": end, "text": text[start:end], "output": output}
    if question.categories:
        span["category"] = rng.choice(question.categories).id
    if question.severities:
        span["severity"] = _pick(question.severities, rng, None if rng.random() < 0.5 else min(bad, 1.0))
    return span
