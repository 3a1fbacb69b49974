"""The page of an adaptive campaign: what is decided, what is open, what more judging would buy, whether it is enough.

The numbers are those of `lanner campaign decided`; a worker computes them. An open pair can be left open here.
"""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from lanner.campaign import drawing
from lanner.designs.adaptive import NAME as ADAPTIVE
from lanner.web import auth
from lanner.web.organising.campaigns import address_of, campaign_of
from lanner.web.page import forms
from lanner.web.page.rendering import page
from lanner.web.site import Site


@dataclass(frozen=True, slots=True)
class SystemRow:
    """One system; numbers are set as text, empty where they are not known yet."""

    system: str
    score: str
    interval: str
    plain: str
    documents: int
    shown: bool


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two systems. `chance` is that the next hundred judgements settle what is open; `spared` are the judgements and
    hours that leaving it open would spare, None where that is not known."""

    first: str
    second: str
    open: bool
    state: str
    better: str
    difference: str
    interval: str
    chance: str
    spared: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class NextHundred:
    """What the next hundred judgements would buy: their hours, the open pairs with the chance that each is settled (as
    text and in per cent), and how many of them together."""

    hours: str
    pairs: tuple[tuple[str, str, int], ...]
    together: str


@dataclass(frozen=True, slots=True)
class DecidedPage:
    """Everything the page shows. `outcome` is how the campaign stands to its goal (`lanner.analysis.economy.Outcome`),
    `unanswered` how many pairs it ends without an answer to, `left` how many were left open. `work_left` is judgements,
    hours and the range that holds nine of ten, `finish` when that is at this pace; `agreement` is value, low, high and
    the planned minimum; `enough_when` is the goal in words; `ladder` and `course` are drawings, empty where there is
    nothing to draw."""

    goal: str
    score: str
    enough: bool
    outcome: str
    settled: int
    left: int
    unanswered: int
    judgements: int
    most: int
    unused: int
    documents: int
    all_documents: int
    look: int
    looks: int
    these_documents: bool
    systems: tuple[SystemRow, ...]
    pairs: tuple[PairRow, ...]
    work_left: tuple[str, str, str, str] | None
    finish: str
    agreement: tuple[str, str, str, str] | None
    enough_when: str
    unused_hours: str
    next_hundred: NextHundred | None
    ladder: Markup
    course: Markup


async def decided(request: Request) -> Response:
    """The page; a campaign with a fixed design has none."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    if campaign.design != ADAPTIVE:
        raise HTTPException(404)
    standing: DecidedPage = await site.files.ask("decided", campaign.id)
    return page(request, "decided.html", {"campaign": campaign, "standing": standing})


async def leave_open(request: Request) -> Response:
    """Spend no more work on an open pair of systems."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    if campaign.design != ADAPTIVE:
        raise HTTPException(404)
    form = await auth.form_of(request)
    first, _, second = forms.text(form, "pair").partition("|")
    account: int = request.state.visitor.account.id
    await site.write(lambda: drawing.leave_open(site.store, campaign.id, first, second, account=account))
    return RedirectResponse(address_of(request, campaign, "/decided"), 303)
