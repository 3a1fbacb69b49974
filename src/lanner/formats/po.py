"""Gettext PO catalogues: the messages of a program with their translations, as one document.

A message without a translation is shown and not judged; one marked fuzzy is judged, since machine translations often
are. A plural message becomes one segment for the singular and one for the plural; further plural forms are kept in
`meta`, like references (`#:`), flags (`#,`) and remarks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lanner.formats.parsing import textfile
from lanner.formats.parsing.readings import Format, Reading
from lanner.formats.parsing.textfile import ReadingNote
from lanner.model import Document, Json, Segment
from lanner.model import languages as language_codes

_KEYWORD = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr(?:\[(\d{1,2})\])?)\s+"(.*)"\s*$')
_ESCAPE = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_HEADER = re.compile(r"^Language:[ \t]*(\S+)", re.M)
_COMMENTS = {"#:": "references", "#,": "flags", "#.": "remarks", "#|": "", "#~": ""}


@dataclass(slots=True)
class _Message:
    """One entry of a catalogue, with the line it begins on."""

    line: int
    texts: dict[str, str] = field(default_factory=dict)
    comments: dict[str, list[str]] = field(default_factory=dict)


def recognise(path: Path) -> bool:
    """The first line that is no comment begins a message."""
    if not path.is_file():
        return False
    lines = (line.strip() for line in textfile.head(path).lstrip("\ufeff").splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return bool(re.match(r'(msgid|msgctxt)\s+"', first))


def read(path: Path, *, system: str = "target", languages: str = "") -> list[Reading]:
    """All messages, as one document."""
    segments: list[Segment] = []
    target = language_codes.UNDETERMINED
    for message in _messages(path):
        if not message.texts.get("msgid"):
            if hit := _HEADER.search(message.texts.get("msgstr", "")):
                target = language_codes.normal(hit[1])
            continue
        segments += _segments(message, len(segments), system)
    if not segments:
        textfile.failed(path, "There is no message in this catalogue.", code="no_units")
    pair = language_codes.pair(languages) if languages else ("en", target)
    name = path.name.split(".")[0]
    notes = ["A PO catalogue has no documents: its messages are one, in the order of the file."]
    if not languages:
        notes.append(
            ReadingNote(
                "A PO catalogue does not name its source language, taken to be English.",
                "--languages changes that.",
            )
        )
    if n := sum(not segment.judged for segment in segments):
        have, they = ("message has", "it is") if n == 1 else ("messages have", "they are")
        notes.append(f"{n} {have} no translation; {they} shown and not judged.")
    if n := sum("fuzzy" in str(segment.meta.get("flags", "")) and segment.judged for segment in segments):
        have, they = ("translation is", "it is") if n == 1 else ("translations are", "they are")
        notes.append(f"{n} {have} marked fuzzy; {they} judged like the others.")
    document = Document(name, tuple(segments), source_language=pair[0], target_language=pair[1])
    return [Reading(name, (document,), notes=tuple(notes))]


def _segments(message: _Message, count: int, system: str) -> Iterator[Segment]:
    texts = message.texts
    meta: dict[str, Json] = {name: " ".join(lines) for name, lines in message.comments.items()}
    if "msgctxt" in texts:
        meta["context"] = texts["msgctxt"]
    forms = {key: text for key, text in texts.items() if key.startswith("msgstr")}
    pairs = [(texts["msgid"], forms.get("msgstr", forms.get("msgstr[0]", "")))]
    if "msgid_plural" in texts:
        # languages without a plural, such as Japanese, have one form for both
        pairs.append((texts["msgid_plural"], forms.get("msgstr[1]", forms.get("msgstr[0]", ""))))
        if len(forms) > 2:
            meta["plural_forms"] = dict(forms)
    for source, translation in pairs:
        count += 1
        yield Segment(str(count), source, {system: translation}, judged=bool(translation), meta=dict(meta))


def _messages(path: Path) -> Iterator[_Message]:
    """The entries of the catalogue; obsolete ones (`#~`) are comments."""
    message: _Message | None = None
    current = ""
    for number, raw in enumerate(textfile.lines(path), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            if message is not None and (not line or any(key.startswith("msgstr") for key in message.texts)):
                if message.texts:
                    yield message
                    message = None
                current = ""
            if line:
                message = message or _Message(number)
                name = _COMMENTS.get(line[:2], "remarks")
                if name:
                    message.comments.setdefault(name, []).append(line[2:].strip())
            continue
        if hit := _KEYWORD.match(line):
            current = hit[0].split()[0]
            if message is not None and current in ("msgid", "msgctxt") and "msgid" in message.texts:
                yield message
                message = None
            message = message or _Message(number)
            message.texts[current] = _unescape(hit[3])
        elif (text := _unquote(line)) is not None and message is not None and current:
            message.texts[current] += _unescape(text)
        else:
            step = 'A message is msgid "..." and msgstr "..."; longer texts continue in quotation marks.'
            textfile.failed(path, "This line is none of a PO catalogue.", number, step)
    if message is not None and message.texts:
        yield message


def _unquote(line: str) -> str | None:
    """What stands in quotation marks, where they begin and end the line."""
    line = line.rstrip()
    return line[1:-1] if len(line) > 1 and line.startswith('"') and line.endswith('"') else None


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda hit: _ESCAPES.get(hit[1], hit[1]), text)


FORMAT = Format(
    name="po",
    title="gettext PO catalogues",
    description=__doc__ or "",
    recognise=recognise,
    markers=("msgid", "msgctxt"),
    read=read,
    options={
        "system": "the name of the system whose output the translations are (target)",
        "languages": "the language pair; a catalogue names at most its target language",
    },
)
