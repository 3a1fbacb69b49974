"""`lanner campaign`, what is about judges: adding and replacing them, their links, what they may judge again."""

from __future__ import annotations

import click

from lanner import campaign
from lanner.cli._judges import judges_from
from lanner.cli._output import Output, json_option
from lanner.cli._source import names, store_option
from lanner.errors import CampaignError, LannerError
from lanner.store import Store


@click.command("add-judges", short_help="Add judges to a campaign, with their links.")
@click.argument("name")
@click.argument("judges")
@click.option("--base-url", default="http://127.0.0.1:8000", show_default=True, help="Where it is served.")
@store_option
@json_option
def add_judges(name: str, judges: str, base_url: str, store_place: str, as_json: bool) -> None:
    """Add judges: how many, their names with commas between, or a CSV file. What others have stays as it is.

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


@click.command("replace-judge", short_help="Someone else takes over what a judge has not finished.")
@click.argument("name")
@click.argument("leaving")
@click.argument("coming")
@click.option("--base-url", default="http://127.0.0.1:8000", show_default=True, help="Where it is served.")
@store_option
@json_option
def replace_judge(name: str, leaving: str, coming: str, base_url: str, store_place: str, as_json: bool) -> None:
    """Let someone else take over. What the one who leaves has answered stays theirs; their link stops working.

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
    output = Output("campaign remove-judge", as_json)
    with Store.open(store_place, create=False) as store:
        campaign.remove_judge(store, name, judge)
    output.rows.append({"judge": judge})
    output.say(f"{judge} is removed from {name}.")
    output.end()


@click.command("reopen", short_help="Let a judge go on with a document they finished.")
@click.argument("name")
@click.argument("judge")
@click.argument("document")
@click.option("--page", help="Only on this page of the protocol.")
@store_option
@json_option
def reopen(name: str, judge: str, document: str, page: str | None, store_place: str, as_json: bool) -> None:
    """Let a judge go on with a document they have finished. Their answers stay; a change supersedes.

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


@click.command("add-overlap", short_help="Give judges documents they do not have yet.")
@click.argument("name")
@click.option("--judges", required=True, metavar="NAMES", help="Whom, with commas between.")
@click.option("--documents", required=True, metavar="IDS", help="Which documents, with commas between.")
@store_option
@json_option
def add_overlap(name: str, judges: str, documents: str, store_place: str, as_json: bool) -> None:
    """Give judges more documents, so that more is judged by several and intervals narrow. `lanner campaign check` says
    how many documents it takes.

    Example: lanner campaign add-overlap pilot --judges "ana, ben" --documents "d4, d5"
    """
    output = Output("campaign add-overlap", as_json)
    with Store.open(store_place, create=False) as store:
        number = campaign.add_overlap(store, name, names(judges), names(documents))
    output.rows.append({"name": name, "tasks": number})
    output.say(f"{number} tasks were assigned.")
    output.end()


@click.command("leave-out", short_help="Count a judge in no result, for a reason.")
@click.argument("name")
@click.argument("judge")
@click.option("--reason", required=True, help="Why; reports state it.")
@store_option
@json_option
def leave_out(name: str, judge: str, reason: str, store_place: str, as_json: bool) -> None:
    """Leave a judge out of every result: agreement, scores, effort, verdict, report. Nothing is deleted; `lanner
    campaign count-again` takes it back.

    Example: lanner campaign leave-out pilot ana --reason "missed 11 of 12 controls"
    """
    output = Output("campaign leave-out", as_json)
    with Store.open(store_place, create=False) as store:
        campaign.leave_out(store, name, judge, reason)
    output.rows.append({"judge": judge, "reason": reason})
    output.say(f"{judge} counts in no result. To take it back: lanner campaign count-again {name} {judge}")
    output.end()


@click.command("count-again", short_help="Count a judge who was left out.")
@click.argument("name")
@click.argument("judge")
@store_option
@json_option
def count_again(name: str, judge: str, store_place: str, as_json: bool) -> None:
    """Count a judge again who was left out of the results.

    Example: lanner campaign count-again pilot ana
    """
    output = Output("campaign count-again", as_json)
    with Store.open(store_place, create=False) as store:
        campaign.count_again(store, name, judge)
    output.rows.append({"judge": judge})
    output.say(f"{judge} counts again.")
    output.end()


@click.command("revoke", short_help="Let a judge's link open nothing any more.")
@click.argument("name")
@click.argument("judge")
@store_option
@json_option
def revoke(name: str, judge: str, store_place: str, as_json: bool) -> None:
    """Let a judge's link open nothing any more, at once. Their answers stay; `lanner links` makes a new link.

    Example: lanner campaign revoke pilot ana
    """
    output = Output("campaign revoke", as_json)
    with Store.open(store_place, create=False) as store:
        campaign.invitations.revoke(store, name, judge)
    output.rows.append({"judge": judge})
    output.say(f"The link of {judge} works no more.")
    output.end()


@click.command("forget", short_help="Erase who a judge was, or all they answered too.")
@click.argument("name")
@click.argument("judge")
@click.option("--answers", is_flag=True, help="Everything they answered too: they withdraw.")
@click.option("--typed", metavar="ID", help="The judge's id once more; asked for where it is not given.")
@store_option
@json_option
def forget(name: str, judge: str, answers: bool, typed: str | None, store_place: str, as_json: bool) -> None:
    """Erase who a judge was and keep the answers under a name that says nothing; or delete the answers too. Neither
    can be undone.

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
