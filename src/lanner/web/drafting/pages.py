"""Making a campaign in the browser: texts first, then what is asked, of whom and how, with the plan before anything is
made. The result is a draft that can be looked at as a judge before it is opened."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from lanner import campaign as campaigns
from lanner import designs, formats, protocols
from lanner.designs.plan import AssignmentPlan
from lanner.errors import InputError, LannerError, Where
from lanner.model import Campaign, Text, languages
from lanner.model.protocol import Wording
from lanner.protocols.describe import describe
from lanner.store import Store
from lanner.web import forms
from lanner.web.access import visible_campaign, visible_campaigns
from lanner.web.drafting import tables
from lanner.web.drafting.options import (
    CampaignForecast,
    LengthForecast,
    PowerForecast,
    control_of,
    offers,
    read_wishes,
    remedies,
    with_remedy,
)
from lanner.web.drafting.tables import language_titles
from lanner.web.drafting.uploads import Upload, UploadedTexts, safe_name, summarise, without_folders
from lanner.web.organising import judges
from lanner.web.organising.campaigns import to_campaign
from lanner.web.organising.figures import NarrowingScale, load_bar, narrowing, size_curve
from lanner.web.problems import error_text
from lanner.web.rendering import page, redirect
from lanner.web.site import Site
from lanner.web.speech import say


async def new(request: Request) -> Response:
    """Where the texts come from."""
    return await _new_page(request)


async def _new_page(request: Request, problem: str = "", form: FormData | None = None) -> Response:
    site: Site = request.app.state.site
    account = request.state.visitor.account
    context = {
        "problem": problem,
        "campaigns": (await site.query(lambda tx: visible_campaigns(tx, account)))[:200],
        "given": form if form is not None else FormData(),
        "languages": language_titles(),
    }
    return page(request, "new.html", context, 422 if problem else 200)


async def take_texts(request: Request) -> Response:
    """Read an upload, the demonstration texts, or those of another campaign. What is wrong is said with its line."""
    site: Site = request.app.state.site
    account = request.state.visitor.account
    form = await forms.form_of(request)
    folder = site.uploads.place()
    try:
        match forms.text(form, "from"):
            case "demo":
                texts: UploadedTexts = await site.files.ask("demo_texts", str(folder))
            case "campaign":
                model = await site.query(lambda tx: visible_campaign(tx, account, forms.text(form, "campaign")))
                texts = await site.read(lambda: _of_campaign(site.store, model, folder))
            case _:
                with tempfile.TemporaryDirectory(prefix="lanner-upload-") as upload_folder:
                    names = _receive(form, Path(upload_folder))
                    first = Path(upload_folder) / names[0]
                    if len(names) == 1 and await site.files.ask("is_table", first):
                        return await tables.take_table(request, first)
                    texts = await _read(site, form, Path(upload_folder), names, folder)
    except LannerError as error:
        return await _new_page(request, error_text(without_folders(error)), form)
    token = site.uploads.keep(Upload(account.id, folder, texts))
    return redirect(request, f"/new/{token}")


def _of_campaign(store: Store, campaign: Campaign, folder: Path) -> UploadedTexts:
    documents = campaigns.documents(store, campaign.id)
    formats.write("native", folder, documents)
    return summarise(documents, campaign.title or campaign.name, say("the texts of {name}", name=campaign.name))


def _receive(form: FormData, folder: Path) -> list[str]:
    """The uploaded files under their own names, which tell the format; only a name's last part is ever used."""
    files = [entry for entry in form.getlist("texts") if isinstance(entry, UploadFile) and entry.filename]
    if not files:
        raise InputError(say("No file was chosen."), next_step=say("Choose a file, or take the demonstration texts."))
    for entry in files:
        path = folder / safe_name(entry.filename)
        if path.exists():
            raise InputError(
                say("Two files are called {name}.", name=path.name),
                next_step=say("Rename one of them and choose both again."),
            )
        with path.open("wb") as target:
            shutil.copyfileobj(entry.file, target)
    return sorted(path.name for path in folder.iterdir())


