"""The layout in which the FALCON and H-FALCON judgements were released: a folder with `data`, `human` and `model`.

`data/NAME.csv` holds sentences, `human/NAME/JUDGE.csv` what people said about them, `model/MODEL.jsonl` what models
said about the first of them. Files with `context` and `skill` are FALCON, files with `sent_score` H-FALCON. Labels stay
as spelled. The seconds of a row stand on each of its judgements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lanner.formats import Format, Reading
from lanner.formats.parsing import textfile
from lanner.formats.parsing.readings import SegmentsByDocument
from lanner.formats.parsing.values import counted, is_missing, literal_list, number, problems
from lanner.model import Document, Judge, JudgeKind, Judgement, Segment
from lanner.model import languages as language_codes

_DATA_HEADER = {"idx", "domain", "doc", "source", "reference", "target"}
_NOT_SKILLS = {"idx", "domain", "sent_score", "tot_score", "time", "comment"}
_SENTENCES = {
    "text_mismatch": "{n} judgements hold a span whose text is not what stands at its offsets.",
    "bad_offsets": "{n} judgements hold a span with impossible offsets.",
    "missing": "{n} scores are missing.",
    "no_domain": "{n} rows of judges name no domain.",
}
_HANGUL = ("\uac00", "\ud7a3")


def recognise(path: Path) -> bool:
    """A folder with `data/*.csv` of the known header."""
    return path.is_dir() and any(_is_sentences(file) for file in (path / "data").glob("*.csv"))


def _is_sentences(file: Path) -> bool:
    return _DATA_HEADER.issubset(_header(file))


def _header(file: Path) -> list[str]:
    return next(textfile.rows(file), (1, []))[1]


def read(path: Path, *, languages: str = "", system: str = "target") -> list[Reading]:
    """A reading for each file of sentences, with the judgements about it."""
    parts = sorted(file for file in (path / "data").glob("*.csv") if _is_sentences(file))
    if not parts:
        textfile.failed(path, "There is no data/*.csv with sentences.", next_step="Give the folder that holds 'data'.")
    readings = []
    for part in parts:
        documents = tuple(_documents(part, languages, system))
        answers = _Answers(path, part, documents, system)
        for file in sorted((path / "human" / part.stem).glob("*.csv")):
            answers.people(file)
        models = sorted((path / "model" / part.stem).glob("*.jsonl"))
        if part == parts[0]:
            models += sorted((path / "model").glob("*.jsonl"))
        for file in models:
            answers.model(file)
        readings.append(answers.reading())
    return readings


def read_documents(path: Path, *, languages: str = "", system: str = "target") -> Iterator[Document]:
    """The documents of all parts."""
    for reading in read(path, languages=languages, system=system):
        yield from reading.documents


def _documents(file: Path, languages: str, system: str) -> Iterator[Document]:
    gathering = SegmentsByDocument(file, file.stem, has_documents=True, has_segments=True)
    for line, row in textfile.records(file):
        pair = language_codes.pair(languages) if languages else _guess_languages(row["target"])

        def attributes(row: dict[str, str] = row, pair: tuple[str, str] = pair) -> dict[str, Any]:
            return {"domain": row["domain"], "source_language": pair[0], "target_language": pair[1]}

        document = gathering.document(row["doc"], line, attributes)
        draft = gathering.segment(document, row["idx"], line, row["source"])
        draft.references["reference"] = row["reference"]
        draft.outputs[system] = row["target"]
        draft.meta |= {key: value for key, value in row.items() if key not in _DATA_HEADER}
    return gathering.documents()


def _guess_languages(target: str) -> tuple[str, str]:
    korean = any(_HANGUL[0] <= char <= _HANGUL[1] for char in target)
    return ("en", "ko") if korean else (language_codes.UNDETERMINED,) * 2


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of one judge, with where it stands."""

    file: Path
    line: int
    judge: str
    cells: Mapping[str, Any]


