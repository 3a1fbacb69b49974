"""`lanner compare`: two or more protocols on the same texts, question by question, on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import click

from lanner.cli._early_checks import refuse_missing
from lanner.cli._options import RESAMPLES, SEED, from_option, implementation, protocol_option, store_option
from lanner.cli._output import json_option


class NamedSource(NamedTuple):
    """A source as it is written: NAME=FILE:PART@JUDGES; only the file or campaign is always there."""

    label: str
    path: str
    part: str
    judges: str


def split_source(source: str) -> NamedSource:
    """The parts of a source. What exists under the whole name is that."""
    prefix, _, rest = source.partition("=")
    label, source = (prefix, rest) if rest and not Path(source).exists() else ("", source)
    judges = part = ""
    if "@" in source[1:] and not _is_whole(source):
        source, _, judges = source.rpartition("@")
    if ":" in source[1:] and not _is_whole(source):
        source, _, part = source.rpartition(":")
    return NamedSource(label, source, part, judges)


def _is_whole(source: str) -> bool:
    return Path(source).exists() or "//" in source


@click.command("compare", short_help="Compare protocols by agreement, cost and discriminative power.")
@click.argument("sources", metavar="A [B ...]", nargs=-1, required=True)
@click.option("--out", type=click.Path(path_type=Path), help="Folder to write into (default: A-against-B).")
@click.option("--hourly", type=float, help="Cost of an hour of judging.")
@click.option("--currency", default="", help="Currency of --hourly.")
@click.option("--resamples", type=RESAMPLES, default=2000, show_default=True, help="Number of bootstrap resamples.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
@click.option("--judges", is_flag=True, help="Compare the model judges of one campaign: agreement with people, cost.")
@click.option("--svg-only", is_flag=True, help="Skip the PDF and PNG versions of figures (faster).")
@from_option
@protocol_option
@store_option
@json_option
def command(sources: tuple[str, ...], store_place: str, judges: bool, **options: Any) -> None:
    """Compare campaigns, files, parts of a file (FILE:PART), or the scenarios of one campaign. NAME=A gives a name;
    A@people, A@models or A@JUDGE,JUDGE keeps some of the judges. With --judges: the model judges of one campaign (all,
    or those named after it), which may differ in model, prompt or context.

    Example: lanner compare ESA=appraise:240315rc5ESA MQM=appraise:240315rc5MQM --hourly 40
    """
    paths = [split_source(source).path for source in (sources[:1] if judges else sources)]
    for path in paths:
        refuse_missing(path, store_place)
    for path in paths:
        implementation("_file_check").check_format(path, options["format_name"])
    implementation("_compare").run(sources=sources, store_place=store_place, judges=judges, **options)
