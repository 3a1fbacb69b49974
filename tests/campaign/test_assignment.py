from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

import pytest
from sqlalchemy import select, update

from campaign_parts import JUDGES, NOW, corpus, fill, first_task, opened, save, scales, valid
from lanner import campaign
from lanner.campaign import assignment
from lanner.campaign.assignment import assign_calibration
from lanner.errors import CampaignError
from lanner.model import Item, Judge, JudgeKind, Judgement, Protocol, Role, Task
from lanner.store import Store, schema
from lanner.store.backup import verify
from lanner.store.tasks import TaskRows, to_rows


def test_judges_join_an_open_campaign_without_touching_the_others(store: Store) -> None:
    opened(store)
    save(store, first_task(store))
    before = campaign.tasks(store, "first", "ana")
    assert campaign.add_judges(store, "first", [Judge("cy"), Judge("di")]) == 8
    assert campaign.tasks(store, "first", "ana") == before
    assert [judge.id for judge in campaign.judges(store, "first")] == ["ana", "bo", "cy", "di"]
    assert {(t.items[0].document, t.items[0].systems) for t in campaign.tasks(store, "first", "cy")} == {
        (t.items[0].document, t.items[0].systems) for t in before
    }
    save(store, first_task(store, "cy"))
    with pytest.raises(CampaignError) as caught:
        campaign.add_judges(store, "first", [Judge("ana")])
    assert caught.value.code == "judge_taken"
    with pytest.raises(CampaignError, match="two judges called 'dora'"):
        campaign.add_judges(store, "first", [Judge("dora"), Judge("dora")])


def test_who_only_came_with_a_file_of_answers_is_given_nothing_unless_by_name(store: Store) -> None:
    score = {"id": "q", "kind": "scale", "min": 1, "max": 4}
    twelve = corpus((1,) * 12, ("alder",))
    opened(store, scales(score), documents=twelve, design="random", options={"overlap": 0})
    campaign.import_judgements(store, "first", [Judgement("guest", "", "q", "d0", "", ("alder",), 3)], at=NOW)
    assert campaign.add_judges(store, "first", [Judge("cy")]) == 4, "a third of the documents, and no quarter"
    assert assign_calibration(store, "first", {"s": [Item("d1", "", ("alder",))]}) == 3
    assert campaign.tasks(store, "first", "guest") == []
    assert [judge.id for judge in campaign.working_judges(store, "first")] == ["ana", "bo", "cy"]
    assert [judge.id for judge in campaign.working_judges(store, "first", named=True)] == ["ana", "bo", "guest", "cy"]
    campaign.add_overlap(store, "first", ["guest"], ["d2"])
    assert "guest" in [judge.id for judge in campaign.working_judges(store, "first")], "now they judge here"


def test_in_a_campaign_that_was_imported_as_a_whole_its_judges_are_those_of_the_file(store: Store) -> None:
    answers = [Judgement(judge, "", "context", "d0", "0", (), "local") for judge in ("eve", "fay")]
    campaign.import_campaign(store, "first", answers, "falcon", documents=corpus())
    assert [judge.id for judge in campaign.working_judges(store, "first")] == ["eve", "fay"]


def test_a_calibration_round_is_what_judges_do_next_after_their_questionnaires(store: Store) -> None:
    opened(store, documents=corpus((2, 2, 2), ("alder",)), settings={"before": ["consent"]})
    before = {judge: campaign.tasks(store, "first", judge) for judge in ("ana", "bo")}
    [consent, first, *_] = before["ana"]
    campaign.submit_many(store, [campaign.Submission(consent.id, 0, {"consent": "agree"}, "c", judge="ana")])
    campaign.finish(store, consent.id)
    item = replace(first.items[0], role=Role.CALIBRATION)
    added = assign_calibration(store, "first", {first.page: [item]})
    assert added == 2
    for judge, tasks in before.items():
        after = campaign.tasks(store, "first", judge)
        assert [task.id for task in after if task.items[0].role is not Role.CALIBRATION] == [task.id for task in tasks]
        assert [task.items[0].role for task in after[:2]] == [Role.MAIN, Role.CALIBRATION], "consent stays first"
    following = campaign.next_task(store, "first", "ana")
    assert following is not None and following.items == (item,)
    for nothing_new in ({}, {first.page: [item]}):
        assert assign_calibration(store, "first", nothing_new) == 0
    assert campaign.tasks(store, "first", "ana")[1].items == (item,), "nothing moves when nothing is added"
    assert [event.kind for event in campaign.events(store, "first")].count("calibration_assigned") == 1


