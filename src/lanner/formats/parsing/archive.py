"""Zip archives, unpacked into a folder of their own that is gone afterwards, within limits."""

from __future__ import annotations

import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from lanner.errors import InputError, Where
from lanner.formats.parsing import textfile

MEMBER_LIMIT = 100_000
_OFFICE = "[Content_Types].xml"


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """The path to read: for a zip its single file or its folder, unpacked for as long as it is used, else the path; a
    folder that holds nothing but another folder stands for that one.

    Spreadsheets are zips too and stay as they are. Errors inside name the archive and the member.
    """
    if path.is_dir():
        yield _innermost(path)
        return
    if not path.is_file() or not textfile.is_zip(path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="lanner-") as folder:
        root = Path(folder) / path.stem
        if not _unpack(path, root):
            yield path
            return
        try:
            yield _single(root)
        except InputError as error:
            inside = error.where.file
            if inside is None or not Path(inside).is_relative_to(root):
                raise
            member = f"{path}/{Path(inside).relative_to(root).as_posix()}"
            error.where = Where(member, error.where.line, error.where.column, error.where.item)
            raise


def _innermost(folder: Path) -> Path:
    """Down through folders whose only entry is a folder. What cannot be listed is left to whoever reads it."""
    try:
        inside = content(folder)
        while len(inside) == 1 and inside[0].is_dir():
            folder = inside[0]
            inside = content(folder)
    except OSError:
        pass
    return folder


def _single(root: Path) -> Path:
    """Down through folders that hold nothing but one entry."""
    entries = content(root)
    while len(entries) == 1:
        root = entries[0]
        entries = content(root) if root.is_dir() else []
    return root


def content(folder: Path) -> list[Path]:
    """What a folder holds, without what is hidden and without the codebook that lies beside an export."""
    return [e for e in folder.iterdir() if not e.name.startswith(".") and not e.name.endswith(".codebook.csv")]


def _unpack(path: Path, root: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [m for m in archive.infolist() if not m.is_dir() and not _is_litter(m.filename)]
            if any(m.filename == _OFFICE for m in members) or _is_open_document(archive):
                return False
            if len(members) > MEMBER_LIMIT:
                textfile.failed(path, f"The archive holds more than {MEMBER_LIMIT} files.")
            if not members:
                textfile.failed(path, "The archive is empty.")
            if twice := _first_repeated(m.filename for m in members):
                step = "Unpack it yourself, and give the files names of their own."
                textfile.failed(path, f"The archive holds two files called {twice!r}.", next_step=step)
            limit = max(textfile.EXPANSION_FREE, textfile.EXPANSION_LIMIT * path.stat().st_size)
            for member in members:
                with archive.open(member) as stream:
                    limit -= _copy(path, stream, _target(path, root, member.filename), limit)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        textfile.failed(path, f"The archive cannot be unpacked: {error}.", next_step="Unpack it yourself.")
    return True


def _is_open_document(archive: zipfile.ZipFile) -> bool:
    """Whether this is a spreadsheet or a text of OpenDocument, which says so in its first file."""
    if "mimetype" not in archive.namelist():
        return False
    with archive.open("mimetype") as stream:
        return stream.read(100).startswith(b"application/vnd.oasis.opendocument.")


def _first_repeated(names: Iterable[str]) -> str:
    """The first name that comes twice, as a file system would see it; "" if none does."""
    keys: set[str] = set()
    for name in names:
        key = str(PurePosixPath(name.replace("\\", "/"))).casefold()
        if key in keys:
            return name
        keys.add(key)
    return ""


def _is_litter(name: str) -> bool:
    """What file managers add to archives."""
    parts = PurePosixPath(name).parts
    return "__MACOSX" in parts or parts[-1:] in [(".DS_Store",), ("Thumbs.db",)]


def _target(path: Path, root: Path, name: str) -> Path:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or parts[0] == "/" or ".." in parts or ":" in parts[0]:
        textfile.failed(path, f"The archive holds a file that would lie outside its folder: {name!r}.")
    target = root.joinpath(*parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def _copy(path: Path, stream: IO[bytes], target: Path, limit: int) -> int:
    size = 0
    with target.open("wb") as out:
        while chunk := stream.read(textfile.MIB):
            size += len(chunk)
            if size > limit:
                raise textfile.too_large(path, limit)
            out.write(chunk)
    return size
