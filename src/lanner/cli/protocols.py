"""`lanner protocols`, `protocol show` and `protocol check`: the protocols there are, one to read, one's own checked."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from lanner import __version__, protocols, registry
from lanner.cli.output import Output
from lanner.model.messages import plural


def list_protocols(output: Output) -> None:
    """List all protocols, built in and from installed packages."""
    output.table(catalogue(), ["name", "title", "unit", "languages", "summary"])
    output.say()
    output.say("Read one: lanner protocol show NAME     Check your own: lanner protocol check FILE.toml", style="dim")


def show(output: Output, name: str, language: str, published: bool) -> None:
    """Print a protocol in readable form."""
    from lanner.protocols.describe import describe

    protocol = protocols.load(name, wording="published" if published else "")
    output.rows.append(protocol.model_dump(mode="json", by_alias=True))
    output.sign(f"{protocol.label} · hash {protocol.hash}")
    output.say(describe(protocol, language))


def check(output: Output, name: str) -> None:
    """Validate a protocol file. Errors name the file and line."""
    problems = protocols.mistakes(name) if Path(name).is_file() else []
    for mistake in problems[1:]:
        output.say(f"Also: {mistake}")
    if problems:
        raise problems[0]
    protocol = protocols.load(name)
    output.rows.append({"name": protocol.name, "version": protocol.version, "hash": protocol.hash})
    count = sum(1 for _ in protocol.questions)
    size = f"{plural(count, 'question')} in {plural(len(protocol.stages), 'stage')}"
    output.say(f"{protocol.label} is sound: {size}, hash {protocol.hash}.")


# The list of protocols, quickly: what it says of each is kept in the user's cache until a file of theirs changes.


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
    folder = Path(protocols.__file__).parent
    own = sorted(path for suffix in ("*.toml", "*.py") for path in folder.rglob(suffix))
    additions = [Path(str(entry)) for entry in registry.additions("protocols").values()]
    for path in [*own, *additions]:
        state = path.stat() if path.exists() else None
        digest.update(f"{path} {state and (state.st_mtime_ns, state.st_size)}".encode())
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return caches / "lanner" / f"protocols-{digest.hexdigest()[:32]}.json"


def _row(name: str) -> dict[str, Any]:
    protocol = import_module("lanner.protocols.reading").load(name)
    wording = import_module("lanner.model.protocol").Wording(protocol)
    return {
        "name": name,
        "version": protocol.version,
        "title": wording.title,
        "unit": ", ".join(dict.fromkeys(stage.unit.value.replace("_", " ") for stage in protocol.stages)),
        "languages": " ".join(protocol.text),
        "summary": wording.line("summary"),
        "hash": protocol.hash,
    }
