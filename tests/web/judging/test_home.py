from __future__ import annotations

from datetime import datetime
from math import ceil
from zoneinfo import ZoneInfo

from starlette.testclient import TestClient

from lanner import campaign
from lanner.store import Store
from lanner.web.judging.home import home_page
from web_clients import complete, enter, open_campaign


def participant(store: Store, judge: str = "J1") -> int:
    return next(
        participant.number for participant in campaign.participants(store, "trial") if participant.judge.id == judge
    )


def test_the_tasks_in_order_with_what_is_next(store: Store) -> None:
    open_campaign(store)
    tasks = campaign.tasks(store, "trial", "J1")
    home = home_page(store, participant(store))
    assert [line.task for line in home.lines] == [task.id for task in tasks]
    assert home.next == tasks[0].id
    assert home.name == "Judge 1"
    assert {line.title for line in home.lines} == {"Title 0", "Title 1"}
    assert {line.state for line in home.lines} == {"open"}


def test_states_and_counts_follow_the_answers(store: Store) -> None:
    open_campaign(store)
    first, second, *_ = campaign.tasks(store, "trial", "J1")
    for item in range(3):
        campaign.submit(store, first.id, item, complete(), submission=f"a{item}")
    campaign.finish(store, first.id)
    campaign.submit(store, second.id, 0, complete(), submission="b")
    home = home_page(store, participant(store))
    assert [line.state for line in home.lines][:2] == ["finished", "begun"]
    assert home.next == second.id
    assert home.done == 4


def test_a_pause_leaves_nothing_to_do(store: Store) -> None:
    open_campaign(store)
    campaign.pause(store, "trial")
    home = home_page(store, participant(store))
    assert (home.state, home.next) == ("paused", None)


def test_the_completion_code_comes_at_the_end_only(store: Store) -> None:
    open_campaign(store, settings={"completion_code": "C0DE", "return_link": "https://example.org/back"})
    assert home_page(store, participant(store)).completion_code == ""
    for task in campaign.tasks(store, "trial", "J1"):
        for item in range(len(task.items)):
            campaign.submit(store, task.id, item, complete(), submission=f"{task.id}.{item}")
        campaign.finish(store, task.id)
    home = home_page(store, participant(store))
    assert home.finished
    assert (home.completion_code, home.return_link) == ("C0DE", "https://example.org/back")
    assert home.next is None


def test_a_due_date_and_a_note_of_the_organisers(client: TestClient, store: Store) -> None:
    """The day is said with its zone, for pages without scripts; late work can go on; what is written is plain text."""
    note = "Names <i>stay</i> as they are.\r\n\r\nAsk us."
    settings = {"time_zone": "Asia/Seoul", "note": note}
    secrets = open_campaign(store, settings={"deadline": "2036-11-30", **settings})
    enter(client, secrets["J1"])
    page = client.get("/work").text
    assert "2036-11-30 (Asia/Seoul)</time>" in page and 'datetime="2036-11-30T23:59:00+09:00"' in page
    assert "Days left: " in page and "Overdue" not in page
    assert '<p dir="auto">Names &lt;i&gt;stay&lt;/i&gt; as they are.</p>' in page and ">Ask us.</p>" in page
    assert "마감: <time" in client.get("/work?language=ko").text
    home = home_page(store, participant(store))
    assert home.guide is not None and home.guide.task == home.next and home.is_due
    campaign.configure(store, "trial", settings={"deadline": "2020-02-29"})
    late = client.get("/work?language=en").text
    assert "Overdue since <time" in late and 'id="start"' in late and "Days left" not in late
    today = datetime.now(ZoneInfo("Asia/Seoul")).date()
    campaign.configure(store, "trial", settings={"deadline": str(today), "note": None})
    last = client.get("/work?language=en").text
    if datetime.now(ZoneInfo("Asia/Seoul")).date() == today:  # else midnight has passed meanwhile
        assert "Due today" in last
    assert "From the organisers" not in last and ">Guidelines</a>" in last
    campaign.pause(store, "trial")
    assert "Due " not in client.get("/work?language=en").text


def test_what_is_left_is_told_at_the_judges_own_pace(store: Store) -> None:
    open_campaign(store)
    first, second, *_ = campaign.tasks(store, "trial", "J1")
    before = home_page(store, participant(store))
    expected = campaign.protocol(store, "trial").minutes(first.page)
    assert before.lines[0].minutes == ceil(len(first.items) * expected)
    assert before.minutes_left == sum(line.minutes for line in before.lines)
    for task in (first, second):
        for item in range(len(task.items)):
            campaign.submit(store, task.id, item, complete(), submission=f"{task.id}.{item}", active=600)
    home = home_page(store, participant(store))
    assert [line.minutes for line in home.lines[:2]] == [0, 0]
    assert [line.minutes for line in home.lines[2:]] == [10 * line.items for line in home.lines[2:]]
    assert home.current is not None and home.current.task == home.next
    assert home.current not in home.waiting()


def test_answers_without_times_leave_the_protocols_guess(store: Store) -> None:
    """It said that no minute was left, with documents to do."""
    open_campaign(store)
    first, second, third, *_ = campaign.tasks(store, "trial", "J1")
    for task in (first, second):
        for item in range(len(task.items)):
            campaign.submit(store, task.id, item, complete(), submission=f"{task.id}.{item}")
    expected = campaign.protocol(store, "trial").minutes(third.page)
    assert home_page(store, participant(store)).lines[2].minutes == ceil(len(third.items) * expected)


def test_a_campaign_that_is_deleted_while_a_judge_looks_is_gone(client: TestClient, store: Store) -> None:
    """The session is remembered for a while: the page says that the link leads nowhere, and does not break."""
    secrets = open_campaign(store)
    open_campaign(store, "other", judges=1)
    tasks = enter(client, secrets["J1"])
    campaign.remove(store, "trial", name="trial")
    for path in ("/work", f"/task/{tasks[0]}"):
        assert client.get(path).status_code in (303, 401, 404), path
