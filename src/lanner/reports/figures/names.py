"""Names in little room: what tells judges apart stays, what they share goes first."""

from __future__ import annotations

from collections.abc import Sequence

from lanner.reports.svg import fit, width


def told_apart(names: Sequence[str], pixels: float, per_character: float = 7.6) -> list[str]:
    """The names, without as many of the first words that all share as it takes to fit; cut only where that is not
    enough."""
    shown = list(names)
    while len(shown) > 1 and any(width(name, per_character) > pixels for name in shown):
        firsts = {name.partition(" ")[0] for name in shown}
        if len(firsts) > 1 or not all(name.partition(" ")[2] for name in shown):
            break
        shown = [name.partition(" ")[2] for name in shown]
    return [fit(name, pixels, per_character) for name in shown]
