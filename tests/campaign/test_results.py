from __future__ import annotations

from campaign_parts import first_task, opened, save
from lanner import campaign
from lanner.store import Store


def test_judgements_history_and_what_they_are_about(store: Store) -> None:
    opened(store)
    opened(store, name="second")
    task = first_task(store)
    save(store, task, 0)
    save(store, task, 0, {"holistic": 2})
    save(store, task, 0, {"holistic": 3})
    held = campaign.judgements(store, "first")
    assert [j.value for j in held if j.question == "holistic"] == [3]
    assert [j.value for j in campaign.history(store, "first", question="holistic")][1:] == [2, 3]
    last = max(j.id or 0 for j in held)
    assert [j.id for j in campaign.judgements(store, "first", after=last - 1)] == [last]
    assert campaign.history(store, "first", segment="99") == [] == campaign.judgements(store, "second")
    assert [c.name for c in campaign.campaigns(store)] == ["second", "first"]
    assert [seat.judge for seat in campaign.seats(store, "first")] == campaign.judges(store, "first")