def test_growing_is_reproducible(store: Store) -> None:
    plans = []
    for name in ("one", "two"):
        opened(store, name=name, documents=corpus((1,) * 9), seed=4)
        campaign.add_judges(store, name, [Judge("cy")])
        campaign.add_judges(store, name, [Judge("di")])
        orders = [[t.items[0] for t in campaign.tasks(store, name, j)] for j in ("cy", "di")]
        plans.append(orders)
        assert orders[0] != orders[1]
    assert plans[0] == plans[1]


@pytest.mark.parametrize("others", [1, 5])
def test_tasks_are_planned_while_others_write_and_anew_where_they_changed_something(
    store: Store, monkeypatch: pytest.MonkeyPatch, others: int
) -> None:
    """Planning holds up no save: somebody else writes in the midst of it. What they wrote is not overlooked."""
    opened(store)
    coming = iter(f"other{number}" for number in range(others))
    plans = list[int]()

    def interrupted(tasks: list[Task], documents: dict[str, int]) -> list[TaskRows]:
        plans.append(len(tasks))
        if len(plans) <= assignment._TRIES and (name := next(coming, "")):
            with store.writing() as tx:
                tx.judges.add(1, [Judge(name)], NOW)
        return to_rows(tasks, documents)

    monkeypatch.setattr(assignment, "to_rows", interrupted)
    assert campaign.add_judges(store, "first", [Judge("cy")]) == 4
    assert len(plans) == (2 if others == 1 else assignment._TRIES + 1)
    assert [judge.id for judge in campaign.judges(store, "first")].count("cy") == 1
    assert campaign.events(store, "first")[-1].detail == {"judges": 1, "tasks": 4}


def test_overlap_adds_only_what_is_lacking(store: Store) -> None:
    documents = corpus((2, 2, 2), ("alder",))
    opened(store, documents=documents, judges=[Judge("ana")])
    campaign.add_judges(store, "first", [Judge("bo")], design="full")
    assert campaign.add_overlap(store, "first", ["ana", "bo"], ["d0", "d1"]) == 0
    tutorial = replace(campaign.tasks(store, "first", "ana")[0].items[0], role=Role.CALIBRATION)
    assert campaign.assign(store, "first", [Task(0, "ana", "rating", (tutorial,))]) == 1
    with pytest.raises(CampaignError, match="'d9'"):
        campaign.add_overlap(store, "first", ["ana"], ["d9"])
    kinds = [event.kind for event in campaign.events(store, "first")]
    assert kinds == ["created", "opened", "judges_added", "overlap_added"]


@pytest.mark.parametrize("way", ["revoked", "left out"])
def test_nobody_who_left_or_is_left_out_gets_more_to_judge(store: Store, way: str) -> None:
    """Nobody could do it, or nobody would count it, and the campaign would never be complete."""
    opened(store, documents=corpus((2, 2, 2), ("alder",)), judges=[Judge("ana"), Judge("bo")])
    if way == "revoked":
        campaign.invitations.revoke(store, "first", "bo")
    else:
        campaign.leave_out(store, "first", "bo", "too fast")
    before = campaign.progress(store, "first")
    with pytest.raises(CampaignError, match="bo ") as refused:
        campaign.add_overlap(store, "first", ["ana", "bo"], ["d0", "d1", "d2"])
    assert refused.value.code == "judge_left"
    assert campaign.progress(store, "first") == before


def test_overlap_waits_for_the_rest_and_repeats_nothing_of_the_calibration_round(store: Store) -> None:
    opened(store, "da", documents=corpus((2, 2, 2)), settings={"calibration": ["d0"], "after": ["post_task"]})
    with pytest.raises(CampaignError) as early:
        campaign.add_overlap(store, "first", ["ana"], ["d1"])
    assert early.value.code == "rest_not_assigned"
    assert campaign.after_calibration(store, "first") > 0
    before = [campaign.tasks(store, "first", judge) for judge in ("ana", "bo")]
    assert campaign.add_overlap(store, "first", ["ana", "bo"], ["d0", "d1"]) == 0, "everybody has everything"
    assert [campaign.tasks(store, "first", judge) for judge in ("ana", "bo")] == before


