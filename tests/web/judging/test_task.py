from __future__ import annotations

from lanner import campaign
from lanner.store import Store
from lanner.web.access import Owners
from lanner.web.judging.task import task_view
from web_clients import complete, open_campaign


def test_a_desk_holds_one_judges_own_things(store: Store) -> None:
    open_campaign(store, settings={"guidelines": "Read first.", "idle_seconds": 60})
    mine, theirs = (campaign.tasks(store, "trial", judge)[0] for judge in ("J1", "J2"))
    campaign.submit(store, mine.id, 1, complete(), submission="one")
    laid = task_view(store, mine.id)
    assert laid
    assert laid.judge.id == "J1"
    assert set(laid.documents) == {mine.items[0].document}
    assert laid.given[1].answers["holistic"] == 8
    assert laid.given[1].ids["holistic"] > 0
    assert laid.given[0].answers == {}
    assert laid.settings.guidelines == "Read first."
    assert laid.settings.idle_seconds == 60
    assert (laid.progress.done, laid.progress.tasks) == (0, len(campaign.tasks(store, "trial", "J1")))
    other = task_view(store, theirs.id)
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
    laid = task_view(store, same.id)
    assert laid
    assert laid.given[0].earlier["skills"] == complete("falcon")["skills"]
    assert "skills" not in laid.given[0].answers
    assert rating


def test_whose_task_it_is(store: Store) -> None:
    open_campaign(store)
    task = campaign.tasks(store, "trial", "J1")[0].id
    seats = {seat.judge.id: seat.number for seat in campaign.seats(store, "trial")}
    found = Owners(store).find(task)
    assert found and found.judge == seats["J1"]
    assert Owners(store).find(999) is None
    assert task_view(store, 999) is None


def test_a_free_task_is_nobodys_until_it_is_taken(store: Store) -> None:
    open_campaign(store, design="pool")
    owners = Owners(store)
    with store.reading() as tx:
        free = [entry.task.id for entry in tx.tasks.of_campaign(1)]
    assert owners.find(free[0]) is None
    taken = campaign.next_task(store, "trial", "J1")
    assert taken
    found = owners.find(taken.id)
    assert found and found.task.judge == "J1"


def test_time_spent_comes_back_on_another_device(store: Store) -> None:
    open_campaign(store)
    task = campaign.tasks(store, "trial", "J1")[0].id
    campaign.submit(store, task, 1, complete(), submission="one", elapsed=90.0, active=60.0)
    laid = task_view(store, task)
    assert laid
    assert [(given.elapsed, given.active) for given in laid.given] == [(0, 0), (90, 60), (0, 0)]
    assert laid.progress.minutes_today == 1.0
