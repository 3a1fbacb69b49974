"""Designs that counterbalance what judges see over groups of them: `latin_square` and `parity`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Literal

from numpy.random import Generator

from lanner.designs import Design
from lanner.designs._allocate import by_arm, can_read, reading, scenarios
from lanner.designs._layout import DocumentShare, TaskLayout, is_isolated, lay_out, sentences
from lanner.errors import DesignError, check_known
from lanner.model import Document, Judge, Protocol, Role, Task
from lanner.model.messages import plural

# Latin square: scenarios, systems and their order counterbalanced over groups of judges.
#
# With scenarios, the documents are split into as many test sets as there are scenarios, alike in length. Each group of
# judges takes each set in another scenario, so nobody meets a text twice, and every text is judged in every scenario.
# Within a group judges go through the scenarios in different orders. Two scenarios, two sets, two groups and two orders
# are the set-up of Castilho 2021.
#
# With systems, each judge sees each document in one system's output only, and the groups differ in which: every
# document is judged in every system, and every judge sees every system equally often within one document.
#
# Any number of judges will do: groups are equal within one judge, so that each document is judged equally often within
# one in every scenario or system. `describe_balance` says where that is not exactly equal; `even_groups` refuses it.


def _latin_square(
    documents: Sequence[Document],
    judges: Sequence[Judge],
    protocol: Protocol,
    *,
    rng: Generator,
    systems: Sequence[str],
    rotate: Literal["", "scenarios", "systems", "both"] = "",
    rated: Sequence[str] = (),
    set_field: str = "",
    sentences_per_task: int = 20,
    even_groups: bool = False,
) -> list[Task]:
    """`rotate` is what the groups differ in: scenarios where the protocol has several, else systems. `rated` are the
    systems that are rated one by one where others are only compared with them. `set_field` names the document's meta
    field that holds its test set; without it the sets are drawn. With `even_groups` judges who cannot be split into
    groups of equal size are refused."""
    names = scenarios(protocol)
    what = rotate or ("scenarios" if len(names) > 1 else "systems")
    by_scenario, by_system = what in ("scenarios", "both"), what in ("systems", "both")
    turning = [name for name in systems if not rated or name in rated]
    _refuse(protocol, names, turning, rated, systems, by_scenario=by_scenario, by_system=by_system)
    sets = _read_sets(documents, set_field, len(names)) if set_field else _draw_sets(documents, len(names) or 1, rng)
    layout = TaskLayout(protocol, systems, sentences_per_task=sentences_per_task)
    groups = (len(names) if by_scenario else 1) * (len(turning) if by_system else 1)
    tasks: dict[str, list[Task]] = {}
    for arm, mine in by_arm(protocol, judges, rng).items():
        workers = reading(mine, protocol, arm)
        if even_groups:
            _refuse_groups(len(workers), groups)
        places = _assign_groups([workers[int(at)] for at in rng.permutation(len(workers))], documents, groups)
        first = rng.permutation(len(documents))
        for judge in mine:
            group, order = places.get(judge.id, (0, 0))
            shares = []
            for number, document in enumerate(documents):
                if not can_read(judge, document):
                    continue
                in_scenario = names[(group + sets[document.id]) % len(names)] if by_scenario else None
                turn = int(first[number]) + group // (len(names) if by_scenario else 1)
                one = (turning[turn % len(turning)],) if by_system else tuple(turning) if rated else None
                shares.append(DocumentShare(document, in_scenario, one))
            tasks[judge.id] = lay_out(
                layout, judge, shares, rng=rng, arm=arm, scenarios=_starting_at(names, order) if by_scenario else ()
            )
    return [task for judge in judges for task in tasks[judge.id]]


def _assign_groups(judges: Sequence[Judge], documents: Sequence[Document], groups: int) -> dict[str, tuple[int, int]]:
    """Put each judge into a group; the second number is how many joined it before. A judge joins the group that has
    judged the fewest of the documents they can read, so that groups are equal within one for every language, too."""
    judged: list[Counter[frozenset[str]]] = [Counter() for _ in range(groups)]
    places: dict[str, tuple[int, int]] = {}
    for judge in judges:
        readable = frozenset(document.id for document in documents if can_read(judge, document))

        def shared(group: int, readable: frozenset[str] = readable) -> int:
            return sum(count * len(others & readable) for others, count in judged[group].items())

        group = min(range(groups), key=lambda group: (shared(group), judged[group].total()))
        places[judge.id] = group, judged[group].total()
        judged[group][readable] += 1
    return places


def describe_balance(tasks: Sequence[Task], documents: Sequence[Document], protocol: Protocol) -> str:
    """Where documents are not judged equally often in every scenario, or in every system that they have an output of:
    how often, in words."""
    several = len(scenarios(protocol)) > 1
    judges: dict[tuple[str, tuple[str, ...]], set[str]] = defaultdict(set)
    for task in tasks:
        scenario = (str(protocol.pages[task.page][0].scenario),)
        for item in task.items:
            if item.document and item.role is Role.MAIN:
                judges[item.document, scenario if several else tuple(sorted(item.systems))].add(task.judge)
    names = {name for _, name in judges}
    uneven = []
    for document in documents:
        systems = {one for name in names for one in name if any(segment.is_judgeable(one) for segment in document)}
        counts = [len(judges[document.id, name]) for name in names if several or systems >= set(name)]
        if counts and max(counts) > min(counts):
            uneven.append(counts)
    if not uneven:
        return ""
    low, high = min(min(counts) for counts in uneven), max(max(counts) for counts in uneven)
    what = "scenarios" if several else "systems"
    judges_to_add = -sum(uneven[0]) % len(uneven[0])
    return (
        f"The judges cannot be split evenly over the {len(names)} {what}: a document is judged by {low} to {high} of "
        f"them in each. {judges_to_add} more would make it even."
    )


def _starting_at(names: Sequence[str], turn: int) -> list[str]:
    start = turn % len(names)
    return [*names[start:], *names[:start]]


def _refuse(
    protocol: Protocol,
    names: Sequence[str],
    turning: Sequence[str],
    rated: Sequence[str],
    systems: Sequence[str],
    *,
    by_scenario: bool,
    by_system: bool,
) -> None:
    for name in rated:
        check_known(name, systems, f"{name!r} is to be rated, but is no system here.", DesignError)
    if by_scenario and len(names) < 2:
        raise DesignError(
            f"{protocol.name} has no scenarios to counterbalance.", next_step='Say rotate="systems", or use full.'
        )
    if not by_scenario and len(names) > 1:
        raise DesignError(
            f"{protocol.name} has {len(names)} scenarios, and a judge must not meet a text in more than one.",
            next_step='Say rotate="scenarios" or rotate="both".',
        )
    if by_system and len(turning) < 2:
        raise DesignError("There is only one system to rotate.", next_step="Name more systems, or use full.")


def _refuse_groups(judges: int, groups: int) -> None:
    if judges < groups or judges % groups:
        more = -judges % groups if judges >= groups else groups - judges
        fewer = judges % groups if judges > groups else 0
        leave = f", or leave out {fewer}" if fewer else ""
        raise DesignError(
            f"{_judges(judges)} cannot be split into {groups} groups of equal size.",
            next_step=f"Add {_judges(more)}{leave}.",
        )


def _judges(number: int) -> str:
    return plural(number, "judge")


def _draw_sets(documents: Sequence[Document], count: int, rng: Generator) -> dict[str, int]:
    """Draw test sets that differ by at most one document and have nearly the same number of sentences: documents of
    like length are dealt together, the longer to the set that is shorter so far; chance decides between equals."""
    order = [int(at) for at in rng.permutation(len(documents))]
    order.sort(key=lambda at: -len(documents[at].segments))
    lengths = [0] * count
    sets: dict[str, int] = {}
    for start in range(0, len(order), count):
        chance = [float(number) for number in rng.random(count)]
        shortest = sorted(range(count), key=lambda number: (lengths[number], chance[number]))
        for at, number in zip(order[start : start + count], shortest, strict=False):
            sets[documents[at].id] = number
            lengths[number] += len(documents[at].segments)
    return sets


def _read_sets(documents: Sequence[Document], field: str, count: int) -> dict[str, int]:
    lacking = next((document.id for document in documents if field not in document.meta), None)
    if lacking is not None:
        raise DesignError(f"The document {lacking!r} has no {field!r}.", next_step="Give every document its test set.")
    names = list(dict.fromkeys(str(document.meta[field]) for document in documents))
    if len(names) != count:
        raise DesignError(
            f"There are {len(names)} test sets and {count} scenarios.",
            next_step=f"Give {count} different values of {field!r}, or leave it to chance.",
        )
    return {document.id: names.index(str(document.meta[field])) for document in documents}


LATIN_SQUARE = Design("Latin square: scenarios, systems and order counterbalanced over groups", _latin_square)


# Parity: isolated sentences and whole documents, from texts that do not overlap for any judge.
#
# After Läubli, Sennrich and Volk 2018, without the overlap that made them set aside the sentence ratings of four
# judges. Some documents are judged as wholes by everyone. From the others, sets of sentences are drawn; each judge gets
# one set. Half of the judges begin with the documents. With `swap` the documents are split in two halves, and what one
# half of the judges sees as documents, the other sees as sentences, so that every text is judged both ways.


Picked = dict[str, frozenset[str]]


def _parity(
    documents: Sequence[Document],
    judges: Sequence[Judge],
    protocol: Protocol,
    *,
    rng: Generator,
    systems: Sequence[str],
    whole: int = 0,
    sentences_each: int = 0,
    sets: int = 2,
    swap: bool = False,
    sentences_per_task: int = 20,
) -> list[Task]:
    """`whole` documents as wholes (0: half of them); `sentences_each` from the others for each judge, in `sets`
    different sets (0: as many as there are)."""
    alone, in_full = _two_scenarios(protocol)
    halves = _halves(documents, whole, rng, swap=swap)
    draws = [_draw(_sentences(rest, systems), sentences_each, sets, rng, whole=len(read)) for read, rest in halves]
    layout = TaskLayout(protocol, systems, sentences_per_task=sentences_per_task)
    tasks: dict[str, list[Task]] = {}
    for arm, mine in by_arm(protocol, judges, rng).items():
        workers = reading(mine, protocol, arm)
        _refuse_judges(len(workers), sets * len(halves), sets, swap=swap)
        places = {workers[int(at)].id: place for place, at in enumerate(rng.permutation(len(workers)))}
        for judge in mine:
            place = places.get(judge.id, 0)
            half = place % len(halves)
            sentences = draws[half][(place // len(halves)) % sets]
            shares = [DocumentShare(document, in_full) for document in halves[half][0]]
            shares += [
                DocumentShare(d, alone, segments=sentences[d.id]) for d in halves[half][1] if sentences.get(d.id)
            ]
            turn = place // (len(halves) * sets)
            order = [alone, in_full] if turn % 2 else [in_full, alone]
            tasks[judge.id] = lay_out(layout, judge, shares, rng=rng, arm=arm, scenarios=order)
    return [task for judge in judges for task in tasks[judge.id]]


def _two_scenarios(protocol: Protocol) -> tuple[str, str]:
    """The scenario of isolated sentences and the other one."""
    names = scenarios(protocol)
    apart = [name for name in names if is_isolated([s for s in protocol.stages if s.scenario == name])]
    if len(names) != 2 or len(apart) != 1:
        raise DesignError(
            f"{protocol.name} does not have two scenarios, one of them with isolated sentences.",
            next_step="Use the protocol parity, or the design latin_square.",
        )
    return apart[0], next(name for name in names if name != apart[0])


def _halves(
    documents: Sequence[Document], whole: int, rng: Generator, *, swap: bool
) -> list[tuple[list[Document], list[Document]]]:
    """Split the documents into those read as wholes and those that sentences are drawn from."""
    count = whole or len(documents) // 2
    if len(documents) < 2 or count >= len(documents):
        raise DesignError(
            f"{count or 1} documents as wholes leave none of {len(documents)} to draw sentences from.",
            next_step=f"Ask for at most {len(documents) - 1}."
            if len(documents) > 1
            else "Give at least two documents.",
        )
    order = [int(at) for at in rng.permutation(len(documents))]
    read, rest = ([documents[at] for at in sorted(part)] for part in (order[:count], order[count:]))
    return [(read, rest), (rest, read)] if swap else [(read, rest)]


def _sentences(documents: Sequence[Document], systems: Sequence[str]) -> list[tuple[str, str]]:
    return [(document.id, segment.id) for document in documents for segment in sentences(document, tuple(systems))]


def _draw(pool: Sequence[tuple[str, str]], each: int, sets: int, rng: Generator, *, whole: int) -> list[Picked]:
    """Draw disjoint sets of sentences, each by document."""
    if sets < 1:
        raise DesignError("There must be at least one set of sentences.", next_step="Say sets=1.")
    number = each or len(pool) // sets
    if number * sets > len(pool) or not number:
        most = len(pool) // sets
        fewer_sets = f", or {len(pool) // number} sets" if number and len(pool) // number else ""
        raise DesignError(
            f"{sets} × {number or 1} sentences are wanted, but the documents that are not among the {whole} read as "
            f"wholes have {len(pool)}.",
            next_step=f"Ask for at most {most} sentences{fewer_sets}, or for fewer whole documents."
            if most
            else "Ask for fewer whole documents.",
        )
    order = [pool[int(at)] for at in rng.permutation(len(pool))]
    draws: list[Picked] = []
    for turn in range(sets):
        by_document: dict[str, set[str]] = {}
        for document, segment in order[turn * number : (turn + 1) * number]:
            by_document.setdefault(document, set()).add(segment)
        draws.append({document: frozenset(segments) for document, segments in by_document.items()})
    return draws


def _refuse_judges(judges: int, cells: int, sets: int, *, swap: bool) -> None:
    if judges % cells or not judges:
        more = -judges % cells or cells
        what = f"{sets} sets of sentences" + (" in two halves" if swap else "")
        fewer = f", or say sets={judges // (2 if swap else 1)}" if 0 < judges < cells and judges % 2 == 0 else ""
        raise DesignError(
            f"{_judges(judges)} cannot be shared out evenly over {what}.",
            next_step=f"Add {_judges(more)} to each arm{fewer}, or say sets=1.",
        )


PARITY = Design("Parity: isolated sentences and whole documents that do not overlap for a judge", _parity)
