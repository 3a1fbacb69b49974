from __future__ import annotations

from dataclasses import replace

import pytest

from campaign_parts import NOW, corpus, fill, first_task, opened, save, scales, valid
from lanner import campaign
from lanner.model import Item, Judgement, Role, Task
from lanner.store import Store


def test_per_judge_domain_document_and_page(store: Store) -> None:
    opened(store, documents=corpus((3, 2)))
    task = next(t for t in campaign.tasks(store, "first", "ana") if len(t.items) == 3)
    fill(store, task)
    campaign.finish(store, task.id)
    found = campaign.progress(store, "first")
    ana, bo = found.judges
    assert (ana.name, ana.items, ana.done, ana.tasks, ana.finished, ana.saved_at) == ("ana", 10, 3, 4, 1, NOW)
    assert ana.active_minutes == pytest.approx(1.5) and ana.elapsed_minutes == pytest.approx(2.25)
    assert (bo.name, bo.items, bo.done, bo.saved_at, bo.share) == ("bo", 10, 0, None, 0.0)
    assert {part.name: (part.items, part.done) for part in found.domains} == {"news": (12, 3), "talk": (8, 0)}
    assert {part.name: (part.items, part.done) for part in found.documents} == {"d0": (12, 3), "d1": (8, 0)}
    assert [(part.name, part.items) for part in found.pages] == [("rating", 20)]
    assert (found.whole.items, found.whole.done, found.whole.tasks, found.whole.finished) == (20, 3, 8, 1)


def test_an_item_half_answered_is_not_done_and_time_counts_once(store: Store) -> None:
    opened(store)
    task = first_task(store)
    answers = valid(store, task)
    save(store, task, 0, {"skills": answers["skills"]}, active=10.0, elapsed=12.0)
    assert campaign.progress(store, "first").whole.done == 0
    save(store, task, 0, {k: v for k, v in answers.items() if k != "skills"}, active=30.0, elapsed=40.0)
    whole = campaign.progress(store, "first").whole
    assert whole.done == 1 and whole.active_minutes == pytest.approx(0.5)


def test_free_items_are_counted_apart(store: Store) -> None:
    opened(store)
    campaign.assign(store, "first", [Task(0, "", "rating", (Item("d0", "0", ("alder",)), Item("d0", "1", ("alder",))))])
    found = campaign.progress(store, "first")
    assert found.free == 2 and found.whole.items == 20


def test_what_a_judge_who_is_left_out_has_not_done_is_no_work_any_more(store: Store) -> None:
    """By hand: two judges with ten items each; bo has done three of them, in one task of four."""
    opened(store, documents=corpus((3, 2)))
    opened(store, name="other", documents=corpus((1,)))
    fill(store, next(task for task in campaign.tasks(store, "first", "bo") if len(task.items) == 3))
    campaign.finish(store, next(task.id for task in campaign.tasks(store, "first", "bo") if len(task.items) == 3))

    def numbers() -> tuple[int, int, int, tuple[int, int]]:
        found = campaign.progress(store, "first")
        with store.reading() as tx:
            listed = tx.progress.totals()[campaign.get(store, "first").id]
        assert listed == (found.items, found.whole.done, 2, 0)
        return found.items, found.whole.done, found.whole.tasks, (found.judges[1].items, found.judges[1].tasks)

    assert numbers() == (20, 3, 8, (10, 4))
    campaign.leave_out(store, "first", "bo", "stopped coming")
    assert numbers() == (13, 3, 5, (3, 1))
    for task in campaign.tasks(store, "first", "ana"):
        fill(store, task)
    assert campaign.progress(store, "first").share == 1.0
    campaign.count_again(store, "first", "bo")
    assert numbers() == (20, 13, 8, (10, 4))


def test_imported_answers_count_as_done(store: Store) -> None:
    opened(store, documents=corpus((3, 2)))
    scale = {"id": "score", "kind": "scale", "min": 1, "max": 5}
    two = scales(scale, {"id": "comment", "kind": "text"}, unit="isolated_sentence")
    answers = [
        Judgement("guest", "s", "score", document, segment, (system,), 4)
        for document, segment in (("d0", "0"), ("d0", "1"), ("d1", "0"))
        for system in ("alder", "birch")
    ]
    answers += [Judgement("guest", "s", "comment", "d0", "0", ("alder",), "fine")]  # the same item again
    campaign.import_campaign(store, "elsewhere", answers, two, documents=corpus((3, 2)))
    progress = campaign.progress(store, "elsewhere")
    [guest] = progress.judges
    assert (guest.name, guest.items, guest.done, guest.share) == ("guest", 6, 6, 1.0)
    assert {part.name: part.done for part in progress.documents} == {"d0": 4, "d1": 2}
    assert (progress.whole.items, progress.whole.done) == (6, 6)
    with store.reading() as tx:
        totals = tx.progress.totals()
        assert totals[campaign.get(store, "elsewhere").id] == (6, 6, 1, 0)
        assert totals[campaign.get(store, "first").id][1] == 0
        shares = tx.progress.imported_domain_shares(campaign.get(store, "elsewhere").id)
    assert {share.domain: (share.items, share.done) for share in shares} == {"news": (4, 4), "talk": (2, 2)}


def test_a_sentence_that_was_imported_twice_for_control_counts_twice_with_both_times(store: Store) -> None:
    scale = {"id": "score", "kind": "scale", "min": 1, "max": 5}
    once = Judgement("guest", "s", "score", "d0", "0", ("alder",), 4, active_seconds=60.0, elapsed_seconds=90.0)
    again = replace(once, role=Role.REPEAT, active_seconds=30.0, elapsed_seconds=30.0)
    protocol = scales(scale, unit="isolated_sentence")
    campaign.import_campaign(store, "elsewhere", [once, again], protocol, documents=corpus((1,)))
    [guest] = campaign.progress(store, "elsewhere").judges
    assert (guest.items, guest.done, guest.active_minutes, guest.elapsed_minutes) == (2, 2, 1.5, 2.0)


def test_answers_of_one_page_are_one_item_with_one_time_where_they_were_imported(store: Store) -> None:
    opened(store, "falcon", documents=corpus((1,), ("alder",)))
    for task in campaign.tasks(store, "first", "ana"):
        fill(store, task)
    rows = [replace(j, active_seconds=60.0, judge="guest") for j in campaign.judgements(store, "first")]
    assert {row.stage for row in rows} == {"context", "skills", "rating"}
    campaign.import_campaign(store, "elsewhere", rows, "falcon", documents=corpus((1,), ("alder",)))
    progress = campaign.progress(store, "elsewhere")
    assert [(part.name, part.items, part.active_minutes) for part in progress.judges] == [("guest", 2, 2.0)]
    assert {part.name for part in progress.pages} == {"label", "rating"}
    with store.reading() as tx:
        assert tx.progress.totals()[campaign.get(store, "elsewhere").id] == (2, 2, 1, 0)


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
    assert [participant.judge for participant in campaign.participants(store, "first")] == campaign.judges(
        store, "first"
    )
