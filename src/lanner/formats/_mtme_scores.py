"""Score and rating files of mt-metrics-eval: a block of lines for each system, in the order of the segments."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lanner.formats import _textfile as textfile
from lanner.formats._naming import counted, number
from lanner.formats._offsets import problems
from lanner.model import Document, Judge, JudgeKind, Judgement, Segment

LEVELS = {"seg": "segment", "doc": "document", "domain": "domain", "sys": "system"}
QUESTION = "score"
_SENTENCES = {"bad_offsets": "{n} judgements hold a span with impossible offsets."}


@dataclass(frozen=True, slots=True)
class Rated:
    """Error annotations with who made them."""

    judges: tuple[Judge, ...]
    judgements: tuple[Judgement, ...]
    notes: tuple[str, ...]


def read_scores(
    file: Path, root: Path, name: str, level: str, documents: Sequence[Document], *, metric: bool
) -> tuple[Judge, list[Judgement]]:
    """The scores of one file. At the level of domains the judgement's document is the domain's name."""
    kind = JudgeKind.METRIC if metric else JudgeKind.ADJUDICATED
    judge = Judge(name, kind, attributes=_attributes(name) if metric else {})
    places = _places(level, documents)
    place_count = len(places)
    taken: Counter[str] = Counter()
    origin = file.relative_to(root).as_posix()
    made: list[Judgement] = []
    systems: dict[str, tuple[str, ...]] = {}
    for line, text in enumerate(textfile.lines(file), 1):
        parts = text.split("\t") if "\t" in text else text.split()
        if len(parts) != (3 if level == "domain" else 2):
            textfile.failed(file, "This line does not say SYSTEM and SCORE.", line)
        system, cell = parts[-2].strip(), parts[-1].strip()
        if level == "domain":
            document, segment = parts[0], ""
        else:
            if taken[system] >= place_count:
                textfile.failed(file, f"{system!r} has more scores than the {place_count} {LEVELS[level]}s.", line)
            document, segment = places[taken[system]]
        taken[system] += 1
        score = number(cell)
        if score is None and cell != "None":
            textfile.failed(file, f"{cell!r} is not a score.", line, "A missing score is written None.")
        made.append(
            Judgement(
                name,
                LEVELS[level],
                QUESTION,
                document,
                segment,
                systems.setdefault(system, (system,)),
                score,
                flags=("missing",) if score is None else (),
                origin=f"{origin}:{line}",
            )
        )
    if level != "domain":
        for system, count in taken.items():
            if count != place_count:
                textfile.failed(file, f"{system!r} has {count} scores, there are {place_count} {LEVELS[level]}s.")
    return judge, made


def _attributes(name: str) -> dict[str, str]:
    """What a metric's file name says: `COMET-refA` is COMET with refA, `…-src` uses no reference."""
    base, mark, reference = name.rpartition("-")
    return {"metric": base, "reference": "" if reference == "src" else reference} if mark else {"metric": name}


def _places(level: str, documents: Sequence[Document]) -> list[tuple[str, str]]:
    match level:
        case "seg":
            return [(document.id, segment.id) for document in documents for segment in document]
        case "doc":
            return [(document.id, "") for document in documents]
        case _:
            return [("", "")]


def read_ratings(file: Path, root: Path, name: str, documents: Sequence[Document]) -> Rated:
    """The error annotations of one file, as MQM judgements. The rater is told by the line, else by the file."""
    places = [(document, segment) for document in documents for segment in document]
    taken: Counter[str] = Counter()
    flags: Counter[str] = Counter()
    origin = file.relative_to(root).as_posix()
    judges: dict[str, None] = {}
    made: list[Judgement] = []
    skipped: dict[str, int] = defaultdict(int)
    for line, text in enumerate(textfile.lines(file), 1):
        parts = text.split("\t")
        if len(parts) not in (2, 3):
            textfile.failed(file, "This line does not say SYSTEM and RATING.", line)
        system = parts[0]
        if taken[system] >= len(places):
            textfile.failed(file, f"{system!r} has more ratings than there are segments ({len(places)}).", line)
        document, segment = places[taken[system]]
        taken[system] += 1
        if parts[1] == "None":
            skipped[system] += 1
            continue
        spans, wrong = _spans(textfile.parse_json(parts[1], file, line), file, line, segment, system)
        judge = parts[2] if len(parts) == 3 and parts[2] != "None" else name
        judges[judge] = None
        flags.update(wrong)
        made.append(
            Judgement(
                judge,
                "marking",
                "errors",
                document.id,
                segment.id,
                (system,),
                spans,
                flags=wrong,
                origin=f"{origin}:{line}",
            )
        )
    for system, count in taken.items():
        if count != len(places):
            textfile.failed(file, f"{system!r} has {count} ratings, there are {len(places)} segments.")
    notes = counted(flags, _SENTENCES)
    if skipped:
        notes.append(f"{sum(skipped.values())} outputs have no rating (None).")
    kinds = {judge: JudgeKind.ADJUDICATED if judge.endswith("merged") else JudgeKind.PERSON for judge in judges}
    return Rated(tuple(Judge(judge, kind) for judge, kind in kinds.items()), tuple(made), tuple(notes))


def _spans(
    rating: Any, file: Path, line: int, segment: Segment, system: str
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    errors = rating.get("errors") if isinstance(rating, dict) else None
    if not isinstance(errors, list) or not all(isinstance(error, dict) for error in errors):
        textfile.failed(file, "This rating has no list of errors.", line)
    spans: list[dict[str, Any]] = []
    flags: list[str] = []
    for error in errors:
        side = "source" if error.get("is_source_error") else "target"
        text = segment.source if side == "source" else segment.text(system)
        start, end = error.get("start"), error.get("end")
        wrong = problems(text, start, end, None)
        words = text[start:end] if text is not None and not wrong else None
        flags += wrong
        spans.append(
            {
                "side": side,
                "start": start,
                "end": end,
                "text": words,
                "category": error.get("category"),
                "severity": error.get("severity"),
            }
        )
    return spans, tuple(dict.fromkeys(flags))
