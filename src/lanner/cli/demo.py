"""`lanner demo`: a campaign with simulated judges, a judging page, the organiser's page and a report, in a minute."""

from __future__ import annotations

import base64
import secrets
import shlex
import shutil
import socket
import sys
import threading
import webbrowser
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from importlib import resources
from pathlib import Path

from jinja2 import Template

from lanner import campaign, formats
from lanner.analysis.material import from_campaign
from lanner.cli.early_checks import listen
from lanner.cli.output import Output
from lanner.errors import LannerError
from lanner.formats.parsing.textfile import write_whole
from lanner.judges.simulated import Temper, fill
from lanner.model import Document, Judge, JudgeKind
from lanner.reports.build import build
from lanner.reports.rendering import SHARED, write
from lanner.store import Store
from lanner.web.server import ServerSettings, serve

# The tour of `lanner demo`: a start page that leads through it, and simulated judges whose answers arrive while one
# looks.


PAUSE = 4.0
"""Seconds between two documents that a simulated judge finishes."""


@dataclass(frozen=True, slots=True)
class TourLinks:
    """Where the tour leads."""

    judge: str
    judge_source: str
    organise: str
    live: str
    own: str
    report: str


def write_page(folder: Path, stops: TourLinks) -> Path:
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
    """Runs beside the server: opens the start page, then lets answers arrive."""

    def __init__(self, page: Path | None, arriving: Mapping[str, object]) -> None:
        super().__init__(name="lanner-tour", daemon=True)
        self._page, self._arriving = page, arriving
        self.stop = threading.Event()

    def run(self) -> None:
        if self._page is not None:
            webbrowser.open(self._page.resolve().as_uri())
        with suppress(LannerError):  # someone closed or deleted the campaign while it ran: there is nothing to add
            arrive(stop=self.stop, **self._arriving)  # type: ignore[arg-type]


def has_window() -> bool:
    """Whether a browser with a window of its own would open; one in the terminal would take the terminal away."""
    try:
        return type(webbrowser.get()) is not webbrowser.GenericBrowser
    except webbrowser.Error:
        return False


HOST, YOU, ORGANISER = "127.0.0.1", "you", "demo"
QUALITIES = {"alder": 0.85, "birch": 0.62, "cedar": 0.32}
TEMPERS = {
    "simulated1": Temper(reliability=0.8),
    "simulated2": Temper(severity=0.06, reliability=0.75, speed=1.3),
    "simulated3": Temper(severity=-0.08, reliability=0.55, speed=0.8, swaps=("local", "extended")),
}
CAMPAIGNS = {"demo-h-falcon": ("h_falcon", "Demo: H-FALCON"), "demo-falcon": ("falcon", "Demo: FALCON")}
LIVE, LIVE_PROTOCOL, LIVE_TITLE, BEGUN = "demo-live", "sqm", "Demo: answers arriving", 12


def run(output: Output, folder: Path, port: int, serving: bool, opening: bool | None) -> None:
    """Start a tour: judge three sentences, watch judgements arrive, read a report, then use your own file."""
    folder.mkdir(parents=True, exist_ok=True)
    with Store.open(folder / "lanner.sqlite") as store, listen(HOST, port) as listener:
        output.say("Making the demo campaigns: ten short documents, three systems, three simulated judges ...")
        documents = _documents()
        for name, (protocol, title) in CAMPAIGNS.items():
            _campaign(store, name, protocol, title, documents, you=True)
        _campaign(store, LIVE, LIVE_PROTOCOL, LIVE_TITLE, documents, tasks=BEGUN)
        report = write(build(from_campaign(store, "demo-h-falcon")), folder / "report", pictures=False)
        links = {name: campaign.invitations.issue(store, name, YOU) for name in CAMPAIGNS}
        code = secrets.token_urlsafe(18)
        address = f"http://{HOST}:{listener.getsockname()[1]}"
        stops = TourLinks(
            judge=f"{address}/j/{links['demo-h-falcon']}",
            judge_source=f"{address}/j/{links['demo-falcon']}",
            organise=f"{address}/enter/{code}",
            live=f"{address}/enter/{code}?to=/campaigns/{LIVE}",
            own=f"{address}/enter/{code}?to=/new",
            report=report.resolve().as_uri(),
        )
        start = write_page(folder, stops)
        _say(output, stops, start, report)
        if serving:
            _serve(output, store, listener, code, start if _opens(opening) else None)


def _say(output: Output, stops: TourLinks, start: Path, report: Path) -> None:
    output.say()
    output.say(f"  Start here            {start.resolve()}", style="bold")
    output.say(f"  Judge with H-FALCON   {stops.judge}")
    output.say(f"  Judge with FALCON     {stops.judge_source}")
    output.say(f"  Organise              {stops.organise}")
    output.say(f"  Report                {report.resolve()}")
    output.say()


def _opens(asked: bool | None) -> bool:
    return asked if asked is not None else sys.stdout.isatty() and has_window()


def _serve(output: Output, store: Store, listener: socket.socket, code: str, page: Path | None) -> None:
    arriving = {"store": store, "name": LIVE, "tempers": TEMPERS, "qualities": QUALITIES}
    guide = Guide(page, arriving)
    guide.start()
    try:
        output.say("Open a link in your browser. Stop with Ctrl+C; your answers stay in the folder.")
        settings = ServerSettings(entry_code=code, entry_account=ORGANISER)
        serve(store, *listener.getsockname(), listener=listener, settings=settings)
    except KeyboardInterrupt:
        output.say_stopped("Every answer is on disk; the same command goes on from here.")
    finally:
        guide.stop.set()
        guide.join()


def _documents() -> list[Document]:
    with resources.as_file(resources.files("lanner.corpus") / "demo.jsonl") as path:
        return list(formats.read_documents(path, "native"))


def _campaign(
    store: Store,
    name: str,
    protocol: str,
    title: str,
    documents: list[Document],
    *,
    you: bool = False,
    tasks: int | None = None,
) -> None:
    """The campaign as it was left, or a new one in which the simulated judges have answered (their first `tasks`)."""
    if name in {entry.name for entry in campaign.campaigns(store)}:
        return
    judges = [Judge(YOU, name="You")] if you else []
    judges += [Judge(judge, JudgeKind.SIMULATED, f"Simulated {place}") for place, judge in enumerate(TEMPERS, start=1)]
    settings = {"practice": False}  # the tour leads straight to a document; the guidelines lead to the practice
    entry = campaign.create(store, name, documents, protocol, judges, seed=1, title=title, settings=settings)
    campaign.open(store, entry.id)
    ago = timedelta(days=2) if tasks is None else timedelta(hours=3)  # nothing is from the future
    fill(store, entry.id, TEMPERS, QUALITIES, seed=1, start=campaign.now() - ago, tasks=tasks)
