"""Files of Appraise: batches (JSON), score exports (CSV), and the folder of a campaign with both."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

from lanner.errors import InputError, Where
from lanner.formats.parsing import textfile
from lanner.formats.parsing.readings import Draft, Format, Reading, SegmentsByDocument
from lanner.formats.parsing.textfile import bare, guarded, refuse_answers, some_judgements, text_file
from lanner.formats.parsing.values import counted, file_languages, from_utf16, is_missing, number, problems, to_utf16
from lanner.model import Document, Judge, Judgement, Role, Segment, languages

# Batches

_ABOUT_DOCUMENT = ("title", "domain", "text_type")
"""What we write of a document with each item, with a _ before it as before `_item`; Appraise leaves it alone."""
_FIELDS = ("documentID", "itemID", "itemType", "sourceText", "targetText", "targetID")


def recognise_batches(path: Path) -> bool:
    """A list of objects with `task` and `items`."""
    head = textfile.head(path).lstrip()
    return head.startswith("[") and '"documentID"' in head and '"targetText"' in head


def _read_texts(path: Path) -> list[Reading]:
    """The documents of all batches, one reading for each language pair."""
    return [
        Reading(f"{path.name.split('.')[0]}.{pair}", batches.documents, notes=tuple(batches.notes))
        for pair, batches in read_batches(path).items()
    ]


def read_batch_documents(path: Path) -> Iterator[Document]:
    """The documents of all batches."""
    for reading in _read_texts(path):
        yield from reading.documents


def system_name(target: str, document: str) -> str:
    """The system's name: `wmt23.refA` is refA where the item's document says so, as `doc#refA` does."""
    parts = document.split("#")[1:]
    return next((part for part in parts if target.endswith(f".{part}")), target)


@dataclass(frozen=True, slots=True)
class ItemPlace:
    """Where an item of a batch belongs, with the text that was shown."""

    batch: int
    document: str
    segment: str
    text: str


@dataclass(slots=True)
class BatchDocuments:
    """The batches of one language pair as documents, and the way from an item to its place in them."""

    documents: tuple[Document, ...] = ()
    places: dict[tuple[str, str], list[ItemPlace]] = field(default_factory=lambda: defaultdict(list))
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


def read_batches(path: Path) -> dict[str, BatchDocuments]:
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


def _read_items(path: Path, pair: str, items: list[_Item]) -> BatchDocuments:
    batches = BatchDocuments()
    ids = _segment_ids(items, batches)
    source, _, target = pair.partition("-")
    gathering = SegmentsByDocument(path, path.stem, has_documents=True, has_segments=True)
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
        batches.places[item.key].append(ItemPlace(item.batch, item.document, segment, text))
    batches.documents = tuple(gathering.documents())
    return batches


def _add(draft: Draft, item: _Item, batches: BatchDocuments) -> None:
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


def _segment_ids(items: list[_Item], batches: BatchDocuments) -> dict[tuple[int, tuple[str, str]], str]:
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


def _write_batches(
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
        for place, item in enumerate(task["items"], 1):
            item["itemID"] = place
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


BATCHES = Format(
    name="appraise_batches",
    title="Appraise batches (JSON)",
    description="""Appraise's batches: a JSON list of tasks, each with the items of documents by one system each.

