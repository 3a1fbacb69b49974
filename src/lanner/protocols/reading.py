"""From a TOML file to a `Protocol`, with mistakes named by file, line and what was meant."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from lanner import registry
from lanner.errors import ProtocolError, Where, did_you_mean
from lanner.model import Protocol
from lanner.protocols.consistency import problems
from lanner.protocols.toml_lines import TomlLines

_OPTION_LISTS = ("options", "rows", "categories", "severities")
_MAX_EXTENDS = 8
Table = dict[str, Any]


def names() -> tuple[str, ...]:
    """The protocols that come with Lanner or with an installed package."""
    return registry.names("protocols", ".toml")


def load(name_or_path: str | Path) -> Protocol:
    """A protocol by name ("h_falcon") or from a file ("./mine.toml")."""
    path = _locate(name_or_path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ProtocolError(f"The protocol cannot be read: {error}.", where=Where(path)) from error
    return parse_toml(text, path)


def parse_toml(text: str, path: Path | str = "protocol.toml", _depth: int = 0) -> Protocol:
    """A protocol from the text of a TOML file; `path` is for messages and for what it extends."""
    table = _expanded(_toml(text, path), Path(path), _depth)
    lines = TomlLines(text)
    try:
        protocol = Protocol.model_validate(table)
    except ValidationError as error:
        raise _explain(error, table, lines, path) from error
    for place, what, hint in problems(protocol):
        raise ProtocolError(what, where=Where(path, lines.find(place)), next_step=hint)
    return protocol


def _locate(name_or_path: str | Path) -> Path:
    given = str(name_or_path)
    if given.endswith(".toml") or "/" in given or "\\" in given:
        path = Path(given)
        if not path.is_file():
            raise ProtocolError("There is no such file.", where=Where(path), next_step="Check the path.")
        return path
    found = registry.data_file("protocols", given, ".toml")
    if found is None:
        hint = did_you_mean(given, names())
        raise ProtocolError(
            f"There is no protocol called {given!r}.", next_step=f"{hint} `lanner protocols` lists all."
        )
    return found


def _toml(text: str, path: Path | str) -> Table:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"line (\d+), column (\d+)", str(error))
        line, column = (int(place[1]), int(place[2])) if place else (None, None)
        reason = re.sub(r"\s*\(at .*\)$", "", str(error))
        raise ProtocolError(f"This is not valid TOML: {reason}.", where=Where(path, line, column)) from error


def _expanded(table: Table, path: Path, depth: int) -> Table:
    """The table with what it includes and extends underneath, and short option lists spelled out."""
    for shared in table.pop("include", ()):
        shared_path = _locate(f"_{shared}")
        table = _merged(_toml(shared_path.read_text(encoding="utf-8"), shared_path), table)
    base_name = table.get("extends")
    if base_name:
        if depth >= _MAX_EXTENDS:
            raise ProtocolError("Protocols extend each other in a circle.", where=Where(path))
        beside = path.parent / f"{base_name}.toml"
        base_path = beside if beside.is_file() and beside != path else _locate(str(base_name))
        base = _expanded(_toml(base_path.read_text(encoding="utf-8"), base_path), base_path, depth + 1)
        dropped = set(table.pop("without", ()))
        table = _merged(_without(base, dropped), table)
    table.pop("without", None)
    return _spelled_out(table)


def _spelled_out(table: Table) -> Table:
    for stage in table.get("stage", ()):
        for question in stage.get("question", ()) if isinstance(stage, dict) else ():
            for key in _OPTION_LISTS:
                if isinstance(question, dict) and isinstance(question.get(key), list):
                    question[key] = [{"id": entry} if isinstance(entry, str) else entry for entry in question[key]]
    return table


def _merged(base: Any, over: Any) -> Any:
    """Tables merge by key, lists of tables by `id`; a list of bare ids picks from the base; the rest is replaced."""
    if isinstance(base, Mapping) and isinstance(over, Mapping):
        return {**base, **{key: _merged(base[key], value) if key in base else value for key, value in over.items()}}
    if isinstance(base, list) and isinstance(over, list) and base and all(_has_id(entry) for entry in base):
        by_id = {entry["id"]: entry for entry in base}
        if over and all(isinstance(entry, str) for entry in over):
            return [by_id.get(entry, {"id": entry}) for entry in over]
        if all(_has_id(entry) for entry in over):
            changed = {entry["id"]: _merged(by_id.get(entry["id"], {}), entry) for entry in over}
            return [changed.pop(name, entry) for name, entry in by_id.items()] + list(changed.values())
    return over


def _has_id(entry: object) -> bool:
    return isinstance(entry, Mapping) and "id" in entry


def _without(value: Any, dropped: set[str]) -> Any:
    """The base without the questions, options, scores and analyses that a derived protocol leaves out by id."""
    if isinstance(value, dict):
        return {key: _without(entry, dropped) for key, entry in value.items() if key not in dropped}
    if isinstance(value, list):
        kept = [entry for entry in value if not _names_any(entry, dropped)]
        return [_without(entry, dropped) for entry in kept if not (isinstance(entry, str) and entry in dropped)]
    return value


def _names_any(entry: object, dropped: set[str]) -> bool:
    return isinstance(entry, dict) and any(
        isinstance(name := entry.get(key), str) and name in dropped for key in ("id", "of", "question")
    )


def _explain(error: ValidationError, table: Table, lines: TomlLines, path: Path | str) -> ProtocolError:
    first = error.errors()[0]
    place = tuple(first["loc"])
    key = str(place[-1]) if place else ""
    item = _question_name(table, place)
    where = Where(path, lines.find(place), item=item)
    if first["type"] == "extra_forbidden":
        return ProtocolError(f"{key!r} is not a field here.", where=where, next_step="Check its spelling.")
    if first["type"] == "missing":
        return ProtocolError(f"{key!r} is missing.", where=where, next_step=f"Add a line `{key} = …`.")
    if first["type"].startswith("union_tag"):
        kinds = ("scale", "number", "choice", "labels", "grid", "spans", "rank", "text")
        given = str(first.get("ctx", {}).get("tag", ""))
        return ProtocolError(
            f"A question needs a kind; {given!r} is none." if given else "The question has no kind.",
            where=where,
            next_step=did_you_mean(given, kinds) if given else f"One of: {', '.join(kinds)}.",
        )
    return ProtocolError(f"{key}: {first['msg']} (given: {first['input']!r}).", where=where)


def _question_name(table: Table, place: tuple[str | int, ...]) -> str | None:
    try:
        if place[0] == "stage" and place[2] == "question":
            return f"question {table['stage'][place[1]]['question'][place[3]]['id']!r}"
    except (IndexError, KeyError, TypeError):
        return None
    return None
