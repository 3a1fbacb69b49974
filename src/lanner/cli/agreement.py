"""`lanner agreement`: how far judges agree, question by question, with intervals over documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lanner.cli._options import RESAMPLES, SEED, implementation, source_options

if TYPE_CHECKING:
    from lanner.cli._source import Source


@click.command("agreement", short_help="Agreement between judges, with confidence intervals.")
@click.option("--question", "-q", help="The question to analyse (default: all that can be compared).")
@click.option("--by", type=click.Choice(["domain"]), help="Analyse each domain separately.")
@click.option("--why", is_flag=True, help="Break disagreement down: confused labels, judges with a bias.")
@click.option("--coefficient", "coefficients", multiple=True, metavar="NAME", help="Add a coefficient; repeatable.")
@click.option("--gamma", is_flag=True, help="Add γ for marked spans (position and label, corrected for chance). Slow.")
@click.option(
    "--unit",
    type=click.Choice(["document", "item", "judge", "two-way"]),
    default="document",
    show_default=True,
    help="The independent unit for confidence intervals.",
)
@click.option("--other-judges", is_flag=True, help="Generalise to other judges: --unit two-way.")
@click.option("--resamples", type=RESAMPLES, default=2000, show_default=True, help="Number of bootstrap resamples.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
@source_options
def command(source: Source, **options: Any) -> None:
    """Measure how far judges agree: among people, among models, and for each pair of judges.

    Only main items count. Controls, repeats, calibration rounds, adjudicated answers and questionnaires are left out.

    Example: lanner agreement h-falcon --question context
    """
    implementation("_agreement").run(source, **options)
