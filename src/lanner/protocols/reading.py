"""From TOML files to a `Protocol`, with mistakes named by file, line and what was meant; and one protocol made from
others: what a file extends and includes, what it leaves out, the questionnaires asked before and after it."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from lanner import registry
from lanner.errors import ProtocolError, Where, did_you_mean
from lanner.model import Protocol, Question, Stage, Unit
from lanner.model.protocol import Analysis, Condition, Context, Option, Promotion, Score
from lanner.protocols.consistency import from_table, problems

# Where each key of a TOML file stands, so that a mistake in its meaning can be shown with its line.
#
# The standard reader gives values without positions. This notes the line of every table header and key; it is used for
# messages only, never for values.


_HEADER = re.compile(r"^\s*+(\[\[?)([^\[\]]++)\]\]?\s*+(?:#.*)?$")
_KEY = re.compile(r"^\s*+([A-Za-z0-9_.\"'-]++)\s*+=")
_TRIPLE = re.compile(r'"""|\'\'\'')

Place = tuple[str | int, ...]


def _parts(path: str) -> list[str]:
    return [part.strip().strip("\"'") for part in path.split(".")]


class TomlLines:
    """Line numbers (from 1) by path, for instance ("stage", 0, "question", 2, "min")."""

    def __init__(self, text: str) -> None:
        self._lines: dict[Place, int] = {}
        counts: dict[Place, int] = {}
        table: Place = ()
        in_text = False
        for number, line in enumerate(text.splitlines(), start=1):
            quotes = len(_TRIPLE.findall(line))
            if in_text:
                in_text = quotes % 2 == 0
                continue
            if header := _HEADER.match(line):
                table = self._enter(header[1] == "[[", _parts(header[2]), counts)
                for length in range(len(table), 0, -1):  # a header also opens the tables above it
                    self._lines.setdefault(table[:length], number)
            elif key := _KEY.match(line):
                self._lines.setdefault((*table, *_parts(key[1])), number)
            in_text = quotes % 2 == 1

    @staticmethod
    def _enter(is_array: bool, parts: list[str], counts: dict[Place, int]) -> Place:
        path: Place = ()
        for part in parts[:-1]:
            path = (*path, part)
            if path in counts:
                path = (*path, counts[path])
        path = (*path, parts[-1])
        if is_array:
            counts[path] = counts.get(path, -1) + 1
            path = (*path, counts[path])
        return path

    def find(self, path: Sequence[str | int]) -> int | None:
        """The line of that path or of its nearest known ancestor; parts a file does not spell out are skipped."""
        table_path: Place = ()
        for part in path:
            if any(place[: len(table_path) + 1] == (*table_path, part) for place in self._lines):
                table_path = (*table_path, part)
        while table_path and table_path not in self._lines:
            table_path = table_path[:-1]
        return self._lines.get(table_path)


PUBLISHED = "published"
_MAX_EXTENDS = 8
_DEEPEST = 50
_KINDS: dict[str, type[BaseModel]] = {
    kind.model_fields["kind"].default: kind for kind in get_args(get_args(Question)[0])
}
_SHAPES: dict[str, type[BaseModel]] = {
    "stage": Stage,
    "score": Score,
    "analysis": Analysis,
    "when": Condition,
    "gate": Condition,
    "context": Context,
    "promotion": Promotion,
    "options": Option,
    "rows": Option,
    "categories": Option,
    "severities": Option,
}


def names() -> tuple[str, ...]:
    """The protocols that come with Lanner or with an installed package."""
    return registry.names("protocols", ".toml")


def with_published_wording() -> tuple[str, ...]:
    """The protocols of Lanner that can be asked in the words of their paper, themselves or by what they extend."""
    own = {path.stem for path in (Path(__file__).parent / PUBLISHED).glob("*.toml")}
    bases = {name: str(_table_of(_locate(name)).get("extends", "")) for name in names()}
    return tuple(name for name in names() if name in own or bases[name] in own)


