"""Random valid answers to whole pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from lanner.model import Protocol, Question
from lanner.protocols.answers import simulate_answer
from lanner.protocols.conditions import answer_page
from lanner.protocols.kinds.base import JudgedTexts


def simulate_page(
    protocol: Protocol,
    page: str,
    *,
    rng: Random,
    texts: JudgedTexts | None = None,
    answers: Mapping[str, Any] | None = None,
    outputs: int = 2,
) -> dict[str, Any]:
    """Answers to every question of a page that applies, given those of earlier pages about the same unit."""

    def answer(question: Question, labels: Sequence[str]) -> Any:
        return simulate_answer(question, rng=rng, texts=texts, chosen=labels, outputs=outputs)

    return answer_page(protocol, page, answers or {}, answer)
