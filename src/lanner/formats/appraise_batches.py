"""Appraise's batches: a JSON list of tasks, each with the items of documents by one system each.

A document's id is what stands before the first `#` of `documentID`; what follows names the system and tells why the
item is there. Segment ids come from `_item` (SYSTEM | NUMBER | DOCUMENT) where there is one, else from `itemID` where
that is the same for all systems, else they count the source texts. Degraded texts (type BAD) are kept in the segments'
`meta`, references (REF) as references.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lanner.formats.parsing import textfile
from lanner.formats.parsing.readings import Draft, Format, Gathering, Reading
from lanner.formats.parsing.textfile import refuse_answers, text_file
from lanner.formats.parsing.values import file_languages
from lanner.model import Document, Judge, Judgement, languages

_ABOUT_DOCUMENT = ("title", "domain", "text_type")
"""What we write of a document with each item, with a _ before it as before `_item`; Appraise leaves it alone."""
_FIELDS = ("documentID", "itemID", "itemType", "sourceText", "targetText", "targetID")


def recognise(path: Path) -> bool:
    """A list of objects with `task` and `items`."""
    head = textfile.head(path).lstrip()
    return head.startswith("[") and '"documentID"' in head and '"targetText"' in head


def read(path: Path) -> list[Reading]:
    """The documents of all batches, one reading for each language pair."""
    return [
        Reading(f"{path.name.split('.')[0]}.{pair}", batches.documents, notes=tuple(batches.notes))
        for pair, batches in read_batches(path).items()
    ]


def read_documents(path: Path) -> Iterator[Document]:
    """The documents of all batches."""
    for reading in read(path):
        yield from reading.documents


def system_name(target: str, document: str) -> str:
    """The system's name: `wmt23.refA` is refA where the item's document says so, as `doc#refA` does."""
    parts = document.split("#")[1:]
    return next((part for part in parts if target.endswith(f".{part}")), target)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an item of a batch belongs, with the text that was shown."""

    batch: int
    document: str
    segment: str
    text: str


@dataclass(slots=True)
class Batches:
    """The batches of one language pair as documents, and the way from an item to its place in them."""

    documents: tuple[Document, ...] = ()
    places: dict[tuple[str, str], list[Place]] = field(default_factory=lambda: defaultdict(list))
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Item:
    batch: int
    number: int
    data: dict[str, Any]

    @property
    def document(self) -> str:
        return str(self.data["documentID"]).split("#")[0]

    @property
    def key(self) -> tuple[str, str]:
        return str(self.data["documentID"]), str(self.data["itemID"])

    @property
    def global_number(self) -> str | None:
        """The segment number in `_item`."""
        parts = [part.strip() for part in str(self.data.get("_item", "")).split("|")]
        return parts[1] if len(parts) == 3 and parts[1] else None

    @property
    def is_tutorial(self) -> bool:
        mqm = self.data.get("mqm")
        return "tutorial" in self.document or (isinstance(mqm, dict) and "tutorial" in mqm)


def read_batches(path: Path) -> dict[str, Batches]:
    """Batches by language pair."""
    tasks = textfile.json_whole(path)
    if not isinstance(tasks, list):
        textfile.failed(path, "A list of batches was expected.")
    items: dict[str, list[_Item]] = defaultdict(list)
    count = 0
    for position, task in enumerate(tasks, 1):
        if not isinstance(task, dict) or not isinstance(task.get("items"), list):
            textfile.failed(path, f"Batch {position} has no items.")
        task_id = task.get("task")
        about: dict[str, Any] = task_id if isinstance(task_id, dict) else {}
        number = about.get("batchNo", position)
        pair = _pair(about, path)
        for item in task["items"]:
            count += 1
            if not isinstance(item, dict) or any(name not in item for name in _FIELDS):
                lacking = [name for name in _FIELDS if not isinstance(item, dict) or name not in item]
                textfile.failed(path, f"Item {count} lacks {', '.join(lacking)}.", item=f"batch {number}")
            items[pair].append(_Item(number if isinstance(number, int) else position, count, item))
    return {pair: _read_items(path, pair, entries) for pair, entries in items.items()}


def _pair(about: dict[str, Any], path: Path) -> str:
    codes = (
        languages.normal(str(about.get("sourceLanguage", ""))),
        languages.normal(str(about.get("targetLanguage", ""))),
    )
    source, target = codes if codes[0] != languages.UNDETERMINED else file_languages(path)
    return f"{source}-{target}"


