"""Debian's Chromium, and how tests start it."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Playwright

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


def found() -> str:
    """The program. Without it the tests are skipped aloud; in CI that is a failure."""
    program = next((path for name in NAMES if (path := shutil.which(name))), None)
    if program is None:
        reason = "NO BROWSER: install Chromium (make browser) to run the browser tests"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return program


@contextmanager
def on_disk(playwright: Playwright, profile: Path) -> Iterator[tuple[subprocess.Popen[bytes], BrowserContext]]:
    """A browser of one's own with a profile on disk, that may be killed."""
    port = profile / "DevToolsActivePort"
    port.unlink(missing_ok=True)
    options = ["--headless=new", "--remote-debugging-port=0", f"--user-data-dir={profile}", *ARGUMENTS]
    process = subprocess.Popen([found(), *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not (port.exists() and port.read_text().count("\n")):
            assert process.poll() is None, "the browser did not start"
            time.sleep(0.05)
        browser = playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port.read_text().split()[0]}")
        yield process, browser.contexts[0]
    finally:
        process.kill()
        process.wait()
