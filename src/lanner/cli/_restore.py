"""`lanner restore`: a new store from a copy that `lanner backup` made."""

from __future__ import annotations

from pathlib import Path

from lanner.cli._output import Output
from lanner.store.backup import restore


def run(copy: Path, store_place: str, as_json: bool) -> None:
    """Restore a backup to a new SQLite file or an empty PostgreSQL database, and verify every row. A store that is not
    empty is never overwritten. Everyone has to sign in again; judges' links keep working."""
    output = Output("restore", as_json)
    summary = restore(copy, store_place)
    output.rows.append({"rows": summary.rows, "judgements": summary.contents["judgement"].rows})
    output.say(
        f"{summary.contents['judgement'].rows:,} judgements, {summary.rows:,} rows in all, the same as in the backup."
    )
    output.say("Links that were revoked after the backup work again: revoke them once more.")
    for problem in summary.problems:
        output.note(f"Wrong in the store already, and copied as it is: {problem}")
    output.end()
