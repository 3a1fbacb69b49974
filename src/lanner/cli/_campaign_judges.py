"""`lanner campaign`, what is about judges: adding and replacing them, their links, what they may judge again."""

from __future__ import annotations

from lanner import campaign
from lanner.cli._judges import judges_from
from lanner.cli._options import names
from lanner.cli._output import Output
from lanner.errors import CampaignError, LannerError
from lanner.store import Store


def add_judges(name: str, judges: str, base_url: str, store_place: str, as_json: bool) -> None:
    """Add judges: a number, comma-separated names, or a CSV file."""
    output = Output("campaign add-judges", as_json)
    with Store.open(store_place, create=False) as store:
        people = judges_from(judges)
        campaign.add_judges(store, name, people)
        rows = [
            {"judge": p.id, "link": f"{base_url}/j/{campaign.invitations.issue(store, name, p.id)}"} for p in people
        ]
    output.table(rows)
    output.end()


def replace_judge(name: str, leaving: str, coming: str, base_url: str, store_place: str, as_json: bool) -> None:
    """Hand over unfinished tasks to a new judge."""
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


def remove_judge(name: str, judge: str, store_place: str, as_json: bool) -> None:
    """Remove a judge who has answered nothing, with the link and the tasks."""
    with Store.open(store_place, create=False) as store:
        campaign.remove_judge(store, name, judge)
    _confirm("campaign remove-judge", judge, f"{judge} is removed from {name}.", as_json)


def reopen(name: str, judge: str, document: str, page: str | None, store_place: str, as_json: bool) -> None:
    """Reopen a finished document for a judge."""
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


def add_overlap(name: str, judges: str, documents: str, store_place: str, as_json: bool) -> None:
    """Assign more documents, so that more items have several judges and intervals narrow."""
    output = Output("campaign add-overlap", as_json)
    with Store.open(store_place, create=False) as store:
        number = campaign.add_overlap(store, name, names(judges), names(documents))
    output.rows.append({"name": name, "tasks": number})
    output.say(f"{number} tasks were assigned.")
    output.end()


def leave_out(name: str, judge: str, reason: str, store_place: str, as_json: bool) -> None:
    """Exclude a judge from all results: agreement, scores, effort, verdict, report."""
    output = Output("campaign leave-out", as_json)
    with Store.open(store_place, create=False) as store:
        campaign.leave_out(store, name, judge, reason)
    output.rows.append({"judge": judge, "reason": reason})
    output.say(f"{judge} counts in no result. To take it back: lanner campaign count-again {name} {judge}")
    output.end()


def count_again(name: str, judge: str, store_place: str, as_json: bool) -> None:
    """Include a judge again who was excluded from the results."""
    with Store.open(store_place, create=False) as store:
        campaign.count_again(store, name, judge)
    _confirm("campaign count-again", judge, f"{judge} counts again.", as_json)


def revoke(name: str, judge: str, store_place: str, as_json: bool) -> None:
    """Revoke a judge's link at once."""
    with Store.open(store_place, create=False) as store:
        campaign.invitations.revoke(store, name, judge)
    _confirm("campaign revoke", judge, f"The link of {judge} works no more.", as_json)


def forget(name: str, judge: str, answers: bool, typed: str | None, store_place: str, as_json: bool) -> None:
    """Erase a judge's identity and keep the answers under a pseudonym, or delete the answers too."""
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
