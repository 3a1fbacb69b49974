"""`lanner import`: judgements from files become a campaign, texts become a corpus file."""

from __future__ import annotations

import inspect
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lanner import formats
from lanner.cli import notes_of, parse_options, reading_options, refuse_unused, slug
from lanner.cli.output import Output, counting, reading
from lanner.errors import LannerError, Where
from lanner.formats import Reading
from lanner.model import Document, Json

if TYPE_CHECKING:  # texts are imported without protocols, which take a while to load
    from lanner.model import Protocol


def run(
    output: Output,
    paths: tuple[Path, ...],
    name: str | None,
    options: tuple[str, ...],
    force: bool,
    yes: bool,
    format_name: str | None,
    protocol: str | None,
    store_place: str,
) -> None:
    """Import files or a folder. The format is detected from the content."""
    reader_options = {**reading_options(), **parse_options(options)}
    source: formats.PathOrPaths = paths[0] if len(paths) == 1 else list(paths)
    kind = format_name or formats.recognise(source, **reader_options)
    label = paths[0] if len(paths) == 1 else ", ".join(path.name for path in paths)
    output.say(f"Reading {label} as {kind} ({formats.titles().get(kind.replace('-', '_'), kind)}).")
    guess = formats.guess(source, kind, **reader_options)
    _confirm(output, guess, ask=not yes and not output.as_json)
    job = _Import(output, paths, kind if len(paths) == 1 else None, reader_options, name or _base(paths[0]), force)
    rows = job.stream() or job.whole(protocol, store_place)
    if guess and not output.as_json:  # said already
        output.notes[:] = [note for note in output.notes if not note.endswith(guess)]
    output.table(rows, ["name", "kind", "documents", "sentences", "judges", "answers", "flagged"])
    output.say()
    for row in rows:
        output.say(f"Next: {row['next']}", style="bold")


def _base(path: Path) -> str:
    """A name from a file's, without all its endings."""
    return slug(path.name.removesuffix("".join(path.suffixes)) or path.name)


def _confirm(output: Output, guess: str, *, ask: bool) -> None:
    """Show a guess; on a terminal, ask whether it is right."""
    if not guess:
        return
    output.say(guess)
    if ask and _is_watched() and not click.confirm("Is that right?", default=True, err=True):
        raise LannerError(
            "Nothing was imported.",
            next_step="Say which column holds what: --columns source=COLUMN,document=COLUMN,system:NAME=COLUMN.",
        )


def _is_watched() -> bool:
    return sys.stdin.isatty()


@dataclass(frozen=True, slots=True)
class _Import:
    """One import: what to read, how, and under which name to keep it."""

    output: Output
    paths: tuple[Path, ...]
    format: str | None
    options: dict[str, str]
    name: str
    force: bool

    @property
    def source(self) -> formats.PathOrPaths:
        return self.paths[0] if len(self.paths) == 1 else list(self.paths)

    def stream(self) -> list[dict[str, Json]]:
        """Texts without judgements, one document at a time however large; nothing if it must be read whole."""
        count = {"documents": 0, "sentences": 0}
        with (
            reading(self.output, self.paths[0], formats.watched) as progress,
            formats.texts(self.source, self.format, **self.options) as texts,
        ):
            if texts is None:
                return []
            _refuse_options_of_answers()
            path = self.free_path(self.name)

            def passing() -> Iterator[Document]:
                for document in texts.documents:
                    count["documents"] += 1
                    count["sentences"] += len(document.segments)
                    progress("documents", count["documents"])
                    yield document

            try:
                formats.write("native", path, passing())
            except formats.ScatteredRowsError:
                return []
        self.output.note(*(f"{texts.name}: {note}" for note in texts.notes))
        return [{**_texts_row(path), **count, "judges": 0, "kind": "texts", "answers": 0}]

    def whole(self, protocol: str | None, store_place: str) -> list[dict[str, Json]]:
        """Everything at once: judgements into the store, texts into files; all parts or none."""
        with reading(self.output, self.paths[0], formats.watched):
            readings = formats.read(self.source, self.format, **self.options)
        labels = _distinct([self.name if len(readings) == 1 else f"{self.name}-{slug(r.name)}" for r in readings])
        protocols_of = [_find_protocol(part, protocol, self.output) for part in readings]
        self._check_all(readings, labels, protocols_of, store_place)
        parts = list(zip(readings, labels, protocols_of, strict=True))
        for part in readings:
            self.output.note(*notes_of(part))
        campaigns = _take([part for part in parts if part[2] is not None], store_place, self.output)
        return [campaigns[label] if protocol else _keep(part, self.free_path(label)) for part, label, protocol in parts]

    def _check_all(
        self,
        readings: list[Reading],
        labels: list[str],
        protocols_of: list[Protocol | None],
        store_place: str,
    ) -> None:
        """Everything that could go wrong goes wrong here, before anything is written."""
        if not any(part.judgements for part in readings):
            _refuse_options_of_answers()
        names = _campaign_names(store_place) if any(protocols_of) else set()
        for part, label, protocol in zip(readings, labels, protocols_of, strict=True):
            if protocol is None:
                self.free_path(label)
                continue
            if label in names:
                raise LannerError(f"There is a campaign {label!r} already.", next_step="Give another --name.")
            from lanner.protocols.judgements import take_in

            take_in(protocol, part.judgements, part.documents, part.judges)

    def free_path(self, name: str) -> Path:
        """Where texts are kept. Never one of the files that are read: then -texts is added to the name."""
        path = Path(f"{name}.jsonl")
        if path.resolve() in {each.resolve() for each in self.paths}:
            path = Path(f"{name}-texts.jsonl")
        if path.exists() and not self.force:
            hint = "Give another --name, or --force to overwrite it."
            raise LannerError("This file exists already.", where=Where(path), next_step=hint)
        return path


