"""Declarations of the commands that compare: protocols, judges, metrics, and numbers with those in print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from lanner.cli.commands.judges import provider_option
from lanner.cli.early_checks import campaign_names, refuse_missing
from lanner.cli.options import (
    RESAMPLES,
    SEED,
    RenamedOption,
    complete_protocol,
    from_option,
    implementation,
    json_option,
    known_protocol,
    protocol_option,
    reads_files,
    source_options,
    store_option,
)

if TYPE_CHECKING:
    from lanner.cli.source import Source


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
def compare(sources: tuple[str, ...], store_place: str, judges: bool, **options: Any) -> None:
    """Compare campaigns, files, parts of a file (FILE:PART), or the scenarios of one campaign. NAME=A gives a name;
    A@people, A@models or A@JUDGE,JUDGE keeps some of the judges. With --judges: the model judges of one campaign (all,
    or those named after it), which may differ in model, prompt or context.

    Example: lanner compare ESA=appraise:240315rc5ESA MQM=appraise:240315rc5MQM --hourly 40
    """
    paths = [split_source(source).path for source in (sources[:1] if judges else sources)]
    for path in paths:
        refuse_missing(path, store_place)
    for path in paths:
        implementation("file_check").check_format(path, options["format_name"])
    implementation("comparison").run_compare(sources=sources, store_place=store_place, judges=judges, **options)


@click.command("audit", short_help="What moves a model's judgements that should not.")
@click.argument("model")
@click.option("--texts", "source", required=True, metavar="CAMPAIGN_OR_TEXTS", help="What it judges in the audit.")
@click.option(
    "--protocol",
    metavar="NAME_OR_FILE",
    shell_complete=complete_protocol,
    callback=known_protocol,
    help="What is asked about a file of texts.",
)
@click.option("--base-url", "base_urls", multiple=True, help="The server.")
@provider_option
@click.option("--prompt", default="", help="The words around the questions.")
@click.option("--context", default="", help="What is shown around a sentence.")
@click.option("--sentences", default=60, show_default=True, help="How many sentences, in whole documents.")
@click.option("--samples", "repeats", default=3, show_default=True, help="How often to ask for self-consistency.")
@click.option("--language", "languages", multiple=True, help="Another language for the instructions (default: de).")
@click.option("--max-cost", type=float, help="Stop before the audit costs more.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="A setting of `lanner judge`.")
@from_option
@store_option
@json_option
@reads_files("protocol")
def audit(model: str, source: str, store_place: str, **options: Any) -> None:
    """Audit a model: length, pleas in the translation, wording and language of the instructions, order, range of
    scores, agreement with itself. Each has an interval over documents and a plain verdict.

    Example: lanner audit my-model --texts pilot --base-url http://127.0.0.1:8080/v1
    """
    refuse_missing(source, store_place)
    if source not in (campaign_names(store_place) or ()):
        implementation("file_check").check_texts(source, options["format_name"])
    implementation("comparison").run_audit(model, source, store_place=store_place, **options)


@click.command("replace", short_help="Whether a model can replace a judge, and what it saves.")
@click.argument("model", metavar="MODEL")
@click.option("--question", "-q", help="Only this question (default: all that the model and people answered).")
@click.option("--epsilon", default=0.2, show_default=True, help="What a person's cost allows the model to be worse by.")
@source_options
def replace(source: Source, **options: Any) -> None:
    """Say whether a model can replace a judge, how its scores differ from people's, and what it saves.

    Three answers in one: the test of Calderon et al. (2025) against each judge, calibration, and prediction-powered
    means; for labels, the model's shares put right by its known errors.

    Example: lanner replace gpt-judge campaign --question score
    """
    implementation("comparison").run_replace(source, **options)


@click.command("metaeval", short_help="Meta-evaluation: how well metrics agree with human scores.")
@click.argument("source", metavar="FOLDER_FILE_OR_CAMPAIGN")
@click.option(
    "--gold", help="Gold scores: a judge, or people for their mean.  [default: people; in a folder of scores, mqm]"
)
@click.option("--metrics", help="Only these metrics, judges or columns, comma-separated.")
@click.option("--with-references", is_flag=True, help="Include human references as systems.")
@click.option(
    "--question",
    "-q",
    cls=RenamedOption,
    old=["--of"],
    help="The question, in a campaign or file.  [default: score, or what the protocol ranks systems by]",
)
@click.option("--compare", is_flag=True, help="Test every pair of metrics instead.")
@click.option("--tests", "asked", metavar="NAMES", help="With --compare: the tests, comma-separated, or all.")
@click.option("--compat", is_flag=True, help="Match mt-metrics-eval where its definitions differ.")
@click.option("--as-wmt24", is_flag=True, help="Permute single scores, as the shared task did.")
@click.option(
    "--table", "layout", type=click.Choice(["latex", "tsv"]), help="Print only the table, for a paper or spreadsheet."
)
@click.option("--swaps", default=1000, show_default=True, help="Number of permutations for soft accuracy and tests.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
@from_option
@protocol_option
@store_option
@json_option
def metaeval(source: str, store_place: str, **options: Any) -> None:
    """Compare metrics with gold scores: pairwise accuracy with ties, system-level accuracy, correlations.

    Example: lanner metaeval wmt23 --languages en-de --gold mqm
    """
    refuse_missing(source, store_place)
    implementation("file_check").check_format(source, options["format_name"])
    implementation("comparison").run_metaeval(source=source, store_place=store_place, **options)


@click.command("reproduce", short_help="Recompute a paper's figures from its released data.")
@click.argument("name", metavar="[STUDY]", required=False)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="The folder of the released data (default: this one, or the one under LANNER_DATA that fits).",
)
@click.option("--only", help="Only tables whose name contains this.")
@click.option("--report", is_flag=True, help="Also write a page with every table and the paper's figures drawn again.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for --report (default: STUDY-report).")
@click.option("--list", "listing", is_flag=True, help="List the studies and the data each needs.")
@json_option
def reproduce(**options: Any) -> None:
    """Recompute the values printed in a paper and compare. Differences are reported, never adjusted.

    ✓ agrees, ✓* agrees with a proviso, △ differs, – cannot be computed, · was not printed; of simulated judges
    ◇ recovered, ◆ missed. STUDY is a name of --list, or a file of your own.

    Example: lanner reproduce kim2025 --data h-falcon
    """
    implementation("comparison").run_reproduce(**options)