def test_a_document_of_which_one_sentence_was_discussed_is_given_as_overlap(store: Store) -> None:
    opened(store, "da", documents=corpus((3,) * 4, ("alder",)), design="random", options={"overlap": 0})
    [judge] = [
        judge
        for judge in ("ana", "bo")
        if "d0" not in {t.items[0].document for t in campaign.tasks(store, "first", judge)}
    ]
    assign_calibration(store, "first", {"rating": [Item("d0", "1", ("alder",))]})
    assert campaign.add_overlap(store, "first", [judge], ["d0"]) == 1


def test_overlap_for_a_judge_with_little(store: Store) -> None:
    opened(store, documents=corpus((2, 2, 2), ("alder",)))
    with store.writing() as tx:
        tx.judges.add(campaign.get(store, "first").id, [Judge("cy")], NOW)
    assert campaign.add_overlap(store, "first", ["cy", "ana"], ["d1", "d2"]) == 2
    assert sorted(t.items[0].document for t in campaign.tasks(store, "first", "cy")) == ["d1", "d2"]


def test_someone_takes_over(store: Store) -> None:
    opened(store)
    secret = campaign.invitations.issue(store, "first", "ana")
    task = first_task(store)
    fill(store, task)
    campaign.finish(store, task.id)
    begun = first_task(store)
    save(store, begun)
    answered = len(campaign.judgements(store, "first"))
    assert campaign.replace_judge(store, "first", "ana", Judge("cy")) == 3
    assert first_task(store, "cy").items == begun.items
    assert len(campaign.judgements(store, "first")) == answered
    assert campaign.invitations.lookup(store, secret) is None


def done(store: Store, judge: str, page: str, document: str = "", system: str = "") -> None:
    """Everything about it is answered and finished."""
    for task in campaign.tasks(store, "first", judge):
        first = task.items[0]
        if task.page == page and first.document == document and system in ("", *first.systems):
            fill(store, task)
            campaign.finish(store, task.id)


def given(store: Store, judge: str) -> list[tuple[str, str, str]]:
    tasks = [(task.page, task.items[0]) for task in campaign.tasks(store, "first", judge)]
    return [(page, item.document, "".join(item.systems)) for page, item in tasks]


def test_who_takes_over_is_asked_for_consent_and_trained(store: Store) -> None:
    """Who took over from someone who had agreed was never asked, and could begin nothing."""
    tutorial = {"document": "d1", "segment": "0", "systems": ["alder"], "expected": {"holistic": {"value": 9}}}
    settings = {"before": ["consent", "background"], "after": ["post_task"], "tutorial": {"items": [tutorial]}}
    opened(store, settings=settings)
    save(store, first_task(store), answers={"consent": "agree"})
    campaign.finish(store, first_task(store).id)
    done(store, "ana", "background")
    for _ in range(2):  # the tutorial and a document
        task = first_task(store)
        fill(store, task)
        campaign.finish(store, task.id)
    begins = given(store, "ana")[:3]
    assert begins == [("consent", "", ""), ("background", "", ""), ("rating", "d1", "alder")]
    number = campaign.replace_judge(store, "first", "ana", Judge("cy"))
    assert given(store, "cy") == [*begins, *given(store, "ana")[4:]] and len(given(store, "cy")) == number
    assert [task.items[0].role for task in campaign.tasks(store, "first", "cy")].count(Role.TUTORIAL) == 1
    save(store, first_task(store, "cy"), answers={"consent": "agree"})
    campaign.finish(store, first_task(store, "cy").id)
    while task := campaign.next_task(store, "first", "cy"):
        fill(store, task)
        campaign.finish(store, task.id)


def test_who_takes_over_ratings_is_asked_what_they_rate(store: Store) -> None:
    """FALCON rates the skills that the same judge has chosen: without them there was nothing to rate, and the task
    counted as done."""
    opened(store, "falcon")
    done(store, "ana", "label", "d0")
    done(store, "ana", "label", "d1")
    done(store, "ana", "rating", "d0", "alder")
    done(store, "ana", "rating", "d1")
    campaign.replace_judge(store, "first", "ana", Judge("cy"))
    assert given(store, "cy") == [("label", "d0", ""), ("rating", "d0", "birch")]
    done(store, "cy", "label", "d0")
    rating = first_task(store, "cy")
    assert "ratings" in valid(store, rating)
    fill(store, rating)
    campaign.finish(store, rating.id)


