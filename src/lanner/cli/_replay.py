"""`lanner replay`: take in outputs that a model gave elsewhere, as the answers of a judge."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lanner.cli._early_checks import refuse_shared_name
from lanner.cli._output import Output
from lanner.judges.replay import replay
from lanner.store import Store


def run(name: str, files: tuple[Path, ...], judge_name: str, store_place: str, as_json: bool) -> None:
    """Take in files of JSON lines with a model's answers."""
    output = Output("replay", as_json)
    take_in(output, name, files, store_place, judge_name)
    output.end()


def take_in(output: Output, name: str, files: Sequence[Path], store_place: str, judge_name: str) -> None:
    """Each file as one judge."""
    refuse_shared_name(files, judge_name)
    rows = []
    with Store.open(store_place, create=False) as store:
        for path in files:
            report = replay(store, name, path, judge_name)
            judge = judge_name or path.stem
            rows.append(
                {
                    "judge": judge,
                    "answers": report.judgements,
                    "spellings mended": sum(report.repairs.values()),
                    "flagged": sum(report.flags.values()),
                }
            )
            output.notes.extend(f"{judge}: {note}" for note in report.notes)
    output.table(rows)
    output.say()
    output.say(f"Next: lanner agreement {name}", style="bold")
