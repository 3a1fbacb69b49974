"""Before the real work: tutorial items with their explanations, and a calibration round on shared documents.

Tutorial items come first, for everyone, with expected answers. A calibration round is a full crossing of a few
documents; its disagreements are looked at together before the rest is assigned (assignments can be added at any time),
so it is made first, and the design is given the documents that are left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from numpy.random import Generator

from lanner.designs import full
from lanner.designs._items import is_about_the_judge
from lanner.designs._placing import by_judge
from lanner.errors import DesignError, did_you_mean
from lanner.model import Document, Item, Judge, Protocol, Role, Task


def with_tutorial(tasks: Sequence[Task], items: Sequence[Item], page: str) -> list[Task]:
    """The tasks with a tutorial on a page before each judge's first task about texts."""
    if not items:
        return list(tasks)
    if lacking := next((item for item in items if not item.expected), None):
        raise DesignError(
            f"The tutorial item {lacking.document!r} {lacking.segment!r} expects no answer.",
            next_step="Give each tutorial item the answers it expects, with an explanation.",
        )
    tutorial = tuple(replace(item, role=Role.TUTORIAL) for item in items)
    result: list[Task] = []
    for judge, mine in by_judge(tasks):
        first = next((at for at, task in enumerate(mine) if task.items[0].document), len(mine))
        result += [*mine[:first], Task(0, judge, page, tutorial), *mine[first:]]
    return result


def calibration(
    documents: Sequence[Document],
    judges: Sequence[Judge],
    protocol: Protocol,
    names: Sequence[str],
    *,
    rng: Generator,
    systems: Sequence[str],
) -> tuple[list[Task], list[Document]]:
    """The tasks of a calibration round on the named documents, for everyone, and the documents that are left for the
    design. Questionnaires in front of the texts are part of the round; those behind come at the very end."""
    by_id = {document.id: document for document in documents}
    for name in names:
        if name not in by_id:
            raise DesignError(f"There is no document {name!r}.", next_step=did_you_mean(name, by_id))
    round_documents = [by_id[name] for name in names]
    tasks = full.assign(round_documents, judges, protocol, rng=rng, systems=systems, all_scenarios=True)
    behind = _behind(protocol)
    in_round = [task for task in tasks if task.page not in behind]
    as_calibration = [
        replace(t, items=tuple(replace(item, role=Role.CALIBRATION) for item in t.items)) if t.items[0].document else t
        for t in in_round
    ]
    return as_calibration, [document for document in documents if document.id not in names]


def after_calibration(tasks: Sequence[Task], protocol: Protocol) -> list[Task]:
    """A design's tasks without the questionnaires that the calibration round has asked already."""
    questionnaires = [page for page, stages in protocol.pages.items() if is_about_the_judge(stages)]
    past = set(questionnaires) - _behind(protocol)
    return [task for task in tasks if task.page not in past]


def _behind(protocol: Protocol) -> set[str]:
    """Questionnaires that stand behind all texts."""
    pages = list(protocol.pages.items())
    last = max((at for at, (_, stages) in enumerate(pages) if not is_about_the_judge(stages)), default=-1)
    return {page for page, _ in pages[last + 1 :]}