def test_who_takes_over_is_asked_what_decides_whether_a_later_page_asks_anything(store: Store) -> None:
    def stage(name: str, when: str) -> dict[str, object]:
        options = [{"id": "yes"}, {"id": "no"}]
        question = {"id": f"q_{name}", "kind": "choice", "options": options, "required": True}
        condition = {"when": {"question": when, "is": ["yes"]}} if when else {}
        return {"id": name, "unit": "document", "object": "source", "question": [question], **condition}

    stages = [stage("a", ""), stage("b", "q_a"), stage("c", "q_b"), stage("other", "")]
    opened(store, Protocol.model_validate({"name": "mine", "version": "1", "stage": stages}))
    for task in campaign.tasks(store, "first", "ana"):
        if task.page != "c" and task.items[0].document == "d0":
            save(store, task, answers={f"q_{task.page}": "yes"})
            campaign.finish(store, task.id)
    campaign.replace_judge(store, "first", "ana", Judge("cy"))
    assert [page for page, document, _ in given(store, "cy") if document == "d0"] == ["a", "b", "c"]


def test_what_is_answered_in_full_is_asked_of_nobody_else(store: Store) -> None:
    opened(store, "da")
    answered, begun, *rest = campaign.tasks(store, "first", "ana")
    fill(store, answered)
    save(store, begun)
    assert campaign.replace_judge(store, "first", "ana", Judge("cy")) == 1 + len(rest)
    assert campaign.task(store, answered.id).finished_at is not None
    assert campaign.task(store, begun.id).finished_at is None
    assert [task.items for task in campaign.tasks(store, "first", "cy")] == [task.items for task in (begun, *rest)]
    for task in campaign.tasks(store, "first", "cy"):
        fill(store, task)
    both = {row.judge for row in campaign.judgements(store, "first") if row.document == begun.items[0].document}
    assert both >= {"ana", "cy"}, "what is only begun is judged as a whole, and both count"


def test_nobody_takes_over_twice_from_the_same_judge(store: Store) -> None:
    opened(store)
    campaign.invitations.issue(store, "first", "ana")
    campaign.replace_judge(store, "first", "ana", Judge("cy"))
    with pytest.raises(CampaignError, match="taken over from ana already") as refused:
        campaign.replace_judge(store, "first", "ana", Judge("di"))
    assert refused.value.code == "replaced"
    assert [judge.id for judge in campaign.judges(store, "first")] == ["ana", "bo", "cy"]
    assert campaign.replace_judge(store, "first", "cy", Judge("di")) == 4
    campaign.invitations.issue(store, "first", "ana")  # back
    assert campaign.replace_judge(store, "first", "ana", Judge("eve")) == 4


def test_who_takes_over_where_nothing_is_left_gets_nothing_unless_more_will_come(store: Store) -> None:
    for design, number in (("full", 0), ("pool", 1)):
        opened(
            store,
            "da",
            name=design,
            documents=corpus((1, 1), ("alder",)),
            design=design,
            settings={"before": ["consent"]},
        )
        for task in campaign.tasks(store, design, "ana"):
            answers = {"consent": "agree"} if task.page == "consent" else valid(store, task, name=design)
            save(store, task, answers=answers)
            campaign.finish(store, task.id)
        assert campaign.replace_judge(store, design, "ana", Judge("cy")) == number


def test_what_someone_took_over_is_to_be_done_once(store: Store) -> None:
    """The open tasks of who left were counted as well: no such campaign was ever done."""
    opened(store)
    campaign.invitations.issue_all(store, "first")
    before = campaign.progress(store, "first").whole
    task = first_task(store)
    fill(store, task)
    campaign.finish(store, task.id)
    campaign.replace_judge(store, "first", "ana", Judge("cy"))
    now = campaign.progress(store, "first")
    assert (now.whole.items, now.whole.tasks) == (before.items, before.tasks)
    left = now.judges[0]
    assert (left.name, left.items, left.done, left.tasks, left.finished) == (
        "ana",
        len(task.items),
        len(task.items),
        1,
        1,
    )
    with store.reading() as tx:
        [(items, done, _, _)] = tx.progress.totals().values()
        domains = tx.progress.domain_shares(1)
        is_open = tx.progress.any_open(1)
    assert (items, done) == (before.items, len(task.items)) and sum(share.items for share in domains) == items
    assert is_open
    for judge in ("bo", "cy"):
        for own in campaign.tasks(store, "first", judge):
            fill(store, own)
            campaign.finish(store, own.id)
    with store.reading() as tx:
        assert not tx.progress.any_open(1) and not tx.progress.any_texts_open(1)
    campaign.invitations.issue(store, "first", "ana")  # back, with what was not finished
    assert campaign.progress(store, "first").whole.items == before.items + now.judges[-1].items


