"""Declarations of the commands that analyse judgements, and of those that compare protocols, judges and metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import click

from lanner.cli import (
    NUMBER,
    PATH,
    Detail,
    RenamedOption,
    answer,
    from_option,
    implementation,
    json_option,
    named_protocol,
    protocol_option,
    reads_files,
    refuse_unused,
    resamples_option,
    seed_option,
    set_option,
    source_options,
    store_option,
    svg_option,
)
from lanner.cli.commands.judges import check_texts_to_judge, provider_option
from lanner.cli.early_checks import refuse_missing


@click.command("report", short_help="Write a report: HTML, LaTeX and CSV tables, figures.")
@click.option("--out", type=PATH, help="Folder to write into (default: NAME-report).")
@click.option("--language", default="en", show_default=True, help="Language of the questions; the rest is English.")
@resamples_option
@seed_option
@click.option("--identified", is_flag=True, help="Use judges' own names (default: people are pseudonymised).")
@svg_option
@source_options
def report(**options: Any) -> None:
    """Write a report on a campaign or a file of judgements.

    Example: lanner report my-campaign --out my-report
    """
    answer("documents.run_report", options)


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
SCORES_DETAILS = {
    "average": Detail(click.Choice(AVERAGES), "how segment scores are averaged (micro)"),
    "test": Detail(click.Choice(TESTS), "the significance test (permutation)"),
    "combine": Detail(click.Choice(COMBINATIONS), "how tests per domain are combined (pooled)"),
    "correction": Detail(click.Choice(CORRECTIONS), "correction for multiple comparisons (holm)"),
    "adjust": Detail(click.Choice(ADJUSTMENTS), "adjust scores for segments that not all systems share (auto)"),
    "better": Detail(click.Choice(["higher", "lower"]), "which scores are better (from the protocol)"),
    "margin": Detail(NUMBER, "with --head-to-head: test non-inferiority and equivalence within so many points"),
    "part": Detail(str, "the part to analyse, if a folder has several"),
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
@click.option("--documents", type=PATH, help="A .docs list (domain, document) or the texts.")
@click.option("--preset", help=f"Score and rank as in a shared task: {', '.join(PRESETS)}.")
@click.option("--level", type=click.Choice(LEVELS), default="system", help="One row per system, document, segment …")
@click.option("--standardise", is_flag=True, default=None, help="Standardise scores per judge (z-scores).")
@click.option("--head-to-head", "pairs", is_flag=True, help="Compare every pair of systems instead.")
@click.option(
    "--selection", is_flag=True, help="Also correct for how documents were chosen (lanner prepare, step difficult)."
)
@click.option("--other-judges", is_flag=True, help="Intervals and tests that generalise to other judges.")
@seed_option
@set_option(SCORES_DETAILS)
@source_options
def scores(**options: Any) -> None:
    """Score and rank systems.

    Example: lanner scores esa.csv --languages en-zh --documents en-zh.docs --preset wmt24-esa
    """
    if options["level"] != "system":
        refuse_unused("with --level, which tests nothing", "--head-to-head", "--other-judges", "--selection")
    answer("scores.run_scores", options)


SCALES = ("auto", "steps", "numbers")


@click.command("facets", short_help="Scores adjusted for judges' severity; how reliable a design is.")
@click.option("--question", "-q", metavar="QUESTION", help="The question or score. [default: from the protocol]")
@click.option(
    "--scale",
    type=click.Choice(SCALES),
    default="auto",
    show_default=True,
    help="Few ordered steps, or numbers; auto: steps where there are at most seven.",
)
@click.option("--plan-judges", default="1,2,3,4,6", show_default=True, metavar="NUMBERS", help="Judges to plan for.")
@click.option(
    "--plan-documents", default="10,20,40,80", show_default=True, metavar="NUMBERS", help="Documents, likewise."
)
@click.option(
    "--picture", type=click.Path(dir_okay=False, path_type=Path), help="Draw judges' severity to this .svg file."
)
@source_options
def facets(**options: Any) -> None:
    """Take judges' severity out of the scores of systems, show how severe each judge is, and compare designs.

    Scores are those of an average judge and an average document; intervals and tests hold for judges in general.

    Example: lanner facets ratings.csv --question score
    """
    answer("diagnosis.run_facets", options)


@click.command("diagnose", short_help="What each system should improve: skills and errors, by domain.")
@click.option("--question", default="", help="The question that tells skills or errors apart (default: the first).")
@click.option("--domain", default="", help="Only this domain (default: every domain, and all together).")
@click.option("--cell", metavar="SYSTEM/ASPECT[/DOMAIN]", help="The sentences behind one cell instead of the table.")
@click.option("--out", type=PATH, help="Write a page with the picture, LaTeX and CSV tables here.")
@click.option("--language", default="en", show_default=True, help="Language of the protocol's words on the page.")
@seed_option
@source_options
def diagnose(**options: Any) -> None:
    """Say for each system how often every skill matters, how well it is handled there, in which the system is behind
    others after correction, and what to improve first. Errors (MQM, ESA) are described by how often they occur and how
    much they cost.

    Example: lanner diagnose my-campaign --out diagnosis
    """
    if options["cell"]:
        refuse_unused("with --cell, which names it: SYSTEM/ASPECT/DOMAIN", "--domain")
    if not options["out"]:
        refuse_unused("without --out", "--language")
    answer("diagnosis.run_diagnose", options)


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
@resamples_option
@seed_option
@source_options
def agreement(**options: Any) -> None:
    """Measure how far judges agree: among people, among models, and for each pair of judges.

    Only main items count. Controls, repeats, calibration rounds, adjudicated answers and questionnaires are left out.

    Example: lanner agreement h-falcon --question context
    """
    if options["why"]:
        refuse_unused("with --why, which explains the main coefficient", "--coefficient", "--gamma")
    if options["other_judges"]:
        refuse_unused("with --other-judges, which is --unit two-way", "--unit")
    answer("agreement.run", options)


@click.command("prefer", short_help="Pairwise preferences with sign tests.")
@click.option("--question", "-q", help="The question to analyse.")
@click.option("--favour", help="The system whose wins are counted.")
@click.option("--documents", help="Only documents whose id matches this regular expression.")
@click.option("--by", type=click.Choice(["domain"]), help="Analyse each domain separately.")
@click.option("--votes", is_flag=True, help="Use the majority vote on each item.")
@click.option("--ranking", is_flag=True, help="Estimate strengths of all systems (Bradley–Terry with ties).")
@seed_option
@source_options
def prefer(**options: Any) -> None:
    """Test which of two systems is preferred, over all judges and for each judge.

    Example: lanner prefer parity --favour human --documents "^[^U]"
    """
    if options["votes"]:
        refuse_unused("with --votes", "--favour", "--ranking")
    elif options["ranking"]:
        refuse_unused("with --ranking", "--favour")
    answer("scores.run_prefer", options)


@click.command("effort", short_help="Judging speed and cost.")
@click.option(
    "--by", default="judge", show_default=True, help="Group by judge, domain, system or stage; several comma-separated."
)
@click.option(
    "--limit",
    type=NUMBER,
    default=10_000.0,
    show_default=True,
    help="Exclude items that took longer than this many seconds.",
)
@click.option("--pooled", is_flag=True, help="Pool all items instead of averaging over domains.")
@click.option("--rate", type=NUMBER, help="Cost of an hour; prints costs instead of speeds.")
@click.option("--fatigue", "tiring", is_flag=True, help="Show how speed changes over a document and a session instead.")
@click.option(
    "--assistance",
    "assisted",
    is_flag=True,
    help="Show what became of a model's marks, the time they saved and how far judges relied on them instead.",
)
@seed_option
@source_options
def effort(**options: Any) -> None:
    """Items per minute, with confidence intervals. Items left open for hours are excluded and counted.

    Example: lanner effort h-falcon
    """
    if options["assisted"]:
        refuse_unused("with --assistance", "--by", "--limit", "--pooled", "--rate", "--fatigue")
    elif options["rate"] is not None:
        refuse_unused("with --rate", "--pooled", "--fatigue")
    elif options["tiring"]:
        refuse_unused("with --fatigue", "--by", "--pooled")
    answer("regression.run_effort", options)


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
@resamples_option
@seed_option
@source_options
def associate(**options: Any) -> None:
    """Correlate a question or score between judges, or two measures with each other. `seconds` is the time spent on an
    item, unless a question has that name.

    Example: lanner associate h-falcon --question sentence,holistic,skill_sum
    """
    if options["of"]:
        refuse_unused("with --question", "--x", "--y", "--given")
    answer("regression.run_associate", options)


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
@click.option("--fill", type=NUMBER, help="Replace missing outcomes with this number.")
@click.option("--coefficients", is_flag=True, help="Print the coefficients of the full model instead of R² by block.")
@click.option(
    "--mixed", "samples", is_flag=True, help="Mixed model with random judges and documents; prints variance shares."
)
@seed_option
@source_options
def regress(**options: Any) -> None:
    """Regress a score on others, block by block. A grid question stands for all of its rows.

    Example: lanner regress h-falcon --outcome holistic --blocks skills,sentence
    """
    if options["samples"]:
        refuse_unused("with --mixed", "--errors", "--fill", "--coefficients")
    answer("regression.run_regress", options)


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
@click.option("--out", type=PATH, help="Folder to write into (default: A-against-B).")
@click.option("--hourly", type=NUMBER, help="Cost of an hour of judging.")
@click.option("--currency", default="", help="Currency of --hourly.")
@resamples_option
@seed_option
@click.option("--judges", is_flag=True, help="Compare the model judges of one campaign: agreement with people, cost.")
@svg_option
@from_option
@protocol_option
@store_option
@json_option
def compare(**options: Any) -> None:
    """Compare campaigns, files, parts of a file (FILE:PART), or the scenarios of one campaign. NAME=A gives a name;
    A@people, A@models or A@JUDGE,JUDGE keeps some of the judges. With --judges: the model judges of one campaign (all,
    or those named after it), which may differ in model, prompt or context.

    Example: lanner compare ESA=appraise:240315rc5ESA MQM=appraise:240315rc5MQM --hourly 40
    """
    if options["judges"]:
        files = ("--svg-only", "--from", "--protocol", "--missing", "--columns", "--languages", "--encoding")
        refuse_unused("with --judges, which prints a table", "--out", "--hourly", "--currency", *files)
    elif options["hourly"] is None:
        refuse_unused("without --hourly", "--currency")
    sources = options["sources"][:1] if options["judges"] else options["sources"]
    paths = [split_source(source).path for source in sources]
    for path in paths:
        refuse_missing(path, options["store_place"])
    for path in paths:
        implementation("file_check").check_format(path, options["format_name"])
    answer("comparison.run_compare", options)


@click.command("audit", short_help="Find what biases a model judge, such as length or order.")
@click.argument("model")
@click.option("--texts", "source", required=True, metavar="CAMPAIGN_OR_TEXTS", help="What it judges in the audit.")
@named_protocol("What is asked about a file of texts.")
@click.option("--base-url", "base_urls", multiple=True, help="The server.")
@provider_option
@click.option("--prompt", default="", help="The words around the questions.")
@click.option("--context", default="", help="What is shown around a sentence.")
@click.option(
    "--sentences", type=click.IntRange(1), default=60, show_default=True, help="How many sentences, in whole documents."
)
@click.option(
    "--samples",
    "repeats",
    type=click.IntRange(2),
    default=3,
    show_default=True,
    help="How often to ask for self-consistency.",
)
@click.option(
    "--language", "other_languages", multiple=True, help="Another language for the instructions (default: de)."
)
@click.option("--max-cost", type=NUMBER, help="Stop before the audit costs more.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="A setting of `lanner judge`.")
@from_option
@store_option
@json_option
@reads_files("protocol")
def audit(**options: Any) -> None:
    """Audit a model: length, pleas in the translation, wording and language of the instructions, order, range of
    scores, agreement with itself. Each has an interval over documents and a plain verdict.

    Example: lanner audit my-model --texts pilot --base-url http://127.0.0.1:8080/v1
    """
    check_texts_to_judge(options)
    answer("comparison.run_audit", options)


@click.command("replace", short_help="Test whether a model can replace a judge, and what it saves.")
@click.argument("model", metavar="MODEL")
@click.option("--question", "-q", help="Only this question (default: all that the model and people answered).")
@click.option(
    "--epsilon",
    type=NUMBER,
    default=0.2,
    show_default=True,
    help="What a person's cost allows the model to be worse by.",
)
@source_options
def replace(**options: Any) -> None:
    """Test whether a model can replace a judge, how its scores differ from people's, and what it saves.

    Three answers in one: the test of Calderon et al. (2025) against each judge, calibration, and prediction-powered
    means; for labels, the model's shares put right by its known errors.

    Example: lanner replace gpt-judge campaign --question score
    """
    answer("comparison.run_replace", options)


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
@seed_option
@from_option
@protocol_option
@store_option
@json_option
def metaeval(**options: Any) -> None:
    """Compare metrics with gold scores: pairwise accuracy with ties, system-level accuracy, correlations.

    Example: lanner metaeval wmt23 --languages en-de --gold mqm
    """
    if not options["compare"]:
        refuse_unused("without --compare", "--tests")
    else:
        refuse_unused("with --compare", "--table", "--compat")
    refuse_missing(options["source"], options["store_place"])
    implementation("file_check").check_format(options["source"], options["format_name"])
    answer("comparison.run_metaeval", options)


@click.command("reproduce", short_help="Recompute a paper's figures from its released data.")
@click.argument("name", metavar="[STUDY]", required=False)
@click.option(
    "--data",
    type=PATH,
    help="The folder of the released data (default: this one, or the one under LANNER_DATA that fits).",
)
@click.option("--only", help="Only tables whose name contains this.")
@click.option("--report", is_flag=True, help="Also write a page with every table and the paper's figures drawn again.")
@click.option("--out", type=PATH, help="Folder for --report (default: STUDY-report).")
@click.option("--list", "listing", is_flag=True, help="List the studies and the data each needs.")
@json_option
def reproduce(**options: Any) -> None:
    """Recompute the values printed in a paper and compare. Differences are reported, never adjusted.

    ✓ agrees, ✓* agrees with a proviso, △ differs, – cannot be computed, · was not printed; of simulated judges
    ◇ recovered, ◆ missed. STUDY is a name of --list, or a file of your own.

    Example: lanner reproduce kim2025 --data h-falcon
    """
    answer("comparison.run_reproduce", options)
