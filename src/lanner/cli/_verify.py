"""`lanner verify`: whether a store or a backup is whole."""

from __future__ import annotations

from pathlib import Path

from lanner.cli._output import Output
from lanner.errors import StoreError, Where
from lanner.store import Store
from lanner.store.backup import verify, verify_file


def run(copy: Path | None, published: str | None, store_place: str, as_json: bool) -> None:
    """Check the database and its invariants: references resolve, revisions form chains, saves are complete, texts and
    protocols are unchanged, and judgements match the hash chain. Changes nothing."""
    output = Output("verify", as_json)
    if copy is not None:
        findings, place = verify_file(copy, published), str(copy)
    else:
        with Store.open(store_place, create=False) as store:
            findings, place = verify(store, published), store.place
            for warning in store.durability():
                output.note(warning)
    output.table([{"check": entry.check, "found": "; ".join(entry.problems) or "whole"} for entry in findings])
    output.end()
    findings_with_problems = [entry for entry in findings if entry.problems]
    if findings_with_problems:
        raise StoreError(
            f"{len(findings_with_problems)} of {len(findings)} checks found something wrong.",
            where=Where(file=place),
            next_step="Keep this file, and restore the newest backup that `lanner verify BACKUP` finds whole.",
        )
