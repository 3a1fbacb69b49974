"""A judge's share of the documents made into tasks: which pages, in which order, which output on which side.

Every design decides who gets what and leaves the rest to `lay_out`. Pages about outputs are done document by document
(its sentences, then the document as a whole); pages about the source alone come before them. Where a document has
several outputs, they come in rounds: every document once, then every document again with its next output, so that a
judge meets the same source as late as possible; outputs are compared after they have been rated. Which output comes
first and which one stands left is balanced within one. Sentences judged in isolation are shuffled across documents and
cut into tasks of equal size.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from numpy.random import Generator

from lanner.designs._items import Shown, is_about_the_judge, is_isolated, items, outputs, pages
from lanner.errors import DesignError
from lanner.model import Document, Item, Judge, Object, Protocol, Stage, Task

Page = tuple[str, tuple[Stage, ...]]


@dataclass(frozen=True, slots=True)
class Share:
    """A document that a judge works on: in one scenario, or in whatever the protocol has; some of its systems, or all;
    for comparisons these sets of outputs only, or all of the right size; some of its sentences, or all."""

    document: Document
    scenario: str | None = None
    systems: tuple[str, ...] | None = None
    compared: tuple[Shown, ...] | None = None
    segments: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """What holds for everyone: the protocol, the systems, and how tasks are cut."""

    protocol: Protocol
    systems: tuple[str, ...]
    shuffle: bool = True
    sentences_per_task: int = 20


class Sides:
    """Which output stands first: taken in turns for each set of outputs, starting anywhere, so that over one judge's
    documents each output stands in each place as often as any other within one."""

    def __init__(self, rng: Generator) -> None:
        self._rng = rng
        self._turns: dict[Shown, int] = {}

    def next(self, outputs: Shown) -> Shown:
        if len(outputs) < 2:
            return outputs
        key = tuple(sorted(outputs))
        turn = self._turns[key] + 1 if key in self._turns else int(self._rng.integers(len(outputs)))
        self._turns[key] = turn
        return key[turn % len(outputs) :] + key[: turn % len(outputs)]


def lay_out(
    layout: Layout,
    judge: Judge,
    shares: Sequence[Share],
    *,
    rng: Generator,
    arm: str | None = None,
    scenarios: Sequence[str] = (),
) -> list[Task]:
    """The tasks of one judge, in order. `scenarios` is the order in which this judge goes through them."""
    tasks: list[Task] = []
    for block in _in_order(_blocks(list(pages(layout.protocol, judge, arm))), scenarios):
        if is_about_the_judge(block[0][1]):
            tasks.append(Task(0, judge.id, block[0][0], (Item(""),)))
            continue
        scenario = block[0][1][0].scenario
        mine = [share for share in shares if share.scenario is None or scenario in (None, share.scenario)]
        rounds = _rounds(layout, block, mine, rng)
        if is_isolated(block[0][1]):
            sides = Sides(rng)
            for round_ in rounds:
                order = shuffled([item for _, group in round_ for item in group], sides, rng)
                tasks += [Task(0, judge.id, block[0][0], part) for part in cut(order, layout.sentences_per_task)]
        else:
            tasks += [Task(0, judge.id, page, group) for round_ in rounds for page, group in round_]
    return tasks


def _blocks(every: Sequence[Page]) -> list[list[Page]]:
    """Pages that are done together, document by document: neighbours about outputs in one scenario."""
    blocks: list[list[Page]] = []
    for page, stages in every:
        last = blocks[-1][-1][1] if blocks else ()
        if last and _joins(last) and _joins(stages) and last[0].scenario == stages[0].scenario:
            blocks[-1].append((page, stages))
        else:
            blocks.append([(page, stages)])
    return blocks


def _joins(stages: Sequence[Stage]) -> bool:
    return not is_isolated(stages) and any(stage.object in (Object.OUTPUT, Object.OUTPUTS) for stage in stages)


def _in_order(blocks: list[list[Page]], scenarios: Sequence[str]) -> list[list[Page]]:
    """The blocks with those of a scenario moved among their own places; questionnaires stay where they are."""

    def scenario(block: list[Page]) -> str | None:
        return block[0][1][0].scenario

    in_order = [block for name in scenarios for block in blocks if scenario(block) == name]
    following = iter(in_order)
    return [next(following) if scenario(block) in scenarios else block for block in blocks]


_NO_OUTPUTS = (
    "The texts have no outputs at all: import them again and say which columns hold translations, "
    "for instance lanner import FILE --columns system:NAME=COLUMN."
)


def _sets(layout: Layout, stages: Sequence[Stage], share: Share) -> list[Shown]:
    """The sets of outputs that a page shows of a document. Only ratings are narrowed to some systems: a comparison
    needs the others too, unless it says which."""
    comparing = any(stage.object is Object.OUTPUTS for stage in stages)
    if comparing and share.compared is not None:
        return list(share.compared)
    systems = layout.systems if comparing or share.systems is None else share.systems
    return outputs(share.document, stages, systems)


def _rounds(
    layout: Layout, block: Sequence[Page], shares: Sequence[Share], rng: Generator
) -> list[list[tuple[str, tuple[Item, ...]]]]:
    """In each round every document comes once, with the next set of outputs of each page."""
    sets = [[_sets(layout, stages, share) for _, stages in block] for share in shares]
    if shares and not any(outputs for row in sets for outputs in row):
        there = list(dict.fromkeys(name for share in shares for name in share.document.systems))
        hint = f"The texts have outputs of {', '.join(there)}." if there else _NO_OUTPUTS
        raise DesignError("No document has an output of these systems.", next_step=hint)
    sides = [Sides(rng) for _ in block]
    places = len(shares)
    first = rng.permutation(places) if layout.shuffle else [0] * places
    rounds: list[list[tuple[str, tuple[Item, ...]]]] = []
    for number in range(max((len(found) for row in sets for found in row), default=0)):
        order = rng.permutation(places) if layout.shuffle else range(places)
        round_ = []
        for at in map(int, order):
            last = max(map(len, sets[at]))
            for (page, stages), found, side in zip(block, sets[at], sides, strict=True):
                turn = number - (last - len(found))  # comparisons are fewer than ratings, and come after them
                if 0 <= turn < len(found):
                    outputs = found[(int(first[at]) + turn) % len(found)]
                    if group := _items(shares[at], stages, side.next(outputs)):
                        round_.append((page, group))
        rounds.append(round_)
    return rounds


def _items(share: Share, stages: Sequence[Stage], outputs: Shown) -> tuple[Item, ...]:
    every = items(share.document, stages, outputs)
    return every if share.segments is None else tuple(i for i in every if not i.segment or i.segment in share.segments)


def shuffled(every: Sequence[Item], sides: Sides, rng: Generator) -> list[Item]:
    """Items in chance order, with sides taken in turns."""
    order = [every[int(at)] for at in rng.permutation(len(every))]
    return [replace(item, systems=sides.next(item.systems)) for item in order]


def cut(every: Sequence[Item], most: int) -> list[tuple[Item, ...]]:
    """Items in their order, in as few tasks as possible, as equal as possible."""
    count = -(-len(every) // max(1, most))
    cuts = [len(every) * part // count for part in range(count + 1)] if count else []
    return [tuple(every[start:end]) for start, end in itertools.pairwise(cuts)]
