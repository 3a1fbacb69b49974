"""What organisers see: the list of campaigns, and one campaign."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from lanner.campaign import progress
from lanner.campaign.progress import Progress
from lanner.model import Campaign
from lanner.store import Account, AccountRole, Store
from lanner.web.rendering import page
from lanner.web.site import Site


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the list."""

    campaign: Campaign
    items: int
    done: int
    judges: int


def find(store: Store, account: Account, name: str) -> Campaign:
    """A campaign of this account; others do not exist for it."""
    with store.reading() as tx:
        found = tx.campaigns.find(name)
        if found is None:
            raise HTTPException(404)
        if account.role is not AccountRole.OWNER and not tx.accounts.belongs(account.id, found.id):
            raise HTTPException(404)
        return found


def listed(store: Store, account: Account) -> list[Row]:
    """The campaigns this account may see, the newest first."""
    with store.reading() as tx:
        mine = tx.campaigns.all() if account.role is AccountRole.OWNER else tx.campaigns.of_account(account.id)
    rows = []
    for campaign in mine:
        found = progress(store, campaign.id)
        rows.append(Row(campaign, found.whole.items, found.whole.done, len(found.judges)))
    return rows


async def campaigns(request: Request) -> Response:
    """The list."""
    site: Site = request.app.state.site
    account = request.state.visitor.account
    rows = await site.read(lambda: listed(site.store, account))
    return page(request, "campaigns.html", {"rows": rows})


async def campaign(request: Request) -> Response:
    """One campaign, bare: how far everyone is."""
    site: Site = request.app.state.site
    account = request.state.visitor.account

    def look() -> tuple[Campaign, Progress]:
        found = find(site.store, account, request.path_params["name"])
        return found, progress(site.store, found.id)

    found, done = await site.read(look)
    return page(request, "campaign.html", {"campaign": found, "progress": done})
