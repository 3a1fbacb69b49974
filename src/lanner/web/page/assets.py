"""Static files: read once, named by a version that changes with their content, and then cached for ever.

All files share one version, so that a module's relative imports and a style sheet's links need no rewriting. Scripts
are sent without the lines that hold nothing but comments: types and reasons are half of them, and nobody's browser
needs them. Empty lines stay in their places, so that an error names the line of the file.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lanner.reports.html import SHARED

FOLDER = Path(__file__).parents[1] / "static"
_COMBINED = {
    "judge.css": (
        "tokens.css",
        "styles/base.css",
        "styles/controls.css",
        "styles/bar.css",
        "styles/drawer.css",
        "styles/pages.css",
        "styles/document.css",
        "styles/rows.css",
        "styles/marks.css",
        "styles/rail.css",
        "styles/questions.css",
        "styles/teaching.css",
    )
}
"""Style sheets sent as one: a page waits for all of them, and together they compress better."""
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2"}
_TEXT = {".js", ".css", ".svg", ".json", ".txt"}
_COMMENT = re.compile(rb"^[ \t]*(?://.*|/\*(?:[^*]|\*(?!/))*\*/[ \t]*)$", re.MULTILINE)
"""Whole lines of comments in a script. No text of a script runs over lines; a test says so."""
_FOR_EVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Asset:
    """One file as it is sent: plain, and compressed where that pays."""

    body: bytes
    packed: bytes | None
    media_type: str


class Assets:
    """Every file of a folder, and the style sheets shared with reports. While `watched`, files are
    read anew each time and nothing is cached."""

    def __init__(self, folder: Path = FOLDER, *, watched: bool = False) -> None:
        self._folder = folder
        self._watched = watched
        self._files = {} if watched else (_load_packaged() if folder == FOLDER else _load_all(folder))
        digest = hashlib.sha256()
        for name, asset in self._files.items():
            digest.update(name.encode() + b"\0" + asset.body)
        self.version = "dev" if watched else digest.hexdigest()[:12]

    def path(self, name: str) -> str:
        """The address of a file, below the app's root."""
        return f"/static/{self.version}/{name}"

    def find(self, name: str) -> Asset | None:
        if not self._watched:
            return self._files.get(name)
        paths = _paths(self._folder).get(name)
        return _load(paths) if paths else None

    def respond(self, request: Request) -> Response:
        """The file asked for. A page from before an upgrade gets the new file, uncached."""
        asset = self.find(request.path_params["path"])
        if asset is None:
            raise HTTPException(404)
        current = request.path_params["version"] == self.version and not self._watched
        headers = {"cache-control": _FOR_EVER if current else "no-cache", "vary": "accept-encoding"}
        if asset.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            headers["content-encoding"] = "gzip"
            return Response(asset.packed, media_type=asset.media_type, headers=headers)
        return Response(asset.body, media_type=asset.media_type, headers=headers)


def _load_all(folder: Path) -> dict[str, Asset]:
    return {name: _load(paths) for name, paths in _paths(folder).items()}


@cache
def _load_packaged() -> dict[str, Asset]:
    """The files that come with the program, compressed once in a process."""
    return _load_all(FOLDER)


def _paths(folder: Path) -> dict[str, list[Path]]:
    """Every file that can be asked for, by name, with the files it is made of."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")]
    single = SHARED | {path.relative_to(folder).as_posix(): path for path in files}
    bundles = {
        name: [single[part] for part in parts]
        for name, parts in _COMBINED.items()
        if all(part in single for part in parts)
    }
    return dict(sorted(({name: [path] for name, path in single.items()} | bundles).items()))


def _load(paths: list[Path]) -> Asset:
    body = b"\n".join(path.read_bytes() for path in paths)
    suffix = paths[0].suffix
    if suffix == ".js":
        body = _COMMENT.sub(lambda comment: b"\n" * comment[0].count(b"\n"), body)
    media_type = _TYPES.get(suffix) or mimetypes.guess_type(paths[0].name)[0] or "application/octet-stream"
    gzip_body = gzip.compress(body, 9, mtime=0) if suffix in _TEXT and len(body) > 400 else None
    return Asset(body, gzip_body, media_type)


# What every answer says to the browser: load nothing from elsewhere, run no inline script, appear in no other page.


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


# Pages made smaller on the wire.
#
# Compression can betray a secret that stands beside text of an attacker's choosing. A judge's page has none of that:
# of the request it repeats a row number and a language it knows.


_WORTH_IT = 1400  # fits one packet anyway
_LEVEL = 4  # two thirds of the time of level 6 for a twentieth more bytes


def packed(request: Request, response: Response) -> Response:
    """The same page compressed, for a browser that says it can read that."""
    if len(response.body) < _WORTH_IT or "gzip" not in request.headers.get("accept-encoding", ""):
        return response
    response.body = gzip.compress(bytes(response.body), _LEVEL, mtime=0)
    response.headers["content-length"] = str(len(response.body))
    response.headers["content-encoding"] = "gzip"
    response.headers["vary"] = "accept-encoding"
    return response
