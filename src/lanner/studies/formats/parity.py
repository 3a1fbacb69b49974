"""The data of the human-parity study: a folder with documents.csv, sentences.csv, participants.csv and ratings.

An item is compared as a whole document or as one sentence, the human translation against the machine's. Items whose
`spam` column names a side are control items: that side is nonsense. `ratings.with-spam.csv` is read where it is there,
since it has everything that `ratings.csv` has.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lanner.formats import Format, Reading
from lanner.formats.parsing import textfile
from lanner.model import Document, Judge, Judgement, Role, Segment
from lanner.model import languages as language_codes

SYSTEMS = ("human", "mt")
_RANKS = {"human": [1, 2], "mt": [2, 1], "tie": [1, 1]}
_TEXTS = ("wmt_article_id", "exp_item_number", "src", "human", "mt", "spam")
_RATING = ("participant_id", "condition", "type", "exp_item_number", "rating")
_CHINESE = ("\u4e00", "\u9fff")


def recognise(path: Path) -> bool:
    """A folder with the two text files and ratings of the known columns."""
    return path.is_dir() and all(
        (path / name).is_file() and set(columns) <= set(next(textfile.rows(path / name), (1, []))[1])
        for name, columns in (("documents.csv", _TEXTS), ("sentences.csv", _TEXTS), (_ratings(path).name, _RATING))
    )


def _ratings(path: Path) -> Path:
    both = path / "ratings.with-spam.csv"
    return both if both.is_file() else path / "ratings.csv"


def read(path: Path, *, languages: str = "") -> list[Reading]:
    """Both conditions in one reading; each participant's condition is among the judge's attributes."""
    documents = {document.id: document for document in read_documents(path, languages=languages)}
    judges = {judge.id: judge for judge in _judges(path / "participants.csv")}
    judgements = []
    ratings = _ratings(path)
    for line, row in textfile.records(ratings, _RATING):
        document = documents.get(row["exp_item_number"])
        if document is None:
            textfile.failed(ratings, f"There is no item {row['exp_item_number']!r}.", line)
        if row["rating"] not in _RANKS or row["type"] not in ("document", "sentence"):
            textfile.failed(ratings, f"{row['type']!r} rated {row['rating']!r} is not known.", line)
        judges.setdefault(row["participant_id"], Judge(row["participant_id"]))
        judgements.append(
            Judgement(
                row["participant_id"],
                f"{row['condition']}_{row['type']}",
                f"{row['condition']}_of_{row['type']}",
                document.id,
                "" if row["type"] == "document" else document.segments[0].id,
                SYSTEMS,
                list(_RANKS[row["rating"]]),
                role=Role.CONTROL if document.meta.get("spam") else Role.MAIN,
                origin=f"{ratings.name}:{line}",
            )
        )
    controls = sum(judgement.role is Role.CONTROL for judgement in judgements)
    notes = (f"{controls} ratings are of control items.",) if controls else ()
    return [Reading(path.name, tuple(documents.values()), tuple(judges.values()), tuple(judgements), "parity", notes)]


def read_documents(path: Path, *, languages: str = "") -> Iterator[Document]:
    """Each item is a document: a whole article, or a sentence on its own, in one segment."""
    texts: dict[str, str] = {}
    for name in ("documents.csv", "sentences.csv"):
        for line, row in textfile.records(path / name, _TEXTS):
            item = row["exp_item_number"]
            if not item or item in texts:
                what = f"The item {item!r} is already at {texts[item]}." if item else "This item has no number."
                textfile.failed(path / name, what, line)
            texts[item] = f"{name}:{line}"
            yield _document(row, languages, "document" if name == "documents.csv" else "sentence")


def _document(row: dict[str, str], languages: str, kind: str) -> Document:
    chinese = any(_CHINESE[0] <= char <= _CHINESE[1] for char in row["src"])
    guess = ("zh", "en") if chinese else (language_codes.UNDETERMINED,) * 2
    pair = language_codes.pair(languages) if languages else guess
    segment = Segment(row.get("wmt_line_number") or "1", row["src"], {name: row[name] for name in SYSTEMS})
    meta = {"article": row["wmt_article_id"], "unit": kind}
    if row["spam"]:
        meta["spam"] = row["spam"]
    return Document(row["exp_item_number"], (segment,), *pair, meta=meta)


def _judges(file: Path) -> Iterator[Judge]:
    if file.is_file():
        for _, row in textfile.records(file, ("participant_id",)):
            about: dict[str, Any] = {key: value for key, value in row.items() if value and key != "participant_id"}
            yield Judge(row["participant_id"], attributes=about)


FORMAT = Format(
    name="parity",
    title="the human-parity study: documents.csv, sentences.csv, participants.csv, ratings.csv",
    description=__doc__ or "",
    recognise=recognise,
    read=read,
    read_documents=read_documents,
    options={"languages": "the language pair (zh-en where the sources are Chinese)"},
    signs={"folder": ("documents.csv", "sentences.csv", "ratings.csv")},
    folder=True,
)
