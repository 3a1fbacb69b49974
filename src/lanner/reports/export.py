"""Judgements as files: the tidy table as CSV, JSONL or Parquet, and other tools' formats, each with a codebook that
explains every column and value.

Judges appear by id, never by name or address. In CSV, lists are JSON and text that a spreadsheet would run as a
formula is given an apostrophe in front. Formats that know one number per output get the protocol's own choice of it:
the score its plan ranks systems by, else its first score, else its first scale about one output.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from lanner import __version__, formats, protocols, registry
from lanner.analysis import GROUPS
from lanner.analysis import counted as count_rows
from lanner.analysis.material import Material
from lanner.analysis.scores import direction_of, scored_rows
from lanner.errors import LannerError, Where, did_you_mean
from lanner.formats import appraise
from lanner.formats.parsing.textfile import guarded, replacing, write_whole
from lanner.model import Json, Judge, JudgeKind, Judgement, Object, Protocol, Role, Scale
from lanner.model.messages import words
from lanner.model.protocol import Wording
from lanner.protocols.derived import derive, ranking_plans
from lanner.protocols.prefilled import judged_marks
from lanner.reports.parts import csv_text
from lanner.stats import scores


def excluded(material: Material) -> list[tuple[str, int]]:
    """Why rows do not count in results, and how many for each reason."""
    return [(str(reason), number) for reason, number in material.counted(of=tuple(GROUPS)).excluded.items()]


def export(material: Material, path: Path, *, counted: bool = False) -> int:
    """Write the tidy table in the format that the file's ending names, and the codebook beside it; returns the rows.
    With `counted`, only those rows that count in results."""
    table = material.table_with_every_mark
    if counted:
        table = count_rows(table, of=tuple(GROUPS), left_out=material.left_out).table
    if material.protocol is not None and material.protocol.wording:  # in which words each answer was asked for
        table = table.with_columns(pl.lit(material.protocol.wording).alias("wording"))
    writers: dict[str, Callable[[pl.DataFrame, Path], None]] = {".csv": _csv, ".jsonl": _jsonl, ".parquet": _parquet}
    writer = writers.get(path.suffix)
    if writer is None:
        raise LannerError(
            f"Files ending in {path.suffix!r} are not written.",
            where=Where(path),
            next_step=did_you_mean(path.suffix, writers),
        )
    writer(table, path)
    write_beside(path, material)
    return table.height


def _csv(table: pl.DataFrame, path: Path) -> None:
    write_whole(path, csv_text(table.rows(named=True)))


def _jsonl(table: pl.DataFrame, path: Path) -> None:
    write_whole(path, table.with_columns(pl.col("answered_at").dt.to_string("iso:strict")).write_ndjson())


def _parquet(table: pl.DataFrame, path: Path) -> None:
    with replacing(path) as temporary:
        table.write_parquet(temporary)


COLUMNS: Mapping[str, str] = {
    "judge": "who answered: people under a pseudonym unless asked otherwise, models and metrics by their ids",
    "judge_kind": "person, model, metric, simulated or adjudicated",
    "stage": "the stage of the protocol; score for what the protocol computes from answers",
    "question": "the question or score, by id",
    "row": "the row of a grid, or the label a question was repeated for; empty otherwise",
    "document": "the document, by id",
    "segment": "the segment, by id; empty for the whole document",
    "system": "the system judged, or several joined by |, in the order shown; empty for the source alone",
    "role": "main, repeat, control, tutorial or calibration",
    "domain": "the document's domain",
    "source_language": "the language of the source",
    "target_language": "the language of the translation",
    "label": "the option chosen, by id",
    "score": "the number given, or the value of the option chosen",
    "labels": "the labels chosen, one that was given several times as often",
    "spans": "marked spans, as JSON, offsets in code points; origin and model say what became of those offered",
    "text": "free text",
    "ranks": "ranks in the order of the systems, 1 best",
    "elapsed": "seconds from opening to answering",
    "active": "seconds with activity",
    "answered_at": "when, in UTC",
    "flags": "rules that an imported answer breaks, and what is unsure about any",
}
_SOMETIMES = {
    "help": "whether a model's marks were offered to the judge or withheld; empty where it made none",
    "draw": "which draw of the adaptive campaign the document was, 1 for the first; empty where it was not drawn",
    "draw_probability": "the chance that the document had among those not drawn yet, when it was drawn",
}


def codebook(material: Material, name: str = "", **options: Any) -> list[dict[str, Json]]:
    """A row for every column (of the tidy table, or of another format by name), then one for every question, option
    and score with its words, after the versions, the judges who count in no result, each with the reason, and the
    answers that the format has no place for."""
    versions: list[dict[str, Json]] = [{"kind": "version", "id": "lanner", "meaning": __version__}]
    if material.chain:
        number, hash_ = material.chain
        words = f"{hash_} (SHA-256 over the {number} judgements committed so far; lanner verify --chain checks it)"
        versions.append({"kind": "chain", "id": material.name, "meaning": words})
    versions += [{"kind": "note", "id": material.name, "meaning": note} for note in material.notes]
    versions += [{"kind": "left_out", "id": judge, "meaning": reason} for judge, reason in material.left_out.items()]
    if name:
        versions.append({"kind": "format", "id": name, "meaning": formats.titles()[name]})
        missing = without_place(material, name, **options).items()
        versions += [{"kind": "no_place", "id": id_, "value": n, "meaning": _NO_PLACE} for id_, n in missing]
    columns = [*material.table.columns, *(("draw", "draw_probability") if material.drawn else ())]
    meanings = (
        registry.table("reports.codebook").get(name, {}) if name else {column: _column(column) for column in columns}
    )
    rows = versions + [{"kind": "column", "id": column, "meaning": meaning} for column, meaning in meanings.items()]
    return rows + (_list_questions(material.protocol) if material.protocol else [])


_NO_PLACE = "so many answers to this question have no place in the format and are not in the file; native keeps all"


def write_beside(path: Path, material: Material, name: str = "", **options: Any) -> Path:
    """The codebook of an export, next to it: `pilot.codebook.csv` for `pilot.csv` and for a folder `pilot`."""
    place = path.with_name(f"{path.stem}.codebook.csv")
    write_whole(place, csv_text(codebook(material, name, **options)))
    return place


def _column(name: str) -> str:
    return {**COLUMNS, **_SOMETIMES}.get(name, f"attribute of the judge: {name.removeprefix('judge_')}")


def _list_questions(protocol: Protocol) -> list[dict[str, Json]]:
    words = Wording(protocol)
    rows: list[dict[str, Json]] = [{"kind": "protocol", "id": protocol.label, "meaning": f"hash {protocol.hash}"}]
    for stage, question in protocol.questions:
        question_words = words.question(question.id)
        meaning = ". ".join(filter(None, (question_words.label, question_words.help, question_words.definition)))
        rows.append({"kind": "question", "id": question.id, "of": stage.id, "meaning": meaning})
        for option in question.choices:
            option_words = words.option(question.id, option.id)
            meaning = ". ".join(filter(None, (option_words.label, option_words.definition)))
            rows.append(
                {"kind": "option", "id": option.id, "of": question.id, "value": option.value, "meaning": meaning}
            )
    rows += [{"kind": "score", "id": s.id, "of": s.question, "meaning": f"rule {s.rule}"} for s in protocol.scores]
    return rows


def export_as(material: Material, name: str, path: Path, **options: Any) -> int:
    """Write into a format by name, with its codebook beside it; how many judgements went in."""
    count = _write(material, name, path, **options)
    write_beside(path, material, name, **options)
    return count


def without_place(material: Material, name: str, **options: Any) -> dict[str, int]:
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
        if name == "native":
            options = {"definition": protocols.definition_of(protocol), "left_out": material.left_out, **options}
    elif protocol is not None and name == "label_studio":
        options = {"protocol": protocol, **options}
    formats.write(name, path, material.documents, judgements, judges, **options)
    return len(judgements)


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
    if plans := ranking_plans(protocol):
        return plans[0].of
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


def _sign(protocol: Protocol) -> float:
    """What makes more of the main score better, as readers of other tools' formats take it."""
    return -1.0 if direction_of(protocol, main_score(protocol)) == "lower_is_better" else 1.0


