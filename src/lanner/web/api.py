"""What programs can ask for. Each operation has passed the check of its token, with the scope of its row. The API is
described in OpenAPI 3.1 from its table, so that the two cannot differ."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic.json_schema import models_json_schema
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from lanner import __version__, designs, protocols
from lanner import campaign as campaigns
from lanner.campaign.accounts import SCOPES
from lanner.errors import InputError
from lanner.model import Campaign, Document, Judge, Judgement, Segment, Task
from lanner.store import Transaction, pseudonyms_of
from lanner.web import api_shapes as shapes
from lanner.web import forms
from lanner.web.access import Caller, visible_campaign, visible_campaigns
from lanner.web.judging.handlers import finish_task, stored_answers
from lanner.web.organising.files import FORMATS, write_export
from lanner.web.site import Site, metrics

T = TypeVar("T", bound=BaseModel)
R = TypeVar("R")
MOST_DOCUMENTS, MOST_JUDGEMENTS = 200, 5000


def _site(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


def _caller(request: Request) -> Caller:
    caller: Caller = request.state.visitor
    return caller


def _json_response(shape: BaseModel, status: int = 200) -> Response:
    return Response(shape.model_dump_json(), status, media_type="application/json")


async def _read_body(request: Request, shape: type[T]) -> T:
    """The body as its shape; the first thing that is not as described is said with its place."""
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise HTTPException(415)
    try:
        return shape.model_validate_json(await request.body())
    except ValidationError as error:
        first_error = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first_error["loc"]))
        raise InputError(f"{place}: {first_error['msg']}." if place else f"{first_error['msg']}.") from None


def _number(request: Request, name: str, default: int, most: int, *, least: int = 0) -> int:
    words = request.query_params.get(name)
    if words is None:
        return default
    number = forms.whole_number(words)
    if number is None or not least <= number <= most:
        raise HTTPException(422, f"`{name}` is a whole number from {least} to {most}.")
    return number


def find(tx: Transaction, caller: Caller, name: str) -> Campaign:
    """A campaign this program may see; others do not exist for it."""
    campaign = visible_campaign(tx, caller.account, name)
    if caller.token.campaign not in (None, campaign.id):
        raise HTTPException(404)
    return campaign


async def _find_campaign(request: Request) -> Campaign:
    return await _site(request).query(lambda tx: find(tx, _caller(request), request.path_params["campaign"]))


def _in_shape(shape: type[T], entry: object, **others: Any) -> T:
    """Something of ours as the API describes it: fields of the same name, and `others`. It is not checked again, which
    would take longer than anything else about thousands of rows."""
    same = {name: getattr(entry, name) for name in shape.model_fields if name not in others}
    return shape.model_construct(**same, **others)


def _campaign(campaign: Campaign) -> shapes.CampaignShape:
    created_at = campaign.created_at or datetime.fromtimestamp(0, UTC)
    protocol, state = campaign.protocol_name, campaign.state.value
    return _in_shape(shapes.CampaignShape, campaign, protocol=protocol, state=state, created_at=created_at)


async def list_campaigns(request: Request) -> Response:
    """All campaigns the token may see, the newest first."""
    caller = _caller(request)
    visible = await _site(request).query(lambda tx: visible_campaigns(tx, caller.account))
    mine = [_campaign(entry) for entry in visible if caller.token.campaign in (None, entry.id)]
    return _json_response(shapes.CampaignList(campaigns=mine))


async def create_campaign(request: Request) -> Response:
    """Make a campaign as a draft, with its texts, protocol, design and judges."""
    site, caller = _site(request), _caller(request)
    body = await _read_body(request, shapes.NewCampaign)
    if caller.token.campaign is not None:
        raise HTTPException(403, "This token is for one campaign only.")
    if body.protocol not in protocols.names():
        raise InputError(f"There is no protocol called {body.protocol!r}.", next_step="`lanner protocols` lists all.")
    people = [Judge(judge.id, name=judge.name) for judge in body.judges]
    texts = [_document(document) for document in body.documents]

    def work() -> Campaign:
        campaign = campaigns.create(
            site.store,
            body.name,
            texts,
            body.protocol,
            people,
            design=body.design,
            options=_options(body.design, body.options),
            seed=body.seed,
            title=body.title,
            account=caller.account_id,
        )
        if caller.account_id is not None:
            with site.store.writing() as tx:
                tx.accounts.join(caller.account_id, campaign.id)
        return campaign

    return _json_response(_campaign(await site.write(work)), 201)


def _options(design: str, given: Mapping[str, bool | float | str]) -> dict[str, bool | float | str]:
    """Options of a design, of the kind of their defaults; whole numbers do where a share is meant. The design itself
    refuses those that it does not have."""
    known = designs.options(design)
    for name, value in given.items():
        kind = type(known.get(name, value))
        if type(value) not in ((int, float) if kind is float else (kind,)):
            raise InputError(f"The option {name} of {design} is not {value!r:.80}.")
    return dict(given)


def _document(shape: shapes.DocumentShape) -> Document:
    fields = shape.model_dump(exclude={"segments"})
    return Document(segments=tuple(Segment(**segment.model_dump()) for segment in shape.segments), **fields)


async def show_campaign(request: Request) -> Response:
    """One campaign."""
    return _json_response(_campaign(await _find_campaign(request)))


async def move_campaign(request: Request) -> Response:
    """Open, pause, close or reopen a campaign."""
    site, campaign = _site(request), await _find_campaign(request)
    state = (await _read_body(request, shapes.Move)).state
    moves = {"paused": campaigns.pause, "closed": campaigns.close}
    go = moves.get(state) or (campaigns.open if campaign.state.value == "draft" else campaigns.reopen)
    account = _caller(request).account_id
    updated_campaign = await site.write(lambda: go(site.store, campaign.id, account=account))
    return _json_response(_campaign(updated_campaign))


async def add_judges(request: Request) -> Response:
    """Add judges, and get the secrets of their links, this once."""
    site, campaign = _site(request), await _find_campaign(request)
    body = await _read_body(request, shapes.NewJudges)
    people = [Judge(judge.id, name=judge.name) for judge in body.judges]
    account = _caller(request).account_id

    def work() -> dict[str, str]:
        campaigns.add_judges(site.store, campaign.id, people, account=account)
        names = [judge.id for judge in people]
        return campaigns.invitations.issue_many(site.store, campaign.id, names, account=account)

    return _json_response(shapes.Links(secrets=await site.write(work)), 201)


async def show_progress(request: Request) -> Response:
    """How far a campaign is."""
    site, campaign = _site(request), await _find_campaign(request)
    progress = await site.read(lambda: campaigns.progress(site.store, campaign.id))
    names = {} if _knows_people(request) else progress.code_names

    def part(entry: campaigns.ProgressPart, name: str) -> shapes.PartShape:
        return _in_shape(shapes.PartShape, entry, name=name, active_minutes=round(entry.active_minutes, 2))

    judges = [part(entry, names.get(entry.name, entry.name)) for entry in progress.judges]
    domains = [part(entry, entry.name) for entry in progress.domains]
    whole = part(progress.whole, campaign.name)
    return _json_response(_in_shape(shapes.ProgressShape, progress, whole=whole, judges=judges, domains=domains))


async def show_agreement(request: Request) -> Response:
    """How far people agree on each question: the numbers of the live page, the command line and the report."""
    site, campaign = _site(request), await _find_campaign(request)
    rows = await site.live.ask("agreement", campaign.id)
    return _json_response(shapes.AgreementList(agreement=[shapes.AgreementShape(**row) for row in rows]))


async def list_documents(request: Request) -> Response:
    """The texts of a campaign, some at a time."""
    site, campaign = _site(request), await _find_campaign(request)
    start = _number(request, "start", 0, 10**9)
    limit = _number(request, "limit", 50, MOST_DOCUMENTS, least=1)  # whoever pages by none never comes to an end
    texts = await site.query(lambda tx: tx.documents.batch(campaign.id, start, limit + 1))
    document_shapes = [
        _in_shape(shapes.DocumentShape, text, segments=[_segment(segment) for segment in text])
        for text in texts[:limit]
    ]
    following = start + limit if len(texts) > limit else None
    return _json_response(shapes.DocumentPage.model_construct(documents=document_shapes, next=following))


def _segment(segment: Segment) -> shapes.SegmentShape:
    outputs, references = dict(segment.outputs), dict(segment.references)
    return _in_shape(shapes.SegmentShape, segment, outputs=outputs, references=references)


def _knows_people(request: Request) -> bool:
    return "people" in _caller(request).token.scopes


async def _with_names(
    request: Request, campaign: Campaign, read: Callable[[Transaction], R]
) -> tuple[R, dict[str, str]]:
    """What is read of a campaign, and what its judges are called for this token: as of one moment, or whoever was added
    or renamed in between would go by their id."""

    def work(tx: Transaction) -> tuple[R, dict[str, str]]:
        rows = read(tx)
        return rows, {} if _knows_people(request) else pseudonyms_of(tx.judges.all(campaign.id))

    return await _site(request).query(work)


async def list_judgements(request: Request) -> Response:
    """Judgements in the order they came: those that hold, or with `history=true` every one ever given."""
    campaign = await _find_campaign(request)
    after = _number(request, "after", 0, 2**53)
    limit = _number(request, "limit", 1000, MOST_JUDGEMENTS, least=1)
    history = request.query_params.get("history", "false")
    if history not in ("true", "false"):
        raise HTTPException(422, "`history` is true or false.")
    rows, names = await _with_names(
        request, campaign, lambda tx: tx.judgements.batch(campaign.id, after, limit, history=history == "true")
    )
    judgement_shapes = [_judgement(row, names) for row in rows]
    return _json_response(
        shapes.JudgementPage.model_construct(judgements=judgement_shapes, next=rows[-1].id or after if rows else after)
    )


def _judgement(row: Judgement, names: dict[str, str]) -> shapes.JudgementShape:
    judge, systems, flags = names.get(row.judge, row.judge), list(row.systems), list(row.flags)
    return _in_shape(shapes.JudgementShape, row, judge=judge, systems=systems, flags=flags, role=str(row.role))


async def save_answers(request: Request) -> Response:
    """Hand in answers for a task of this campaign: checked by its protocol, on disk when this returns."""
    site, campaign = _site(request), await _find_campaign(request)
    body = await _read_body(request, shapes.NewAnswers)
    owner = site.owners.cached(body.task) or await site.read(lambda: site.owners.find(body.task))
    if owner is None or owner.campaign != campaign.id or owner.judge is None:
        raise HTTPException(404)
    submission = campaigns.Submission(body.task, body.item, body.answers, body.submission, body.elapsed, body.active)
    try:
        outcome, _ = await site.intake.submit(submission)
    except campaigns.ReusedError as error:
        fields = {"message": error.what, "where": "", "next": error.next_step, "reason": error.code}
        return JSONResponse({**fields, "digests": error.digests, "stored": stored_answers(error)}, 409)
    site.saves += 1
    shape = shapes.SavedShape(
        saved=dict(outcome.ids), digests=outcome.digests, missing=list(outcome.open), repeated=outcome.repeated
    )
    return _json_response(shape)


async def list_tasks(request: Request) -> Response:
    """The tasks of a campaign, of all judges or of one."""
    campaign = await _find_campaign(request)
    entries, names = await _with_names(request, campaign, lambda tx: tx.tasks.of_campaign(campaign.id))
    judge = request.query_params.get("judge")
    task_shapes = [_task(entry.task, names) for entry in entries]
    return _json_response(shapes.TaskList(tasks=[task for task in task_shapes if judge in (None, task.judge)]))


def _task(task: Task, names: Mapping[str, str]) -> shapes.TaskShape:
    return _in_shape(shapes.TaskShape, task, judge=names.get(task.judge, task.judge), items=len(task.items))


async def _find_task(request: Request, campaign: Campaign) -> tuple[Task, dict[str, str]]:
    """The task of the address, if it is one of this campaign, and what judges are called."""
    number = forms.whole_number(request.path_params["task"])
    if number is None or not 1 <= number < 2**63:
        raise HTTPException(404)
    entry, names = await _with_names(request, campaign, lambda tx: tx.tasks.get(number))
    if entry is None or entry.campaign != campaign.id:
        raise HTTPException(404)
    return entry.task, names


async def show_task(request: Request) -> Response:
    """One task: what its items are about, and which questions still need an answer."""
    site, campaign = _site(request), await _find_campaign(request)
    task, names = await _find_task(request, campaign)
    missing = {entry.item: entry.questions for entry in await site.read(lambda: campaigns.missing(site.store, task.id))}
    items = [
        _in_shape(
            shapes.ItemShape,
            item,
            systems=list(item.systems),
            role=str(item.role),
            texts=dict(item.texts),
            missing=list(missing.get(place, ())),
        )
        for place, item in enumerate(task.items)
    ]
    return _json_response(shapes.TaskContent.model_construct(task=_task(task, names), items=items))


async def next_task(request: Request) -> Response:
    """The task a judge is to do next; with none left, a free one is taken where the design has such."""
    site, campaign = _site(request), await _find_campaign(request)
    wanted = (await _read_body(request, shapes.ForJudge)).judge
    participants, names = await _with_names(request, campaign, lambda tx: tx.judges.all(campaign.id))
    ids = [participant.judge.id for participant in participants]
    judge = next((judge for judge in ids if names.get(judge, judge) == wanted), None)
    if judge is None:
        raise InputError(f"There is no judge {wanted!r} here.", code="unknown_judge")
    task = await site.write(lambda: campaigns.next_task(site.store, campaign.id, judge))
    return _json_response(shapes.NextTask(task=_task(task, names) if task else None))


async def finish(request: Request) -> Response:
    """Finish a task that is answered in full: from then on its answers stay as they are."""
    site, campaign = _site(request), await _find_campaign(request)
    task, names = await _find_task(request, campaign)
    finished_task = await finish_task(site, task.id)
    site.saves += 1
    return _json_response(_task(finished_task, names))


async def export(request: Request) -> Response:
    """A file with all current judgements and its codebook, as from the organisers' pages."""
    site, campaign = _site(request), await _find_campaign(request)
    path, away = await write_export(site, campaign, request.path_params["format"])
    return FileResponse(path, filename=path.name, media_type="application/octet-stream", background=away)


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
    Operation("GET", "/campaigns", list_campaigns, "campaigns", shapes.CampaignList),
    Operation(
        "POST", "/campaigns", create_campaign, "write", shapes.CampaignShape, shapes.NewCampaign,
        status=201, size="upload_bytes",
    ),
    Operation("GET", "/campaigns/{campaign}", show_campaign, "campaigns", shapes.CampaignShape),
    Operation(
        "POST", "/campaigns/{campaign}/state", move_campaign, "write", shapes.CampaignShape, shapes.Move
    ),
    Operation(
        "POST", "/campaigns/{campaign}/judges", add_judges, "write", shapes.Links, shapes.NewJudges,
        status=201,
    ),
    Operation("GET", "/campaigns/{campaign}/progress", show_progress, "campaigns", shapes.ProgressShape),
    Operation("GET", "/campaigns/{campaign}/agreement", show_agreement, "judgements", shapes.AgreementList),
    Operation(
        "GET", "/campaigns/{campaign}/documents", list_documents, "campaigns", shapes.DocumentPage,
        query=(("start", "integer", "leave out so many"), _LIMIT),
    ),
    Operation(
        "GET", "/campaigns/{campaign}/tasks", list_tasks, "campaigns", shapes.TaskList,
        query=(("judge", "string", "only of this judge"),),
    ),
    Operation("POST", "/campaigns/{campaign}/tasks", next_task, "write", shapes.NextTask, shapes.ForJudge),
    Operation("GET", "/campaigns/{campaign}/tasks/{task}", show_task, "campaigns", shapes.TaskContent),
    Operation("POST", "/campaigns/{campaign}/tasks/{task}/finish", finish, "write", shapes.TaskShape),
    Operation(
        "GET", "/campaigns/{campaign}/judgements", list_judgements, "judgements", shapes.JudgementPage,
        query=(_AFTER, _LIMIT, ("history", "boolean", "also answers that were revised")),
    ),
    Operation(
        "POST", "/campaigns/{campaign}/judgements", save_answers, "write", shapes.SavedShape,
        shapes.NewAnswers, size="answer_bytes",
    ),
    Operation("GET", "/campaigns/{campaign}/export/{format}", export, "judgements", None),
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
_OF_CHANGES = {
    400: "The body cannot be read.",
    409: "The campaign does not take this now.",
    413: "The body is too large.",
    415: "The body is not JSON.",
}
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
    refusals = {**_REFUSALS, **(_OF_CHANGES if row.method == "POST" else {})}
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
        "task": {"type": "integer", "minimum": 1, "maximum": 2**63 - 1},
    }
    return [
        {"name": name, "in": "path", "required": True, "schema": parameters[name]}
        for name in re.findall(r"\{(\w+)\}", row.path)
    ]


def _in_query(row: Operation, name: str, kind: str, meaning: str) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": kind}
    if kind == "integer":
        most = {"limit": _MOST.get(row.handler.__name__, 0), "after": 2**53, "start": 10**9}[name]
        schema |= {"minimum": int(name == "limit"), "maximum": most}
    return {"name": name, "in": "query", "required": False, "description": meaning, "schema": schema}


def _ref(shape: Any) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{shape.__name__}"}


async def openapi(_request: Request) -> Response:
    """The description, for programs and for those who write them."""
    return Response(to_json(description()), media_type="application/json")
