from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from types import SimpleNamespace

from lanner import campaign
from lanner.model import CampaignState, Item, Judge, Role, Task
from lanner.store import Store, Transaction
from store_rows import NOW
from web_clients import complete, open_campaign


def test_tasks_come_back_as_they_were_given(store: Store, filled: SimpleNamespace) -> None:
    items = (
        Item("two", "1", ("birch", "alder"), Role.CONTROL, {"alder": "nonsense"}, {"q": {"is": 1}}),
        Item("", "", ()),
    )
    with store.writing() as tx:
        given = [Task(0, "bo", "extra", items)]
        assert tx.tasks.add(filled.campaign, given, filled.judges, filled.documents, NOW) == 1
    with store.reading() as tx:
        first, second = tx.tasks.of_judge(filled.judges["bo"])
        assert second.task.items == items and second.task.page == "extra" and second.task.judge == "bo"
        assert (first.task.position, second.task.position) == (0, 1)
        assert second.documents == (filled.documents["two"], filled.documents[""])
        assert tx.tasks.assigned(second.task.id) == second
        assert tx.tasks.assigned(second.task.id + 1) is None


def test_standing_says_whether_answers_are_taken(store: Store, filled: SimpleNamespace) -> None:
    task = filled.tasks["ana"]
    with store.writing() as tx:
        standing = tx.tasks.standing(task)
        assert standing is not None and standing.judge == filled.judges["ana"]
        assert (standing.state, standing.finished) == (CampaignState.OPEN, False)
        assert (standing.protocol_hash, standing.corpus_hash) == ("abc", "def")
        assert tx.tasks.standing(0) is None
        assert tx.tasks.next_of(filled.judges["ana"]) == task
        tx.tasks.set_finished(task, NOW)
        assert tx.tasks.next_of(filled.judges["ana"]) is None
        standing = tx.tasks.standing(task)
        assert standing is not None and standing.finished


def test_free_tasks_go_to_one_judge_each(store: Store, filled: SimpleNamespace) -> None:
    """Two copies of each of six documents' tasks; six judges race; nobody gets a text twice, no task two judges."""
    extra = [Judge(f"j{n}") for n in range(6)]
    pages = [f"page{n}" for n in range(6)]
    with store.writing() as tx:
        tx.judges.add(filled.campaign, extra, NOW)
        free = [Task(0, "", page, (Item("two", "0"),)) for page in pages for _ in range(2)]
        tx.tasks.add(filled.campaign, free, {}, filled.documents, NOW)
        numbers = [seat.number for seat in tx.judges.all(filled.campaign)][2:]

    def claim(judge: int) -> int | None:
        return store.write(lambda tx: tx.tasks.claim(filled.campaign, judge))

    def drain(judge: int) -> list[int]:
        return [task for _ in range(7) if (task := claim(judge)) is not None]

    with ThreadPoolExecutor(6) as pool:
        got = list(pool.map(drain, numbers))
    claimed = [task for tasks in got for task in tasks]
    assert len(claimed) == len(set(claimed)) == 12

    def of(tx: Transaction, judge: int) -> list[str]:
        return [found.task.page for found in tx.tasks.of_judge(judge)]

    with store.reading() as tx:
        for judge in numbers:
            assert len(of(tx, judge)) == len(set(of(tx, judge)))


def test_ids_are_not_given_twice(store: Store, filled: SimpleNamespace) -> None:
    """What is remembered by a task's id must never meet another task of that id."""
    with store.writing() as tx:
        before = max(found.task.id for found in tx.tasks.of_campaign(filled.campaign))
        tx.tasks.remove_all(filled.campaign)
        tx.tasks.add(filled.campaign, [Task(0, "ana", "p", ())], filled.judges, filled.documents, NOW)
        (after,) = (found.task.id for found in tx.tasks.of_campaign(filled.campaign))
    assert after > before


def test_what_the_organisers_page_counts(store: Store) -> None:
    """Time spent, and items of one role: the same on both databases."""
    open_campaign(store, settings={"controls": {"swapped": 1}})
    task = campaign.tasks(store, "trial", "J1")[0]
    now = campaign.now()
    campaign.submit(store, task.id, 1, complete(), submission="one", elapsed=90.0, active=60.0, at=now)
    with store.reading() as tx:
        assert tx.tasks.spent(task.id)[1] == (90.0, 60.0)
        seat = tx.judges.all(1)[0].number
        assert tx.tasks.active_since(seat, now - timedelta(hours=1)) == 60.0
        assert tx.tasks.active_since(seat, now + timedelta(hours=1)) == 0.0
        controls = tx.tasks.with_role(1, Role.CONTROL)
        assert {task.judge for task in controls} == {"J1", "J2"}
        assert {item.role for task in controls for item in task.items} == {Role.CONTROL}
        assert tx.tasks.with_role(1, Role.TUTORIAL) == []
        assert tx.documents.counts(1) == [("social", 1, 3), ("news", 1, 3)]
        assert tx.judgements.last(1) == tx.judgements.last() > 0


def test_a_known_task_is_read_again_without_its_items(store: Store, filled: SimpleNamespace) -> None:
    number = filled.tasks["ana"]
    with store.reading() as tx:
        known = tx.tasks.assigned(number)
        assert known is not None and known.task.items and tx.tasks.assigned(number, known) == known
    with store.writing() as tx:
        tx.tasks.set_finished(number, NOW)
    with store.reading() as tx:
        assert tx.tasks.assigned(number, known) == tx.tasks.assigned(number) != known
        assert tx.tasks.assigned(0, known) is None