async def _read(site: Site, form: FormData, upload_folder: Path, names: list[str], folder: Path) -> UploadedTexts:
    path = str(upload_folder / names[0]) if len(names) == 1 else str(upload_folder)
    languages_chosen = ":".join(forms.text(form, name) or languages.UNDETERMINED for name in ("source", "target"))
    options = {"languages": languages_chosen} if forms.text(form, "source") or forms.text(form, "target") else {}
    texts: UploadedTexts = await site.files.ask("read_texts", path, ", ".join(names), options, str(folder))
    return texts


async def draft_page(request: Request) -> Response:
    """What is asked, of whom, by which design."""
    return await _draft_page(request, _upload(request))


def _upload(request: Request) -> Upload:
    site: Site = request.app.state.site
    return site.uploads.find(Upload, request.path_params["upload"], request.state.visitor.account.id)


async def _draft_page(
    request: Request,
    upload: Upload,
    form: FormData | None = None,
    problem: str = "",
    *,
    mistake: LannerError | None = None,
    forecast: CampaignForecast | None = None,
    names: Mapping[str, str] | None = None,
) -> Response:
    site: Site = request.app.state.site
    all_offers = await site.read(offers)
    context = {
        "upload": request.path_params["upload"],
        "texts": upload.texts,
        "table": upload.table,
        "protocols": [
            (offer, offer.reason_against(len(upload.texts.systems))) for offer in all_offers if not offer.about_judges
        ],
        "questionnaires": [offer for offer in all_offers if offer.about_judges],
        "designs": [
            (name, *re.split(r"[:：]\s*", say(title), maxsplit=1), designs.options(name))
            for name, title in designs.titles().items()
        ],
        "given": form if form is not None else FormData(),
        "first": form is None,
        "problem": problem,
        "control": control_of(mistake) if mistake else "",
        "same_name": mistake is not None and mistake.code == "same_name",
        "plan": forecast.plan if forecast else None,
        "ahead": forecast.ahead if forecast else None,
        "prospects": forecast.prospects if forecast else None,
        "names": names or {},
        "sizes": forecast.sizes if forecast else {},
        "loads": _loads(forecast.plan) if forecast else {},
        "courses": _courses(forecast.ahead) if forecast else None,
        "curve": _curve(forecast.prospects) if forecast else None,
        "remedies": remedies(forecast.plan, form) if forecast and form is not None else [],
    }
    return page(request, "draft.html", context, 422 if problem else 200)


def _loads(plan: AssignmentPlan) -> dict[str, Markup]:
    """The bar of each judge's work."""
    longest = max([plan.fair_hours, *(judge.hours for judge in plan.judges)])
    bars = {}
    for judge in plan.judges:
        loads = (judge.calibration_hours, judge.hours - judge.calibration_hours)
        bars[judge.judge] = load_bar(judge.judge, loads, plan.mean_hours, fair=plan.fair_hours, longest=longest)
    return bars


def _curve(prospects: PowerForecast | None) -> Markup | None:
    """What more documents, or fewer, would show; None where there are not three such numbers."""
    points = [(number, value) for number, value in prospects.by_documents if value is not None] if prospects else []
    return size_curve(points, prospects.documents) if prospects and len(points) >= _FEWEST_POINTS else None


def _courses(ahead: LengthForecast | None) -> tuple[Markup, Markup] | None:
    """How a fixed and an adaptive campaign narrow an interval, on the same scale; None where nothing is known of them,
    or at too few points for a curve."""
    if ahead is None:
        return None
    fixed_course = [(point.judgements, point.fixed) for point in ahead.course if point.fixed is not None]
    adaptive = [(point.judgements, point.adaptive) for point in ahead.course if point.adaptive is not None]
    if min(len(fixed_course), len(adaptive)) < _FEWEST_POINTS:
        return None
    scale = NarrowingScale(
        ahead.fixed_judgements, ahead.distance or 0.0, max(width for _, width in (*fixed_course, *adaptive))
    )
    ends = (ahead.low * ahead.fixed_judgements, ahead.high * ahead.fixed_judgements)
    return (
        narrowing(say("Fixed"), fixed_course, scale, end=ahead.fixed_judgements),
        narrowing(say("Adaptive"), adaptive, scale, end=ahead.adaptive_judgements, ends=ends),
    )


