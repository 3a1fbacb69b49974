"""The disagreement browser: for a meeting in front of it. What is agreed is kept beside the judges' own answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from urllib.parse import urlencode

from starlette.datastructures import FormData, QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from lanner import campaign as campaigns
from lanner.errors import AnswerError, CampaignError
from lanner.model import Campaign, Json
from lanner.store import Store
from lanner.web import auth
from lanner.web.judge import guidelines
from lanner.web.organiser.discussed import Scene, Unit
from lanner.web.organiser.matrix import TAKEN
from lanner.web.organiser.organising import address_of, campaign_of
from lanner.web.page import forms
from lanner.web.page.rendering import page
from lanner.web.picture.told import Answers, Listing, Spot, Wanted
from lanner.web.site import Site


def wanted_of(query: QueryParams) -> Wanted:
    """What the filters ask for."""
    judges = tuple(name for name in query.get("judges", "").split("|") if name)
    labels = tuple(name for name in query.get("labels", "").split("|") if name)
    show = query.get("show", "open")
    return Wanted(
        question=query.get("question", ""),
        domain=query.get("domain", ""),
        document=query.get("document", ""),
        judges=judges if len(judges) == 2 else (),
        labels=labels if len(labels) == 2 else (),
        show=show if show in ("open", "settled", "all") else "open",
    )


async def disagreements(request: Request) -> Response:
    """The list on the left, one unit in the middle, what is agreed on the right."""
    site: Site = request.app.state.site
    found = await campaign_of(request)
    query = request.query_params
    wanted = wanted_of(query)
    listed: Listing = await site.live.ask("disagreements", found.id, wanted)
    unit = _unit(query) or _first(listed.spots)
    said: Answers | None = await site.live.ask("answers", found.id, unit) if unit else None
    if unit and said is not None and not said.given:
        raise HTTPException(404)

    def make() -> dict[str, object]:
        scene = Scene(site.store, found)
        item = scene.item(unit, said, models="models" in query) if unit and said else None
        return {**scene.context(listed, wanted), "item": item}

    context = await site.read(make)
    following = _following(listed.spots, unit)
    kept = {name: value for name, value in query.items() if name not in ("segment", "system", "at", "models", "unit")}
    context |= {"base": urlencode(kept), "next": _address(following, kept) if following else "", "address": _address}
    return page(request, "disagreements.html", {**context, "kept": kept, "refused": query.get("refused", "")})


def _unit(query: QueryParams) -> Unit | None:
    """The unit named in the address: `at` is a document, and its segment and system come along."""
    document = query.get("at") or (query.get("document") if "segment" in query else None)
    return (document, query.get("segment", ""), query.get("system", "")) if document else None


def _first(spots: Sequence[Spot]) -> Unit | None:
    return (spots[0].document, spots[0].segment, spots[0].system) if spots else None


def _following(spots: Sequence[Spot], unit: Unit | None) -> Spot | None:
    places = [at for at, spot in enumerate(spots) if (spot.document, spot.segment, spot.system) == unit]
    after = spots[places[0] + 1 :] if places else spots
    return after[0] if after else None


def _address(spot: Spot, kept: Mapping[str, str]) -> str:
    return "?" + urlencode({**kept, "at": spot.document, "segment": spot.segment, "system": spot.system})


async def settle(request: Request) -> Response:
    """Keep the agreed answer as a judge of its own, with a note; a guideline note reaches the judges from now on."""
    site: Site = request.app.state.site
    account = request.state.visitor.account
    found = await campaign_of(request)
    form = await auth.form_of(request)
    unit = (forms.text(form, "document"), forms.text(form, "segment"), forms.text(form, "system"))
    place = address_of(request, found, "/disagreements")
    try:
        await site.write(lambda: _settled(site.store, found, unit, form, account.id))
    except (AnswerError, CampaignError) as refused:
        back = {"at": unit[0], "segment": unit[1], "system": unit[2], "refused": refused.what}
        return RedirectResponse(f"{place}?{forms.text(form, 'base')}&{urlencode(back)}", 303)
    following = forms.text(form, "next")
    return RedirectResponse(place + (following if following.startswith("?") else ""), 303)


def _settled(store: Store, campaign: Campaign, unit: Unit, form: FormData, account: int) -> None:
    note = forms.text(form, "note").strip()[:4000]
    now = datetime.now(UTC)
    document, segment, system = unit
    about = (document, segment, tuple(system.split("|")) if system else ())
    said = given(store, campaign.id, about, form)
    campaigns.settle(store, campaign.id, about, said, note=note, account=account, at=now)
    if note and forms.text(form, "guideline"):
        guidelines.add(store, campaign.id, note, account=account, at=now)


def given(store: Store, campaign: int, unit: tuple[str, str, tuple[str, ...]], form: FormData) -> dict[str, Json]:
    """The agreed answers of a form. A field `QUESTION@` names a judge whose answer is taken as it is: nobody marks
    passages a second time."""
    protocol = campaigns.protocol(store, campaign)
    found: dict[str, Json] = {}
    for page_id in protocol.pages:
        found |= forms.answers(protocol, page_id, form)
    for _, question in protocol.questions:
        if judge := forms.text(form, f"{question.id}{TAKEN}"):
            found[question.id] = campaigns.answer_of(store, campaign, unit, judge, question.id)
    return found
