"""Who sees what in which order. One design is one file of this folder, or another package's entry point
`lanner.designs`.

A design has a `TITLE` and `assign(documents, judges, protocol, *, rng, systems, **options) -> list[Task]`. It makes
its choices with the generator it is given and nothing else, so the same seed gives the same tasks. Tasks come judge by
judge in the order they are to be done; their ids are given later. A task of judge "" is free for whoever comes first.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence

from numpy.random import Generator

from lanner import registry
from lanner.errors import DesignError, check_known
from lanner.model import Document, Json, Judge, Protocol, Task

__all__ = ["assign", "options", "titles"]

ROOM = "designs"


def titles() -> dict[str, str]:
    """Every design's name and title."""
    modules = {name: registry.module(ROOM, name) for name in registry.names(ROOM)}
    return {name: module.TITLE for name, module in modules.items() if hasattr(module, "assign")}


def options(design: str) -> dict[str, Json]:
    """The options a design takes, with their defaults."""
    own_arguments = {"documents", "judges", "protocol", "rng", "systems"}
    parameters = inspect.signature(registry.module(ROOM, design).assign).parameters
    return {
        name: p.default for name, p in parameters.items() if name not in own_arguments and p.kind is not p.VAR_KEYWORD
    }


def assign(
    design: str,
    documents: Sequence[Document],
    judges: Sequence[Judge],
    protocol: Protocol,
    *,
    rng: Generator,
    systems: Sequence[str] = (),
    **choices: Json,
) -> list[Task]:
    """The tasks that a design makes of these documents for these judges."""
    names = options(design)
    for name in choices:
        check_known(name, names, f"The design {design!r} has no option {name!r}.", DesignError)
    assign_tasks = registry.module(ROOM, design).assign
    lists = [name for name, parameter in inspect.signature(assign_tasks).parameters.items() if parameter.default == ()]
    options_by_name = {name: _listed(value) if name in lists else value for name, value in choices.items()}
    tasks: list[Task] = assign_tasks(documents, judges, protocol, rng=rng, systems=tuple(systems), **options_by_name)
    return tasks


def _listed(value: Json) -> Json:
    """Names as a command line or a form gives them, with commas between; a list stays as it is."""
    if isinstance(value, list | tuple):
        return value
    return [name.strip() for name in str(value).split(",") if name.strip()]
