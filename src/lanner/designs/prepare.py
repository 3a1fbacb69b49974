"""A campaign's tasks with what its settings add to the design: controls, a tutorial, a calibration round; and the tasks
of units that are promoted to a later stage.

========================  ======================================================================================
before, after             names of questionnaires, which become pages of the protocol (`lanner.protocols.compose`)
controls                  a table: shuffled, swapped, degraded, repeats, gold, in_place, spacing; see `controls`
tutorial                  a table: `page` (the first about texts, if left out) and `items`, each with document,
                          segment, systems and `expected` answers with explanations; see `expected`
calibration               a list of document ids; their round comes first, the rest is prepared as "rest" later
========================  ======================================================================================
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.random import Generator

from lanner import designs
from lanner.designs import controls
from lanner.designs._allocate import can_read
from lanner.designs._insertion import by_judge
from lanner.designs._layout import Sides, cut, is_about_the_judge, is_for, items, outputs, shuffle_items
from lanner.errors import DesignError, check_known
from lanner.model import (
    JUDGE_GROUPS,
    Document,
    Item,
    Json,
    Judge,
    Judgement,
    Promotion,
    Protocol,
    Role,
    Stage,
    Task,
    languages,
)

# Before the real work: tutorial items with their explanations, and a calibration round on shared documents.
#
# Tutorial items come first, for everyone, with expected answers. A calibration round is a full crossing of a few
# documents; its disagreements are looked at together before the rest is assigned (assignments can be added at any
# time), so it is made first, and the design is given the documents that are left.


def with_tutorial(tasks: Sequence[Task], items: Sequence[Item], page: str) -> list[Task]:
    """The tasks with a tutorial on a page before each judge's first task about texts."""
    if not items:
        return list(tasks)
    if lacking := next((item for item in items if not item.expected), None):
        raise DesignError(
            f"The tutorial item {lacking.document!r} {lacking.segment!r} expects no answer.",
            next_step="Give each tutorial item the answers it expects, with an explanation.",
        )
    tutorial = tuple(replace(item, role=Role.TUTORIAL) for item in items)
    result: list[Task] = []
    for judge, mine in by_judge(tasks):
        first = next((at for at, task in enumerate(mine) if task.items[0].document), len(mine))
        result += [*mine[:first], Task(0, judge, page, tutorial), *mine[first:]]
    return result


def calibration(
    documents: Sequence[Document],
    judges: Sequence[Judge],
    protocol: Protocol,
    names: Sequence[str],
    *,
    rng: Generator,
    systems: Sequence[str],
) -> tuple[list[Task], list[Document]]:
    """The tasks of a calibration round on the named documents, for everyone, and the documents that are left for the
    design. Questionnaires in front of the texts are part of the round; those behind come at the very end."""
    by_id = {document.id: document for document in documents}
    for name in names:
        check_known(name, by_id, f"There is no document {name!r}.", DesignError)
    round_documents = [by_id[name] for name in names]
    tasks = designs.assign("full", round_documents, judges, protocol, rng=rng, systems=systems, all_scenarios=True)
    behind = pages_behind(protocol)
    in_round = [task for task in tasks if task.page not in behind]
    as_calibration = [
        replace(t, items=tuple(replace(item, role=Role.CALIBRATION) for item in t.items)) if t.items[0].document else t
        for t in in_round
    ]
    return as_calibration, [document for document in documents if document.id not in names]


def with_languages(judges: Iterable[Judge], documents: Sequence[Document]) -> list[Judge]:
    """Judges who read the language they were named with, where texts are translated into several; elsewhere it says
    something of them, and decides nothing."""
    codes = {languages.normal(document.target_language).partition("-")[0] for document in documents}
    if len(codes) < 2:
        return list(judges)
    return [
        replace(judge, attributes={"target_language": judge.attributes["language"], **judge.attributes})
        if judge.attributes.get("language")
        else judge
        for judge in judges
    ]


def after_calibration(tasks: Sequence[Task], protocol: Protocol) -> list[Task]:
    """A design's tasks without the questionnaires that the calibration round has asked already."""
    questionnaires = [page for page, stages in protocol.pages.items() if is_about_the_judge(stages)]
    past = set(questionnaires) - pages_behind(protocol)
    return [task for task in tasks if task.page not in past]


def pages_behind(protocol: Protocol) -> set[str]:
    """Questionnaires that stand behind all texts."""
    pages = list(protocol.pages.items())
    last = max((at for at, (_, stages) in enumerate(pages) if not is_about_the_judge(stages)), default=-1)
    return {page for page, _ in pages[last + 1 :]}


Part = Literal["first", "rest"]


def prepare(
    design: str,
    documents: Sequence[Document],
    judges: Sequence[Judge],
    protocol: Protocol,
    *,
    rng: Generator,
    systems: Sequence[str] = (),
    options: Mapping[str, Json] | None = None,
    settings: Mapping[str, Json] | None = None,
    seed: int = 0,
    part: Part = "first",
) -> list[Task]:
    """The tasks a campaign begins with, or those that follow a calibration round (`part="rest"`). Items are spoiled by
    `seed` alone, so that judges who come later get the same ones."""
    choices = settings or {}
    if idle := next((judge for judge in judges if not any(can_read(judge, document) for document in documents)), None):
        raise DesignError(
            f"{idle.id} reads {idle.attributes['target_language']}, and none of the texts is translated into that.",
            next_step="Correct the language, or leave it out: whoever has none gets all texts.",
        )
    if round_documents := choices.get("calibration"):
        first, documents = calibration(documents, judges, protocol, round_documents, rng=rng, systems=systems)
        if not documents:
            raise DesignError(
                "The calibration round takes all documents, and nothing is left for what follows it.",
                code="all_in_calibration",
                next_step="Put fewer documents into the round.",
            )
        if part == "first":
            first = _with_tutorial(first, protocol, choices)
            rng = np.random.default_rng(seed)  # of its own: the first round is the same whatever is checked here
    tasks = designs.assign(design, documents, judges, protocol, rng=rng, systems=systems, **(options or {}))
    if control_settings := choices.get("controls"):
        dice = np.random.default_rng([seed, 1])
        tasks = controls.add(tasks, documents, protocol, controls.Controls.from_settings(control_settings), rng=dice)
    if not round_documents:
        return _with_tutorial(tasks, protocol, choices)
    # What cannot be assigned after the first round is refused before it begins.
    return first if part == "first" else after_calibration(tasks, protocol)


