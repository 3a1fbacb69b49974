"""A folder that Hugging Face `datasets` loads: Parquet files, a dataset card and Croissant metadata.

`data/judgements.parquet` has a row for each judgement, `data/texts.parquet` one for each segment with the outputs of
all systems, `data/judges.parquet` one for each judge; `load_dataset(FOLDER, "judgements")` reads them. `README.md` is
the card, with licence, languages and what judges consented to; `croissant.json` describes files and columns. Answers
are JSON in the column `value`, since each kind of question has another type; `score` and `label` have it as a number
or a text where it is one. Reading the folder gives back what was written.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lanner import registry
from lanner.errors import InputError, Where
from lanner.formats.parsing import textfile
from lanner.formats.parsing.readings import Format, Reading
from lanner.formats.parsing.textfile import replacing
from lanner.model import Document, Judge, JudgeKind, Judgement, Role, Segment
from lanner.model import languages as language_codes

_SCHEMA_ORG = {"number": "sc:Float", "time": "sc:DateTime", "count": "sc:Integer", "yes or no": "sc:Boolean"}
_DOCUMENT_FIELDS = ("title", "text_type", "note", "media", "glossary", "meta")


_TABLES: dict[str, dict[str, list[str]]] = registry.table("formats.huggingface")
"""The columns of each table, with the kind of value that a column holds and what it means."""


def recognise(path: Path) -> bool:
    """A folder with our texts and judgements in Parquet, and a card."""
    return (path / "data" / "texts.parquet").is_file() and (path / "README.md").is_file()


def write(
    path: Path,
    documents: Iterable[Document],
    judgements: Iterable[Judgement] = (),
    judges: Iterable[Judge] = (),
    *,
    license: str = "unknown",  # noqa: A002 - the field of dataset cards
    consent: str = "",
    title: str = "",
    protocol: str = "",
) -> None:
    """The folder. `license` is an SPDX id in small letters, `consent` says what judges agreed to."""
    texts, answers, people = list(documents), list(judgements), list(judges)
    rows = {
        "judgements": [_judgement_row(entry) for entry in answers],
        "texts": [_segment_row(document, segment) for document in texts for segment in document],
        "judges": [[judge.id, str(judge.kind), judge.name, _json(dict(judge.attributes))] for judge in people],
    }
    if empty := [document.id for document in texts if not document.segments]:
        raise InputError(f"The document {empty[0]!r} has no segments.", where=Where(path))
    name = title or path.name
    with replacing(path) as temporary:
        (temporary / "data").mkdir(parents=True)
        for table in _TABLES:
            _write_parquet(temporary / "data" / f"{table}.parquet", rows[table], table)
        about = {"license": license, "consent": consent, "title": name, "protocol": protocol}
        card = _card(texts, people, {table: len(entries) for table, entries in rows.items()}, about)
        (temporary / "README.md").write_text(card, encoding="utf-8")
        metadata = json.dumps(_croissant(temporary, about), ensure_ascii=False, indent=2)
        (temporary / "croissant.json").write_text(metadata + "\n", encoding="utf-8")


def _write_parquet(path: Path, rows: Sequence[Sequence[Any]], table: str) -> None:
    import polars as pl  # loaded where it is needed: other files are recognised without it

    types = {
        "text": pl.String(),
        "texts": pl.List(pl.String()),
        "number": pl.Float64(),
        "time": pl.Datetime("us", "UTC"),
        "count": pl.Int64(),
        "yes or no": pl.Boolean(),
    }
    schema = {column: types[kind] for column, (kind, _) in _TABLES[table].items()}
    pl.DataFrame(rows, schema=schema, orient="row").write_parquet(path)


def _judgement_row(entry: Judgement) -> list[Any]:
    is_number = isinstance(entry.value, int | float) and not isinstance(entry.value, bool)
    row: dict[str, Any] = {column: getattr(entry, column, None) for column in _TABLES["judgements"]}
    row |= {
        "value": _json(entry.value),
        "score": float(entry.value) if isinstance(entry.value, int | float) and is_number else None,
        "label": entry.value if isinstance(entry.value, str) else None,
        "systems": list(entry.systems),
        "flags": list(entry.flags),
        "role": str(entry.role),
    }
    return list(row.values())


def _segment_row(document: Document, segment: Segment) -> list[Any]:
    further = {name: getattr(document, name) for name in _DOCUMENT_FIELDS if getattr(document, name)}
    return [
        document.id,
        segment.id,
        document.source_language,
        document.target_language,
        document.domain,
        segment.source,
        list(segment.outputs),
        list(segment.outputs.values()),
        list(segment.references),
        list(segment.references.values()),
        segment.paragraph,
        segment.judged,
        list(segment.flags),
        _json(dict(segment.meta)),
        _json(further),
    ]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _card(
    documents: Sequence[Document], judges: Sequence[Judge], counts: Mapping[str, int], about: Mapping[str, str]
) -> str:
    """The dataset card: what the Hub reads at the top, then what people read."""
    pairs = sorted({document.language_pair for document in documents})
    codes = {code for document in documents for code in (document.source_language, document.target_language)}
    languages = sorted({code.partition("-")[0] for code in codes if code != language_codes.UNDETERMINED})
    kinds = {kind: sum(judge.kind == kind for judge in judges) for kind in JudgeKind}
    configs = "\n".join(
        f"- config_name: {table}\n  data_files: data/{table}.parquet" + ("\n  default: true" if not at else "")
        for at, table in enumerate(_TABLES)
    )
    meanings = "\n\n".join(
        f"### {table}\n\n| column | meaning |\n|---|---|\n"
        + "\n".join(f"| `{column}` | {meaning} |" for column, (_, meaning) in columns.items())
        for table, columns in _TABLES.items()
    )
    people = ", ".join(f"{number} {kind}" for kind, number in kinds.items() if number) or "none"
    head = [f"license: {about['license']}", f"pretty_name: {_json(about['title'])}"]
    head += ["language:", *(f"- {code}" for code in languages)] if languages else []
    head += ["task_categories:", "- translation", "tags:", "- machine-translation-evaluation", "configs:", configs]
    lines = [
        "---",
        *head,
        "---",
        f"# {about['title']}",
        "",
        f"Judgements of machine translation, {', '.join(pairs)}: {counts['judgements']:,} judgements of "
        f"{counts['texts']:,} segments in {len(documents):,} documents by {people}.",
        "",
        f"- **Protocol:** {about['protocol'] or 'not stated'}",
        f"- **Licence:** {about['license']}",
        f"- **Consent of the judges:** {about['consent'] or 'not stated'}",
        "",
        "```python",
        "from datasets import load_dataset",
        "",
        'judgements = load_dataset("PATH_OR_NAME", "judgements")["train"]',
        "```",
        "",
        "## Columns",
        "",
        meanings,
        "",
    ]
    return "\n".join(lines)


_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "recordSet": "cr:recordSet",
    "field": "cr:field",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "source": "cr:source",
    "fileObject": "cr:fileObject",
    "extract": "cr:extract",
    "column": "cr:column",
    "repeated": "cr:repeated",
}


def _croissant(folder: Path, about: Mapping[str, str]) -> dict[str, Any]:
    """Croissant 1.0: the files with their hashes, and what each column is."""
    files, sets = [], []
    for table, columns in _TABLES.items():
        name = f"data/{table}.parquet"
        content = (folder / name).read_bytes()
        files.append(
            {
                "@type": "cr:FileObject",
                "@id": name,
                "name": name,
                "contentUrl": name,
                "contentSize": f"{len(content)} B",
                "encodingFormat": "application/x-parquet",
                "sha256": hashlib.sha256(content).hexdigest(),
            }
        )
        sets.append(
            {
                "@type": "cr:RecordSet",
                "@id": table,
                "name": table,
                "field": [_field(table, name, column, *about) for column, about in columns.items()],
            }
        )
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": about["title"],
        "description": f"Judgements of machine translation; protocol: {about['protocol'] or 'not stated'}.",
        "license": about["license"],
        "usageInfo": f"Consent of the judges: {about['consent'] or 'not stated'}",
        "rai:dataAnnotationProtocol": about["protocol"] or "not stated",
        "distribution": files,
        "recordSet": sets,
    }


def _field(table: str, file: str, column: str, kind: str, meaning: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{table}/{column}",
        "name": column,
        "description": meaning,
        "dataType": _SCHEMA_ORG.get(kind, "sc:Text"),
        "source": {"fileObject": {"@id": file}, "extract": {"column": column}},
        **({"repeated": True} if kind == "texts" else {}),
    }


def read(path: Path) -> list[Reading]:
    """Everything in the folder."""
    frames = {table: _frame(path / "data" / f"{table}.parquet", columns) for table, columns in _TABLES.items()}
    documents: dict[str, tuple[dict[str, Any], list[Segment]]] = {}
    for row in frames["texts"]:
        fields = {name: row[name] for name in ("source_language", "target_language", "domain")}
        fields |= json.loads(row["document_fields"])
        documents.setdefault(row["document"], (fields, []))[1].append(_segment(row))
    judges = tuple(
        Judge(row["judge"], JudgeKind(row["kind"]), row["name"], json.loads(row["attributes"]))
        for row in frames["judges"]
    )
    judgements = tuple(_judgement(row, at) for at, row in enumerate(frames["judgements"], 1))
    texts = tuple(Document(key, tuple(segments), **fields) for key, (fields, segments) in documents.items())
    return [Reading(path.name, texts, judges, judgements, _protocol(path))]


def _protocol(path: Path) -> str:
    """The protocol that the metadata names; "" where it names none."""
    file = path / "croissant.json"
    protocol = json.loads(file.read_text(encoding="utf-8")).get("rai:dataAnnotationProtocol") if file.is_file() else ""
    return protocol if isinstance(protocol, str) and protocol != "not stated" else ""


def _frame(path: Path, columns: Iterable[str]) -> list[dict[str, Any]]:
    import polars as pl  # loaded where it is needed: other files are recognised without it

    if not path.is_file():
        return []
    try:
        frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        textfile.failed(path, f"The Parquet file cannot be read: {error}.")
    if missing := [column for column in columns if column not in frame.columns]:
        textfile.failed(path, f"The column {missing[0]!r} is missing.", next_step="Export the folder again.")
    return frame.to_dicts()


def _segment(row: Mapping[str, Any]) -> Segment:
    return Segment(
        id=row["segment"],
        source=row["source"],
        outputs=dict(zip(row["systems"], row["outputs"], strict=True)),
        references=dict(zip(row["reference_names"], row["references"], strict=True)),
        paragraph=row["paragraph"],
        judged=row["judged"],
        flags=tuple(row["flags"]),
        meta=json.loads(row["segment_meta"]),
    )


def _judgement(row: Mapping[str, Any], number: int) -> Judgement:
    fields = {name: value for name, value in row.items() if name not in ("value", "score", "label", "role")}
    fields |= {"systems": tuple(row["systems"]), "flags": tuple(row["flags"]), "role": Role(row["role"])}
    return Judgement(**fields, value=json.loads(row["value"]), origin=f"judgements.parquet:{number}")


FORMAT = Format(
    name="huggingface",
    title="a dataset for Hugging Face: Parquet, card, Croissant",
    description=__doc__ or "",
    recognise=recognise,
    read=read,
    write=write,
    options={
        "license": "the licence as an SPDX id, such as cc-by-4.0 (unknown)",
        "consent": "what the judges agreed to, for the card",
        "title": "the title of the dataset (the folder's name)",
        "protocol": "the protocol that the judgements answer (writing)",
    },
    folder=True,
)
