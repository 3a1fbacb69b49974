"""`lanner import`: bring in files of others: judgements become a campaign, texts become a corpus file."""

from __future__ import annotations

import re
from pathlib import Path

import click

from lanner import campaign, formats, protocols
from lanner.cli._output import Output, json_option
from lanner.cli._source import from_option, protocol_option, store_option
from lanner.errors import LannerError, Where
from lanner.formats import Reading
from lanner.model import Json
from lanner.protocols.intake import take_in
from lanner.store import Store


@click.command("import", short_help="Bring in texts or judgements from a file or folder.")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--name", help="Name of the campaign or corpus (default: the file's).")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the format; repeatable.")
@click.option("--force", is_flag=True, help="Replace a corpus file of that name.")
@from_option
@protocol_option
@store_option
@json_option
def command(
    path: Path,
    name: str | None,
    options: tuple[str, ...],
    force: bool,
    format_name: str | None,
    protocol: str | None,
    store_place: str,
    as_json: bool,
) -> None:
    """Bring in a file or folder. Its format is found from its content.

    Judgements become a campaign in the store. Texts without judgements become NAME.jsonl, one document a line, ready
    for `lanner new`.

    Example: lanner import h-falcon
    """
    output = Output("import", as_json)
    found = format_name or formats.recognise(path)
    output.say(f"Reading {path} as {found} ({formats.titles().get(found.replace('-', '_'), found)}).")
    readings = formats.read(path, found, **parse_options(options))
    base = name or slug(path.name.removesuffix("".join(path.suffixes)) or path.name)
    labels = [base if len(readings) == 1 else f"{base}-{slug(reading.name)}" for reading in readings]
    _check_all(readings, labels, protocol, store_place, force)
    rows: list[dict[str, Json]] = []
    for reading, label in zip(readings, labels, strict=True):
        for note in reading.notes:
            output.note(f"{reading.name}: {note}")
        rows.append(
            _take(reading, label, protocol, store_place, output) if _asked(reading, protocol) else _keep(reading, label)
        )
    output.table(rows, ["name", "kind", "documents", "sentences", "judges", "answers", "flagged"])
    output.say()
    for row in rows:
        output.say(f"Next: {row['next']}", style="bold")
    output.end()


def _check_all(readings: list[Reading], labels: list[str], protocol: str | None, store_place: str, force: bool) -> None:
    """Everything that could go wrong goes wrong here, before anything is written: all parts are taken in, or none."""
    names: set[str] = set()
    if "://" in store_place or Path(store_place).exists():
        with Store.open(store_place, create=False) as store:
            names = {found.name for found in campaign.campaigns(store)}
    for reading, label in zip(readings, labels, strict=True):
        if not _asked(reading, protocol):
            path = Path(f"{label}.jsonl")
            if path.exists() and not force:
                hint = "Give another --name, or --force."
                raise LannerError("There is such a file already.", where=Where(path), next_step=hint)
            continue
        if label in names:
            raise LannerError(f"There is a campaign {label!r} already.", next_step="Give another --name.")
        take_in(protocols.load(_asked(reading, protocol)), reading.judgements, reading.documents)


def _asked(reading: Reading, protocol: str | None) -> str:
    """The protocol that the judgements answer; "" for texts, and for scores that answer none, as those of metrics."""
    return (protocol or reading.protocol) if reading.judgements else ""


def _take(reading: Reading, name: str, protocol: str | None, store_place: str, output: Output) -> dict[str, Json]:
    asked = _asked(reading, protocol)
    with Store.open(store_place) as store:
        done = campaign.import_campaign(
            store, name, reading.judgements, asked, documents=reading.documents, judges=reading.judges
        )
    for note in done.notes:
        output.note(f"{reading.name}: {note}")
    return {
        **_counts(reading),
        "name": name,
        "kind": f"campaign ({done.campaign.protocol_name})",
        "answers": done.judgements,
        "flagged": sum(done.flags.values()),
        "next": f"lanner report {name}",
    }


def _keep(reading: Reading, name: str) -> dict[str, Json]:
    path = Path(f"{name}.jsonl")
    formats.write("native", path, reading.documents, reading.judgements, reading.judges)
    return {
        **_counts(reading),
        "name": str(path),
        "kind": "texts and scores" if reading.judgements else "texts",
        "answers": len(reading.judgements),
        "flagged": 0,
        "next": f"lanner new my-campaign --texts {path} --protocol h_falcon --judges 2",
    }


def _counts(reading: Reading) -> dict[str, Json]:
    return {
        "documents": len(reading.documents),
        "sentences": sum(len(document.segments) for document in reading.documents),
        "judges": len(reading.judges),
    }


def parse_options(options: tuple[str, ...]) -> dict[str, str]:
    """Options given as NAME=VALUE."""
    parsed = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise LannerError(f"{option!r} is not NAME=VALUE.", next_step="Write for instance --option lp=en-de.")
        parsed[name.strip()] = value.strip()
    return parsed


def slug(text: str) -> str:
    """A name that is easy to type: small letters, digits, dashes."""
    return re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-") or "corpus"
