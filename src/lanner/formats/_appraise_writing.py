"""Appraise's score export written: one row for what a judge said about one output, without a header."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from lanner.errors import InputError, Where
from lanner.formats._offsets import to_utf16
from lanner.formats._writing import text_file
from lanner.formats.appraise_batches import read_batches
from lanner.model import Document, Judge, Judgement, Role, languages
from lanner.model.cells import guarded

_TYPES = {Role.CONTROL: "BAD", Role.REPEAT: "CHK"}
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
        places = [found.places for found in read_batches(Path(batches)).values()] if batches else []
        items = {
            ("#".join(key[0].split("#")[:2]), place.segment): key[1]
            for each in places
            for key, found in each.items()
            for place in found
        }
        return cls({document.id: document for document in documents}, items)

    def output(self, found: Judgement) -> str | None:
        document = self.documents.get(found.document)
        texts = (segment.outputs for segment in document or () if segment.id == found.segment)
        return next(texts, {}).get(found.systems[0])


def write_scores(
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
    with text_file(path) as out:
        writer = csv.writer(out, lineterminator="\n")
        for row in rows(documents, judgements, batches=batches, ends=ends, path=path):
            writer.writerow(map(guarded, row))


def rows(
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
    for found in judgements:
        _check(found, path)
        unit = (found.judge, found.document, found.segment, found.systems, found.role, found.answered_at)
        times[found.question, *unit] += 1  # a judge who answered again has another row
        answer = answers.setdefault((times[found.question, *unit], *unit), _Answer())
        setattr(answer, found.question, found)
    has_spans = any(answer.errors for answer in answers.values())
    for answer in answers.values():
        yield _row(answer, texts, has_spans=has_spans, inclusive=ends == "inclusive")


def _check(found: Judgement, path: Path | None) -> None:
    if found.question not in ("score", "errors"):
        _refuse(found, path, f"answers {found.question!r}; Appraise has a score and spans (errors)")
    if len(found.systems) != 1:
        _refuse(found, path, "is about several outputs; Appraise has one on each row")
    if "#" in found.document:
        _refuse(found, path, "has a # in its id, which Appraise takes for the end of it")
    if found.question == "errors" and not (
        isinstance(found.value, list) and all(isinstance(span, dict) for span in found.value)
    ):
        _refuse(found, path, "has errors that are no list of spans")
    score = found.value if found.question == "score" else None
    if score is not None and (isinstance(score, bool) or not isinstance(score, int | float)):
        _refuse(found, path, f"has the score {score!r}, which is no number")


def _refuse(found: Judgement, path: Path | None, why: str) -> NoReturn:
    item = f"{found.document} {found.segment}".strip()
    raise InputError(
        f"This judgement {why}.", where=Where(path, item=item), next_step="Write it as native, which holds everything."
    )


def _row(answer: _Answer, texts: _Texts, *, has_spans: bool, inclusive: bool) -> list[str]:
    found = answer.any
    system = found.systems[0]
    document = texts.documents.get(found.document)
    codes = (document.source_language, document.target_language) if document else ("und", "und")
    name = f"{found.document}#{system}"
    marks = [*(mark for mark in _MARKS if mark in found.flags), *["tutorial"] * (found.role is Role.TUTORIAL)]
    cells = [
        found.judge,
        system,
        texts.items.get((name, found.segment), found.segment),
        _TYPES.get(found.role, "TGT"),
        *map(languages.three_letter, codes),
        _score(answer),
        "#".join([name, *marks]),
        str(not found.segment),
    ]
    if has_spans:
        spans = answer.errors.value if answer.errors else []
        made = [_span(span, texts.output(found), inclusive) for span in spans]
        if "undecided" in found.flags:
            made = [{**span, "severity": span["severity"] or "undecided"} for span in made]
        cells.append(json.dumps(made, ensure_ascii=False))
    end = found.answered_at.timestamp() if found.answered_at else 0.0
    start = end - (found.elapsed_seconds or 0.0) if end else 0.0
    return [*cells, f"{start:.3f}", f"{end:.3f}"]


def _score(answer: _Answer) -> str:
    if answer.score is None:
        return "0"  # as Appraise does where its judges mark errors and give no score
    value = answer.score.value
    return _MISSING if value is None else str(int(value)) if float(value).is_integer() else repr(float(value))


def _span(span: Mapping[str, Any], text: str | None, inclusive: bool) -> dict[str, Any]:
    start, end = span.get("start"), span.get("end")
    made: dict[str, Any]
    given = span.get("origin") in ("kept", "given")
    if not isinstance(start, int) or not isinstance(end, int) or span.get("side", "target") != "target":
        made = {"start_i": "missing", "end_i": "missing"}  # Appraise marks what is left out beside the text
    else:
        if text is not None:
            start, end = to_utf16(text, start), to_utf16(text, end)
        made = {"start_i": start, "end_i": end - 1 if inclusive and not given else end}
    made["severity"] = span.get("severity")
    if not given:
        category = span.get("category")
        made["error_type"] = _parts(str(category)) if category else None
    return made


def _parts(category: str) -> Sequence[str]:
    return category.split("/")
