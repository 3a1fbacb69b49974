"""A provider: a model that needs no server. It answers with the first value that the schema of the answer allows."""

from __future__ import annotations

import json
from typing import Any

from lanner.judges.providers import Call, Endpoint, Reply


class First:
    """What `lanner judge --provider first` asks."""

    at_once = 8

    async def ask(self, call: Call) -> Reply:
        return Reply(json.dumps(_first(dict(call.schema))), model=call.model, finish="stop")

    async def models(self) -> list[str]:
        return ["first"]

    async def close(self) -> None:
        return None


def _first(schema: dict[str, Any]) -> Any:
    """The first value that a JSON Schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return _first(schema[key][0])
    match schema.get("type"):
        case "object":
            return {name: _first(schema["properties"][name]) for name in schema.get("required", ())}
        case "array":
            return [_first(schema.get("items", {})) for _ in range(schema.get("minItems", 0))]
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "boolean":
            return False
    return ""


def connect(endpoint: Endpoint) -> First:  # noqa: ARG001
    """A connection; this one connects to nothing."""
    return First()
