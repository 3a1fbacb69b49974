"""A campaign in other tools' formats. Those that know one number per output get the protocol's own choice of it: the
score its plan ranks systems by, else its first score, else its first scale about one output.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from lanner import formats, protocols
from lanner.analysis.material import Material
from lanner.analysis.scores import direction_of
from lanner.errors import LannerError
from lanner.figures.typeset import words
from lanner.formats import appraise_scores
from lanner.formats.parsing.textfile import write_whole
from lanner.formats.parsing.values import guarded
from lanner.model import Json, Judge, JudgeKind, Judgement, Object, Protocol, Role, Scale
from lanner.protocols.derived import derived
from lanner.protocols.prefilled import judged_marks
from lanner.reports.export import write_beside
from lanner.stats import scores


def write(material: Material, name: str, path: Path, **options: Any) -> int:
    """Write into a format by name, with its codebook beside it; how many judgements went in."""
    count = _write(material, name, path, **options)
    write_beside(path, material, name)
    return count


def left_out(material: Material, name: str, **options: Any) -> dict[str, int]:
    """By question, how many answers a format has no place for: comments, controls, answers about several outputs."""
    protocol = material.protocol
    main = "score"
    if protocol is not None and (name == "mtme" or (name == "appraise_scores" and not options)):
        main = main_score(protocol)
        # the answers that the score is computed from are in it
        main = next((score.question for score in protocol.scores if score.id == main), main)
    places = {
        (main if judgement.question == "score" else judgement.question, *_unit(judgement))
        for judgement in _select_judgements(material, name, **options)
    }
    missing = (j for j in material.judgements if (j.question, *_unit(j)) not in places)
    # marks come back with the score that stands on their row, and none are written as none
    return dict(Counter(judgement.question for judgement in missing if judgement.value not in (None, [])))


def _write(material: Material, name: str, path: Path, **options: Any) -> int:
    judgements = _select_judgements(material, name, **options)
    judges, protocol = list(material.judges), material.protocol
    if protocol is not None and name in ("mtme", "appraise_scores") and material.judgements and not judgements:
        raise _lacking(protocol, "gives no score to a single output")
    if protocol is not None and name == "mtme":
        judges.append(Judge(protocol.name, JudgeKind.ADJUDICATED))
    elif protocol is not None and name == "appraise_scores" and not options:
        return _write_appraise(path, material, judgements)
    elif name == "wmt_mqm" and protocol is not None and protocol.find("errors") is None:
        raise _lacking(protocol, "asks for no errors")
    elif protocol is not None and name in ("native", "huggingface"):
        title = {"native": "name", "huggingface": "title"}[name]
        options = {title: material.name, "protocol": protocol.name, **options}
        if name == "native" and not _is_known(protocol):
            options |= {"definition": protocol.model_dump_json()}
    elif protocol is not None and name == "label_studio":
        options = {"protocol": protocol, **options}
    formats.write(name, path, material.documents, judgements, judges, **options)
    return len(judgements)


def _is_known(protocol: Protocol) -> bool:
    """Whether a protocol is one that every Lanner has under its name, unchanged."""
    return protocol.name in protocols.names() and protocols.load(protocol.name).hash == protocol.hash


def _select_judgements(material: Material, name: str, **options: Any) -> list[Judgement]:
    """The judgements as a format can hold them."""
    if name not in ("native", "huggingface"):  # other tools know no mark that was offered and not kept
        material = replace(material, judgements=tuple(_with_judged_marks(material.judgements)))
    protocol = material.protocol
    if protocol is not None and name == "mtme":
        return _for_mtme(material, protocol)
    if protocol is not None and name == "appraise_scores" and not options:
        return _for_appraise(material, protocol)
    if name == "wmt_mqm":  # it has rows of errors and nothing else
        return [judgement for judgement in material.judgements if _is_main_mark(judgement)]
    return list(material.judgements)


def _is_main_mark(judgement: Judgement) -> bool:
    return judgement.question == "errors" and judgement.role is Role.MAIN


def main_score(protocol: Protocol) -> str:
    """The id of the score or question that stands for an output as a whole."""
    for analysis in protocol.analyses:
        if analysis.statistic == "ranking.systems":
            return analysis.of
    if protocol.scores:
        return protocol.scores[0].id
    for stage, question in protocol.questions:
        if isinstance(question, Scale) and stage.object is Object.OUTPUT and not question.for_each:
            return question.id
    raise _lacking(protocol, "gives no score to a single output")


def _lacking(protocol: Protocol, what: str) -> LannerError:
    question_names = words([question.id.replace("_", " ") for _, question in protocol.questions if question.required])
    return LannerError(
        f"{protocol.name} {what}, and this format holds nothing else. It asks for {question_names}.",
        next_step="Leave out --to and write --out NAME.csv: the tidy table keeps every answer. So does --to native.",
    )


def score_judgements(material: Material, protocol: Protocol) -> list[Judgement]:
    """The main score of every output judged, one judgement each, called `score`."""
    score_id = main_score(protocol)
    every = [*material.judgements, *derived(protocol, material.judgements)]
    return [
        replace(
            judgement,
            stage="segment" if judgement.segment else "document",
            question="score",
            value=float(judgement.value),
        )
        for judgement in every
        if judgement.question == score_id and len(judgement.systems) == 1 and isinstance(judgement.value, int | float)
    ]


def _for_mtme(material: Material, protocol: Protocol) -> list[Judgement]:
    """Each judge's scores, and under the protocol's name what they come to: a mean for each segment and each system.
    More is better there, so penalties change their sign. Control items and repeats are no part of a test set."""
    # adding 0.0 keeps "no error" from being written as -0.0
    sign = -1.0 if _lower_is_better(protocol) else 1.0
    own = [replace(s, value=sign * s.value + 0.0) for s in score_judgements(material, protocol) if s.role is Role.MAIN]
    marks = [judgement for judgement in material.judgements if _is_main_mark(judgement)]
    return [*own, *_gold(material, protocol, protocol.name, sign), *marks]


def _gold(material: Material, protocol: Protocol, name: str, sign: float) -> Iterable[Judgement]:
    if material.table.is_empty():
        return
    items = scores.items(material.table, main_score(protocol)).table
    for system, document, segment, value in items.select("system", "document", "segment", "score").iter_rows():
        stage = "segment" if segment else "document"
        yield Judgement(name, stage, "score", document, segment, (system,), sign * value + 0.0)
    for system, value in items.group_by("system", maintain_order=True).agg(pl.col("score").mean()).iter_rows():
        yield Judgement(name, "system", "score", "", "", (system,), sign * value + 0.0)


def _lower_is_better(protocol: Protocol) -> bool:
    return direction_of(protocol, main_score(protocol)) == "lower_is_better"


def _write_appraise(path: Path, material: Material, judgements: Sequence[Judgement]) -> int:
    """As the format writes it, but safe to open in a spreadsheet."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for row in appraise_scores.rows(material.documents, judgements, path=path):
        writer.writerow(map(guarded, row))
    write_whole(path, buffer.getvalue())
    return len(judgements)


def _for_appraise(material: Material, protocol: Protocol) -> list[Judgement]:
    """The main score of every output, with the spans that the same judge marked in it."""
    spans = {_unit(judgement): judgement for judgement in material.judgements if _is_spans(judgement.value)}
    judgements: list[Judgement] = []
    for score in score_judgements(material, protocol):
        judgements.append(score)
        if mark_judgement := spans.get(_unit(score)):
            judgements.append(replace(score, question="errors", value=mark_judgement.value))
    return judgements


def _with_judged_marks(judgements: Iterable[Judgement]) -> Iterator[Judgement]:
    for judgement in judgements:
        if not _is_spans(judgement.value):
            yield judgement
        elif (marks := judged_marks(judgement.value)) is not None:
            yield replace(judgement, value=marks)


def _unit(judgement: Judgement) -> tuple[object, ...]:
    return (judgement.judge, judgement.document, judgement.segment, judgement.systems, judgement.role)


def _is_spans(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)
