"""Declarations of the commands that analyse judgements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lanner.cli.options import RESAMPLES, SEED, Detail, RenamedOption, implementation, set_option, source_options

if TYPE_CHECKING:
    from lanner.cli.source import Source


@click.command("report", short_help="Write a report: HTML, LaTeX and CSV tables, figures.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder to write into (default: NAME-report).")
@click.option("--language", default="en", show_default=True, help="Language of the questions; the rest is English.")
@click.option("--resamples", type=RESAMPLES, default=2000, show_default=True, help="Number of bootstrap resamples.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
@click.option("--identified", is_flag=True, help="Use judges' own names (default: people are pseudonymised).")
@click.option("--svg-only", is_flag=True, help="Skip the PDF and PNG versions of figures (faster).")
@source_options
def report(source: Source, **options: Any) -> None:
    """Write a report on a campaign or a file of judgements.

    Example: lanner report my-campaign --out my-report
    """
    implementation("documents").run_report(source, **options)


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
    "correction": Detail(click.Choice(CORRECTIONS), "for multiple comparisons (holm)"),
    "adjust": Detail(click.Choice(ADJUSTMENTS), "for segments that not all systems share (auto)"),
    "better": Detail(click.Choice(["higher", "lower"]), "which scores are better (from the protocol)"),
    "margin": Detail(float, "with --head-to-head: test non-inferiority and equivalence within so many points"),
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
@click.option("--documents", type=click.Path(path_type=Path), help="A .docs list (domain, document) or the texts.")
@click.option("--preset", help=f"Score and rank as in a shared task: {', '.join(PRESETS)}.")
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    default="system",
    help="One row per system, document, segment …",
)
@click.option("--standardise", is_flag=True, default=None, help="Standardise scores per judge (z-scores).")
@click.option("--head-to-head", "pairs", is_flag=True, help="Compare every pair of systems instead.")
@click.option(
    "--selection",
    is_flag=True,
    help="Also correct for how documents were chosen (lanner prepare, step difficult).",
)
@click.option("--other-judges", is_flag=True, help="Intervals and tests that generalise to other judges.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
@set_option(SCORES_DETAILS)
@source_options
def scores(source: Source, **options: Any) -> None:
    """Score and rank systems.

    Example: lanner scores esa.csv --languages en-zh --documents en-zh.docs --preset wmt24-esa
    """
    implementation("scores").run_scores(source, **options)


SCALES = ("auto", "steps", "numbers")


@click.command("facets", short_help="Scores with judges' severity taken out; what a design is worth.")
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
def facets(source: Source, **options: Any) -> None:
    """Take judges' severity out of the scores of systems, show how severe each judge is, and compare designs.

    Scores are those of an average judge and an average document; intervals and tests hold for judges in general.

    Example: lanner facets ratings.csv --question score
    """
    implementation("diagnosis").run_facets(source, **options)


@click.command("diagnose", short_help="What each system should improve: skills and errors, by domain.")
@click.option("--question", default="", help="The question that tells skills or errors apart (default: the first).")
@click.option("--domain", default="", help="Only this domain (default: every domain, and all together).")
@click.option("--cell", metavar="SYSTEM/ASPECT[/DOMAIN]", help="The sentences behind one cell instead of the table.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write a page with the picture, LaTeX and CSV tables here."
)
@click.option("--language", default="en", show_default=True, help="Language of the protocol's words on the page.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same numbers.")
@source_options
def diagnose(source: Source, **options: Any) -> None:
    """Say for each system how often every skill matters, how well it is handled there, in which the system is behind
    others after correction, and what to improve first. Errors (MQM, ESA) are described by how often they occur and how
    much they cost.

    Example: lanner diagnose my-campaign --out diagnosis
    """
    implementation("diagnosis").run_diagnose(source, **options)


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
def agreement(source: Source, **options: Any) -> None:
    """Measure how far judges agree: among people, among models, and for each pair of judges.

    Only main items count. Controls, repeats, calibration rounds, adjudicated answers and questionnaires are left out.

    Example: lanner agreement h-falcon --question context
    """
    implementation("agreement").run(source, **options)


@click.command("prefer", short_help="Pairwise preferences with sign tests.")
@click.option("--question", "-q", help="The question to analyse.")
@click.option("--favour", help="The system whose wins are counted.")
@click.option("--documents", help="Only documents whose id matches this regular expression.")
@click.option("--by", type=click.Choice(["domain"]), help="Analyse each domain separately.")
@click.option("--votes", is_flag=True, help="Use the majority vote on each item.")
@click.option("--ranking", is_flag=True, help="Estimate strengths of all systems (Bradley–Terry with ties).")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
@source_options
def prefer(source: Source, **options: Any) -> None:
    """Test which of two systems is preferred, over all judges and for each judge.

    Example: lanner prefer parity --favour human --documents "^[^U]"
    """
    implementation("scores").run_prefer(source, **options)


@click.command("effort", short_help="Judging speed and cost.")
@click.option(
    "--by", default="judge", show_default=True, help="Group by judge, domain, system or stage; several comma-separated."
)
@click.option(
    "--limit", default=10_000.0, show_default=True, help="Exclude items that took longer than this many seconds."
)
@click.option("--pooled", is_flag=True, help="Pool all items instead of averaging over domains.")
@click.option("--rate", type=float, help="Cost of an hour; prints costs instead of speeds.")
@click.option("--fatigue", "tiring", is_flag=True, help="Show how speed changes over a document and a session instead.")
@click.option(
    "--assistance",
    "assisted",
    is_flag=True,
    help="Show what became of a model's marks, the time they saved and how far judges relied on them instead.",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
@source_options
def effort(source: Source, **options: Any) -> None:
    """Items per minute, with confidence intervals. Items left open for hours are excluded and counted.

    Example: lanner effort h-falcon
    """
    implementation("regression").run_effort(source, **options)


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
def associate(source: Source, **options: Any) -> None:
    """Correlate a question or score between judges, or two measures with each other. `seconds` is the time spent on an
    item, unless a question has that name.

    Example: lanner associate h-falcon --question sentence,holistic,skill_sum
    """
    implementation("regression").run_associate(source, **options)


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
def regress(source: Source, **options: Any) -> None:
    """Regress a score on others, block by block. A grid question stands for all of its rows.

    Example: lanner regress h-falcon --outcome holistic --blocks skills,sentence
    """
    implementation("regression").run_regress(source, **options)
