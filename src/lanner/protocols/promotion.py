"""Which units go on to a later stage, by what their judges answered before.

A unit is promoted where more than a given share of its judges gave one of the named answers. With `per` the share is
taken among the judges who have the same value of an attribute, so that each target language has units of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lanner.model import Judge, Judgement, Promotion, Role


@dataclass(frozen=True, slots=True)
class Standing:
    """How a unit stands: how many of its judges gave the answer that promotes it. `group` is "" without `per`."""

    document: str
    segment: str
    votes: int
    judges: int
    promoted: bool
    group: str = ""

    @property
    def share(self) -> float:
        return self.votes / self.judges


def standings(promotion: Promotion, judgements: Iterable[Judgement], judges: Iterable[Judge] = ()) -> list[Standing]:
    """Every unit that was asked about, in order of appearance. Only main items and the latest answers count."""
    by_id = {judge.id: judge for judge in judges}
    answers: dict[tuple[str, str, str], dict[str, bool]] = {}
    for judgement in judgements:
        if judgement.question != promotion.question or judgement.role is not Role.MAIN or judgement.value is None:
            continue
        judge = by_id.get(judgement.judge)
        group = str(judge.attributes.get(promotion.per, "")) if promotion.per and judge else ""
        promoting = _given(judgement) & set(promotion.is_)
        answers.setdefault((group, judgement.document, judgement.segment), {})[judgement.judge] = bool(promoting)
    return [
        Standing(document, segment, sum(votes.values()), len(votes), _passes(promotion, votes), group)
        for (group, document, segment), votes in answers.items()
    ]


def promoted(standings: Iterable[Standing]) -> dict[str, list[tuple[str, str]]]:
    """The promoted units by group, as `lanner.designs.promoting` takes them."""
    units: dict[str, list[tuple[str, str]]] = {}
    for standing in _only(standings):
        units.setdefault(standing.group, []).append((standing.document, standing.segment))
    return units


def _only(standings: Iterable[Standing]) -> Iterator[Standing]:
    return (standing for standing in standings if standing.promoted)


def _passes(promotion: Promotion, said: dict[str, bool]) -> bool:
    # 2 of 5 is not more than 40 %, whatever binary fractions make of it
    return sum(said.values()) - promotion.more_than * len(said) > 1e-9


def _given(judgement: Judgement) -> set[str]:
    value = judgement.value
    return {str(entry) for entry in value} if isinstance(value, list | dict) else {str(value)}
