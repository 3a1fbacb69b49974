from __future__ import annotations

from types import SimpleNamespace

import pytest

from lanner.model import CampaignState, Item, Judge, JudgeKind, Role, Task
from lanner.store import Place, Progressed, Standing, Store
from lanner.store.codec import micros
from store_rows import NOW, answer


def test_places_say_what_decides_about_an_answer(store: Store, filled: SimpleNamespace) -> None:
    ana, bo = filled.tasks["ana"], filled.tasks["bo"]
    with store.writing() as tx:
        tx.tasks.set_finished(bo, NOW)
        found = tx.places.find([(bo, 1), (0, 0), (ana, 2), (ana, 3), (ana, -1), (ana, 2**70), (2**62, 0), (ana, 2)])
    standing = Standing(filled.campaign, filled.judges["bo"], CampaignState.OPEN, True, "abc", "def")
    one, itself = filled.documents["one"], filled.documents[""]
    assert found[0] == Place(standing, "bo", JudgeKind.PERSON, "page", itself, one, Item("one", "1", ("alder",)))
    assert found[1] is None and found[6] is None
    assert found[2] == found[7] and found[2] is not None and found[2].item == Item("one", "2", ("alder",))
    for beyond in found[3:6]:
        assert beyond is not None and beyond.item is None and beyond.judge == "ana"
    with store.reading() as tx:
        assert tx.places.find([]) == []


def test_free_tasks_controls_and_models_are_told_apart(store: Store, filled: SimpleNamespace) -> None:
    control = Item("two", "", ("alder", "birch"), Role.CONTROL, {"alder": "Ætt. \"'"}, {"q": {"at_most": 3}})
    with store.writing() as tx:
        tx.judges.add(filled.campaign, [Judge("gpt", JudgeKind.MODEL)], NOW)
        judges = {seat.judge.id: seat.number for seat in tx.judges.all(filled.campaign)}
        new = [Task(0, "", "page", (control,)), Task(0, "gpt", "page", (Item(""),))]
        tx.tasks.add(filled.campaign, new, judges, filled.documents, NOW)
        tasks = {entry.task.judge: entry.task.id for entry in tx.tasks.of_campaign(filled.campaign)}
        free, model = tx.places.find([(tasks[""], 0), (tasks["gpt"], 0)])
    assert free is not None and free.standing.judge is None and free.judge == "" and free.item == control
    assert model is not None and model.kind is JudgeKind.MODEL and model.item == Item("")


def test_answers_come_by_unit_oldest_first(store: Store, filled: SimpleNamespace) -> None:
    ana, bo, one = filled.judges["ana"], filled.judges["bo"], filled.documents["one"]
    odd = "a \"b\" \\ 'c' 🌲"
    with store.writing() as tx:
        tx.judgements.add([answer(filled, 1), answer(filled, 2, segment=odd), answer(filled, 3, judge=bo)])
        tx.judgements.add([answer(filled, 4, revision=2, supersedes=1)])
    units = [(bo, one, "0"), (ana, one, "0"), (ana, one, odd), (ana, one, "1")]
    with store.reading() as tx:
        found = tx.places.answers(units)
        assert {unit: [a.id for a in rows] for unit, rows in found.items()} == dict(
            zip(units, [[3], [1, 4], [2], []], strict=True)
        )
        assert found[ana, one, "0"] == tx.judgements.of_unit(ana, one, "0")
        assert tx.places.answers([]) == {}


def test_progress_keeps_the_longest_times(store: Store, filled: SimpleNamespace) -> None:
    task = filled.tasks["ana"]
    with store.writing() as tx:
        tx.places.set_saved([Progressed(task, 0, True, 20, 12.5), Progressed(task, 1, False, 5, 4)], micros(NOW))
        tx.places.set_saved([Progressed(task, 1, True, 3, 9), Progressed(task, 2, False, None, None)], micros(NOW))
        assert tx.tasks.spent(task) == [(20.0, 12.5), (5.0, 9.0), (0.0, 0.0)]
        assert tx.tasks.done(task) == [True, True, False]


def test_the_answers_are_found_by_their_index(store: Store) -> None:
    """However many judgements there are, only those of the units are read."""
    if store.kind != "sqlite":
        pytest.skip("PostgreSQL plans by how many rows it believes there are")
    from lanner.store.places import _ANSWERS, _PLACES  # noqa: PLC0415

    with store.snapshot() as connection:
        for statement, given in ((_ANSWERS, "units"), (_PLACES, "wanted")):
            sql, _ = statement._for(connection)
            plan = connection.connection.dbapi_connection.execute(f"EXPLAIN QUERY PLAN {sql}", {given: "[]"}).fetchall()  # type: ignore[union-attr]
            scanned = [row[3] for row in plan if row[3].startswith("SCAN")]
            assert [step for step in scanned if "VIRTUAL TABLE" not in step] == [], plan