def load(name_or_path: str | Path, *, wording: str = "") -> Protocol:
    """A protocol by name ("h_falcon") or from a file ("./mine.toml"). With wording="published" its questions, labels
    and ends of scales are those of the paper it comes from."""
    path = _locate(name_or_path)
    if name_or_path in names():
        return _load_installed(path, path.stat().st_mtime_ns, wording)
    return parse_toml(_text_of(path), path, wording=wording)


@lru_cache(maxsize=256)
def _load_installed(path: Path, _modified_at: int, wording: str) -> Protocol:
    """A protocol that is installed: read once, since a page that offers them all reads thirty of them."""
    return parse_toml(_text_of(path), path, wording=wording)


def definition_of(protocol: Protocol) -> str:
    """A protocol as JSON, for files that have to bring it along; "" where Lanner itself has it, unchanged."""
    if protocol.name in names() and load(protocol.name).hash == protocol.hash:
        return ""
    return protocol.model_dump_json()


def parse_toml(text: str, path: Path | str = "protocol.toml", *, wording: str = "") -> Protocol:
    """A protocol from the text of a TOML file; `path` is for messages and for what it extends."""
    protocol, problems = _read(text, path, wording)
    for mistake in problems:
        raise mistake
    assert protocol is not None
    return protocol


def mistakes(path: str | Path) -> list[ProtocolError]:
    """Every mistake of a protocol file, in the order they were met; empty if it can be used."""
    try:
        return list(_read(_text_of(Path(path)), path)[1])
    except ProtocolError as error:
        return [error]


def _read(text: str, path: Path | str, wording: str = "") -> tuple[Protocol | None, Iterator[ProtocolError]]:
    own = registry.toml_table(text, path, ProtocolError)
    lines = TomlLines(text)
    _refuse_misshapen(own, path, lines)
    words = wording or str(own.get("wording", ""))
    _refuse_wording(words, Where(path, None if wording else lines.find(("wording",))))
    unworded = {key: value for key, value in copy.deepcopy(own).items() if key != "wording"}
    try:
        whole = _expand(unworded, Path(path), 0, words)
    except (TypeError, AttributeError, KeyError) as error:  # a field that holds another kind of thing than its base
        raise ProtocolError(
            "Some field holds another kind of thing than the protocol it extends or repeats.",
            where=Where(path),
            next_step="Compare lists, tables and texts with those of the other protocol: `lanner protocol NAME`.",
        ) from error

    if words and whole.get("wording") != words:
        raise ProtocolError(
            f"{whole.get('name', 'This protocol')} has no {words} wording.",
            where=Where(path, None if wording else lines.find(("wording",))),
            next_step=f"Those with one: {', '.join(with_published_wording())}.",
        )

    def where(place: tuple[str | int, ...], item: str | None = None) -> Where:
        return Where(path, lines.find(place_in(own, whole, place)), item=item)

    try:
        protocol = Protocol.model_validate(whole)
    except ValidationError as error:
        return None, (_explain(details, whole, where) for details in _causes(error))
    return protocol, (
        ProtocolError(what, where=where(place), next_step=hint) for place, what, hint in problems(protocol)
    )


def _causes(error: ValidationError) -> Iterator[dict[str, Any]]:
    """The mistakes without those that follow from them: a list is too short where none of its entries is valid."""
    mistakes = error.errors()
    places = [mistake["loc"] for mistake in mistakes]
    for mistake, place in zip(mistakes, places, strict=True):
        inner = any(len(other) > len(place) and other[: len(place)] == place for other in places)
        if not (mistake["type"] == "too_short" and inner):
            yield dict(mistake)


def _refuse_wording(wording: str, where: Where) -> None:
    if wording not in ("", PUBLISHED):
        raise ProtocolError(
            f"There is no wording {wording!r}.",
            where=where,
            next_step=f"Write {PUBLISHED!r} for the words of the paper, or leave it out for Lanner's own.",
        )


