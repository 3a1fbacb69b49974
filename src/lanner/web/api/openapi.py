"""The API described in OpenAPI 3.1, made from its table, so that the two cannot differ."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from pydantic.json_schema import models_json_schema
from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import Response

from lanner import __version__
from lanner.campaign.accounts import SCOPES
from lanner.web.api import shapes
from lanner.web.api.operations import MOST_DOCUMENTS, MOST_JUDGEMENTS
from lanner.web.api.table import OPERATIONS, ROOT, Operation
from lanner.web.organising.exports import FORMATS

_REFUSALS = {
    401: "No token, or one that does not work.",
    403: "The token's scopes do not allow this.",
    404: "There is nothing here, or not for this token.",
    422: "Something is not as described; the message says what.",
    429: "Too many wrong tokens.",
    503: "The database cannot be reached; try again.",
}
_OF_CHANGES = {400: "The body cannot be read.", 409: "The campaign does not take this now.",
               413: "The body is too large.", 415: "The body is not JSON."}  # fmt: skip
_MOST = {"list_documents": MOST_DOCUMENTS, "list_judgements": MOST_JUDGEMENTS}


@cache
def description() -> dict[str, Any]:
    """The whole description."""
    used = {shape for row in OPERATIONS for shape in (row.takes, row.gives) if shape} | {shapes.Problem}
    ordered = sorted(used, key=lambda shape: shape.__name__)
    _, defined = models_json_schema([(s, "validation") for s in ordered], ref_template="#/components/schemas/{model}")
    paths: dict[str, dict[str, Any]] = {}
    for row in OPERATIONS:
        paths.setdefault(row.path, {})[row.method.lower()] = _operation(row)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Lanner",
            "version": __version__,
            "description": "Campaigns, texts, judgements and progress for programs.",
        },
        "servers": [{"url": ROOT}],
        "paths": paths,
        "components": {
            "schemas": defined["$defs"],
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "; ".join(f"{name}: {meaning}" for name, meaning in SCOPES.items()),
                }
            },
        },
        "security": [{"token": []}],
    }


def _operation(row: Operation) -> dict[str, Any]:
    refusals = {**_REFUSALS, **(_OF_CHANGES if row.takes else {})}
    content = (
        {"application/json": {"schema": _ref(row.gives)}}
        if row.gives
        else {row.media: {"schema": {"type": "string", "format": "binary"}}}
    )
    problem = {"application/json": {"schema": _ref(shapes.Problem)}}
    made: dict[str, Any] = {
        "operationId": row.handler.__name__,
        "summary": (row.handler.__doc__ or "").split("\n")[0],
        "description": f"Scope: {row.scope}",
        "parameters": [*_in_path(row), *(_in_query(row, *entry) for entry in row.query)],
        "responses": {
            str(row.status): {"description": "Done.", "content": content},
            **{str(code): {"description": words, "content": problem} for code, words in refusals.items()},
        },
    }
    if row.takes:
        made["requestBody"] = {"required": True, "content": {"application/json": {"schema": _ref(row.takes)}}}
    return made


def _in_path(row: Operation) -> list[dict[str, Any]]:
    known: dict[str, dict[str, Any]] = {
        "campaign": {"type": "string", "minLength": 1},
        "format": {"type": "string", "enum": list(FORMATS)},
    }
    return [
        {"name": name, "in": "path", "required": True, "schema": known[name]}
        for name in re.findall(r"\{(\w+)\}", row.path)
    ]


def _in_query(row: Operation, name: str, kind: str, meaning: str) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": kind}
    if kind == "integer":
        most = {"limit": _MOST.get(row.handler.__name__, 0), "after": 2**53, "start": 10**9}[name]
        schema |= {"minimum": 0, "maximum": most}
    return {"name": name, "in": "query", "required": False, "description": meaning, "schema": schema}


def _ref(shape: Any) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{shape.__name__}"}


async def openapi(_request: Request) -> Response:
    """The description, for programs and for those who write them."""
    return Response(to_json(description()), media_type="application/json")
