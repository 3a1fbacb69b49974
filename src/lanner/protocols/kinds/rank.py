"""An order of the outputs shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from lanner.model import Json, Object, Rank, Stage
from lanner.model.protocol import Wording, Words
from lanner.protocols.kinds.base import (
    NOISE,
    AnswerCheck,
    Level,
    Mistake,
    QuestionKind,
    Rule,
    Schema,
    SimulatedJudge,
    number_from_text,
)

_GRAIN = 8  # qualities closer than an eighth look alike: about one tie in four between equals
_RANKS_OF_SIDES = {"a": [1, 2], "b": [2, 1], "tie": [1, 1]}


class RankKind(QuestionKind[Rank]):
    """Ranks, 1 best, in the order of the outputs shown."""

    def mistakes(self, question: Rank, stage: Stage) -> Iterator[Mistake]:
        if stage.object is not Object.OUTPUTS:
            yield "kind", 'A rank compares outputs: its stage needs object = "outputs".'

    def describe(self, question: Rank, words: Words) -> str:
        return "Which is better; ties are allowed." if question.ties else "Which is better; no ties."

    def schema(self, question: Rank, outputs: int) -> Schema:
        rank = {"type": "integer", "minimum": 1, "maximum": outputs}
        return {"type": "array", "items": rank, "minItems": outputs, "maxItems": outputs}

    def check(self, question: Rank, value: Json, check: AnswerCheck) -> Json:
        if isinstance(value, str) and check.outputs == 2 and not check.strict:  # as files of comparisons say it
            value = _RANKS_OF_SIDES.get(value, value)
        if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != check.outputs:
            raise check.error("shape", f"{value!r} is not a list of {check.outputs} ranks.")
        if any(isinstance(rank, bool) or not isinstance(rank, int) or rank < 1 for rank in value):
            raise check.error("shape", f"{value!r}: ranks are whole numbers from 1.")
        if not question.ties and len(set(value)) < len(value):
            check.violation("tie", "ties are not allowed.")
        return _ranks(value)

    def from_values(self, question: Rank, values: Sequence[str]) -> Json:
        return [number_from_text(rank) for rank in values[-1].split(",")] if values[-1] else None

    def from_fields(
        self, question: Rank, values: Sequence[str] | None, parts: Mapping[str, Sequence[str]]
    ) -> tuple[bool, Json]:
        if not parts:
            return super().from_fields(question, values, parts)
        ranks = [number_from_text(parts[place][-1]) if parts[place] else None for place in sorted(parts, key=int)]
        return True, None if None in ranks else ranks

    def simulate(self, question: Rank, simulation: SimulatedJudge) -> Json:
        rng, outputs, quality = simulation.rng, simulation.outputs, simulation.quality
        if quality is None:
            places = [float(rng.randrange(outputs)) for _ in range(outputs)]
            if not question.ties:
                places = [float(place) for place in rng.sample(range(outputs), outputs)]
            return _ranks(places)
        qualities = [quality, 0.5] if isinstance(quality, int | float) else list(quality)
        noisy = [rng.gauss(qualities[place % len(qualities)], NOISE) for place in range(outputs)]
        return _ranks([-float(round(value * _GRAIN)) if question.ties else -value for value in noisy])

    def in_words(self, question: Rank, value: Json, wording: Wording) -> str:
        """The outputs as A, B, C in the order they were shown, the best first."""
        by_rank = {rank: [chr(ord("A") + at) for at, own in enumerate(value) if own == rank] for rank in sorted(value)}
        return " > ".join(" = ".join(outputs) for outputs in by_rank.values())

    def reorder(self, question: Rank, value: Json, order: Sequence[int]) -> Json:
        return [value[place] for place in order] if isinstance(value, list) and len(value) == len(order) else value

    def level(self, question: Rank) -> Level:
        return "nominal"

    def combine(self, question: Rank, values: Sequence[Json], rule: Rule) -> Json:
        """By mean rank. Equal mean ranks are a tie; where none is allowed, the output shown first goes before."""
        means = [fmean(ranks) for ranks in zip(*values, strict=True)]
        if question.ties:
            return _ranks(means)
        return _ranks([(mean, place) for place, mean in enumerate(means)])

    def expected_of_nonsense(self, question: Rank, place: int) -> dict[str, Json]:
        return {"worst": place}


def _ranks(keys: Sequence[Json]) -> list[int]:
    """Ranks from 1 without gaps, the smallest key first."""
    levels = sorted(set(keys))
    return [levels.index(key) + 1 for key in keys]


KIND = RankKind()
