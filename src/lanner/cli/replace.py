"""`lanner replace`: can this model replace a judge here, and what does it save?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lanner.cli._options import implementation, source_options

if TYPE_CHECKING:
    from lanner.cli._source import Source


@click.command("replace", short_help="Whether a model can replace a judge, and what it saves.")
@click.argument("model", metavar="MODEL")
@click.option("--question", "-q", help="Only this question (default: all that the model and people answered).")
@click.option("--epsilon", default=0.2, show_default=True, help="What a person's cost allows the model to be worse by.")
@source_options
def command(source: Source, **options: Any) -> None:
    """Say whether a model can replace a judge, how its scores differ from people's, and what it saves.

    Three answers in one: the test of Calderon et al. (2025) against each judge, calibration, and prediction-powered
    means; for labels, the model's shares put right by its known errors.

    Example: lanner replace gpt-judge campaign --question score
    """
    implementation("_replace").run(source, **options)
