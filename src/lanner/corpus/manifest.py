"""What another person needs to make the same bytes: recipe, inputs, versions, seed, counts, hand edits."""

from __future__ import annotations

import hashlib
import json
import platform
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from importlib import metadata
from pathlib import Path

from lanner.corpus.edits import Edit
from lanner.model import Document, Json, Segment

_PACKAGES = ("lanner", "nupunkt", "numpy", "kiwipiepy", "sacrebleu")
_BLOCK = 1 << 20
_SEGMENT = tuple(spec.name for spec in fields(Segment))
_DOCUMENT = tuple(spec.name for spec in fields(Document) if spec.name != "segments")


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a preparation: what it did, counted, and how much it left."""

    do: str
    counts: dict[str, int]
    documents: int
    segments: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """The record beside a prepared set. It knows no clock: the same inputs give the same manifest."""

    recipe: dict[str, Json]
    seed: int
    steps: tuple[Step, ...]
    output: str
    inputs: tuple[dict[str, Json], ...] = ()
    edits: tuple[Edit, ...] = ()
    doubtful: int = 0
    sample: tuple[dict[str, Json], ...] = ()
    scores: tuple[dict[str, Json], ...] = ()
    before: tuple[dict[str, Json], ...] = ()
    after: tuple[dict[str, Json], ...] = ()
    versions: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, indent=2) + "\n"


def versions() -> dict[str, str]:
    """The versions that a result may depend on."""
    versions = {"python": platform.python_version(), "unicode": unicodedata.unidata_version}
    for name in _PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


def inputs(path: Path) -> tuple[dict[str, Json], ...]:
    """Name, size and SHA-256 of a file, or of every file of a folder in order of name."""
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    base = path.parent if path.is_file() else path
    return tuple(
        {"name": file.relative_to(base).as_posix(), "bytes": file.stat().st_size, "sha256": _sha256(file)}
        for file in files
    )


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


class Digest:
    """The SHA-256 of documents as they pass: equal digests mean equal documents in equal order."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, document: Document) -> None:
        segments = [[getattr(segment, name) for name in _SEGMENT] for segment in document.segments]
        entry = [[getattr(document, name) for name in _DOCUMENT], segments]
        line = json.dumps(entry, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        self._hash.update(line.encode("utf-8", "surrogatepass") + b"\n")

    def __str__(self) -> str:
        return self._hash.hexdigest()


def digest(documents: Iterable[Document]) -> str:
    """The digest of documents in order."""
    total = Digest()
    for document in documents:
        total.add(document)
    return str(total)
