"""The list of campaigns, one of them by its address, and how far its documents are."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from lanner.campaign import documents as campaign_documents
from lanner.campaign import drawing, progress
from lanner.model import Campaign
from lanner.store import Account, AccountRole, Store
from lanner.web.organising.figures import progress_bar
from lanner.web.page.rendering import long_page
from lanner.web.site import Site


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the list."""

    campaign: Campaign
    items: int
    done: int
    judges: int
    undrawn: int = 0
    """Of the items: those that an adaptive campaign may still draw, at most."""

    @property
    def bar(self) -> Markup:
        return progress_bar(self.campaign.name, [("", self.done, self.items)], 110)


def find(store: Store, account: Account, name: str) -> Campaign:
    """A campaign of this account; others do not exist for it."""
    with store.reading() as tx:
        campaign = tx.campaigns.find(name)
        if campaign is None:
            raise HTTPException(404)
        if account.role is not AccountRole.OWNER and not tx.accounts.belongs(account.id, campaign.id):
            raise HTTPException(404)
        return campaign


async def campaign_of(request: Request) -> Campaign:
    """The campaign that the address names, where the visitor may see it."""
    site: Site = request.app.state.site
    account = request.state.visitor.account
    return await site.read(lambda: find(site.store, account, request.path_params["name"]))


def address_of(request: Request, campaign: Campaign, below: str = "") -> str:
    """The address of a campaign's page, or of one below it."""
    return f"{request.scope.get('root_path', '')}/campaigns/{quote(campaign.name, safe='')}{below}"


def listed(store: Store, account: Account) -> list[Row]:
    """The campaigns this account may see, the newest first."""
    with store.reading() as tx:
        mine = tx.campaigns.all() if account.role is AccountRole.OWNER else tx.campaigns.of_account(account.id)
        totals = tx.progress.totals()
        undrawn = {campaign.id: drawing.undrawn(store, tx, campaign) for campaign in mine}
    return [_row(campaign, *totals.get(campaign.id, (0, 0, 0)), undrawn[campaign.id]) for campaign in mine]


def _row(campaign: Campaign, items: int, done: int, judges: int, undrawn: int) -> Row:
    return Row(campaign, items + undrawn, done, judges, undrawn)


async def campaigns(request: Request) -> Response:
    """The list."""
    site: Site = request.app.state.site
    account = request.state.visitor.account
    filter_name = request.query_params.get("show", "")
    site.live.warm()
    rows = await site.read(lambda: listed(site.store, account))
    archived_rows = [row for row in rows if row.campaign.settings.get("archived")]
    current = [row for row in rows if not row.campaign.settings.get("archived")]
    context = {
        "rows": archived_rows if filter_name == "archived" else current,
        "archived": len(archived_rows),
        "shown": filter_name,
    }
    return await long_page(request, "campaigns.html", context)


async def documents(request: Request) -> Response:
    """How far each document is, and each domain."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)

    def look() -> dict[str, object]:
        progress_now = progress(site.store, campaign.id)
        documents = {document.id: document for document in campaign_documents(site.store, campaign.id)}
        return {"parts": progress_now.documents, "domains": progress_now.domains, "known": documents}

    page_data = await site.read(look)
    return await long_page(request, "documents.html", {"campaign": campaign, "bar": progress_bar, **page_data})
