"""Parity: isolated sentences and whole documents, from texts that do not overlap for any judge.

After Läubli, Sennrich and Volk 2018, without the overlap that made them set aside the sentence ratings of four judges.
Some documents are judged as wholes by everyone. From the others, sets of sentences are drawn; each judge gets one set.
Half of the judges begin with the documents. With `swap` the documents are split in two halves, and what one half of
the judges sees as documents, the other sees as sentences, so that every text is judged both ways.
"""

from __future__ import annotations

from collections.abc import Sequence

from numpy.random import Generator

from lanner.designs._allocate import by_arm, reading, refuse, scenarios
from lanner.designs._layout import Layout, Share, is_isolated, lay_out, sentences
from lanner.errors import DesignError
from lanner.model import Document, Judge, Protocol, Task
from lanner.model.messages import in_number

TITLE = "Parity: isolated sentences and whole documents that do not overlap for a judge"
Picked = dict[str, frozenset[str]]


def assign(
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
    refuse(documents, judges)
    alone, in_full = _two_scenarios(protocol)
    halves = _halves(documents, whole, rng, swap=swap)
    draws = [_draw(_sentences(rest, systems), sentences_each, sets, rng, whole=len(read)) for read, rest in halves]
    layout = Layout(protocol, tuple(systems), True, sentences_per_task)
    tasks: dict[str, list[Task]] = {}
    for arm, mine in by_arm(protocol, judges, rng).items():
        workers = reading(mine, protocol, arm)
        _refuse_judges(len(workers), sets * len(halves), sets, swap=swap)
        places = {workers[int(at)].id: place for place, at in enumerate(rng.permutation(len(workers)))}
        for judge in mine:
            place = places.get(judge.id, 0)
            half = place % len(halves)
            sentences = draws[half][(place // len(halves)) % sets]
            shares = [Share(document, in_full) for document in halves[half][0]]
            shares += [Share(d, alone, segments=sentences[d.id]) for d in halves[half][1] if sentences.get(d.id)]
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
    """What is read as documents, and what is left to draw sentences from."""
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
    """Disjoint sets of sentences, by document."""
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
            in_number(
                judges,
                "{n} judge cannot be shared out evenly over {what}.",
                "{n} judges cannot be shared out evenly over {what}.",
                what=what,
            ),
            next_step=f"Add {more} judge{'s' if more > 1 else ''} to each arm{fewer}, or say sets=1.",
        )
