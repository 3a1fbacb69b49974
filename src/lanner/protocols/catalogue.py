"""The list of protocols, quickly: what it says of each is kept in the user's cache until a file of theirs changes."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from lanner import __version__, registry


def catalogue() -> list[dict[str, Any]]:
    """Each protocol by name, with version, title, unit, languages, summary and hash."""
    file = _cache_file()
    with suppress(OSError, ValueError):
        rows: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
        return rows
    rows = [_row(name) for name in registry.names("protocols", ".toml")]
    with suppress(OSError):  # a machine without a place for it does without
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=file.parent, delete=False) as temporary:
            json.dump(rows, temporary, ensure_ascii=False)
        Path(temporary.name).replace(file)
    return rows


def _cache_file() -> Path:
    """Named after the files it is made of, so that one that is out of date is never read."""
    digest = hashlib.sha256(__version__.encode())
    folder = Path(__file__).parent
    own = sorted(path for suffix in ("*.toml", "*.py") for path in folder.rglob(suffix))
    added = [Path(str(entry)) for entry in registry.additions("protocols").values()]
    for path in [*own, *added]:
        state = path.stat() if path.exists() else None
        digest.update(f"{path} {state and (state.st_mtime_ns, state.st_size)}".encode())
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return caches / "lanner" / f"protocols-{digest.hexdigest()[:32]}.json"


def _row(name: str) -> dict[str, Any]:
    protocol = import_module("lanner.protocols.reading").load(name)
    wording = import_module("lanner.protocols.wording").Wording(protocol)
    return {
        "name": name,
        "version": protocol.version,
        "title": wording.title,
        "unit": ", ".join(dict.fromkeys(stage.unit.value.replace("_", " ") for stage in protocol.stages)),
        "languages": " ".join(protocol.text),
        "summary": wording.line("summary"),
        "hash": protocol.hash,
    }
