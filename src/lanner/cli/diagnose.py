"""`lanner diagnose`: what each system should improve, aspect by aspect and domain by domain."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lanner.cli._options import implementation, source_options

if TYPE_CHECKING:
    from lanner.cli._source import Source


@click.command("diagnose", short_help="What each system should improve: skills and errors, by domain.")
@click.option("--question", default="", help="The question that tells skills or errors apart (default: the first).")
@click.option("--domain", default="", help="Only this domain (default: every domain, and all together).")
@click.option("--cell", metavar="SYSTEM/ASPECT[/DOMAIN]", help="The sentences behind one cell instead of the table.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write a page with the picture, LaTeX and CSV tables here."
)
@click.option("--language", default="en", show_default=True, help="Language of the protocol's words on the page.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same numbers.")
@source_options
def command(source: Source, **options: Any) -> None:
    """Say for each system how often every skill matters, how well it is handled there, in which the system is behind
    others after correction, and what to improve first. Errors (MQM, ESA) are described by how often they occur and how
    much they cost.

    Example: lanner diagnose my-campaign --out diagnosis
    """
    implementation("_diagnose").run(source, **options)
