"""Adaptive: documents are drawn as judges ask for work, where an answer is expected to tell most.

The probability of every draw is known and kept, so that estimates stay unbiased (`lanner.stats.sampling`). Documents
are drawn whole. The probability mixes a tilt with equal chances: `FLOOR` of it is always spread evenly, so no document
is ever neglected and a bad tilt costs little.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from lanner.designs import Design
from lanner.designs._allocate import few_judges, refuse_behind, refuse_scenarios, refuse_unread, uneven_teams
from lanner.designs._layout import DocumentShare, TaskLayout, is_about_the_judge, lay_out, pages
from lanner.designs.controls import KINDS, ControlSpoiler
from lanner.errors import DesignError
from lanner.model import Document, Item, Judge, Object, Protocol, Role, Task

NAME = "adaptive"
_NOBODY = Judge("")

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

FLOOR = 0.4
"""The share of the probability that is spread evenly over the documents not drawn yet."""
LARGEST = 3.0
"""How many times the usual weight a document can have at most, and the inverse at least."""
PRIOR = 8.0
"""The prior belief that all documents tell equally much for their length weighs as much as so many documents."""


def _assign(
    documents: Sequence[Document],
    judges: Sequence[Judge],
    protocol: Protocol,
    *,
    rng: Generator,  # noqa: ARG001 - nothing is drawn before a judge asks for work
    systems: Sequence[str],
    goal: str = "rank",
    budget: int = 0,
    judges_per_document: int = 1,
    overlap: float = 0.0,
    teams: bool = False,
    these_documents: bool = False,  # noqa: ARG001 - read when something is decided
) -> list[Task]:
    """Questionnaires; documents are drawn when judges ask for work. `goal` says what the campaign is for, `budget` how
    many judgements it may cost (0: as many as there are), `overlap` the share of documents that one judge more gets,
    `teams` that the judges of a document are always the same ones together, `these_documents` that the claim is about
    these documents only."""
    refuse_scenarios(protocol, all_scenarios=False)
    _refuse(protocol, documents, systems)
    refuse_unread(documents, judges)
    refuse_behind(protocol, "an adaptive campaign")
    if judges_per_document < 1:
        raise DesignError("A document needs at least one judge.")
    if teams:
        _refuse_teams(judges, judges_per_document, overlap)
    if not goal:
        raise DesignError("An adaptive campaign needs a goal.", next_step="Say what it is for, for example goal=rank.")
    refuse_goal(goal, systems, judges_per_document, overlap)
    if budget < 0 or not 0 <= overlap <= 1:
        raise DesignError("A budget is a number of judgements, an overlap a share from 0 to 1.")
    return [
        Task(0, judge.id, page, (Item(""),))
        for judge in judges
        for page, stages in pages(protocol, judge)
        if is_about_the_judge(stages)
    ]


def refuse_goal(goal: str, systems: Sequence[str], judges_per_document: int, overlap: float) -> None:
    """Refuse to rank one system: the goal would be reached with whatever is judged. Refuse to measure agreement where
    no document has two judges: it would never be reached."""
    kind = goal.partition(":")[0].strip()
    if kind == "agreement" and judges_per_document + overlap <= 1:
        raise DesignError(
            f"The goal {goal} needs documents with two judges, and each has one.",
            code="agreement_of_one",
            names={"goal": goal},
            next_step="Say judges_per_document=2, or an overlap: the share of documents that a second judge gets.",
        )
    if kind in ("rank", "best") and len(systems) < 2:
        raise DesignError(
            f"The goal {goal} compares systems, and there is one alone.",
            next_step="For one system say how precisely its score is to be known, for example goal=precision:2.",
        )


def refuse_few(judges: int, judges_per_document: int, overlap: float) -> None:
    """Refuse a campaign with fewer judges than some document needs. Those who come later need not be as many."""
    needed = judges_per_document + (overlap > 0)
    if needed > judges:
        step = f"Ask for 1 to {judges} judges per document, or add judges."
        raise few_judges(needed, judges, step, "Some documents are")


def _refuse_teams(judges: Sequence[Judge], size: int, overlap: float) -> None:
    if overlap:
        raise DesignError("Teams share no documents, so there is no overlap.", next_step="Leave out overlap or teams.")
    if size < 2 or len(judges) % size:
        step = "Say judges_per_document, 2 or more, and name as many judges as make whole teams."
        raise uneven_teams(len(judges), size, step)


def _refuse(protocol: Protocol, documents: Sequence[Document], systems: Sequence[str]) -> None:
    about_texts = [stages for stages in protocol.pages.values() if not is_about_the_judge(stages)]
    objects = {stage.object for stages in about_texts for stage in stages}
    if len(about_texts) != 1 or objects != {Object.OUTPUT}:
        raise DesignError(
            f"{protocol.name} does not rate outputs one by one on a single page.",
            next_step="An adaptive campaign needs such a protocol (da, esa, mqm, h_falcon …); others use random.",
        )
    for document in documents:
        lacking = [name for name in systems if any(s.judged and s.text(name) is None for s in document)]
        if lacking:
            raise DesignError(
                f"The document {document.id!r} lacks outputs of {lacking[0]}, so systems cannot be compared on it.",
                next_step="Leave the document or the system out.",
            )


def tasks_of(
    document: Document, systems: Sequence[str], protocol: Protocol, judges: Sequence[str], *, rng: Generator
) -> list[Task]:
    """The tasks of a document drawn: each system once for every judge, in chance order. A judge "" is whoever comes.

    Without chance, judges who take turns would always get the same systems: a strict one would make a system bad."""
    layout = TaskLayout(protocol, systems)
    tasks = [task for task in lay_out(layout, _NOBODY, [DocumentShare(document)], rng=rng) if task.items[0].document]
    return [replace(tasks[int(at)], judge=judge) for judge in judges for at in rng.permutation(len(tasks))]


@dataclass(frozen=True, slots=True)
class DocumentInWork:
    """A drawn document: the judges who have begun it, whether one of them is at work on it now, and how many it is
    for."""

    begun: Collection[int]
    at_work: bool
    places: int


def document_for(judge: int, free: Mapping[int, DocumentInWork], *, most: int) -> int | None:
    """Which of the drawn documents that have something free for a judge this judge goes on with; None where the next
    document is to be drawn instead.

    A judge first finishes what they have begun: then all systems of the document have met the same severity, and it
    cancels in their differences. They begin one that lacks a judge, or whose judges are gone. They join others at work
    only when nothing is left to draw (`most` is 0) or `most` documents are in work: looks would come late."""
    begun = [document for document, one in free.items() if judge in one.begun]
    lacking = [document for document, one in free.items() if len(one.begun) < one.places or not one.at_work]
    may_join = sum(one.at_work for one in free.values()) >= most
    return next(iter(begun or lacking or (free if may_join else ())), None)


def most_in_work(documents: int) -> int:
    """How many documents are judged at the same time before judges share them."""
    return max(1, documents // 5)


def most_tasks(
    documents: Sequence[Document],
    judges: Sequence[Judge],
    protocol: Protocol,
    *,
    systems: Sequence[str],
    goal: str = "",
    judges_per_document: int = 1,
    overlap: float = 0.0,
    rng: Generator,
    **_: object,
) -> list[Task]:
    """The tasks of a campaign that never stops early, for its plan: every document for whoever comes, and for a share
    of them one judge more."""
    refuse_goal(goal, systems, judges_per_document, overlap)
    refuse_few(len(judges), judges_per_document, overlap)
    shared = round(overlap * len(documents))
    judges_of = [[""] * (judges_per_document + (at < shared)) for at in range(len(documents))]
    return [
        task
        for document, anyone in zip(documents, judges_of, strict=True)
        for task in tasks_of(document, systems, protocol, anyone, rng=rng)
    ]


def control_of(
    tasks: Sequence[Task], documents: Sequence[Document], protocol: Protocol, kind: str, *, rng: Generator
) -> Task | None:
    """One of these tasks again with a spoiled sentence, for a judge who has not had it; the rest repeats. None where
    no text can be spoiled."""
    if kind not in KINDS:
        return None
    task = tasks[int(rng.integers(len(tasks)))]
    spoiled = ControlSpoiler(documents, protocol.pages[task.page], kind, rng)
    able = [at for at, item in enumerate(task.items) if spoiled.possible((item.document, item.segment, *item.systems))]
    if not able:
        return None
    choice = able[int(rng.integers(len(able)))]
    items = [
        spoiled.item(item) if at == choice else replace(item, role=Role.REPEAT) for at, item in enumerate(task.items)
    ]
    return replace(task, judge="", items=tuple(items))


def probabilities(weights: Array, available: npt.NDArray[np.bool_], floor: float = FLOOR) -> Array:
    """The chance of each document to be drawn next; 0 for those that are not available."""
    tilt = np.where(available, weights, 0.0)
    total = tilt.sum()
    even = available / max(1, int(available.sum()))
    return np.asarray((1 - floor) * tilt / total + floor * even if total > 0 else even)


def draw(chances: Array, number: float) -> int:
    """The document that a number between 0 and 1 stands for."""
    edges = np.cumsum(chances)
    place = int(np.searchsorted(edges, number * edges[-1], side="right"))
    return min(place, int(np.flatnonzero(chances)[-1]))


def tilt(sizes: Array, features: Array, order: Indices, squares: Array) -> Array:
    """The weight of every document: the root of how much its answers are expected to tell for each judgement.

    `squares` holds for each drawn document how far its answers were from what was expected (squared, mean 1). Their
    logarithm is regressed on the logarithm of length and on `features` (documents × features), with a prior under
    which they grow with length alone; cost grows with length, so that the prior gives every document the same weight.
    """
    length = np.log(sizes / np.exp(np.log(sizes).mean()))
    columns = np.column_stack([np.ones(len(sizes)), length, _standard(features)])
    prior = np.zeros(columns.shape[1])
    prior[1] = 1.0
    if len(order) > columns.shape[1] + 2:
        covariates = columns[order]
        target = np.log(squares + 0.1 * squares.mean() + 1e-12)
        target = target - target.mean()
        penalty = PRIOR * np.eye(columns.shape[1]) * float(np.var(target))
        penalty[0, 0] = 1e-9
        prior = np.linalg.solve(covariates.T @ covariates + penalty, covariates.T @ target + penalty @ prior)
    logarithm = 0.5 * (columns[:, 1:] @ prior[1:] - length)
    logarithm -= logarithm.mean()
    return np.asarray(np.exp(np.clip(logarithm, -np.log(LARGEST), np.log(LARGEST))))


def features_of(predictions: Array | None, sizes: Array, systems: Indices) -> Array:
    """What predictions say about each document for these systems: how bad the outputs are, how far they differ."""
    if predictions is None or len(systems) == 0:
        return np.zeros((len(sizes), 0))
    means = predictions[:, systems] / sizes[:, None]
    return np.column_stack([-means.mean(1), means.std(1)])


def _standard(features: Array) -> Array:
    spread = features.std(0)
    return np.asarray((features - features.mean(0)) / np.where(spread > 0, spread, 1.0))


ADAPTIVE = Design("Adaptive: the next document is the one expected to tell most, until it is enough", _assign)
