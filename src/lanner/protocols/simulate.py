"""Random valid answers to any question: for demonstrations, contract tests and simulations, never for results.

Without `quality` every allowed answer can come up. With it the answers lean: a quality of 1 draws the good end of
scales, few errors and high grades, 0 the opposite, with some noise between judges. A rank needs one quality per
output shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from lanner.model import Json, Protocol, Question, Text
from lanner.protocols.answers import applicable, check, chosen
from lanner.protocols.kinds import kind_of
from lanner.protocols.kinds.base import NOISE, Quality, Simulation, Texts

__all__ = ["NOISE", "Quality", "answer", "chosen", "page"]

_REMARK = 0.15  # how often a judge writes a remark that nobody requires


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
    earlier = dict(answers or {})
    page_answers: dict[str, Json] = {}
    while pending := [q for _, q in applicable(protocol, page_id, earlier) if q.id not in page_answers]:
        question = pending[0]
        labels = chosen(protocol, question, earlier)
        page_answers[question.id] = earlier[question.id] = answer(
            question, rng=rng, texts=texts, chosen=labels, outputs=outputs, quality=quality
        )
    return page_answers


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

    def one_answer() -> Json:
        simulation = Simulation(rng, texts or Texts(), outputs, quality, _level(quality, rng))
        return kind_of(question).simulate(question, simulation)

    value = {label: one_answer() for label in chosen} if question.for_each else one_answer()
    return check(question, value, texts=texts, chosen=chosen, outputs=outputs)


def _level(quality: Quality, rng: Random) -> float | None:
    """This judge's view of the quality, within 0 and 1."""
    if quality is None:
        return None
    centre = quality if isinstance(quality, int | float) else sum(quality) / len(quality)
    return min(max(rng.gauss(centre, NOISE), 0.0), 1.0)
