"""Declarations of the commands that plan, create, serve and export a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from lanner.cli.early_checks import refuse_missing, refuse_unknown_campaign
from lanner.cli.options import (
    PORT,
    SEED,
    Detail,
    RenamedOption,
    after_option,
    before_option,
    complete_campaign,
    complete_format,
    complete_protocol,
    complete_source,
    contexts_option,
    from_option,
    implementation,
    json_option,
    known_format,
    known_name,
    known_protocol,
    optional_source_options,
    protocol_option,
    reads_files,
    set_option,
    settings_option,
    store_option,
)
from lanner.errors import LannerError
from lanner.web.addresses import check_public_url, is_free, is_own

if TYPE_CHECKING:
    from lanner.cli.source import Source


@click.command("design", short_help="Preview a campaign: assignments, hours, cost, overlap.")
@click.option("--texts", type=click.Path(path_type=Path), help="A file or folder in any known format.")
@click.option(
    "--protocol",
    shell_complete=complete_protocol,
    callback=known_protocol,
    help="A protocol by name, or a TOML file.",
)
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
@click.option("--systems", help="Only these systems, comma-separated.")
@settings_option
@before_option
@after_option
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
@click.option("--rate", type=float, help="Cost of an hour.")
@from_option
@json_option
@reads_files("texts", "protocol")
def design(**options: Any) -> None:
    """Preview the assignments of a campaign. Without --texts and --protocol, list the designs and their options.

    Example: lanner design --texts my.jsonl --protocol da --judges 4 --design batches --option judges_per_document=2
    """
    implementation("file_check").check_texts(options["texts"], options["format_name"])
    implementation("new").run_design(**options)


PLAN_DETAILS = {
    "systems": Detail(int, "number of systems (as in the pilot, or 2)"),
    "power": Detail(float, "for the smallest detectable difference (0.8)", 0.8),
    "extra": Detail(int, "judgements to add (as many again)"),
    "minutes": Detail(float, "per judgement, for hours and cost"),
    "rate": Detail(float, "cost of an hour of judging"),
    "studies": Detail(int, "simulated studies (2000)", 2000),
    "goal": Detail(str, "of an adaptive campaign, compared with the fixed one: best, better:A,B, … (rank)", "rank"),
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
@click.option("--difference", type=float, help="A true difference between two systems; prints the power to detect it.")
@click.option("--other-judges", is_flag=True, help="Generalise to other judges, not only these.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
@set_option(PLAN_DETAILS)
@optional_source_options
def plan(source: Source, **options: Any) -> None:
    """Simulate studies from a pilot or from released ratings, and report what each design could detect.

    The first design is also compared with an adaptive campaign, which ends when its goal is reached. With --like and a
    campaign or file that only metrics or models have rated, these say which systems are close to each other; texts
    alone say how many documents, sentences and systems there are.

    Example: lanner plan pilot --question score --documents 20,40,80 --difference 3
    """
    implementation("plan").run(source, **options)


NEW_DETAILS = {
    "title": Detail(str, "that judges see", ""),
    "published": Detail(bool, "true: the wording of the protocol's paper", False),
    "before": Detail(str, "questionnaires before the tasks, comma-separated", ""),
    "after": Detail(str, "questionnaires after the tasks, comma-separated", ""),
    "prefill": Detail(str, "MODEL@SOURCE: judges start from the marks of a model in another campaign or a file"),
    "unassisted": Detail(
        click.FloatRange(0, 1, max_open=True), "share of each system's documents judged without these marks (0.2)"
    ),
    "budget": Detail(int, "how many judgements an adaptive campaign may cost (all)"),
}


@click.command("new", short_help="Create a campaign and its judges' links.")
@click.argument("name", required=False)
@click.option(
    "--texts",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A file or folder in any known format; repeatable (--texts src.en --texts hyp.de).",
)
@click.option(
    "--protocol",
    shell_complete=complete_protocol,
    callback=known_protocol,
    help="A protocol by name, or a TOML file.",
)
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
@click.option("--systems", help="Only these systems, comma-separated.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Same seed, same tasks.")
@settings_option
@set_option(NEW_DETAILS)
@click.option("--draft", is_flag=True, help="Create a draft, which can still be changed, instead of opening it.")
@click.option(
    "--base-url", default="http://127.0.0.1:8000", show_default=True, help="Address of the server, for the links."
)
@from_option
@store_option
@json_option
@reads_files("texts", "protocol")
def new(**options: Any) -> None:
    """Create a campaign. Missing options are prompted for.

    Example: lanner new pilot --texts my.csv --protocol h_falcon --judges "Ana, Ben"
    """
    implementation("file_check").check_texts(options["texts"], options["format_name"])
    implementation("new").run_new(**options)


@click.command("links", short_help="Issue new judge links; old ones stop working.")
@click.argument("name", metavar="CAMPAIGN", shell_complete=complete_campaign)
@click.option("--judge", "judges", multiple=True, help="Only this judge; repeatable (default: all people).")
@click.option(
    "--base-url", default="http://127.0.0.1:8000", show_default=True, help="Address of the server, for the links."
)
@store_option
@click.option("--show", is_flag=True, help="Print the current links; nothing changes.")
@json_option
def links(name: str, store_place: str, **options: Any) -> None:
    """Issue new links; the old ones stop working. With --show, print the current links. The store keeps only hashes;
    the links are derived again from a key file next to it (or from LANNER_LINK_KEY).

    Example: lanner links pilot --judge ana --show
    """
    refuse_unknown_campaign(name, store_place)
    implementation("campaign_judges").run_links(name, store_place=store_place, **options)


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
    "--backup-every", "hours", type=click.FloatRange(0), default=0.0, help="Hours between backups (0: never)."
)
@click.option(
    "--backup-folder",
    "folder",
    type=click.Path(path_type=Path),
    help="Folder for backups (default: next to the store).",
)
@click.option(
    "--backup-keep", "keep", type=click.IntRange(1), default=14, show_default=True, help="Number of backups to keep."
)
@click.option(
    "--log",
    "level",
    type=click.Choice(LOG_LEVELS),
    default="problems",
    show_default=True,
    help="Log level.",
)
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
    implementation("operation").serve_pages(host, port, public_url, root_path=root_path, **options)


@click.command("promote", short_help="List items promoted to a later stage, and assign them.")
@click.argument("name", metavar="CAMPAIGN", shell_complete=complete_campaign)
@click.option("--page", required=True, help="The page of the later stage, for instance phase_two.")
@click.option("--drop", default="", help="Skip these items: DOCUMENT/SEGMENT, comma-separated.")
@click.option("--drop-first", is_flag=True, help="Skip items at the start of their document.")
@click.option("--assign", "assigning", is_flag=True, help="Assign the items (default: only list them).")
@store_option
@json_option
def promote(name: str, store_place: str, **options: Any) -> None:
    """List items that enough judges marked for a later stage, with their text and whether any text precedes them, and
    assign them with --assign. More context cannot help where the source is incomplete or comes first.

    Example: lanner promote survey --page phase_two --drop "reviews/12" --drop-first --assign
    """
    refuse_unknown_campaign(name, store_place)
    implementation("campaign").run_promote(name, store_place=store_place, **options)


@click.command("guidelines", short_help="A campaign's guidelines, with examples from its own decisions.")
@click.argument("name", metavar="CAMPAIGN", shell_complete=complete_campaign)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write them here: a file ending in .md, or .html for print."
)
@click.option("--language", default="en", show_default=True, help="Language of the protocol's words.")
@store_option
@json_option
def guidelines(name: str, store_place: str, **options: Any) -> None:
    """Print the guidelines of a campaign as they stand: instructions, every definition, notes added while it runs, and
    each settled disagreement as a worked example. The version goes up with every note and decision, so that two prints
    can be told apart.

    Example: lanner guidelines pilot --out pilot-guidelines.html
    """
    refuse_unknown_campaign(name, store_place)
    implementation("documents").run_guidelines(name, store_place=store_place, **options)


@click.command("export", short_help="Export judgements as CSV, JSONL or Parquet, or for another tool.")
@click.argument("source", metavar="FILE_OR_CAMPAIGN", shell_complete=complete_source)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Output file: .csv, .jsonl or .parquet.")
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
def export(source: str, store_place: str, **options: Any) -> None:
    """Write all current judgements, with a codebook that explains every column and value. People in a campaign are
    pseudonymised (judge-7), consistently across exports. With --texts only the texts are written, which converts one
    file format to another (see `lanner formats`).

    Example: lanner export pilot --out pilot.csv
    """
    refuse_missing(source, store_place)
    implementation("file_check").check_format(source, options["format_name"])
    implementation("documents").run_export(source, store_place=store_place, **options)
