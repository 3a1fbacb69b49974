"""Outputs that a model gave elsewhere, handed in like new ones: the ledger keeps each as it was, the campaign takes
its answers as it takes any file's. Spellings are mended by the alias table alone and counted; an answer that breaks a
rule is kept and flagged, never dropped. Only an output that marks words which do not stand in the text is no answer, as
it is none where the model is asked here.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from lanner import campaign, registry
from lanner.campaign import Imported
from lanner.campaign.imports import ImportSummary
from lanner.campaign.questions import systems_of
from lanner.errors import AnswerError, CampaignError, InputError, Where, check_known, did_you_mean
from lanner.judges.replies import AmbiguousError, replace_aliases, unambiguous_entries
from lanner.model import Document, Item, Json, Judge, JudgeKind, Judgement, Protocol, Role, Spans, all_systems
from lanner.protocols.answers import accept
from lanner.protocols.judgements import judged_texts
from lanner.protocols.kinds.spans import TEXT_NOT_FOUND
from lanner.store import NewEntry, Store
from lanner.store.rows import dumps, micros

TEMPLATE = "replay"


@dataclass(frozen=True, slots=True)
class ReplayLine:
    """One line of a file: what it is about and what the model said, by question."""

    line: int
    item: Item
    answers: Mapping[str, Json]
    raw: str


def outputs(path: Path, protocol: Protocol, documents: Sequence[Document]) -> Iterator[ReplayLine]:
    """The outputs in a file of JSON lines: each names its sentence (and document, where sentences of several share
    their ids; and system, where there are several) and has answers under the questions' ids."""
    places: dict[str, list[str]] = {}
    for document in documents:
        for segment in document:
            places.setdefault(segment.id, []).append(document.id)
    systems = all_systems(documents)
    others = {name for document in documents for segment in document for name in segment.references}
    for line, row in _rows(path):
        where = Where(path, line)
        item, answers = _item(row, places, systems, where), _answers(row, protocol, where)
        named = _field(row, "systems")
        about_outputs = any(place and systems_of(place[0], item) for place in map(protocol.find, answers))
        if about_outputs and named is None and len(systems) > 1:
            raise InputError(
                "This line does not say which system it is about.",
                where=where,
                next_step='Give "system", or "systems".',
            )
        for name in item.systems if named is not None else ():
            check_known(
                name, (*systems, *others), f"There is no system {name!r} in the campaign.", InputError, where=where
            )
        yield ReplayLine(line, item, answers, dumps(row))


def inspect_outputs(store: Store, reference: int | str, path: Path, model: str) -> ImportSummary:
    """What a file of a model's outputs would bring; nothing is stored."""
    protocol = campaign.protocol(store, reference)
    documents = campaign.documents(store, reference)
    lines = list(outputs(path, protocol, documents))
    unusable = _unusable(lines, protocol, documents, path)
    usable = [output for output in lines if output.line not in unusable]
    counts = Counter(entry.question for entry in _judgements(usable, protocol, model, path))
    is_judge = model in {judge.id for judge in campaign.judges(store, reference)}
    answers = sum(counts.values())
    return ImportSummary(
        "outputs of a model", answers, ((model, answers, is_judge),), tuple(counts.items()), 0, _places(unusable, path)
    )


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Json]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The file cannot be read: {error}.", where=Where(path)) from error
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=unambiguous_entries, parse_constant=_no_number)
        except AmbiguousError as error:
            raise InputError(str(error), where=Where(path, number), next_step="Leave one of them out.") from error
        except ValueError as error:
            raise InputError(f"This line is not JSON: {error}.", where=Where(path, number)) from error
        if not isinstance(row, dict):
            raise InputError("This line is not a JSON object.", where=Where(path, number))
        yield number, row


def _no_number(word: str) -> Json:
    raise ValueError(f"{word} is no number")


def _item(row: Mapping[str, Json], places: Mapping[str, list[str]], systems: tuple[str, ...], where: Where) -> Item:
    segment, document = (
        "" if value is None else str(value) for value in (_field(row, "segment"), _field(row, "document"))
    )
    if segment and segment not in places:
        hint = did_you_mean(segment, places)
        raise InputError(f"There is no sentence {segment!r} in the campaign.", where=where, next_step=hint)
    if not document and len(places.get(segment, ())) != 1:
        what = "This line does not say which sentence it is about."
        raise InputError(what, where=where, next_step='Give "segment", and "document" where sentences share their ids.')
    system = _field(row, "systems")
    systems_shown = systems[:1] if system is None else (system,) if isinstance(system, str) else tuple(map(str, system))
    return Item(document or places[segment][0], segment, systems_shown)


def _field(row: Mapping[str, Json], field: str) -> Json:
    return next((row[name] for name in registry.table("judges.replay")["place"][field] if name in row), None)


def _answers(row: Mapping[str, Json], protocol: Protocol, where: Where) -> dict[str, Json]:
    names = registry.table("judges.replay")
    question_ids = {question.id for _, question in protocol.questions}
    about = {name for group in names["place"].values() for name in group}
    answers: dict[str, Json] = {}
    for name, value in row.items():
        question = name if name in question_ids else names["question"].get(name, name)
        if question in question_ids:
            answers[question] = value
        elif name not in about and name not in ("model", "domain", "usage", "time"):
            hint = did_you_mean(name, question_ids)
            raise InputError(f"{protocol.name} has no question {name!r}.", where=where, next_step=hint)
    if not answers:
        raise InputError(
            "This line answers no question.", where=where, next_step=f"Known: {', '.join(sorted(question_ids))}."
        )
    return answers


