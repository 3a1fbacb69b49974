"""A campaign's tasks with what its settings add to the design: controls, a tutorial, a calibration round.

========================  ======================================================================================
before, after             names of questionnaires, which become pages of the protocol (`lanner.protocols.compose`)
controls                  a table: shuffled, swapped, degraded, repeats, gold, in_place, spacing; see `controls`
tutorial                  a table: `page` (the first about texts, if left out) and `items`, each with document,
                          segment, systems and `expected` answers with explanations; see `expected`
calibration               a list of document ids; their round comes first, the rest is prepared as "rest" later
========================  ======================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.random import Generator

from lanner import designs
from lanner.designs import controls, training
from lanner.designs._items import is_about_the_judge
from lanner.errors import DesignError, did_you_mean
from lanner.model import Document, Json, Judge, Protocol, Role, Task

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
    given = settings or {}
    if round_documents := given.get("calibration"):
        first, documents = training.calibration(documents, judges, protocol, round_documents, rng=rng, systems=systems)
        if part == "first":
            first = _with_tutorial(first, protocol, given)
            rng = np.random.default_rng(seed)  # of its own: the first round is the same whatever is checked here
    tasks = designs.assign(design, documents, judges, protocol, rng=rng, systems=systems, **(options or {}))
    if control_settings := given.get("controls"):
        dice = np.random.default_rng([seed, 1])
        tasks = controls.add(tasks, documents, protocol, controls.Controls.from_settings(control_settings), rng=dice)
    if not round_documents:
        return _with_tutorial(tasks, protocol, given)
    # What cannot be assigned after the first round is refused before it begins.
    return first if part == "first" else training.after_calibration(tasks, protocol)


def _with_tutorial(tasks: Sequence[Task], protocol: Protocol, settings: Mapping[str, Json]) -> list[Task]:
    wanted = settings.get("tutorial") or {}
    items = [controls.known_item(entry, Role.TUTORIAL) for entry in wanted.get("items", ())]
    pages = [page for page, stages in protocol.pages.items() if not is_about_the_judge(stages)]
    page = str(wanted.get("page") or (pages[0] if pages else ""))
    if items and page not in pages:
        raise DesignError(
            f"The tutorial is for a page {page!r} that is not there.", next_step=did_you_mean(page, pages)
        )
    return training.with_tutorial(tasks, items, page)
