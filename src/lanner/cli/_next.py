"""A plain `lanner`: what stands here, and what can be done next."""

from __future__ import annotations

import os
from pathlib import Path

import click

from lanner import __version__, campaign
from lanner.cli._output import Output
from lanner.cli._source import DEFAULT_STORE
from lanner.formats import native
from lanner.model import CampaignState
from lanner.store import Store


@click.command("next")
def command() -> None:
    """Say what can be done next here."""
    output = Output("next")
    output.say(f"Lanner {__version__}: document-level evaluation of machine translation", style="bold")
    place = os.environ.get("LANNER_STORE", DEFAULT_STORE)
    steps = _steps(place, output) if "://" in place or Path(place).exists() else _first()
    output.say()
    output.say("What you can do next:")
    for line, words in steps:
        output.say(f"  {line:<44} {words}")
    output.say()
    output.say("lanner --help lists every command; each has --help with an example.", style="dim")


_FIRST = [
    ("lanner demo", "see a judging page, a campaign and a report within a minute"),
    ("lanner import FILE", "bring in texts or judgements; the format is found"),
    ("lanner agreement FILE", "how far judges agree, from a file you have"),
    ("lanner protocols", "what can be asked"),
    ("lanner new", "make a campaign; it asks what it needs"),
    ("lanner doctor", "what this machine has, and what it lacks"),
]


def _first() -> list[tuple[str, str]]:
    """The first steps; where texts lie here already, a campaign with them comes first."""
    texts = [path.name for path in sorted(Path().glob("*.jsonl")) if native.recognise(path)][:1]
    ready = [
        (f"lanner new --texts {name}", "make a campaign with these texts; it asks what it needs") for name in texts
    ]
    return [*ready, *_FIRST]


def _steps(place: str, output: Output) -> list[tuple[str, str]]:
    with Store.open(place, create=False) as store:
        rows = []
        for entry in campaign.campaigns(store)[:12]:
            whole = campaign.progress(store, entry.id).whole
            rows.append(
                {
                    "campaign": entry.name,
                    "protocol": entry.protocol_name,
                    "state": entry.state.value,
                    "done": f"{whole.done} of {whole.items}" if whole.items else "imported",
                }
            )
    if not rows:
        return _first()
    output.say()
    output.table(rows)
    name = rows[0]["campaign"]
    steps = [
        (f"lanner agreement {name}", "how far its judges agree"),
        (f"lanner report {name}", "a report as one HTML file"),
        (f"lanner export {name} --out {name}.csv", "its judgements with a codebook"),
        ("lanner new", "make another campaign"),
    ]
    if any(row["state"] == CampaignState.OPEN.value for row in rows):
        steps.insert(0, ("lanner serve", "let judges and organisers in"))
    return steps
