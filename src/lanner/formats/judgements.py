"""The table of judgements that `lanner export` writes: CSV, JSON lines or Parquet, an answer on each row.

The columns are those of the codebook beside it. Rows of a grid, and of questions repeated for each label, are put
together again; what the protocol computes from answers (stage `score`) is left out, since it is computed anew. The
protocol is the one that the codebook names. Texts are not in it: segments come back by their ids alone.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lanner.errors import InputError
from lanner.formats.parsing import textfile
from lanner.formats.parsing.readings import (
    PAIR,
    Format,
    Reading,
    SameNameError,
    name_in_pair,
    note_on_pairs,
    read_apart,
)
from lanner.formats.parsing.tables import TableRows, open_rows, table_kind
from lanner.formats.parsing.values import number
from lanner.model import Document, Judge, JudgeKind, Judgement, Role, Segment, languages

COLUMNS = ("judge", "judge_kind", "stage", "question", "row", "document", "segment", "system", "role")
_VALUES = ("label", "score", "labels", "spans", "text", "ranks")
_CODEBOOK = "kind,id,"
_DERIVED = "score"
"""The stage of what a protocol computes from answers."""
_KNOWN = {
    *COLUMNS,
    *_VALUES,
    "domain",
    "source_language",
    "target_language",
    "elapsed",
    "active",
    "answered_at",
    "flags",
}


def recognise(path: Path) -> bool:
    """A table with the columns of an export."""
    if table_kind(path) not in ("csv", "jsonl", "parquet"):
        return False
    try:
        header = open_rows(path).header
    except InputError:
        return False
    return {*COLUMNS, *_VALUES} <= set(header)


def read(path: Path, *, protocol: str = "") -> list[Reading]:
    """The judgements, with documents by their ids."""
    return read_apart(lambda named_by: [_read(path, protocol, by_pair=PAIR in named_by)])


def _read(path: Path, protocol: str, *, by_pair: bool) -> Reading:
    rows = open_rows(path)
    table = _ExportRows(path, rows, by_pair=by_pair)
    for line, values, _ in rows.rows:
        table.add(line, dict(zip(rows.header, values, strict=False)))
    name = path.name.split(".")[0]
    notes = (
        [f"{table.derived_rows} rows are computed from answers and are computed anew."] if table.derived_rows else []
    )
    if table.counts_lost:
        notes.append(
            f"{table.counts_lost} answers gave one of several labels more than once. This table has only the sum, so "
            "each label counts once here; export it again with this version, which keeps the counts."
        )
    notes.append("An export holds no texts; segments are known by their ids.")
    judgements = tuple(table.judgements())
    documents = tuple(table.documents())
    if by_pair:
        notes.append(note_on_pairs(documents[0].id))
    named_protocol, left_out = _read_codebook(path)
    return Reading(
        name,
        documents,
        tuple(table.judges.values()),
        judgements,
        protocol or named_protocol,
        tuple(notes),
        {judgement.question: judgement.question for judgement in judgements},
        left_out={judge: reason for judge, reason in left_out.items() if judge in table.judges},
    )


def read_documents(path: Path, **options: Any) -> Iterator[Document]:
    """The documents by their ids, without texts."""
    for reading in read(path, **options):
        yield from reading.documents


def _read_codebook(path: Path) -> tuple[str, dict[str, str]]:
    """The protocol that the codebook beside an export names, and which judges count in no result and why."""
    stem = Path(path.stem).stem if path.suffix in (".gz", ".zst") else path.stem
    codebook = path.with_name(f"{stem}.codebook.csv")
    if not codebook.is_file():
        return "", {}
    with codebook.open(encoding="utf-8", newline="") as file:
        rows = [
            {key: textfile.bare(row.get(key) or "") for key in ("kind", "id", "meaning")}
            for row in csv.DictReader(file)
        ]
    protocol = next((row["id"].partition("@")[0] for row in rows if row["kind"] == "protocol"), "")
    return protocol, {row["id"]: row["meaning"] for row in rows if row["kind"] == "left_out"}


class _ExportRows:
    """The rows of an export on their way back to judgements."""

    def __init__(self, path: Path, rows: TableRows, *, by_pair: bool) -> None:
        self.path, self.by_pair = path, by_pair
        self.attributes = [name for name in rows.header if name.startswith("judge_") and name not in _KNOWN]
        self.judges: dict[str, Judge] = {}
        self.derived_rows = 0
        self.counts_lost = 0
        self._places: dict[str, dict[str, set[str]]] = {}
        self._about: dict[str, dict[str, str]] = {}
        self._answers: dict[tuple[Any, ...], tuple[Judgement, dict[str, Any]]] = {}
        self._turns: dict[tuple[Any, ...], int] = {}

    def add(self, line: int, row: Mapping[str, Any]) -> None:
        text = {name: "" if row.get(name) is None else str(row[name]) for name in row}
        if text["stage"] == _DERIVED:
            self.derived_rows += 1
            return
        if self.by_pair and text["document"]:
            pair = f"{text['source_language']}-{text['target_language']}"
            text["document"] = name_in_pair(text["document"], pair)
        self._add_judge(text)
        systems = tuple(text["system"].split("|")) if text["system"] else ()
        self._add_place(text, systems)
        key = tuple(text[name] for name in ("judge", "stage", "question", "document", "segment", "system", "role"))
        value = self._value(row, line)
        turn = self._turns.get(key, 0)
        answers = self._answers.get((*key, turn))
        if answers is not None and text["row"] and text["row"] not in answers[1]:
            answers[1][text["row"]] = value
            return
        if answers is not None:
            self._turns[key] = turn + 1
        self._answers[*key, self._turns.get(key, 0)] = (
            Judgement(
                judge=text["judge"],
                stage=text["stage"],
                question=text["question"],
                document=text["document"],
                segment=text["segment"],
                systems=systems,
                value=None if text["row"] else value,
                role=self._role(text["role"], line),
                flags=tuple(map(str, self._list(row.get("flags"), line))),
                elapsed_seconds=_seconds(row.get("elapsed")),
                active_seconds=_seconds(row.get("active")),
                answered_at=self._moment(row.get("answered_at"), line),
                origin=f"{self.path.name}:{line}",
            ),
            {text["row"]: value} if text["row"] else {},
        )

    def judgements(self) -> Iterator[Judgement]:
        for judgement, rows in self._answers.values():
            yield replace(judgement, value=rows) if rows else judgement

    def documents(self) -> Iterator[Document]:
        for name, segments in self._places.items():
            texts = tuple(Segment(key, "", dict.fromkeys(sorted(systems), "")) for key, systems in segments.items())
            about = self._about[name]
            source, target = (about.get(f"{side}_language", languages.UNDETERMINED) for side in ("source", "target"))
            yield Document(name, texts, source, target, domain=about.get("domain", ""))

    def _add_judge(self, text: Mapping[str, str]) -> None:
        name = text["judge"]
        if name not in self.judges:
            kind = text["judge_kind"]
            attributes = {key.removeprefix("judge_"): text[key] for key in self.attributes if text.get(key)}
            self.judges[name] = Judge(
                name, JudgeKind(kind) if kind in list(JudgeKind) else JudgeKind.PERSON, "", attributes
            )

    def _add_place(self, text: Mapping[str, str], systems: tuple[str, ...]) -> None:
        if not text["document"]:
            return
        segments = self._places.setdefault(text["document"], {})
        if text["segment"]:
            segments.setdefault(text["segment"], set()).update(systems)
        about = {name: text[name] for name in ("domain", "source_language", "target_language") if text.get(name)}
        first = self._about.setdefault(text["document"], about)
        if any(first.get(name) != about.get(name) for name in ("source_language", "target_language")):
            raise SameNameError(text["document"], PAIR)

    def _value(self, row: Mapping[str, Any], line: int) -> Any:
        """The answer, from the column of its kind. An option with a value has a label and a score: the label counts."""
        for name in ("label", "labels", "ranks", "spans", "text", "score"):
            cell = row.get(name)
            if cell is None or cell == "":
                continue
            if name == "score":
                return number(cell)
            if name == "labels" and row.get("score") not in (None, ""):
                return self._counts(self._list(cell, line), number(row["score"]))
            return self._list(cell, line) if name in ("labels", "ranks", "spans") else cell
        return None

    def _counts(self, labels: list[Any], total: float | None) -> Any:
        """Labels that could be given several times, each as often as it was. Tables of Lanner 0.1.0 have each once, and
        the sum of their counts, which is the count where there is one label."""
        if len(labels) == 1 and total:
            return {str(labels[0]): int(total)}
        if total != len(labels):
            self.counts_lost += 1
        return dict(Counter(map(str, labels)))

    def _list(self, cell: Any, line: int) -> list[Any]:
        if cell is None or cell == "":
            return []
        value = textfile.parse_json(cell, self.path, line) if isinstance(cell, str) else cell
        if not isinstance(value, list):
            textfile.failed(self.path, f"{json.dumps(value)[:40]} is not a list.", line)
        return value

    def _role(self, text: str, line: int) -> Role:
        if text not in list(Role):
            textfile.failed(self.path, f"A role is one of {', '.join(Role)}, not {text!r}.", line)
        return Role(text)

    def _moment(self, cell: Any, line: int) -> datetime | None:
        if cell is None or cell == "":
            return None
        if isinstance(cell, datetime):
            return cell.astimezone(UTC) if cell.tzinfo else cell.replace(tzinfo=UTC)
        try:
            time = datetime.fromisoformat(str(cell))
        except ValueError:
            textfile.failed(self.path, f"The time {cell!r} cannot be read.", line, "Write 2026-03-01T09:30:00+00:00.")
        return time if time.tzinfo else time.replace(tzinfo=UTC)


def _seconds(cell: Any) -> float | None:
    value = number(cell)
    return None if value is None else float(value)


def explain(path: Path) -> None:
    """Say of a codebook that it is one."""
    if table_kind(path) == "csv" and textfile.head(path).lstrip("\ufeff").startswith(_CODEBOOK):
        name = path.name.removesuffix(".codebook.csv").removesuffix(".csv")
        step = f"Read the export that it explains, for instance {name}.csv."
        textfile.failed(path, "This is the codebook of an export and holds no judgements.", next_step=step)


FORMAT = Format(
    name="judgements",
    title="the table of judgements that `lanner export` writes",
    description=__doc__ or "",
    recognise=recognise,
    markers=("judge_kind",),
    read=read,
    read_documents=read_documents,
    explain=explain,
    options={"protocol": "the protocol that the judgements answer, where no codebook lies beside the file"},
    signs={"table": COLUMNS, "json lines": COLUMNS},
)
