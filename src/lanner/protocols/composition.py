"""One protocol made from others: what a file extends and includes, what it leaves out, and the questionnaires asked
before and after it."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lanner.errors import ProtocolError, Where
from lanner.model import Protocol, Unit
from lanner.protocols.consistency import problems

# One protocol made from others: what a file extends and includes, and what it leaves out.


Table = dict[str, Any]
_OPTION_LISTS = ("options", "rows", "categories", "severities")


def merged(base: Any, over: Any) -> Any:
    """`over` on top of `base`."""
    if isinstance(base, Mapping) and isinstance(over, Mapping):
        return {**base, **{key: merged(base[key], value) if key in base else value for key, value in over.items()}}
    if isinstance(base, list) and isinstance(over, list) and base and all(_has_id(entry) for entry in base):
        by_id = {entry["id"]: entry for entry in base}
        if any(isinstance(entry, str) for entry in over) and all(isinstance(e, str) or _has_id(e) for e in over):
            entries = [{"id": entry} if isinstance(entry, str) else entry for entry in over]
            return [merged(by_id.get(entry["id"], {}), entry) for entry in entries]
        if all(_has_id(entry) for entry in over):
            by_new_id = {entry["id"]: merged(by_id.get(entry["id"], {}), entry) for entry in over}
            return [by_new_id.pop(name, entry) for name, entry in by_id.items()] + list(by_new_id.values())
    return over


def without(base: Table, names: set[str]) -> Table:
    """The base without what is named, and without what depends on it: options of a dropped group, questions of a
    dropped stage, scores of a dropped question, analyses and words of all of these."""
    remaining: Table = {key: _drop(value, names) for key, value in base.items()}
    questions = set(_questions(base)) - set(_questions(remaining))
    remaining["score"] = [score for score in remaining.get("score", ()) if score.get("question") not in questions]
    scores = {score["id"] for score in base.get("score", ())} - {score["id"] for score in remaining["score"]}
    removed_ids = questions | scores
    remaining["analysis"] = [entry for entry in remaining.get("analysis", ()) if not _mentions(entry, removed_ids)]
    stages = {stage["id"] for stage in base.get("stage", ())} - {stage["id"] for stage in remaining.get("stage", ())}
    remaining["text"] = {
        language: _fewer_words(_fewer_words(words, "questions", questions), "stages", stages)
        for language, words in remaining.get("text", {}).items()
    }
    return remaining


def _mentions(value: Any, names: set[str]) -> bool:
    if isinstance(value, Mapping):
        return any(_mentions(entry, names) for entry in value.values())
    if isinstance(value, list):
        return any(_mentions(entry, names) for entry in value)
    return value in names


def _fewer_words(words: Table, key: str, names: set[str]) -> Table:
    left = {name: entry for name, entry in words.get(key, {}).items() if name not in names}
    return {**words, key: left} if key in words else words


def spelled_out(table: Table) -> Table:
    """The table with questions that are `like` another made complete, options given as bare ids made tables, and an
    analysis of several things made one of each."""
    if isinstance(table.get("analysis"), list):
        table["analysis"] = [one for entry in table["analysis"] for one in _each_analysis(entry)]
    questions: dict[str, Table] = {}
    for stage in table.get("stage", ()):
        if not isinstance(stage, dict) or not isinstance(stage.get("question"), list):
            continue
        questions_list = []
        for raw in stage["question"]:
            question = _fill_from_like(raw, questions, table)
            for key in _OPTION_LISTS:
                if isinstance(question, dict) and isinstance(question.get(key), list):
                    question[key] = [{"id": entry} if isinstance(entry, str) else entry for entry in question[key]]
            if _has_id(question):
                questions[question["id"]] = question
            questions_list.append(question)
        stage["question"] = questions_list
    return table


def _each_analysis(entry: Any) -> list[Any]:
    if isinstance(entry, dict) and isinstance(entry.get("of"), list):
        return [{**entry, "of": name} for name in entry["of"]]
    return [entry]


def _fill_from_like(question: Any, questions: Mapping[str, Table], table: Table) -> Any:
    """A question that is `like` an earlier one, with that one's fields and words underneath its own. A mistaken name
    stays, to be found as an unknown field."""
    if not isinstance(question, dict) or not isinstance(question.get("like"), str) or question["like"] not in questions:
        return question
    model = questions[question["like"]]
    for words in table.get("text", {}).values():
        texts = words.get("questions", {})
        if model["id"] in texts:
            texts[question["id"]] = merged(texts[model["id"]], texts.get(question["id"], {}))
    own = {key: value for key, value in question.items() if key != "like"}
    return merged(copy.deepcopy({key: value for key, value in model.items() if key != "key"}), own)


def place_in(file: Any, whole: Any, place: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Where a place of the derived protocol stands in the file that derives it, as far as the file spells it out:
    numbers in lists differ between the two, ids do not."""
    path: list[str | int] = []
    for part in place:
        if isinstance(part, int) and isinstance(whole, list) and part < len(whole):
            entry = whole[part]
            name = entry.get("id") if isinstance(entry, Mapping) else None
            same = range(len(file)) if isinstance(file, list) else range(0)
            at = next((n for n in same if file[n] == entry or (name and _name_of(file[n]) == name)), None)
            if at is None:
                return tuple(path)
            path.append(at)
            file, whole = file[at], entry
        elif isinstance(whole, Mapping) and part in whole:
            if not isinstance(file, Mapping) or part not in file:
                return tuple(path)
            path.append(part)
            file, whole = file[part], whole[part]
        else:
            path.append(part)
    return tuple(path)


