"""`lanner report`: one HTML file that says what the judgements mean, with every table and figure beside it."""

from __future__ import annotations

from pathlib import Path

from lanner.cli._output import Output
from lanner.cli._source import Source
from lanner.reports.build import build
from lanner.reports.files import write
from lanner.stats.resample import Resampling


def run(
    source: Source,
    out: Path | None,
    language: str,
    resamples: int,
    seed: int,
    identified: bool,
    svg_only: bool,
    as_json: bool,
) -> None:
    """Write a report on a campaign or a file of judgements."""
    output = Output("report", as_json)
    parts = source.parts(unjudged=True)
    folder = out or Path(f"{Path(source.place).name}-report")
    rows = []
    for part in parts if identified else [part.under_code_names() for part in parts]:
        report = build(part, resampling=Resampling(n=resamples, seed=seed), language=language)
        page = write(report, folder / part.name if len(parts) > 1 else folder, pictures=not svg_only)
        rows.append(
            {"part": part.name, "report": str(page), "tables": len(report.tables), "figures": len(report.figures)}
        )
        for sentence in report.findings:
            output.say(sentence.replace("**", ""))
        for note in part.notes:
            output.note(f"{part.name}: {note}")
    output.say()
    output.table(rows, ["report", "tables", "figures"])
    output.end()
