"""Sharing documents out so that each is judged as often as asked and nobody has more than one more than another."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.random import Generator

from lanner.designs._people import can_read
from lanner.errors import DesignError
from lanner.model import Document, Judge


def allocate(
    documents: Sequence[Document], judges: Sequence[Judge], wanted: Sequence[int], rng: Generator
) -> dict[str, list[Document]]:
    """The documents of each judge, in chance order. `wanted` says how many judges each document needs; 0
    is everyone who can read it.

    Documents are dealt to those who have the fewest so far, chance deciding between equals, so that loads differ by at
    most one among judges of the same language. Documents that few can read are dealt first.
    """
    readers = [[judge.id for judge in judges if can_read(judge, document)] for document in documents]
    for document, able, number in zip(documents, readers, wanted, strict=True):
        if number > len(able):
            raise _too_few(document, number, len(able), len(judges))
    loads = {judge.id: 0 for judge in judges}
    shares: dict[str, list[Document]] = {judge.id: [] for judge in judges}
    order = [int(at) for at in rng.permutation(len(documents))]
    for at in sorted(order, key=lambda place: len(readers[place])):
        chance = {name: float(number) for name, number in zip(readers[at], rng.random(len(readers[at])), strict=True)}
        for name in sorted(readers[at], key=lambda judge: (loads[judge], chance[judge]))[: wanted[at] or None]:
            loads[name] += 1
            shares[name].append(documents[at])
    return shares


def _too_few(document: Document, wanted: int, able: int, judges: int) -> DesignError:
    if able == judges:
        what = f"Each document is to be judged by {wanted}, but there are {judges} judges."
        more = f"Add {wanted - judges} judge{'s' if wanted - judges > 1 else ''}"
    else:
        language = document.target_language
        what = f"{document.id!r} is to be judged by {wanted}, but only {able} of the judges read {language}."
        more = f"Add {wanted - able} for {language}"
    return DesignError(what, next_step=f"{more}, or ask for {able} per document." if able else f"{more}.")