def test_a_judge_who_answered_nothing_can_be_removed_and_only_such(store: Store) -> None:
    opened(store)
    secret = campaign.invitations.issue(store, "first", "bo")
    before = len(campaign.tasks(store, "first", "ana"))
    campaign.remove_judge(store, "first", "bo")
    assert [judge.id for judge in campaign.judges(store, "first")] == ["ana"]
    assert campaign.invitations.lookup(store, secret) is None
    assert len(campaign.tasks(store, "first", "ana")) == before
    assert campaign.progress(store, "first").whole.tasks == before
    save(store, first_task(store))
    with pytest.raises(CampaignError, match="has answered already"):
        campaign.remove_judge(store, "first", "ana")
    assert campaign.add_judges(store, "first", [Judge("bo")]) == before
    assert campaign.events(store, "first")[-2].kind == "judge_removed"


def test_who_took_over_a_task_with_answers_leaves_none_of_them_without_it(store: Store) -> None:
    """SQLite is not asked whether anything refers to what goes, since it would read everything for that."""
    opened(store)
    save(store, first_task(store))
    campaign.replace_judge(store, "first", "ana", Judge("cy"))
    with suppress(CampaignError):
        campaign.remove_judge(store, "first", "cy")
    answered = select(schema.judgement.c.task)
    bo = select(schema.judge.c.id).where(schema.judge.c.key == "bo").scalar_subquery()
    with store.filling() as connection:
        assert connection.execute(answered.where(schema.judgement.c.task.not_in(select(schema.task.c.id)))).all() == []
        # as if the task itself had been handed on, not what is left of it
        connection.execute(update(schema.task).where(schema.task.c.id.in_(answered)).values(judge=bo, position=99))
    with pytest.raises(CampaignError, match="someone has answered"):
        campaign.remove_judge(store, "first", "bo")


@pytest.mark.parametrize("leave", [campaign.remove_judge, campaign.withdraw, campaign.erase])
@pytest.mark.parametrize("answers", [False, True])
def test_tasks_from_a_pool_are_free_again(store: Store, leave: Callable[..., object], answers: bool) -> None:
    """What nobody has answered any more; a judge whose identity alone is erased keeps what they answered."""
    opened(store, "da", design="pool")
    free = campaign.progress(store, "first").free
    task = first_task(store)
    assert campaign.progress(store, "first").free < free
    answered = answers and leave is not campaign.remove_judge
    if answered:
        fill(store, task)
        campaign.finish(store, task.id)
        first_task(store)  # taken, and nothing said about it
    leave(store, "first", "ana")
    kept = answered and leave is campaign.erase
    assert campaign.progress(store, "first").free == free - len(task.items) * kept
    assert (first_task(store, "bo").id == task.id) is not kept
    save(store, first_task(store, "bo"), judge="bo")
    assert [finding for finding in verify(store) if finding.problems] == []


def test_two_organisers_add_judges_at_once(store: Store, place: str) -> None:
    opened(store)
    with Store.open(place) as second:

        def add(number: int) -> int:
            return campaign.add_judges((store, second)[number % 2], "first", [Judge(f"n{number}")])

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(add, range(6))) == [4] * 6
    assert len(campaign.judges(store, "first")) == 8
    assert all(len(campaign.tasks(store, "first", f"n{n}")) == 4 for n in range(6))


def load(store: Store, name: str = "first") -> dict[str, int]:
    """How many items each judge has."""
    judges = campaign.judges(store, name)
    return {judge.id: sum(len(t.items) for t in campaign.tasks(store, name, judge.id)) for judge in judges}


@pytest.mark.parametrize(
    ("design", "options", "protocol"),
    [
        ("random", {}, "esa"),
        ("random", {"judges_per_document": 2}, "esa"),
        ("batches", {}, "da"),
        ("latin_square", {}, "esa"),
        ("parity", {}, "parity"),
        ("full", {}, "esa"),
    ],
)
@pytest.mark.parametrize("late", [1, 2])
def test_whoever_comes_late_gets_as_much_as_the_others(
    store: Store, design: str, options: dict[str, int], protocol: str, late: int
) -> None:
    people = [Judge(f"j{number}") for number in range(4)]
    texts = corpus((4,) * 12, ("alder", "birch"))
    opened(store, protocol, documents=texts, judges=people, design=design, options=options)
    before = load(store)
    campaign.add_judges(store, "first", [Judge(f"late{number}") for number in range(late)])
    after = load(store)
    assert {judge: after[judge] for judge in before} == before, "nobody else's work changes"
    for number in range(late):
        assert 0.5 * min(before.values()) <= after[f"late{number}"] <= 1.2 * max(before.values())


