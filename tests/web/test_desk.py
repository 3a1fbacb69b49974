from __future__ import annotations

from lanner import campaign
from lanner.store import Store
from lanner.web.desk import desk, owner
from visiting import complete, open_campaign


def test_a_desk_holds_one_judges_own_things(store: Store) -> None:
    open_campaign(store, settings={"guidelines": "Read first.", "idle_seconds": 60})
    mine, theirs = (campaign.tasks(store, "trial", judge)[0] for judge in ("J1", "J2"))
    campaign.submit(store, mine.id, 1, complete(), submission="one")
    laid = desk(store, mine.id)
    assert laid
    assert laid.judge.id == "J1"
    assert set(laid.documents) == {mine.items[0].document}
    assert laid.given[1].answers["holistic"] == 8
    assert laid.given[1].ids["holistic"] > 0
    assert laid.given[0].answers == {}
    assert laid.settings.guidelines == "Read first."
    assert laid.settings.idle_seconds == 60
    assert (laid.progress.done, laid.progress.tasks) == (0, len(campaign.tasks(store, "trial", "J1")))
    other = desk(store, theirs.id)
    assert other and other.given[1].answers == {}


def test_answers_of_an_earlier_page_come_along(store: Store) -> None:
    open_campaign(store, protocol="falcon")
    pages = {task.page: task for task in campaign.tasks(store, "trial", "J1")}
    label, rating = pages["label"], pages["rating"]
    for item in range(len(label.items)):
        campaign.submit(store, label.id, item, complete("falcon"), submission=f"s{item}")
    same = next(
        t
        for t in campaign.tasks(store, "trial", "J1")
        if t.page == "rating" and t.items[0].document == label.items[0].document
    )
    laid = desk(store, same.id)
    assert laid
    assert laid.given[0].earlier["skills"] == complete("falcon")["skills"]
    assert "skills" not in laid.given[0].answers
    assert rating


def test_whose_task_it_is(store: Store) -> None:
    open_campaign(store)
    task = campaign.tasks(store, "trial", "J1")[0].id
    seats = {seat.judge.id: seat.number for seat in campaign.seats(store, "trial")}
    assert owner(store, task) == seats["J1"]
    assert owner(store, 999) is None
    assert desk(store, 999) is None
