"""Which names the server answers to. Whatever a request says in its Host header ends up in links and redirects, and a
page of another site may reach a server on one's own machine by a name that leads there (DNS rebinding); so a name that
nobody has told us is refused.

Numbers (127.0.0.1, 192.168.0.7) are always answered: no other site can make a browser send one as the name of its own.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send


def allowed_hosts(host: str, public_url: str = "", more: Iterable[str] = ()) -> frozenset[str]:
    """The names of this server: what it was told, what it is bound to, and what the machine calls itself."""
    names = {"localhost", host, socket.gethostname(), *more}
    if public_url:
        names.add(urlsplit(public_url).hostname or "")
    return frozenset(name.casefold().strip().rstrip(".") for name in names if name)


def host_name(header: str) -> str:
    """The name in a Host header, without its port."""
    header = header.strip().casefold()
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.partition(":")[0].rstrip(".")


def is_number(name: str) -> bool:
    """Whether a name is the number of a machine."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class AllowedHosts:
    """Refuses requests that call the server by a name it does not have."""

    def __init__(self, app: ASGIApp, names: frozenset[str]) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
            if len(headers) > 1 or not all(self._is_ours(header) for header in headers):
                words = (
                    "This server is not known by that name.\n"
                    "Whoever runs it: lanner serve --public-url https://NAME, or --allowed-host NAME.\n"
                )
                await PlainTextResponse(words, 421)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _is_ours(self, header: str) -> bool:
        name = host_name(header)
        return name in self._names or is_number(name)
