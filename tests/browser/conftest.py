"""A real server in a process of its own, and a real Chromium."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Playwright,
    ViewportSize,
    expect,
    sync_playwright,
)

import chromium
from live_server import Live

PATIENCE = int(os.environ.get("LANNER_PATIENCE", "60000"))
"""Milliseconds until a state is given up that should come: no stopwatch, only the end of a test that is lost."""


SCREEN: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}


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
    made = browser.new_context(viewport=SCREEN, reduced_motion="no-preference", locale="en-GB")
    made.set_default_timeout(PATIENCE)
    yield made
    made.close()


class UsedPage:
    """A page that tests use one after the other, each as if it were new: a process for a page and the first reading of
    its scripts are most of the work of a short test. Without a service worker: what it keeps is a subject of its own.
    """

    def __init__(self, browser: Browser, screen: ViewportSize = SCREEN, *, touch: bool = False) -> None:
        self._browser, self._screen, self._touch = browser, screen, touch
        self._page: Page | None = None

    def take(self) -> Page:
        if self._page is None:
            context = self._browser.new_context(
                viewport=self._screen, has_touch=self._touch, is_mobile=self._touch,
                reduced_motion="no-preference", locale="en-GB", service_workers="block",
            )  # fmt: skip
            context.set_default_timeout(PATIENCE)
            self._page = context.new_page()
        return self._page

    def throw_away(self) -> None:
        if self._page is not None:
            self._page.context.close()
            self._page = None

    def clean(self) -> None:
        """Leave the test's pages, then everything that they have stored or set."""
        page = self.take()
        context, place = page.context, urlsplit(page.url)
        origin = f"{place.scheme}://{place.netloc}"
        for tab in context.pages:
            if tab is not page:
                tab.close()
        page.unroute_all(behavior="ignoreErrors")
        context.set_offline(False)
        for _ in range(5):  # what a test began at its end, as finishing a document does, may still be on its way
            with suppress(Error):
                page.goto(f"{origin}/healthz")
                break
        session = context.new_cdp_session(page)
        session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        session.detach()
        context.clear_cookies()
        context.set_default_timeout(PATIENCE)
        page.set_default_timeout(PATIENCE)
        page.mouse.move(0, 0)
        page.set_viewport_size(self._screen)
        page.emulate_media(
            color_scheme="null", reduced_motion="no-preference", forced_colors="null", contrast="null", media="null"
        )


@pytest.fixture(scope="session")
def used_page(browser: Browser) -> Iterator[UsedPage]:
    used = UsedPage(browser)
    yield used
    used.throw_away()


@pytest.fixture(scope="session")
def used_phone(browser: Browser) -> Iterator[UsedPage]:
    used = UsedPage(browser, PHONE, touch=True)
    yield used
    used.throw_away()


@pytest.fixture
def page(request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page on which an error of the script fails the test: a fresh one, or where the file says so a used one."""
    if request.node.get_closest_marker("used_page") and "context" not in request.fixturenames:
        yield from _without_errors(request, request.getfixturevalue("used_page"))
    else:
        yield from _without_errors(request, None)


@pytest.fixture
def phone(request: pytest.FixtureRequest, used_phone: UsedPage) -> Iterator[Page]:
    """The same on a small screen that one touches, always a used one."""
    yield from _without_errors(request, used_phone)


def _without_errors(request: pytest.FixtureRequest, used: UsedPage | None) -> Iterator[Page]:
    opened: Page = used.take() if used else request.getfixturevalue("context").new_page()
    errors: list[str] = []

    def fail(error: Error) -> None:
        errors.append(str(error))

    def look(said: ConsoleMessage) -> None:
        if "Content Security Policy" in said.text:
            errors.append(said.text)

    opened.on("pageerror", fail)
    opened.on("console", look)
    failed = request.session.testsfailed
    yield opened
    if used and request.session.testsfailed == failed:
        used.clean()
        opened.remove_listener("pageerror", fail)
        opened.remove_listener("console", look)
    elif used:
        used.throw_away()
    assert not errors, errors
