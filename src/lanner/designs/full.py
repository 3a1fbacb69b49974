"""Full crossing: every judge judges everything, each in an order of their own."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.random import Generator

from lanner.designs._allocate import by_arm, can_read, refuse, refuse_scenarios, refuse_size
from lanner.designs._layout import Layout, Share, lay_out
from lanner.model import Document, Judge, Protocol, Task

TITLE = "Full crossing: every judge judges every document"


def assign(
    documents: Sequence[Document],
    judges: Sequence[Judge],
    protocol: Protocol,
    *,
    rng: Generator,
    systems: Sequence[str],
    shuffle: bool = True,
    sentences_per_task: int = 20,
    all_scenarios: bool = False,
) -> list[Task]:
    """Every judge, every page, every document in a language they read, every output. `shuffle` off keeps the given
    order of documents; `all_scenarios` lets a judge meet a text in more than one scenario."""
    refuse(documents, judges)
    refuse_scenarios(protocol, all_scenarios=all_scenarios)
    refuse_size(documents, judges, len(systems))
    layout = Layout(protocol, tuple(systems), shuffle, sentences_per_task)
    arms = {judge.id: arm for arm, mine in by_arm(protocol, judges, rng).items() for judge in mine}
    return [
        task
        for judge in judges
        for task in lay_out(
            layout, judge, [Share(d) for d in documents if can_read(judge, d)], rng=rng, arm=arms[judge.id]
        )
    ]
