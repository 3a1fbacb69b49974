"""Which units go on to a later stage, by what their judges answered before, and the tasks for them.

A unit is promoted where more than a given share of its judges gave one of the named answers. With `per` the share is
taken among the judges who have the same value of an attribute, so that each target language has units of its own; its
judges get those.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from numpy.random import Generator

from lanner.designs._layout import Sides, cut, is_for, items, outputs, shuffled
from lanner.errors import DesignError, check_known
from lanner.model import Document, Item, Judge, Judgement, Promotion, Protocol, Role, Task

Unit = tuple[str, str]


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
        votes = answers.setdefault((group, judgement.document, judgement.segment), {})
        votes[judgement.judge] = bool(_values(judgement) & set(promotion.is_))
    return [
        Standing(document, segment, sum(votes.values()), len(votes), _passes(promotion, votes), group)
        for (group, document, segment), votes in answers.items()
    ]


def promoted(standings: Iterable[Standing]) -> dict[str, list[Unit]]:
    """The promoted units by group, as `promote` takes them."""
    units: dict[str, list[Unit]] = {}
    for standing in standings:
        if standing.promoted:
            units.setdefault(standing.group, []).append((standing.document, standing.segment))
    return units


def promote(
    page: str,
    units: Mapping[str, Collection[Unit]],
    documents: Sequence[Document],
    judges: Sequence[Judge],
    protocol: Protocol,
    *,
    rng: Generator,
    systems: Sequence[str] = (),
    sentences_per_task: int = 20,
) -> list[Task]:
    """Every judge of the stage's role gets every unit of their group, in the order of the corpus or, where the stage
    says so, shuffled. `units` maps a group ("" for all) to document and segment."""
    check_known(page, protocol.pages, f"There is no page {page!r}.", DesignError)
    stages = protocol.pages[page]
    per = next((stage.promotion.per for stage in stages if stage.promotion), None)
    tasks: list[Task] = []
    for judge in judges:
        if not all(is_for(stage, judge, judge.attributes.get("arm")) for stage in stages):
            continue
        promoted_units = set(units.get(str(judge.attributes.get(per, "")) if per else "", ()))
        result: list[Item] = []
        for document in documents:
            for systems_of in outputs(document, stages, systems):
                result += [i for i in items(document, stages, systems_of) if (i.document, i.segment) in promoted_units]
        if any(stage.shuffled for stage in stages):
            result = shuffled(result, Sides(rng), rng)
        tasks += [Task(0, judge.id, page, part) for part in cut(result, sentences_per_task)]
    return tasks


def _passes(promotion: Promotion, votes: dict[str, bool]) -> bool:
    # 2 of 5 is not more than 40 %, whatever binary fractions make of it
    return sum(votes.values()) - promotion.more_than * len(votes) > 1e-9


def _values(judgement: Judgement) -> set[str]:
    value = judgement.value
    return {str(entry) for entry in value} if isinstance(value, list | dict) else {str(value)}
