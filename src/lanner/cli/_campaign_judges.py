"""`lanner campaign`, what is about judges: adding and replacing them, their links, what they may judge again."""

from __future__ import annotations

import click

from lanner import campaign
from lanner.cli._judges import judges_from
from lanner.cli._options import names, store_option
from lanner.cli._output import Output, json_option
from lanner.errors import CampaignError, LannerError
from lanner.store import Store


@click.command("add-judges", short_help="Add judges to a campaign, with their links.")
@click.argument("name")
@click.argument("judges")
@click.option(
    "--base-url", default="http://127.0.0.1:8000", show_default=True, help="Address of the server, for the links."
)
@store_option
@json_option
def add_judges(name: str, judges: str, base_url: str, store_place: str, as_json: bool) -> None:
    """Add judges: a number, comma-separated names, or a CSV file. Existing assignments do not change.

    Example: lanner campaign add-judges pilot "Cleo, Dae"
    """
    output = Output("campaign add-judges", as_json)
    with Store.open(store_place, create=False) as store:
        people = judges_from(judges)
        campaign.add_judges(store, name, people)
        rows = [
            {"judge": p.id, "link": f"{base_url}/j/{campaign.invitations.issue(store, name, p.id)}"} for p in people
        ]
    output.table(rows)
    output.end()


@click.command("replace-judge", short_help="Hand over a judge's unfinished tasks to someone else.")
@click.argument("name")
@click.argument("leaving")
@click.argument("coming")
@click.option(
    "--base-url", default="http://127.0.0.1:8000", show_default=True, help="Address of the server, for the links."
)
@store_option
@json_option
def replace_judge(name: str, leaving: str, coming: str, base_url: str, store_place: str, as_json: bool) -> None:
    """Hand over unfinished tasks to a new judge. Answers already given stay with the leaving judge; that link stops
    working.

    Example: lanner campaign replace-judge pilot ana "Cleo"
    """
    output = Output("campaign replace-judge", as_json)
    someone = judges_from(coming)
    if len(someone) != 1:
        raise LannerError(f"{coming!r} are {len(someone)} judges.", next_step="Name the one who takes over.")
    with Store.open(store_place, create=False) as store:
        number = campaign.replace_judge(store, name, leaving, someone[0])
        link = f"{base_url}/j/{campaign.invitations.issue(store, name, someone[0].id)}"
    output.rows.append({"leaving": leaving, "judge": someone[0].id, "tasks": number, "link": link})
    output.say(f"{someone[0].id} takes over {number} tasks of {leaving}: {link}")
    output.end()


@click.command("remove-judge", short_help="Remove a judge who has answered nothing.")
@click.argument("name")
@click.argument("judge")
@store_option
@json_option
def remove_judge(name: str, judge: str, store_place: str, as_json: bool) -> None:
    """Remove a judge who has answered nothing, with the link and the tasks. Someone who has answered can be left out of
    the results, replaced or forgotten instead.

    Example: lanner campaign remove-judge pilot ana
    """
    with Store.open(store_place, create=False) as store:
        campaign.remove_judge(store, name, judge)
    _confirm("campaign remove-judge", judge, f"{judge} is removed from {name}.", as_json)


@click.command("reopen", short_help="Reopen a finished document for a judge.")
@click.argument("name")
@click.argument("judge")
@click.argument("document")
@click.option("--page", help="Only this page of the protocol.")
@store_option
@json_option
def reopen(name: str, judge: str, document: str, page: str | None, store_place: str, as_json: bool) -> None:
    """Reopen a finished document for a judge. Answers are kept; changes supersede them.

    Example: lanner campaign reopen pilot ana d1
    """
    output = Output("campaign reopen", as_json)
    with Store.open(store_place, create=False) as store:
        tasks = [task for task in campaign.tasks(store, name, judge) if document in {i.document for i in task.items}]
        tasks_done = [task for task in tasks if task.finished_at is not None and page in (None, task.page)]
        if not tasks_done:
            raise CampaignError(
                f"{judge} has no finished task about {document!r}.",
                code="not_finished",
                next_step=f"`lanner campaign show {name} --by document` shows what is done.",
            )
        for task in tasks_done:
            campaign.reopen_task(store, task.id)
    output.rows.extend(
        {"judge": judge, "document": document, "page": task.page, "task": task.id} for task in tasks_done
    )
    output.say(f"{judge} can go on with {document}.")
    output.end()