_FEWEST_POINTS = 3


async def draft(request: Request) -> Response:
    """Show the plan, or make the campaign. A remedy beside a caution changes the form and shows the new plan."""
    site: Site = request.app.state.site
    upload = _upload(request)
    form = with_remedy(await forms.form_of(request))
    own = form.get("own_file")
    try:
        if isinstance(own, UploadFile) and own.filename:
            form = FormData([*form.multi_items(), ("own_protocol", await _text_of(own))])
        wishes = await site.read(lambda: read_wishes(form))
        if forms.text(form, "do") == "plan":
            forecast: CampaignForecast = await site.files.ask("forecast", str(upload.path), wishes)
            names = {judge.id: judge.name or judge.id for judge in wishes.people}
            return await _draft_page(request, upload, form, forecast=forecast, names=names)
        account = request.state.visitor.account.id
        campaign: Campaign = await site.files.ask("create_campaign", str(upload.path), wishes, account)
    except LannerError as error:
        return await _draft_page(request, upload, form, error_text(error), mistake=error)
    if wishes.judges:
        return await judges.first_links(request, campaign, wishes.judges)
    return to_campaign(request, campaign)


async def _text_of(own: UploadFile) -> str:
    try:
        return (await own.read()).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(say("The protocol is not a text file."), where=Where(own.filename)) from None


async def protocol(request: Request) -> Response:
    """A protocol as a person would read it."""
    site: Site = request.app.state.site
    name = request.path_params["protocol"]
    if name not in protocols.names():
        raise HTTPException(404)

    def look() -> dict[str, object]:
        entry = protocols.load(name)
        wording = Wording(entry)
        questions = [(q.id, wording.question(q.id).label, isinstance(q, Text)) for _, q in entry.questions]
        return {"name": name, "blocks": blocks(describe(entry)), "title": wording.title, "questions": questions}

    return page(request, "protocol.html", await site.read(look))


@dataclass(frozen=True, slots=True)
class ListEntry:
    """One line of a list; those below another are `deeper`."""

    text: str
    deeper: bool = False


@dataclass(frozen=True, slots=True)
class ProtocolBlock:
    """A heading ("h1" to "h3"), a paragraph ("p"), the name of a group ("group") or a list ("list")."""

    kind: str
    text: str = ""
    entries: tuple[ListEntry, ...] = ()


def blocks(description: str) -> list[ProtocolBlock]:
    """The description in its order. Lines that follow each other stay lines of their own."""
    blocks: list[ProtocolBlock] = []
    for block in _lines(description):
        if block.kind == "list" and blocks and blocks[-1].kind == "list":
            blocks[-1] = ProtocolBlock("list", entries=blocks[-1].entries + block.entries)
        else:
            blocks.append(block)
    return blocks


def _lines(description: str) -> Iterator[ProtocolBlock]:
    for line in description.splitlines():
        text = line.strip()
        hashes, _, heading = text.partition(" ")
        if hashes in ("#", "##", "###"):
            yield ProtocolBlock(f"h{len(hashes)}", heading)
        elif text.startswith("- "):
            yield ProtocolBlock("list", entries=(ListEntry(text[2:], deeper=line.startswith("  ")),))
        elif len(text) > 2 and text[0] == text[-1] == "*" and "*" not in text[1:-1]:
            yield ProtocolBlock("group", text[1:-1])
        elif text:
            yield ProtocolBlock("p", text)
