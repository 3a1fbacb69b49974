"""`lanner promote`: which units go on to a later stage, listed for the organiser to confirm, then assigned."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lanner import campaign
from lanner.cli._output import Output
from lanner.designs.promoting import promote
from lanner.errors import CampaignError, InputError, did_you_mean
from lanner.figures.typeset import percent
from lanner.model import Protocol, Stage
from lanner.protocols.promotion import promoted, standings
from lanner.store import Store


def run(name: str, page: str, drop: str, drop_first: bool, assigning: bool, store_place: str, as_json: bool) -> None:
    """List items that enough judges marked for a later stage, with their text and whether any text precedes them, and
    assign them with --assign. More context cannot help where the source is incomplete or comes first."""
    output = Output("promote", as_json)
    left_out = {entry.strip() for entry in drop.split(",") if entry.strip()}
    with Store.open(store_place, create=False) as store:
        entry, protocol = campaign.get(store, name), campaign.protocol(store, name)
        stage = _stage(protocol, page)
        judges, documents = campaign.judges(store, name), campaign.documents(store, name)
        assert stage.promotion is not None
        standing = standings(stage.promotion, campaign.judgements(store, name), judges)
        texts = {(d.id, segment.id): (segment.source, place) for d in documents for place, segment in enumerate(d)}
        _refuse_unknown(left_out, texts)
        going = [
            s
            for s in standing
            if s.promoted
            and f"{s.document}/{s.segment}" not in left_out
            and not (drop_first and texts.get((s.document, s.segment), ("", 0))[1] == 0)
        ]
        rows = [
            {
                "unit": f"{s.document}/{s.segment}",
                "group": s.group,
                "given": f"{s.votes} of {s.judges}",
                "sentences before": texts.get((s.document, s.segment), ("", 0))[1],
                "sentence": texts.get((s.document, s.segment), ("", 0))[0],
            }
            for s in going
        ]
        output.table(rows)
        first = sum(row["sentences before"] == 0 for row in rows)
        if first:
            output.say(f"{first} have nothing before them; --drop-first leaves them out.")
        output.say(f"{len(going)} of {len(standing)} units go on (more than {percent(stage.promotion.more_than, 0)}).")
        if assigning and going:
            systems = list(dict.fromkeys(system for document in documents for system in document.systems))
            rng = np.random.default_rng([entry.seed, 2])
            people = campaign.working_judges(store, name)
            tasks = promote(page, promoted(going), documents, people, protocol, rng=rng, systems=systems)
            number = campaign.assign(store, name, tasks)
            output.say(f"{number} tasks were assigned.", style="bold")
        elif going:
            output.say("Look through the list; leave units out with --drop, then add --assign.")
    output.end()


def _refuse_unknown(units: set[str], texts: Mapping[tuple[str, str], object]) -> None:
    known = {f"{document}/{segment}" for document, segment in texts}
    for unit in units - known:
        raise InputError(f"There is no unit {unit!r} to drop.", next_step=did_you_mean(unit, known))


def _stage(protocol: Protocol, page: str) -> Stage:
    pages = {stage.page_id: stage for stage in protocol.stages if stage.promotion}
    if page not in pages:
        hint = did_you_mean(page, pages) or "No stage of this protocol is reached by promotion."
        raise CampaignError(f"Nothing is promoted to a page {page!r}.", code="unknown_page", next_step=hint)
    return pages[page]