def replay(store: Store, reference: str | int, path: Path, name: str = "", *, account: int | None = None) -> Imported:
    """Take in a file of outputs as the answers of one model (named like the file, unless told otherwise)."""
    target = campaign.get(store, reference)
    protocol = campaign.protocol(store, target.id)
    documents = campaign.documents(store, target.id)
    judge = Judge(name or path.stem, JudgeKind.MODEL, attributes={"replayed": path.name})
    known = next((each for each in campaign.judges(store, target.id) if each.id == judge.id), judge)
    if "template" in known.attributes:
        raise CampaignError(
            f"{judge.id!r} is a judge that was asked here.",
            code="other_judge",
            next_step="Give the judge of this file another name with --as.",
        )
    lines = list(outputs(path, protocol, documents))
    unusable = _unusable(lines, protocol, documents, path)
    judgements = _judgements([output for output in lines if output.line not in unusable], protocol, judge.id, path)
    report = campaign.import_judgements(store, target.id, judgements, judges=[judge], account=account)
    with store.reading() as tx:
        participant = tx.judges.find(target.id, judge.id)
        numbers = tx.documents.numbers(target.id)
    assert participant is not None
    rows = [
        _row(
            output,
            protocol,
            judge.id,
            (target.id, participant.number, numbers[output.item.document]),
            unusable.get(output.line, ""),
        )
        for output in lines
    ]
    store.write(lambda tx: tx.ledger.add(rows))
    return replace(report, unusable=_places(unusable, path))


def _unusable(
    lines: Iterable[ReplayLine], protocol: Protocol, documents: Iterable[Document], path: Path
) -> dict[int, str]:
    """By line, why an output is no answer: what it marks does not stand in the text."""
    segments = {(document.id, segment.id): segment for document in documents for segment in document}
    problems: dict[int, str] = {}
    for output in lines:
        for entry in _judgements_of(output, protocol, "", path):
            place = protocol.find(entry.question)
            assert place is not None
            stage, question = place
            if not isinstance(question, Spans):
                continue
            texts = judged_texts(stage, entry, segments.get((entry.document, entry.segment)))
            labels = tuple(entry.value) if question.for_each and isinstance(entry.value, Mapping) else ()
            with suppress(AnswerError):  # what else is wrong refuses the file
                answer = accept(question, entry.value, texts=texts, chosen=labels, outputs=max(2, len(entry.systems)))
                if TEXT_NOT_FOUND in answer.flags:
                    words = next(_words_nowhere(answer.value))
                    problems[output.line] = f"{question.id}: {words!r} does not stand in the text."
    return problems


def _words_nowhere(value: Json) -> Iterator[str]:
    """The words of an answer's marks that have no place and need one, whatever labels it is repeated for."""
    for marks in value.values() if isinstance(value, Mapping) else (value,):
        yield from (mark["text"] for mark in marks if not (mark.get("missing") or "start" in mark) and "text" in mark)


def _places(problems: Mapping[int, str], path: Path) -> tuple[str, ...]:
    return tuple(f"{Where(path.name, line)}: {problem}" for line, problem in problems.items())


def _judgements(lines: Iterable[ReplayLine], protocol: Protocol, judge: str, path: Path) -> list[Judgement]:
    """What the model said; two answers to one question are refused, since nobody knows which one is meant."""
    answers: dict[tuple[object, ...], Judgement] = {}
    for output in lines:
        for entry in _judgements_of(output, protocol, judge, path):
            about = (entry.question, entry.document, entry.segment, entry.systems)
            if answers.setdefault(about, entry).value != entry.value:
                raise InputError(
                    f"{entry.question} is answered otherwise than in line {answers[about].origin.rpartition(':')[2]}.",
                    where=Where(path, output.line),
                    next_step="Leave one of the lines out, or give each sample a file, and so a judge, of its own.",
                )
    return list(answers.values())


def _judgements_of(output: ReplayLine, protocol: Protocol, judge: str, path: Path) -> Iterator[Judgement]:
    for question, value in output.answers.items():
        place = protocol.find(question)
        assert place is not None
        yield Judgement(
            judge=judge,
            stage=place[0].id,
            question=question,
            document=output.item.document,
            segment=output.item.segment,
            systems=systems_of(place[0], output.item),
            value=value,
            flags=() if value is not None else ("missing",),
            origin=f"{path.name}:{output.line}",
        )


def _row(output: ReplayLine, protocol: Protocol, model: str, numbers: tuple[int, int, int], problem: str) -> NewEntry:
    repairs, pages = 0, []
    for name, value in output.answers.items():
        place = protocol.find(name)
        assert place is not None
        repairs += replace_aliases(place[1], value)[1]
        pages.append(place[0].page_id)
    campaign_number, judge, document = numbers
    answers = {name: value for name, value in output.answers.items() if value is not None and not problem}
    return {
        "campaign": campaign_number, "judge": judge, "document": document, "segment": output.item.segment,
        "systems": dumps(output.item.systems), "role": Role.MAIN.value, "page": pages[0],
        "key": hashlib.sha256(f"{output.line}\x1f{output.raw}".encode()).hexdigest()[:32], "sample": 0, "swapped": 0,
        "attempt": 1, "final": 1, "outcome": "missing" if problem else "replayed", "prompt_hash": "", "schema_hash": "",
        "template": TEMPLATE, "model": model, "model_answered": "", "fingerprint": "", "seed": None,
        "temperature": None, "tokens_in": 0, "tokens_out": 0, "repairs": repairs, "cost": None, "latency": 0.0,
        "raw": output.raw, "problem": problem, "detail": "{}", "answers": dumps(answers) if answers else None,
        "asked_at": micros(campaign.now()),
    }  # fmt: skip
