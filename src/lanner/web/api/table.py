"""The operations of the API, one row each: how, where, what for, with which scope, and the shapes in and out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from lanner.web.api import operations, shapes
from lanner.web.serving.request_counts import metrics

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
