"""Pool: nobody owns a document; whoever asks for work gets the next free one.

For judges who come and go. Each document is there as often as it is to be judged, and nobody gets it twice. Documents
come up in chance order, every one once before any comes again, so that the overlap grows evenly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from numpy.random import Generator

from lanner.designs._allocate import refuse, refuse_scenarios
from lanner.designs._layout import Layout, Share, is_about_the_judge, lay_out, pages
from lanner.errors import DesignError
from lanner.model import Document, Item, Judge, Protocol, Task
from lanner.model.messages import in_number

TITLE = "Pool: whoever asks gets the next free document"
_NOBODY = Judge("")


def assign(
    documents: Sequence[Document],
    judges: Sequence[Judge],
    protocol: Protocol,
    *,
    rng: Generator,
    systems: Sequence[str],
    judges_per_document: int = 1,
    sentences_per_task: int = 20,
    all_scenarios: bool = False,
) -> list[Task]:
    """Tasks of judge "", `judges_per_document` times each; questionnaires are for each judge as always."""
    refuse(documents, judges)
    refuse_scenarios(protocol, all_scenarios=all_scenarios)
    _refuse(protocol, judges, judges_per_document)
    own = [
        Task(0, judge.id, page, (Item(""),))
        for judge in judges
        for page, stages in pages(protocol, judge)
        if is_about_the_judge(stages)
    ]
    layout = Layout(protocol, tuple(systems), True, sentences_per_task)
    free = lay_out(layout, _NOBODY, [Share(document) for document in documents], rng=rng)
    free = [task for task in free if task.items[0].document]
    return own + [task for turn in range(judges_per_document) for task in _turned(free, turn)]


def _refuse(protocol: Protocol, judges: Sequence[Judge], judges_per_document: int) -> None:
    order = [is_about_the_judge(stages) for stages in protocol.pages.values()]
    if order.count(False) != 1:
        raise DesignError(
            f"{protocol.name} has {order.count(False)} pages about texts, which belong to the same judge.",
            next_step="Use the design batches or random, which give a document to someone for all its pages.",
        )
    if order[-1]:
        raise DesignError(
            "A questionnaire behind the texts has no place in a pool, which has no end for a judge.",
            next_step="Ask it before the texts, or use another design.",
        )
    if not 1 <= judges_per_document <= len(judges):
        raise DesignError(
            in_number(
                len(judges),
                "Each document is to be judged by {count}, but there is {n} judge.",
                "Each document is to be judged by {count}, but there are {n} judges.",
                count=judges_per_document,
            ),
            code="few_judges",
            names={"n": str(judges_per_document), "judges": str(len(judges))},
            next_step=f"Ask for 1 to {len(judges)} judges per document.",
        )


def _turned(tasks: Sequence[Task], turn: int) -> list[Task]:
    """The same tasks once more, with outputs moved one place on, so that sides are balanced over judges as well."""
    return [
        replace(task, items=tuple(replace(item, systems=_moved(item.systems, turn)) for item in task.items))
        for task in tasks
    ]


def _moved(systems: tuple[str, ...], turn: int) -> tuple[str, ...]:
    start = turn % len(systems) if systems else 0
    return systems[start:] + systems[:start]
