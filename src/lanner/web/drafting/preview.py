"""Looking at a campaign as a judge would: the same page over the same texts, checked the same way, and nothing kept."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from lanner import campaign as campaigns
from lanner.designs.prepare import prepare
from lanner.errors import AnswerError
from lanner.model import Campaign, Json, Judge, Task
from lanner.protocols.answers import texts_of
from lanner.store import Store
from lanner.web import auth
from lanner.web.judging import handlers as judging
from lanner.web.judging.page import Given, Progress
from lanner.web.judging.page import Settings as PageSettings
from lanner.web.judging.task import TaskView
from lanner.web.organising.campaigns import address_of, campaign_of
from lanner.web.page import forms
from lanner.web.page.rendering import page
from lanner.web.page.speech import say
from lanner.web.site import Site

_DOCUMENTS = 2
_NOBODY = Judge("preview", name="Preview")


def tasks(store: Store, campaign: Campaign) -> list[Task]:
    """What a judge would be given of the first texts, numbered from 1. Made anew each time: nothing is assigned."""
    with store.reading() as tx:
        plan = tx.campaigns.plan(campaign.id)
    documents = campaigns.documents(store, campaign.id)[:_DOCUMENTS]
    protocol = campaigns.protocol(store, campaign.id)
    rng = np.random.default_rng(campaign.seed)
    options = {"shuffle": False, "all_scenarios": True}  # one look at everything that may be asked of a text
    assignment = prepare("full", documents, [_NOBODY], protocol, rng=rng, systems=plan["systems"], options=options)
    return [Task(number, _NOBODY.id, task.page, task.items) for number, task in enumerate(assignment, 1)]


def _desk(store: Store, campaign: Campaign, number: int) -> TaskView:
    every = tasks(store, campaign)
    if not 1 <= number <= len(every):
        raise HTTPException(404)
    task = every[number - 1]
    names = {item.document for item in task.items}
    texts = {document.id: document for document in campaigns.documents(store, campaign.id) if document.id in names}
    settings = PageSettings(title=campaign.title, guidelines=str(campaign.settings.get("guidelines", "")))
    answers = tuple(Given() for _ in task.items)
    progress = Progress(number - 1, len(every))
    protocol = campaigns.protocol(store, campaign.id)
    return TaskView(campaign, protocol, _NOBODY, 0, task, texts, answers, progress, settings)


async def preview(request: Request) -> Response:
    """The first task that is about texts."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    preview_tasks = await site.read(lambda: tasks(site.store, campaign))
    first = next((task.id for task in preview_tasks if task.items[0].document), 1)
    if not preview_tasks:
        raise HTTPException(404)
    return RedirectResponse(address_of(request, campaign, f"/preview/task/{first}"), 303)


async def leave(request: Request) -> Response:
    """Back to the campaign."""
    return RedirectResponse(address_of(request, await campaign_of(request)), 303)


async def task(request: Request) -> Response:
    """The judging page, marked as a preview."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    view = await site.read(lambda: _desk(site.store, campaign, request.path_params["id"]))
    below = address_of(request, campaign, "/preview")
    token = request.state.visitor.form_token
    who = f"preview.{campaign.id}"
    return judging.show_task(request, view, token, who=who, template="preview.html", preview=True, root=below)


async def answers(request: Request) -> Response:
    """Nothing was kept, so nothing comes back."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    view = await site.read(lambda: _desk(site.store, campaign, request.path_params["id"]))
    return _json({"items": [{} for _ in view.task.items], "finished": False})


async def save(request: Request) -> Response:
    """Check answers as if they were a judge's, and keep nothing."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    now = datetime.now(UTC)
    save = judging.read_save(await request.body(), now)
    view = await site.read(lambda: _desk(site.store, campaign, request.path_params["id"]))
    try:
        missing = await site.read(lambda: _checked(view, save["item"], save["answers"]))
    except AnswerError as error:
        refusal = {"question": error.question, "code": error.code, "message": str(error)}
        return _json({"errors": [refusal]}, 422)
    saved = dict.fromkeys(save["answers"], 0)
    digests = {question: campaigns.digest(value) for question, value in save["answers"].items()}
    reply = {"saved": saved, "digests": digests, "conflicts": [], "received_at": now.isoformat(), "missing": missing}
    return _json(reply)


def _checked(view: TaskView, number: int, answers: dict[str, Json]) -> list[str]:
    if not 0 <= number < len(view.task.items):
        raise AnswerError(say("There is no such item."), code="unknown_item")
    item = view.task.items[number]
    asking = campaigns.Questions(view.protocol)
    seen = texts_of(view.documents[item.document], item) if item.document else None
    earlier: dict[str, Json] = {}
    questions = {question.id: question for _, question in asking.questions(view.task.page, item)}
    for name in answers:
        if name not in questions:
            raise asking.unknown(name, view.task.page, item)
    for name, question in questions.items():
        if name in answers:
            earlier[name] = asking.check(question, answers[name], item, earlier, seen)
    return asking.open(view.task.page, item, earlier)


async def form(request: Request) -> Response:
    """Without a script: on to the next row."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    fields = await auth.form_of(request)
    number = request.path_params["id"]
    view = await site.read(lambda: _desk(site.store, campaign, number))
    item, row = forms.text(fields, "item"), forms.text(fields, "row")
    if item.isdecimal() and len(item) < 6:
        _checked(view, int(item), forms.answers(view.protocol, view.task.page, fields))
    following = f"?row={int(row) + 1}" if row.isdecimal() and len(row) < 6 else ""
    return RedirectResponse(address_of(request, campaign, f"/preview/task/{number}{following}"), 303)


async def finish(request: Request) -> Response:
    """The next task of the preview, or the end of it."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    await auth.form_of(request)
    number = request.path_params["id"]
    preview_tasks = await site.read(lambda: tasks(site.store, campaign))
    if number < len(preview_tasks):
        return RedirectResponse(address_of(request, campaign, f"/preview/task/{number + 1}"), 303)
    return page(request, "preview_end.html", {"campaign": campaign})


def _json(content: object, status: int = 200) -> Response:
    return Response(to_json(content), status, media_type="application/json")
