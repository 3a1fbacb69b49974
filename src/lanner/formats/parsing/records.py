"""Objects of a JSON file as rows of a table: nested objects and lists, annotations of known tools, talks with models.

What a tool or a provider writes around its texts is taken off here, so that `columns` sees plain names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from lanner.formats.parsing import textfile
from lanner.formats.parsing.headings import (
    header_score,
    names_answer,
    names_criterion,
    names_item,
    names_judges,
    names_source,
)
from lanner.formats.parsing.map_draft import SHEET, are_numbers
from lanner.formats.parsing.values import is_numeric, is_short_answer, value_in

_LISTS = ("data", "segments", "items", "rows", "records", "examples", "sentences", "results", "outputs", "translations")


def records(path: Path, *, is_list: bool) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every row of a JSON file with its line: of a list of objects, of an object on each line, or of one object that
    holds a list."""
    for line, value in enumerate(_read_list(path), 1) if is_list else _lines(path):
        if not isinstance(value, dict):
            textfile.failed(path, "Each row must be a JSON object.", line)
        if _is_failed_request(value):
            # without a model's name the rows of the others would slide, and replies meet other sources
            textfile.failed(
                path, "The model gave no reply here.", line, "Ask again, or remove the line to leave its text out."
            )
        for segment in _segments(_from_tool(value)):
            for row in _listed_answers(segment):
                for entry in _sentences(path, line, row):
                    yield line, flatten(entry)


def _read_list(path: Path) -> list[Any]:
    value = textfile.json_whole(path)
    if not isinstance(value, list):
        textfile.failed(path, "A list of objects was expected.")
    return value


def _lines(path: Path) -> Iterable[tuple[int, Any]]:
    """A row on each line; or one object over many lines that holds a list of rows."""
    first, _, rest = textfile.head(path).lstrip("\ufeff \r\n\t").partition("\n")
    first = first.strip()
    if not first.endswith("}") or (not rest.strip() and _is_list_holder(first)):
        value = _parse_json(first) if first.endswith("}") else textfile.json_whole(path)
        if isinstance(value, dict) and (rows := _held_rows(value)):
            return enumerate(rows, 1)
        if isinstance(value, dict) and (name := _list_in(value)):
            common = {key: entry for key, entry in value.items() if isinstance(entry, str | int | float)}
            return enumerate(({**common, **entry} if isinstance(entry, dict) else entry for entry in value[name]), 1)
    return textfile.json_lines(path)


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _is_list_holder(line: str) -> bool:
    value = _parse_json(line) if len(line) < 1_000_000 else None
    return isinstance(value, dict) and bool(_list_in(value) or _held_rows(value)) and "id" not in value


