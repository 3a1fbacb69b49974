"""Judges who agree: a meeting about the most disputed sentences, and whether agreement was higher afterwards.

The page chooses the sentences by itself and shows everybody's answers and reasons side by side. What is decided (on the
page of disagreements) becomes a worked example of the guidelines. The sentences can be given to everybody again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from lanner.errors import StatisticError
from lanner.model import Json
from lanner.monitor.snapshot import UnitAnswers
from lanner.web import auth, forms
from lanner.web.organising.campaigns import address_of, campaign_of
from lanner.web.organising.disagreements import Item, Scene, Unit
from lanner.web.organising.exports import report_policy
from lanner.web.problems import error_text
from lanner.web.rendering import page
from lanner.web.site import Site

_USUAL, _MOST = 12, 60


@dataclass(frozen=True, slots=True)
class Comparison:
    """Agreement before and after a day, in words: the question or its part, both coefficients, their difference. Where
    there are too few sentences the difference is empty."""

    label: str
    part: bool
    before: str
    after: str
    difference: str


@dataclass(frozen=True, slots=True)
class Training:
    """What a training achieved: rows, how many sentences lie on both sides of its day and count on neither, the numbers
    of documents before and after where these are few, and how the numbers were made."""

    comparisons: tuple[Comparison, ...]
    mixed: int
    few_documents: tuple[int, int] | None
    method: str


@dataclass(frozen=True, slots=True)
class Case:
    """A disputed sentence with everybody's answers and reasons; `reasons` are by judge, in the order of the columns."""

    item: Item
    reasons: tuple[tuple[str, ...], ...]

    @property
    def address(self) -> str:
        """Where it is decided."""
        document, segment, system = self.item.unit
        return "?" + urlencode({"at": document, "segment": segment, "system": system, "show": "all"})


def _number(text: str) -> int:
    return min(_MOST, max(1, int(text))) if text.isdecimal() and len(text) < 4 else _USUAL


async def meeting(request: Request) -> Response:
    """The most disputed sentences with the reasons side by side, and agreement before and after a day."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    number, since = _number(request.query_params.get("n", "")), request.query_params.get("since", "")
    units: list[Unit] = await site.files.ask("disputed", campaign.id, number)
    answers: list[UnitAnswers] = [await site.live.ask("answers", campaign.id, unit) for unit in units]
    training, problem = await _training(site, campaign.id, since)

    def build() -> list[Case]:
        scene = Scene(site.store, campaign)
        items = [
            scene.item(unit, unit_answers, models=False) for unit, unit_answers in zip(units, answers, strict=True)
        ]
        return [_case(item) for item in items if item is not None]

    context = {
        "campaign": campaign,
        "cases": await site.read(build),
        "number": number,
        "since": since,
        "training": training,
        "problem": problem,
        "given": request.query_params.get("given", ""),
    }
    return page(request, "meeting.html", context)


async def _training(site: Site, campaign: int, since: str) -> tuple[Training | None, str]:
    if not since:
        return None, ""
    try:
        day = date.fromisoformat(since)
    except ValueError:
        raise HTTPException(422) from None
    try:
        return await site.files.ask("training", campaign, day.isoformat()), ""
    except StatisticError as error:
        return None, error_text(error)


def _case(item: Item) -> Case:
    by_judge = {judge: tuple(words for name, words in item.comments if name == judge) for judge in item.judges}
    return Case(item, tuple(by_judge.values()))


async def calibrate(request: Request) -> Response:
    """Give the most disputed sentences to every person again, as a calibration round."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    form = await auth.form_of(request)
    number = _number(forms.text(form, "n"))
    item_count: int = await site.files.ask("calibrate", campaign.id, number, request.state.visitor.account.id)
    site.saves += 1
    query: dict[str, Json] = {"n": number, "given": item_count}
    return RedirectResponse(f"{address_of(request, campaign, '/meeting')}?{urlencode(query)}", 303)


async def guidelines(request: Request) -> Response:
    """The guidelines as they stand, for print: every decision is a worked example."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    html: str = await site.files.ask("guidelines", campaign.id)
    return HTMLResponse(html, headers={"content-security-policy": report_policy()})
