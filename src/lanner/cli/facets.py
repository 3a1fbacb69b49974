"""`lanner facets`: system scores with judges' severity taken out, each judge's severity, and designs compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lanner.cli._options import implementation, source_options

if TYPE_CHECKING:
    from lanner.cli._source import Source


SCALES = ("auto", "steps", "numbers")


@click.command("facets", short_help="Scores with judges' severity taken out; what a design is worth.")
@click.option("--question", "-q", metavar="QUESTION", help="The question or score. [default: from the protocol]")
@click.option(
    "--scale",
    type=click.Choice(SCALES),
    default="auto",
    show_default=True,
    help="Few ordered steps, or numbers; auto: steps where there are at most seven.",
)
@click.option("--plan-judges", default="1,2,3,4,6", show_default=True, metavar="NUMBERS", help="Judges to plan for.")
@click.option(
    "--plan-documents", default="10,20,40,80", show_default=True, metavar="NUMBERS", help="Documents, likewise."
)
@click.option(
    "--picture", type=click.Path(dir_okay=False, path_type=Path), help="Draw judges' severity to this .svg file."
)
@source_options
def command(source: Source, **options: Any) -> None:
    """Take judges' severity out of the scores of systems, show how severe each judge is, and compare designs.

    Scores are those of an average judge and an average document; intervals and tests hold for judges in general.

    Example: lanner facets ratings.csv --question score
    """
    implementation("_facets").run(source, **options)
