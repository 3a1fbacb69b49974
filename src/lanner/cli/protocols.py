"""`lanner protocols`, `protocol show` and `protocol check`: the protocols there are, one to read, one's own checked."""

from __future__ import annotations

from pathlib import Path

from lanner import protocols
from lanner.cli.output import Output
from lanner.protocols.catalogue import catalogue


def list_protocols(as_json: bool) -> None:
    """List all protocols, built in and from installed packages."""
    output = Output("protocols", as_json)
    output.table(catalogue(), ["name", "title", "unit", "languages", "summary"])
    output.say()
    output.say("Read one: lanner protocol show NAME     Check your own: lanner protocol check FILE.toml", style="dim")
    output.end()


def show(name: str, language: str, published: bool, as_json: bool) -> None:
    """Print a protocol in readable form."""
    from lanner.protocols.describe import describe

    protocol = protocols.load(name, wording="published" if published else "")
    output = Output("protocol show", as_json)
    output.rows.append(protocol.model_dump(mode="json", by_alias=True))
    output.sign(f"{protocol.label} · hash {protocol.hash}")
    output.say(describe(protocol, language))
    output.end()


def check(name: str, as_json: bool) -> None:
    """Validate a protocol file. Errors name the file and line."""
    output = Output("protocol check", as_json)
    problems = protocols.mistakes(name) if Path(name).is_file() else []
    for mistake in problems[1:]:
        output.say(f"Also: {mistake}")
    if problems:
        raise problems[0]
    protocol = protocols.load(name)
    output.rows.append({"name": protocol.name, "version": protocol.version, "hash": protocol.hash})
    count = sum(1 for _ in protocol.questions)
    output.say(f"{protocol.label} is sound: {count} questions in {len(protocol.stages)} stages, hash {protocol.hash}.")
    output.end()
