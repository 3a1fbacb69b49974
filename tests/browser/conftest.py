"""A real server in a process of its own, and a real Chromium."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

import chromium
from live_server import Live

PATIENCE = int(os.environ.get("LANNER_PATIENCE", "60000"))
"""Milliseconds until a state is given up that should come: no stopwatch, only the end of a test that is lost."""


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    launched = playwright.chromium.launch(executable_path=chromium.bare(), args=list(chromium.ARGUMENTS))
    yield launched
    launched.close()


@pytest.fixture(scope="session")
def shared_live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One server for all tests that do not hurt it; every test makes campaigns of its own."""
    with Live(tmp_path_factory.mktemp("live") / "lanner.sqlite") as live:
        yield live


@pytest.fixture
def live(shared_live: Live) -> Live:
    return shared_live


@pytest.fixture
def own_live(tmp_path: Path) -> Iterator[Live]:
    """A server that may be killed."""
    with Live(tmp_path / "lanner.sqlite") as live:
        yield live


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="no-preference", locale="en-GB")
    made.set_default_timeout(PATIENCE)
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page on which an error of the script fails the test."""
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda said: errors.append(said.text) if "Content Security Policy" in said.text else None)
    yield opened
    assert not errors, errors