@click.command("add-overlap", short_help="Assign more documents to judges, for more overlap.")
@click.argument("name")
@click.option("--judges", required=True, metavar="NAMES", help="Judges, comma-separated.")
@click.option("--documents", required=True, metavar="IDS", help="Documents, comma-separated.")
@store_option
@json_option
def add_overlap(name: str, judges: str, documents: str, store_place: str, as_json: bool) -> None:
    """Assign more documents, so that more items have several judges and intervals narrow. `lanner campaign check`
    estimates how many are needed.

    Example: lanner campaign add-overlap pilot --judges "ana, ben" --documents "d4, d5"
    """
    output = Output("campaign add-overlap", as_json)
    with Store.open(store_place, create=False) as store:
        number = campaign.add_overlap(store, name, names(judges), names(documents))
    output.rows.append({"name": name, "tasks": number})
    output.say(f"{number} tasks were assigned.")
    output.end()


@click.command("leave-out", short_help="Exclude a judge from all results.")
@click.argument("name")
@click.argument("judge")
@click.option("--reason", required=True, help="The reason, which reports state.")
@store_option
@json_option
def leave_out(name: str, judge: str, reason: str, store_place: str, as_json: bool) -> None:
    """Exclude a judge from all results: agreement, scores, effort, verdict, report. Nothing is deleted;
    `lanner campaign count-again` undoes it.

    Example: lanner campaign leave-out pilot ana --reason "missed 11 of 12 controls"
    """
    output = Output("campaign leave-out", as_json)
    with Store.open(store_place, create=False) as store:
        campaign.leave_out(store, name, judge, reason)
    output.rows.append({"judge": judge, "reason": reason})
    output.say(f"{judge} counts in no result. To take it back: lanner campaign count-again {name} {judge}")
    output.end()


@click.command("count-again", short_help="Include an excluded judge again.")
@click.argument("name")
@click.argument("judge")
@store_option
@json_option
def count_again(name: str, judge: str, store_place: str, as_json: bool) -> None:
    """Include a judge again who was excluded from the results.

    Example: lanner campaign count-again pilot ana
    """
    with Store.open(store_place, create=False) as store:
        campaign.count_again(store, name, judge)
    _confirm("campaign count-again", judge, f"{judge} counts again.", as_json)


@click.command("revoke", short_help="Revoke a judge's link.")
@click.argument("name")
@click.argument("judge")
@store_option
@json_option
def revoke(name: str, judge: str, store_place: str, as_json: bool) -> None:
    """Revoke a judge's link at once. Answers are kept; `lanner links` issues a new link.

    Example: lanner campaign revoke pilot ana
    """
    with Store.open(store_place, create=False) as store:
        campaign.invitations.revoke(store, name, judge)
    _confirm("campaign revoke", judge, f"The link of {judge} works no more.", as_json)


@click.command("forget", short_help="Erase a judge's identity, optionally with all answers.")
@click.argument("name")
@click.argument("judge")
@click.option("--answers", is_flag=True, help="Delete all answers too: the judge withdraws.")
@click.option("--typed", metavar="ID", help="The judge's id again, as confirmation; prompted for if missing.")
@store_option
@json_option
def forget(name: str, judge: str, answers: bool, typed: str | None, store_place: str, as_json: bool) -> None:
    """Erase a judge's identity and keep the answers under a pseudonym, or delete the answers too. Cannot be undone.

    Example: lanner campaign forget pilot ana --typed ana
    """
    output = Output("campaign forget", as_json)
    typed_out(typed, judge, "the judge's id")
    with Store.open(store_place, create=False) as store:
        if answers:
            number = campaign.withdraw(store, name, judge)
            output.rows.append({"judge": judge, "deleted": number})
            output.say(f"{judge} and {number} answers are gone.")
        else:
            pseudonym = campaign.erase(store, name, judge)
            output.rows.append({"judge": judge, "called": pseudonym})
            output.say(f"{judge} is now called {pseudonym}.")
    output.end()


def typed_out(typed: str | None, name: str, what: str) -> None:
    """Refuse what cannot be undone unless its name was written out."""
    if typed != name:
        raise LannerError(
            f"Nothing was changed: this cannot be undone, so {what} has to be written once more.",
            next_step=f"Add: --typed {name!r}",
        )


def _confirm(command: str, judge: str, sentence: str, as_json: bool) -> None:
    """Say that something was done about a judge."""
    output = Output(command, as_json)
    output.rows.append({"judge": judge})
    output.say(sentence)
    output.end()
