from __future__ import annotations

from lanner import campaign
from lanner.store import AccountRole, Store
from lanner.web.organising.log import describe_event, log_lines
from web_clients import open_campaign


def test_everything_that_can_be_done_has_words(store: Store) -> None:
    open_campaign(store)
    campaign.pause(store, "trial")
    campaign.reopen(store, "trial")
    campaign.add_overlap(store, "trial", ["J1"], ["doc0"])
    with store.writing() as tx:
        tx.events.add("settled", campaign.now(), campaign=1, document="doc0", segment="2", note="Acronyms.")
        tx.events.add("something_new", campaign.now(), campaign=1)
    words = [describe_event(event) for event in campaign.events(store, "trial")]
    assert words[0].startswith("Made, with")
    assert words[1:4] == ["Opened", "Paused", "Went on"]
    assert words[-2:] == ["A disagreement was settled (doc0, 2): Acronyms.", "Something new"]


def test_each_change_is_a_line_with_who_before_and_after(store: Store) -> None:
    open_campaign(store)
    with store.writing() as tx:
        ann = tx.accounts.add("Ann", "!", AccountRole.OWNER, campaign.now())
        bob = tx.accounts.add("Bob", "!", AccountRole.ORGANISER, campaign.now())
    campaign.configure(store, "trial", settings={"hourly_rate": 40, "deadline": "2026-11-18"}, account=ann)
    campaign.configure(store, "trial", settings={"hourly_rate": 42.5}, title="Trial two", account=bob)
    campaign.configure(store, "trial", settings={"hourly_rate": 42.5}, account=bob)
    campaign.leave_out(store, "trial", "J2", "missed controls", account=ann)
    lines = log_lines(campaign.events(store, "trial"), {ann: "Ann"}, {2: "Judge 2"})
    assert [(line.who, line.what, line.before, line.after) for line in lines[:5]] == [
        ("Ann", "Judge 2: left out of all results: missed controls", "", ""),
        (f"#{bob}", "title", "trial", "Trial two"),
        (f"#{bob}", "Pay per active hour", "40", "42.5"),
        ("Ann", "Pay per active hour", "–", "40"),
        ("Ann", "Deadline", "–", "2026-11-18"),
    ]
