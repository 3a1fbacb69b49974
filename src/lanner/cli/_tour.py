"""The tour of `lanner demo`: a start page that leads through it, and simulated judges whose answers arrive while one
looks."""

from __future__ import annotations

import base64
import shlex
import shutil
import socket
import sys
import threading
import webbrowser
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from jinja2 import Template

from lanner import campaign
from lanner.errors import LannerError
from lanner.judges.simulated import Temper, fill
from lanner.reports.files import write_whole
from lanner.reports.html import SHARED
from lanner.store import Store

PAUSE = 4.0
"""Seconds between two documents that a simulated judge finishes."""


@dataclass(frozen=True, slots=True)
class Stops:
    """Where the tour leads."""

    judge: str
    judge_source: str
    organise: str
    live: str
    own: str
    report: str


def write_page(folder: Path, stops: Stops) -> Path:
    """The start page as a file that its owner alone can read: its links let one in."""
    style = SHARED["tokens.css"].read_text(encoding="utf-8")
    icon = base64.b64encode(resources.files("lanner.web").joinpath("static", "icon.svg").read_bytes()).decode()
    text = Path(__file__).with_name("tour.html").read_text(encoding="utf-8")
    page = folder / "start.html"
    write_whole(
        page, Template(text, autoescape=True).render(stops=stops, style=style, icon=icon, activate=activation())
    )
    page.chmod(0o600)
    return page


def activation() -> str:
    """What makes the shell find `lanner`, where it runs from an environment that is not active; else nothing."""
    script = Path(sys.prefix) / "bin" / "activate"
    if shutil.which("lanner") or not script.is_file():
        return ""
    here = script.relative_to(Path.cwd()) if script.is_relative_to(Path.cwd()) else script
    return f". {shlex.quote(str(here))}"


def arrive(
    store: Store,
    name: str,
    tempers: Mapping[str, Temper],
    qualities: Mapping[str, float],
    stop: threading.Event,
    *,
    pause: float = PAUSE,
) -> int:
    """Let simulated judges finish one document after the other, in turn, until all are done or `stop` is set.
    Returns how many documents that were."""
    count = 0
    left = True
    while left and not stop.is_set():
        left = False
        for judge, temper in tempers.items():
            states = [task.finished_at is not None for task in campaign.tasks(store, name, judge)]
            if all(states):
                continue
            left = True
            if stop.wait(pause):
                break
            count += bool(fill(store, name, {judge: temper}, qualities, seed=1, tasks=states.index(False) + 1))
    return count


class Guide(threading.Thread):
    """Runs beside the server: opens the start page once pages are served, then lets answers arrive."""

    def __init__(self, address: tuple[str, int], page: Path | None, arriving: Mapping[str, object]) -> None:
        super().__init__(name="lanner-tour", daemon=True)
        self._address, self._page, self._arriving = address, page, arriving
        self.stop = threading.Event()

    def run(self) -> None:
        while not self.stop.wait(0.2):
            with suppress(OSError), socket.create_connection(self._address, timeout=1):
                break
        if self._page is not None and not self.stop.is_set():
            webbrowser.open(self._page.resolve().as_uri())
        with suppress(LannerError):  # someone closed or deleted the campaign while it ran: there is nothing to add
            arrive(stop=self.stop, **self._arriving)  # type: ignore[arg-type]


def has_window() -> bool:
    """Whether a browser with a window of its own would open; one in the terminal would take the terminal away."""
    try:
        return type(webbrowser.get()) is not webbrowser.GenericBrowser
    except webbrowser.Error:
        return False
