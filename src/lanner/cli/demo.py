"""`lanner demo`: a campaign with simulated judges, a judging page, the organiser's page and a report, in a minute."""

from __future__ import annotations

import secrets
from datetime import timedelta
from importlib import resources
from pathlib import Path

import click

from lanner import campaign, formats
from lanner.cli._output import Output
from lanner.judges.simulated import Temper, fill
from lanner.material import from_campaign
from lanner.model import Document, Judge, JudgeKind
from lanner.reports.build import build
from lanner.reports.files import write
from lanner.store import Store
from lanner.web.app import serve
from lanner.web.ports import free_port
from lanner.web.site import Settings

HOST, YOU, ORGANISER = "127.0.0.1", "you", "demo"
QUALITIES = {"alder": 0.85, "birch": 0.62, "cedar": 0.32}
TEMPERS = {
    "simulated1": Temper(reliability=0.8),
    "simulated2": Temper(severity=0.06, reliability=0.75, speed=1.3),
    "simulated3": Temper(severity=-0.08, reliability=0.55, speed=0.8, swaps=("local", "extended")),
}
CAMPAIGNS = {"demo-h-falcon": ("h_falcon", "Demo: H-FALCON"), "demo-falcon": ("falcon", "Demo: FALCON")}


@click.command("demo", short_help="A judging page, a campaign and a report within a minute.")
@click.option("--folder", type=click.Path(path_type=Path), default=Path("lanner-demo"), show_default=True)
@click.option("--port", default=8000, show_default=True, help="The next free port from here on is taken.")
@click.option("--serve/--no-serve", "serving", default=True, help="Serve the pages, or only make the files.")
def command(folder: Path, port: int, serving: bool) -> None:
    """Make a small campaign with simulated judges and show all there is. Nothing leaves this machine.

    Example: lanner demo
    """
    output = Output("demo")
    folder.mkdir(parents=True, exist_ok=True)
    with Store.open(folder / "lanner.sqlite") as store:
        output.say("Making the demo campaigns: ten short documents, three systems, three simulated judges ...")
        documents = _documents()
        for name, (protocol, title) in CAMPAIGNS.items():
            _campaign(store, name, protocol, title, documents)
        page = write(build(from_campaign(store, "demo-h-falcon")), folder / "report", pictures=False)
        links = {name: campaign.links.issue(store, name, YOU) for name in CAMPAIGNS}
        chosen = free_port(HOST, port)
        code = secrets.token_urlsafe(18)
        address = f"http://{HOST}:{chosen}"
        output.say()
        output.say(f"  Judge with H-FALCON   {address}/j/{links['demo-h-falcon']}", style="bold")
        output.say(f"  Judge with FALCON     {address}/j/{links['demo-falcon']}", style="bold")
        output.say(f"  Organise              {address}/enter/{code}", style="bold")
        output.say(f"  Report                {page.resolve()}", style="bold")
        output.say()
        if serving:
            output.say("Open a link in your browser. Stop with Ctrl+C; your answers stay in the folder.")
            serve(store, HOST, chosen, settings=Settings(entry_code=code, entry_account=ORGANISER))


def _documents() -> list[Document]:
    with resources.as_file(resources.files("lanner.corpus") / "demo.jsonl") as path:
        return list(formats.read_documents(path, "native"))


def _campaign(store: Store, name: str, protocol: str, title: str, documents: list[Document]) -> None:
    """The campaign as it was left, or a new one in which the simulated judges have answered."""
    if name in {found.name for found in campaign.campaigns(store)}:
        return
    judges = [Judge(YOU, name="You")]
    judges += [Judge(judge, JudgeKind.SIMULATED, f"Simulated {place}") for place, judge in enumerate(TEMPERS, start=1)]
    made = campaign.create(store, name, documents, protocol, judges, seed=1, title=title)
    campaign.open(store, made.id)
    fill(store, made.id, TEMPERS, QUALITIES, seed=1, start=campaign.now() - timedelta(days=2))
