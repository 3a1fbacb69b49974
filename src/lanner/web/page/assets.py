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
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

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
