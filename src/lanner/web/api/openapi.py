"""The API described in OpenAPI 3.1, made from its table, so that the two cannot differ."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import Response

from lanner import __version__
from lanner.campaign.accounts import SCOPES
from lanner.web.api import operations, shapes
from lanner.web.api.operations import MOST_DOCUMENTS, MOST_JUDGEMENTS
from lanner.web.organising.files import FORMATS
from lanner.web.site import metrics

# The operations of the API, one row each: how, where, what for, with which scope, and the shapes in and out.

ROOT = "/api/v1"


@dataclass(frozen=True, slots=True)
class Operation:
    """One row. `query` names the parameters behind the question mark, each with its type and meaning. A file has no
    shape."""

    method: str
    path: str
    handler: Callable[[Request], Awaitable[Response]]
    scope: str
    gives: type[BaseModel] | None
    takes: type[BaseModel] | None = None
    query: tuple[tuple[str, str, str], ...] = ()
    status: int = 200
    media: str = "application/octet-stream"
    size: str = "form_bytes"

    @property
    def place(self) -> str:
        return ROOT + self.path

    @property
    def parameters(self) -> frozenset[str]:
        return frozenset(name for name, _, _ in self.query)


_AFTER = ("after", "integer", "only judgements with a higher id")
_LIMIT = ("limit", "integer", "at most so many")
OPERATIONS = (
    Operation("GET", "/campaigns", operations.list_campaigns, "campaigns", shapes.CampaignList),
    Operation(
        "POST", "/campaigns", operations.create_campaign, "write", shapes.CampaignShape, shapes.NewCampaign,
        status=201, size="upload_bytes",
    ),
    Operation("GET", "/campaigns/{campaign}", operations.show_campaign, "campaigns", shapes.CampaignShape),
    Operation(
        "POST", "/campaigns/{campaign}/state", operations.move_campaign, "write", shapes.CampaignShape, shapes.Move
    ),
    Operation(
        "POST", "/campaigns/{campaign}/judges", operations.add_judges, "write", shapes.Links, shapes.NewJudges,
        status=201,
    ),
    Operation("GET", "/campaigns/{campaign}/progress", operations.show_progress, "campaigns", shapes.ProgressShape),
    Operation("GET", "/campaigns/{campaign}/agreement", operations.show_agreement, "judgements", shapes.AgreementList),
    Operation(
        "GET", "/campaigns/{campaign}/documents", operations.list_documents, "campaigns", shapes.DocumentPage,
        query=(("start", "integer", "leave out so many"), _LIMIT),
    ),
    Operation(
        "GET", "/campaigns/{campaign}/tasks", operations.list_tasks, "campaigns", shapes.TaskList,
        query=(("judge", "string", "only of this judge"),),
    ),
    Operation(
        "GET", "/campaigns/{campaign}/judgements", operations.list_judgements, "judgements", shapes.JudgementPage,
        query=(_AFTER, _LIMIT, ("history", "boolean", "also answers that were revised")),
    ),
    Operation(
        "POST", "/campaigns/{campaign}/judgements", operations.save_answers, "write", shapes.SavedShape,
        shapes.NewAnswers, size="answer_bytes",
    ),
    Operation("GET", "/campaigns/{campaign}/export/{format}", operations.export, "judgements", None),
    Operation("GET", "/metrics", metrics, "metrics", None, media="text/plain"),
)  # fmt: skip


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
    all_shapes = {shape for row in OPERATIONS for shape in (row.takes, row.gives) if shape} | {shapes.Problem}
    in_order = sorted(all_shapes, key=lambda shape: shape.__name__)
    _, schemas = models_json_schema([(s, "validation") for s in in_order], ref_template="#/components/schemas/{model}")
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
            "schemas": schemas["$defs"],
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
    description: dict[str, Any] = {
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
        description["requestBody"] = {"required": True, "content": {"application/json": {"schema": _ref(row.takes)}}}
    return description


def _in_path(row: Operation) -> list[dict[str, Any]]:
    parameters: dict[str, dict[str, Any]] = {
        "campaign": {"type": "string", "minLength": 1},
        "format": {"type": "string", "enum": list(FORMATS)},
    }
    return [
        {"name": name, "in": "path", "required": True, "schema": parameters[name]}
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
