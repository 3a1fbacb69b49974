"""Whether a request that changes something was made by one of our own pages.

Two locks. The browser says where a request comes from (`Sec-Fetch-Site`, else `Origin`): another site's is refused.
A form also carries a token made from the visitor's cookie, which another site cannot read. JSON needs no token: a
page of another site cannot send that type without asking first, and is not let.
"""

from __future__ import annotations

import hashlib
import hmac
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request

FIELD = "token"


def same_origin(request: Request) -> bool:
    """Whether a request comes from a page of ours, by its headers."""
    said = request.headers
    return ours(said.get("sec-fetch-site"), said.get("origin"), said.get("host", ""))


def ours(site: str | None, origin: str | None, host: str) -> bool:
    """What the browser says; clients that say nothing about it are no browsers and carry no one else's cookies."""
    if site is not None:
        return site == "same-origin"
    if origin is None:
        return True
    return origin != "null" and urlsplit(origin).netloc == host


def form_token(secret: str) -> str:
    """The token for forms of whoever holds this cookie."""
    return hashlib.sha256(b"lanner form\0" + secret.encode()).hexdigest()[:40]


def check(request: Request) -> None:
    """Refuse what another site's page sent."""
    if not same_origin(request):
        raise HTTPException(403, "This was not sent from a page of this site.")


def check_form(given: str | None, secret: str) -> None:
    """Refuse a form without its token."""
    if not given or not hmac.compare_digest(given, form_token(secret)):
        raise HTTPException(403, "The page was open for too long or in another session. Reload it and send it again.")
