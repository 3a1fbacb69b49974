"""What was uploaded and waits: texts that become a campaign, answers that go into one. It lies on disk and is forgotten
when the server stops."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from starlette.exceptions import HTTPException

from lanner.errors import InputError, LannerError, Where
from lanner.web.draft.texts import Texts

_MOST_UPLOADS = 50


@dataclass(frozen=True, slots=True)
class Upload:
    """Texts that wait to become a campaign: whose they are, where they lie, what is in them."""

    account: int
    path: Path
    texts: Texts


@dataclass(frozen=True, slots=True)
class Arrival:
    """A file of answers that was looked at and waits to be taken into a campaign."""

    account: int
    path: Path
    campaign: int
    model: str


class Uploads:
    """Texts taken in by this server since it was started; the oldest go first."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._known: dict[str, Upload | Arrival] = {}

    def place(self) -> Path:
        """A path for something new."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="lanner-uploads-"))
        return self._folder / secrets.token_urlsafe(12)

    def add(self, account: int, path: Path, texts: Texts) -> str:
        return self._keep(Upload(account, path, texts))

    def arrive(self, account: int, path: Path, campaign: int, model: str) -> str:
        """Keep a file of answers that was looked at."""
        return self._keep(Arrival(account, path, campaign, model))

    def _keep(self, found: Upload | Arrival) -> str:
        token = secrets.token_urlsafe(12)
        self._known[token] = found
        while len(self._known) > _MOST_UPLOADS:
            gone = self._known.pop(next(iter(self._known)))
            gone.path.unlink(missing_ok=True)
        return token

    def find(self, token: str, account: int) -> Upload:
        found = self._known.get(token)
        if not isinstance(found, Upload) or found.account != account or not found.path.is_file():
            raise HTTPException(404)
        return found

    def arrived(self, token: str, account: int, campaign: int) -> Arrival:
        """The file of answers with this token, if it is this account's and for this campaign."""
        found = self._known.get(token)
        if not isinstance(found, Arrival) or (found.account, found.campaign) != (account, campaign):
            raise HTTPException(404)
        return found

    def close(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def named(name: str | None) -> str:
    """A name that is safe for a file of ours: its last part, not hidden."""
    return Path(name or "").name.replace("\\", "_").lstrip(".") or "texts"


def without_folders(error: LannerError) -> InputError:
    """The same mistake, where the file goes by its own name: where it lay meanwhile is nobody's business."""
    place = error.where
    where = Where(Path(str(place.file)).name, place.line, place.column, place.item) if place.file else place
    code, names = getattr(error, "code", ""), getattr(error, "names", None)
    return InputError(error.what, code=code, names=names, where=where, next_step=error.next_step)
