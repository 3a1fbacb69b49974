"""Pairs: of several systems, each judge compares a few at a time, and chance says which stands left.

Each document shows a judge one set of outputs (or as many as asked). Over a judge's documents every set comes up
equally often within one, and over the judges of a document different sets come up. Sides are balanced within one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

from numpy.random import Generator

from lanner.designs._allocate import allocate, by_arm, reading, refuse, refuse_scenarios, refuse_size
from lanner.designs._layout import Layout, Share, Shown, lay_out
from lanner.errors import DesignError
from lanner.model import Document, Judge, Object, Protocol, Task
from lanner.model.messages import in_number

TITLE = "Pairs: a few systems compared per document, sides at random"


def assign(
    documents: Sequence[Document],
    judges: Sequence[Judge],
    protocol: Protocol,
    *,
    rng: Generator,
    systems: Sequence[str],
    pairs_per_document: int = 1,
    judges_per_document: int = 0,
    sentences_per_task: int = 20,
    all_scenarios: bool = False,
) -> list[Task]:
    """`pairs_per_document` sets of outputs for each judge and document (0: all); `judges_per_document` 0 is all."""
    refuse(documents, judges)
    refuse_scenarios(protocol, all_scenarios=all_scenarios)
    size = _size(protocol, systems)
    layout = Layout(protocol, tuple(systems), True, sentences_per_task)
    most = comb(len(systems), size)
    per_document = min(pairs_per_document, most) or most
    refuse_size(documents, judges[: judges_per_document or len(judges)], per_document)
    tasks: dict[str, list[Task]] = {}
    for arm, mine in by_arm(protocol, judges, rng).items():
        workers = reading(mine, protocol, arm)
        dealt = allocate(documents, workers, [judges_per_document] * len(documents), rng)
        for number, judge in enumerate(mine):
            turn = number * per_document
            shares = []
            for document in dealt.get(judge.id, ()):
                sets = _sets(document, systems, size)
                selection = tuple(sets[(turn + step) % len(sets)] for step in range(min(per_document, len(sets))))
                shares.append(Share(document, compared=selection))
                turn += per_document
            tasks[judge.id] = lay_out(layout, judge, shares, rng=rng, arm=arm)
    return [task for judge in judges for task in tasks[judge.id]]


def _size(protocol: Protocol, systems: Sequence[str]) -> int:
    sizes = {stage.outputs for stage in protocol.stages if stage.object is Object.OUTPUTS}
    if not sizes:
        raise DesignError(
            f"{protocol.name} compares no outputs.", next_step="Use the design full, batches or latin_square."
        )
    if len(systems) < max(sizes):
        raise DesignError(
            in_number(
                len(systems),
                "{outputs} outputs are compared, but there is {n} system.",
                "{outputs} outputs are compared, but there are {n} systems.",
                outputs=max(sizes),
            ),
            next_step=f"Name {max(sizes) - len(systems)} more.",
        )
    return max(sizes)


def _sets(document: Document, systems: Sequence[str], size: int) -> list[Shown]:
    present = [name for name in systems if any(s.is_judgeable(name) for s in document)]
    if len(present) < size:
        raise DesignError(
            f"{size} outputs are compared, but the document {document.id!r} has {len(present)}.",
            next_step="Add outputs to it, leave it out, or name the systems to compare.",
        )
    return list(combinations(present, size))
