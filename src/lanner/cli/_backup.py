"""`lanner backup`: a copy of the whole store, made while it is in use and read back before it counts."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from lanner.cli._output import Output
from lanner.store import Store
from lanner.store.backup import backup, name_at, prune


def run(out: Path | None, folder: Path, keep: int, store_place: str, as_json: bool) -> None:
    """Copy the store, SQLite or PostgreSQL, to one SQLite file, consistent as of one moment. Judges can keep working.
    The file appears only after it has been read back and every row matches."""
    output = Output("backup", as_json)
    with Store.open(store_place, create=False) as store:
        copy = backup(store, out or folder / name_at(datetime.now(UTC)))
    removals = prune(folder, keep) if keep and out is None else []
    output.rows.append(
        {
            "file": str(copy.path),
            "rows": copy.rows,
            "bytes": copy.path.stat().st_size,
            "judgements": copy.contents["judgement"].rows,
            "deleted": [str(path) for path in removals],
        }
    )
    number = copy.contents["judgement"].rows
    output.say(
        f"{copy.path}: {number:,} judgements, {copy.rows:,} rows in all; read back and found the same as the store."
    )
    output.say(f"Restore with: lanner restore {copy.path} --store NEW")
    for problem in copy.problems:
        output.note(f"Wrong in the store already, and copied as it is: {problem}")
    output.end()
