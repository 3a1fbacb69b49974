"""A folder of an Appraise campaign: batches (JSON) and score exports (CSV) of one or several protocols.

Each export becomes a reading with the documents of the batches, so that spans carry their text and segments their ids.
Other files are named in a note and left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from lanner.errors import InputError
from lanner.formats import appraise_batches, appraise_scores
from lanner.formats.appraise_batches import Batches, read_batches
from lanner.formats.parsing import textfile
from lanner.formats.parsing.readings import Format, Reading
from lanner.model import Document, Judge


def recognise(path: Path) -> bool:
    """A folder that holds at least one score export, beside batches or not."""
    return path.is_dir() and any(appraise_scores.recognise(file) for file in path.glob("*.csv*"))


def read(path: Path, *, protocol: str = "", ends: str = "inclusive") -> list[Reading]:
    """A reading for each score export and language pair."""
    batches: dict[str, Batches] = {}
    unread: list[Path] = []
    exports: list[Path] = []
    for file in sorted(file for file in path.iterdir() if file.is_file()):
        if appraise_batches.recognise(file):
            for pair, content in read_batches(file).items():
                if pair in batches:
                    raise InputError(
                        f"Two files have batches for {pair}.", next_step="Read one export at a time with batches=FILE."
                    )
                batches[pair] = content
        elif appraise_scores.recognise(file):
            exports.append(file)
        else:
            unread.append(file)
    readings = [
        reading
        for file in exports
        for reading in appraise_scores.read_export(file, batches, protocol=protocol, ends=ends, root=path)
    ]
    people = {name: about for file in unread for name, about in _people(file).items()}
    other = [file.name for file in unread if not _people(file)]
    notes = (f"Not read: {', '.join(other)}.",) if other else ()
    return [
        replace(
            reading,
            judges=tuple(_add_attributes(judge, people) for judge in reading.judges),
            notes=reading.notes + notes,
        )
        for reading in readings
    ]


def _people(file: Path) -> dict[str, dict[str, str]]:
    """A table of who is behind each login, as campaigns keep beside their scores."""
    rows = textfile.rows(file) if file.suffix == ".csv" else iter(())
    try:
        _, header = next(rows, (1, []))
        if "login" not in header:
            return {}
        return {row[header.index("login")]: dict(zip(header, row, strict=False)) for _, row in rows}
    except (InputError, IndexError):
        return {}


def _add_attributes(judge: Judge, people: dict[str, dict[str, str]]) -> Judge:
    records = people.get(judge.id, {})
    return replace(judge, attributes={key: value for key, value in records.items() if key and value and key != "login"})


def read_documents(path: Path, *, protocol: str = "", ends: str = "") -> Iterator[Document]:
    """The documents of the batches."""
    del protocol, ends  # options of scores
    for file in sorted(path.glob("*.json*")):
        if appraise_batches.recognise(file):
            yield from appraise_batches.read_documents(file)


FORMAT = Format(
    name="appraise",
    title="a folder with Appraise batches and scores",
    description=__doc__ or "",
    recognise=recognise,
    read=read,
    read_documents=read_documents,
    options={key: appraise_scores.FORMAT.options[key] for key in ("protocol", "ends")},
    signs={"folder": ("*.csv", "*.json")},
    folder=True,
)
