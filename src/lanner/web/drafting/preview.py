"""Looking at a campaign as a judge would, also before there is one: the same page over the same texts, checked the same
way, and nothing kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

import numpy as np
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from lanner import campaign as campaigns
from lanner import formats, protocols
from lanner.designs.prepare import prepare
from lanner.errors import AnswerError
from lanner.model import Campaign, CampaignState, Document, Json, Judge, Protocol, Task
from lanner.model.protocol import Wording
from lanner.protocols.answers import texts_of
from lanner.store import Store
from lanner.web import forms
from lanner.web.drafting.uploads import Upload
from lanner.web.judging import handlers as judging
from lanner.web.judging.page import PageProgress, PageSettings, StoredAnswers, TaskView
from lanner.web.judging.practice import check_all
from lanner.web.organising.campaigns import address_of, campaign_of
from lanner.web.rendering import page
from lanner.web.site import Site
from lanner.web.speech import language, say

_DOCUMENTS = 2
_NOBODY = Judge("preview", name="Preview")


@dataclass(frozen=True, slots=True)
class PreviewSubject:
    """What is looked at: a campaign, or texts with a protocol of which none was made yet. `address` is that of the
    preview, `back` where it leads in the end."""

    campaign: Campaign
    protocol: Protocol
    documents: tuple[Document, ...]
    systems: Sequence[str]
    address: str
    back: str

    @property
    def tasks(self) -> list[Task]:
        """What a judge would be given of the first texts, numbered from 1. Made anew each time: nothing is assigned."""
        rng = np.random.default_rng(self.campaign.seed)
        options = {"shuffle": False, "all_scenarios": True}  # one look at everything that may be asked of a text
        texts = self.documents
        assignment = prepare("full", texts, [_NOBODY], self.protocol, rng=rng, systems=self.systems, options=options)
        return [Task(number, _NOBODY.id, task.page, task.items) for number, task in enumerate(assignment, 1)]

    def view(self, number: int) -> TaskView:
        """One of the tasks, as the judging page shows it."""
        every = self.tasks
        if not 1 <= number <= len(every):
            raise HTTPException(404)
        task = every[number - 1]
        names = {item.document for item in task.items}
        texts = {document.id: document for document in self.documents if document.id in names}
        guidelines = str(self.campaign.settings.get("guidelines", ""))
        settings = PageSettings(guidelines=guidelines)
        answers = tuple(StoredAnswers() for _ in task.items)
        progress = PageProgress(number - 1, len(every))
        return TaskView(self.campaign, self.protocol, _NOBODY, 0, task, texts, answers, progress, settings)


async def _subject_of(request: Request) -> PreviewSubject:
    site: Site = request.app.state.site
    if "upload" in request.path_params:
        upload = site.uploads.find(Upload, request.path_params["upload"], request.state.visitor.account.id)
        name = request.path_params["protocol"]
        if name not in protocols.names():
            raise HTTPException(404)
        address = f"{request.scope.get('root_path', '')}/new/{request.path_params['upload']}"
        return await site.read(lambda: _of_upload(upload, name, address))
    campaign = await campaign_of(request)
    return await site.read(lambda: of_campaign(site.store, campaign, address_of(request, campaign)))


def of_campaign(store: Store, campaign: Campaign, address: str) -> PreviewSubject:
    """A campaign that there is; `address` is that of its page."""
    with store.reading() as tx:
        systems = tx.campaigns.plan(campaign.id)["systems"]
    documents = tuple(campaigns.documents(store, campaign.id)[:_DOCUMENTS])
    protocol = campaigns.protocol(store, campaign.id)
    return PreviewSubject(campaign, protocol, documents, systems, f"{address}/preview", address)


def _of_upload(upload: Upload, name: str, address: str) -> PreviewSubject:
    protocol = protocols.load(name)
    documents = tuple(islice(formats.read_documents(upload.path, "native"), _DOCUMENTS))
    systems = [system for system, _ in upload.texts.systems]
    now = datetime.now(UTC)
    title = Wording(protocol, language()).title
    campaign = Campaign(0, "", title, protocol.name, protocol.hash, CampaignState.DRAFT, 0, "full", {}, now)
    return PreviewSubject(campaign, protocol, documents, systems, f"{address}/preview/{name}", address)


async def _view_of(request: Request) -> tuple[PreviewSubject, TaskView]:
    """What is looked at, and the task of it that is asked for."""
    site: Site = request.app.state.site
    subject = await _subject_of(request)
    return subject, await site.read(lambda: subject.view(request.path_params["id"]))


async def preview(request: Request) -> Response:
    """The first task that is about texts."""
    site: Site = request.app.state.site
    subject = await _subject_of(request)
    preview_tasks = await site.read(lambda: subject.tasks)
    first = next((task.id for task in preview_tasks if task.items[0].document), 1)
    if not preview_tasks:
        raise HTTPException(404)
    return RedirectResponse(f"{subject.address}/task/{first}", 303)


async def leave(request: Request) -> Response:
    """Back to the campaign, or to the form for one."""
    return RedirectResponse((await _subject_of(request)).back, 303)


async def task(request: Request) -> Response:
    """The judging page, marked as a preview."""
    subject, view = await _view_of(request)
    token = request.state.visitor.form_token
    who = f"preview.{subject.campaign.id or request.path_params['upload']}"
    below = subject.address
    return judging.show_task(request, view, token, who=who, template="preview.html", preview=True, root=below)


async def answers(request: Request) -> Response:
    """Nothing was kept, so nothing comes back."""
    _, view = await _view_of(request)
    return judging.json_response({"items": [{} for _ in view.task.items], "finished": False})


async def save(request: Request) -> Response:
    """Check answers as if they were a judge's, and keep nothing."""
    site: Site = request.app.state.site
    now = datetime.now(UTC)
    _, view = await _view_of(request)
    save = judging.read_save(await request.body(), now)
    try:
        missing = await site.read(lambda: _check_answers(view, save["item"], save["answers"]))
    except AnswerError as error:
        return judging.refusal(request, error, "")
    saved = campaigns.SaveResult(dict.fromkeys(save["answers"], 0), tuple(missing), answers=save["answers"])
    return judging.json_response(judging.acknowledge(saved, now))


def _check_answers(view: TaskView, number: int, answers: Mapping[str, Json]) -> list[str]:
    """What is still open about an item, given these answers."""
    if not 0 <= number < len(view.task.items):
        raise AnswerError(say("There is no such item."), code="unknown_item")
    item, page = view.task.items[number], view.task.page
    rules = campaigns.Questions(view.protocol)
    texts = texts_of(view.documents[item.document], item) if item.document else None
    return rules.open(page, item, check_all(rules, page, item, answers, texts))


async def form(request: Request) -> Response:
    """Without a script: on to the next row."""
    subject, view = await _view_of(request)
    fields = await forms.form_of(request)
    item = forms.whole_number(forms.text(fields, "item"))
    if item is not None:
        _check_answers(view, item, forms.answers(view.protocol, view.task.page, fields))
    return RedirectResponse(f"{subject.address}/task/{view.task.id}{judging.next_row(fields)}", 303)


async def finish(request: Request) -> Response:
    """The next task of the preview, or the end of it."""
    site: Site = request.app.state.site
    subject = await _subject_of(request)
    await forms.form_of(request)
    number = request.path_params["id"]
    if number < len(await site.read(lambda: subject.tasks)):
        return RedirectResponse(f"{subject.address}/task/{number + 1}", 303)
    context = {"campaign": subject.campaign, "again": subject.address, "back": subject.back}
    return page(request, "preview_end.html", context)
