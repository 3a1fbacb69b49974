"""What every answer says to the browser: load nothing from elsewhere, run no inline script, appear in no other page."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.types import ASGIApp, Message, Receive, Scope, Send

NOBODY = "'none'"
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
    )
)
_ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),  # a judge's link is a secret: no other site may learn it
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), browsing-topics=()"),
)
_PARTS = {b"text/css", b"text/javascript"}
_OF_PARTS = tuple(pair for pair in _ALWAYS if pair[0] in (b"x-content-type-options", b"cross-origin-resource-policy"))
"""Scripts and style sheets are no documents: what rules a document would only weigh thirty of them down."""
_PRIVATE = (b"cache-control", b"no-store")
_HTTPS_ONLY = (b"strict-transport-security", b"max-age=31536000")


class Headers:
    """Adds the headers that are not there yet. Pages are private and kept by no cache; static files say otherwise.
    Only pages of the origins in `framed_by` may show ours in a frame."""

    def __init__(self, app: ASGIApp, framed_by: Sequence[str] = ()) -> None:
        self.app = app
        framing = f"frame-ancestors {' '.join(framed_by or (NOBODY,))}"
        self._always = ((b"content-security-policy", f"{POLICY}; {framing}".encode()), *_ALWAYS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        https = scope.get("scheme") == "https"

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message["headers"]
                present = dict(headers)
                part = present.get(b"content-type", b"").split(b";")[0] in _PARTS
                headers.extend(pair for pair in (_OF_PARTS if part else self._always) if pair[0] not in present)
                if _PRIVATE[0] not in present:
                    headers.append(_PRIVATE)
                if https:
                    headers.append(_HTTPS_ONLY)
            await send(message)

        await self.app(scope, receive, with_headers)
