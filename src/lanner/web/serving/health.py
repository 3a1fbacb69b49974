"""Whether the server is alive, and whether it can do its work."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from lanner.errors import StoreError
from lanner.web.site import Site


async def alive(_request: Request) -> Response:
    """The process answers."""
    return PlainTextResponse("ok")


async def ready(request: Request) -> Response:
    """The database answers too, takes what is saved, and the server is not about to end."""
    site: Site = request.app.state.site
    if site.live.closing.is_set():
        return PlainTextResponse("ending", 503)
    if site.store.damage:
        return PlainTextResponse("the store is damaged, nothing is saved", 503)
    if site.intake.trouble:
        return PlainTextResponse("nothing can be saved at the moment", 503)

    def ask() -> None:
        with site.store.reading() as tx:
            tx.accounts.count_owners()

    try:
        await site.read(ask)
    except StoreError:
        return PlainTextResponse("the database does not answer", 503)
    return PlainTextResponse("ready")
