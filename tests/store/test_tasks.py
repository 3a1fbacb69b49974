from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from types import SimpleNamespace

import pytest

from lanner import campaign
from lanner.model import CampaignState, Item, Judge, JudgeKind, Role, Task
from lanner.store import SavedProgress, Store, TaskItem, TaskStanding, Transaction
from lanner.store.rows import micros
from lanner.store.tasks import _LAST_POSITIONS, _PLACES
from store_rows import NOW, answer, fill
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
        assert tx.tasks.get(second.task.id) == second
        assert tx.tasks.get(second.task.id + 1) is None


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
        numbers = [participant.number for participant in tx.judges.all(filled.campaign)][2:]

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
        assert tx.tasks.item_progress(task.id)[1][1:3] == (90.0, 60.0)
        participant = tx.judges.all(1)[0].number
        assert tx.tasks.active_since(participant, now - timedelta(hours=1)) == 60.0
        assert tx.tasks.active_since(participant, now + timedelta(hours=1)) == 0.0
        controls = tx.tasks.with_role(1, Role.CONTROL)
        assert {task.judge for task in controls} == {"J1", "J2"}
        assert {item.role for task in controls for item in task.items} == {Role.CONTROL}
        assert tx.tasks.with_role(1, Role.TUTORIAL) == []
        assert tx.documents.counts(1) == [("social", 1, 3), ("news", 1, 3)]
        assert tx.judgements.last(1) == tx.judgements.last() > 0


def test_a_known_task_is_read_again_without_its_items(store: Store, filled: SimpleNamespace) -> None:
    number = filled.tasks["ana"]
    with store.reading() as tx:
        known = tx.tasks.get(number)
        assert known is not None and known.task.items and tx.tasks.get(number, known) == known
    with store.writing() as tx:
        tx.tasks.set_finished(number, NOW)
    with store.reading() as tx:
        assert tx.tasks.get(number, known) == tx.tasks.get(number) != known
        assert tx.tasks.get(0, known) is None


def test_places_say_what_decides_about_an_answer(store: Store, filled: SimpleNamespace) -> None:
    ana, bo = filled.tasks["ana"], filled.tasks["bo"]
    with store.writing() as tx:
        tx.tasks.set_finished(bo, NOW)
        wanted = [(bo, 1), (0, 0), (ana, 2), (ana, 3), (ana, -1), (ana, 2**70), (2**62, 0), (ana, 2)]
        found = tx.tasks.places([(*place, "new") for place in wanted])
        version = tx.campaigns.version(filled.campaign)
    standing = TaskStanding(filled.campaign, filled.judges["bo"], CampaignState.OPEN, True, "abc", "def", version)
    one, itself = filled.documents["one"], filled.documents[""]
    assert found[0] == TaskItem(standing, "bo", JudgeKind.PERSON, "page", itself, one, Item("one", "1", ("alder",)))
    assert found[1] is None and found[6] is None
    assert found[2] == found[7] and found[2] is not None and found[2].item == Item("one", "2", ("alder",))
    for beyond in found[3:6]:
        assert beyond is not None and beyond.item is None and beyond.judge == "ana"
    with store.reading() as tx:
        assert tx.tasks.places([]) == []


def test_free_tasks_controls_and_models_are_told_apart(store: Store, filled: SimpleNamespace) -> None:
    control = Item("two", "", ("alder", "birch"), Role.CONTROL, {"alder": "Ætt. \"'"}, {"q": {"at_most": 3}})
    with store.writing() as tx:
        tx.judges.add(filled.campaign, [Judge("gpt", JudgeKind.MODEL)], NOW)
        judges = {participant.judge.id: participant.number for participant in tx.judges.all(filled.campaign)}
        new = [Task(0, "", "page", (control,)), Task(0, "gpt", "page", (Item(""),))]
        tx.tasks.add(filled.campaign, new, judges, filled.documents, NOW)
        tasks = {entry.task.judge: entry.task.id for entry in tx.tasks.of_campaign(filled.campaign)}
        free, model = tx.tasks.places([(tasks[""], 0, "new"), (tasks["gpt"], 0, "new")])
    assert free is not None and free.standing.judge is None and free.judge == "" and free.item == control
    assert model is not None and model.kind is JudgeKind.MODEL and model.item == Item("")


def test_progress_keeps_the_longest_times(store: Store, filled: SimpleNamespace) -> None:
    task = filled.tasks["ana"]
    with store.writing() as tx:
        tx.tasks.set_saved([SavedProgress(task, 0, True, 20, 12.5), SavedProgress(task, 1, False, 5, 4)], micros(NOW))
        tx.tasks.set_saved([SavedProgress(task, 1, True, 3, 9), SavedProgress(task, 2, False, None, None)], micros(NOW))
        progress = tx.tasks.item_progress(task)
        assert [item[:3] for item in progress] == [(1, 20.0, 12.5), (1, 5.0, 9.0), (0, 0.0, 0.0)]


def test_places_are_found_by_their_keys(place: str) -> None:
    """However many items there are, only those that are asked for are read. PostgreSQL, which plans by how many rows it
    believes there are, read all items of a campaign of this size for every save. So its tables are new ones, of which
    it believes nothing yet."""
    items = tuple(Item("one", str(number), ("alder",)) for number in range(25))
    with Store.open(place) as store:
        filled = fill(store)
        with store.writing() as tx:
            many = [Task(0, "ana", "page", items)] * 300
            tx.tasks.add(filled.campaign, many, filled.judges, filled.documents, NOW)
        with store.snapshot() as connection:
            wanted = _PLACES[store.kind].params(wanted='[[0,1,0,"a"],[1,2,0,"b"]]')
            compiled = wanted.compile(connection, compile_kwargs={"literal_binds": True})
            explain = "EXPLAIN QUERY PLAN" if store.kind == "sqlite" else "EXPLAIN"
            plan = [str(row[-1]) for row in connection.exec_driver_sql(f"{explain} {compiled}")]
    if store.kind == "sqlite":
        assert [step for step in plan if step.startswith("SCAN") and "wanted" not in step] == [], plan
    else:
        assert [step for step in plan if "Seq Scan on task" in step or "Seq Scan on item" in step] == [], plan
        assert any("item_pkey" in step for step in plan) and any("task_pkey" in step for step in plan), plan


def test_new_tasks_find_their_place_without_reading_those_there_are(store: Store, filled: SimpleNamespace) -> None:
    """In an adaptive campaign this is asked with every draw: it read all tasks of the campaign, more each time."""
    if store.kind != "sqlite":
        pytest.skip("PostgreSQL plans by how many rows it believes there are")
    with store.snapshot() as connection:
        asked = _LAST_POSITIONS.params(of_campaign=filled.campaign)
        compiled = asked.compile(connection, compile_kwargs={"literal_binds": True})
        plan = [str(row[-1]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}")]
    steps = [step for step in plan if " task " in step]
    assert len(steps) == 2 and any("task_judge" in step for step in steps), plan
    assert any("task_pool" in step for step in steps), plan


def test_a_place_says_whether_its_campaign_knows_the_submission(store: Store, filled: SimpleNamespace) -> None:
    ana, bo = filled.tasks["ana"], filled.tasks["bo"]
    with store.writing() as tx:
        tx.judgements.add([answer(filled, 1, submission="known")])
        found = tx.tasks.places([(ana, 0, "new"), (bo, 0, "known"), (ana, 0, "known"), (ana, 9, "known")])
    assert [place is not None and place.repeated for place in found] == [False, True, True, True]
