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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from numpy.random import Generator

from lanner.errors import DesignError
from lanner.model import Document, Item, Judge, JudgeKind, Object, Protocol, Segment, Stage, Task, Unit

# What the pages of a protocol ask about: the outputs shown together, and the items of a document in its order.

Shown = tuple[str, ...]
SENTENCES = (Unit.ISOLATED, Unit.IN_CONTEXT)


def pages(protocol: Protocol, judge: Judge, arm: str | None = None) -> Iterator[tuple[str, tuple[Stage, ...]]]:
    """The pages this judge works on from the start, in order: not those of other arms or roles, nor those whose units
    are promoted later by answers that do not exist yet. Someone with the attribute `judge` off does only the pages of
    their role."""
    for page, stages in protocol.pages.items():
        mine = tuple(stage for stage in stages if is_for(stage, judge, arm))
        if mine and not any(stage.promotion for stage in mine):
            yield page, mine


def is_for(stage: Stage, judge: Judge, arm: str | None) -> bool:
    """Whether a stage is for this judge, by arm and role. Questionnaires are for people."""
    if stage.unit is Unit.JUDGE and judge.kind in (JudgeKind.MODEL, JudgeKind.METRIC):
        return False
    in_arm = stage.arm is None or arm is None or stage.arm == arm
    if stage.role is None:
        return in_arm and bool(judge.attributes.get("judge", True))
    return in_arm and bool(judge.attributes.get(stage.role))


def is_about_the_judge(stages: Sequence[Stage]) -> bool:
    """Whether a page is a questionnaire: asked once, of no text."""
    return all(stage.unit is Unit.JUDGE for stage in stages)


def is_isolated(stages: Sequence[Stage]) -> bool:
    """Whether a page shows sentences out of their documents, each for itself."""
    return any(stage.apart for stage in stages)


def outputs(document: Document, stages: Sequence[Stage], systems: Sequence[str]) -> list[Shown]:
    """The sets of outputs that a page shows, one set a time, in the order of `systems`; one empty set where the
    source alone is asked about, none where nothing is to be judged."""
    objects = {stage.object for stage in stages}
    if not objects & {Object.OUTPUT, Object.OUTPUTS}:
        return [()]
    present = [name for name in systems if any(s.is_judgeable(name) for s in document)]
    if Object.OUTPUTS not in objects:
        return [(name,) for name in present]
    size = max(stage.outputs for stage in stages if stage.object is Object.OUTPUTS)
    if len(present) < size and any(segment.judged for segment in document):
        raise DesignError(
            f"{size} outputs are compared, but the document {document.id!r} has {len(present)}.",
            next_step="Add outputs to it, leave it out, or name the systems to compare.",
        )
    return list(combinations(present, size))


def sentences(document: Document, outputs: Shown) -> list[Segment]:
    """The segments that can be judged with these outputs, in order."""
    return [s for s in document if s.judged and all(map(s.is_judgeable, outputs))]


def items(document: Document, stages: Sequence[Stage], outputs: Shown) -> tuple[Item, ...]:
    """What a page asks about a document: sentence by sentence, then the document as a whole."""
    result: list[Item] = []
    if any(stage.unit in SENTENCES for stage in stages):
        for segment in sentences(document, outputs):
            result += _unit_items(document.id, segment.id, [s for s in stages if s.unit in SENTENCES], outputs)
    whole = [stage for stage in stages if stage.unit is Unit.DOCUMENT]
    if whole and sentences(document, outputs):
        result += _unit_items(document.id, "", whole, outputs)
    return tuple(result)


def _unit_items(document: str, segment: str, stages: Sequence[Stage], outputs: Shown) -> list[Item]:
    """The items about a document or segment. Where outputs are rated one by one and compared on the same page, each
    comes alone before all come together."""
    objects = {stage.object for stage in stages}
    alone = (
        [Item(document, segment, (name,)) for name in outputs] if Object.OUTPUT in objects and len(outputs) > 1 else []
    )
    together = [] if alone and Object.OUTPUTS not in objects else [Item(document, segment, outputs)]
    return alone + together


Page = tuple[str, tuple[Stage, ...]]


@dataclass(frozen=True, slots=True)
class DocumentShare:
    """A document that a judge works on: in one scenario, or in whatever the protocol has; some of its systems, or all;
    for comparisons these sets of outputs only, or all of the right size; some of its sentences, or all."""

    document: Document
    scenario: str | None = None
    systems: tuple[str, ...] | None = None
    compared: tuple[Shown, ...] | None = None
    segments: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class TaskLayout:
    """What holds for everyone: the protocol, the systems, and how tasks are cut."""

    protocol: Protocol
    systems: Sequence[str]
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
    layout: TaskLayout,
    judge: Judge,
    shares: Sequence[DocumentShare],
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
                order = shuffle_items([item for _, group in round_ for item in group], sides, rng)
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


def _sets(layout: TaskLayout, stages: Sequence[Stage], share: DocumentShare) -> list[Shown]:
    """The sets of outputs that a page shows of a document. Only ratings are narrowed to some systems: a comparison
    needs the others too, unless it says which."""
    comparing = any(stage.object is Object.OUTPUTS for stage in stages)
    if comparing and share.compared is not None:
        return list(share.compared)
    systems = layout.systems if comparing or share.systems is None else share.systems
    return outputs(share.document, stages, systems)


def _rounds(
    layout: TaskLayout, block: Sequence[Page], shares: Sequence[DocumentShare], rng: Generator
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
    for number in range(max((len(part) for row in sets for part in row), default=0)):
        order = rng.permutation(places) if layout.shuffle else range(places)
        round_ = []
        for at in map(int, order):
            last = max(map(len, sets[at]))
            for (page, stages), part, side in zip(block, sets[at], sides, strict=True):
                turn = number - (last - len(part))  # comparisons are fewer than ratings, and come after them
                if 0 <= turn < len(part):
                    outputs = part[(int(first[at]) + turn) % len(part)]
                    if group := _items(shares[at], stages, side.next(outputs)):
                        round_.append((page, group))
        rounds.append(round_)
    return rounds


def _items(share: DocumentShare, stages: Sequence[Stage], outputs: Shown) -> tuple[Item, ...]:
    every = items(share.document, stages, outputs)
    return every if share.segments is None else tuple(i for i in every if not i.segment or i.segment in share.segments)


def shuffle_items(every: Sequence[Item], sides: Sides, rng: Generator) -> list[Item]:
    """Items in chance order, with sides taken in turns."""
    order = [every[int(at)] for at in rng.permutation(len(every))]
    return [replace(item, systems=sides.next(item.systems)) for item in order]


def cut(every: Sequence[Item], most: int) -> list[tuple[Item, ...]]:
    """Items in their order, in as few tasks as possible, as equal as possible."""
    count = -(-len(every) // max(1, most))
    cuts = [len(every) * part // count for part in range(count + 1)] if count else []
    return [tuple(every[start:end]) for start, end in itertools.pairwise(cuts)]
