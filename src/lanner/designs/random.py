"""Random with overlap: chance decides who judges what, and a share of the documents is judged by several.

The documents of the overlap are spread over the domains in proportion, so that agreement is known everywhere. Judges
are drawn anew for every document, so all of them become comparable with one another. Everyone has about the same number
of words to read.
"""

from __future__ import annotations

from collections.abc import Sequence

from numpy.random import Generator

from lanner.designs._allocate import allocate, by_arm, reading, refuse, refuse_scenarios
from lanner.designs._layout import Layout, Share, lay_out
from lanner.errors import DesignError
from lanner.model import Document, Judge, Protocol, Task

TITLE = "Random: documents assigned at random, a share of them to several judges"


def assign(
    documents: Sequence[Document],
    judges: Sequence[Judge],
    protocol: Protocol,
    *,
    rng: Generator,
    systems: Sequence[str],
    judges_per_document: int = 1,
    overlap: float = 0.2,
    judges_on_overlap: int = 2,
    sentences_per_task: int = 20,
    all_scenarios: bool = False,
) -> list[Task]:
    """`judges_per_document` for most documents, `judges_on_overlap` for the share `overlap` of them."""
    refuse(documents, judges)
    refuse_scenarios(protocol, all_scenarios=all_scenarios)
    if not 0 <= overlap <= 1:
        raise DesignError(f"An overlap of {overlap:g} is not a share.", next_step="Give a number from 0 to 1.")
    if judges_per_document < 1 or (overlap and judges_on_overlap < judges_per_document):
        raise DesignError(
            f"{judges_on_overlap} judges on the overlap are fewer than the {judges_per_document} elsewhere.",
            next_step=f"Ask for at least {max(1, judges_per_document)} on the overlap.",
        )
    layout = Layout(protocol, tuple(systems), True, sentences_per_task)
    overlap_ids = spread(documents, overlap, rng)
    counts = [judges_on_overlap if document.id in overlap_ids else judges_per_document for document in documents]
    tasks: dict[str, list[Task]] = {}
    for arm, mine in by_arm(protocol, judges, rng).items():
        dealt = allocate(documents, reading(mine, protocol, arm), counts, rng)
        for judge in mine:
            shares = [Share(document) for document in dealt.get(judge.id, ())]
            tasks[judge.id] = lay_out(layout, judge, shares, rng=rng, arm=arm)
    return [task for judge in judges for task in tasks[judge.id]]


def spread(documents: Sequence[Document], share: float, rng: Generator) -> set[str]:
    """The share of the documents, drawn by chance and evenly over the domains; at least one where any is wanted."""
    count = max(1, round(share * len(documents))) if share > 0 else 0
    order = sorted((int(at) for at in rng.permutation(len(documents))), key=lambda at: documents[at].domain)
    start = float(rng.random())
    return {documents[order[int((number + start) * len(order) / count)]].id for number in range(count)}
