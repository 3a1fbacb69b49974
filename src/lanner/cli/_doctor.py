"""`lanner doctor`: what this machine has, what is missing, and how to get it."""

from __future__ import annotations

from pathlib import Path

from lanner.cli._checkup import FINE, WRONG, look
from lanner.cli._output import Output
from lanner.errors import LannerError

_MARKS = {FINE: "✓", WRONG: "✗"}


def run(store_place: str, as_json: bool) -> None:
    """Check versions, database, disk, browser, fonts and optional packages. Changes nothing. The exit code is 2 only
    if something is broken; missing optional packages are not an error."""
    output = Output("doctor", as_json)
    checks = list(look(store_place, Path.cwd()))
    output.rows.extend(
        {"check": each.about, "state": each.state, "found": each.found, "next": each.next_step} for each in checks
    )
    width = max(len(each.about) for each in checks)
    for each in checks:
        output.say(f"{_MARKS.get(each.state, '·')} {each.about:<{width}}  {each.found}")
        if each.next_step:
            output.say(f"  {'':<{width}}  {each.next_step}", style="dim")
    wrong = [each for each in checks if each.state == WRONG]
    if not wrong:
        output.say()
        output.say("Nothing is wrong. What has a dot is needed only for what its line says.")
    output.end()
    if wrong:
        names = ", ".join(dict.fromkeys(each.about for each in wrong))
        raise LannerError(f"Something is wrong: {names}.", next_step=wrong[0].next_step)
