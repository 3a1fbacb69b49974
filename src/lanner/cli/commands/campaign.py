"""Declarations of the commands that plan, create, serve and export a campaign, and of `lanner campaign`, which looks
after one: its progress, its state, its judges and what they disagree on."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from lanner.cli import (
    NUMBER,
    PATH,
    PORT,
    SEED,
    Detail,
    Group,
    NumberRange,
    RenamedOption,
    about_campaign,
    after_option,
    answer,
    answer_from_store,
    base_url_option,
    before_option,
    complete_format,
    complete_source,
    contexts_option,
    from_option,
    implementation,
    json_option,
    judge_argument,
    known_format,
    known_name,
    named_protocol,
    optional_source_options,
    protocol_option,
    reads_files,
    refuse_reading,
    refuse_unused,
    seed_option,
    set_option,
    settings_option,
    store_option,
    systems_option,
)
from lanner.cli.early_checks import check_public_url, is_free, is_own, refuse_missing, refuse_unknown_question
from lanner.errors import LannerError


@click.group("campaign", cls=Group, short_help="Monitor and manage campaigns and their judges.")
def campaign() -> None:
    """Monitor progress and data quality, manage judges, adjudicate disagreements, and pause, close, duplicate or delete
    campaigns. Everything the organiser's pages do.

    Example: lanner campaign check pilot
    """


_about = partial(about_campaign, group=campaign)


@campaign.command("list", short_help="List campaigns.")
@click.option("--archived", is_flag=True, help="List archived campaigns instead.")
@store_option
@json_option
def list_all(**options: Any) -> None:
    """List campaigns with their state and progress.

    Example: lanner campaign list
    """
    answer_from_store("campaign.list_all", options)


@_about("show", "Show the progress of a campaign.")
@click.option(
    "--by",
    type=click.Choice(["judge", "domain", "document"]),
    default="judge",
    show_default=True,
    help="One row per judge, domain or document.",
)
def show(**options: Any) -> None:
    """Show progress per judge, domain or document, with the minutes worked. Where consent was asked for, also the
    version and date of each judge's consent.

    Example: lanner campaign show pilot --by domain
    """
    answer_from_store("campaign.show", options)


@_about("set", "Open, pause, close or reopen a campaign.")
@click.argument("state", type=click.Choice(["open", "pause", "close", "reopen"]))
def change(**options: Any) -> None:
    """Open, pause, close or reopen a campaign. While it is paused or closed, answers are refused with that reason.

    Example: lanner campaign set pilot pause
    """
    answer_from_store("campaign.change", options)


@_about("calibrated", "Go on after the calibration round.")
def calibrated(**options: Any) -> None:
    """End the calibration round: assign the other documents by the campaign's design.

    Example: lanner campaign calibrated pilot
    """
    answer_from_store("campaign.calibrated", options)


@_about("add-judges", "Add judges to a campaign, with their links.")
@click.argument("judges")
@base_url_option
def add_judges(**options: Any) -> None:
    """Add judges: a number, comma-separated names, or a CSV file. Existing assignments do not change.

    Example: lanner campaign add-judges pilot "Cleo, Dae"
    """
    answer_from_store("campaign.add_judges", options)


@_about("replace-judge", "Hand over a judge's unfinished tasks to someone else.")
@judge_argument("leaving")
@click.argument("coming")
@base_url_option
def replace_judge(**options: Any) -> None:
    """Hand over to a new judge what is not answered in full: documents that are only begun as a whole, after what every
    judge begins with (consent, questionnaires, tutorial, calibration) and answers that later pages ask about. Answers
    already given stay with the leaving judge and count; that link stops working.

    Example: lanner campaign replace-judge pilot ana "Cleo"
    """
    answer_from_store("campaign.replace_judge", options)


@_about("remove-judge", "Remove a judge who has answered nothing.")
@judge_argument("judge")
def remove_judge(**options: Any) -> None:
    """Remove a judge who has answered nothing, with the link and the tasks. Someone who has answered can be left out of
    the results, replaced or forgotten instead.

    Example: lanner campaign remove-judge pilot ana
    """
    answer_from_store("campaign.remove_judge", options)


@_about("reopen", "Reopen a finished document for a judge.")
@judge_argument("judge")
@click.argument("document")
@click.option("--page", help="Only this page of the protocol.")
def reopen(**options: Any) -> None:
    """Reopen a finished document for a judge. Answers are kept; changes supersede them.

    Example: lanner campaign reopen pilot ana d1
    """
    answer_from_store("campaign.reopen", options)


@_about("add-overlap", "Assign more documents to judges, for more overlap.")
@click.option("--judges", required=True, metavar="NAMES", help="Judges, comma-separated.")
@click.option("--documents", required=True, metavar="IDS", help="Documents, comma-separated.")
def add_overlap(**options: Any) -> None:
    """Assign more documents, so that more items have several judges and intervals narrow. `lanner campaign check`
    estimates how many are needed.

    Example: lanner campaign add-overlap pilot --judges "ana, ben" --documents "d4, d5"
    """
    answer_from_store("campaign.add_overlap", options)


@_about("leave-out", "Exclude a judge from all results.")
@judge_argument("judge")
@click.option("--reason", required=True, help="The reason, which reports state.")
def leave_out(**options: Any) -> None:
    """Exclude a judge from all results: agreement, scores, effort, verdict, report. What they have not done is not
    waited for: it counts in no progress, and the campaign can finish without it. Nothing is deleted;
    `lanner campaign count-again` undoes it.

    Example: lanner campaign leave-out pilot ana --reason "missed 11 of 12 controls"
    """
    answer_from_store("campaign.leave_out", options)


@_about("count-again", "Include an excluded judge again.")
@judge_argument("judge")
def count_again(**options: Any) -> None:
    """Include a judge again who was excluded from the results.

    Example: lanner campaign count-again pilot ana
    """
    answer_from_store("campaign.count_again", options)


@_about("revoke", "Revoke a judge's link.")
@judge_argument("judge")
def revoke(**options: Any) -> None:
    """Revoke a judge's link at once. Answers are kept; `lanner links` issues a new link.

    Example: lanner campaign revoke pilot ana
    """
    answer_from_store("campaign.revoke", options)


@_about("forget", "Erase a judge's identity, optionally with all answers.")
@judge_argument("judge")
@click.option("--answers", is_flag=True, help="Delete all answers too: the judge withdraws.")
@click.option("--typed", metavar="ID", help="The judge's id again, as confirmation; prompted for if missing.")
def forget(**options: Any) -> None:
    """Erase a judge's identity and keep the answers under a pseudonym, or delete the answers too. Cannot be undone.

    Example: lanner campaign forget pilot ana --typed ana
    """
    answer_from_store("campaign.forget", options)


@_about("settings", "Show or change settings.")
@click.argument("changes", nargs=-1, metavar="[SETTING=VALUE]...")
@click.option("--title", help="The title that judges see.")
def settings(**options: Any) -> None:
    """Show a campaign's settings, or change some: minimum_agreement, margin, control_limit, deadline, time_zone,
    note, hourly_rate, currency, budget, main_question, guidelines, practice_agreement … An empty value removes
    a setting.

    Example: lanner campaign settings pilot deadline=2026-12-01 time_zone=Asia/Seoul hourly_rate=21.5
    """
    answer_from_store("campaign.settings", options)


@_about("archive", "Archive a campaign, or restore it from the archive.")
@click.option("--out", "take_out", is_flag=True, help="Restore it from the archive.")
def archive(**options: Any) -> None:
    """Archive a campaign: it no longer appears in the list. Nothing else changes.

    Example: lanner campaign archive pilot
    """
    answer_from_store("campaign.archive", options)


@_about("duplicate", "Create a draft with the same texts, protocol, design and settings.")
@click.argument("as_name", metavar="NEW_NAME")
@click.option("--judges", help="Judges: a number, comma-separated names, or a CSV file (default: the same).")
@click.option("--no-judges", is_flag=True, help="Create it without judges.")
def duplicate(**options: Any) -> None:
    """Create a draft like an existing campaign, without its judgements.

    Example: lanner campaign duplicate pilot main --judges judges.csv
    """
    if options["no_judges"]:
        refuse_unused("with --no-judges", "--judges")
    answer_from_store("campaign.duplicate", options)


@_about("prefill", "Let judges start from a model's marks.")
@click.argument("model")
@click.option("--from", "source", default="", help="Another campaign or a file with the model's answers.")
@click.option(
    "--unassisted",
    type=NumberRange(0, 1, max_open=True),
    default=0.2,
    show_default=True,
    help="The share of each system's documents that is judged without the marks.",
)
def prefill(**options: Any) -> None:
    """Offer the marks of a model judge to the people of a campaign in which no person has judged yet. Without --from
    the model's answers in the same campaign are taken.

    Example: lanner campaign prefill pilot gemba --unassisted 0.25
    """
    answer_from_store("campaign.prefill", options)


@_about("delete", "Delete a campaign, after saving a copy.")
@click.option("--typed", metavar="NAME", help="The name again, as confirmation.")
@click.option("--folder", type=PATH, default="lanner-backups", show_default=True, help="Folder for the copy.")
def delete(**options: Any) -> None:
    """Delete a campaign. A copy of everything in it is written first: texts, settings, judges, tasks, answers, log. If
    that fails, nothing is deleted. `lanner restore COPY --campaign NAME` brings it back.

    Example: lanner campaign delete pilot --typed pilot
    """
    answer_from_store("campaign.delete", options)


@_about("import", "Import answers into a campaign.")
@click.argument("path", type=PATH)
@click.option("--model", default="", help="The file holds outputs of this model, one JSON object per line.")
@click.option("--look", "only_look", is_flag=True, help="Preview the import; store nothing.")
@reads_files("path")
def import_(**options: Any) -> None:
    """Import answers given elsewhere: all in the file, or none. Unknown judges are added; earlier answers to the same
    question are superseded and stay in the history. To create a new campaign use `lanner import`.

    Example: lanner campaign import pilot answers.csv --look
    """
    answer_from_store("campaign.import_", options)


@_about("check", "Check whether the data can be trusted so far.")
@click.option("--question", default="", help="The question to show divergence for (default: the main one).")
def check(**options: Any) -> None:
    """Print what the live page shows: a verdict with four checks; progress, pace and cost of each judge; agreement per
    question now and expected at completion; judges who diverge; labels that are confused most.

    Example: lanner campaign check pilot
    """
    if options["question"]:
        refuse_unknown_question(options["name"], options["store_place"], options["question"])
    answer_from_store("disagreements.check", options)


@_about("disagreements", "List disagreements, largest first.")
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
@click.option("--most", type=click.IntRange(1), default=50, show_default=True, help="Maximum number of rows.")
def disagreements(**options: Any) -> None:
    """List items on which people disagree, largest disagreement first.

    Example: lanner campaign disagreements pilot --question skills --judges ana,ben
    """
    if options["question"]:
        refuse_unknown_question(options["name"], options["store_place"], options["question"])
    else:
        refuse_unused("without --question, whose labels they are", "--labels")
    answer_from_store("disagreements.disagreements", options)


@_about("settle", "Record the agreed answer to a disagreement.")
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
def settle(**options: Any) -> None:
    """Record agreed answers under a separate, adjudicated judge. The judges' own answers do not change.

    Example: lanner campaign settle pilot d1 3 --system alder --answer skills.fluency=high --note "Idiom counts."
    """
    if not options["note"]:
        refuse_unused("without --note", "--guideline")
        if not options["answers"]:
            raise LannerError("Nothing to settle.", next_step="Give --answer QUESTION=VALUE, or --note.")
    answer_from_store("disagreements.settle", options)


@_about("note", "Add a note to the guidelines.")
@click.argument("text", default="")
def note(**options: Any) -> None:
    """Add a note to the guidelines, or list the notes if no text is given. Notes are numbered and dated.

    Example: lanner campaign note pilot "An acronym counts as terminology."
    """
    answer_from_store("disagreements.note", options)


@_about("decided", "What is decided, what is open, and whether it is enough.")
@click.option(
    "--leave-open",
    "leave",
    nargs=2,
    multiple=True,
    metavar="SYSTEM OTHER",
    help="Spend no more work on this open pair; it cannot be taken up again. Repeatable.",
)
def decided(**options: Any) -> None:
    """Say where an adaptive campaign stands: which systems are told apart, what the next hundred judgements would buy,
    how much work is left, and whether it is enough. A look that is due is taken first.

    Example: lanner campaign decided pilot
    """
    answer_from_store("disagreements.decided", options)


@_about("calibrate", "Choose the most disputed sentences for a calibration round.")
@click.option("--sentences", default=20, show_default=True, type=click.IntRange(1), help="How many at most.")
@click.option("--per-document", type=click.IntRange(1), help="At most so many of one document.")
@click.option("--assign", "assigning", is_flag=True, help="Give them to every person again, as a calibration round.")
def calibrate(**options: Any) -> None:
    """List the sentences on which people are furthest apart so far, and give them to everybody again once they have
    been talked about. The second answers are calibration: they count in no result, and agreement on them says nothing
    about other sentences, since these were chosen for being disputed.

    Example: lanner campaign calibrate pilot --sentences 15 --assign
    """
    answer_from_store("campaign.calibrate", options)


@_about("training", "Agreement before and after a training, with intervals.")
@click.option(
    "--since", required=True, metavar="DATE", help="When judges had been trained: 2026-11-18, or with a time."
)
@seed_option
def training(**options: Any) -> None:
    """Compare agreement on the sentences answered before a training with that on the sentences answered after it: for
    every question, and for each of its labels or skills. Sentences answered on both sides count on neither.

    Example: lanner campaign training pilot --since 2026-11-18
    """
    answer_from_store("campaign.training", options)


_OF_PREVIEW: tuple[str, ...] = (
    "--texts",
    "--protocol",
    "--judges",
    "--design",
    "--option",
    "--contexts",
    "--systems",
    "--settings",
)
_OF_PREVIEW += ("--before", "--after", "--seed", "--rate", "--from", "--columns", "--languages", "--encoding")
_UNJUDGED = "with texts, of which no answers are read"


@click.command("design", short_help="Preview a campaign: assignments, hours, cost, overlap.")
@click.option("--texts", type=PATH, help="A file or folder in any known format.")
@named_protocol("A protocol by name, or a TOML file.")
@click.option("--judges", default="3", show_default=True, help="A number, comma-separated names, or a CSV file.")
@click.option(
    "--design",
    "name",
    default="full",
    show_default=True,
    callback=known_name("designs"),
    help="How items are assigned to judges.",
)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the design; repeatable.")
@contexts_option
@systems_option
@settings_option
@before_option
@after_option
@seed_option
@click.option("--rate", type=NUMBER, help="Cost of an hour.")
@from_option
@json_option
@reads_files("texts", "protocol")
def design(**options: Any) -> None:
    """Preview the assignments of a campaign. Without --texts and --protocol, list the designs and their options.

    Example: lanner design --texts my.jsonl --protocol da --judges 4 --design batches --option judges_per_document=2
    """
    if options["texts"] is None or options["protocol"] is None:
        refuse_unused("without both --texts and --protocol: a preview needs them", *_OF_PREVIEW)
    refuse_unused(_UNJUDGED, "--missing")
    implementation("file_check").check_texts(options["texts"], options["format_name"])
    answer("new.run_design", options)


PLAN_DETAILS = {
    "systems": Detail(int, "number of systems (as in the pilot, or 2)"),
    "power": Detail(NUMBER, "power for the smallest detectable difference (0.8)", 0.8),
    "extra": Detail(int, "judgements to add (as many again)"),
    "minutes": Detail(NUMBER, "minutes per judgement, for hours and cost"),
    "rate": Detail(NUMBER, "cost of an hour of judging"),
    "studies": Detail(int, "simulated studies (2000)", 2000),
    "goal": Detail(
        str, "goal of an adaptive campaign, compared with the fixed one: best, better:A,B, … (rank)", "rank"
    ),
    "by": Detail(click.Choice(["domain"]), "plan each domain separately"),
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
@click.option("--difference", type=NUMBER, help="A true difference between two systems; prints the power to detect it.")
@click.option("--other-judges", is_flag=True, help="Generalise to other judges, not only these.")
@seed_option
@set_option(PLAN_DETAILS)
@optional_source_options
def plan(**options: Any) -> None:
    """Simulate studies from a pilot or from released ratings, and report what each design could detect.

    The first design is also compared with an adaptive campaign, which ends when its goal is reached. With --like and a
    campaign or file that only metrics or models have rated, these say which systems are close to each other; texts
    alone say how many documents, sentences and systems there are.

    Example: lanner plan pilot --question score --documents 20,40,80 --difference 3
    """
    if options["like"]:
        refuse_unused("with --like, which plans for the score of that protocol", "--question")
    answer("plan.run", options)


NEW_DETAILS = {
    "title": Detail(str, "the title that judges see", ""),
    "published": Detail(bool, "true for the wording of the protocol's paper", False),
    "before": Detail(str, "questionnaires before the tasks, comma-separated", ""),
    "after": Detail(str, "questionnaires after the tasks, comma-separated", ""),
    "prefill": Detail(str, "MODEL@SOURCE, the model whose marks judges start from and the campaign or file with them"),
    "unassisted": Detail(
        NumberRange(0, 1, max_open=True), "share of each system's documents judged without these marks (0.2)"
    ),
    "budget": Detail(int, "how many judgements an adaptive campaign may cost (all)"),
}


@click.command("new", short_help="Create a campaign and its judges' links.")
@click.argument("name", required=False)
@click.option(
    "--texts",
    multiple=True,
    type=PATH,
    help="A file or folder in any known format; repeatable (--texts src.en --texts hyp.de).",
)
@named_protocol("A protocol by name, or a TOML file.")
@click.option("--judges", help="A number, comma-separated names, or a CSV file (id, name, attributes).")
@click.option(
    "--design",
    default="full",
    show_default=True,
    callback=known_name("designs"),
    help="How items are assigned to judges.",
)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the design; repeatable.")
@click.option(
    "--goal",
    help="What an adaptive campaign is for: rank, best, better:A,B, not-worse:A,B,MARGIN, "
    "precision:X, agreement:MINIMUM; with it the design is adaptive.",
)
@contexts_option
@systems_option
@click.option("--seed", type=SEED, default=0, show_default=True, help="Same seed, same tasks.")
@settings_option
@set_option(NEW_DETAILS)
@click.option("--draft", is_flag=True, help="Create a draft, which can still be changed, instead of opening it.")
@base_url_option
@from_option
@store_option
@json_option
@reads_files("texts", "protocol")
def new(**options: Any) -> None:
    """Create a campaign. Missing options are prompted for.

    Example: lanner new pilot --texts my.csv --protocol h_falcon --judges "Ana, Ben"
    """
    refuse_unused(_UNJUDGED, "--missing")
    implementation("file_check").check_texts(options["texts"], options["format_name"])
    answer("new.run_new", options)


@about_campaign("links", "Issue new judge links; old ones stop working.")
@click.option(
    "--judge", "judges", multiple=True, help="Only this judge; repeatable (default: all people who have not left)."
)
@base_url_option
@click.option("--show", is_flag=True, help="Print the current links; nothing changes.")
def links(**options: Any) -> None:
    """Issue new links; the old ones stop working. With --show, print the current links. The store keeps only hashes;
    the links are derived again from a key file next to it (or from LANNER_LINK_KEY).

    Example: lanner links pilot --judge ana --show
    """
    answer_from_store("campaign.run_links", options)


LOG_LEVELS = ("off", "problems", "all")


@click.command("serve", short_help="Serve the judging and organiser's pages.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to bind; 0.0.0.0 accepts other machines.")
@click.option("--port", type=PORT, default=8000, show_default=True, help="Port.")
@click.option("--public-url", default="", help="Public address of the server, for judges' links.")
@click.option(
    "--allowed-host", "hosts", multiple=True, metavar="NAME", help="Host name that the server accepts; repeatable."
)
@click.option("--root-path", default="", help="URL prefix, behind a proxy.")
@click.option(
    "--trusted-proxies", default="127.0.0.1", show_default=True, help="Proxies whose forwarded headers are trusted."
)
@click.option(
    "--backup-every", "hours", type=NumberRange(0, 8784), default=0.0, help="Hours between backups (0: never)."
)
@click.option("--backup-folder", "folder", type=PATH, help="Folder for backups (default: next to the store).")
@click.option(
    "--backup-keep", "keep", type=click.IntRange(1), default=14, show_default=True, help="Number of backups to keep."
)
@click.option("--log", "level", type=click.Choice(LOG_LEVELS), default="problems", show_default=True, help="Log level.")
@click.option("--webhooks-inside", is_flag=True, help="Allow webhooks to addresses in the local network.")
@click.option(
    "--model-server",
    "model_servers",
    multiple=True,
    metavar="URL",
    help="Allow owners to run models of this server from a page; repeatable.",
)
@store_option
def serve(host: str, port: int, public_url: str, root_path: str, **options: Any) -> None:
    """Serve until Ctrl+C. On first use it prints a link for the first organiser to sign up. Logs go to standard error,
    one JSON object per line, without names, addresses or secrets.

    Example: lanner serve --port 8080 --public-url https://judge.example.org --backup-every 24
    """
    if public_url:
        public_url = check_public_url(public_url)
        root_path = root_path or urlsplit(public_url).path
    if not is_own(host):
        raise LannerError(
            f"{host[:200]!r} is no address of this machine.",
            next_step="Use 127.0.0.1 (only this machine), or 0.0.0.0 (other machines too).",
        )
    if not is_free(host, port):
        raise LannerError(
            f"Port {port} is taken.",
            next_step=f"Stop what runs there (a demo?), or choose another: lanner serve --port {port + 1}\n"
            "Judges' links name a port, too: `lanner links CAMPAIGN --base-url …` makes new ones.",
        )
    address = {"host": host, "port": port, "public_url": public_url, "root_path": root_path}
    answer("operation.serve_pages", address | options)


@about_campaign("promote", "List items promoted to a later stage, and assign them.")
@click.option("--page", required=True, help="The page of the later stage, for instance phase_two.")
@click.option("--drop", default="", help="Skip these items: DOCUMENT/SEGMENT, comma-separated.")
@click.option("--drop-first", is_flag=True, help="Skip items at the start of their document.")
@click.option("--assign", "assigning", is_flag=True, help="Assign the items (default: only list them).")
def promote(**options: Any) -> None:
    """List items that enough judges marked for a later stage, with their text and whether any text precedes them, and
    assign them with --assign. More context cannot help where the source is incomplete or comes first.

    Example: lanner promote survey --page phase_two --drop "reviews/12" --drop-first --assign
    """
    answer_from_store("campaign.run_promote", options)


@about_campaign("guidelines", "Print the guidelines, with examples from a campaign's own decisions.")
@click.option("--out", type=PATH, help="Write them here: a file ending in .md, or .html for print.")
@click.option("--language", default="en", show_default=True, help="Language of the protocol's words.")
def guidelines(**options: Any) -> None:
    """Print the guidelines of a campaign as they stand: instructions, every definition, notes added while it runs, and
    each settled disagreement as a worked example. The version goes up with every note and decision, so that two prints
    can be told apart.

    Example: lanner guidelines pilot --out pilot-guidelines.html
    """
    answer_from_store("documents.run_guidelines", options)


@click.command("export", short_help="Export judgements as CSV, JSONL or Parquet, or for another tool.")
@click.argument("source", metavar="FILE_OR_CAMPAIGN", shell_complete=complete_source)
@click.option("--out", type=PATH, required=True, help="Output file: .csv, .jsonl or .parquet.")
@click.option(
    "--to",
    "to_format",
    shell_complete=complete_format,
    callback=known_format,
    help="Write another tool's format instead of a tidy table (see `lanner formats`).",
)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of that format; repeatable.")
@click.option("--texts", "texts_only", is_flag=True, help="Write only the texts, in the format of --to.")
@click.option("--counted", is_flag=True, help="Only rows that count in results: main items, no excluded judges.")
@click.option("--identified", is_flag=True, help="Use judges' own ids (default: people are pseudonymised).")
@from_option
@protocol_option
@store_option
@json_option
@reads_files("protocol")
def export(**options: Any) -> None:
    """Write all current judgements, with a codebook that explains every column and value. People in a campaign are
    pseudonymised (judge-7), consistently across exports. With --texts only the texts are written, which converts one
    file format to another (see `lanner formats`).

    Example: lanner export pilot --out pilot.csv
    """
    refuse_missing(options["source"], options["store_place"])
    refuse_reading(options["source"])
    if options["texts_only"]:
        refuse_unused("with --texts, which nobody has judged", "--counted", "--identified", "--missing", "--protocol")
    if Path(options["source"]).exists():
        refuse_unused("with a file, whose judges keep the names they have there", "--identified")
    implementation("file_check").check_format(options["source"], options["format_name"])
    answer("documents.run_export", options)