def _held_rows(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of an object that holds all of a table, in one of the ways that people and pandas write it; empty where
    it holds none."""
    return _by_document(value) or _by_id(value) or _by_column(value) or _below_columns(value)


def _by_document(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of an object that holds a list of segments under the name of each document, system or judge; empty where
    it is none."""
    lists = [part for part in value.values() if isinstance(part, list)]
    rows = [row for part in lists for row in part]
    if len(lists) < 2 or len(lists) < len(value) or not rows or not all(isinstance(row, dict) for row in rows):
        return []
    if any(row.keys() != rows[0].keys() for row in rows) or any(name in _LISTS for name in value):
        return []
    about = [key for key in rows[0] if names_source(key)] or [key for key in rows[0] if names_item([key])]
    are_alike = about and all([row[about[0]] for row in part] == [row[about[0]] for row in lists[0]] for part in lists)
    # what each is about others are about too: as with the sheets of a workbook, the rest says what their names are
    return [{SHEET if are_alike else "document": name, **row} for name, part in value.items() for row in part]


def _by_id(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of an object that holds each under its number or name, with a source text; empty where it is none."""
    rows = list(value.values())
    if len(rows) < 2 or not all(isinstance(row, dict) and row.keys() == rows[0].keys() for row in rows):
        return []
    return [{"id": name, **row} for name, row in value.items()] if any(map(names_source, rows[0])) else []


def _by_column(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of an object that holds each column under its name: its cells under the numbers of the rows, or as a
    list where a column names judges (other lists are sentences of a document)."""
    columns = list(value.values())
    if len(columns) > 1 and all(isinstance(part, dict) and part.keys() == columns[0].keys() for part in columns):
        are_numbered = all(map(str.isdecimal, columns[0]))
        return [{name: part[row] for name, part in value.items()} for row in columns[0]] if are_numbered else []
    if not any(map(names_judges, value)) or any(not _is_column(part, len(columns[0])) for part in columns):
        return []
    return [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]


def _below_columns(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of an object that names its columns once: `{"columns": ["source", …], "data": [["The sea.", …], …]}`."""
    names, rows = value.get("columns"), value.get("data")
    if not (_is_list_of_texts(names) and isinstance(rows, list)):
        return []
    is_table = all(isinstance(row, list) and len(row) == len(names) for row in rows)
    return [dict(zip(names, row, strict=True)) for row in rows] if is_table else []


def _list_in(value: dict[str, Any]) -> str:
    """The name of the only list of objects in an object."""
    lists = [k for k, v in value.items() if isinstance(v, list) and v and all(isinstance(entry, dict) for entry in v)]
    return lists[0] if len(lists) == 1 else next((name for name in _LISTS if name in lists), "")


_DOCUMENT_KEYS = {"document", "doc", "doc_id", "document_id"}
_SEGMENTS = ("segments", "sentences", "units", "items", "lines", "rows")


def _segments(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A document with a list of segments becomes a row for each; other objects are rows already."""
    name = next((key for key in _SEGMENTS if _is_list_of_objects(value.get(key))), "")
    if not name:
        yield value
        return
    common = {key: part for key, part in value.items() if key != name and not isinstance(part, dict | list)}
    if not _DOCUMENT_KEYS & common.keys():
        key = next((key for key in ("id", "name", "title") if key in common), "")
        common |= {"document": common.pop(key)} if key else {}
    for number, segment in enumerate(value[name], 1):
        row = {**common, **segment}
        yield row if {"segment", "seg", "id", "seg_id", "segment_id"} & segment.keys() else {"segment": number, **row}


def _is_list_of_objects(value: Any) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(value, list) and bool(value) and all(isinstance(part, dict) for part in value)


def _from_tool(value: dict[str, Any]) -> dict[str, Any]:
    """An object that a known tool wrote as the row it means: a conversation with a model, an annotation of Prodigy or
    of Potato. Anything else as it is."""
    if conversation := _conversation(value):
        return conversation
    if "Comments" in value and isinstance(label := value.get("label"), list):  # Doccano
        rest = {key: part for key, part in value.items() if key != "Comments" or part}
        return {**rest, "label": label[0]} if len(label) == 1 and isinstance(label[0], str) else rest
    if "_task_hash" in value and "answer" in value:
        labels = value.get("accept", [value["answer"]])
        taken = value["answer"] == "accept" or "accept" not in value
        label = labels[0] if isinstance(labels, list) and len(labels) == 1 else labels
        judge = value.get("_annotator_id") or value.get("_session_id")
        rest = {k: part for k, part in value.items() if not k.startswith("_") and isinstance(part, str | int | float)}
        if isinstance(meta := value.get("meta"), dict) and isinstance(meta.get("source"), str):
            texts = {key: part for key, part in meta.items() if isinstance(part, str | int | float)}
            rest = {**{"target" if key == "text" else key: part for key, part in rest.items()}, **texts}
        row = {"item": value.get("_input_hash"), **rest, "judge": judge, "label": label if taken else None}
        if isinstance(spans := value.get("spans"), list) and "accept" not in value:  # marked, not chosen from labels
            places = ("start", "end", "label")
            marks = [dict(zip(("start", "end", "category"), map(mark.get, places), strict=True)) for mark in spans]
            row = {**row, "spans": marks if value["answer"] == "accept" else None}
            row.pop("label")
        return {key: part for key, part in row.items() if key != "answer"}
    if isinstance(fields := value.get("fields"), dict) and isinstance(value.get("responses"), dict | list):  # Argilla
        rest = {key: part for key, part in value.items() if key in ("id", "metadata")}
        return {**rest, **fields, "ratings": _argilla_responses(value["responses"])}
    if isinstance(schemas := value.get("label_annotations"), dict) and "instance_id" in value:
        answers = {str(schema): _potato_answer(labels) for schema, labels in schemas.items()}
        return {"judge": value.get("user") or value.get("user_id"), "item": value["instance_id"], **answers}
    return value


def _argilla_responses(responses: dict[str, Any] | list[Any]) -> list[dict[str, Any]]:
    """What each user answered, from lists by question or by user."""
    by_user: dict[str, dict[str, Any]] = {}
    for response in responses if isinstance(responses, list) else ():
        if response.get("status") != "discarded":
            answers = {question: answer.get("value") for question, answer in (response.get("values") or {}).items()}
            by_user.setdefault(str(response.get("user_id")), {}).update(answers)
    for question, answers in responses.items() if isinstance(responses, dict) else ():
        for answer in answers:
            if answer.get("status") != "discarded":
                by_user.setdefault(str(answer.get("user_id")), {})[question] = answer.get("value")
    return [{"judge": user, **answers} for user, answers in by_user.items()]


_SPEAKERS = {"human": "user", "gpt": "assistant", "model": "assistant"}


def _conversation(value: dict[str, Any]) -> dict[str, Any]:
    """What a model was asked and answered, in the ways that providers and collections of dialogues write it: the user's
    last message is the source. Empty where it is none."""
    contents: dict[str, str | None] = {}
    rest = dict(value)
    for name, key in _REQUESTS:
        holder = value.get(name) if name else value
        if isinstance(holder, dict) and _is_list_of_objects(messages := holder.get(key)):
            for message in messages:
                speaker = str(message.get("role", message.get("from", "user")))
                text = _text_of(message.get("content", message.get("value", message.get("parts"))))
                contents[_SPEAKERS.get(speaker, speaker)] = text
            rest.pop(name or key)
            break
    if reply := model_reply(value):
        contents["assistant"] = reply.text
        rest = {key: part for key, part in rest.items() if key not in ("choices", "candidates", reply.holder)}
        rest |= {"system": reply.model} if reply.model else {}
    if contents.get("assistant") is None:
        return {}
    texts = {"source": contents["user"]} if contents.get("user") is not None else {}
    return {**rest, **texts, "target": contents["assistant"]}


_REQUESTS = (("", "messages"), ("", "conversations"), *product(("request", "body", "params"), ("messages", "contents")))
"""Where the question to a model stands: in which object, and under which name."""
_REPLIES = ((), ("response",), ("response", "body"), ("result", "message"))


class ReplyText(NamedTuple):
    """The text of a model's reply, the model's name where it is given, and the key of a batch's line that holds it."""

    text: str
    model: str = ""
    holder: str = ""


def model_reply(value: dict[str, Any]) -> ReplyText | None:
    """The reply in an object as OpenAI, Anthropic, Google and servers like theirs write it, by itself or as a line of a
    batch; None where it is none."""
    for keys, holder in _reply_holders(value):
        if (text := _reply_text(holder, in_batch=bool(keys))) is not None:
            model = holder.get("model", holder.get("modelVersion"))
            return ReplyText(text, model if isinstance(model, str) else "", keys[0] if keys else "")
    return None


def _reply_holders(value: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    for keys in _REPLIES:
        holder: Any = value
        for key in keys:
            holder = holder.get(key) if isinstance(holder, dict) else None
        if isinstance(holder, dict):
            yield keys, holder


def _is_failed_request(value: dict[str, Any]) -> bool:
    """Whether this is a line of a provider's batch that has an error, or nothing, in place of a reply."""
    if not value.keys() & {"custom_id", "key"} or not value.keys() & {"response", "result", "error"}:
        return False
    holders = dict(_reply_holders(value))
    result, response = value.get("result"), holders.get(("response",), {})
    status = response.get("status_code")
    empty = any(keys and holder.keys() & _REPLY_SIGNS for keys, holder in holders.items()) and not model_reply(value)
    return (
        empty
        or isinstance(value.get("error"), dict)
        or (isinstance(result, dict) and result.get("type") in ("errored", "canceled", "expired"))
        or (isinstance(status, int) and status >= 400)
    )


_REPLY_SIGNS = {"choices", "candidates", "promptFeedback", "stop_reason"}


def _reply_text(holder: dict[str, Any], *, in_batch: bool) -> str | None:
    if _is_list_of_objects(choices := holder.get("choices")):
        message = choices[0].get("message")
        return _text_of(message.get("content") if isinstance(message, dict) else choices[0].get("text"))
    if _is_list_of_objects(candidates := holder.get("candidates")):
        content = candidates[0].get("content")
        return _text_of(content.get("parts")) if isinstance(content, dict) else None
    if in_batch and _is_list_of_objects(outputs := holder.get("output")):
        return next((_text_of(each.get("content")) for each in outputs if each.get("type") == "message"), None)
    return _text_of(holder.get("content")) if in_batch and holder.get("role") == "assistant" else None


def _text_of(content: Any) -> str | None:
    """The text of a message, whole or in parts; parts that are no text, such as thoughts, are left out."""
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict) and not part.get("thought")]
        content = "".join(text for text in texts if isinstance(text, str)) or None
    return content if isinstance(content, str) else None


_SYSTEM_KEYS = ("system", "model", "name", "engine")
_OUTPUT_KEYS = ("text", "translation", "output", "target", "mt", "hyp")


def _listed_answers(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """An object with a rating or a list of them, or of outputs that are rated each, as a row for each; others as they
    are."""
    for key, held in value.items():
        part = [held] if _is_rating(held) else held
        if not _is_list_of_objects(part):
            continue
        names = dict.fromkeys(name for entry in part for name in entry)
        is_rated = any(
            names_answer(name) or _are_ratings(entry.get(name)) or (names_answer(key) and is_numeric(entry.get(name)))
            for entry in part
            for name in names
        )
        outputs = _named_outputs(value)
        system = next((name for name in _SYSTEM_KEYS if name in names), "")
        text = next((name for name in _OUTPUT_KEYS if name in names), "")
        is_rated = is_rated or (names_answer(key) and any(map(names_judges, names)))
        if not (any(map(names_judges, names)) or (_NESTED.match(key) and system and text)) or not is_rated:
            continue
        is_output = bool(_NESTED.match(key) and system and text)
        common = {name: entry for name, entry in value.items() if name != key}
        for entry in part:
            row = {name: each for name, each in entry.items() if not (is_output and name in (system, text))}
            row = {f"{key}.{name}" if name in common or name in outputs else name: each for name, each in row.items()}
            own = {"system": entry.get(system), "target": entry.get(text)} if is_output else {}
            yield from _listed_answers({**common, **own, **row})
        return
    yield value


def _named_outputs(value: dict[str, Any]) -> set[str]:
    """The systems whose outputs an object holds by their names."""
    return {name for key, part in value.items() if isinstance(part, dict) and _NESTED.match(key) for name in part}


def _is_rating(value: Any) -> bool:
    """Whether an entry is an object with an answer and the judge who gave it."""
    return isinstance(value, dict) and any(map(names_judges, value)) and any(map(names_answer, value))


def _are_ratings(value: Any) -> bool:
    """Whether an entry holds answers by judge: a list of them, or an object."""
    entries = value if isinstance(value, list) else []
    return any(isinstance(entry, dict) and any(map(names_judges, entry)) for entry in entries)


def _potato_answer(labels: Any) -> Any:
    """What was chosen in one schema: the labels, or what was typed or chosen on a scale where that is a number."""
    if not isinstance(labels, dict):
        return labels
    values = [text if str(text).lstrip("-").isdecimal() else label for label, text in labels.items()]
    return values[0] if len(values) == 1 else values


_NESTED = re.compile(
    r"^(outputs?|systems?|hyps?|hypothes[ei]s|tgt|targets?|mts?|translations?|candidates?|predictions?|completions?"
    r"|generations?|ref(erence)?s?)$",
    re.I,
)
_HOLDERS = ("meta", "metadata", "info", "attributes", "properties", "extra")
"""Objects whose parts are about the row, so that their own name adds nothing."""
_SOURCE = re.compile(r"^(src|sources?|source_?(text|sentence|segment)s?|originals?|sentences|원문)$", re.I)


def _sentences(path: Path, line: int, value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A document whose source is a list of sentences becomes a row for each; lists of that length go along."""
    source = next((part for key, part in value.items() if isinstance(part, list) and _SOURCE.match(key)), None)
    if not source or not all(isinstance(sentence, str) for sentence in source):
        yield value
        return
    # of each sentence: other texts, and what was answered about it
    texts = {key: part for key, part in value.items() if _is_list_of_texts(part) or _are_numbers(part)}
    lists = {
        f"{key}.{name}": part
        for key, parts in value.items()
        if isinstance(parts, dict) and (_NESTED.match(key) or names_answer(key))
        for name, part in parts.items()
        if _is_list_of_texts(part) or _are_numbers(part)
    }
    for name, part in {**texts, **lists}.items():
        if len(part) != len(source):
            message = f"{name!r} has {len(part)} entries, and the source has {len(source)} sentences."
            textfile.failed(path, message, line, "Lists of one document must be equally long.", code="list_length")
    common = {key: part for key, part in value.items() if key not in texts and not (lists and isinstance(part, dict))}
    if not _DOCUMENT_KEYS & common.keys():
        common["document"] = common.pop("id", str(line))
    for at in range(len(source)):
        yield {**common, "segment": str(at + 1), **{name: part[at] for name, part in {**texts, **lists}.items()}}


def _is_column(value: Any, length: int) -> bool:
    return isinstance(value, list) and len(value) == length and not any(isinstance(c, dict | list) for c in value)


def _are_numbers(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list) and are_numbers(value) and _is_column(value, len(value))


def _is_list_of_texts(value: Any) -> TypeGuard[list[str]]:
    return isinstance(value, list) and bool(value) and all(isinstance(part, str) for part in value)


_TEXT_KEYS = ("text", "content", "value", "string")


def flatten(value: dict[str, Any]) -> dict[str, Any]:
    """An object with objects in it as one row: `{"doc": {"id": 1}}` becomes the column `doc.id`."""
    if not any(isinstance(part, dict | list) for part in value.values()):
        return value
    flat: dict[str, Any] = {}
    for key, part in value.items():
        if isinstance(part, dict) and (names_item([key]) or key.casefold() in _HOLDERS) and not _NESTED.match(key):
            flat |= _parts_of_item(key, part, value)
        elif isinstance(part, dict) and (text := next((name for name in _TEXT_KEYS if name in part), "")):
            flat[key] = part[text]
            flat |= {f"{key}.{name}": entry for name, entry in part.items() if name != text}
        elif isinstance(part, dict) and _NESTED.match(key):
            flat |= {f"{key}.{name}": text for name, text in part.items()}
        elif isinstance(part, list) and _NESTED.match(key):
            flat |= _number_parts(key, part)
        elif isinstance(part, dict) and _holds_answers(key, part):
            # by question, where the names are words for questions or another part names the judge, else by judge or by
            # system
            are_questions = any(map(names_criterion, part)) or not names_answer(key)
            flat |= {name if are_questions and name not in value else f"{key}.{name}": v for name, v in part.items()}
        elif isinstance(part, dict) and (nested := _nested_answers(key, part)):
            flat |= flatten(nested if nested.keys().isdisjoint(value) else {f"{key}.{n}": v for n, v in nested.items()})
        elif isinstance(part, dict) and header_score(f"{key} {name}" for name in part):
            flat |= {f"{key}.{name}": entry for name, entry in part.items()}
        else:
            flat[key] = part
    return flat


_ANSWER_HOLDERS = (
    "answers",
    "responses",
    "judgements",
    "judgments",
    "evaluation",
    "evaluations",
    "criteria",
    "aspects",
)


def _holds_answers(key: str, part: dict[str, Any]) -> bool:
    """Whether an object holds answers: by its name, or by those of its parts."""
    is_named = names_answer(key) or key.casefold() in _ANSWER_HOLDERS or any(map(names_criterion, part))
    return bool(part) and is_named and all(map(is_short_answer, part.values()))


def _nested_answers(key: str, part: dict[str, Any]) -> dict[str, Any]:
    """The answers in objects of an object: `{"fluency": {"score": 4, "comment": "…"}}` as `fluency` and its comment,
    `{"answers": …}` as what it holds; empty where it holds none."""
    objects = {name: entry for name, entry in part.items() if isinstance(entry, dict) and entry}
    if not objects or any(isinstance(entry, dict | list) for name, entry in part.items() if name not in objects):
        return {}
    if all(_holds_answers(name, entry) and not value_in(entry) for name, entry in objects.items()):
        return part if len(objects) == 1 else {}
    if not (names_answer(key) or key.casefold() in _ANSWER_HOLDERS or any(map(names_criterion, objects))):
        return {}
    if not all(value_in(entry) for entry in objects.values()):
        return {}
    flat = {name: entry for name, entry in part.items() if name not in objects}
    for name, entry in objects.items():
        own = value_in(entry)
        flat[name] = entry[own]
        flat |= {f"{name}.{other}": each for other, each in entry.items() if other != own and isinstance(each, str)}
    return flat


def _parts_of_item(key: str, part: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """`{"doc": {"id": 1, "domain": "news"}}` as `doc.id` and `domain`."""
    is_source = names_source(key)
    names = {}
    for name, entry in part.items():
        own = is_source and name in _TEXT_KEYS
        bare_name = name if header_score([name]) and name not in row and not _says_which(name) else f"{key}.{name}"
        names[key if own else bare_name] = entry
    return names


def _says_which(name: str) -> bool:
    """Whether a name means something only beside the name of what it is in: `id`, `name`, `text`."""
    return name in _TEXT_KEYS or name.casefold() in ("id", "name", "title", "index", "idx", "no", "number")


def _number_parts(key: str, parts: list[Any]) -> dict[str, Any]:
    """A list of texts, or of objects with a system and its text."""
    row: dict[str, Any] = {}
    for position, part in enumerate(parts):
        names = [part.get(name) for name in _SYSTEM_KEYS] if isinstance(part, dict) else []
        texts = [part.get(name) for name in _OUTPUT_KEYS] if names else []
        system = next((name for name in names if isinstance(name, str)), "")
        text = next((text for text in texts if isinstance(text, str)), None)
        row[f"{key}.{system or position}"] = part if text is None else text
    return row