def _refuse_options_of_answers() -> None:
    refuse_unused("with texts alone, in which nothing is judged", "--protocol", "--missing")


def _distinct(labels: list[str]) -> list[str]:
    """Names of which no two are alike: a later one gets a number."""
    paths: list[str] = []
    for label in labels:
        candidate = label
        while candidate in paths:
            candidate = f"{label}-{paths.count(label) + len(paths) + 1}"
        paths.append(candidate)
    return paths


def _campaign_names(store_place: str) -> set[str]:
    from lanner.campaign import campaigns
    from lanner.store import Store

    if "://" not in store_place and not Path(store_place).exists():
        return set()
    with Store.open(store_place, create=False) as store:
        return {existing.name for existing in campaigns(store)}


def _find_protocol(part: Reading, protocol: str | None, output: Output) -> Protocol | None:
    """The protocol that the judgements answer; None for texts, and for scores that answer none, as those of metrics."""
    if not part.judgements:
        return None
    from lanner.protocols import load
    from lanner.protocols.guessing import of_file

    if protocol:
        return load(protocol)
    guess = of_file(
        part.judgements,
        part.questions,
        part.protocol,
        part.definition,
        remarks=part.remarks,
        scales=part.scales,
        judges=part.judges,
    )
    if guess is not None and guess.note:
        output.note(f"{part.name}: {guess.note}")
    return guess.protocol if guess else None


def _take(
    parts: list[tuple[Reading, str, Protocol | None]], store_place: str, output: Output
) -> dict[str, dict[str, Json]]:
    """Judgements into the store, as a campaign for each part: all of them or none. What came of each, by its name."""
    if not parts:
        return {}
    from lanner.campaign import CampaignContent, import_campaigns
    from lanner.store import Store

    with counting(output, "Storing", len(parts)) as one, Store.open(store_place) as store:

        def contents() -> Iterator[CampaignContent]:
            for part, name, protocol in parts:
                assert protocol is not None
                yield CampaignContent(name, part.judgements, protocol, part.documents, part.judges, part.left_out)
                one()

        summaries = import_campaigns(store, contents())
    for (part, _, _), summary in zip(parts, summaries, strict=True):
        output.note(*(f"{part.name}: {note}" for note in summary.notes))
    return {
        name: {
            **_counts(part),
            "name": name,
            "kind": f"campaign ({summary.campaign.protocol_name})",
            "answers": summary.judgements,
            "flagged": sum(summary.flags.values()),
            "next": f"lanner report {shlex.quote(name)}",
        }
        for (part, name, _), summary in zip(parts, summaries, strict=True)
    }


def _keep(part: Reading, path: Path) -> dict[str, Json]:
    formats.write("native", path, part.documents, part.judgements, part.judges)
    kind = "texts and scores" if part.judgements else "texts"
    return {**_texts_row(path), **_counts(part), "kind": kind, "answers": len(part.judgements)}


def _texts_row(path: Path) -> dict[str, Json]:
    return {
        "name": str(path),
        "flagged": 0,
        "next": f"lanner new my-campaign --texts {shlex.quote(str(path))} --protocol h_falcon --judges 2",
    }


def _counts(part: Reading) -> dict[str, Json]:
    return {
        "documents": len(part.documents),
        "sentences": sum(len(document.segments) for document in part.documents),
        "judges": len(part.judges),
    }


def list_formats(output: Output, name: str | None) -> None:
    """List all formats; with a name, describe that one and show its options."""
    if name:
        _describe_format(output, name)
        return
    rows = [
        {
            "name": name,
            "what": each.title,
            "read": _yes_or_no(each.read is not None),
            "written": _yes_or_no(each.write is not None),
        }
        for name, each in formats.all_formats().items()
    ]
    output.table(rows)
    output.say()
    output.say("The format of a file is found from its content. One of them: lanner formats NAME", style="dim")


def _describe_format(output: Output, name: str) -> None:
    entry = formats.load(name)
    about = inspect.cleandoc(entry.description or entry.title)
    output.rows.append({"name": name, "what": entry.title, "about": about, "options": dict(entry.options)})
    output.say(about)
    for option, meaning in entry.options.items():
        output.say(f"  --option {option}=…  {meaning}")


def _yes_or_no(there: bool) -> str:
    return "yes" if there else "no"
