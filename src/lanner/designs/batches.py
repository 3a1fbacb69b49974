"""Batches: the judges form teams, and each document is judged by everyone in one team.

Agreement can then be computed within each team on everything it has judged, and no two teams share a document. Teams
have the same size, and about the same number of words to read.
"""

from __future__ import annotations

from collections.abc import Sequence

from numpy.random import Generator

from lanner.designs._allocate import by_arm, can_read, even_out, reading, refuse, refuse_scenarios, words_of
from lanner.designs._layout import Layout, Share, lay_out
from lanner.errors import DesignError
from lanner.model import Document, Judge, Protocol, Task
from lanner.model.messages import in_number

TITLE = "Batches: each document is judged by one team of judges"


def assign(
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
    refuse(documents, judges)
    refuse_scenarios(protocol, all_scenarios=all_scenarios)
    layout = Layout(protocol, tuple(systems), True, sentences_per_task)
    tasks: dict[str, list[Task]] = {}
    for arm, mine in by_arm(protocol, judges, rng).items():
        shares: dict[str, list[Share]] = {judge.id: [] for judge in mine}
        workers = reading(mine, protocol, arm)
        for language in dict.fromkeys(document.target_language for document in documents):
            texts = [document for document in documents if document.target_language == language]
            able = [judge for judge in workers if can_read(judge, texts[0])]
            teams = _teams(able, judges_per_document, language, rng)
            for number, own in _dealt(texts, len(teams), rng).items():
                for judge in teams[number]:
                    shares[judge.id] += [Share(texts[at]) for at in own]
        tasks |= {judge.id: lay_out(layout, judge, shares[judge.id], rng=rng, arm=arm) for judge in mine}
    return [task for judge in judges for task in tasks[judge.id]]


def _dealt(texts: Sequence[Document], teams: int, rng: Generator) -> dict[int, list[int]]:
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
        raise DesignError(
            in_number(
                count,
                "{n} judge{who} cannot be split into teams of {size}.",
                "{n} judges{who} cannot be split into teams of {size}.",
                who=_who_read(language, judges),
                size=size,
            ),
            code="uneven_teams",
            names={"judges": str(count), "size": str(size)},
            next_step=_what_would_work(count, size),
        )
    order = [judges[int(at)] for at in rng.permutation(count)]
    return [order[start : start + size] for start in range(0, count, size)]


def _who_read(language: str, judges: Sequence[Judge]) -> str:
    return f" who read {language}" if any(judge.attributes.get("target_language") for judge in judges) else ""


def _what_would_work(count: int, size: int) -> str:
    """The nearest numbers that divide."""
    if size < 1:
        return "Ask for at least one judge per document."
    more = size - count % size if count % size else size - count
    choices = [f"Add {more} judge{'s' if more > 1 else ''}"]
    if fewer := count % size if count > size else 0:
        choices.append(f"leave out {fewer}")
    if sizes := [number for number in range(1, count + 1) if count % number == 0]:
        choices.append(f"ask for {min(sizes, key=lambda number: abs(number - size))} per document")
    return ", or ".join(choices) + "."