A document's id is what stands before the first `#` of `documentID`; what follows names the system and tells why the
item is there. Segment ids come from `_item` (SYSTEM | NUMBER | DOCUMENT) where there is one, else from `itemID` where
that is the same for all systems, else they count the source texts. Degraded texts (type BAD) are kept in the segments'
`meta`, references (REF) as references.
""",
    recognise=recognise_batches,
    markers=("documentID",),
    read=_read_texts,
    read_documents=read_batch_documents,
    write=_write_batches,
    options={"size": "items in a batch at most (writing; 100)"},
    signs={"json list": ("task", "items", "documentID", "targetText")},
)


# Scores

_ITEM_TYPES = {Role.CONTROL: "BAD", Role.REPEAT: "CHK"}
_MARKS = ("dup", "incomplete")
_MISSING = "None"


@dataclass(slots=True)
class _Answer:
    """What a judge said about one output: a score, spans, or both."""

    score: Judgement | None = None
    errors: Judgement | None = None

    @property
    def any(self) -> Judgement:
        found = self.errors or self.score
        assert found is not None
        return found


@dataclass(slots=True)
class _Texts:
    """The documents that answers are about, and the numbers of their items where batches give them."""

    documents: Mapping[str, Document]
    items: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def of(cls, documents: Iterable[Document], batches: str | Path) -> _Texts:
        places = [batch.places for batch in read_batches(Path(batches)).values()] if batches else []
        items = {
            ("#".join(key[0].split("#")[:2]), place.segment): key[1]
            for each in places
            for key, item_places in each.items()
            for place in item_places
        }
        return cls({document.id: document for document in documents}, items)

    def output(self, judgement: Judgement) -> str | None:
        document = self.documents.get(judgement.document)
        texts = (segment.outputs for segment in document or () if segment.id == judgement.segment)
        return next(texts, {}).get(judgement.systems[0])


def _write_scores(
    path: Path,
    documents: Iterable[Document],
    judgements: Iterable[Judgement] = (),
    judges: Iterable[Judge] = (),
    *,
    batches: str | Path = "",
    protocol: str = "",
    ends: str = "inclusive",
) -> None:
    """Scores (question `score`) and spans (question `errors`), each about one output. With `batches`, items have the
    numbers they have there; without, the ids of their segments."""
    del judges, protocol  # the rows name the judges, and the spans tell the protocol
    judgements = some_judgements(path, judgements)
    with text_file(path) as out:
        writer = csv.writer(out, lineterminator="\n")
        for row in score_rows(documents, judgements, batches=batches, ends=ends, path=path):
            writer.writerow(map(guarded, row))


def score_rows(
    documents: Iterable[Document],
    judgements: Iterable[Judgement],
    *,
    batches: str | Path = "",
    ends: str = "inclusive",
    path: Path | None = None,
) -> Iterator[list[str]]:
    """The cells of each row."""
    texts = _Texts.of(documents, batches)
    answers: dict[tuple[object, ...], _Answer] = {}
    times: Counter[tuple[object, ...]] = Counter()
    for judgement in judgements:
        _check(judgement, path)
        unit = (
            judgement.judge,
            judgement.document,
            judgement.segment,
            judgement.systems,
            judgement.role,
            judgement.answered_at,
        )
        times[judgement.question, *unit] += 1  # a judge who answered again has another row
        answer = answers.setdefault((times[judgement.question, *unit], *unit), _Answer())
        setattr(answer, judgement.question, judgement)
    has_spans = any(answer.errors for answer in answers.values())
    for answer in answers.values():
        yield _row(answer, texts, has_spans=has_spans, inclusive=ends == "inclusive")


def _check(judgement: Judgement, path: Path | None) -> None:
    if judgement.question not in ("score", "errors"):
        _refuse(judgement, path, f"answers {judgement.question!r}; Appraise has a score and spans (errors)")
    if len(judgement.systems) != 1:
        _refuse(judgement, path, "is about several outputs; Appraise has one on each row")
    if "#" in judgement.document:
        _refuse(judgement, path, "has a # in its id, which Appraise takes for the end of it")
    if judgement.question == "errors" and not (
        isinstance(judgement.value, list) and all(isinstance(span, dict) for span in judgement.value)
    ):
        _refuse(judgement, path, "has errors that are no list of spans")
    score = judgement.value if judgement.question == "score" else None
    if score is not None and (isinstance(score, bool) or not isinstance(score, int | float)):
        _refuse(judgement, path, f"has the score {score!r}, which is no number")


def _refuse(judgement: Judgement, path: Path | None, why: str) -> NoReturn:
    item = f"{judgement.document} {judgement.segment}".strip()
    raise InputError(
        f"This judgement {why}.", where=Where(path, item=item), next_step="Write it as native, which holds everything."
    )


def _row(answer: _Answer, texts: _Texts, *, has_spans: bool, inclusive: bool) -> list[str]:
    value = answer.any
    system = value.systems[0]
    document = texts.documents.get(value.document)
    codes = (document.source_language, document.target_language) if document else ("und", "und")
    name = f"{value.document}#{system}"
    marks = [*(mark for mark in _MARKS if mark in value.flags), *["tutorial"] * (value.role is Role.TUTORIAL)]
    cells = [
        value.judge,
        system,
        texts.items.get((name, value.segment), value.segment),
        _ITEM_TYPES.get(value.role, "TGT"),
        *map(languages.three_letter, codes),
        _score(answer),
        "#".join([name, *marks]),
        str(not value.segment),
    ]
    if has_spans:
        spans = answer.errors.value if answer.errors else []
        entries = [_span(span, texts.output(value), inclusive) for span in spans]
        if "undecided" in value.flags:
            entries = [{**span, "severity": span["severity"] or "undecided"} for span in entries]
        cells.append(json.dumps(entries, ensure_ascii=False))
    end = value.answered_at.timestamp() if value.answered_at else 0.0
    start = end - (value.elapsed_seconds or 0.0) if end else 0.0
    return [*cells, f"{start:.3f}", f"{end:.3f}"]


def _score(answer: _Answer) -> str:
    if answer.score is None:
        return "0"  # as Appraise does where its judges mark errors and give no score
    value = answer.score.value
    return _MISSING if value is None else str(int(value)) if float(value).is_integer() else repr(float(value))


def _span(span: Mapping[str, Any], text: str | None, inclusive: bool) -> dict[str, Any]:
    start, end = span.get("start"), span.get("end")
    entry: dict[str, Any]
    given = span.get("origin") in ("kept", "given")
    if not isinstance(start, int) or not isinstance(end, int) or span.get("side", "target") != "target":
        entry = {"start_i": "missing", "end_i": "missing"}  # Appraise marks what is left out beside the text
    else:
        if text is not None:
            start, end = to_utf16(text, start), to_utf16(text, end)
        entry = {"start_i": start, "end_i": end - 1 if inclusive and not given else end}
    entry["severity"] = span.get("severity")
    if not given:
        category = span.get("category")
        entry["error_type"] = _parts(str(category)) if category else None
    return entry


def _parts(category: str) -> Sequence[str]:
    return category.split("/")


_TYPES = {"TGT": Role.MAIN, "BAD": Role.CONTROL, "REF": Role.CONTROL, "CHK": Role.REPEAT}
_STAGES = {"mqm": "marking", "mqm_core": "marking"}
_SHORT_SCALE = 10
"""Scores that all stay below this are no direct assessment, which goes to 100."""
_SENTENCES = {
    "missing": "{n} scores are missing.",
    "bad_offsets": "{n} judgements hold a span with impossible offsets.",
    "undecided": "{n} judgements hold a span whose severity was left undecided.",
    "dup": "{n} judgements are about documents shown again (dup).",
    "unreadable_time": "{n} judgements have a time that cannot be read; it is left out.",
    "incomplete": "{n} judgements are about incomplete documents.",
    "unknown_item": "{n} judgements are about items that the batches do not have.",
    "ambiguous_item": "{n} judgements are about items that several batches have.",
}


def recognise_scores(path: Path) -> bool:
    """The first rows have the item types and languages where they belong."""
    if not path.is_file() or not textfile.head(path, 4096).strip():
        return False
    return _Shape.of(textfile.head(path, 4096).partition("\n")[0].split(",")) is not None


@dataclass(frozen=True, slots=True)
class _Shape:
    """Which column holds what, told by a row's length."""

    document: int | None = None
    spans: int | None = None
    times: int | None = None
    batch: int | None = None

    @staticmethod
    def of(row: Sequence[str]) -> _Shape | None:
        if len(row) < 7 or row[3] not in _TYPES or not (2 <= len(row[4]) <= 3) or not (2 <= len(row[5]) <= 3):
            return None
        if number(row[6]) is None and not is_missing(row[6]):
            return None
        if len(row) == 7:
            return _Shape()
        if len(row) > 8 and row[8] in ("True", "False"):
            if len(row) >= 12 and number(row[9]) is None:
                return _Shape(7, 9, 10, 12 if len(row) > 12 else None)
            return _Shape(7, None, 9 if len(row) > 9 else None, 11 if len(row) > 11 else None)
        return _Shape(None, None, 7 if len(row) > 8 else None, 9 if len(row) > 9 else None)


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    cells: Sequence[str]
    shape: _Shape
    spans: list[dict[str, Any]]

    @property
    def judge(self) -> str:
        return self.cells[0]

    @property
    def pair(self) -> str:
        return f"{languages.normal(self.cells[4])}-{languages.normal(self.cells[5])}"

    @property
    def document(self) -> str:
        return self.cells[self.shape.document] if self.shape.document is not None else ""

    @property
    def is_tutorial(self) -> bool:
        return "tutorial" in self.cells[1] or "tutorial" in self.document


