"""A newcomer's first minutes, walked by a machine: from a fresh copy to the first judged sentence and the first report.

    python benchmarks/bench_first_hour.py [--installed] [--test]

Clones this commit into an empty folder, with an empty home; types `make demo` there (with --installed: starts the demo
with the environment that runs this script), judges a sentence by keyboard in a real Chromium, stops the demo with
Ctrl+C, asks for a report of what was judged, and with --test types `make test`. Prints when each was reached, as a
transcript for the quick start. Reading and thinking take a person longer; the machine shows what Lanner itself makes
them wait for.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

from playwright.sync_api import sync_playwright

from lanner import campaign
from lanner.store import Store

ROOT = Path(__file__).resolve().parent.parent
BROWSER = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-sync"
REACHED = re.compile(r"PIP_\w+|NPM_\w+|\w*_proxy|SSL_\w+|LANNER_DATA", re.IGNORECASE)
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


def judge(link: str, place: Path) -> None:
    """Open the link, begin the first document, answer its first sentence by keyboard, and see it in the store."""
    names = ("chromium", "chromium-browser", "google-chrome")
    program = next((path for name in names if (path := shutil.which(name))), None)  # else the one Playwright brings
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


def demo(clone: Path, home: dict[str, str], installed: bool) -> subprocess.Popen[str]:
    """The demo as a newcomer starts it, in a process group of its own, so that Ctrl+C can be sent to all of it."""
    command = [sys.executable, "-m", "lanner", "demo", "--no-open"] if installed else ["make", "demo"]
    return subprocess.Popen(command, cwd=clone, env=home, stdout=subprocess.PIPE, text=True, start_new_session=True)


def environment(folder: str) -> dict[str, str]:
    """An empty home; of the machine's settings only how the network and released data are reached."""
    reached = {name: value for name, value in os.environ.items() if REACHED.fullmatch(name)}
    plain = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1"}
    return {**reached, **plain, "PYTHON": sys.executable}


def tested(clone: Path, home: dict[str, str]) -> tuple[bool, list[str]]:
    """Whether `make test` passes, and what it says at the end of each part; all of its last lines where it fails."""
    running = subprocess.Popen(
        ["make", "test"], cwd=clone, env=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    last: deque[str] = deque(maxlen=60)
    counted = []
    for line in running.stdout:
        last.append(line.rstrip())
        if re.search(r"\d+ passed", line):
            counted.append(line.strip(" =\n"))
    passed = running.wait() == 0
    return passed, counted if passed else list(last)


def main() -> None:
    installed = "--installed" in sys.argv
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} processors, load {load:.1f}, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        clock = Clock()
        clone = copy(folder)
        clock.stop("git clone: done")
        home = environment(name)
        running = demo(clone, home, installed)
        link = ""
        for line in running.stdout:
            if "Making the demo" in line:
                clock.stop("installed already: not counted" if installed else "make demo: installed")
            if found := re.search(r"Judge with H-FALCON\s+(\S+)", line):
                link = found[1]
            if "Ctrl+C" in line:
                break
        clock.stop("make demo: links printed, first report written")
        place = clone / "lanner-demo" / "lanner.sqlite"
        try:
            judge(link, place)
            clock.stop("first sentence judged and on disk")
        finally:
            os.killpg(running.pid, signal.SIGINT)
            said = running.stdout.read().strip().splitlines()
            running.wait()
        clock.stop(f"Ctrl+C: {said[-1] if said else 'no word'}")
        python = Path(sys.executable) if installed else clone / ".venv" / "bin" / "python"
        report = ["report", "demo-h-falcon", "--store", str(place), "--svg-only", "--out", str(folder / "mine")]
        subprocess.run([python, "-m", "lanner", *report], env=home, check=True, capture_output=True)
        clock.stop("lanner report: a report with that sentence in it")
        if "--test" in sys.argv:
            passed, lines = tested(clone, home)
            clock.stop(f"make test: {'passed' if passed else 'FAILED'}")
            print(*(f"{'':11}{line}" for line in lines), sep="\n")
            sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
