"""Served below a path: whether the proxy takes the path off, or leaves it on.

The server puts the path before every address it gets, since most proxies take it off. One that leaves it on would have
it twice; here the second is taken away, so that both work.
"""

from __future__ import annotations

from collections.abc import Iterable

from starlette.types import ASGIApp, Receive, Scope, Send


class UrlPrefix:
    """Wraps an app that is served below `root`."""

    def __init__(self, app: ASGIApp, root: str) -> None:
        self._app = app
        self._root = root
        self._twice = f"{root}{root}/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with the path once."""
        if scope["type"] == "http" and (scope["path"] + "/").startswith(self._twice):
            raw: bytes = scope.get("raw_path") or b""
            scope = {**scope, "path": scope["path"][len(self._root) :], "raw_path": raw[len(self._root) :]}
        await self._app(scope, receive, send)


def is_unambiguous(root: str, paths: Iterable[str]) -> bool:
    """Whether an address that begins with `root` twice can only come from a proxy that leaves it on: no page of ours
    begins with the same word."""
    return bool(root) and root.split("/")[1] not in {path.split("/")[1] for path in paths}
