"""Texts that were read and wait to become a campaign: on disk as our own format, forgotten when the server stops."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from starlette.exceptions import HTTPException

from lanner.web.texts import Texts

_MOST_UPLOADS = 50


@dataclass(frozen=True, slots=True)
class Upload:
    """Texts that wait to become a campaign: whose they are, where they lie, what is in them."""

    account: int
    path: Path
    texts: Texts


class Uploads:
    """Texts taken in by this server since it was started; the oldest go first."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._known: dict[str, Upload] = {}

    def place(self) -> Path:
        """A path for something new."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="lanner-uploads-"))
        return self._folder / secrets.token_urlsafe(12)

    def add(self, account: int, path: Path, texts: Texts) -> str:
        token = secrets.token_urlsafe(12)
        self._known[token] = Upload(account, path, texts)
        while len(self._known) > _MOST_UPLOADS:
            gone = self._known.pop(next(iter(self._known)))
            gone.path.unlink(missing_ok=True)
        return token

    def find(self, token: str, account: int) -> Upload:
        found = self._known.get(token)
        if found is None or found.account != account or not found.path.is_file():
            raise HTTPException(404)
        return found

    def close(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