@dataclass(slots=True)
class _Answers:
    """The judgements about one file of sentences, as they are collected."""

    root: Path
    part: Path
    documents: tuple[Document, ...]
    system: str
    places: dict[str, tuple[Document, Segment]] = field(init=False)
    judges: list[Judge] = field(default_factory=list)
    judgements: list[Judgement] = field(default_factory=list)
    protocols: set[str] = field(default_factory=set)
    flags: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.places = {segment.id: (document, segment) for document in self.documents for segment in document}

    def people(self, file: Path) -> None:
        header = set(_header(file))
        if {"idx", "context", "skill"} <= header:
            self._judge(file, JudgeKind.PERSON, "falcon_labels", self._falcon, textfile.records(file))
        elif {"idx", "sent_score", "tot_score"} <= header:
            self._judge(file, JudgeKind.PERSON, "h_falcon", self._h_falcon, textfile.records(file))
        else:
            textfile.failed(file, "Neither FALCON's columns (idx, context, skill) nor H-FALCON's are here.", 1)

    def model(self, file: Path) -> None:
        self._judge(file, JudgeKind.MODEL, "falcon_labels", self._falcon, textfile.json_lines(file))

    def _judge(self, file: Path, kind: JudgeKind, protocol: str, answers: Any, rows: Iterator[tuple[int, Any]]) -> None:
        judge = Judge(file.stem, kind)
        self.judges.append(judge)
        self.protocols.add(protocol)
        counts: dict[str, int] = {}
        for line, row in rows:
            if not isinstance(row, dict) or "idx" not in row:
                textfile.failed(file, "This row has no idx.", line)
            index = str(row["idx"])
            if index not in self.places:
                what = f"The sentence {index!r} is not in {self.part.name}."
                textfile.failed(file, what, line, "Each judgement's idx must be one of the sentences.")
            if index in counts:
                textfile.failed(file, f"The sentence {index!r} is already on line {counts[index]}.", line)
            counts[index] = line
            answers(_Row(file, line, judge.id, row))
        if len(counts) < len(self.places):
            self.notes.append(f"{judge.id} answered {len(counts)} of {len(self.places)} sentences.")

    def _falcon(self, at: _Row) -> None:
        row = at.cells
        context = row.get("context")
        skills = row.get("skill")
        labels = None if is_missing(skills) else literal_list(skills) if isinstance(skills, str) else skills
        if not is_missing(skills) and not isinstance(labels, list):
            textfile.failed(at.file, f"The skills {skills!r} are not a list.", at.line)
        flags = ("no_domain",) if "domain" in row and is_missing(row["domain"]) else ()
        self._add(at, "context", "context", None if is_missing(context) else str(context), flags)
        if "span" in row:
            spans, wrong = self._spans(at)
            self._add(at, "context", "spans", spans, wrong)
        self._add(at, "skills", "skills", labels and [str(skill) for skill in labels])

    def _spans(self, at: _Row) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
        row, cell = at.cells, at.cells["span"]
        value = textfile.parse_json(cell, at.file, at.line) if isinstance(cell, str) and cell.strip() else cell or []
        if not isinstance(value, list) or not all(isinstance(span, dict) for span in value):
            textfile.failed(at.file, "The spans are not a list of objects.", at.line)
        source = self.places[str(row["idx"])][1].source
        spans: list[dict[str, Any]] = []
        flags: list[str] = []
        for span in value:
            start, end, text = span.get("start"), span.get("end"), span.get("text")
            flags += problems(source, start, end, text)
            labels = span.get("labels") or [None]
            category = labels[0] if isinstance(labels, list) else labels
            spans.append({"side": "source", "start": start, "end": end, "text": text, "category": category})
        return spans, tuple(dict.fromkeys(flags))

    def _h_falcon(self, at: _Row) -> None:
        row = at.cells
        grid = {name: value for name, value in row.items() if name not in _NOT_SKILLS}
        systems = (self.system,)
        self._add(at, "rating", "skills", grid, systems=systems)
        for question, column in (("sentence", "sent_score"), ("holistic", "tot_score")):
            cell = row[column]
            score = None if is_missing(cell) else number(cell)
            if score is None and not is_missing(cell):
                textfile.failed(at.file, f"The score {cell!r} in {column!r} is not a number.", at.line)
            self._add(at, "rating", question, score, systems=systems)
        if row.get("comment"):
            self._add(at, "rating", "comment", row["comment"], systems=systems)

    def _add(
        self,
        at: _Row,
        stage: str,
        question: str,
        value: Any,
        flags: tuple[str, ...] = (),
        *,
        systems: tuple[str, ...] = (),
    ) -> None:
        document, segment = self.places[str(at.cells["idx"])]
        if value is None:
            flags = (*flags, "missing")
        self.flags.update(flags)
        seconds = number(at.cells.get("time"))
        self.judgements.append(
            Judgement(
                judge=at.judge,
                stage=stage,
                question=question,
                document=document.id,
                segment=segment.id,
                systems=systems,
                value=value,
                flags=flags,
                elapsed_seconds=None if seconds is None else float(seconds),
                origin=f"{at.file.relative_to(self.root).as_posix()}:{at.line}",
            )
        )

    def reading(self) -> Reading:
        if len(self.protocols) > 1:
            textfile.failed(self.part, "People answered different protocols about these sentences.")
        protocol = next(iter(self.protocols), "")
        notes = (*self.notes, *counted(self.flags, _SENTENCES))
        return Reading(self.part.stem, self.documents, tuple(self.judges), tuple(self.judgements), protocol, notes)


FORMAT = Format(
    name="h_falcon",
    title="H-FALCON's release: a folder with data, human and model",
    description=__doc__ or "",
    recognise=recognise,
    read=read,
    read_documents=read_documents,
    options={
        "languages": "the language pair (en-ko where the translations are Korean)",
        "system": "name of the system",
    },
    signs={"folder": ("data", "human", "model")},
    folder=True,
)