def _read_scores(path: Path, *, batches: str | Path = "", protocol: str = "", ends: str = "inclusive") -> list[Reading]:
    """A reading for each language pair of the file."""
    batches_by_pair = read_batches(Path(batches)) if batches else {}
    return read_export(path, batches_by_pair, protocol=protocol, ends=ends)


def language_pairs(path: Path) -> list[str]:
    """The pairs that a file has scores for."""
    return list(dict.fromkeys(row.pair for row in _rows(path)))


def read_export(
    path: Path,
    batches_by_pair: Mapping[str, BatchDocuments],
    *,
    protocol: str = "",
    ends: str = "inclusive",
    root: Path | None = None,
) -> list[Reading]:
    """The same with batches that were read before."""
    if ends not in ("inclusive", "exclusive"):
        textfile.failed(path, f"Spans end inclusive or exclusive, not {ends!r}.")
    by_pair: dict[str, list[_Row]] = defaultdict(list)
    for row in _rows(path):
        by_pair[row.pair].append(row)
    name = path.relative_to(root or path.parent).as_posix()
    readings = []
    for pair, rows in by_pair.items():
        batches = batches_by_pair.get(pair, BatchDocuments())
        export = _Export(name, rows, batches, protocol or _protocol(rows), inclusive=ends == "inclusive")
        stem = path.name.removesuffix(".gz").removesuffix(".csv").removesuffix(".scores")
        readings.append(export.reading(stem if len(by_pair) == 1 else f"{stem}.{pair}"))
    return readings


