"""`lanner associate`: do judges rank alike, and do two measures go together: correlations with document intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lanner.cli._options import RESAMPLES, SEED, RenamedOption, implementation, source_options

if TYPE_CHECKING:
    from lanner.cli._source import Source


@click.command("associate", short_help="Correlations between judges, or between two measures.")
@click.option(
    "--question",
    "-q",
    "of",
    cls=RenamedOption,
    old=["--of"],
    help="The question or score to compare between judges; several comma-separated.",
)
@click.option("--x", "first", help="With --y: correlate two measures instead.")
@click.option("--y", "second", help="The second measure.")
@click.option("--given", default="", help="With --x and --y: hold these measures constant (partial correlation).")
@click.option("--by", default="", help="Group by judge, domain or system; several comma-separated.")
@click.option("--resamples", type=RESAMPLES, default=2000, show_default=True, help="Number of bootstrap resamples.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
@source_options
def command(source: Source, **options: Any) -> None:
    """Correlate a question or score between judges, or two measures with each other. `seconds` is the time spent on an
    item, unless a question has that name.

    Example: lanner associate h-falcon --question sentence,holistic,skill_sum
    """
    implementation("_associate").run(source, **options)
