"""A newcomer's first minutes, walked by a machine: from a fresh copy to the first judged sentence and the first report.

    python benchmarks/bench_first_hour.py [--installed]

Copies what git tracks into an empty folder, with an empty home; installs it there (with --installed: uses the
environment that runs this script), starts the demo, judges a sentence by keyboard in a real Chromium, then asks for a
report of what was judged. Prints when each was reached. Reading and thinking take a person longer; the machine shows
what Lanner itself makes them wait for.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from lanner import campaign
from lanner.store import Store

ROOT = Path(__file__).resolve().parent.parent
BROWSER = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-sync"
KEYS = ("1", "3", "s", "4", "h", "8", "Enter")


class Clock:
    """Says how long it is since the start, at each stop."""

    def __init__(self) -> None:
        self.start = time.perf_counter()

    def stop(self, words: str) -> None:
        print(f"{time.perf_counter() - self.start:7.1f} s  {words}", flush=True)


def copy(folder: Path) -> Path:
    """What a clone of this commit would have."""
    clone = folder / "lanner"
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", str(clone)], check=True)
    return clone


def install(clone: Path) -> Path:
    python = clone / ".venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", str(clone / ".venv")], check=True)
    pip = [python, "-m", "pip", "--disable-pip-version-check", "-qq", "install", "-c", "constraints.txt", "."]
    subprocess.run(pip, cwd=clone, check=True)
    return python


def judge(link: str, place: Path) -> None:
    """Open the link, begin the first document, answer its first sentence by keyboard, and see it in the store."""
    program = next(path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=BROWSER.split())
        page = browser.new_page()
        page.goto(link)
        page.locator("main a[href*='/task/'], main form button").first.click()
        page.wait_for_selector("[data-item], .row")
        while not done(place):
            for key in KEYS:
                page.keyboard.press(key)
            page.wait_for_timeout(300)
        browser.close()


def done(place: Path) -> int:
    with Store.open(place, create=False) as store:
        return next(part.done for part in campaign.progress(store, "demo-h-falcon").judges if part.name == "you")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        clock = Clock()
        clone = copy(folder)
        clock.stop("cloned")
        python = Path(sys.executable) if "--installed" in sys.argv else install(clone)
        clock.stop("installed" if "--installed" not in sys.argv else "installed already: not counted")
        home = {"PATH": os.environ["PATH"], "HOME": name, "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1"}
        command = [python, "-m", "lanner", "demo", "--no-open", "--port", "8950"]
        demo = subprocess.Popen(command, cwd=folder, env=home, stdout=subprocess.PIPE, text=True)
        link = ""
        for line in demo.stdout:
            if found := re.search(r"Judge with H-FALCON\s+(\S+)", line):
                link = found[1]
            if "Ctrl+C" in line:
                break
        clock.stop("demo: links printed, report written")
        try:
            judge(link, folder / "lanner-demo" / "lanner.sqlite")
            clock.stop("first sentence judged and on disk")
        finally:
            demo.send_signal(signal.SIGINT)
            demo.wait()
        store = str(folder / "lanner-demo" / "lanner.sqlite")
        report = ["report", "demo-h-falcon", "--store", store, "--svg-only", "--out", str(folder / "mine")]
        subprocess.run([python, "-m", "lanner", *report], env=home, check=True, capture_output=True)
        clock.stop("report of the campaign with that sentence in it")


if __name__ == "__main__":
    main()
