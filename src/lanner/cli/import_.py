"""`lanner import`: bring in files of others: judgements become a campaign, texts become a corpus file."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from lanner import campaign, formats, protocols
from lanner.cli._output import Output, json_option
from lanner.cli._progress import counting, reading
from lanner.cli._source import from_option, protocol_option, store_option
from lanner.errors import LannerError, Where
from lanner.formats import Reading
from lanner.model import Document, Json
from lanner.protocols.intake import take_in
from lanner.store import Store


@click.command("import", short_help="Bring in texts or judgements from a file or folder.")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--name", help="Name of the campaign or corpus (default: the file's).")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the format; repeatable.")
@click.option("--force", is_flag=True, help="Replace a corpus file of that name.")
@click.option("--yes", is_flag=True, help="Take guessed columns without asking.")
@from_option
@protocol_option
@store_option
@json_option
def command(
    path: Path,
    name: str | None,
    options: tuple[str, ...],
    force: bool,
    yes: bool,
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
    given = parse_options(options)
    found = format_name or formats.recognise(path, **given)
    output.say(f"Reading {path} as {found} ({formats.titles().get(found.replace('-', '_'), found)}).")
    guessed = formats.guess(path, found, **given)
    _confirm(output, guessed, ask=not yes and not as_json)
    base = name or slug(path.name.removesuffix("".join(path.suffixes)) or path.name)
    rows = _stream(output, path, found, given, base, force) or _whole(
        output, path, found, given, base, force, protocol, store_place
    )
    if guessed and not as_json:  # said already
        output.notes[:] = [note for note in output.notes if not note.endswith(guessed)]
    output.table(rows, ["name", "kind", "documents", "sentences", "judges", "answers", "flagged"])
    output.say()
    for row in rows:
        output.say(f"Next: {row['next']}", style="bold")
    output.end()


def _confirm(output: Output, guessed: str, *, ask: bool) -> None:
    """Show a guess; on a terminal, ask whether it is right."""
    if not guessed:
        return
    output.say(guessed)
    if ask and _is_watched() and not click.confirm("Is that right?", default=True, err=True):
        raise LannerError(
            "Nothing was taken in.",
            next_step="Say which column holds what: --option columns=source=COLUMN,document=COLUMN,system:NAME=COLUMN.",
        )


def _is_watched() -> bool:
    return sys.stdin.isatty()


def _stream(
    output: Output, path: Path, found: str, given: dict[str, str], name: str, force: bool
) -> list[dict[str, Json]]:
    """Texts without judgements, one document at a time however large the file; nothing if it must be read whole."""
    count = {"documents": 0, "sentences": 0}
    with reading(output, path) as told, formats.texts(path, found, **given) as texts:
        if texts is None:
            return []
        _check_free(name, force, path)

        def passing() -> Iterator[Document]:
            for document in texts.documents:
                count["documents"] += 1
                count["sentences"] += len(document.segments)
                told("documents", count["documents"])
                yield document

        try:
            formats.write("native", Path(f"{name}.jsonl"), passing())
        except formats.ApartError:
            return []
    for note in texts.notes:
        output.note(f"{texts.name}: {note}")
    return [{**_kept(name), **count, "judges": 0, "kind": "texts", "answers": 0}]


def _whole(
    output: Output,
    path: Path,
    found: str,
    given: dict[str, str],
    base: str,
    force: bool,
    protocol: str | None,
    store_place: str,
) -> list[dict[str, Json]]:
    with reading(output, path):
        readings = formats.read(path, found, **given)
    labels = [base if len(readings) == 1 else f"{base}-{slug(reading.name)}" for reading in readings]
    _check_all(path, readings, labels, protocol, store_place, force)
    rows: list[dict[str, Json]] = []
    with counting(output, "Storing", len(readings)) as one:
        for part, label in zip(readings, labels, strict=True):
            for note in part.notes:
                output.note(f"{part.name}: {note}")
            asked = _asked(part, protocol)
            rows.append(_take(part, label, protocol, store_place, output) if asked else _keep(part, label))
            one()
    return rows


def _check_all(
    path: Path, readings: list[Reading], labels: list[str], protocol: str | None, store_place: str, force: bool
) -> None:
    """Everything that could go wrong goes wrong here, before anything is written: all parts are taken in, or none."""
    names: set[str] = set()
    if "://" in store_place or Path(store_place).exists():
        with Store.open(store_place, create=False) as store:
            names = {found.name for found in campaign.campaigns(store)}
    for part, label in zip(readings, labels, strict=True):
        if not _asked(part, protocol):
            _check_free(label, force, path)
            continue
        if label in names:
            raise LannerError(f"There is a campaign {label!r} already.", next_step="Give another --name.")
        take_in(protocols.load(_asked(part, protocol)), part.judgements, part.documents)


def _check_free(name: str, force: bool, read: Path) -> None:
    path = Path(f"{name}.jsonl")
    if path.exists() and path.resolve() == read.resolve():
        hint = f"Give another name: --name {name}-texts"
        raise LannerError(
            "The texts would be written over the file they are read from.", where=Where(path), next_step=hint
        )
    if path.exists() and not force:
        hint = "Give another --name, or --force."
        raise LannerError("There is such a file already.", where=Where(path), next_step=hint)


def _asked(part: Reading, protocol: str | None) -> str:
    """The protocol that the judgements answer; "" for texts, and for scores that answer none, as those of metrics."""
    return (protocol or part.protocol) if part.judgements else ""


def _take(part: Reading, name: str, protocol: str | None, store_place: str, output: Output) -> dict[str, Json]:
    asked = _asked(part, protocol)
    with Store.open(store_place) as store:
        done = campaign.import_campaign(
            store, name, part.judgements, asked, documents=part.documents, judges=part.judges
        )
    for note in done.notes:
        output.note(f"{part.name}: {note}")
    return {
        **_counts(part),
        "name": name,
        "kind": f"campaign ({done.campaign.protocol_name})",
        "answers": done.judgements,
        "flagged": sum(done.flags.values()),
        "next": f"lanner report {name}",
    }


def _keep(part: Reading, name: str) -> dict[str, Json]:
    formats.write("native", Path(f"{name}.jsonl"), part.documents, part.judgements, part.judges)
    kind = "texts and scores" if part.judgements else "texts"
    return {**_kept(name), **_counts(part), "kind": kind, "answers": len(part.judgements)}


def _kept(name: str) -> dict[str, Json]:
    path = f"{name}.jsonl"
    return {
        "name": path,
        "flagged": 0,
        "next": f"lanner new my-campaign --texts {path} --protocol h_falcon --judges 2",
    }


def _counts(part: Reading) -> dict[str, Json]:
    return {
        "documents": len(part.documents),
        "sentences": sum(len(document.segments) for document in part.documents),
        "judges": len(part.judges),
    }


def parse_options(options: tuple[str, ...]) -> dict[str, str]:
    """Options given as NAME=VALUE."""
    parsed = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise LannerError(
                f"{option!r} is not NAME=VALUE.", next_step="Write for instance --option languages=en-de."
            )
        parsed[name.strip()] = value.strip()
    return parsed


def slug(text: str) -> str:
    """A name that is easy to type: small letters, digits, dashes."""
    return re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-") or "corpus"