@pytest.mark.parametrize("judges_per_document", [1, 2])
def test_a_pool_does_not_grow_with_its_judges(store: Store, judges_per_document: int) -> None:
    options = {"judges_per_document": judges_per_document}
    people = [Judge("ana"), Judge("bo")]
    opened(store, "esa", documents=corpus((2,) * 6, ("alder",)), judges=people, design="pool", options=options)
    with store.reading() as tx:
        before = tx.tasks.count(campaign.get(store, "first").id)
    campaign.add_judges(store, "first", [Judge("cy")])
    with store.reading() as tx:
        assert tx.tasks.count(campaign.get(store, "first").id) == before
    assert campaign.next_task(store, "first", "cy") is not None


def test_the_rest_goes_to_those_who_still_judge(store: Store) -> None:
    people = [Judge(name) for name in ("ana", "bo", "cy", "di", "eve")]
    texts = corpus((2,) * 13, ("alder",))
    opened(store, "da", documents=texts, judges=people, design="random", settings={"calibration": ["d0"]})
    campaign.add_judges(store, "first", [Judge("gpt", JudgeKind.MODEL)], design="full")
    campaign.settle(store, "first", ("d0", "0", ("alder",)), {"score": 40})
    campaign.replace_judge(store, "first", "bo", Judge("ben"))
    campaign.leave_out(store, "first", "cy", "answers by chance")
    campaign.withdraw(store, "first", "eve")
    before = load(store)
    campaign.after_calibration(store, "first")
    after = load(store)
    assert {judge for judge in after if after[judge] > before[judge]} == {"ana", "ben", "di"}
    rest = {
        item.document
        for judge in ("ana", "ben", "di")
        for task in campaign.tasks(store, "first", judge)
        for item in task.items
    }
    assert rest == {document.id for document in texts}, "every document has a judge who still judges"


def test_a_copy_has_the_people_and_nobody_else(store: Store) -> None:
    opened(store, "da", documents=corpus((2, 2), ("alder",)))
    campaign.add_judges(store, "first", [Judge("gpt", JudgeKind.MODEL)], design="full")
    campaign.settle(store, "first", ("d0", "0", ("alder",)), {"score": 40})
    campaign.replace_judge(store, "first", "bo", Judge("ben"))
    campaign.duplicate(store, "first", "second")
    assert [judge.id for judge in campaign.judges(store, "second")] == ["ana", "ben"]


@pytest.mark.parametrize("leave", [campaign.remove_judge, campaign.withdraw, campaign.erase])
def test_that_there_is_nothing_to_say_is_an_answer_which_nobody_else_is_credited_with(
    store: Store, leave: Callable[..., object]
) -> None:
    """A document in which a judge marked nothing stays theirs, or is looked at by somebody else."""
    optional = scales({"id": "score", "kind": "scale", "min": 1, "max": 5, "required": False})
    opened(store, optional, documents=corpus((1, 1), ("alder",)), design="pool")
    task = first_task(store)
    save(store, task, answers={}, active=30.0)
    campaign.finish(store, task.id)
    if leave is campaign.remove_judge:
        with pytest.raises(CampaignError, match="has answered already"):
            leave(store, "first", "ana")
    else:
        leave(store, "first", "ana")
    looked_at = list[str]()
    while (mine := campaign.next_task(store, "first", "bo")) is not None:
        assert mine.finished_at is None
        looked_at.append(mine.items[0].document)
        save(store, mine, answers={}, active=5.0)
        campaign.finish(store, mine.id)
    ana, bo = campaign.progress(store, "first").judges
    kept = leave is not campaign.withdraw
    assert (ana.done, ana.active_minutes * 60) == ((1, 30.0) if kept else (0, 0.0))
    assert sorted(looked_at) == sorted({"d0", "d1"} - ({task.items[0].document} if kept else set()))
    assert (bo.done, bo.active_minutes * 60) == (len(looked_at), 5.0 * len(looked_at))


def worked_through(store: Store, judge: str) -> list[str]:
    """The documents that a judge gets one after the other, until nothing is left."""
    documents = []
    while (task := campaign.next_task(store, "first", judge)) is not None:
        documents.append(task.items[0].document)
        fill(store, task)
        campaign.finish(store, task.id)
    return documents


