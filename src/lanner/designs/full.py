"""Full crossing: every judge judges everything.

Each judge goes through the documents in an order of their own. Where a document has several outputs, they come in
rounds: every document once, then every document again with its next output, so that a judge meets the same source as
late as possible; which output comes first is spread evenly. Which output stands left is balanced within one over the
documents. Sentences that are judged in isolation are shuffled across documents and cut into tasks of equal size.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from numpy.random import Generator

from lanner.designs._items import Shown, is_about_the_judge, is_isolated, items, outputs, pages
from lanner.errors import DesignError
from lanner.model import Document, Item, Judge, Protocol, Stage, Task

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
    """Every judge, every page, every document, every output. `shuffle` off keeps the given order of documents;
    `all_scenarios` lets a judge meet a text in more than one scenario."""
    _refuse(documents, judges, protocol, all_scenarios=all_scenarios)
    arms = list(dict.fromkeys(stage.arm for stage in protocol.stages if stage.arm))
    places = rng.permutation(len(judges))
    tasks: list[Task] = []
    for judge, place in zip(judges, places, strict=True):
        arm = arms[int(place) % len(arms)] if arms else None
        for page, stages in pages(protocol, judge, arm):
            if is_about_the_judge(stages):
                groups: list[tuple[Item, ...]] = [(Item(""),)]
            else:
                rounds = _rounds(documents, stages, systems, rng, shuffle=shuffle)
                groups = [group for round_ in rounds for group in round_ if group]
                if is_isolated(stages):
                    groups = [part for round_ in rounds for part in _shuffled(round_, sentences_per_task, rng)]
            tasks += [Task(0, judge.id, page, group) for group in groups]
    return tasks


def _refuse(documents: Sequence[Document], judges: Sequence[Judge], protocol: Protocol, *, all_scenarios: bool) -> None:
    for what, ids in (("document", [d.id for d in documents]), ("judge", [j.id for j in judges])):
        if not ids:
            raise DesignError(f"There is no {what}.", next_step=f"Give at least one {what}.")
        if twice := [id_ for id_, n in Counter(ids).items() if n > 1]:
            raise DesignError(f"The {what} {twice[0]!r} is there twice.", next_step="Give each an id of its own.")
    scenarios = list(dict.fromkeys(stage.scenario for stage in protocol.stages if stage.scenario))
    if len(scenarios) > 1 and not all_scenarios:
        raise DesignError(
            f"A full crossing would show each text to a judge in {len(scenarios)} scenarios: {', '.join(scenarios)}.",
            next_step="Use the design latin, or say all_scenarios=true if that is wanted.",
        )


def _rounds(
    documents: Sequence[Document], stages: Sequence[Stage], systems: Sequence[str], rng: Generator, *, shuffle: bool
) -> list[list[tuple[Item, ...]]]:
    """In each round every document comes once, with its next set of outputs."""
    sets = [outputs(document, stages, systems) for document in documents]
    if not any(sets):
        raise DesignError(
            "No document has an output of these systems.", next_step="Name systems that the documents have outputs of."
        )
    count = max(map(len, sets))
    first = rng.permutation(len(documents)) if shuffle else [0] * len(documents)
    sides = _Sides(rng)
    rounds = []
    for number in range(count):
        order = rng.permutation(len(documents)) if shuffle else range(len(documents))
        round_ = []
        for at in map(int, order):
            turn = (int(first[at]) + number) % count
            if turn < len(sets[at]):
                round_.append(items(documents[at], stages, sides.next(sets[at][turn])))
        rounds.append(round_)
    return rounds


class _Sides:
    """Which output stands first: taken in turns for each set of outputs, starting anywhere, so that over one judge's
    documents each output stands in each place as often as any other within one."""

    def __init__(self, rng: Generator) -> None:
        self._rng = rng
        self._turns: dict[Shown, int] = {}

    def next(self, shown: Shown) -> Shown:
        if len(shown) < 2:
            return shown
        outputs_ = tuple(sorted(shown))
        turn = self._turns[outputs_] + 1 if outputs_ in self._turns else int(self._rng.integers(len(shown)))
        self._turns[outputs_] = turn
        return outputs_[turn % len(shown) :] + outputs_[: turn % len(shown)]


def _shuffled(round_: Iterable[tuple[Item, ...]], most: int, rng: Generator) -> list[tuple[Item, ...]]:
    """The sentences of all documents in chance order, in as few tasks as possible, as equal as possible."""
    every = [item for group in round_ for item in group]
    if not every:
        return []
    sides = _Sides(rng)
    mixed = [replace(every[int(at)], systems=sides.next(every[int(at)].systems)) for at in rng.permutation(len(every))]
    count = -(-len(mixed) // most)
    cuts = [len(mixed) * part // count for part in range(count + 1)]
    return [tuple(mixed[start:end]) for start, end in itertools.pairwise(cuts)]
