"""Who sees what in which order. Our designs are named in `lanner.registry`, another package's under the entry point
`lanner.designs`: a `Design`, or a module with a `TITLE` and a function `assign`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from numpy.random import Generator

from lanner import registry
from lanner.designs._allocate import refuse
from lanner.errors import DesignError, check_known
from lanner.model import Document, Json, Judge, Protocol, Task

__all__ = ["Design", "assign", "load", "options", "titles"]

GROUP = "designs"


@dataclass(frozen=True, slots=True)
class Design:
    """A way to assign tasks. `assign(documents, judges, protocol, *, rng, systems, **options)` chooses with the
    generator it is given and nothing else, so the same seed gives the same tasks. Tasks come judge by judge in the
    order they are to be done; their ids are given later. A task of judge "" is free for whoever comes first."""

    title: str
    assign: Callable[..., list[Task]]


def load(name: str) -> Design:
    """The design of this name."""
    plugin = registry.plugin(GROUP, name)
    if isinstance(plugin, Design):
        return plugin
    if not (hasattr(plugin, "TITLE") and hasattr(plugin, "assign")):
        raise DesignError(f"What {name!r} names is no design: it has no TITLE or no function assign.")
    return Design(plugin.TITLE, plugin.assign)


def titles() -> dict[str, str]:
    """Every design's name and title."""
    return {name: load(name).title for name in registry.names(GROUP)}


def options(design: str) -> dict[str, Json]:
    """The options a design takes, with their defaults."""
    own_arguments = {"documents", "judges", "protocol", "rng", "systems"}
    parameters = inspect.signature(load(design).assign).parameters
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
    defaults = options(design)
    for name in choices:
        check_known(name, defaults, f"The design {design!r} has no option {name!r}.", DesignError)
    refuse(documents, judges)
    values = {name: _split_names(value) if defaults[name] == () else value for name, value in choices.items()}
    return load(design).assign(documents, judges, protocol, rng=rng, systems=tuple(systems), **values)


def _split_names(value: Json) -> Json:
    """Names as a command line or a form gives them, with commas between; a list stays as it is."""
    if isinstance(value, list | tuple):
        return value
    return [name.strip() for name in str(value).split(",") if name.strip()]