def test_nobody_gets_from_a_pool_what_they_were_given_otherwise(store: Store) -> None:
    """Somebody who took over a text, or was given it by an organiser, is not the second judge of it."""
    options = {"judges_per_document": 2, "sentences_per_task": 2}
    opened(store, "esa", documents=corpus((3, 3, 3), ("alder",)), design="pool", options=options)
    begun = first_task(store)
    save(store, begun)
    campaign.replace_judge(store, "first", "ana", Judge("cy"))
    assert campaign.add_overlap(store, "first", ["bo"], ["d1"]) == 1
    texts = {document.id: len(document.segments) for document in campaign.documents(store, "first")}
    for judge in ("cy", "bo", "di"):
        if judge == "di":
            campaign.add_judges(store, "first", [Judge("di")])
        worked_through(store, judge)
        tasks = campaign.tasks(store, "first", judge)
        sentences = [(item.document, item.segment) for task in tasks for item in task.items]
        assert len(sentences) == len(set(sentences)), f"{judge} judges no sentence twice"
        assert judge == "di" or len(sentences) == sum(texts.values())
    assert campaign.progress(store, "first").free == 0


def test_what_was_given_for_calibration_still_comes_from_the_pool(store: Store) -> None:
    """Answers of a calibration round count in no result."""
    options = {"judges_per_document": 2}
    opened(store, "esa", documents=corpus((1, 1), ("alder",)), design="pool", options=options)
    assign_calibration(store, "first", {"rating": [Item("d0", "0", ("alder",))]})
    assert sorted(worked_through(store, "ana")) == ["d0", "d0", "d1"]


def test_a_pair_given_to_a_judge_does_not_come_from_the_pool_the_other_way_round(store: Store) -> None:
    compare = scales({"id": "better", "kind": "rank"}, target="outputs")
    options = {"judges_per_document": 2}
    opened(store, compare, documents=corpus((1, 1)), design="pool", options=options)
    assert campaign.add_overlap(store, "first", ["ana"], ["d0", "d1"]) == 2
    assert sorted(worked_through(store, "ana")) == ["d0", "d1"]


def order(store: Store, judge: str) -> list[str]:
    """What a judge does, one after the other: questionnaires by name, texts by role and document."""
    return [
        task.page if not (first := task.items[0]).document else f"{first.role} {first.document}"
        for task in campaign.tasks(store, "first", judge)
    ]


def test_texts_that_come_later_come_before_the_questionnaire_behind_all_texts(store: Store) -> None:
    documents = corpus((1, 1, 1), ("alder",))
    given = {"documents": documents, "design": "random", "seed": 3}
    opened(store, "esa", settings={"before": ["consent"], "after": ["post_task"]}, **given)
    before = order(store, "ana")
    texts = [place for place in before if place not in ("consent", "post_task")]
    assert before == ["consent", *texts, "post_task"] and len(texts) < 3
    [_, first, *_] = campaign.tasks(store, "first", "ana")
    item = first.items[0]
    assign_calibration(store, "first", {first.page: [item]})
    again = f"calibration {item.document}"
    assert order(store, "ana") == ["consent", again, *texts, "post_task"]
    campaign.add_overlap(store, "first", ["ana"], [document.id for document in documents])
    others = [f"main {document.id}" for document in documents if f"main {document.id}" not in texts]
    after = order(store, "ana")
    assert after[: 2 + len(texts)] == ["consent", again, *texts]
    assert sorted(after[2 + len(texts) : -1]) == others and after[-1] == "post_task"


def test_a_calibration_round_comes_before_the_questionnaire_where_all_texts_are_done(store: Store) -> None:
    opened(store, "esa", documents=corpus((1,), ("alder",)), settings={"after": ["post_task"]})
    text = first_task(store)
    fill(store, text)
    campaign.finish(store, text.id)
    assign_calibration(store, "first", {text.page: text.items})
    assert order(store, "ana") == ["main d0", "calibration d0", "post_task"]


