"""A JSON Schema as a grammar in llama.cpp's notation (GBNF), for servers that take grammars and no schemas.

Covers the schemas that protocols make: objects whose properties are all required, arrays, enums, numbers, strings,
null. Bounds of numbers are kept for small whole numbers (a scale); what a grammar cannot say is checked afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

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
