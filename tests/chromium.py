"""Debian's Chromium, and how tests start it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
BARE = "chromium-headless-shell"
"""The same engine without windows, tabs and menus, which cost a second of work for every fresh context."""
ELSEWHERE = "192.0.2.1"
"""An address of this machine that is another one's for the browser: over plain http it is not trusted there."""
ARGUMENTS = (
    f"--host-resolver-rules=MAP {ELSEWHERE} 127.0.0.1",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def found() -> str:
    """The program. Without it the tests are skipped aloud; in CI that is a failure."""
    program = next((path for name in NAMES if (path := shutil.which(name))), None)
    if program is None:
        reason = "NO BROWSER: install Chromium (make browser) to run the browser tests"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return program


def bare() -> str:
    """The engine alone where it is installed; otherwise the whole program, which does the same more slowly."""
    return shutil.which(BARE) or found()


@contextmanager
def on_disk(playwright: Playwright, profile: Path) -> Iterator[tuple[Callable[[], None], BrowserContext]]:
    """A browser of one's own with a profile on disk, and what kills it with all its processes at once."""
    port = profile / "DevToolsActivePort"
    port.unlink(missing_ok=True)
    options = ["--headless=new", "--remote-debugging-port=0", f"--user-data-dir={profile}", *ARGUMENTS]
    process = subprocess.Popen(
        [bare(), *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )

    def kill() -> None:
        with suppress(ProcessLookupError):  # killed before
            os.killpg(process.pid, signal.SIGKILL)  # what Debian installs is a script that starts the program
        process.wait()

    try:
        while not (port.exists() and port.read_text().count("\n")):
            assert process.poll() is None, "the browser did not start"
            time.sleep(0.05)
        browser = playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port.read_text().split()[0]}")
        yield kill, browser.contexts[0]
    finally:
        kill()
