"""Designs that share whole documents out among the judges: `full`, `random`, `batches`, `pairs` and `pool`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import comb

from numpy.random import Generator

from lanner.designs import Design
from lanner.designs._allocate import (
    allocate,
    by_arm,
    can_read,
    even_out,
    few_judges,
    reading,
    refuse_behind,
    refuse_scenarios,
    refuse_size,
    refuse_unread,
    uneven_teams,
    words_of,
)
from lanner.designs._layout import DocumentShare, TaskLayout, is_about_the_judge, lay_out, outputs, pages
from lanner.errors import DesignError
from lanner.model import Document, Item, Judge, Object, Protocol, Task
from lanner.model.messages import in_number, plural

# Full crossing: every judge judges everything, each in an order of their own.


def _full(
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
    refuse_scenarios(protocol, all_scenarios=all_scenarios)
    refuse_size(documents, judges, len(systems))
    layout = TaskLayout(protocol, systems, shuffle, sentences_per_task)
    arms = {judge.id: arm for arm, mine in by_arm(protocol, judges, rng).items() for judge in mine}
    return [
        task
        for judge in judges
        for task in lay_out(
            layout, judge, [DocumentShare(d) for d in documents if can_read(judge, d)], rng=rng, arm=arms[judge.id]
        )
    ]


FULL = Design("Full crossing: every judge judges every document", _full)


# Random with overlap: chance decides who judges what, and a share of the documents is judged by several.
#
# The documents of the overlap are spread over the domains in proportion, so that agreement is known everywhere. Judges
# are drawn anew for every document, so all of them become comparable with one another. Everyone has about the same
# number of words to read.


def _random(
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
    refuse_scenarios(protocol, all_scenarios=all_scenarios)
    if not 0 <= overlap <= 1:
        raise DesignError(f"An overlap of {overlap:g} is not a share.", next_step="Give a number from 0 to 1.")
    if judges_per_document < 1 or (overlap and judges_on_overlap < judges_per_document):
        raise DesignError(
            f"{judges_on_overlap} judges on the overlap are fewer than the {judges_per_document} elsewhere.",
            next_step=f"Ask for at least {max(1, judges_per_document)} on the overlap.",
        )
    layout = TaskLayout(protocol, systems, sentences_per_task=sentences_per_task)
    overlap_ids = draw_share(documents, overlap, rng)
    counts = [judges_on_overlap if document.id in overlap_ids else judges_per_document for document in documents]
    tasks: dict[str, list[Task]] = {}
    for arm, mine in by_arm(protocol, judges, rng).items():
        dealt = allocate(documents, reading(mine, protocol, arm), counts, rng)
        for judge in mine:
            shares = [DocumentShare(document) for document in dealt.get(judge.id, ())]
            tasks[judge.id] = lay_out(layout, judge, shares, rng=rng, arm=arm)
    return [task for judge in judges for task in tasks[judge.id]]


def draw_share(documents: Sequence[Document], share: float, rng: Generator) -> set[str]:
    """Draw a share of the documents evenly over the domains; at least one where any is wanted."""
    count = max(1, round(share * len(documents))) if share > 0 else 0
    order = sorted((int(at) for at in rng.permutation(len(documents))), key=lambda at: documents[at].domain)
    start = float(rng.random())
    return {documents[order[int((number + start) * len(order) / count)]].id for number in range(count)}


RANDOM = Design("Random: documents assigned at random, a share of them to several judges", _random)


# Batches: the judges form teams, and each document is judged by everyone in one team.
#
# Agreement can then be computed within each team on everything it has judged, and no two teams share a document. Teams
# have the same size, and about the same number of words to read.


def _batches(
    documents: Sequence[Document],
    judges: Sequence[Judge],
    protocol: Protocol,
    *,
    rng: Generator,
    systems: Sequence[str],
    judges_per_document: int = 2,
    sentences_per_task: int = 20,
    all_scenarios: bool = False,
) -> list[Task]:
    """Teams of `judges_per_document`, formed by chance among those who read the same language."""
    refuse_scenarios(protocol, all_scenarios=all_scenarios)
    layout = TaskLayout(protocol, systems, sentences_per_task=sentences_per_task)
    tasks: dict[str, list[Task]] = {}
    for arm, mine in by_arm(protocol, judges, rng).items():
        shares: dict[str, list[DocumentShare]] = {judge.id: [] for judge in mine}
        workers = reading(mine, protocol, arm)
        for language in dict.fromkeys(document.target_language for document in documents):
            texts = [document for document in documents if document.target_language == language]
            able = [judge for judge in workers if can_read(judge, texts[0])]
            teams = _teams(able, judges_per_document, language, rng)
            for number, own in _deal(texts, len(teams), rng).items():
                for judge in teams[number]:
                    shares[judge.id] += [DocumentShare(texts[at]) for at in own]
        tasks |= {judge.id: lay_out(layout, judge, shares[judge.id], rng=rng, arm=arm) for judge in mine}
    return [task for judge in judges for task in tasks[judge.id]]


def _deal(texts: Sequence[Document], teams: int, rng: Generator) -> dict[int, list[int]]:
    """The documents of each team, by their places: long ones first, to the team with the fewest words."""
    words = [words_of(document) for document in texts]
    loads = dict.fromkeys((int(team) for team in rng.permutation(teams)), 0)
    shares: dict[int, list[int]] = {team: [] for team in range(teams)}
    order = [int(at) for at in rng.permutation(len(texts))]
    for at in sorted(order, key=lambda place: -words[place]):
        team = min(loads, key=lambda number: loads[number])
        loads[team] += words[at]
        shares[team].append(at)
    even_out(shares, words)
    return shares


def _teams(judges: Sequence[Judge], size: int, language: str, rng: Generator) -> list[list[Judge]]:
    count = len(judges)
    if size < 1 or count < size or count % size:
        read_one = any(judge.attributes.get("target_language") for judge in judges)
        raise uneven_teams(count, size, _what_would_work(count, size), f" who read {language}" if read_one else "")
    order = [judges[int(at)] for at in rng.permutation(count)]
    return [order[start : start + size] for start in range(0, count, size)]


def _what_would_work(count: int, size: int) -> str:
    """Name the nearest numbers that make whole teams."""
    if size < 1:
        return "Ask for at least one judge per document."
    more = size - count % size if count % size else size - count
    choices = [f"Add {plural(more, 'judge')}"]
    if fewer := count % size if count > size else 0:
        choices.append(f"leave out {fewer}")
    if sizes := [number for number in range(1, count + 1) if count % number == 0]:
        choices.append(f"ask for {min(sizes, key=lambda number: abs(number - size))} per document")
    return ", or ".join(choices) + "."


BATCHES = Design("Batches: each document is judged by one team of judges", _batches)


# Pairs: of several systems, each judge compares a few at a time, and chance says which stands left.
#
# Each document shows a judge one set of outputs (or as many as asked). Over a judge's documents every set comes up
# equally often within one, and over the judges of a document different sets come up. Sides are balanced within one.


def _pairs(
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
    refuse_scenarios(protocol, all_scenarios=all_scenarios)
    compared = [stage for stage in protocol.stages if stage.object is Object.OUTPUTS]
    size = _outputs_compared(protocol, systems)
    layout = TaskLayout(protocol, systems, sentences_per_task=sentences_per_task)
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
                sets = outputs(document, compared, systems)
                selection = tuple(sets[(turn + step) % len(sets)] for step in range(min(per_document, len(sets))))
                shares.append(DocumentShare(document, compared=selection))
                turn += per_document
            tasks[judge.id] = lay_out(layout, judge, shares, rng=rng, arm=arm)
    return [task for judge in judges for task in tasks[judge.id]]


def _outputs_compared(protocol: Protocol, systems: Sequence[str]) -> int:
    sizes = {stage.outputs for stage in protocol.stages if stage.object is Object.OUTPUTS}
    if not sizes:
        raise DesignError(
            f"{protocol.name} compares no outputs.", next_step="Use the design full, batches or latin_square."
        )
    if len(systems) < max(sizes):
        there = in_number(len(systems), "there is {n} system", "there are {n} systems")
        raise DesignError(
            f"{max(sizes)} outputs are compared, but {there}.", next_step=f"Name {max(sizes) - len(systems)} more."
        )
    return max(sizes)


PAIRS = Design("Pairs: a few systems compared per document, sides at random", _pairs)


# Pool: nobody owns a document; whoever asks for work gets the next free one.
#
# For judges who come and go. Each document is there as often as it is to be judged, and nobody gets it twice. Documents
# come up in chance order, every one once before any comes again, so that the overlap grows evenly.


_NOBODY = Judge("")


def _pool(
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
    refuse_scenarios(protocol, all_scenarios=all_scenarios)
    refuse_unread(documents, judges)
    _refuse_pool(protocol, judges, judges_per_document)
    own = [
        Task(0, judge.id, page, (Item(""),))
        for judge in judges
        for page, stages in pages(protocol, judge)
        if is_about_the_judge(stages)
    ]
    layout = TaskLayout(protocol, systems, sentences_per_task=sentences_per_task)
    free = lay_out(layout, _NOBODY, [DocumentShare(document) for document in documents], rng=rng)
    free = [task for task in free if task.items[0].document]
    return own + [task for turn in range(judges_per_document) for task in _with_next_sides(free, turn)]


def _refuse_pool(protocol: Protocol, judges: Sequence[Judge], judges_per_document: int) -> None:
    order = [is_about_the_judge(stages) for stages in protocol.pages.values()]
    if order.count(False) != 1:
        raise DesignError(
            f"{protocol.name} has {order.count(False)} pages about texts, which belong to the same judge.",
            next_step="Use the design batches or random, which give a document to someone for all its pages.",
        )
    refuse_behind(protocol, "a pool")
    if not 1 <= judges_per_document <= len(judges):
        raise few_judges(judges_per_document, len(judges), f"Ask for 1 to {len(judges)} judges per document.")


def _with_next_sides(tasks: Sequence[Task], turn: int) -> list[Task]:
    """The same tasks with outputs moved on by `turn` places, so that sides are balanced over judges as well."""
    return [
        replace(task, items=tuple(replace(item, systems=_rotate(item.systems, turn)) for item in task.items))
        for task in tasks
    ]


def _rotate(systems: tuple[str, ...], turn: int) -> tuple[str, ...]:
    start = turn % len(systems) if systems else 0
    return systems[start:] + systems[:start]


POOL = Design("Pool: whoever asks gets the next free document", _pool)
