"""`lanner promote`: which units go on to a later stage, listed for the organiser to confirm, then assigned."""

from __future__ import annotations

import click
import numpy as np

from lanner import campaign
from lanner.cli._output import Output, json_option
from lanner.cli._source import store_option
from lanner.designs.promoting import promote
from lanner.errors import CampaignError, did_you_mean
from lanner.figures.typeset import percent
from lanner.model import Protocol, Stage
from lanner.protocols.promotion import promoted, standings
from lanner.store import Store


@click.command("promote", short_help="List what goes on to a later stage, and assign it.")
@click.argument("name", metavar="CAMPAIGN")
@click.option("--page", required=True, help="The page of the later stage, for instance phase_two.")
@click.option("--drop", default="", help="Leave these out, as DOCUMENT/SEGMENT with commas between.")
@click.option("--assign", "assigning", is_flag=True, help="Assign them; without it they are only listed.")
@store_option
@json_option
def command(name: str, page: str, drop: str, assigning: bool, store_place: str, as_json: bool) -> None:
    """List the units that enough judges answered so that they go on, and assign them once the list is confirmed.

    Example: lanner promote survey --page phase_two --drop "reviews/12" --assign
    """
    output = Output("promote", as_json)
    left_out = {entry.strip() for entry in drop.split(",") if entry.strip()}
    with Store.open(store_place, create=False) as store:
        found, protocol = campaign.get(store, name), campaign.protocol(store, name)
        stage = _stage(protocol, page)
        judges, documents = campaign.judges(store, name), campaign.documents(store, name)
        assert stage.promotion is not None
        standing = standings(stage.promotion, campaign.judgements(store, name), judges)
        going = [s for s in standing if s.promoted and f"{s.document}/{s.segment}" not in left_out]
        rows = [
            {"unit": f"{s.document}/{s.segment}", "group": s.group, "given": f"{s.votes} of {s.judges}"} for s in going
        ]
        output.table(rows)
        output.say(f"{len(going)} of {len(standing)} units go on (more than {percent(stage.promotion.more_than, 0)}).")
        if assigning and going:
            systems = list(dict.fromkeys(system for document in documents for system in document.systems))
            rng = np.random.default_rng([found.seed, 2])
            tasks = promote(page, promoted(going), documents, judges, protocol, rng=rng, systems=systems)
            number = campaign.assign(store, name, tasks)
            output.say(f"{number} tasks were assigned.", style="bold")
        elif going:
            output.say("Look through the list; leave units out with --drop, then add --assign.")
    output.end()


def _stage(protocol: Protocol, page: str) -> Stage:
    pages = {stage.page_id: stage for stage in protocol.stages if stage.promotion}
    if page not in pages:
        hint = did_you_mean(page, pages) or "No stage of this protocol is reached by promotion."
        raise CampaignError(f"Nothing is promoted to a page {page!r}.", code="no_promotion", next_step=hint)
    return pages[page]
