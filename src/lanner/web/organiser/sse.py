"""News for open pages: a line whenever something was saved or nothing can be, a sign of life in between."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from lanner.web.organiser.organising import campaign_of
from lanner.web.site import Site

HEARTBEAT = 15.0
LONGEST = 3600.0
"""A browser comes back by itself; this only sees to it that nobody forgotten stays for ever."""


async def events(request: Request) -> Response:
    """A stream for one campaign: `changed`, and `trouble` with the reason while nothing can be saved."""
    site: Site = request.app.state.site
    campaign = await campaign_of(request)
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_news(site, campaign.id), media_type="text/event-stream", headers=headers)


async def _news(site: Site, campaign: int) -> AsyncIterator[str]:
    loop = asyncio.get_running_loop()
    end = loop.time() + LONGEST
    yield "retry: 3000\n\n"
    async with site.live.looking(campaign) as watched:
        seen, told = watched.number, ""
        while loop.time() < end and not site.live.closing.is_set():
            if site.trouble != told:
                told = site.trouble
                yield f"event: trouble\ndata: {json.dumps(told)}\n\n"
            with suppress(TimeoutError):
                await asyncio.wait_for(watched.news(seen), HEARTBEAT)
            if watched.number != seen:
                seen = watched.number
                yield f"event: changed\ndata: {seen}\n\n"
            else:
                yield ": here\n\n"