def _refuse_misshapen(own: Table, path: Path | str, lines: TomlLines) -> None:
    """What must have its shape before files can be put together; everything else is checked afterwards."""
    lists = {"include": "names of shared parts", "without": "ids that are left out"}
    for name, description in lists.items():
        entries = own.get(name, [])
        if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
            where = Where(path, lines.find((name,)))
            raise ProtocolError(
                f"`{name}` is not a list of texts.", where=where, next_step=f"Give a list of {description}."
            )
    if not isinstance(own.get("extends", ""), str):
        where = Where(path, lines.find(("extends",)))
        raise ProtocolError("`extends` is not a text.", where=where, next_step='Write for instance extends = "esa".')
    if _depth(own) > _DEEPEST:
        raise ProtocolError("The file is nested too deeply.", where=Where(path))


def _depth(value: Any) -> int:
    """How deep tables and lists lie in each other, without going down by recursion."""
    depth, level = 0, [value]
    while level and depth <= _DEEPEST:
        depth += 1
        level = [
            inner
            for entry in level
            if isinstance(entry, dict | list)
            for inner in (entry.values() if isinstance(entry, dict) else entry)
        ]
    return depth


def _text_of(path: Path) -> str:
    return registry.read_text(path, "protocol", ProtocolError)


def _table_of(path: Path) -> Table:
    return registry.toml_table(_text_of(path), path, ProtocolError)


def _locate(name_or_path: str | Path, where: Where | None = None) -> Path:
    name = str(name_or_path)
    if name.endswith(".toml") or "/" in name or "\\" in name:
        path = Path(name)
        if not path.is_file():
            raise ProtocolError("There is no such file.", where=Where(path), next_step="Check the path.")
        return path
    file = registry.data_file("protocols", name, ".toml")
    if file is None:
        hint = f"{did_you_mean(name, names())} `lanner protocols` lists all."
        raise ProtocolError(f"There is no protocol called {name!r}.", where=where or Where(), next_step=hint)
    return file


def _expand(table: Table, path: Path, depth: int, wording: str) -> Table:
    """The table with what it includes and extends underneath, and short option lists spelled out."""
    if depth > _MAX_EXTENDS:
        raise ProtocolError("Protocols extend each other in a circle.", where=Where(path))
    table = _add_translations(table, path)
    if wording == PUBLISHED:
        table = _apply_published_wording(table, path)
    for include in table.pop("include", ()):
        table = merge(_other(path, f"_{include}", depth, wording), table)
    if table.get("extends"):
        base = without(_other(path, str(table["extends"]), depth, wording), set(table.pop("without", ())))
        base["text"] = _still_true(base.get("text", {}), table.get("text", {}))
        table = merge(base, table)
    elif "without" in table:
        raise ProtocolError(
            "`without` leaves out parts of another protocol, but this one extends none.",
            where=Where(path),
            next_step="Add a line `extends = …` or remove `without`.",
        )
    return spell_out(table)


def _still_true(base: Table, own: Table) -> Table:
    """The texts of the base without translations of what the new protocol words anew in another language: a Korean
    judge reads the new English sentence rather than the translation of the old one."""
    anew: Table = {}
    for texts in own.values():
        anew = merge(anew, texts)
    return {language: _without_those_in(anew, texts) for language, texts in base.items()}


def _without_those_in(anew: Table, texts: Table) -> Table:
    return {
        key: _without_those_in(anew.get(key, {}), text) if isinstance(text, dict) else text
        for key, text in texts.items()
        if key not in anew or isinstance(anew[key], dict)
    }


def _add_translations(table: Table, path: Path) -> Table:
    """The table with the texts of `translations/NAME.toml` beside it; its own texts win."""
    translations = path.parent / "translations" / path.name
    if not translations.is_file():
        return table
    whole: Table = merge({"text": _table_of(translations)}, table)
    return whole


def _apply_published_wording(table: Table, path: Path) -> Table:
    """The table with the words of `published/NAME.toml` over its own, and without translations of other words."""
    words = path.parent / "published" / path.name
    if not words.is_file():
        return table
    texts = _table_of(words)["text"]
    own_table: Table = merge({**table, "text": _still_true(table.get("text", {}), texts)}, {"text": texts})
    return {**own_table, "wording": PUBLISHED} if "name" in table else own_table


