"""`lanner effort`: how fast judges work, per domain, over a session, and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lanner.cli._options import SEED, implementation, source_options

if TYPE_CHECKING:
    from lanner.cli._source import Source


@click.command("effort", short_help="Judging speed and cost.")
@click.option(
    "--by", default="judge", show_default=True, help="Group by judge, domain, system or stage; several comma-separated."
)
@click.option(
    "--limit", default=10_000.0, show_default=True, help="Exclude items that took longer than this many seconds."
)
@click.option("--pooled", is_flag=True, help="Pool all items instead of averaging over domains.")
@click.option("--rate", type=float, help="Cost of an hour; prints costs instead of speeds.")
@click.option("--fatigue", "tiring", is_flag=True, help="Show how speed changes over a document and a session instead.")
@click.option(
    "--assistance",
    "assisted",
    is_flag=True,
    help="Show what became of a model's marks, the time they saved and how far judges relied on them instead.",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
@source_options
def command(source: Source, **options: Any) -> None:
    """Items per minute, with confidence intervals. Items left open for hours are excluded and counted.

    Example: lanner effort h-falcon
    """
    implementation("_effort").run(source, **options)
