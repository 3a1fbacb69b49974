"""Whether a value fits a JSON Schema, for the words that protocols' schemas are made of; the first mistake in words.

A full validator costs a millisecond per answer; this one costs microseconds and says what a model can act on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from lanner.errors import did_you_mean
from lanner.model import Json

_KINDS: dict[str, Callable[[Json], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: (
        not isinstance(value, bool) and (isinstance(value, int) or (isinstance(value, float) and value.is_integer()))
    ),
    "number": lambda value: (
        not isinstance(value, bool) and (isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)))
    ),
}
_ARTICLES = {"object": "an object", "array": "a list", "integer": "a whole number"}


def mistake(schema: Mapping[str, Any], value: Json, place: str = "") -> str:
    """What is wrong with the value, as a sentence with its place; "" where nothing is."""
    if "anyOf" in schema:
        mistakes = [mistake(entry, value, place) for entry in schema["anyOf"]]
        return "" if "" in mistakes else mistakes[0]
    kind = schema.get("type")
    at = f"{place}: " if place else ""
    if kind is not None and not _KINDS[kind](value):
        return f"{at}{_shown(value)} is not {_ARTICLES.get(kind, f'a {kind}')}."
    if "enum" in schema and value not in schema["enum"]:
        return f"{at}{_shown(value)} is not allowed. {did_you_mean(str(value), map(str, schema['enum']))}".rstrip()
    if isinstance(value, dict):
        return _object(schema, value, place)
    if isinstance(value, list):
        return _array(schema, value, place)
    if isinstance(value, str):
        most = schema.get("maxLength")
        return f"{at}{len(value)} characters, at most {most} are allowed." if most and len(value) > most else ""
    if isinstance(value, int | float):
        low, high = schema.get("minimum"), schema.get("maximum")
        if (low is not None and value < low) or (high is not None and value > high):
            return f"{at}{value} is not between {low} and {high}."
    return ""


def _object(schema: Mapping[str, Any], value: dict[str, Json], place: str) -> str:
    properties: Mapping[str, Any] = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    at = f"{place}: " if place else ""
    for name in schema.get("required", ()):
        if name not in value:
            return f'{at}"{name}" is missing.'
    for name, entry in value.items():
        rule = properties.get(name, others)
        if rule is False:
            return f'{at}"{name}" is not asked for.'
        if rule is True or (isinstance(entry, str) and entry in rule.get("enum", ())):
            continue  # the usual case: one of the options
        if mistakes := mistake(rule, entry, f"{place}.{name}" if place else name):
            return mistakes
    return ""


def _array(schema: Mapping[str, Any], value: list[Json], place: str) -> str:
    at = f"{place}: " if place else ""
    low, high = schema.get("minItems", 0), schema.get("maxItems")
    if len(value) < low:
        return f"{at}{len(value)} given, at least {low} are needed."
    if high is not None and len(value) > high:
        return f"{at}{len(value)} given, at most {high} are allowed."
    for number, entry in enumerate(value):
        if mistakes := mistake(schema.get("items", {}), entry, f"{place}[{number}]"):
            return mistakes
    if schema.get("uniqueItems") and any(entry in value[:number] for number, entry in enumerate(value)):
        return f"{at}the entries must differ from each other."
    return ""


def _shown(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


_SMALL = 128
_BASE = {
    "ws": "[ ]?",
    "char": r'[^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})',
    "string": '"\\"" char* "\\""',
    "integer": '"-"? ("0" | [1-9] [0-9]{0,9})',
    "number": 'integer ("." [0-9]{1,6})?',
    "boolean": '"true" | "false"',
    "null": '"null"',
}


def grammar(schema: Mapping[str, Any]) -> str:
    """The grammar whose sentences are the JSON texts that the schema allows."""
    rules = dict(_BASE)
    rules["root"] = _Writer(rules).rule(schema)
    return "\n".join(f"{name} ::= {body}" for name, body in rules.items())


class _Writer:
    def __init__(self, rules: dict[str, str]) -> None:
        self._rules = rules

    def rule(self, schema: Mapping[str, Any]) -> str:
        """An expression for one schema."""
        if "anyOf" in schema:
            return "(" + " | ".join(self.rule(entry) for entry in schema["anyOf"]) + ")"
        if "enum" in schema:
            return "(" + " | ".join(_quoted(json.dumps(value)) for value in schema["enum"]) + ")"
        match schema.get("type"):
            case "object":
                return self._object(schema)
            case "array":
                return self._array(schema)
            case "integer" if _few(schema):
                numbers = range(int(schema["minimum"]), int(schema["maximum"]) + 1)
                return "(" + " | ".join(_quoted(str(number)) for number in numbers) + ")"
            case kind:
                return str(kind)

    def _object(self, schema: Mapping[str, Any]) -> str:
        properties = schema.get("properties")
        if properties is None:
            pair = self._named(f'string ":" ws {self.rule(schema["additionalProperties"])}')
            return f'"{{" ws ({pair} ("," ws {pair})*)? ws "}}"'
        pairs = [f'{_quoted(json.dumps(name))} ":" ws {self.rule(entry)}' for name, entry in properties.items()]
        return self._named('"{" ws ' + ' "," ws '.join(pairs) + ' ws "}"')

    def _array(self, schema: Mapping[str, Any]) -> str:
        entry = self._named(self.rule(schema["items"]))
        low, high = schema.get("minItems", 0), schema.get("maxItems")
        most = "" if high is None else max(0, high - 1)
        rest = f'{entry} ("," ws {entry}){{{max(0, low - 1)},{most}}}'
        return self._named(f'"[" ws {rest if low else f"({rest})?"} ws "]"')

    def _named(self, body: str) -> str:
        name = f"r{len(self._rules)}"
        self._rules[name] = body
        return name


def _few(schema: Mapping[str, Any]) -> bool:
    low, high = schema.get("minimum"), schema.get("maximum")
    return isinstance(low, int) and isinstance(high, int) and high - low < _SMALL


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


_MANY = 8  # options that are listed in a form; more stand in the question


def describe_form(schema: Mapping[str, Any], indent: str = "") -> str:
    """The form of an answer in words, for a prompt: JSON with a description in the place of each value."""
    if "anyOf" in schema:
        return " or ".join(describe_form(entry, indent) for entry in schema["anyOf"])
    if "enum" in schema:
        options = [json.dumps(value, ensure_ascii=False) for value in schema["enum"]]
        return " | ".join(options) if len(options) <= _MANY else '"one of the ids of this question"'
    match schema.get("type"):
        case "object":
            return _describe_object(schema, indent)
        case "array":
            low, high = schema.get("minItems", 0), schema.get("maxItems")
            number = (
                f"exactly {low}" if low and low == high else f"{low} or more" if high is None else f"{low} to {high}"
            )
            return f"[{describe_form(schema['items'], indent)}, …] ({number} entries)"
        case "integer" | "number" as kind:
            words = "a whole number" if kind == "integer" else "a number"
            low, high = schema.get("minimum"), schema.get("maximum")
            bounds = " ".join(f"{name} {bound}" for name, bound in (("from", low), ("to", high)) if bound is not None)
            return f"{words} {bounds}".strip()
        case "boolean":
            return "true | false"
        case "null":
            return "null"
        case _:
            return '"text"'


def _describe_object(schema: Mapping[str, Any], indent: str) -> str:
    inner = f"{indent}  "
    properties = schema.get("properties")
    if properties is None:
        return f'{{"id": {describe_form(schema["additionalProperties"], inner)}, …}}'
    lines = [f'{inner}"{name}": {describe_form(entry, inner)}' for name, entry in properties.items()]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


def without_keywords(schema: Any, words: frozenset[str]) -> Any:
    """The schema without words that a provider's strict mode does not take; properties of the same names stay. Our own
    check keeps them, and the prompt says them."""
    if isinstance(schema, dict):
        return {
            name: (
                {key: without_keywords(entry, words) for key, entry in value.items()}
                if name == "properties"
                else without_keywords(value, words)
            )
            for name, value in schema.items()
            if name not in words
        }
    if isinstance(schema, list):
        return [without_keywords(entry, words) for entry in schema]
    return schema