def _other(path: Path, name: str, depth: int, wording: str) -> Table:
    """The table of another file, found beside this one or among the protocols that can be named."""
    beside = path.parent / f"{name}.toml"
    file = beside if beside.is_file() and beside != path else _locate(name, Where(path))
    return _expand(_table_of(file), file, depth + 1, wording)


def _explain(details: dict[str, Any], whole: Table, where: Any) -> ProtocolError:
    place: tuple[str | int, ...] = tuple(details["loc"])
    key = str(place[-1]) if place else ""
    at = where(place, _question_name(whole, place))
    if details["type"] == "extra_forbidden":
        hint = did_you_mean(key, _fields(place))
        return ProtocolError(f"{key!r} is not a field here.", where=at, next_step=hint)
    if details["type"] == "missing":
        return ProtocolError(f"{key!r} is missing.", where=at, next_step=f"Add a line `{key} = …`.")
    if details["type"].startswith("union_tag"):
        tag = str(details.get("ctx", {}).get("tag", ""))
        return ProtocolError(
            f"A question needs a kind; {tag!r} is none." if tag else "The question has no kind.",
            where=at,
            next_step=did_you_mean(tag, _KINDS) if tag else f"One of: {', '.join(_KINDS)}.",
        )
    return ProtocolError(f"{key}: {details['msg']} (given: {details['input']!r}).", where=at)


def _fields(place: tuple[str | int, ...]) -> list[str]:
    """The fields that can stand where an unknown one was found."""
    shape: type[BaseModel] = Protocol
    for part in place[:-1]:
        shape = _SHAPES.get(str(part)) or _KINDS.get(str(part)) or shape
    return [field.alias or name for name, field in shape.model_fields.items()]


def _question_name(table: Table, place: tuple[str | int, ...]) -> str | None:
    try:
        if place[0] == "stage" and place[2] == "question":
            return f"question {table['stage'][place[1]]['question'][place[3]]['id']!r}"
    except (IndexError, KeyError, TypeError):
        return None
    return None


# One protocol made from others: what a file extends and includes, and what it leaves out.


Table = dict[str, Any]
_OPTION_LISTS = ("options", "rows", "categories", "severities")


def merge(base: Any, over: Any) -> Any:
    """`over` on top of `base`."""
    if isinstance(base, Mapping) and isinstance(over, Mapping):
        return {**base, **{key: merge(base[key], value) if key in base else value for key, value in over.items()}}
    if isinstance(base, list) and isinstance(over, list) and base and all(_has_id(entry) for entry in base):
        by_id = {entry["id"]: entry for entry in base}
        if any(isinstance(entry, str) for entry in over) and all(isinstance(e, str) or _has_id(e) for e in over):
            entries = [{"id": entry} if isinstance(entry, str) else entry for entry in over]
            return [merge(by_id.get(entry["id"], {}), entry) for entry in entries]
        if all(_has_id(entry) for entry in over):
            by_new_id = {entry["id"]: merge(by_id.get(entry["id"], {}), entry) for entry in over}
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


def spell_out(table: Table) -> Table:
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
            texts[question["id"]] = merge(texts[model["id"]], texts.get(question["id"], {}))
    own = {key: value for key, value in question.items() if key != "like"}
    return merge(copy.deepcopy({key: value for key, value in model.items() if key != "key"}), own)


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
        text = merge(_own_words(questionnaire), text)
    whole = protocol.model_copy(
        update={
            "stages": tuple(stage for part in parts for stage in part.stages),
            "scores": tuple(score for part in parts for score in part.scores),
            "analyses": tuple(analysis for part in parts for analysis in part.analyses),
            "groups": tuple(dict.fromkeys(group for part in parts for group in part.groups)),
            "text": text,
        }
    )
    return from_table(whole.model_dump(by_alias=True, exclude_unset=True), " + ".join(part.name for part in parts))


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
            own = merge({"options": options} if options else {}, question_texts.get(question.id, {}))
            questions |= {question.id: own} if own else {}
        texts[language] = {"stages": stages, "questions": questions, "groups": words.get("groups", {})}
    return texts