def _rows(path: Path) -> list[_Row]:
    rows = []
    shape: _Shape | None = None
    width = 0
    for line, values in textfile.rows(path):
        cells = [bare(cell) for cell in values]
        if shape is None or len(cells) != width:
            shape, width = _Shape.of(cells), len(cells)
        if shape is None or cells[3] not in _TYPES:
            textfile.failed(path, "This row is not one of Appraise's scores.", line)
        cell = cells[shape.spans] if shape.spans is not None else ""
        spans = [] if is_missing(cell) else textfile.parse_json(cell, path, line)
        if not isinstance(spans, list) or not all(isinstance(span, dict) for span in spans):
            textfile.failed(path, "The spans are not a list of objects.", line)
        if number(cells[6]) is None and not is_missing(cells[6]):
            textfile.failed(path, f"{cells[6]!r} is not a score.", line)
        rows.append(_Row(line, cells, shape, spans))
    return rows


def _protocol(rows: Sequence[_Row]) -> str:
    spans = [span for row in rows if not row.is_tutorial for span in row.spans]
    if any(span.get("error_type") for span in spans):
        return "mqm_core"  # the typology that Appraise has
    if any("error_type" not in span for span in spans):
        return "esa_preannotated"
    if any(row.shape.spans is not None for row in rows):
        return "esa"
    scores = [score for row in rows if not row.is_tutorial and (score := number(row.cells[6])) is not None]
    return "da" if max(scores, default=100) > _SHORT_SCALE else ""  # which the answers tell, as those of SQM