@pytest.mark.parametrize("design", ["pool", "random", "full"])
def test_what_follows_a_calibration_round_is_assigned_once(store: Store, design: str) -> None:
    """A button pressed twice does not hand out everything twice."""
    settings = {"calibration": ["d0"]}
    given = {"documents": corpus((1,) * 5, ("alder",)), "design": design, "settings": settings}
    campaign.create(store, "first", given.pop("documents"), "esa", JUDGES, **given)
    with pytest.raises(CampaignError) as caught:
        campaign.after_calibration(store, "first")
    assert caught.value.code == "draft"
    campaign.open(store, "first")
    campaign.after_calibration(store, "first")
    before = load(store), campaign.progress(store, "first").free
    with pytest.raises(CampaignError) as caught:
        campaign.after_calibration(store, "first")
    assert caught.value.code == "rest_assigned"
    assert (load(store), campaign.progress(store, "first").free) == before


def calibrating(store: Store, judge: str) -> list[tuple[str, str, str]]:
    """What a judge has of calibration rounds: page, document, segment."""
    tasks = campaign.tasks(store, "first", judge)
    return [
        (task.page, item.document, item.segment)
        for task in tasks
        for item in task.items
        if item.role is Role.CALIBRATION
    ]


def test_who_has_not_labelled_a_sentence_labels_it_before_rating_it_in_a_calibration_round(store: Store) -> None:
    """Ratings are asked for the labels that the same judge has chosen."""
    opened(store, "falcon", documents=corpus((2,)))
    label = first_task(store)
    fill(store, label)
    campaign.finish(store, label.id)
    outputs = [Item("d0", "1", (system,)) for system in ("alder", "birch")]
    assert assign_calibration(store, "first", {"rating": outputs}) == 3
    assert calibrating(store, "ana") == [("rating", "d0", "1")] * 2
    assert calibrating(store, "bo") == [("label", "d0", "1")] + [("rating", "d0", "1")] * 2
    for judge in ("ana", "bo"):
        while (task := first_task(store, judge)).items[0].role is Role.CALIBRATION:
            fill(store, task)
            assert campaign.finish(store, task.id).finished_at is not None
        answered = [
            judgement.question
            for judgement in campaign.judgements(store, "first")
            if (judgement.judge, judgement.role) == (judge, Role.CALIBRATION)
        ]
        assert "ratings" in answered and ("skills" in answered) is (judge == "bo")


def test_a_calibration_round_is_for_those_whom_the_page_asks_and_who_read_the_language(store: Store) -> None:
    people = [
        Judge("ana", attributes={"target_language": "de"}),
        Judge("bo", attributes={"target_language": "de", "analyst": True}),
        Judge("chloe", attributes={"target_language": "fr"}),
        Judge("dee"),
        Judge("eve"),
        Judge("fay"),
    ]
    question = {"id": "score", "kind": "scale", "min": 1, "max": 5}
    common = {"unit": "document", "object": "output"}
    stages = [
        {"id": "s", "question": [question], **common},
        {"id": "t", "question": [{**question, "id": "note"}], "role": "analyst", **common},
    ]
    protocol = Protocol.model_validate({"name": "mine", "version": "1", "stage": stages})
    german, french = corpus((1, 1), ("alder",))
    texts = [german, replace(french, target_language="fr")]
    opened(store, protocol, documents=texts, judges=people)
    campaign.add_judges(store, "first", [Judge("gpt", JudgeKind.MODEL)])
    campaign.leave_out(store, "first", "dee", "answers by chance")
    campaign.withdraw(store, "first", "eve")
    items = [Item("d0", "", ("alder",))]
    assign_calibration(store, "first", {"s": items, "t": items})
    pages = {
        judge.id: [page for page, _, _ in calibrating(store, judge.id)] for judge in campaign.judges(store, "first")
    }
    assert {judge: theirs for judge, theirs in pages.items() if theirs} == {
        "ana": ["s"],
        "bo": ["s", "t"],
        "fay": ["s"],
    }
    campaign.add_judges(store, "first", [Judge("guy")])
    assert assign_calibration(store, "first", {"s": items, "t": items}) == 1, "only who has not had it"
    assert calibrating(store, "guy") == [("s", "d0", "")]


def test_a_calibration_round_keeps_judges_in_their_arm(store: Store) -> None:
    opened(store, "parity", documents=corpus((1, 1)), options={"all_scenarios": True})
    pages = {judge.id: {task.page for task in campaign.tasks(store, "first", judge.id)} for judge in JUDGES}
    items = {}
    for judge in pages:
        for task in campaign.tasks(store, "first", judge):
            items.setdefault(task.page, task.items[:1])
    assert len(items) > max(map(len, pages.values())), "the two are in different arms"
    assign_calibration(store, "first", items)
    for judge, own in pages.items():
        assert {page for page, _, _ in calibrating(store, judge)} == own
