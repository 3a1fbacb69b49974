"""`lanner plan`: how many documents, sentences and judges are needed, from a pilot or from released ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lanner.cli._options import SEED, RenamedOption, implementation, optional_source_options
from lanner.cli._set_option import Detail, set_option

if TYPE_CHECKING:
    from lanner.cli._source import Source


DETAILS = {
    "systems": Detail(int, "number of systems (as in the pilot, or 2)"),
    "power": Detail(float, "for the smallest detectable difference (0.8)", 0.8),
    "extra": Detail(int, "judgements to add (as many again)"),
    "minutes": Detail(float, "per judgement, for hours and cost"),
    "rate": Detail(float, "cost of an hour of judging"),
    "studies": Detail(int, "simulated studies (2000)", 2000),
}


@click.command("plan", short_help="Power analysis: how many documents, sentences and judges.")
@click.option(
    "--question", "-q", cls=RenamedOption, old=["--of"], metavar="QUESTION", help="The question or score to plan for."
)
@click.option("--like", metavar="PROTOCOL", help="Use variances of released ratings instead of a pilot: esa, mqm, …")
@click.option("--documents", "documents", default="", help="Number of documents; several comma-separated.")
@click.option("--sentences", default="", help="Sentences per document; several comma-separated.")
@click.option("--panel", default="", help="Number of judges; several comma-separated.")
@click.option("--overlap", default="", help="Judges per item; several comma-separated.")
@click.option("--difference", type=float, help="A true difference between two systems; prints the power to detect it.")
@click.option(
    "--goal",
    default="rank",
    show_default=True,
    help="What an adaptive campaign would be for, to compare it with the fixed one: rank, best, better:A,B, …",
)
@click.option("--other-judges", is_flag=True, help="Generalise to other judges, not only these.")
@click.option("--by", type=click.Choice(["domain"]), help="Plan each domain separately.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
@set_option(DETAILS)
@optional_source_options
def command(source: Source, **options: Any) -> None:
    """Simulate studies from a pilot or from released ratings, and report what each design could detect.

    The first design is also compared with an adaptive campaign, which ends when its goal is reached. With --like and a
    campaign or file that only metrics or models have rated, these say which systems are close to each other.

    Example: lanner plan pilot --question score --documents 20,40,80 --difference 3
    """
    implementation("_plan").run(source, **options)
