"""Random walks: page, server and the walk's own model agree, in every protocol. `make soak` walks farther, and
`LANNER_SEED=anything` elsewhere: the seed of a walk is the protocol's name and this."""

from __future__ import annotations

import os

import pytest
from playwright.sync_api import Page

from browser_actions import Keyboard
from lanner.protocols import names
from live_server import SYSTEMS, Live, document
from page_walk import Walk

SOAK = os.environ.get("LANNER_SOAK")
pytestmark = [pytest.mark.browser, *([] if SOAK else [pytest.mark.used_page])]

STEPS = 80 if SOAK else 25  # of several keys or clicks each, in every protocol
SEED = os.environ.get("LANNER_SEED", "")
SHORT = ("da", "esa", "h_falcon", "background")
OPTIONS = {"all_scenarios": True}
TEXTS = [(f"Sentence {n} goes here, slowly.", f"Satz {n} steht hier, langsam.") for n in range(1, 7)]


@pytest.mark.parametrize("name", names() if SOAK else SHORT)
def test_a_random_walk_ends_where_it_should(live: Live, page: Page, name: str) -> None:
    work = live.campaign(name, [document(texts=TEXTS, languages=("en", "de"))], systems=SYSTEMS, options=OPTIONS)
    work.enter(page)
    task = work.tasks[0]
    page.goto(work.url(task.id))
    Keyboard(page).wait_until_ready()
    walk = Walk(page, work, task.id, len(task.items), seed=name + SEED)
    for _ in range(STEPS):
        walk.step()
    walk.check()
    assert any(walk.answers), "something was answered"
