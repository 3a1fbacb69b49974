"""`lanner prefer`: which of two systems judges prefer: counts, sign tests with ties dropped and split, majority."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lanner.cli._options import SEED, implementation, source_options

if TYPE_CHECKING:
    from lanner.cli._source import Source


@click.command("prefer", short_help="Pairwise preferences with sign tests.")
@click.option("--question", "-q", help="The question to analyse.")
@click.option("--favour", help="The system whose wins are counted.")
@click.option("--documents", help="Only documents whose id matches this regular expression.")
@click.option("--by", type=click.Choice(["domain"]), help="Analyse each domain separately.")
@click.option("--votes", is_flag=True, help="Use the majority vote on each item.")
@click.option("--ranking", is_flag=True, help="Estimate strengths of all systems (Bradley–Terry with ties).")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
@source_options
def command(source: Source, **options: Any) -> None:
    """Test which of two systems is preferred, over all judges and for each judge.

    Example: lanner prefer parity --favour human --documents "^[^U]"
    """
    implementation("_prefer").run(source, **options)