@dataclass(slots=True)
class _Export:
    """The rows of one language pair on their way to judgements."""

    file: str
    rows: Sequence[_Row]
    batches: BatchDocuments
    protocol: str
    inclusive: bool
    flags: Counter[str] = field(default_factory=Counter)

    def reading(self, name: str) -> Reading:
        favourites = self._favourites()
        judgements = [j for row in self.rows for j in self._judgements(row, self._place(row, favourites))]
        notes = counted(self.flags, _SENTENCES)
        if any(row.shape.spans is not None for row in self.rows):
            how = "inclusive" if self.inclusive else "exclusive"
            notes.append(f"Ends of the judges' spans are read as {how} (ends=inclusive or exclusive).")
            if not self.batches.places:
                notes.append("Without the batches, spans have no text and offsets after characters like 😀 may be off.")
        if not self.batches.places:
            notes.append("The file has no translations: give the documents, or batches=FILE.")
        judges = tuple(Judge(judge) for judge in dict.fromkeys(row.judge for row in self.rows))
        documents = self._documents(judgements)
        questions = {} if self.protocol else {judgement.question: judgement.question for judgement in judgements}
        return Reading(name, documents, judges, tuple(judgements), self.protocol, tuple(notes), questions)

    def _documents(self, judgements: Sequence[Judgement]) -> tuple[Document, ...]:
        """The documents known. Items that none of them has (tutorials) are added without text, so that all or none
        of the judgements have their place."""
        segment_keys = {(document.id, segment.id) for document in self.batches.documents for segment in document}
        lacking: dict[str, list[str]] = {}
        for place in dict.fromkeys((judgement.document, judgement.segment) for judgement in judgements):
            if segment_keys and place not in segment_keys:
                lacking.setdefault(place[0], []).append(place[1])
        if not lacking:
            return self.batches.documents
        by_id = {document.id: document for document in self.batches.documents}
        first = self.batches.documents[0]
        for name, segments in lacking.items():
            document = by_id.get(name) or Document(name, (), first.source_language, first.target_language)
            bare = tuple(Segment(segment, "", judged=False, flags=("no_text",)) for segment in segments)
            by_id[name] = replace(document, segments=(*document.segments, *bare))
        return tuple(by_id.values())

    def _favourites(self) -> dict[str, Counter[int]]:
        """How many of a judge's items each batch has: most judges do one batch."""
        votes: dict[str, Counter[int]] = defaultdict(Counter)
        for row in self.rows:
            for place in self.batches.places.get((row.document, row.cells[2]), ()):
                votes[row.judge][place.batch] += 1
        return votes

    def _place(self, row: _Row, favourites: Mapping[str, Counter[int]]) -> tuple[ItemPlace, tuple[str, ...]]:
        bare = ItemPlace(0, row.document.split("#")[0] or "items", row.cells[2], "")
        if not self.batches.places:
            return bare, ()
        places, plain = self.batches.places, "#".join(row.document.split("#")[:2])
        candidates = places.get((row.document, row.cells[2])) or places.get((plain, row.cells[2]), [])
        if row.shape.batch is not None:
            batch = number(row.cells[row.shape.batch])
            candidates = [place for place in candidates if place.batch == batch] or candidates
        if not candidates:
            return bare, ("unknown_item",)
        if len({(place.segment, place.text) for place in candidates}) > 1:
            votes = favourites[row.judge]
            candidates = sorted(candidates, key=lambda place: -votes[place.batch])
            if votes[candidates[0].batch] == votes[candidates[1].batch]:
                return candidates[0], ("ambiguous_item",)
        return candidates[0], ()

    def _judgements(self, row: _Row, place_and_systems: tuple[ItemPlace, tuple[str, ...]]) -> list[Judgement]:
        place, flags = place_and_systems
        marks = row.document.split("#")[1:]
        is_repeat = any(mark.startswith("dup") for mark in marks)
        flags += ("dup",) * is_repeat + ("incomplete",) * ("incomplete" in marks)
        role = Role.TUTORIAL if row.is_tutorial else _TYPES[row.cells[3]]
        if role is Role.MAIN and is_repeat:
            role = Role.REPEAT
        start, end, readable = self._times(row)
        flags += ("unreadable_time",) * (not readable)
        common: dict[str, Any] = {
            "judge": row.judge,
            "stage": _STAGES.get(self.protocol, "rating"),
            "document": place.document,
            "segment": place.segment,
            "systems": (system_name(row.cells[1], row.document),),
            "role": role,
            "elapsed_seconds": round(end - start, 3) if start is not None and end is not None else None,
            "answered_at": datetime.fromtimestamp(end, UTC) if end is not None else None,
            "origin": f"{self.file}:{row.line}",
        }
        judgements = []
        if row.shape.spans is not None and self.protocol != "da":
            spans, wrong = self._spans(row, place.text if self.batches.places else None)
            judgements.append(Judgement(question="errors", value=spans, flags=(*flags, *wrong), **common))
        score = number(row.cells[6])
        score = None if score == -1 else score
        if self.protocol not in _STAGES:
            absent = ("missing",) if score is None else ()
            judgements.append(Judgement(question="score", value=score, flags=(*flags, *absent), **common))
        for judgement in judgements:
            self.flags.update(judgement.flags)
        return judgements

    @staticmethod
    def _times(row: _Row) -> tuple[float | None, float | None, bool]:
        """When the answer was begun and ended, and whether both can be read; an empty cell and a 0 are no times."""
        if row.shape.times is None or len(row.cells) < row.shape.times + 2:
            return None, None, True
        cells = row.cells[row.shape.times : row.shape.times + 2]
        numbers = [number(cell) for cell in cells]
        start, end = (None if value is None or not 0 < value < 1e11 else float(value) for value in numbers)
        absent = [not cell.strip() or value == 0 for cell, value in zip(cells, numbers, strict=True)]
        return start, end, (start is not None or absent[0]) and (end is not None or absent[1])

    def _spans(self, row: _Row, text: str | None) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
        spans: list[dict[str, Any]] = []
        flags: list[str] = []
        for span in row.spans:
            own = "error_type" in span
            entry: dict[str, Any] = {"side": "target"}
            if span.get("start_i") == "missing":
                entry["missing"] = True
            else:
                start, end = span.get("start_i"), span.get("end_i")
                if own and self.inclusive and isinstance(end, int):
                    end += 1
                if text is not None and isinstance(start, int) and isinstance(end, int):
                    start, end = from_utf16(text, start), from_utf16(text, end)
                wrong = problems(text, start, end, None)
                flags += wrong
                words = text[start:end] if text is not None and not wrong else None
                entry |= {"start": start, "end": end, "text": words}
            kinds = span.get("error_type")
            if kinds:
                entry["category"] = "/".join(map(str, kinds)) if isinstance(kinds, list) else str(kinds)
            entry["severity"] = span.get("severity")
            if entry["severity"] == "undecided":  # a click away from being removed: not one of the judge's answers
                entry["severity"] = None
                flags.append("undecided")
            if self.protocol == "esa_preannotated":
                entry["origin"] = "added" if own else "kept"
            spans.append(entry)
        return spans, tuple(dict.fromkeys(flags))


