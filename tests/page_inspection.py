"""What a judge's browser shows and receives: pictures on request, what axe-core finds, and every byte."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from lanner.model import Judge, Role
from live_server import SYSTEMS, Live, sent_by

TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
CONTRASTS = ("color-contrast", "link-in-text-block")
RULES = {"runOnly": {"type": "tag", "values": TAGS}}
COLOURS = {"runOnly": {"type": "rule", "values": CONTRASTS}}
"""What another colour scheme can change on a page that has just passed all the rules; the others see no colours."""
UNCOLOURED = {**RULES, "rules": {rule: {"enabled": False} for rule in CONTRASTS}}
"""Of a page made of parts whose colours are looked at elsewhere."""
MARKUP = {**RULES, "rules": {rule: {"enabled": False} for rule in (*CONTRASTS, "target-size")}}
"""Without colours and sizes, which take five sixths of the time, on pages made of parts that are looked at with all
the rules elsewhere."""
AXE = Axe().axe_script
LOOK = "rules => axe.run(document, { ...rules, resultTypes: ['violations'] }).then(found => found.violations)"
"""Only what is wrong comes back: a page's thousands of elements in order cost more than looking at them."""
SHOTS = os.environ.get("LANNER_SCREENSHOTS", "")
"""A folder (screenshots/) where pictures of every state are put when they are asked for."""
OTHER = Judge("other-judge-id", name="Another Person", attributes={"note": "attribute-of-another"})
"""A colleague of whom no byte may tell."""
HIDDEN = (
    *SYSTEMS,
    OTHER.id,
    OTHER.name,
    "attribute-of-another",
    "attribute-of-this-judge",
    *(f'"{role.value}"' for role in Role if role is not Role.MAIN),
)


def picture(page: Page, name: str) -> None:
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(SHOTS) / f"{name}.png")


def violations(page: Page, rules: Mapping[str, Any] = RULES) -> list[str]:
    """What axe-core finds, one line each."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    return [
        f"{v['id']}: {v['nodes'][0]['html'][:200]} {v['nodes'][0].get('failureSummary', '')}"
        for v in page.evaluate(LOOK, rules)
    ]


def clean(page: Page, name: str, rules: Mapping[str, Any] = RULES) -> None:
    """Nothing for axe-core to find."""
    picture(page, name)
    told = violations(page, rules)
    assert not told, "\n".join([name, *told])


def clean_in_both(page: Page, name: str) -> None:
    """Nothing to find in the light, and nothing in the colours of the dark."""
    clean(page, name)
    page.emulate_media(color_scheme="dark")
    clean(page, f"{name}-dark", COLOURS)


class Received:
    """Every header and every body that reaches anybody from this server from now on, as the server sends them."""

    def __init__(self, live: Live) -> None:
        self._file = sent_by(live.database)
        self._file.write_bytes(b"")

    def tells_nothing(self, page: str, hidden: Iterable[str] = HIDDEN) -> None:
        """About what is hidden; `page` is a text that was shown."""
        everything = self._file.read_bytes()
        self._file.unlink()
        assert page.encode() in everything, "something was received at all"
        for word in hidden:
            assert word.encode() not in everything, word