def _read_items(path: Path, pair: str, items: list[_Item]) -> Batches:
    batches = Batches()
    ids = _segment_ids(items, batches)
    source, _, target = pair.partition("-")
    gathering = Gathering(path, path.stem, has_documents=True, has_segments=True)
    for item in items:
        tutorial = item.is_tutorial

        def attributes(tutorial: bool = tutorial, data: dict[str, Any] = item.data) -> dict[str, Any]:
            meta = {"role": "tutorial"} if tutorial else {}
            fields = {name: str(data[f"_{name}"]) for name in _ABOUT_DOCUMENT if data.get(f"_{name}")}
            return {"source_language": source, "target_language": target, "meta": meta, **fields}

        document = gathering.document(item.document, item.number, attributes)
        segment = ids[item.batch, item.key]
        draft = document.segments.get(segment)
        if draft is None:
            draft = gathering.segment(document, segment, item.number, str(item.data["sourceText"]))
        _add(draft, item, batches)
        text = str(item.data["targetText"])
        batches.places[item.key].append(Place(item.batch, item.document, segment, text))
    batches.documents = tuple(gathering.documents())
    return batches


def _add(draft: Draft, item: _Item, batches: Batches) -> None:
    text = str(item.data["targetText"])
    system = system_name(str(item.data["targetID"]), str(item.data["documentID"]))
    match item.data["itemType"]:
        case "BAD":
            draft.meta.setdefault("bad", {})[system] = text
        case "REF":
            draft.references.setdefault(system, text)
        case _:
            if draft.outputs.setdefault(system, text) != text:
                draft.flags.append("output_differs")
                batches.notes.append(f"Item {item.number}: {system} has another text for this segment elsewhere.")
    if draft.source != item.data["sourceText"]:
        draft.flags.append("source_differs")


def _segment_ids(items: list[_Item], batches: Batches) -> dict[tuple[int, tuple[str, str]], str]:
    """The segment id of each item, by the best evidence the file has."""
    if all(item.global_number is not None or item.is_tutorial for item in items):
        return {(item.batch, item.key): item.global_number or item.key[1] for item in items}
    by_item: dict[tuple[str, str], set[str]] = defaultdict(set)
    by_text: dict[tuple[str, str], set[str]] = defaultdict(set)
    for item in items:
        if not item.is_tutorial:
            by_item[item.document, item.key[1]].add(item.data["sourceText"])
            by_text[item.document, item.data["sourceText"]].add(item.key[1])
    if all(len(texts) == 1 for texts in by_item.values()) and all(len(ids) == 1 for ids in by_text.values()):
        return {(item.batch, item.key): item.key[1] for item in items}
    batches.notes.append("Item ids differ between systems, so segments are counted by their source texts.")
    order: dict[str, dict[tuple[str, int], str]] = defaultdict(dict)
    times: dict[tuple[int, str, str], int] = defaultdict(int)
    ids: dict[tuple[int, tuple[str, str]], str] = {}
    for item in items:
        if item.is_tutorial:
            ids[item.batch, item.key] = item.key[1]
            continue
        key = (item.batch, str(item.data["documentID"]), item.data["sourceText"])
        times[key] += 1
        keys = order[item.document]
        ids[item.batch, item.key] = keys.setdefault((key[2], times[key]), str(len(keys) + 1))
    return ids


def write(
    path: Path,
    documents: Iterable[Document],
    judgements: Iterable[Judgement] = (),
    judges: Iterable[Judge] = (),
    *,
    size: int | str = 100,
) -> None:
    """Batches of whole documents by one system each, ready to be loaded into Appraise."""
    refuse_answers(path, "Batches hold no judgements.", judgements, judges)
    tasks: list[dict[str, Any]] = []
    for document in documents:
        for system in document.systems:
            items = [_item(document, segment, system) for segment in document if system in segment.outputs]
            if (
                not tasks
                or len(tasks[-1]["items"]) + len(items) > int(size)
                or tasks[-1]["task"] != _task(document, tasks)
            ):
                tasks.append({"task": _task(document, tasks) | {"batchNo": len(tasks) + 1}, "items": []})
            tasks[-1]["items"] += items
    for task in tasks:
        for number, item in enumerate(task["items"], 1):
            item["itemID"] = number
    with text_file(path) as out:
        json.dump(tasks, out, ensure_ascii=False, indent=1)


def _task(document: Document, tasks: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "batchNo": len(tasks),
        "randomSeed": 0,
        "requiredAnnotations": 1,
        "sourceLanguage": languages.three_letter(document.source_language),
        "targetLanguage": languages.three_letter(document.target_language),
    }


def _item(document: Document, segment: Any, system: str) -> dict[str, Any]:
    return {
        "documentID": f"{document.id}#{system}",
        "sourceID": "lanner",
        "targetID": f"lanner.{system}",
        "itemType": "TGT",
        "sourceText": segment.source,
        "targetText": segment.outputs[system],
        "_item": f"{system} | {segment.id} | {document.id}",
        "itemID": 0,
        "isCompleteDocument": False,
        "mqm": [],
        **{f"_{name}": value for name in _ABOUT_DOCUMENT if (value := getattr(document, name))},
    }


FORMAT = Format(
    name="appraise_batches",
    title="Appraise batches (JSON)",
    description=__doc__ or "",
    recognise=recognise,
    markers=("documentID",),
    read=read,
    read_documents=read_documents,
    write=write,
    options={"size": "items in a batch at most (writing; 100)"},
    signs={"json list": ("task", "items", "documentID", "targetText")},
)