SCORES = Format(
    name="appraise_scores",
    title="Appraise scores (CSV without header): DA, ESA, MQM",
    description="""Appraise's score export: CSV without a header, one row an item scored by a judge.

Columns: judge, system, item, type, source language, target language, score, then document and whether it is complete,
error spans, start and end time, and batch numbers, as far as the campaign has them. What a document's id says after
`#` becomes the role or a flag: bad (control), dup, incomplete. Spans count UTF-16 units and end inclusively where the
judge made them; with the batches at hand they are turned into code points and carry their text.
""",
    recognise=recognise_scores,
    markers=tuple(f",{name}," for name in _TYPES),
    read=_read_scores,
    write=_write_scores,
    options={
        "batches": "the batches (JSON) of the campaign, for texts and segment ids (writing: for the numbers of items)",
        "protocol": "da, esa, esa_preannotated or mqm_core, if it cannot be told from the spans",
        "ends": "inclusive or exclusive: how the judges' spans end (inclusive)",
    },
)


# The folder of a campaign


def recognise_folder(path: Path) -> bool:
    """A folder that holds at least one score export, beside batches or not."""
    return path.is_dir() and any(recognise_scores(file) for file in path.glob("*.csv*"))


def _read_folder(path: Path, *, protocol: str = "", ends: str = "inclusive") -> list[Reading]:
    """A reading for each score export and language pair."""
    batches: dict[str, BatchDocuments] = {}
    unread: list[Path] = []
    exports: list[Path] = []
    for file in sorted(file for file in path.iterdir() if file.is_file()):
        if recognise_batches(file):
            for pair, content in read_batches(file).items():
                if pair in batches:
                    raise InputError(
                        f"Two files have batches for {pair}.", next_step="Read one export at a time with batches=FILE."
                    )
                batches[pair] = content
        elif recognise_scores(file):
            exports.append(file)
        else:
            unread.append(file)
    readings = [
        reading for file in exports for reading in read_export(file, batches, protocol=protocol, ends=ends, root=path)
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


def _read_folder_documents(path: Path, *, protocol: str = "", ends: str = "") -> Iterator[Document]:
    """The documents of the batches."""
    del protocol, ends  # options of scores
    for file in sorted(path.glob("*.json*")):
        if recognise_batches(file):
            yield from read_batch_documents(file)


FORMAT = Format(
    name="appraise",
    title="a folder with Appraise batches and scores",
    description="""A folder of an Appraise campaign: batches (JSON) and score exports (CSV) of one or several protocols.

Each export becomes a reading with the documents of the batches, so that spans carry their text and segments their ids.
Other files are named in a note and left alone.
""",
    recognise=recognise_folder,
    read=_read_folder,
    read_documents=_read_folder_documents,
    options={key: SCORES.options[key] for key in ("protocol", "ends")},
    signs={"folder": ("*.csv", "*.json")},
    folder=True,
)