def _with_tutorial(tasks: Sequence[Task], protocol: Protocol, settings: Mapping[str, Json]) -> list[Task]:
    wanted = settings.get("tutorial") or {}
    items = [controls.known_item(entry, Role.TUTORIAL) for entry in wanted.get("items", ())]
    pages = [page for page, stages in protocol.pages.items() if not is_about_the_judge(stages)]
    page = str(wanted.get("page") or (pages[0] if pages else ""))
    if items:
        check_known(page, pages, f"The tutorial is for a page {page!r} that is not there.", DesignError)
    return with_tutorial(tasks, items, page)


# Which units go on to a later stage, by what their judges answered before, and the tasks for them.
#
# A unit is promoted where more than a given share of its judges gave one of the named answers. With `per` the share is
# taken among the judges who have the same value of an attribute, so that each target language has units of its own;
# its judges get those.

Unit = tuple[str, str]


@dataclass(frozen=True, slots=True)
class UnitStanding:
    """How a unit stands: how many of its judges gave the answer that promotes it. `group` is "" without `per`."""

    document: str
    segment: str
    votes: int
    judges: int
    promoted: bool
    group: str = ""

    @property
    def share(self) -> float:
        return self.votes / self.judges


def standings(
    promotion: Promotion, judgements: Iterable[Judgement], judges: Iterable[Judge] = ()
) -> list[UnitStanding]:
    """Every unit that was asked about, in order of appearance. Only main items and the latest answers of people count:
    of all where the `judges` are not known."""
    by_id = {judge.id: judge for judge in judges}
    answers: dict[tuple[str, str, str], dict[str, bool]] = {}
    for judgement in judgements:
        if judgement.question != promotion.question or judgement.role is not Role.MAIN or judgement.value is None:
            continue
        judge = by_id.get(judgement.judge)
        if judge and judge.kind not in JUDGE_GROUPS["people"]:
            continue
        group = str(judge.attributes.get(promotion.per, "")) if promotion.per and judge else ""
        votes = answers.setdefault((group, judgement.document, judgement.segment), {})
        votes[judgement.judge] = bool(_values(judgement) & set(promotion.is_))
    return [
        UnitStanding(document, segment, sum(votes.values()), len(votes), _passes(promotion, votes), group)
        for (group, document, segment), votes in answers.items()
    ]


def promoted(standings: Iterable[UnitStanding]) -> dict[str, list[Unit]]:
    """The promoted units by group, as `promote` takes them."""
    units: dict[str, list[Unit]] = {}
    for standing in standings:
        if standing.promoted:
            units.setdefault(standing.group, []).append((standing.document, standing.segment))
    return units


def can_be_given(judge: Judge, stages: Sequence[Stage], document: Document, arm: str | None = None) -> bool:
    """Whether a page with these stages is for this judge, who can read the document. Their own `arm` goes before."""
    mine = judge.attributes.get("arm", arm)
    return all(is_for(stage, judge, mine) for stage in stages) and can_read(judge, document)


def promote(
    page: str,
    units: Mapping[str, Collection[Unit]],
    documents: Sequence[Document],
    judges: Sequence[Judge],
    protocol: Protocol,
    *,
    rng: Generator,
    systems: Sequence[str] = (),
    sentences_per_task: int = 20,
) -> list[Task]:
    """Every judge of the stage's role gets every unit of their group, in the order of the corpus or, where the stage
    says so, shuffled. `units` maps a group ("" for all) to document and segment."""
    check_known(page, protocol.pages, f"There is no page {page!r}.", DesignError)
    stages = protocol.pages[page]
    per = next((stage.promotion.per for stage in stages if stage.promotion), None)
    tasks: list[Task] = []
    for judge in judges:
        chosen_units = set(units.get(str(judge.attributes.get(per, "")) if per else "", ()))
        result: list[Item] = []
        for document in (each for each in documents if can_be_given(judge, stages, each)):
            for systems_of in outputs(document, stages, systems):
                result += [i for i in items(document, stages, systems_of) if (i.document, i.segment) in chosen_units]
        if any(stage.shuffled for stage in stages):
            result = shuffle_items(result, Sides(rng), rng)
        tasks += [Task(0, judge.id, page, part) for part in cut(result, sentences_per_task)]
    return tasks


def _passes(promotion: Promotion, votes: dict[str, bool]) -> bool:
    # 2 of 5 is not more than 40 %, whatever binary fractions make of it
    return sum(votes.values()) - promotion.more_than * len(votes) > 1e-9


def _values(judgement: Judgement) -> set[str]:
    value = judgement.value
    return {str(entry) for entry in value} if isinstance(value, list | dict) else {str(value)}
