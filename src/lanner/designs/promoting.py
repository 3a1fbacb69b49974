"""Tasks for a stage that only some units reach, once the answers that decide are in.

The units are what `lanner.protocols.promotion` found and the organiser confirmed. Where they were found for each value
of an attribute (each target language), judges get those of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from numpy.random import Generator

from lanner.designs._layout import Sides, cut, is_for, items, outputs, shuffled
from lanner.errors import DesignError, did_you_mean
from lanner.model import Document, Item, Judge, Protocol, Task

Unit = tuple[str, str]


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
    if page not in protocol.pages:
        raise DesignError(f"There is no page {page!r}.", next_step=did_you_mean(page, protocol.pages))
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
