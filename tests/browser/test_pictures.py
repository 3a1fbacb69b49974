"""Pictures for the README and the docs, taken from the demonstration texts when they are asked for:

LANNER_SCREENSHOTS=screenshots pytest tests/browser/test_pictures.py
"""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path

import pytest
from playwright.sync_api import Page

from browser_actions import Keyboard
from lanner.formats import read_documents
from lanner.model import Document
from live_server import Live, Work

FOLDER = os.environ.get("LANNER_SCREENSHOTS", "")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not FOLDER, reason="pictures are taken on request: LANNER_SCREENSHOTS=screenshots"),
]


def text(name: str) -> Document:
    with resources.as_file(resources.files("lanner.corpus") / "demo.jsonl") as path:
        return next(document for document in read_documents(path) if document.id == name)


def begin(live: Live, page: Page, protocol: str, name: str, systems: list[str]) -> tuple[Work, Keyboard]:
    work = live.campaign(protocol, [text(name)], systems=systems, options={"all_scenarios": True})
    work.enter(page)
    page.goto(work.url(work.tasks[0].id))
    keyboard = Keyboard(page)
    keyboard.wait_until_ready()
    return work, keyboard


def take(page: Page, name: str) -> None:
    Path(FOLDER).mkdir(parents=True, exist_ok=True)
    page.wait_for_timeout(900)
    page.screenshot(path=Path(FOLDER) / f"{name}.png")


def test_skills(live: Live, page: Page) -> None:
    _, keyboard = begin(live, page, "h_falcon", "harbour-ferry", ["birch"])
    for keys in ("1281s49", "133282s49", "425273s38", "436152s4"):
        keyboard.press(*keys, "Enter")
    keyboard.press("h", "7", "Enter", "1", "1", "3", "1", "s", "2", "4", "Enter", "k", "k", "7", "1")
    keyboard.press("7")
    page.locator(".row[data-row='6'] .src").hover()
    take(page, "judging")


def test_marks(live: Live, page: Page) -> None:
    _, keyboard = begin(live, page, "esa", "paperboat-speech", ["cedar"])
    page.emulate_media(color_scheme="dark")
    for score in ("82", "64", "91"):
        keyboard.press("ArrowLeft", "ArrowLeft", "ArrowLeft", "1", *score, "Enter")
    keyboard.press(
        "ArrowLeft", "ArrowLeft", "2", "o", "ArrowRight", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "1"
    )
    keyboard.press("ArrowLeft", *["ArrowLeft"] * 5, "Shift+ArrowLeft")
    take(page, "judging-spans")


def test_context(live: Live, page: Page) -> None:
    _, keyboard = begin(live, page, "falcon", "second-key", ["birch"])
    for keys in ("1146", "2478", "2178", "3269", "2457"):
        keyboard.press(*keys, "Enter")
    keyboard.press("3", "2", "7", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "1")
    take(page, "judging-context")
