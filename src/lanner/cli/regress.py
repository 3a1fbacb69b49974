"""`lanner regress`: what a score is made of: coefficients with document-clustered intervals, R² by block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lanner.cli._options import SEED, implementation, source_options

if TYPE_CHECKING:
    from lanner.cli._source import Source


ERRORS = ("document", "document-cr1", "classical")


@click.command("regress", short_help="Explain a score by regression: coefficients and R² by block.")
@click.option("--outcome", required=True, help="The question or score to explain.")
@click.option(
    "--blocks", required=True, help="Predictors, added block by block; comma-separated, + joins within a block."
)
@click.option(
    "--by", default="judge", show_default=True, help="One model per judge, domain or system; - for a single model."
)
@click.option(
    "--errors",
    type=click.Choice(ERRORS),
    default="document",
    show_default=True,
    help="Standard errors: clustered by document, or as if sentences were independent.",
)
@click.option("--fill", type=float, help="Replace missing outcomes with this number.")
@click.option("--coefficients", is_flag=True, help="Print the coefficients of the full model instead of R² by block.")
@click.option(
    "--mixed", "samples", is_flag=True, help="Mixed model with random judges and documents; prints variance shares."
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
@source_options
def command(source: Source, **options: Any) -> None:
    """Regress a score on others, block by block. A grid question stands for all of its rows.

    Example: lanner regress h-falcon --outcome holistic --blocks skills,sentence
    """
    implementation("_regress").run(source, **options)
