from __future__ import annotations

from lanner import campaign
from lanner.store import Store
from lanner.web.organising.log import describe_event
from web_clients import open_campaign


def test_everything_that_can_be_done_has_words(store: Store) -> None:
    open_campaign(store)
    campaign.pause(store, "trial")
    campaign.reopen(store, "trial")
    campaign.configure(store, "trial", settings={"hourly_rate": 40})
    campaign.add_overlap(store, "trial", ["J1"], ["doc0"])
    with store.writing() as tx:
        tx.events.add("settled", campaign.now(), campaign=1, note="Acronyms.")
        tx.events.add("something_new", campaign.now(), campaign=1)
    said = [describe_event(event) for event in campaign.events(store, "trial")]
    assert said[0].startswith("Made, with")
    assert said[1:5] == ["Opened", "Paused", "Went on", "Settings changed: Pay per active hour"]
    assert said[-2:] == ["A disagreement was settled: Acronyms.", "Something new"]
