"""One protocol made from others: what a file extends and includes, and what it leaves out.

Tables merge by key, lists of tables by `id`, so that a derived file names only what differs. A list of bare ids picks
from the base, in that order. `without` leaves out stages, questions, options, scores or whole languages by id, with
everything that depends on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Table = dict[str, Any]
_OPTION_LISTS = ("options", "rows", "categories", "severities")


def merged(base: Any, over: Any) -> Any:
    """`over` on top of `base`."""
    if isinstance(base, Mapping) and isinstance(over, Mapping):
        return {**base, **{key: merged(base[key], value) if key in base else value for key, value in over.items()}}
    if isinstance(base, list) and isinstance(over, list) and base and all(_has_id(entry) for entry in base):
        by_id = {entry["id"]: entry for entry in base}
        if over and all(isinstance(entry, str) for entry in over):
            return [by_id.get(entry, {"id": entry}) for entry in over]
        if all(_has_id(entry) for entry in over):
            changed = {entry["id"]: merged(by_id.get(entry["id"], {}), entry) for entry in over}
            return [changed.pop(name, entry) for name, entry in by_id.items()] + list(changed.values())
    return over


def without(base: Table, names: set[str]) -> Table:
    """The base without what is named, and without what depends on it: options of a dropped group, questions of a
    dropped stage, scores of a dropped question, analyses and words of all of these."""
    kept: Table = {key: _dropped(value, names) for key, value in base.items()}
    questions = set(_questions(base)) - set(_questions(kept))
    kept["score"] = [score for score in kept.get("score", ()) if score.get("question") not in questions]
    scores = {score["id"] for score in base.get("score", ())} - {score["id"] for score in kept["score"]}
    kept["analysis"] = [entry for entry in kept.get("analysis", ()) if entry.get("of") not in questions | scores]
    stages = {stage["id"] for stage in base.get("stage", ())} - {stage["id"] for stage in kept.get("stage", ())}
    kept["text"] = {
        language: _fewer_words(_fewer_words(words, "questions", questions), "stages", stages)
        for language, words in kept.get("text", {}).items()
    }
    return kept


def _fewer_words(words: Table, key: str, dropped: set[str]) -> Table:
    left = {name: entry for name, entry in words.get(key, {}).items() if name not in dropped}
    return {**words, key: left} if key in words else words


def spelled_out(table: Table) -> Table:
    """The table with options given as bare ids made into tables."""
    for stage in table.get("stage", ()):
        for question in stage.get("question", ()) if isinstance(stage, dict) else ():
            for key in _OPTION_LISTS:
                if isinstance(question, dict) and isinstance(question.get(key), list):
                    question[key] = [{"id": entry} if isinstance(entry, str) else entry for entry in question[key]]
    return table


def place_in(file: Any, whole: Any, place: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Where a place of the derived protocol stands in the file that derives it, as far as the file spells it out:
    numbers in lists differ between the two, ids do not."""
    found: list[str | int] = []
    for part in place:
        if isinstance(part, int) and isinstance(whole, list) and part < len(whole):
            entry = whole[part]
            name = entry.get("id") if isinstance(entry, Mapping) else None
            same = range(len(file)) if isinstance(file, list) else range(0)
            at = next((n for n in same if file[n] == entry or (name and _name_of(file[n]) == name)), None)
            if at is None:
                return tuple(found)
            found.append(at)
            file, whole = file[at], entry
        elif isinstance(whole, Mapping) and part in whole:
            if not isinstance(file, Mapping) or part not in file:
                return tuple(found)
            found.append(part)
            file, whole = file[part], whole[part]
        else:
            found.append(part)
    return tuple(found)


def _name_of(entry: object) -> object:
    return entry.get("id") if isinstance(entry, Mapping) else entry


def _has_id(entry: object) -> bool:
    return isinstance(entry, Mapping) and "id" in entry


def _questions(table: Table) -> Iterator[str]:
    return (question["id"] for stage in table.get("stage", ()) for question in stage.get("question", ()))


def _dropped(value: Any, names: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: _dropped(entry, names) for key, entry in value.items() if key not in names}
    if isinstance(value, list):
        kept = [entry for entry in value if not (isinstance(entry, str) and entry in names)]
        return [_dropped(entry, names) for entry in kept if not _about(entry, names)]
    return value


def _about(entry: object, names: set[str]) -> bool:
    keys = ("id", "group", "parent", "question", "of", "category", "severity")
    return isinstance(entry, dict) and any(isinstance(name := entry.get(key), str) and name in names for key in keys)
