from __future__ import annotations

from dataclasses import replace

from starlette.testclient import TestClient

from lanner import campaign
from lanner.campaign.people import send_message
from lanner.model import Judgement
from lanner.store import AccountRole, Store
from lanner.web.organising.log import LogLine, describe_event, log_lines
from web_clients import SYSTEMS, open_campaign, sign_in


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
    changed = {"hourly_rate": 42.5, "budget": 1234567.5}
    campaign.configure(store, "trial", settings=changed, title="Trial two", account=bob)
    campaign.configure(store, "trial", settings={"hourly_rate": 42.5}, account=bob)
    campaign.leave_out(store, "trial", "J2", "missed controls", account=ann)
    lines = log_lines(campaign.events(store, "trial"), {ann: "Ann"}, {2: "Judge 2"})
    assert [(line.who, line.what, line.before, line.after) for line in lines[:6]] == [
        ("Ann", "Judge 2: left out of all results: missed controls", "", ""),
        (f"#{bob}", "title", "trial", "Trial two"),
        (f"#{bob}", "Pay per active hour", "40", "42.5"),
        (f"#{bob}", "Budget", "–", "1234567.5"),
        ("Ann", "Pay per active hour", "–", "40"),
        ("Ann", "Deadline", "–", "2026-11-18"),
    ]


def test_every_change_on_a_page_is_one_line_with_who_made_it(client: TestClient, store: Store) -> None:
    """Whatever an organiser does, the log grows by one line that names them; what a judge does names the judge."""
    open_campaign(store, protocol="esa")
    token = sign_in(client, store)
    target = {"document": "doc0", "segment": "1", "system": SYSTEMS[0]}
    changes = [
        ("/settle", {**target, "score": "50", "note": ""}),
        ("/settle", {**target, "score": "60", "note": "Better."}),
        ("/links", {"who": "one", "judge": "J1"}),
        ("/judge", {"do": "revoke", "judge": "J2"}),
        ("/judge", {"do": "leave_out", "judge": "J2", "reason": "too fast"}),
        ("/judge", {"do": "count_again", "judge": "J2"}),
        ("/judges", {"judges": "Dora"}),
        ("/overlap", {"judge": "dora", "document": "doc1"}),
        ("/state", {"to": "pause"}),
        ("/state", {"to": "reopen"}),
        ("/judge", {"do": "remove", "judge": "dora"}),
        ("/judge", {"do": "erase", "judge": "J2", "typed": "J2"}),
    ]
    lines = _lines(store)
    for path, fields in changes:
        response = client.post(f"/campaigns/trial{path}", data={"token": token, **fields})
        assert response.status_code in (200, 303), (path, response.text)
        before, lines = lines, _lines(store)
        assert len(lines) == len(before) + 1, (path, [line.what for line in lines])
        assert lines[0].who == "Ann", (path, lines[0])
    settled = next(line for line in lines if line.what.endswith("Better."))
    assert (settled.before, settled.after) == ("score: 50", "score: 60")


def test_an_import_says_how_much_it_brought_and_a_judges_own_act_who_did_it(store: Store) -> None:
    open_campaign(store)
    answers = [Judgement("J1", "rating", "holistic", "doc0", "1", (SYSTEMS[0],), 7)]
    stage = next(stage for stage, question in campaign.protocol(store, "trial").questions if question.id == "holistic")
    campaign.import_judgements(store, "trial", [replace(answers[0], stage=stage.id)])
    task = campaign.tasks(store, "trial", "J1")[0]
    send_message(store, task.id, "A word is missing.")
    message, imported = _lines(store)[:2]
    assert imported.what == "1 judgement imported"
    assert (message.who, message.what) == ("Judge 1", "wrote: A word is missing.")


def _lines(store: Store) -> list[LogLine]:
    with store.reading() as tx:
        accounts = {account.id: account.name for account in tx.accounts.all()}
        participants = {participant.number: participant.judge.name for participant in tx.judges.all(1)}
    return log_lines(campaign.events(store, "trial"), accounts, participants)
