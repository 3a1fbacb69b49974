"""`lanner report`: one HTML file that says what the judgements mean, with every table and figure beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lanner.cli._options import RESAMPLES, SEED, implementation, source_options

if TYPE_CHECKING:
    from lanner.cli._source import Source


@click.command("report", short_help="Write a report: HTML, LaTeX and CSV tables, figures.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder to write into (default: NAME-report).")
@click.option("--language", default="en", show_default=True, help="Language of the report.")
@click.option("--resamples", type=RESAMPLES, default=2000, show_default=True, help="Number of bootstrap resamples.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
@click.option("--identified", is_flag=True, help="Use judges' own names (default: people are pseudonymised).")
@click.option("--svg-only", is_flag=True, help="Skip the PDF and PNG versions of figures (faster).")
@source_options
def command(source: Source, **options: Any) -> None:
    """Write a report on a campaign or a file of judgements.

    Example: lanner report my-campaign --out my-report
    """
    implementation("_report").run(source, **options)
