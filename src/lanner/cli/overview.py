"""`lanner` without a command: the campaigns here, and what to do next."""

from __future__ import annotations

import os
from pathlib import Path

import click

from lanner import __version__, campaign
from lanner.cli.early_checks import DEFAULT_STORE
from lanner.cli.output import Output
from lanner.formats import native
from lanner.model import CampaignState
from lanner.store import Store


@click.command("next")
def command() -> None:
    """Suggest what to do next."""
    output = Output("next")
    output.say(f"Lanner {__version__}: document-level evaluation of machine translation", style="bold")
    place = os.environ.get("LANNER_STORE", DEFAULT_STORE)
    steps = _steps(place, output) if "://" in place or Path(place).exists() else _first()
    output.say()
    output.say("What you can do next:")
    width = max(len(line) for line, _ in steps)
    for line, words in steps:
        output.say(f"  {line:<{width}}  {words}")
    output.say()
    output.say("lanner --help lists every command; each has --help with an example.", style="dim")


_FIRST = [
    ("lanner demo", "try a judging page, a live campaign and a report"),
    ("lanner import FILE", "import texts or judgements; the format is detected"),
    ("lanner agreement FILE", "agreement between judges, from a file"),
    ("lanner protocols", "list the protocols"),
    ("lanner new", "create a campaign, step by step"),
    ("lanner doctor", "check the installation"),
]


def _first() -> list[tuple[str, str]]:
    """The first steps; where texts lie here already, a campaign with them comes first."""
    texts = [path.name for path in sorted(Path().glob("*.jsonl")) if native.recognise(path)][:1]
    ready = [(f"lanner new --texts {name}", "create a campaign with these texts, step by step") for name in texts]
    return [*ready, *_FIRST]


def _steps(place: str, output: Output) -> list[tuple[str, str]]:
    with Store.open(place, create=False) as store:
        rows = []
        for entry in campaign.campaigns(store)[:12]:
            progress = campaign.progress(store, entry.id)
            rows.append(
                {
                    "campaign": entry.name,
                    "protocol": entry.protocol_name,
                    "state": entry.state.value,
                    "done": progress.done_of_all if progress.items else "imported",
                }
            )
    if not rows:
        return _first()
    output.say()
    output.table(rows)
    name = rows[0]["campaign"]
    steps = [
        (f"lanner agreement {name}", "agreement between its judges"),
        (f"lanner report {name}", "a report as one HTML file"),
        (f"lanner export {name} --out {name}.csv", "its judgements with a codebook"),
        ("lanner new", "create another campaign"),
    ]
    if any(row["state"] == CampaignState.OPEN.value for row in rows):
        steps.insert(0, ("lanner serve", "serve the judging and organiser's pages"))
    return steps
