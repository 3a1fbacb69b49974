"""`lanner campaign`: look after campaigns: their progress, their state, their judges and what they disagree on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lanner.cli.early_checks import refuse_missing_store
from lanner.cli.options import campaign_argument, implementation, json_option, judge_argument, reads_files, store_option


@click.group("campaign", short_help="Monitor and manage campaigns and their judges.")
def campaign() -> None:
    """Monitor progress and data quality, manage judges, adjudicate disagreements, and pause, close, duplicate or delete
    campaigns. Everything the organiser's pages do.

    Example: lanner campaign check pilot
    """


@campaign.command("list", short_help="List campaigns.")
@click.option("--archived", is_flag=True, help="List archived campaigns instead.")
@store_option
@json_option
def list_all(**options: Any) -> None:
    """List campaigns with their state and progress.

    Example: lanner campaign list
    """
    refuse_missing_store(options["store_place"])
    implementation("campaign").list_all(**options)


@campaign.command("show", short_help="Show the progress of a campaign.")
@campaign_argument
@click.option(
    "--by",
    type=click.Choice(["judge", "domain", "document"]),
    default="judge",
    show_default=True,
    help="One row per judge, domain or document.",
)
@store_option
@json_option
def show(**options: Any) -> None:
    """Show progress per judge, domain or document, with the minutes worked. Where consent was asked for, also the
    version and date of each judge's consent.

    Example: lanner campaign show pilot --by domain
    """
    implementation("campaign").show(**options)


@campaign.command("set", short_help="Open, pause, close or reopen a campaign.")
@campaign_argument
@click.argument("state", type=click.Choice(["open", "pause", "close", "reopen"]))
@store_option
@json_option
def change(**options: Any) -> None:
    """Open, pause, close or reopen a campaign. While it is paused or closed, answers are refused with that reason.

    Example: lanner campaign set pilot pause
    """
    implementation("campaign").change(**options)


@campaign.command("calibrated", short_help="Go on after the calibration round.")
@campaign_argument
@store_option
@json_option
def calibrated(**options: Any) -> None:
    """End the calibration round: assign the other documents by the campaign's design.

    Example: lanner campaign calibrated pilot
    """
    implementation("campaign").calibrated(**options)


@campaign.command("add-judges", short_help="Add judges to a campaign, with their links.")
@campaign_argument
@click.argument("judges")
@click.option(
    "--base-url", default="http://127.0.0.1:8000", show_default=True, help="Address of the server, for the links."
)
@store_option
@json_option
def add_judges(**options: Any) -> None:
    """Add judges: a number, comma-separated names, or a CSV file. Existing assignments do not change.

    Example: lanner campaign add-judges pilot "Cleo, Dae"
    """
    implementation("campaign_judges").add_judges(**options)


@campaign.command("replace-judge", short_help="Hand over a judge's unfinished tasks to someone else.")
@campaign_argument
@judge_argument("leaving")
@click.argument("coming")
@click.option(
    "--base-url", default="http://127.0.0.1:8000", show_default=True, help="Address of the server, for the links."
)
@store_option
@json_option
def replace_judge(**options: Any) -> None:
    """Hand over unfinished tasks to a new judge. Answers already given stay with the leaving judge; that link stops
    working.

    Example: lanner campaign replace-judge pilot ana "Cleo"
    """
    implementation("campaign_judges").replace_judge(**options)


@campaign.command("remove-judge", short_help="Remove a judge who has answered nothing.")
@campaign_argument
@judge_argument("judge")
@store_option
@json_option
def remove_judge(**options: Any) -> None:
    """Remove a judge who has answered nothing, with the link and the tasks. Someone who has answered can be left out of
    the results, replaced or forgotten instead.

    Example: lanner campaign remove-judge pilot ana
    """
    implementation("campaign_judges").remove_judge(**options)


@campaign.command("reopen", short_help="Reopen a finished document for a judge.")
@campaign_argument
@judge_argument("judge")
@click.argument("document")
@click.option("--page", help="Only this page of the protocol.")
@store_option
@json_option
def reopen(**options: Any) -> None:
    """Reopen a finished document for a judge. Answers are kept; changes supersede them.

    Example: lanner campaign reopen pilot ana d1
    """
    implementation("campaign_judges").reopen(**options)


@campaign.command("add-overlap", short_help="Assign more documents to judges, for more overlap.")
@campaign_argument
@click.option("--judges", required=True, metavar="NAMES", help="Judges, comma-separated.")
@click.option("--documents", required=True, metavar="IDS", help="Documents, comma-separated.")
@store_option
@json_option
def add_overlap(**options: Any) -> None:
    """Assign more documents, so that more items have several judges and intervals narrow. `lanner campaign check`
    estimates how many are needed.

    Example: lanner campaign add-overlap pilot --judges "ana, ben" --documents "d4, d5"
    """
    implementation("campaign_judges").add_overlap(**options)


@campaign.command("leave-out", short_help="Exclude a judge from all results.")
@campaign_argument
@judge_argument("judge")
@click.option("--reason", required=True, help="The reason, which reports state.")
@store_option
@json_option
def leave_out(**options: Any) -> None:
    """Exclude a judge from all results: agreement, scores, effort, verdict, report. Nothing is deleted;
    `lanner campaign count-again` undoes it.

    Example: lanner campaign leave-out pilot ana --reason "missed 11 of 12 controls"
    """
    implementation("campaign_judges").leave_out(**options)


@campaign.command("count-again", short_help="Include an excluded judge again.")
@campaign_argument
@judge_argument("judge")
@store_option
@json_option
def count_again(**options: Any) -> None:
    """Include a judge again who was excluded from the results.

    Example: lanner campaign count-again pilot ana
    """
    implementation("campaign_judges").count_again(**options)


@campaign.command("revoke", short_help="Revoke a judge's link.")
@campaign_argument
@judge_argument("judge")
@store_option
@json_option
def revoke(**options: Any) -> None:
    """Revoke a judge's link at once. Answers are kept; `lanner links` issues a new link.

    Example: lanner campaign revoke pilot ana
    """
    implementation("campaign_judges").revoke(**options)


@campaign.command("forget", short_help="Erase a judge's identity, optionally with all answers.")
@campaign_argument
@judge_argument("judge")
@click.option("--answers", is_flag=True, help="Delete all answers too: the judge withdraws.")
@click.option("--typed", metavar="ID", help="The judge's id again, as confirmation; prompted for if missing.")
@store_option
@json_option
def forget(**options: Any) -> None:
    """Erase a judge's identity and keep the answers under a pseudonym, or delete the answers too. Cannot be undone.

    Example: lanner campaign forget pilot ana --typed ana
    """
    implementation("campaign_judges").forget(**options)


@campaign.command("settings", short_help="Show or change settings.")
@campaign_argument
@click.argument("changes", nargs=-1, metavar="[SETTING=VALUE]...")
@click.option("--title", help="The title that judges see.")
@store_option
@json_option
def settings(**options: Any) -> None:
    """Show a campaign's settings, or change some: minimum_agreement, margin, control_limit, deadline, time_zone,
    note, hourly_rate, currency, budget, main_question, guidelines, practice_agreement … An empty value removes
    a setting.

    Example: lanner campaign settings pilot deadline=2026-12-01 time_zone=Asia/Seoul hourly_rate=21.5
    """
    implementation("campaign").settings(**options)


@campaign.command("archive", short_help="Archive a campaign, or restore it from the archive.")
@campaign_argument
@click.option("--out", "take_out", is_flag=True, help="Restore it from the archive.")
@store_option
@json_option
def archive(**options: Any) -> None:
    """Archive a campaign: it no longer appears in the list. Nothing else changes.

    Example: lanner campaign archive pilot
    """
    implementation("campaign").archive(**options)


@campaign.command("duplicate", short_help="Create a draft with the same texts, protocol, design and settings.")
@campaign_argument
@click.argument("as_name", metavar="NEW_NAME")
@click.option("--judges", help="Judges: a number, comma-separated names, or a CSV file (default: the same).")
@click.option("--no-judges", is_flag=True, help="Create it without judges.")
@store_option
@json_option
def duplicate(**options: Any) -> None:
    """Create a draft like an existing campaign, without its judgements.

    Example: lanner campaign duplicate pilot main --judges judges.csv
    """
    implementation("campaign").duplicate(**options)


@campaign.command("prefill", short_help="Let judges start from a model's marks.")
@campaign_argument
@click.argument("model")
@click.option("--from", "source", default="", help="Another campaign or a file with the model's answers.")
@click.option(
    "--unassisted",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.2,
    show_default=True,
    help="The share of each system's documents that is judged without the marks.",
)
@store_option
@json_option
def prefill(**options: Any) -> None:
    """Offer the marks of a model judge to the people of a campaign in which no person has judged yet. Without --from
    the model's answers in the same campaign are taken.

    Example: lanner campaign prefill pilot gemba --unassisted 0.25
    """
    implementation("campaign").prefill(**options)


@campaign.command("delete", short_help="Delete a campaign, after saving a copy.")
@campaign_argument
@click.option("--typed", metavar="NAME", help="The name again, as confirmation.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default="lanner-backups",
    show_default=True,
    help="Folder for the copy.",
)
@store_option
@json_option
def delete(**options: Any) -> None:
    """Delete a campaign. Texts, judges and all answers are first written to a file that `lanner import` reads; if that
    fails, nothing is deleted.

    Example: lanner campaign delete pilot --typed pilot
    """
    implementation("campaign").delete(**options)


@campaign.command("import", short_help="Import answers into a campaign.")
@campaign_argument
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--model", default="", help="The file holds outputs of this model, one JSON object per line.")
@click.option("--look", "only_look", is_flag=True, help="Preview the import; store nothing.")
@store_option
@json_option
@reads_files("path")
def import_(**options: Any) -> None:
    """Import answers given elsewhere: all in the file, or none. Unknown judges are added; earlier answers to the same
    question are superseded and stay in the history. To create a new campaign use `lanner import`.

    Example: lanner campaign import pilot answers.csv --look
    """
    implementation("campaign").import_(**options)


@campaign.command("check", short_help="Check whether the data can be trusted so far.")
@campaign_argument
@click.option("--question", default="", help="The question to show divergence for (default: the main one).")
@store_option
@json_option
def check(**options: Any) -> None:
    """Print what the live page shows: a verdict with four checks; progress, pace and cost of each judge; agreement per
    question now and expected at completion; judges who diverge; labels that are confused most.

    Example: lanner campaign check pilot
    """
    implementation("disagreements").check(**options)


@campaign.command("disagreements", short_help="List disagreements, largest first.")
@campaign_argument
@click.option("--question", default="", help="Only this question.")
@click.option("--domain", default="", help="Only this domain.")
@click.option("--document", default="", help="Only this document.")
@click.option("--judges", default="", metavar="A,B", help="Only between these two judges.")
@click.option("--labels", default="", metavar="A,B", help="Only where both labels were given to --question.")
@click.option(
    "--show",
    type=click.Choice(["open", "settled", "all"]),
    default="open",
    show_default=True,
    help="Open, settled or all.",
)
@click.option("--most", default=50, show_default=True, help="Maximum number of rows.")
@store_option
@json_option
def disagreements(**options: Any) -> None:
    """List items on which people disagree, largest disagreement first.

    Example: lanner campaign disagreements pilot --question skills --judges ana,ben
    """
    implementation("disagreements").disagreements(**options)


@campaign.command("settle", short_help="Record the agreed answer to a disagreement.")
@campaign_argument
@click.argument("document")
@click.argument("segment", default="")
@click.option("--system", default="", help="The system; several separated by | (as `disagreements` lists them).")
@click.option(
    "--answer",
    "answers",
    multiple=True,
    metavar="QUESTION=VALUE",
    help="What was agreed; a part of a question as QUESTION.PART=VALUE; QUESTION@=JUDGE takes a judge's answer.",
)
@click.option("--note", default="", help="A note about the decision.")
@click.option("--guideline", is_flag=True, help="Add the note to the guidelines, which all judges see.")
@store_option
@json_option
def settle(**options: Any) -> None:
    """Record agreed answers under a separate, adjudicated judge. The judges' own answers do not change.

    Example: lanner campaign settle pilot d1 3 --system alder --answer skills.fluency=high --note "Idiom counts."
    """
    implementation("disagreements").settle(**options)


@campaign.command("note", short_help="Add a note to the guidelines.")
@campaign_argument
@click.argument("text", default="")
@store_option
@json_option
def note(**options: Any) -> None:
    """Add a note to the guidelines, or list the notes if no text is given. Notes are numbered and dated.

    Example: lanner campaign note pilot "An acronym counts as terminology."
    """
    implementation("disagreements").note(**options)


@campaign.command("decided", short_help="What is decided, what is open, and whether it is enough.")
@campaign_argument
@click.option(
    "--leave-open",
    "leave",
    nargs=2,
    multiple=True,
    metavar="SYSTEM OTHER",
    help="Spend no more work on this open pair; it cannot be taken up again. Repeatable.",
)
@store_option
@json_option
def decided(**options: Any) -> None:
    """Say where an adaptive campaign stands: which systems are told apart, what the next hundred judgements would buy,
    how much work is left, and whether it is enough. A look that is due is taken first.

    Example: lanner campaign decided pilot
    """
    implementation("disagreements").decided(**options)


@campaign.command("calibrate", short_help="Choose the most disputed sentences for a calibration round.")
@campaign_argument
@click.option("--sentences", default=20, show_default=True, type=click.IntRange(1), help="How many at most.")
@click.option("--per-document", type=click.IntRange(1), help="At most so many of one document.")
@click.option("--assign", "assigning", is_flag=True, help="Give them to every person again, as a calibration round.")
@store_option
@json_option
def calibrate(**options: Any) -> None:
    """List the sentences on which people are furthest apart so far, and give them to everybody again once they have
    been talked about. The second answers are calibration: they count in no result, and agreement on them says nothing
    about other sentences, since these were chosen for being disputed.

    Example: lanner campaign calibrate pilot --sentences 15 --assign
    """
    implementation("campaign_judges").calibrate(**options)


@campaign.command("training", short_help="Agreement before and after a training, with intervals.")
@campaign_argument
@click.option(
    "--since", required=True, metavar="DATE", help="When judges had been trained: 2026-11-18, or with a time."
)
@click.option("--seed", default=0, show_default=True, help="Same seed, same numbers.")
@store_option
@json_option
def training(**options: Any) -> None:
    """Compare agreement on the sentences answered before a training with that on the sentences answered after it: for
    every question, and for each of its labels or skills. Sentences answered on both sides count on neither.

    Example: lanner campaign training pilot --since 2026-11-18
    """
    implementation("campaign_judges").training(**options)
