"""A real server in a process of its own, and a real Chromium."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from live import Live

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium. Without one the tests are skipped aloud; in CI that is a failure."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        reason = "NO BROWSER: install Chromium (make browser) to run the browser tests"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=list(ARGUMENTS))
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
    made = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce", locale="en-GB")
    made.set_default_timeout(8000)
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