def score_judgements(material: Material, protocol: Protocol) -> list[Judgement]:
    """The main score of every output judged, one judgement each, called `score`. More is better, so penalties and
    ranks change their sign."""
    score_id, sign = main_score(protocol), _sign(protocol)
    every = [*material.judgements, *derive(protocol, material.judgements)]
    return [
        replace(
            judgement,
            stage="segment" if judgement.segment else "document",
            question="score",
            value=sign * judgement.value + 0.0,  # adding it keeps "no error" from being written as -0.0
        )
        for judgement in every
        if judgement.question == score_id and len(judgement.systems) == 1 and isinstance(judgement.value, int | float)
    ]


def _for_mtme(material: Material, protocol: Protocol) -> list[Judgement]:
    """Each judge's scores, and under the protocol's name what they come to: a mean for each segment and each system.
    Control items and repeats are no part of a test set."""
    own = [score for score in score_judgements(material, protocol) if score.role is Role.MAIN]
    marks = [judgement for judgement in material.judgements if _is_main_mark(judgement)]
    return [*own, *_gold(material, protocol), *marks]


def _gold(material: Material, protocol: Protocol) -> Iterable[Judgement]:
    name, sign = protocol.name, _sign(protocol)
    table, of = scored_rows(material).table, main_score(protocol)
    if of not in set(table["question"]):
        return
    items = scores.items(table, of).table
    for system, document, segment, value in items.select("system", "document", "segment", "score").iter_rows():
        stage = "segment" if segment else "document"
        yield Judgement(name, stage, "score", document, segment, (system,), sign * value + 0.0)
    for system, value in items.group_by("system", maintain_order=True).agg(pl.col("score").mean()).iter_rows():
        yield Judgement(name, "system", "score", "", "", (system,), sign * value + 0.0)


def _write_appraise(path: Path, material: Material, judgements: Sequence[Judgement]) -> int:
    """As the format writes it, but safe to open in a spreadsheet."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for row in appraise.score_rows(material.documents, judgements, path=path):
        writer.writerow(map(guarded, row))
    write_whole(path, buffer.getvalue())
    return len(judgements)


def _for_appraise(material: Material, protocol: Protocol) -> list[Judgement]:
    """The main score of every output, with the spans that the same judge marked in it. Beside marks that say how bad an
    output is, Appraise's own score is 0; it has no place for other numbers of which less is better."""
    is_inverse, main = _sign(protocol) < 0, main_score(protocol)
    if is_inverse and main not in {score.id for score in protocol.scores}:
        raise _lacking(protocol, f"asks for a number of which less is better ({main}), and Appraise for a score")
    spans = {_unit(judgement): judgement for judgement in material.judgements if _is_spans(judgement.value)}
    judgements: list[Judgement] = []
    for score in score_judgements(material, protocol):
        judgements.append(replace(score, value=0.0) if is_inverse else score)
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
