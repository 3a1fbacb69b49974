"""`lanner report`: one HTML file that says what the judgements mean, with every table and figure beside it."""

from __future__ import annotations

from pathlib import Path

import click

from lanner.cli._output import Output
from lanner.cli._source import RESAMPLES, SEED, Source, source_options
from lanner.reports.build import build
from lanner.reports.files import write
from lanner.stats.resample import Resampling


@click.command("report", short_help="Write a report: HTML, LaTeX and CSV tables, figures.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder to write into (default: NAME-report).")
@click.option("--language", default="en", show_default=True, help="Language of the report.")
@click.option("--resamples", type=RESAMPLES, default=2000, show_default=True, help="Number of bootstrap resamples.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
@click.option("--identified", is_flag=True, help="Use judges' own names (default: people are pseudonymised).")
@click.option("--svg-only", is_flag=True, help="Skip the PDF and PNG versions of figures (faster).")
@source_options
def command(
    source: Source,
    out: Path | None,
    language: str,
    resamples: int,
    seed: int,
    identified: bool,
    svg_only: bool,
    as_json: bool,
) -> None:
    """Write a report on a campaign or a file of judgements.

    Example: lanner report my-campaign --out my-report
    """
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
