"""Documents and scores in the layout of mt-metrics-eval."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from lanner.errors import InputError, Where
from lanner.formats._aligned_writing import Texts, names_of, write_lines, write_places
from lanner.formats._mtme_scores import LEVELS, QUESTION
from lanner.formats._writing import replacing, text_file
from lanner.model import Document, Judge, JudgeKind, Judgement

_LEVEL = {stage: level for level, stage in LEVELS.items()}


def write_mtme(
    path: Path,
    documents: Iterable[Document],
    judgements: Iterable[Judgement] = (),
    judges: Iterable[Judge] = (),
    *,
    newline: str = "",
) -> None:
    """The texts of one language pair; numbers answering `score` as score files, MQM `errors` as rating files."""
    kept = list(documents)
    pairs = {(document.source_language, document.target_language) for document in kept}
    if len(pairs) != 1:
        raise InputError(
            "The documents have not one language pair.", where=Where(path), next_step="Write one at a time."
        )
    pair = "-".join(code.replace("-", "_") for code in pairs.pop())
    references, systems = names_of(kept)
    metrics = {judge.id for judge in judges if judge.kind is JudgeKind.METRIC}
    scores, ratings = _sorted(judgements, path)
    with replacing(path) as root:
        write_lines(root / "sources" / f"{pair}.txt", kept, Texts("source", newline=newline))
        write_places(root / "documents" / f"{pair}.docs", kept)
        (root / "system-outputs" / pair).mkdir(parents=True)
        for name in references:
            file = root / "references" / f"{pair}.{name}.txt"
            write_lines(file, kept, Texts("reference", name, newline))
        for name in systems:
            file = root / "system-outputs" / pair / f"{name}.txt"
            write_lines(file, kept, Texts("output", name, newline))
        for (judge, stage), given in scores.items():
            folder = root / "metric-scores" / pair if judge in metrics else root / "human-scores"
            prefix = "" if judge in metrics else f"{pair}."
            _write_block(folder / f"{prefix}{judge}.{_LEVEL[stage]}.score", stage, given, kept, _score)
        for judge, given in ratings.items():
            _write_block(root / "human-scores" / f"{pair}.{judge}.seg.rating", "segment", given, kept, _rating)


_Given = dict[tuple[str, str, str], Judgement]


def _sorted(judgements: Iterable[Judgement], path: Path) -> tuple[dict[tuple[str, str], _Given], dict[str, _Given]]:
    """Judgements by the file they go to, each by system, document and segment."""
    scores: dict[tuple[str, str], _Given] = {}
    ratings: dict[str, _Given] = {}
    for judgement in judgements:
        place = ("|".join(judgement.systems), judgement.document, judgement.segment)
        if judgement.question == QUESTION and judgement.stage in _LEVEL and len(judgement.systems) == 1:
            scores.setdefault((judgement.judge, judgement.stage), {})[place] = judgement
        elif judgement.question == "errors" and len(judgement.systems) == 1:
            ratings.setdefault(judgement.judge, {})[place] = judgement
        else:
            raise InputError(
                f"This layout holds scores and MQM errors, not answers to {judgement.question!r}.", where=Where(path)
            )
    return scores, ratings


def _write_block(path: Path, stage: str, given: _Given, documents: Sequence[Document], cell: Any) -> None:
    systems = dict.fromkeys(system for system, _, _ in given)
    with text_file(path) as out:
        if stage == "domain":
            for (system, domain, _), judgement in given.items():
                out.write(f"{domain}\t{system}\t{cell(judgement)}\n")
            return
        places = {
            "segment": [(document.id, segment.id) for document in documents for segment in document],
            "document": [(document.id, "") for document in documents],
            "system": [("", "")],
        }[stage]
        for system in systems:
            for place in places:
                out.write(f"{system}\t{cell(given.get((system, *place)))}\n")


def _score(judgement: Judgement | None) -> str:
    return "None" if judgement is None or judgement.value is None else repr(judgement.value)


def _rating(judgement: Judgement | None) -> str:
    if judgement is None or judgement.value is None:
        return "None"
    errors = [
        {
            "start": span.get("start"),
            "end": span.get("end"),
            "category": span.get("category"),
            "severity": span.get("severity"),
            "is_source_error": span.get("side") == "source",
        }
        for span in judgement.value
    ]
    return json.dumps({"errors": errors}, ensure_ascii=False)