def _name_of(entry: object) -> object:
    return entry.get("id") if isinstance(entry, Mapping) else entry


def _has_id(entry: object) -> bool:
    return isinstance(entry, Mapping) and "id" in entry


def _questions(table: Table) -> Iterator[str]:
    return (question["id"] for stage in table.get("stage", ()) for question in stage.get("question", ()))


def _drop(value: Any, names: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: _drop(entry, names) for key, entry in value.items() if key not in names}
    if isinstance(value, list):
        entries = [entry for entry in value if not (isinstance(entry, str) and entry in names)]
        return [_drop(entry, names) for entry in entries if not _about(entry, names)]
    return value


def _about(entry: object, names: set[str]) -> bool:
    keys = ("id", "group", "parent", "question", "of", "category", "severity")
    return isinstance(entry, dict) and any(isinstance(name := entry.get(key), str) and name in names for key in keys)


# One protocol with questionnaires before and after it: consent, background, how it went.
#
# A campaign asks everything through one frozen protocol, so questionnaires become stages of it. Their words move to
# where they cannot meddle with the words of the protocol itself.


def compose(protocol: Protocol, *, before: Sequence[Protocol] = (), after: Sequence[Protocol] = ()) -> Protocol:
    """The protocol with the stages of questionnaires in front of it and behind it. Name and version stay its own; the
    hash says that something was added."""
    if not before and not after:
        return protocol
    for questionnaire in (*before, *after):
        if any(stage.unit is not Unit.JUDGE for stage in questionnaire.stages):
            raise ProtocolError(
                f"{questionnaire.name!r} asks about texts; only questionnaires can stand before or after a protocol.",
                next_step='A questionnaire has unit = "judge" and object = "none" in all its stages.',
            )
    parts = (*before, protocol, *after)
    text: Mapping[str, Any] = protocol.text
    for questionnaire in (*before, *after):
        text = merged(_own_words(questionnaire), text)
    whole = protocol.model_copy(
        update={
            "stages": tuple(stage for part in parts for stage in part.stages),
            "scores": tuple(score for part in parts for score in part.scores),
            "analyses": tuple(analysis for part in parts for analysis in part.analyses),
            "groups": tuple(dict.fromkeys(group for part in parts for group in part.groups)),
            "text": text,
        }
    )
    whole = Protocol.model_validate(whole.model_dump(by_alias=True, exclude_unset=True))
    for _, what, hint in problems(whole):
        raise ProtocolError(what, where=Where(item=" + ".join(part.name for part in parts)), next_step=hint)
    return whole


def _own_words(questionnaire: Protocol) -> dict[str, Any]:
    """The words of a questionnaire by stage and question only."""
    texts: dict[str, Any] = {}
    for language, words in questionnaire.text.items():
        title = {key: words[key] for key in ("title", "instructions") if key in words}
        stages = {stage.id: {**title, **words.get("stages", {}).get(stage.id, {})} for stage in questionnaire.stages}
        common_options, question_texts = words.get("options", {}), words.get("questions", {})
        questions: dict[str, Any] = {}
        for _, question in questionnaire.questions:
            options = {
                option.id: common_options[option.id] for option in question.choices if option.id in common_options
            }
            own = merged({"options": options} if options else {}, question_texts.get(question.id, {}))
            questions |= {question.id: own} if own else {}
        texts[language] = {"stages": stages, "questions": questions, "groups": words.get("groups", {})}
    return texts
