"""`lanner scores`: what systems score, how sure their order is, and at which level."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lanner.cli._options import SEED, RenamedOption, implementation, source_options
from lanner.cli._set_option import Detail, set_option

if TYPE_CHECKING:
    from lanner.cli._source import Source


LEVELS = ("segment", "document", "domain", "system")
PRESETS = (
    *("wmt24-esa", "wmt24-mqm", "wmt23-mqm", "wmt22-mqm", "wmt21-mqm", "wmt20-mqm"),
    *("wmt23-da-sqm", "wmt22-da-sqm", "wmt21-da", "wmt20-da", "wmt19-da"),
)
AVERAGES = ("micro", "document", "macro", "document-macro")
TESTS = ("permutation", "signed-rank", "rank-sum")
COMBINATIONS = ("pooled", "stouffer", "signed-stouffer")
CORRECTIONS = ("holm", "shaffer", "none")
ADJUSTMENTS = ("auto", "none")
DETAILS = {
    "average": Detail(click.Choice(AVERAGES), "how segment scores are averaged (micro)"),
    "test": Detail(click.Choice(TESTS), "the significance test (permutation)"),
    "combine": Detail(click.Choice(COMBINATIONS), "how tests per domain are combined (pooled)"),
    "correction": Detail(click.Choice(CORRECTIONS), "for multiple comparisons (holm)"),
    "adjust": Detail(click.Choice(ADJUSTMENTS), "for segments that not all systems share (auto)"),
}


@click.command("scores", short_help="Score and rank systems, with intervals and clusters.")
@click.option(
    "--question",
    "-q",
    cls=RenamedOption,
    old=["--of"],
    metavar="QUESTION",
    help="The question or score. [default: from the protocol]",
)
@click.option("--part", metavar="NAME", help="The part to analyse, if a folder has several.")
@click.option("--documents", type=click.Path(path_type=Path), help="A .docs list (domain, document) or the texts.")
@click.option("--preset", help=f"Score and rank as in a shared task: {', '.join(PRESETS)}.")
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    default="system",
    help="One row per system, document, segment …",
)
@click.option(
    "--margin",
    type=float,
    metavar="POINTS",
    help="With --head-to-head: test non-inferiority and equivalence within this margin.",
)
@click.option("--standardise", is_flag=True, default=None, help="Standardise scores per judge (z-scores).")
@click.option("--head-to-head", "pairs", is_flag=True, help="Compare every pair of systems instead.")
@click.option(
    "--better",
    type=click.Choice(["higher", "lower"]),
    help="Whether higher or lower scores are better. [default: from the protocol]",
)
@click.option(
    "--selection",
    is_flag=True,
    help="Also correct for how documents were chosen (lanner prepare, step difficult).",
)
@click.option("--other-judges", is_flag=True, help="Intervals and tests that generalise to other judges.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
@set_option(DETAILS)
@source_options
def command(source: Source, **options: Any) -> None:
    """Score and rank systems.

    Example: lanner scores esa.csv --languages en-zh --documents en-zh.docs --preset wmt24-esa
    """
    implementation("_scores").run(source, **options)
